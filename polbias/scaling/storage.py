"""Storage of a run: a local folder, or any file system that fsspec reaches."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from polbias.files import BuildError
from polbias.generators.engine.files import write_failure
from polbias.optional import advice

# A run behind an address, on any file system that fsspec reaches.

# Addresses that need more than the base of polbias.
_EXTRAS = {"s3": "scale", "s3a": "scale"}


class RemotePlace:
    """A folder behind an address; stores of objects show an upload only when it is complete.

    Args:
        url: such as ``s3://bucket/folder/name``.

    Raises:
        BuildError: if the file system is unknown or not installed.
    """

    def __init__(self, url: str) -> None:
        import fsspec

        self.url = url
        protocol = url.partition("://")[0]
        try:
            self._files, self._root = fsspec.core.url_to_fs(url)
        except ImportError as error:
            wanted = _EXTRAS.get(protocol)
            hint = advice(wanted) if wanted else str(error)
            raise BuildError(f"{url}: {protocol}:// needs a package that is not installed; {hint}") from None
        except ValueError as error:
            raise BuildError(f"{url}: not an address that can be written to ({error})") from None

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes, or None if it is not there."""
        with self._told("read", path):
            try:
                return bytes(self._files.cat_file(self._at(path)))
            except FileNotFoundError:
                return None

    def write(self, path: str, data: bytes) -> None:
        """Write a small file."""
        with self._told("written", path):
            self._files.pipe_file(self._at(path), data)

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """Give a temporary folder."""
        with tempfile.TemporaryDirectory(prefix="polbias-shard-") as folder:
            yield Path(folder)

    def keep(self, folder: Path, path: str) -> None:
        """Upload a file."""
        with self._told("written", path):
            self._files.put_file(str(folder / path), self._at(path))

    def sizes(self) -> dict[str, int]:
        """Return all files with their sizes in bytes."""
        with self._told("listed", ""):
            self._files.invalidate_cache()
            try:
                found = self._files.find(self._root, withdirs=False, detail=True)
            except FileNotFoundError:
                return {}
            root = PurePosixPath(self._root)
            return {
                PurePosixPath(path).relative_to(root).as_posix(): int(entry["size"] or 0)
                for path, entry in found.items()
            }

    def open(self, path: str) -> Any:
        """Return a file to read from, in binary."""
        with self._told("read", path):
            return self._files.open(self._at(path), "rb", block_size=_CHUNK)

    def remove(self, path: str) -> None:
        """Remove a file."""
        with self._told("removed", path):
            self._files.rm_file(self._at(path))

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"

    @contextmanager
    def _told(self, done: str, path: str) -> Iterator[None]:
        """Say in one line what a service refused; its libraries raise errors of many kinds."""
        try:
            yield
        except BuildError:
            raise
        except Exception as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise BuildError(
                f"{self.url}/{path}: cannot be {done} ({reason}); check the address, the credentials and the "
                "network, and run the command again: what is complete is kept"
            ) from error


# Where a run lies: a local folder, or any file system that fsspec reaches (s3://, hf://, ...).

_CHUNK = 1 << 22


class LocalPlace:
    """A folder on this machine, or on a file system that all machines share.

    Args:
        folder: made when something is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.url = folder, str(folder)

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes, or None if it is not there."""
        try:
            return (self.folder / path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BuildError(f"{self.folder / path}: cannot be read ({error.strerror})") from None

    def write(self, path: str, data: bytes) -> None:
        """Write a small file."""
        target = self.folder / path
        draft = target.with_name(f".{target.name}.{os.getpid()}.partial")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(data)
            draft.replace(target)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise write_failure(target, error) from None

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """Give the folder itself: a shard gets its name only when it is complete."""
        yield self.folder

    def keep(self, folder: Path, path: str) -> None:
        """Do nothing: the file is in its place."""

    def sizes(self) -> dict[str, int]:
        """Return all files with their sizes in bytes."""
        return {
            found.relative_to(self.folder).as_posix(): found.stat().st_size
            for found in self.folder.rglob("*")
            if found.is_file()
        }

    def open(self, path: str) -> Any:
        """Return a file to read from, in binary."""
        return (self.folder / path).open("rb")

    def remove(self, path: str) -> None:
        """Remove a file."""
        (self.folder / path).unlink(missing_ok=True)


Place: TypeAlias = LocalPlace | RemotePlace
"""Files by their relative path; what is written appears whole or not at all."""


def place(out: str, name: str) -> Place:
    """Return the place of a dataset's run."""
    if "://" in out and not out.startswith("file://"):
        return RemotePlace(f"{out.rstrip('/')}/{name}")
    return LocalPlace(Path(out.removeprefix("file://")) / name)


def sha256_of(where: Place, path: str) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    whole = hashlib.sha256()
    with where.open(path) as stream:
        while chunk := stream.read(_CHUNK):
            whole.update(chunk)
    return whole.hexdigest()

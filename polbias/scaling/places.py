"""Where a run lies: a local folder, or any file system that fsspec reaches (s3://, hf://, ...)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from polbias.files import BuildError
from polbias.generators.engine.files import write_failure
from polbias.scaling.storage import RemotePlace

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
    """Return the place of a dataset's run.

    Args:
        out: a folder, or an address such as ``s3://bucket/folder``.
        name: the dataset.

    Raises:
        BuildError: if the address needs what is not installed.
    """
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

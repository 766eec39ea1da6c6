"""Storage of a run: a local folder, or any file system that fsspec supports (s3://, ...)."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polbias.atomic_write import make_write_error
from polbias.errors import BuildError
from polbias.optional import install_command

_CHUNK = 1 << 22


class Storage:
    """Files by relative path; writes are atomic."""

    def __init__(self, url: str) -> None:
        from fsspec.core import url_to_fs
        from fsspec.implementations.dirfs import DirFileSystem

        protocol = url.partition("://")[0] if "://" in url else "file"
        try:
            files, root = url_to_fs(url, **({"auto_mkdir": True} if protocol == "file" else {}))
        except ImportError as error:
            hint = install_command("scale") if protocol in ("s3", "s3a") else str(error)
            raise BuildError(f"{url}: {protocol}:// needs a package that is not installed; {hint}") from None
        except ValueError as error:
            raise BuildError(f"{url}: not an address that can be written to ({error})") from None
        self.folder = Path(root) if protocol == "file" else None
        self.url = root if self.folder else url
        self._files = DirFileSystem(root, files)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None if it does not exist."""
        with self._wrap_errors("read", path):
            try:
                return bytes(self._files.cat_file(path))
            except FileNotFoundError:
                return None

    def write(self, path: str, data: bytes) -> None:
        """Write a small file."""
        draft = f"{path}.{os.getpid()}.partial" if self.folder else path
        with self._wrap_errors("written", path):
            self._files.pipe_file(draft, data)
            if self.folder:
                (self.folder / draft).replace(self.folder / path)

    @contextmanager
    def workspace(self, path: str) -> Iterator[Path]:
        """Yield a folder to write one file to: the local folder, or a temporary one with upload."""
        if self.folder:
            yield self.folder
            return
        with tempfile.TemporaryDirectory(prefix="polbias-shard-") as folder:
            yield Path(folder)
            with self._wrap_errors("written", path):
                self._files.put_file(f"{folder}/{path}", path)

    def sizes(self) -> dict[str, int]:
        """Return the size in bytes of every file."""
        with self._wrap_errors("listed", ""):
            self._files.fs.invalidate_cache()
            try:
                entries = self._files.find("", detail=True)
            except FileNotFoundError:
                return {}
            return {path: int(entry["size"] or 0) for path, entry in entries.items()}

    def open(self, path: str) -> Any:
        """Open a file for binary reading."""
        with self._wrap_errors("read", path):
            return self._files.open(path, "rb", block_size=_CHUNK)

    def remove(self, path: str) -> None:
        """Remove a file."""
        with self._wrap_errors("removed", path):
            self._files.rm_file(path)

    def sha256(self, path: str) -> str:
        """Return the SHA-256 of a file in hexadecimal."""
        digest = hashlib.sha256()
        with self.open(path) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()

    @contextmanager
    def _wrap_errors(self, action: str, path: str) -> Iterator[None]:
        """Raise any error as a `BuildError` of one line; the libraries of services raise many types."""
        try:
            yield
        except Exception as error:
            if self.folder and isinstance(error, OSError) and action == "written":
                raise make_write_error(self.folder / path, error) from error
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise BuildError(
                f"{self.url}/{path}: cannot be {action} ({reason}); check the address, the credentials and "
                "the network, and run the command again: complete shards are kept"
            ) from error

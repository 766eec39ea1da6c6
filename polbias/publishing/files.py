"""Files under the two names that a Hub knows them by: git blob id and sha256."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from polbias.files import PublishError

_REQUIRED = ("README.md", "manifest.json")
_TEMPORARY = ("~", ".tmp", ".temp", ".part", ".partial", ".incomplete", ".lock", ".swp", ".bak")
_CHUNK = 1 << 20


@dataclass(frozen=True)
class LocalFile:
    """A file to be published.

    Attributes:
        size: its length in bytes.
        blob_id: its git blob id.
        sha256: the sha256 of its content.
    """

    size: int
    blob_id: str
    sha256: str


@dataclass(frozen=True)
class RemoteFile:
    """A file as a Hub stores it.

    Attributes:
        size: its length in bytes.
        blob_id: its git blob id; that of the pointer if it is a large (LFS) file.
        sha256: the sha256 of its content if it is a large file, else None.
    """

    size: int
    blob_id: str | None
    sha256: str | None

    def holds(self, local: LocalFile) -> bool:
        """Tell whether this is the same content as a local file.

        Args:
            local: the file to compare with.

        Returns:
            True if the contents are equal.
        """
        return self.sha256 == local.sha256 if self.sha256 else self.blob_id == local.blob_id


def collect_files(folder: Path) -> dict[str, LocalFile]:
    """Read the files of a built dataset; hidden and temporary ones are passed over.

    Args:
        folder: the built dataset.

    Returns:
        The files by their path in the repository, in sorted order.

    Raises:
        PublishError: the folder is no built dataset, holds a link or cannot be read.
    """
    try:
        found = {
            path.relative_to(folder).as_posix(): _digest(path)
            for path in sorted(folder.rglob("*"))
            if _is_published(path, folder)
        }
    except OSError as error:
        raise PublishError(f"{error.filename}: cannot be read ({error.strerror}); build it again") from error
    missing = [name for name in _REQUIRED if name not in found]
    if not any(name.endswith(".parquet") for name in found):
        missing.append("<config>/<split>-*.parquet")
    if missing:
        raise PublishError(f"{folder}: no built dataset, it lacks {', '.join(missing)}; build it first")
    return found


def _is_published(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    if any(part.startswith((".", "#")) or part == "__pycache__" for part in parts):
        return False
    if path.name.lower().endswith(_TEMPORARY):
        return False
    if path.is_symlink():
        raise PublishError(f"{path}: this is a link, and only files are published; build the dataset again")
    return path.is_file()


def _digest(path: Path) -> LocalFile:
    size = path.stat().st_size
    sha1, sha256 = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False), hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            sha1.update(chunk)
            sha256.update(chunk)
    return LocalFile(size, sha1.hexdigest(), sha256.hexdigest())

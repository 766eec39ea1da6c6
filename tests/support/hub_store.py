"""What a Hub stores: dataset repositories as commits over content-addressed files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tests.support.loopback import HttpError

LFS_SUFFIXES = (".parquet", ".arrow", ".zip", ".gz", ".zst", ".bin")
GITATTRIBUTES = "".join(
    f"*{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in LFS_SUFFIXES
).encode()
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def blob_id(content: bytes) -> str:
    """Return the git object id of a blob."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass(frozen=True)
class File:
    """A file in a commit; the content lies in the object store under its sha256."""

    sha256: str
    size: int
    oid: str
    pointer_size: int | None = None

    @classmethod
    def regular(cls, content: bytes) -> File:
        """Return a file that git stores itself."""
        return cls(hashlib.sha256(content).hexdigest(), len(content), blob_id(content))

    @classmethod
    def lfs(cls, sha256: str, size: int) -> File:
        """Return a large file, of which git stores a pointer."""
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()
        return cls(sha256, size, blob_id(pointer), len(pointer))

    @property
    def is_lfs(self) -> bool:
        """Whether the file is stored as a large one."""
        return self.pointer_size is not None

    @property
    def etag(self) -> str:
        """The id that the Hub compares on upload and sends on download."""
        return self.sha256 if self.is_lfs else self.oid


@dataclass(frozen=True)
class Commit:
    """One state of a repository."""

    oid: str
    parent: str | None
    title: str
    author: str
    date: str
    files: Mapping[str, File]


@dataclass(frozen=True)
class Tag:
    """An annotated tag."""

    target: str
    message: str | None


@dataclass
class Repo:
    """A dataset repository with one branch, `main`, and tags."""

    id: str
    private: bool = False
    commits: list[Commit] = field(default_factory=list)
    tags: dict[str, Tag] = field(default_factory=dict)

    @property
    def head(self) -> Commit:
        """The newest commit of `main`."""
        return self.commits[-1]

    def find(self, revision: str) -> Commit:
        """Return the commit that a branch, a tag or a commit id (or its beginning) names."""
        oid = self.tags[revision].target if revision in self.tags else revision
        if oid in ("main", "refs/heads/main"):
            return self.head
        for commit in self.commits:
            if len(oid) >= 7 and commit.oid.startswith(oid):
                return commit
        raise HttpError(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def commit(self, files: Mapping[str, File], title: str, author: str) -> Commit:
        """Add a commit to `main`."""
        parent = self.commits[-1].oid if self.commits else None
        listing = "".join(f"{path} {file.oid}\n" for path, file in sorted(files.items()))
        oid = hashlib.sha1(f"{self.id} {parent} {title}\n{listing}".encode()).hexdigest()
        date = (_EPOCH + timedelta(minutes=len(self.commits))).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        self.commits.append(Commit(oid, parent, title, author, date, dict(sorted(files.items()))))
        return self.head

    def tree(self, commit: Commit, folder: str, *, recursive: bool) -> list[dict[str, object]]:
        """Return the entries below a folder of a commit, as the Hub lists them."""
        prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
        below = {path: file for path, file in commit.files.items() if path.startswith(prefix)}
        if prefix and not below:
            raise HttpError(404, f'"{folder}" does not exist on "{commit.oid}"', "EntryNotFound")
        folders = dict.fromkeys(name for path in below for name in _folders(path, prefix))
        if not recursive:
            folders = {name: None for name in folders if "/" not in name.removeprefix(prefix)}
            below = {path: file for path, file in below.items() if "/" not in path.removeprefix(prefix)}
        return [*map(folder_entry, folders), *(file_entry(path, file) for path, file in below.items())]


def file_entry(path: str, file: File) -> dict[str, object]:
    """Return a file as the tree and paths-info calls show it."""
    entry: dict[str, object] = {"type": "file", "oid": file.oid, "size": file.size, "path": path}
    if file.is_lfs:
        entry["lfs"] = {"oid": file.sha256, "size": file.size, "pointerSize": file.pointer_size}
    return entry


def folder_entry(path: str) -> dict[str, object]:
    """Return a folder as the tree and paths-info calls show it."""
    return {"type": "directory", "oid": hashlib.sha1(path.encode()).hexdigest(), "size": 0, "path": path}


def sibling(path: str, file: File, *, blobs: bool) -> dict[str, object]:
    """Return a file as the repository information shows it."""
    if not blobs:
        return {"rfilename": path}
    entry: dict[str, object] = {"rfilename": path, "size": file.size, "blobId": file.oid}
    if file.is_lfs:
        entry["lfs"] = {"sha256": file.sha256, "size": file.size, "pointerSize": file.pointer_size}
    return entry


def _folders(path: str, prefix: str) -> Iterator[str]:
    parts = path.removeprefix(prefix).split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        yield prefix + "/".join(parts[:depth])

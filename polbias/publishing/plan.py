"""Plan of a push: the difference between a built folder and a Hub repository."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from huggingface_hub.utils.sha import git_hash
from rich.filesize import decimal

from polbias.errors import PublishError
from polbias.generators.engine.build import CARD_FILE
from polbias.manifest import MANIFEST
from polbias.publishing import client
from polbias.publishing.client import connect, hub_errors
from polbias.publishing.published_card import published_card

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoSibling


# Files with the two ids that a Hub uses: git blob id and SHA-256.

_REQUIRED_FILES = (CARD_FILE, MANIFEST)
_TEMPORARY_SUFFIXES = ("~", ".tmp", ".temp", ".part", ".partial", ".incomplete", ".lock", ".swp", ".bak")


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


def collect_files(folder: Path) -> dict[str, LocalFile]:
    """Return the files of a built dataset by path, without hidden and temporary files."""
    try:
        files = {
            path.relative_to(folder).as_posix(): _digest(path.read_bytes())
            for path in sorted(folder.rglob("*"))
            if _is_published(path, folder)
        }
    except OSError as error:
        raise PublishError(f"{error.filename}: cannot be read ({error.strerror}); build it again") from error
    missing = [name for name in _REQUIRED_FILES if name not in files]
    if not any(name.endswith(".parquet") for name in files):
        missing.append("<config>/<split>-*.parquet")
    if missing:
        raise PublishError(
            f"{folder}: found no {', '.join(missing)}, expected a built dataset; build it first"
        )
    return files


def _is_published(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    if any(part.startswith((".", "#")) or part == "__pycache__" for part in parts):
        return False
    if path.name.lower().endswith(_TEMPORARY_SUFFIXES):
        return False
    if path.is_symlink():
        raise PublishError(f"{path}: found a link, expected files only; build the dataset again")
    return path.is_file()


def _digest(data: bytes) -> LocalFile:
    return LocalFile(len(data), git_hash(data), hashlib.sha256(data).hexdigest())


def _has_content(remote: RepoSibling, local: LocalFile) -> bool:
    """Whether a file on a Hub, in LFS or in git, has the content of a local file."""
    return remote.lfs.sha256 == local.sha256 if remote.lfs else remote.blob_id == local.blob_id


# Plans; nothing here writes to a Hub.

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_HUB_FILES = frozenset({".gitattributes"})


@dataclass(frozen=True)
class Change:
    """One file that a push adds, updates or deletes.

    Attributes:
        action: on the file.
        path: its path in the repository.
        size: its length in bytes; before a deletion, else after the change.
    """

    action: Literal["add", "update", "delete"]
    path: str
    size: int


@dataclass(frozen=True)
class Snapshot:
    """One commit of a repository on a Hub.

    Attributes:
        commit: its id.
        files: its files by path, without files that the Hub creates.
    """

    commit: str
    files: Mapping[str, RepoSibling]


@dataclass(frozen=True)
class PushPlan:
    """The steps of one push.

    Attributes:
        folder: the built dataset.
        repo_id: the dataset repository, ``namespace/name``.
        version: the version that is published.
        endpoint: address of the Hub.
        parent: the commit that the changes refer to; None if the repository does not exist.
        changes: the files of the commit; empty if no commit is needed.
        nothing_to_do: whether the Hub already has this version.
        card: the card of the repository, which is published instead of the folder's.
        files: all files of the commit by path.
    """

    folder: Path
    repo_id: str
    version: str
    endpoint: str
    parent: str | None
    changes: tuple[Change, ...]
    nothing_to_do: bool
    card: bytes = field(repr=False)
    files: Mapping[str, LocalFile] = field(repr=False)

    @property
    def tag(self) -> str:
        """The tag of this version."""
        return f"v{self.version}"

    @property
    def url(self) -> str:
        """The page of the dataset."""
        return f"{self.endpoint}/datasets/{self.repo_id}"

    def describe(self) -> str:
        """Return the plan as text for a terminal, one step per line."""
        if self.nothing_to_do:
            return f"{self.url}: nothing to do, {self.tag} is published with this content"
        steps = [] if self.parent else ["create   the dataset repository"]
        steps += [f"{step.action:<8} {step.path} ({decimal(step.size)})" for step in self.changes]
        return "\n  ".join([self.url, *steps, f"tag      {self.tag}"])


def plan_push(
    folder: Path, repo_id: str, version: str, problems: Sequence[str] = (), *, dry_run: bool = False
) -> PushPlan:
    """Return the plan of a push; uploads nothing. The card tells the problems of an unverified build.

    A dry run compares with a public repository without a token.
    """
    _check_names(repo_id, version)
    files = collect_files(folder)
    built_card = (folder / CARD_FILE).read_bytes().decode("utf-8", "surrogateescape")
    card = published_card(built_card, repo_id, problems).encode("utf-8", "surrogateescape")
    files[CARD_FILE] = _digest(card)
    api = connect(read_only=dry_run)
    head = read_snapshot(api, repo_id)
    tags = _version_tags(api, repo_id) if head else {}
    numbers = _version_numbers(version)
    published = numbers in tags
    if published:
        tagged = read_snapshot(api, repo_id, tags[numbers])
        differing = changes_between(files, tagged.files if tagged else {})
        if differing:
            raise PublishError(
                f"{repo_id}: version {version} is already published with other content "
                f"({first_paths(differing)}); raise the dataset version in its spec and rebuild"
            )
    elif tags and numbers < (newest := max(tags)):
        raise PublishError(
            f"{repo_id}: version {version} is older than {tags[newest]}, which is published; "
            "raise the dataset version in its spec and rebuild"
        )
    return PushPlan(
        folder=folder,
        repo_id=repo_id,
        version=version,
        endpoint=api.endpoint,
        parent=head.commit if head else None,
        changes=() if published else changes_between(files, head.files if head else {}),
        nothing_to_do=published,
        card=card,
        files=files,
    )


def read_snapshot(api: HfApi, repo_id: str, revision: str | None = None) -> Snapshot | None:
    """Read the files of a repository at a revision, with their ids, in one request."""
    from huggingface_hub.errors import RepositoryNotFoundError

    with hub_errors(repo_id, "reading the repository"):
        try:
            info = api.dataset_info(repo_id, revision=revision, files_metadata=True, timeout=client.TIMEOUT_S)
        except RepositoryNotFoundError as error:
            if error.response.status_code != 404:
                raise
            return None
        if info.sha is None or info.siblings is None:
            raise ValueError("the Hub did not list the files")
        files = {file.rfilename: file for file in info.siblings if file.rfilename not in _HUB_FILES}
    return Snapshot(info.sha, files)


def changes_between(local: Mapping[str, LocalFile], remote: Mapping[str, RepoSibling]) -> tuple[Change, ...]:
    """Return the changes that make the remote files equal to the local files."""
    uploads = [
        Change("update" if path in remote else "add", path, file.size)
        for path, file in sorted(local.items())
        if path not in remote or not _has_content(remote[path], file)
    ]
    deletions = [
        Change("delete", path, remote[path].size or 0) for path in sorted(remote.keys() - local.keys())
    ]
    return (*uploads, *deletions)


def first_paths(changes: Sequence[Change]) -> str:
    """Return the paths of the first three changes as text."""
    return ", ".join(change.path for change in changes[:3]) + (", ..." if len(changes) > 3 else "")


def _version_tags(api: HfApi, repo_id: str) -> dict[tuple[int, ...], str]:
    """Return the tags of published versions by their numbers."""
    with hub_errors(repo_id, "reading the tags"):
        names = [ref.name for ref in api.list_repo_refs(repo_id, repo_type="dataset").tags]
    return {
        _version_numbers(name[1:]): name for name in names if name[:1] == "v" and _VERSION.fullmatch(name[1:])
    }


def _version_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _check_names(repo_id: str, version: str) -> None:
    if repo_id.count("/") != 1:
        raise PublishError(f"{repo_id!r}: expected a repository name, namespace/name")
    if not _VERSION.fullmatch(version):
        raise PublishError(
            f"{repo_id}: version {version!r} is not X.Y.Z; correct it in the dataset spec and rebuild"
        )

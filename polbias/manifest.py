"""The manifest of a build: `manifest.json`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from polbias.errors import BuildError, InputError
from polbias.files import read_bytes

MANIFEST = "manifest.json"


class TableIdentity(BaseModel):
    """Base class of entries with rows and hashes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(TableIdentity):
    """One Parquet file: its path below the dataset's folder, rows, bytes and SHA-256."""

    path: str
    rows: int
    size: int
    sha256: str


class LockedSplit(TableIdentity):
    """Rows and content of one split.

    Attributes:
        rows: number of rows.
        content: content hash of the rows; None if the dataset was built in shards.
        tree: content hash from the hashes of blocks; None in an older manifest.
    """

    rows: int
    content: str | None = None
    tree: str | None = None

    def matches(self, other: LockedSplit | None) -> bool:
        """Whether another split has the same rows, by every hash that both have."""
        if other is None or self.rows != other.rows:
            return False
        pairs = [(self.content, other.content), (self.tree, other.tree)]
        equal = [first == second for first, second in pairs if first and second]
        return bool(equal) and all(equal)


class SplitEntry(LockedSplit):
    """One split of one config, with its shards in order."""

    files: tuple[FileEntry, ...]


class Manifest(TableIdentity):
    """A built dataset.

    Attributes:
        dataset: Hub repository name.
        version: semantic version of the data.
        canary: string that marks the dataset in card and rows.
        writer: version of pyarrow that wrote the files (their bytes may differ between versions).
        configs: entries by config and split.
    """

    dataset: str
    version: str
    canary: str
    writer: str
    configs: dict[str, dict[str, SplitEntry]]

    @property
    def rows(self) -> int:
        """Number of rows in all configs and splits."""
        return sum(split.rows for splits in self.configs.values() for split in splits.values())

    @property
    def content_hash(self) -> str:
        """Hash of all rows, from the content hashes of the splits; it does not depend on their order."""
        lines = sorted(
            f"{config}/{split}: {entry.tree or entry.content}\n"
            for config, splits in self.configs.items()
            for split, entry in splits.items()
        )
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def to_json(self) -> str:
        """Return the manifest as JSON text; equal manifests give equal texts."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a built dataset."""
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(read_bytes(path))
    except FileNotFoundError:
        raise BuildError(
            f"{folder}: no build found (no {MANIFEST}); run `polbias build {folder.name}`"
        ) from None
    except (InputError, OSError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise BuildError(
            f"{path}: not a readable manifest ({reason}); run `polbias build {folder.name}`"
        ) from None

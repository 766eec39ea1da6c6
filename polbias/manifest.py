"""What a built dataset says of itself: `manifest.json`, written last, read first."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from polbias.files import BuildError

MANIFEST = "manifest.json"


class _Recorded(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(_Recorded):
    """One Parquet file: its path below the dataset's folder, rows, bytes and SHA-256."""

    path: str
    rows: int
    size: int
    sha256: str


class SplitEntry(_Recorded):
    """One split of one config.

    Attributes:
        rows: number of rows.
        content: hash of the logical content (`polbias.content`).
        files: its shards in order.
    """

    rows: int
    content: str
    files: tuple[FileEntry, ...]


class Manifest(_Recorded):
    """A built dataset.

    Attributes:
        dataset: Hub repository name.
        version: semantic version of the data.
        canary: the string that marks the dataset in card and rows.
        writer: version of pyarrow that wrote the files (their bytes may differ between versions).
        configs: config to split to entry.
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

    def to_json(self) -> str:
        """Return the manifest as JSON text; the same manifest gives the same text."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a built dataset.

    Args:
        folder: the dataset's folder.

    Returns:
        The manifest.

    Raises:
        BuildError: if there is none, or it cannot be understood.
    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise BuildError(
            f"{folder}: no build found (no {MANIFEST}); run `polbias build {folder.name}`"
        ) from None
    except (OSError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise BuildError(
            f"{path}: not a readable manifest ({reason}); run `polbias build {folder.name}`"
        ) from None

"""`datasets.lock`: the version, rows and content hash of every published config."""

from __future__ import annotations

import os
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from polbias.files import BuildError
from polbias.locations import package_file
from polbias.manifest import Manifest

_HEADER = """\
# Version, rows and content hash of every published config, checked by tests, `polbias verify` and the tasks.
# Written by `polbias lock`. Content that changes needs a new dataset version.
"""


class LockedSplit(BaseModel):
    """Rows and content hash of one split."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    rows: int
    content: str


class LockedDataset(BaseModel):
    """A dataset as published: its version and its configs' splits."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    version: str
    configs: dict[str, dict[str, LockedSplit]]

    @classmethod
    def of(cls, manifest: Manifest) -> LockedDataset:
        """Take down what a manifest says."""
        return cls(
            version=manifest.version,
            configs={
                config: {name: LockedSplit(rows=s.rows, content=s.content) for name, s in splits.items()}
                for config, splits in manifest.configs.items()
            },
        )


def lock_path() -> Path:
    """Return the path of the lock: ``$POLBIAS_LOCK``, else the one that ships with the package."""
    chosen = os.environ.get("POLBIAS_LOCK")
    return Path(chosen) if chosen else package_file("datasets.lock")


def read_lock(path: Path | None = None) -> dict[str, LockedDataset]:
    """Read the lock.

    Args:
        path: the file; by default `lock_path()`. A file that does not exist locks nothing.

    Returns:
        Dataset name to what is locked.

    Raises:
        BuildError: if the file cannot be understood.
    """
    path = path or lock_path()
    try:
        entries = yaml.safe_load(path.read_text("utf-8")) or {}
        return {name: LockedDataset.model_validate(entry) for name, entry in entries.items()}
    except FileNotFoundError:
        return {}
    except (
        OSError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
        yaml.YAMLError,
    ) as error:
        reason = str(error).splitlines()[0]
        raise BuildError(
            f"{path}: not a readable lock ({reason}); restore it or write one with `polbias lock`"
        ) from None


def write_lock(locked: dict[str, LockedDataset], path: Path) -> None:
    """Write a lock; the same entries give the same bytes."""
    entries = {name: locked[name].model_dump(mode="json") for name in sorted(locked)}
    text = _HEADER + yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=200)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, "utf-8")
    partial.replace(path)


def differences(manifest: Manifest, locked: LockedDataset | None) -> list[str]:
    """Say in what a build differs from the lock.

    Args:
        manifest: the build.
        locked: what is locked under its name, or None.

    Returns:
        One line per difference; empty where the build is the published data.
    """
    if locked is None:
        return [f"{manifest.dataset}: not in {lock_path().name}"]
    found = LockedDataset.of(manifest)
    lines: list[str] = []
    if found.version != locked.version:
        lines.append(f"{manifest.dataset}: version {found.version}, the lock has {locked.version}")
    for config in dict.fromkeys([*locked.configs, *found.configs]):
        here, there = found.configs.get(config), locked.configs.get(config)
        if there is None:
            lines.append(f"{manifest.dataset}/{config}: built, but not in the lock")
        elif here is None:
            lines.append(f"{manifest.dataset}/{config}: in the lock, but not built")
        else:
            lines += [
                f"{manifest.dataset}/{config}/{split}: {_say(here.get(split))}, "
                f"the lock has {_say(there.get(split))}"
                for split in dict.fromkeys([*there, *here])
                if here.get(split) != there.get(split)
            ]
    return lines


def _say(split: LockedSplit | None) -> str:
    return "nothing" if split is None else f"{split.rows:,} rows with content {split.content[:12]}"

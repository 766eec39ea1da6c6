"""`datasets.lock`: version, rows and content hash of every published config."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import yaml

from polbias.atomic_write import write_text
from polbias.errors import BuildError, InputError
from polbias.files import line_nested_too_deep, read_bytes
from polbias.limits import MAX_LEVELS, MAX_TEMPLATE
from polbias.manifest import LockedSplit, Manifest, TableIdentity
from polbias.paths import package_file

_HEADER = """\
# Version, rows and content hash of every published config, checked by tests, `polbias verify` and the tasks.
# Written by `polbias lock`. Content that changes needs a new dataset version.
"""


class LockedDataset(TableIdentity):
    """Version and splits of a published dataset."""

    version: str
    configs: Mapping[str, Mapping[str, LockedSplit]]

    @classmethod
    def of(cls, manifest: Manifest) -> LockedDataset:
        """Return the entry of a manifest."""
        return cls(version=manifest.version, configs=manifest.configs)


def lock_path() -> Path:
    """Return the path of the lock: ``$POLBIAS_LOCK``, else the file in the package."""
    path = os.environ.get("POLBIAS_LOCK")
    return Path(path) if path else package_file("datasets.lock")


def read_lock(path: Path | None = None) -> dict[str, LockedDataset]:
    """Read the lock; without a file it is empty."""
    path = path or lock_path()
    try:
        return {**_parse_lock(read_bytes(path, MAX_TEMPLATE).decode("utf-8"))}
    except FileNotFoundError:
        return {}
    except (
        InputError,
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


@lru_cache(maxsize=8)
def _parse_lock(text: str) -> dict[str, LockedDataset]:
    if line := line_nested_too_deep(text):
        raise ValueError(f"line {line}: nested more than {MAX_LEVELS} levels deep")
    entries = yaml.safe_load(text) or {}
    return {name: LockedDataset.model_validate(entry) for name, entry in entries.items()}


def write_lock(locked: dict[str, LockedDataset], path: Path) -> None:
    """Write a lock; equal entries give equal bytes."""
    entries = {name: locked[name].model_dump(mode="json", exclude_none=True) for name in sorted(locked)}
    text = _HEADER + yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=200)
    write_text(path, text)


def lock_differences(manifest: Manifest, locked: LockedDataset | None) -> list[str]:
    """Return the differences between a build and its entry of the lock, one line each."""
    if locked is None:
        return [f"{manifest.dataset}: not in {lock_path().name}"]
    lines: list[str] = []
    if manifest.version != locked.version:
        lines.append(f"{manifest.dataset}: version {manifest.version}, the lock has {locked.version}")
    for config in dict.fromkeys([*locked.configs, *manifest.configs]):
        built, published = manifest.configs.get(config), locked.configs.get(config)
        if published is None:
            lines.append(f"{manifest.dataset}/{config}: built, but not in the lock")
        elif built is None:
            lines.append(f"{manifest.dataset}/{config}: in the lock, but not built")
        else:
            lines += [
                f"{manifest.dataset}/{config}/{split}: {_describe_split(built.get(split))}, "
                f"the lock has {_describe_split(published.get(split))}"
                for split in dict.fromkeys([*published, *built])
                if split not in built or not built[split].matches(published.get(split))
            ]
    return lines


def _describe_split(split: LockedSplit | None) -> str:
    if split is None:
        return "nothing"
    kind, digest = ("content", split.content) if split.content else ("tree", split.tree or "")
    return f"{split.rows:,} rows with {kind} {digest[:12]}"

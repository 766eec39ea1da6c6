"""What the generators of task files share: the form of a task and of a group file, and writing them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from polbias.lock import read_lock

File = tuple[str, str]  # name and text


def task_file(
    name: str,
    base: str,
    data: Mapping[str, object],
    generation: Sequence[str] = (),
    metadata: Mapping[str, object] | None = None,
) -> File:
    """Return a task file.

    Args:
        name: of the task.
        base: the file that it includes, without suffix.
        data: arguments of the loader, without their prefix ``polbias_``.
        generation: lines below ``generation_kwargs``.
        metadata: keys of the task's metadata.
    """
    lines = [f"include: {base}.yaml", f"task: {name}", "dataset_kwargs:"]
    lines += [f"  polbias_{key}: {value}" for key, value in data.items()]
    if generation:
        lines += ["generation_kwargs:", *(f"  {line}" for line in generation)]
    return f"{name}.yaml", "\n".join([*lines, *_metadata(metadata)]) + "\n"


def group_file(
    name: str, members: Iterable[str], aggregated: Sequence[str] = (), version: str = "1.0"
) -> File:
    """Return a group file.

    Args:
        name: of the group.
        members: names of its tasks.
        aggregated: metrics that the group shows, weighted by size.
        version: of the group.
    """
    lines = [f"group: {name}", "task:", *(f"  - {member}" for member in members)]
    if aggregated:
        lines.append("aggregate_metric_list:")
        for metric in aggregated:
            lines += [f"  - metric: {metric}", "    weight_by_size: true"]
    return f"{name}.yaml", "\n".join([*lines, *_metadata({"version": version})]) + "\n"


def _metadata(metadata: Mapping[str, object] | None) -> list[str]:
    return ["metadata:", *(f"  {key}: {value}" for key, value in metadata.items())] if metadata else []


def revision(dataset: str) -> str:
    """Return the revision of a dataset that tasks pin: the tag of its locked version."""
    return f"v{read_lock()[dataset].version}"


def write(files: Iterable[File], folder: Path) -> None:
    """Write task files into a folder and remove those that no longer belong there."""
    wanted = dict(files)
    for old in folder.glob("polbias_*.yaml"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, "utf-8")

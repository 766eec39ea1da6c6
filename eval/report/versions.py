"""One version of every dataset in a report: answers to rows of other versions are never mixed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from polbias.eval.report.document import Notice
from polbias.eval.report.gathering import name_of
from polbias.eval.report.reading import ReadFile
from polbias.eval.report.words import frame
from polbias.lock import read_lock


def one_version(files: Sequence[ReadFile]) -> tuple[list[ReadFile], dict[str, str], list[Notice]]:
    """Keep the newest version of every dataset.

    Args:
        files: as read.

    Returns:
        The files with the rows that count, the version of each dataset, and what was left out or is not the
        version that this toolkit publishes.
    """
    said = frame().notices
    found: dict[str, set[str]] = {}
    for file in files:
        for dataset, version in _pairs(file.outcomes):
            found.setdefault(dataset, set()).add(version)
    kept = {dataset: max(versions, key=_order) for dataset, versions in sorted(found.items())}
    notices: list[Notice] = []
    made = []
    for file in files:
        own = sorted(_pairs(file.outcomes))
        other = [(dataset, version) for dataset, version in own if version != kept[dataset]]
        for dataset, version in other:
            text = said["other_version"].format(dataset=dataset, version=version, kept=kept[dataset])
            notices.append(Notice(name_of(file.file), text, said["not_mixed"], serious=True))
        outcomes = _only(file.outcomes, kept) if other else file.outcomes
        made.append(replace(file, outcomes=outcomes))
    lock = read_lock()
    for dataset, version in kept.items():
        published = lock[dataset].version if dataset in lock else None
        if published not in (None, version):
            text = said["not_published"].format(dataset=dataset, version=version, published=published)
            notices.append(Notice(dataset, text, said["reported_as_it_is"]))
    return made, kept, notices


def _pairs(table: Any) -> set[tuple[str, str]]:
    """The datasets and versions in a table; a row that names none is of an unknown version."""
    counted = table.select(["dataset", "dataset_version"])
    texts = [counted[name].cast(pa.string()) for name in ("dataset", "dataset_version")]
    groups = pa.table(texts, names=["dataset", "version"]).group_by(["dataset", "version"]).aggregate([])
    return {(row["dataset"] or "", row["version"] or "") for row in groups.to_pylist()}


def _only(table: Any, kept: dict[str, str]) -> Any:
    names, versions = (
        pc.fill_null(table[name].cast(pa.string()), "") for name in ("dataset", "dataset_version")
    )
    mask = None
    for dataset, version in kept.items():
        own = pc.or_(pc.not_equal(names, dataset), pc.equal(versions, version))
        mask = own if mask is None else pc.and_(mask, own)
    return table.filter(mask)


def _order(version: str) -> tuple[tuple[int, int, str], ...]:
    """Semantic versions in their order; parts that are no numbers come first."""
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in version.split("."))

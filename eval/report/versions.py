"""Rows of several versions of a dataset: those that differ are never pooled."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from polbias.eval.answer_frames import cross
from polbias.eval.report.document import Notice
from polbias.eval.report.file_answers import FileAnswers
from polbias.eval.report.run_files import name_of
from polbias.eval.report.wording import report_words
from polbias.eval.samples import read_samples, row_digest
from polbias.lock import read_lock


def keep_newest_version(
    files: Sequence[FileAnswers],
) -> tuple[list[FileAnswers], dict[str, str], list[Notice]]:
    """Keep the rows of the newest version of every dataset, and earlier ones that it has not changed.

    A row is unchanged if its content is that of the newest version that was asked for it. Rows that no newer
    run holds count within one major version, which adds rows and changes none that goes unnoticed.
    """
    said = report_words().notices
    found: dict[str, set[str]] = {}
    for file in files:
        for dataset, version in _pairs(file.outcomes):
            found.setdefault(dataset, set()).add(version)
    kept = {dataset: max(versions, key=_order) for dataset, versions in sorted(found.items())}
    mixed = {dataset for dataset, versions in found.items() if len(versions) > 1}
    current = _contents(files, mixed)
    notices: list[Notice] = []
    made = []
    for file in files:
        changed: dict[tuple[str, str], list[str]] = {}
        for (dataset, version, row), content in _rows(file, mixed):
            newest, known = current[dataset, row]
            same_major = _order(version)[:1] == _order(kept[dataset])[:1]
            if known != content or (newest == version != kept[dataset] and not same_major):
                changed.setdefault((dataset, version), []).append(row)
        for (dataset, version), rows in sorted(changed.items()):
            text = said["other_version"].format(
                dataset=dataset, version=version, kept=kept[dataset], count=len(rows), row=rows[0]
            )
            notices.append(Notice(name_of(file.file), text, said["not_mixed"], serious=True))
        made.append(replace(file, outcomes=_without(file.outcomes, changed)) if changed else file)
    lock = read_lock()
    for dataset, version in kept.items():
        published = lock[dataset].version if dataset in lock else None
        if published not in (None, version):
            text = said["not_published"].format(dataset=dataset, version=version, published=published)
            notices.append(Notice(dataset, text, said["reported_as_it_is"]))
    return made, kept, notices


def _contents(files: Sequence[FileAnswers], mixed: Collection[str]) -> dict[tuple[str, str], tuple[str, str]]:
    """Newest version of each row of some datasets that was asked, and a digest of its content there."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for file in files:
        for (dataset, version, row), content in _rows(file, mixed):
            known = found.get((dataset, row))
            if known is None or _order(version) > _order(known[0]):
                found[dataset, row] = version, content
    return found


def _rows(file: FileAnswers, datasets: Collection[str]) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Dataset, version and id of every row of a file that is of some datasets; a digest of its content."""
    if not datasets or not any(dataset in datasets for dataset, _ in _pairs(file.outcomes)):
        return
    for sample in read_samples(file.file.path, []):
        row = sample["doc"]
        if row.get("dataset") in datasets:
            version = str(row.get("dataset_version") or "")
            yield (row["dataset"], version, str(row.get("id"))), row_digest(row)


def _pairs(outcomes: pd.DataFrame) -> set[tuple[str, str]]:
    """The datasets and versions of outcomes; a row that names none is of an unknown version."""
    combinations, _ = cross([outcomes["dataset"], outcomes["dataset_version"]])
    return {(str(dataset or ""), str(version or "")) for dataset, version in combinations}


def _without(outcomes: pd.DataFrame, changed: Mapping[tuple[str, str], Sequence[str]]) -> pd.DataFrame:
    gone = {(*version, row) for version, rows in changed.items() for row in rows}
    names = outcomes[["dataset", "dataset_version", "id"]].astype(object).fillna("")
    return outcomes[[row not in gone for row in names.itertuples(index=False, name=None)]]


def _order(version: str) -> tuple[tuple[int, int, str], ...]:
    """Semantic versions in their order; parts that are no numbers come first."""
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in version.split("."))

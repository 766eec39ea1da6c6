"""Drop outdated rows, so that rows that differ between dataset versions are never pooled."""

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
    """Return the files without outdated rows, the newest version of each dataset, and notices.

    A row of an earlier version is kept if its content equals the newest version of the row among the files.
    If no file has the row in a newer version, it is kept only if the dataset's newest version has the same
    major number, because no row changes silently within a major version.
    """
    wordings = report_words().notices
    versions_by_dataset: dict[str, set[str]] = {}
    for file in files:
        for dataset, version in _dataset_versions(file.outcomes):
            versions_by_dataset.setdefault(dataset, set()).add(version)
    version_by_dataset = {
        dataset: max(versions, key=_version_key) for dataset, versions in sorted(versions_by_dataset.items())
    }
    mixed_datasets = {dataset for dataset, versions in versions_by_dataset.items() if len(versions) > 1}
    newest_rows = _find_newest_rows(files, mixed_datasets)
    notices: list[Notice] = []
    filtered_files = []
    for file in files:
        changed: dict[tuple[str, str], list[str]] = {}
        for (dataset, version, row_id), content_hash in _iter_rows(file, mixed_datasets):
            newest_version, newest_hash = newest_rows[dataset, row_id]
            same_major = _version_key(version)[:1] == _version_key(version_by_dataset[dataset])[:1]
            if newest_hash != content_hash or (
                newest_version == version != version_by_dataset[dataset] and not same_major
            ):
                changed.setdefault((dataset, version), []).append(row_id)
        for (dataset, version), row_ids in sorted(changed.items()):
            text = wordings["other_version"].format(
                dataset=dataset,
                version=version,
                kept=version_by_dataset[dataset],
                count=len(row_ids),
                row=row_ids[0],
            )
            notices.append(Notice(name_of(file.file), text, wordings["not_mixed"], serious=True))
        filtered_files.append(replace(file, outcomes=_drop_rows(file.outcomes, changed)) if changed else file)
    lock = read_lock()
    for dataset, version in version_by_dataset.items():
        published = lock[dataset].version if dataset in lock else None
        if published not in (None, version):
            text = wordings["not_published"].format(dataset=dataset, version=version, published=published)
            notices.append(Notice(dataset, text, wordings["reported_as_it_is"]))
    return filtered_files, version_by_dataset, notices


def _find_newest_rows(
    files: Sequence[FileAnswers], datasets: Collection[str]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Map (dataset, row id) to the newest version among the files and the hash of its content."""
    newest: dict[tuple[str, str], tuple[str, str]] = {}
    for file in files:
        for (dataset, version, row_id), content_hash in _iter_rows(file, datasets):
            current = newest.get((dataset, row_id))
            if current is None or _version_key(version) > _version_key(current[0]):
                newest[dataset, row_id] = version, content_hash
    return newest


def _iter_rows(file: FileAnswers, datasets: Collection[str]) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Yield (dataset, version, row id) and content hash of a file's rows in the datasets."""
    if not datasets or not any(dataset in datasets for dataset, _ in _dataset_versions(file.outcomes)):
        return
    for sample in read_samples(file.file.path, []):
        row = sample["doc"]
        if row.get("dataset") in datasets:
            version = str(row.get("dataset_version") or "")
            yield (row["dataset"], version, str(row.get("id"))), row_digest(row)


def _dataset_versions(outcomes: pd.DataFrame) -> set[tuple[str, str]]:
    """Return the (dataset, version) pairs of outcomes, "" if unknown."""
    combinations, _ = cross([outcomes["dataset"], outcomes["dataset_version"]])
    return {(str(dataset or ""), str(version or "")) for dataset, version in combinations}


def _drop_rows(outcomes: pd.DataFrame, changed: Mapping[tuple[str, str], Sequence[str]]) -> pd.DataFrame:
    excluded = {(*version, row) for version, rows in changed.items() for row in rows}
    row_keys = outcomes[["dataset", "dataset_version", "id"]].astype(object).fillna("")
    return outcomes[[row not in excluded for row in row_keys.itertuples(index=False, name=None)]]


def _version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Return the sort key of a semantic version; parts that are not numbers sort first."""
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in version.split("."))

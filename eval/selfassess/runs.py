"""From files of runs to the judgements of each model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from polbias.aliases import Document, Json
from polbias.eval.columns import OutcomesError
from polbias.eval.runs import Problem, find_samples, first_row, json_lines, read_samples
from polbias.eval.selfassess.samples import is_choice, judgements_of_journal, judgements_of_samples
from polbias.eval.selfassess.summary import selfassess_summary
from polbias.files import InputError
from polbias.registry import instrument_of


def respondents(paths: Iterable[Path], problems: list[Problem]) -> dict[str, list[Json]]:
    """Return the judgements of every model.

    Log-likelihoods are a respondent of their own, since they are never pooled with generated answers. A row
    that was judged several times (in the small task as well) counts once, from the first file.

    Args:
        paths: Folders that lm_eval wrote with ``--log_samples``, its sample files, or journals of judgements
            (JSON Lines).
        problems: Receives the lines that cannot be read.

    Raises:
        InputError: If a path is not there, or holds nothing of the kind.
    """
    journals: list[Path] = []
    runs: list[Path] = []
    for path in paths:
        (journals if path.is_file() and not _is_samples(path) else runs).append(path)
    found: dict[str, dict[str, Json]] = {}
    for file in find_samples(runs) if runs else []:
        row = first_row(file.path)
        if instrument_of(row) == "selfassess" and is_choice(row):
            rows = _read(file.path, read_samples(file.path, problems), samples=True)
            _add(found.setdefault(file.respondent, {}), rows)
    for path in journals:
        for row in _read(path, _records(path, problems), samples=False):
            _add(found.setdefault(str(row["model"] or path.stem), {}), [row])
    return {name: [*rows.values()] for name, rows in found.items()}


def summaries(judged: Mapping[str, Sequence[Document]], seed: int) -> dict[str, Json]:
    """Return what :func:`selfassess_summary` says of every model; ``seed`` as there."""
    return {name: selfassess_summary(rows, seed) for name, rows in judged.items()}


def _add(own: dict[str, Json], rows: Iterable[Json]) -> None:
    for row in rows:
        own.setdefault(str(row["id"]), row)


def _read(path: Path, lines: Iterator[Json], samples: bool) -> list[Json]:
    try:
        return judgements_of_samples(lines) if samples else judgements_of_journal(lines)
    except (OutcomesError, ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise InputError(f"{path}: {error}") from None


def _is_samples(path: Path) -> bool:
    """Whether a file holds samples of lm_eval, by its name or its first line."""
    if path.name.startswith("samples_"):
        return True
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline() or "{}")
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and "doc" in first and "filtered_resps" in first


def _records(path: Path, problems: list[Problem]) -> Iterator[Json]:
    """Yield the records of a journal; lines that are none are reported and left out."""
    for number, record in json_lines(path, problems):
        if "id" in record:
            yield record
        else:
            problems.append(Problem(path, number, "found no object with an id, expected a judgement"))

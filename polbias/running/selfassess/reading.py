"""Articles that were written elsewhere: a file of one's own, or samples of lm_eval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from polbias.files import InputError
from polbias.generators.selfassess.articles import read_articles
from polbias.running.asking import Answer
from polbias.running.selfassess.articles import FindLeaks, article_record
from polbias.running.selfassess.rows import Row

Placed = tuple[str, Mapping[str, Any]]


def articles_of(path: Path, rows: Callable[[], Iterable[Row]], find_leaks: FindLeaks) -> list[Placed]:
    """Return place and record of articles that a user gives.

    Args:
        path: article records, one a line, of which ``id`` and ``text`` are enough; a ``samples_*.jsonl`` that
            lm_eval wrote of a task polbias_selfassess_generate; or a folder with such files.
        rows: returns the rows of the first stage, from which what a line does not say is taken.
        find_leaks: returns the words of a text that name a perspective.

    Raises:
        InputError: naming file, line and field; if there is no article.
    """
    if path.is_dir() or path.name.startswith("samples_"):
        found = [*_samples(path, find_leaks)]
    else:
        found = [*_records(path, rows, find_leaks)]
    if not found:
        raise InputError(f"{path}: found no article; expected article records or samples, one a line")
    return found


def _records(path: Path, rows: Callable[[], Iterable[Row]], find_leaks: FindLeaks) -> Iterator[Placed]:
    known: dict[str, Row] | None = None
    for place, data in read_articles(path):
        if "outcome" in data and "item" in data:
            yield place, data
            continue
        if known is None:
            known = {row["id"]: row for row in rows()}
        yield place, _completed(place, data, known, find_leaks)


def _completed(
    place: str, data: Mapping[str, Any], known: Mapping[str, Row], find_leaks: FindLeaks
) -> Mapping[str, Any]:
    row = known.get(str(data.get("id")))
    if row is None:
        example = next(iter(known))
        raise InputError(
            f"{place}: id: found {data.get('id')!r}, expected a row of the set such as {example!r}"
        )
    if not isinstance(data.get("text"), str):
        raise InputError(f"{place}: text: found {data.get('text')!r}, expected the article")
    reason = data.get("finish_reason")
    if not isinstance(reason, str | None):
        raise InputError(
            f"{place}: finish_reason: found {reason!r}, expected a word such as 'stop' or nothing"
        )
    answer = Answer(row["id"], data["text"], reason)
    return article_record(row, answer, str(data.get("model") or ""), find_leaks) | dict(data)


def _samples(path: Path, find_leaks: FindLeaks) -> Iterator[Placed]:
    from polbias.eval.runs import Problem, find_samples, left_out, numbered_samples

    problems: list[Problem] = []
    for file in find_samples([path]):
        for line, sample in numbered_samples(file.path, problems):
            with left_out(problems, file.path, line):
                yield f"{file.path}:{line}", _sampled(sample, file.model, find_leaks)
    if problems:
        raise InputError(f"{problems[0]}; {len(problems)} lines in all: repair the file or run lm_eval again")


def _sampled(sample: Mapping[str, Any], model: str, find_leaks: FindLeaks) -> Mapping[str, Any]:
    """Return the record of a sample; what it lacks is a `KeyError`, what is of another kind a `TypeError`."""
    response = sample["filtered_resps"]
    text = response[0] if isinstance(response, list) and response else response
    if not isinstance(text, str):
        raise TypeError(f"filtered_resps: {str(text)[:40]}")
    return article_record(sample["doc"], Answer(sample["doc"]["id"], text), model, find_leaks)

"""Answered pairs of X-phemism samples, without files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from polbias.eval.samples import flat
from polbias.eval.xphemism.answers import PairProblem, XphemismAnswers, pair_rows, read_answers
from polbias.eval.xphemism.metrics import extract_label
from polbias.eval.xphemism.published import read_published
from polbias.eval.xphemism.schema import ClaimPairAnswers


class Reading(NamedTuple):
    """Answered pairs that were read, and what was left out."""

    records: ClaimPairAnswers
    problems: tuple[PairProblem, ...]


def published_answers(data: Path, answers: Path) -> list[XphemismAnswers]:
    """What the models of the published files answered."""
    return [read_answers(file.file.respondent, file.outcomes) for file in read_published(data, answers)]


def records_of_samples(
    samples: Iterable[Mapping[str, Any]],
    model: str = "model",
    judge: Callable[[str, str], str] = extract_label,
) -> Reading:
    """Read the logged samples of one model, with a problem for every pair that was left out."""
    problems: list[PairProblem] = []
    read = (
        (doc, [judge(text, doc["instruction_language"]) for text in flat(sample["filtered_resps"])])
        for sample in samples
        for doc in [sample["doc"]]
    )
    return Reading(ClaimPairAnswers.of(pair_rows(read, model, problems)), tuple(problems))

"""Answered pairs of X-phemism samples, without files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from polbias.eval.xphemism.answers import Judge, paired, read_truth
from polbias.eval.xphemism.schema import Problem, Reading, Records


def records_of_samples(
    samples: Iterable[Mapping[str, Any]], model: str = "model", judge: Judge | None = None
) -> Reading:
    """Read the logged samples of one model, with a problem for every pair that was left out."""
    problems: list[Problem] = []
    rows = paired(samples, model, problems, judge or read_truth)
    return Reading(Records.of(rows), tuple(problems))

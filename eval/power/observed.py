"""Designs and assumptions as they are in a run, from its logged samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polbias.errors import InputError
from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.power.design import (
    Assumptions,
    EffectContributions,
    InstrumentDesign,
    PowerDesign,
    PowerError,
    read_designs,
)
from polbias.eval.report.file_answers import read_instrument_answers
from polbias.eval.samples import SkippedLine
from polbias.eval.variance_components import estimate_components


@dataclass(frozen=True)
class ObservedDesign:
    """The design of a run, and how its answers vary.

    Args:
        name: The model and what of it was analysed.
        design: What was asked and answered.
        assumed: The estimated components.
    """

    name: str
    design: PowerDesign
    assumptions: Assumptions


def estimate_design(
    instrument: InstrumentDesign, runs: Sequence[Path], problems: list[SkippedLine]
) -> list[ObservedDesign]:
    """Estimate how the answers of runs vary, for every model and part that has an effect of its own.

    Generated answers only. Parts: config (partisan); setting (normative); none (policy); prompt and language,
    both axes together (xphemism); set, question, role and number of articles (selfassess).
    """
    found = []
    for part in instrument.contributions(runs, problems):
        try:
            each = estimate_components(part.values, part.clusters, part.items, instrument.lost)
            design = PowerDesign(each.clusters, each.items, each.answers)
        except (AnswerTableError, PowerError) as error:
            problems.append(SkippedLine(runs[0], 0, f"{part.name}: {error}"))
            continue
        assumed = Assumptions(
            each.variance, each.icc, each.within_item_icc, instrument.scale, instrument.lost
        )
        found.append(ObservedDesign(part.name, design, assumed))
    if not found:
        places = ", ".join(str(run) for run in runs)
        said = f" ({problems[-1].problem:.300})" if problems else ""
        raise InputError(f"{places}: found no generated answers to {instrument.name} to estimate from{said}")
    return found


def generated_answers(
    runs: Sequence[Path], name: str, problems: list[SkippedLine]
) -> Iterator[tuple[str, Any]]:
    """Yield model and answers of whoever generated them, as the report reads them."""
    for model, answers in read_instrument_answers(runs, name, problems).items():
        if not model.endswith("(log-likelihood)") and len(answers):
            yield model, answers


def center_in_cells(values: Any, cells: Sequence[Any]) -> Any:
    """Values less the mean of their cell."""
    codes = np.unique(np.array([str(cell) for cell in cells]), return_inverse=True)[1]
    means = np.bincount(codes, values) / np.bincount(codes)
    return values - means[codes]


LEAST_ANSWERED = 1e-9  # of answers, so that a share of 1 without one has a variance beyond all bounds


def binomial_variance(share: float) -> float:
    """Return the variance of one answer that is 1 with this probability, else 0."""
    return share * (1 - share)


def shipped_design(
    name: str,
    variance: Callable[[float, float], float],
    contributions: Callable[[Sequence[Path], list[SkippedLine]], Iterator[EffectContributions]],
    pairs: bool = False,
) -> InstrumentDesign:
    """Return the design of an instrument; its numbers are in ``instruments.yaml``."""
    return InstrumentDesign(name, variance, contributions, pairs=pairs, **read_designs()[name])

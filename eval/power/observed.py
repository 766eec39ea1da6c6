"""Designs and assumptions estimated from the logged samples of a run."""

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
    """Design of a run, with the variance components of its answers.

    Args:
        name: Model and effect.
        design: Numbers of clusters, items and answers in the run.
        assumptions: Estimated variance components.
    """

    name: str
    design: PowerDesign
    assumptions: Assumptions


def estimate_design(
    instrument: InstrumentDesign, runs: Sequence[Path], problems: list[SkippedLine]
) -> list[ObservedDesign]:
    """Estimate the design and variance components of runs, per model and subset with a separate effect.

    Generated answers only. Subsets: config (partisan); setting (normative); none (policy); prompt and
    language, both axes together (xphemism); set, question, role and number of articles (selfassess).
    """
    designs = []
    for contributions in instrument.contributions(runs, problems):
        try:
            components = estimate_components(
                contributions.values, contributions.clusters, contributions.items, instrument.lost
            )
            design = PowerDesign(components.clusters, components.items, components.answers)
        except (AnswerTableError, PowerError) as error:
            problems.append(SkippedLine(runs[0], 0, f"{contributions.name}: {error}"))
            continue
        assumptions = Assumptions(
            components.variance, components.icc, components.within_item_icc, instrument.scale, instrument.lost
        )
        designs.append(ObservedDesign(contributions.name, design, assumptions))
    if not designs:
        folders = ", ".join(str(run) for run in runs)
        reason = f" ({problems[-1].problem:.300})" if problems else ""
        raise InputError(
            f"{folders}: found no generated answers to {instrument.name} to estimate from{reason}"
        )
    return designs


def generated_answers(
    runs: Sequence[Path], name: str, problems: list[SkippedLine]
) -> Iterator[tuple[str, Any]]:
    """Yield each model with its generated answers, as the report reads them."""
    for model, answers in read_instrument_answers(runs, name, problems).items():
        if not model.endswith("(log-likelihood)") and len(answers):
            yield model, answers


def center_in_cells(values: Any, cells: Sequence[Any]) -> Any:
    """Return the values minus the mean of their cell."""
    codes = np.unique(np.array([str(cell) for cell in cells]), return_inverse=True)[1]
    means = np.bincount(codes, values) / np.bincount(codes)
    return values - means[codes]


MIN_ANSWERED_SHARE = 1e-9  # share of answers; avoids a division by zero at a nonresponse rate of 1


def binomial_variance(share: float) -> float:
    """Return the variance of an answer that is 1 with this probability, else 0."""
    return share * (1 - share)


def shipped_design(
    name: str,
    variance: Callable[[float, float], float],
    contributions: Callable[[Sequence[Path], list[SkippedLine]], Iterator[EffectContributions]],
    pairs: bool = False,
) -> InstrumentDesign:
    """Return the design of an instrument; its numbers are in ``instruments.yaml``."""
    return InstrumentDesign(name, variance, contributions, pairs=pairs, **read_designs()[name])

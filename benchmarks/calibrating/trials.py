"""From simulated models to the findings that a report would have of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from benchmarks.calibrating.asked import Asked
from benchmarks.calibration_designs import DESIGNS, questions_of
from polbias.eval.report.adjusting import adjust_findings
from polbias.eval.report.document import Finding, Section
from polbias.eval.report.instruments import Settings
from polbias.eval.report.verdicts import verdict
from polbias.eval.simulation import Respondent

Found: TypeAlias = tuple[Finding, ...]
"""The findings of one model, without the contributions of single items."""


def findings(asked: Asked, who: Respondent, seeds: Iterable[int]) -> list[Found]:
    """Return the findings of simulated models, through the code of the report.

    Args:
        asked: the questions.
        who: the respondent.
        seeds: of the models, distinct.
    """
    names = {f"model-{seed:04}": seed for seed in seeds}
    tables = {name: asked.answered(who, seed, name) for name, seed in names.items()}
    by_model: dict[str, list[Finding]] = {name: [] for name in names}
    for finding in asked.module.findings_of(tables, Settings()):
        by_model[finding.respondent].append(replace(finding, scores=None))
    return [tuple(by_model[name]) for name in names]


def trial(instrument: str, design: int, first: int, last: int) -> list[Found]:
    """Return the findings of some models of a design.

    Args:
        instrument: its name.
        design: its number.
        first: number of a model.
        last: number of the model after the last.
    """
    return findings(_questions(instrument), DESIGNS[design].respondent(instrument), range(first, last))


_questions = lru_cache(questions_of)


def established(parts: Sequence[Sequence[Finding]]) -> int:
    """Return how many findings a report would call established.

    Args:
        parts: findings by instrument, of one or several models.
    """
    sections = [
        Section(part[0].instrument, tuple(sorted({each.respondent for each in part})), tuple(part))
        for part in parts
        if part
    ]
    adjusted = adjust_findings(sections, frozenset())
    return sum(verdict(each) == "established" for section in adjusted for each in section.findings)

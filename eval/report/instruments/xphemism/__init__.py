"""X-phemisms (Jakob et al. 2025): factual claims, and the same claims with one word of the other camp."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from polbias.eval.columns import finite
from polbias.eval.report.document import Finding, Notice, Section
from polbias.eval.report.instruments import Settings
from polbias.eval.report.instruments.xphemism.answers import Answers, read_answers
from polbias.eval.report.instruments.xphemism.findings import findings
from polbias.eval.report.instruments.xphemism.rows import COLUMNS, rows
from polbias.eval.report.instruments.xphemism.wording import NAME, say
from polbias.eval.xphemism.analysis import Analysis, analyse
from polbias.eval.xphemism.section import figures
from polbias.eval.xphemism.tables import tables

__all__ = ["COLUMNS", "findings_of", "rows", "section"]


def section(answers: Mapping[str, Any], settings: Settings) -> Section:
    """Analyse the answers.

    Args:
        answers: Respondent to Arrow table.
        settings: Of the report.

    Raises:
        PolbiasError: If a library that the regressions need is not installed.
    """
    everyone = _read(answers)
    analysis = analyse(everyone, settings.seed)
    found = tuple(findings(analysis))
    made = {table.id: table for table in tables(analysis)}
    return Section(
        NAME,
        tuple(each.respondent for each in everyone),
        found,
        tuple(made.values()),
        tuple(figures(found, made)),
        tuple(notice for each in everyone for notice in _notices(each)),
        {each.respondent: _summary(analysis, each) for each in everyone},
    )


def findings_of(answers: Mapping[str, Any], settings: Settings) -> tuple[Finding, ...]:
    """Return the findings of :func:`section` without its tables and figures.

    Args:
        answers: Respondent to Arrow table.
        settings: Of the report.

    Raises:
        PolbiasError: If a library that the regressions need is not installed.
    """
    return tuple(findings(analyse(_read(answers), settings.seed)))


def _read(answers: Mapping[str, Any]) -> list[Answers]:
    return [read_answers(name, answers[name]) for name in sorted(answers)]


def _summary(analysis: Analysis, answers: Answers) -> dict[str, Any]:
    """Leaning and penalty as the family names them, by prompt and language, of one respondent."""
    leanings = [
        {"prompt": each.part.prompt, "instruction_language": each.part.language} | asdict(each.leaning)
        for each in analysis.effects
        if each.part.answers is answers
    ]
    penalties = [
        {"prompt": part.prompt, "instruction_language": part.language} | asdict(each)
        for part, each in analysis.penalties
        if part.answers is answers
    ]
    found: dict[str, Any] = finite({"leaning": leanings, "penalty": penalties})
    return found


def _notices(answers: Answers) -> Iterator[Notice]:
    who = answers.respondent
    if answers.alone:
        yield Notice(who, say("alone", count=answers.alone), say("alone_done"), serious=True)
    if answers.uneven:
        yield Notice(who, say("uneven", count=answers.uneven), say("uneven_done"))
    if answers.repeated:
        yield Notice(who, say("repeated", count=answers.repeated), say("repeated_done"))

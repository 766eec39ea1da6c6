"""Self-assessment (Kennedy et al. 2025): which of its own articles, from opposed sides, a model prefers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from polbias.eval.columns import finite
from polbias.eval.report.document import Finding, Notice, Section
from polbias.eval.report.instruments import Settings
from polbias.eval.report.instruments.selfassess.answers import Answers, read_answers
from polbias.eval.report.instruments.selfassess.findings import OTHER, findings, measure_of
from polbias.eval.report.instruments.selfassess.wording import NAME, say
from polbias.eval.selfassess.analysis import Analysis, analyse
from polbias.eval.selfassess.answers import COLUMNS, rows
from polbias.eval.selfassess.section import figures
from polbias.eval.selfassess.tables import tables

__all__ = ["COLUMNS", "findings_of", "rows", "section"]


def section(answers: Mapping[str, Any], settings: Settings) -> Section:
    """Analyse the answers.

    Args:
        answers: Respondent to Arrow table.
        settings: Of the report.
    """
    everyone = _analysed(answers, settings)
    made = {table.id: table for table in tables(everyone)}
    return Section(
        NAME,
        tuple(each.answers.respondent for each in everyone),
        _findings(everyone),
        tuple(made.values()),
        tuple(figures(everyone, made)),
        tuple(notice for each in everyone for notice in _notices(each.answers)),
        {each.answers.respondent: _summary(each) for each in everyone},
    )


def findings_of(answers: Mapping[str, Any], settings: Settings) -> tuple[Finding, ...]:
    """Return the findings of :func:`section` without its tables and figures.

    Args:
        answers: Respondent to Arrow table.
        settings: Of the report.
    """
    return _findings(_analysed(answers, settings))


def _analysed(answers: Mapping[str, Any], settings: Settings) -> list[Analysis]:
    return analyse([read_answers(name, answers[name]) for name in sorted(answers)], settings.seed)


def _findings(everyone: Sequence[Analysis]) -> tuple[Finding, ...]:
    return tuple(finding for each in everyone for finding in findings(each))


def _summary(analysis: Analysis) -> dict[str, Any]:
    """The bias of every set as a whole, and the shares of every cell as the family names them."""
    sets = [
        {"set": name, "unanswered": whole.bias.unanswered}
        | asdict(whole.bias.estimate)
        | {"p": whole.flip.p_value, "smallest_p": whole.flip.smallest_p}
        for name, whole in analysis.wholes.items()
    ]
    shares = [{**cell.names, **cell.shares, "p": cell.flip.p_value} for cell in analysis.cells]
    found: dict[str, Any] = finite({"sets": sets, "shares": shares})
    return found


def _notices(answers: Answers) -> Iterator[Notice]:
    who = answers.respondent
    if answers.repeated:
        yield Notice(who, say("repeated", count=answers.repeated), say("repeated_done"))
    if answers.articles.n and not answers.judgements.n:
        yield Notice(who, say("articles_only", count=answers.articles.n), say("articles_only_done"))
    for name in answers.sets:
        if measure_of(name) == OTHER:
            yield Notice(who, say("unknown_set", set=name), say("unknown_set_done"))

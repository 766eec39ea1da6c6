"""Deontic and epistemic reasoning (Ozeki et al.), and the selection task that goes with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polbias.eval.normative.answers import rows
from polbias.eval.normative.section import figures
from polbias.eval.normative.tables import entailment_tables
from polbias.eval.report.document import Finding, Section
from polbias.eval.report.instruments import Settings
from polbias.eval.report.instruments.normative.answers import Respondent, respondents
from polbias.eval.report.instruments.normative.findings import findings, notices
from polbias.eval.report.instruments.normative.selection import selection_tables
from polbias.eval.report.instruments.normative.wide import effect_tables

__all__ = ["COLUMNS", "findings_of", "rows", "section"]

COLUMNS: Mapping[str, str] = {
    **dict.fromkeys(("domain", "reasoning", "prompt_style", "pattern", "content_type"), "string"),
    **dict.fromkeys(("gold_sdl", "consistency_ids", "polarity", "card_roles", "paper_label"), "string"),
    "label_mass": "double",
}
"""``reasoning`` is logic, syllogism or selection; ``paper_label`` what the published parser reads; lists are
joined (``consistency_ids`` by semicolons, ``card_roles`` by commas); ``label_mass`` is that of
log-likelihoods."""


def section(answers: Mapping[str, Any], settings: Settings) -> Section:
    """Analyse the answers.

    Args:
        answers: respondent to Arrow table.
        settings: of the report; nothing is drawn here.
    """
    asked = respondents(answers)
    found = _findings(asked)
    tables = (
        *entailment_tables(asked),
        *effect_tables(found, asked),
        *selection_tables(asked),
        *entailment_tables([one for one in asked if one.method == "generated"], "paper"),
    )
    return Section(
        instrument="normative",
        respondents=tuple(one.name for one in asked),
        findings=found,
        tables=tables,
        figures=figures(asked, found, tables),
        notices=notices(asked, found),
        summary={one.name: _summary(one) for one in asked},
    )


def findings_of(answers: Mapping[str, Any], settings: Settings) -> tuple[Finding, ...]:
    """Return the findings of :func:`section` without its tables and figures.

    Args:
        answers: respondent to Arrow table.
        settings: of the report; nothing is drawn here.
    """
    return _findings(respondents(answers))


def _findings(asked: Sequence[Respondent]) -> tuple[Finding, ...]:
    return tuple(each for one in asked for each in findings(one))


def _summary(one: Respondent) -> dict[str, Any]:
    """What the family's own summaries say, as far as there is something to say."""
    return {"entailment": one.summary, "selection": one.selection_summary}

"""The section on partisan inferences, and its parts."""

from __future__ import annotations

from typing import Any

import pandas as pd

from polbias.eval.partisan.section import build_section
from polbias.eval.report.document import Finding, ReportTable, Section
from polbias.eval.report.reporter import ReportSettings
from tests.support.figures import findings_alone

CONTROL = ("en_control_formal", "en_control_material")
VALID, INVALID, REFUSAL = "**valid**", "**invalid**", "I can't answer that."


def report(**answers: pd.DataFrame) -> Section:
    return build_section(answers, ReportSettings())


def quick(**answers: pd.DataFrame) -> Section:
    return findings_alone("partisan", answers)


def headline(found: Section, name: str = "m", measure: str = "bias") -> Finding:
    """The bias that stands for a respondent, or another headline by the end of its measure."""
    (only,) = [
        each
        for each in found.findings
        if each.headline and each.measure.endswith(measure) and each.respondent == name
    ]
    return only


def whole(found: Section, measure: str) -> Finding:
    (only,) = [each for each in found.findings if each.measure == measure and not each.key]
    return only


def table(found: Section, id: str) -> ReportTable:
    return next(each for each in found.tables if each.id == id)


def row(found: Section, id: str, **labels: Any) -> dict[str, Any]:
    (only,) = [
        each for each in table(found, id).rows if all(each[name] == value for name, value in labels.items())
    ]
    return dict(only)


def config(answers: pd.DataFrame, *names: str) -> pd.DataFrame:
    return answers[answers["config"].isin(names)]

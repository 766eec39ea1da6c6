"""The section on policy statements, and its parts."""

from __future__ import annotations

import pandas as pd

from polbias.eval.policy.analysis import estimates, iter_findings, notices
from polbias.eval.policy.answers import ISSUES
from polbias.eval.policy.respondent import read_answers
from polbias.eval.policy.section import build_section
from polbias.eval.report.document import Finding, ReportTable, Section
from polbias.eval.report.reporter import ReportSettings
from tests.support.policy_samples import LEFT_ISSUES

LEFT = dict.fromkeys(ISSUES, 0) | LEFT_ISSUES


def report(*tables: pd.DataFrame, settings: ReportSettings | None = None) -> Section:
    answers = {str(table["model"].iloc[0]): table for table in tables}
    return build_section(answers, settings or ReportSettings())


def quick(*tables: pd.DataFrame) -> Section:
    """Findings and notices, without tables and figures."""
    held = {str(table["model"].iloc[0]): read_answers(table) for table in tables}
    return Section(
        "policy",
        (*held,),
        tuple(each for name, answers in held.items() for each in iter_findings(name, estimates(*answers))),
        notices=tuple(each for name, answers in held.items() for each in notices(name, *answers)),
    )


def finding(found: Section, measure: str = "leaning", key: str = "", name: str = "m") -> Finding:
    (one,) = [
        each for each in found.findings if (each.respondent, each.measure, each.key) == (name, measure, key)
    ]
    return one


def table_of(found: Section, id_: str, mode: str = "corrected") -> ReportTable:
    (one,) = [table for table in found.tables if (table.id, table.mode) == (id_, mode)]
    return one

"""Averaged runs of one respondent: their number, and the deviation of estimates between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import stdev

import pandas as pd

from polbias.eval.report.document import Finding, Notice, Section
from polbias.eval.report.reporter import Reporter, ReportSettings
from polbias.eval.report.wording import report_words

# The mean over runs needs no analysis of its own: the answers of all runs are answers to the same prompts, in
# the same clusters. Only the deviation between runs needs the estimates of single runs.


def add_runs(
    section: Section, reporter: Reporter, answers: Mapping[str, pd.DataFrame], settings: ReportSettings
) -> Section:
    """Return a section whose findings have the number of runs and the deviation between runs.

    If the tasks of a respondent have different numbers of runs, the smallest number counts, with a notice.
    """
    findings = section.findings
    notices = [*section.notices]
    for respondent, outcomes in answers.items():
        n_runs = _count_runs(outcomes)
        if max(n_runs, default=1) == 1:
            continue
        if min(n_runs) < max(n_runs):
            wordings = report_words().notices
            text = wordings["uneven_runs"].format(lowest=min(n_runs), highest=max(n_runs))
            notices.append(Notice(respondent, text, wordings["all_runs_count"]))
        findings = tuple(_add_deviations(findings, respondent, outcomes, min(n_runs), reporter, settings))
    return replace(section, findings=findings, notices=tuple(notices))


def _count_runs(outcomes: pd.DataFrame) -> list[int]:
    """Return the number of runs of each task."""
    return [int(n) for n in outcomes.groupby("task", observed=True)["run"].nunique()]


def _add_deviations(
    findings: Sequence[Finding],
    respondent: str,
    outcomes: pd.DataFrame,
    n_runs: int,
    reporter: Reporter,
    settings: ReportSettings,
) -> Iterator[Finding]:
    values_by_finding: dict[tuple[str, str], list[float]] = {}
    for run in range(n_runs):
        run_outcomes = outcomes[outcomes["run"] == run].reset_index(drop=True)
        for finding in reporter.build_findings({respondent: run_outcomes}, settings):
            if finding.estimate.value is not None:
                values = values_by_finding.setdefault((finding.measure, finding.key), [])
                values.append(finding.estimate.value)
    for finding in findings:
        if finding.respondent != respondent:
            yield finding
            continue
        values = values_by_finding.get((finding.measure, finding.key), [])
        deviation = stdev(values) if len(values) == n_runs > 1 else None
        yield replace(finding, runs=n_runs, run_deviation=deviation)

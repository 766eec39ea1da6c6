"""summary.json: what a report found, for programs; keys are stable within a schema version.

The schema is ``templates/report/summary.schema.json``; what the keys mean stands in docs/report.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from polbias.aliases import Document, Json
from polbias.eval.columns import finite
from polbias.eval.report.document import Comparison, Estimate, Finding, Report
from polbias.eval.report.verdicts import verdict

SCHEMA = "polbias.report/2"


def summary(report: Report) -> Json:
    """Return what goes into summary.json.

    Args:
        report: with adjusted p-values.

    Returns:
        Plain values; percentage points for every finding and comparison, None where something cannot be
        computed. Keys: schema, polbias, seed, respondents, sources, notices, findings, comparisons,
        instruments (what the family's own summary says, by instrument and respondent).
    """
    made: Json = {
        "schema": SCHEMA,
        "polbias": report.version,
        "seed": report.seed,
        "respondents": [asdict(each) for each in report.respondents],
        "sources": [asdict(each) for each in report.sources],
        "notices": [asdict(each) for each in report.notices],
        "findings": finding_records(report.findings),
        "comparisons": comparison_records(report.comparisons),
        "instruments": {section.instrument: section.summary for section in report.sections},
    }
    return {key: finite(value) for key, value in made.items()}


def summary_text(report: Report) -> str:
    """Return summary.json as text."""
    return json.dumps(summary(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def finding_records(findings: Sequence[Finding]) -> list[Json]:
    """Return findings as flat records, the same in summary.json and findings.csv."""
    return [
        {
            "instrument": each.instrument,
            "respondent": each.respondent,
            "measure": each.measure,
            "key": each.key,
            "about": each.about,
            "headline": each.headline,
            "verdict": verdict(each),
            **numbers(each.estimate),
            "p_holm": each.p_holm,
            "p_bh": each.p_bh,
            "smallest_p": each.smallest_p,
            "bound_low": each.bounds[0] if each.bounds else None,
            "bound_high": each.bounds[1] if each.bounds else None,
            "refusal_gap": each.refusal_gap.value if each.refusal_gap else None,
            "refusal_gap_low": each.refusal_gap.low if each.refusal_gap else None,
            "refusal_gap_high": each.refusal_gap.high if each.refusal_gap else None,
        }
        for each in findings
    ]


def comparison_records(comparisons: Sequence[Comparison]) -> list[Json]:
    """Return comparisons as flat records, the same in summary.json and comparisons.csv."""
    return [
        {
            "instrument": each.instrument,
            "measure": each.measure,
            "key": each.key,
            "about": each.about,
            "first": each.first,
            "second": each.second,
            "verdict": verdict(each),
            **{
                name: value
                for name, value in numbers(each.estimate).items()
                if name in ("value", "low", "high", "n", "clusters", "p", "state", "discordant", "limit")
            },
            "p_holm": each.p_holm,
            "p_bh": each.p_bh,
            "smallest_p": each.smallest_p,
        }
        for each in comparisons
    ]


def numbers(estimate: Estimate) -> Json:
    """Return the fields of an estimate, not-a-number as None."""
    made: Document = finite(asdict(estimate))
    return dict(made)

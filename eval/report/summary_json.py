"""`summary.json`: the findings of a report for programs; keys are stable within a schema version.

The schema is ``templates/report/summary.schema.json``; docs/report.md explains the keys.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from polbias.aliases import Json
from polbias.eval.answer_frames import codes_of, count_levels
from polbias.eval.report.document import (
    Comparison,
    Estimate,
    Finding,
    MetricDifference,
    Report,
    replace_non_finite,
)
from polbias.eval.report.verdicts import doubts, significant, verdict
from polbias.eval.variance_components import crossed_components

SCHEMA = "polbias.report/5"
_ADJUSTED_FIELDS = ("p_holm", "p_bh")
_EXCESS_FIELDS = ("low", "high", "low_end", "high_end")
_RUN_FIELDS = ("p_flip", "equivalent", "means", "missing")
_ESTIMATE_FIELDS = ("value", "low", "high", "n", "clusters", "p", "state", "discordant", "pairs", "limit")


def summary(report: Report) -> Json:
    """Return the content of summary.json."""
    document: Json = {
        "schema": SCHEMA,
        "polbias": report.version,
        "seed": report.seed,
        "margin": report.margin,
        "respondents": [asdict(respondent) for respondent in report.respondents],
        "sources": [asdict(source) for source in report.sources],
        "notices": [asdict(notice) for notice in report.notices],
        "findings": finding_records(report.findings),
        "comparisons": comparison_records(report.comparisons),
        "instruments": {
            section.instrument: section.summary for section in report.sections if section.summary
        },
    }
    return {key: replace_non_finite(value) for key, value in document.items()}


def summary_text(report: Report) -> str:
    """Return summary.json as text."""
    return json.dumps(summary(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def finding_records(findings: Sequence[Finding]) -> list[Json]:
    """Return findings as flat records of summary.json and findings.csv."""
    return [
        _select_fields(finding, "instrument", "respondent", "measure", "key", "part_label", "headline")
        | {"verdict": verdict(finding)}
        | estimate_fields(finding.estimate)
        | _select_fields(finding, *_ADJUSTED_FIELDS, "p_flip", "smallest_p", "equivalent")
        | _select_fields(finding, "runs", "run_deviation")
        | {"doubts": list(doubts(finding)) if significant(finding) else []}
        | _interval_fields("latent", finding.latent)
        | {f"excess_{name}": getattr(finding.excess, name, None) for name in _EXCESS_FIELDS}
        | dict(zip(("bound_low", "bound_high"), finding.bounds or (None, None), strict=True))
        | _interval_fields("accuracy", finding.accuracy)
        | _select_fields(finding, "attainable")
        | _interval_fields("refusal_gap", finding.refusal_gap)
        for finding in findings
    ]


def variance_component_records(findings: Iterable[Finding]) -> Iterator[Json]:
    """Yield the variance components of the headlines' contributions: clusters, crossed factors, items."""
    for finding in findings:
        if not finding.headline or finding.scores is None:
            continue
        answered = np.isfinite(finding.scores.values)
        values, n_answered = finding.scores.values[answered], int(np.count_nonzero(answered))
        if not n_answered or np.ptp(values) == 0:
            continue
        factors = {"clusters": finding.scores.clusters, **finding.scores.factors}
        factors = {name: codes_of(factor)[answered] for name, factor in factors.items()}
        levels = {name: count_levels(factor) for name, factor in factors.items()}
        varying = {name: factors[name] for name, size in levels.items() if 1 < size < n_answered}
        variance_by_source = crossed_components(values, varying)
        for source, variance in variance_by_source.items():
            yield _select_fields(finding, "instrument", "respondent", "measure") | {
                "source": source,
                "levels": levels.get(source, n_answered),
                "deviation": math.sqrt(variance),
                "share": variance / sum(variance_by_source.values()),
            }


def _interval_fields(name: str, estimate: Estimate | None) -> Json:
    suffixes = (("", "value"), ("_low", "low"), ("_high", "high"))
    return {f"{name}{end}": getattr(estimate, field, None) for end, field in suffixes}


def comparison_records(comparisons: Sequence[Comparison]) -> list[Json]:
    """Return comparisons as flat records of summary.json and comparisons.csv."""
    return [
        _select_fields(comparison, "instrument", "measure", "key", "part_label", "first", "second")
        | {"verdict": verdict(comparison)}
        | replace_non_finite(_select_fields(comparison.estimate, *_ESTIMATE_FIELDS))
        | _select_fields(comparison, *_ADJUSTED_FIELDS)
        | (
            _select_fields(comparison, *_RUN_FIELDS)
            if isinstance(comparison, MetricDifference)
            else _respondent_fields(comparison)
        )
        for comparison in comparisons
    ]


def _respondent_fields(comparison: Comparison) -> Json:
    """Return the fields that only comparisons of respondents have."""
    low, high = comparison.excess or (None, None)
    return _interval_fields("latent", comparison.latent) | {
        "excess_low": low,
        "excess_high": high,
        "unanswered": list(comparison.unanswered),
    }


def _select_fields(record: Any, *names: str) -> Json:
    return {name: getattr(record, name) for name in names}


def estimate_fields(estimate: Estimate) -> Json:
    """Return the fields of an estimate, NaN as None."""
    return {name: replace_non_finite(getattr(estimate, name)) for name in Estimate.__dataclass_fields__}

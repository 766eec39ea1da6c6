"""`summary.json`: the findings of a report, for programs; keys are stable within a schema version.

The schema is ``templates/report/summary.schema.json``; docs/report.md has the meaning of the keys.
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
from polbias.eval.report.document import Comparison, Estimate, Finding, MetricDifference, Report, finite
from polbias.eval.report.verdicts import doubts, significant, verdict
from polbias.eval.variance_components import crossed_components

SCHEMA = "polbias.report/5"
_ADJUSTED = ("p_holm", "p_bh")
_EXCESS = ("low", "high", "low_end", "high_end")
_OF_RUNS = ("p_flip", "equivalent", "means", "missing")
_COMPARED = ("value", "low", "high", "n", "clusters", "p", "state", "discordant", "pairs", "limit")


def summary(report: Report) -> Json:
    """Return what goes into summary.json."""
    made: Json = {
        "schema": SCHEMA,
        "polbias": report.version,
        "seed": report.seed,
        "margin": report.margin,
        "respondents": [asdict(each) for each in report.respondents],
        "sources": [asdict(each) for each in report.sources],
        "notices": [asdict(each) for each in report.notices],
        "findings": finding_records(report.findings),
        "comparisons": comparison_records(report.comparisons),
        "instruments": {
            section.instrument: section.summary for section in report.sections if section.summary
        },
    }
    return {key: finite(value) for key, value in made.items()}


def summary_text(report: Report) -> str:
    """Return summary.json as text."""
    return json.dumps(summary(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def finding_records(findings: Sequence[Finding]) -> list[Json]:
    """Return findings as flat records, the same in summary.json and findings.csv."""
    return [
        _named(each, "instrument", "respondent", "measure", "key", "part_label", "headline")
        | {"verdict": verdict(each)}
        | numbers(each.estimate)
        | _named(each, *_ADJUSTED, "p_flip", "smallest_p", "equivalent")
        | {"doubts": list(doubts(each)) if significant(each) else []}
        | _ends("latent", each.latent)
        | {f"excess_{name}": getattr(each.excess, name, None) for name in _EXCESS}
        | dict(zip(("bound_low", "bound_high"), each.bounds or (None, None), strict=True))
        | _ends("accuracy", each.accuracy)
        | _named(each, "attainable")
        | _ends("refusal_gap", each.refusal_gap)
        for each in findings
    ]


def variance_component_records(findings: Iterable[Finding]) -> Iterator[Json]:
    """Yield how the contributions to every headline vary: over clusters, over what is crossed, over items."""
    for each in findings:
        if not each.headline or each.scores is None:
            continue
        answered = np.isfinite(each.scores.values)
        values, count = each.scores.values[answered], int(np.count_nonzero(answered))
        if not count or np.ptp(values) == 0:
            continue
        factors = {"clusters": each.scores.clusters, **each.scores.factors}
        factors = {name: codes_of(factor)[answered] for name, factor in factors.items()}
        levels = {name: count_levels(factor) for name, factor in factors.items()}
        varied = {name: factors[name] for name, size in levels.items() if 1 < size < count}
        found = crossed_components(values, varied)
        for source, variance in found.items():
            yield _named(each, "instrument", "respondent", "measure") | {
                "source": source,
                "levels": levels.get(source, count),
                "deviation": math.sqrt(variance),
                "share": variance / sum(found.values()),
            }


def _ends(name: str, found: Estimate | None) -> Json:
    ends = (("", "value"), ("_low", "low"), ("_high", "high"))
    return {f"{name}{end}": getattr(found, field, None) for end, field in ends}


def comparison_records(comparisons: Sequence[Comparison]) -> list[Json]:
    """Return comparisons as flat records, the same in summary.json and comparisons.csv."""
    return [
        _named(each, "instrument", "measure", "key", "part_label", "first", "second")
        | {"verdict": verdict(each)}
        | finite(_named(each.estimate, *_COMPARED))
        | _named(each, *_ADJUSTED)
        | (_named(each, *_OF_RUNS) if isinstance(each, MetricDifference) else _of_respondents(each))
        for each in comparisons
    ]


def _of_respondents(comparison: Comparison) -> Json:
    """What a comparison of respondents has beside one of runs."""
    low, high = comparison.excess or (None, None)
    return _ends("latent", comparison.latent) | {
        "excess_low": low,
        "excess_high": high,
        "unanswered": list(comparison.unanswered),
    }


def _named(found: Any, *names: str) -> Json:
    return {name: getattr(found, name) for name in names}


def numbers(estimate: Estimate) -> Json:
    """Return the fields of an estimate, not-a-number as None."""
    return {name: finite(getattr(estimate, name)) for name in Estimate.__dataclass_fields__}

"""The figures of the policy statements (Ceron et al. 2024): tests passed, leanings, worldview."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from polbias.eval.figures import Bar, Caption, Web, bars, spider
from polbias.eval.policy.robustness import TESTS
from polbias.eval.policy.summary import leaning_data, spider_data

Summaries = Mapping[str, Mapping[str, Any]]
"""Name of a model to what :func:`polbias.eval.policy.summary.policy_summary` returned for it."""

LEANINGS = {"left": "left", "center": "neutral", "right": "right"}
"""Leaning of parties to the role of its colour."""
NOT_TESTED = "not tested"
"""What stands where a test that is needed was not asked."""


def tests_figure(summaries: Summaries, language: str) -> str:
    """Draw the share of statements that pass each reliability test (Figure 3).

    Args:
        summaries: by model.
        language: of the statements, such as "en".

    Returns:
        The text of an ``<svg>`` element.
    """
    rows = []
    for name in (*TESTS, "all"):
        own = [
            Bar(name.replace("_", " "), model, *_percent(each, "passed"))
            for model, summary in summaries.items()
            for each in summary["tests"]
            if each["language"] == language and each["test"] == name
        ]
        if all(math.isnan(bar.value) for bar in own):
            own = [replace(bar, group=_untested(bar.group)) for bar in own]
        rows += own
    caption = Caption(
        f"policy-tests-{language}", "Reliability tests passed", _described(rows, "% of statements")
    )
    return bars(rows, caption, "statements that pass (%)")


def leaning_figure(summaries: Summaries, language: str, published: bool = False) -> str:
    """Draw how well answers match parties of each leaning, beside the constant respondents (Figure 4).

    Args:
        summaries: by model; made with party positions.
        language: of the statements.
        published: whether to draw the paper's percentages with their deviation over templates, instead of the
            balanced match with its interval.

    Returns:
        The text of an ``<svg>`` element.
    """
    drawn: dict[tuple[str, str], Bar] = {}
    for model, summary in summaries.items():
        for each in leaning_data(dict(summary)):
            if each["language"] != language or each["answers"] != "all" or each["leaning"] not in LEANINGS:
                continue
            name = model if each["respondent"] == "model" else each["respondent"]
            if each["value"] is None and each["percent"] is None:
                name = _untested(name)
            value, low, high = (_number(each[key]) for key in ("value", "low", "high"))
            if published:
                value, spread = _number(each["percent"]), _number(each["percent_deviation"])
                low, high = value - spread, value + spread
            drawn[name, each["leaning"]] = Bar(name, each["leaning"], value, low, high)
    order = (
        "alwaysAgree",
        "alwaysDISagree",
        *(name for model in summaries for name in (model, _untested(model))),
    )
    rows = [bar for name in order for (group, _), bar in drawn.items() if group == name]
    unit = "same answers (%)" if published else "balanced match (1: the same, -1: opposed)"
    kind = "published" if published else "balanced"
    caption = Caption(
        f"policy-leanings-{kind}-{language}", f"Match with parties, {kind}", _described(rows, unit)
    )
    return bars(rows, caption, unit, LEANINGS, reference=None if published else 0.0)


def spider_figure(summaries: Summaries, language: str, titles: Mapping[str, str] | None = None) -> str:
    """Draw the worldviews as a spider web (Figure 5), in the form that is balanced for acquiescence.

    Args:
        summaries: by model.
        language: of the statements.
        titles: policy issue to what is written at its spoke; by default its name.

    Returns:
        The text of an ``<svg>`` element.
    """
    points = {
        model: [each for each in spider_data(dict(summary)) if each["language"] == language]
        for model, summary in summaries.items()
    }
    issues = list(dict.fromkeys(each["issue"] for own in points.values() for each in own))
    spokes = [(titles or {}).get(issue, issue.replace("_", " ").capitalize()) for issue in issues]
    webs = []
    for model, own in points.items():
        by_issue = {each["issue"]: each for each in own}
        found = [by_issue.get(issue, {}) for issue in issues]
        values, low, high = ([_number(each.get(key)) for each in found] for key in ("value", "low", "high"))
        name = _untested(model) if all(map(math.isnan, values)) else model
        webs.append(Web(name, values, low, high, [bool(each.get("dot")) for each in found]))
    told = "; ".join(
        web.name
        if all(map(math.isnan, web.values))
        else f"{web.name}: "
        + ", ".join(f"{spoke} {value:+.2f}" for spoke, value in zip(spokes, web.values, strict=True))
        for web in webs
    )
    note = "1: every answer supports the policy, -1: opposes it, 0: no stance. Hollow: few answers."
    return spider(spokes, webs, Caption(f"policy-worldview-{language}", "Worldview", f"{note} {told}."))


def _untested(name: str) -> str:
    return f"{name}: {NOT_TESTED}"


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _percent(entry: Mapping[str, Any], key: str) -> tuple[float, float, float]:
    value, low, high = (100 * _number(entry[name]) for name in (key, "low", "high"))
    return value, low, high


def _described(rows: list[Bar], unit: str) -> str:
    told = (
        f"{row.group}, {row.series}{'' if math.isnan(row.value) else f' {row.value:.3g}'}" for row in rows
    )
    return f"In {unit}: {'; '.join(told)}."

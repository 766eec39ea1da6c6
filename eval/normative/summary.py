"""What a report says about one model on the normative dataset, as plain values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from polbias.aliases import Json
from polbias.eval.accuracy import accuracy, counts
from polbias.eval.columns import Level, crossed, finite
from polbias.eval.normative.effects import (
    carried_effect,
    consistency,
    content_effect,
    content_support,
    disjunction_readings,
    domain_effect,
    domain_support,
)
from polbias.eval.normative.schema import Judged, Judgements
from polbias.eval.statistics import cluster_interval, holm

TYPES = ("congruent", "incongruent", "nonsense")
SETTING = ("domain", "task", "prompt_style")
"""The columns that tell apart what is never pooled."""


def normative_summary(rows: Judged) -> Json:
    """Tables of accuracy, effects, consistency and readings for one model on any of the entailment configs.

    Source:
        Ozeki et al., section 5 and appendix C.
    """
    table = Judgements.of(rows)
    tally = asdict(counts(table)[0])
    names = {"valid": "entailment", "invalid": "non-entailment"}
    settings = [*_settings(table)]
    effects = [*_effects(table, settings)]
    adjusted = holm([each["p_value"] if each["outcome"] == "correct" else math.nan for each in effects])
    summary = {
        "n": table.n,
        "counts": {names.get(name, name): tally[name] for name in tally if name not in ("cell", "n")},
        "accuracy": [setting | _accuracy(part) for setting, part in settings],
        "patterns": [setting | row for setting, part in settings for row in _patterns(part)],
        "content_types": [
            setting
            | {str(cell.cell["content_type"]): cell.accuracy for cell in accuracy(part, "content_type")}
            for setting, part in settings
        ],
        "effects": [each | {"p_holm": p} for each, p in zip(effects, adjusted, strict=True)],
        "consistency": [
            setting | asdict(each)
            for setting, part in settings
            if part.consistency_ids is not None
            for each in consistency(part)
        ],
        "disjunctions": [
            setting | asdict(each)
            for setting, part in settings
            if part.gold_sdl is not None
            for each in disjunction_readings(part)
        ],
    }
    return {key: finite(value) for key, value in summary.items()}


def _settings(
    table: Judgements, wanted: Sequence[str] = SETTING
) -> Iterator[tuple[dict[str, Level], Judgements]]:
    """Yield each combination of some columns, as far as the table has them, with the rows in it."""
    names = table.present(wanted)
    if not names:
        yield {}, table
        return
    present, index = crossed([table.factor(name) for name in names])
    for number, values in enumerate(present):
        yield dict(zip(names, values, strict=True)), table.select(index == number)


def _accuracy(part: Judgements) -> Json:
    cell = accuracy(part)[0]
    row = asdict(cluster_interval(part.correct, part.factor("cluster_id"), bounds=(0.0, 1.0)))
    silent = {name: getattr(cell, name) for name in ("refusals", "unparsable", "truncated")}
    row |= {name: count / cell.n if cell.n else math.nan for name, count in silent.items()}
    return row | ({} if part.gold_sdl is None else {"acc_sdl": _mean(part.label == part.gold_sdl)})


def _patterns(part: Judgements) -> Iterator[Json]:
    """Yield a row of Tables 12 to 15 per pattern: valid ones first, types in columns."""
    cells: dict[tuple[Level, Level], dict[Level, float]] = {}
    for cell in accuracy(part, ("gold", "pattern", "content_type")):
        found = cells.setdefault((cell.cell["gold"], cell.cell["pattern"]), {})
        found[cell.cell["content_type"]] = cell.accuracy
    means = {(cell.cell["gold"], cell.cell["pattern"]): cell for cell in accuracy(part, ("gold", "pattern"))}
    for (gold, pattern), found in sorted(
        cells.items(), key=lambda each: (each[0][0] != "entailment", each[0])
    ):
        mean = means[gold, pattern]
        types = {kind: found.get(kind, math.nan) for kind in TYPES}
        yield {"gold": gold, "pattern": pattern, **types, "average": mean.accuracy, "n": mean.n}


def _effects(table: Judgements, settings: Sequence[tuple[dict[str, Level], Judgements]]) -> Iterator[Json]:
    """Yield the content effects of every setting and the domain effects of every task and style."""
    shared = [*_settings(table, SETTING[1:])] if table.present(["domain"]) else []
    for outcome in ("correct", "unanswered"):
        found = [
            (setting, f"congruent - {low}", content_effect(part, low=low, outcome=outcome), carried)
            for setting, part in settings
            for low in TYPES[1:]
            for carried in [content_support(part, low=low)]
        ]
        found += [
            (setting, "deontic - epistemic", domain_effect(part, outcome=outcome), domain_support(part))
            for setting, part in shared
        ]
        for setting, name, each, carried in found:
            if each.cells:
                state = carried.state if outcome == "correct" else None
                yield setting | {"effect": name, "outcome": outcome} | carried_effect(each, state)


def _mean(values: Any) -> float:
    return float(np.mean(values)) if np.size(values) else math.nan

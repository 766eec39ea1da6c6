"""Choices in the selection task, and how disjunctions are read, as plain values."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict
from typing import Any

import numpy as np

from polbias.aliases import Json
from polbias.eval.columns import SILENT, OutcomesError, crossed, finite
from polbias.eval.normative.effects import (
    carried_effect,
)
from polbias.eval.normative.schema import ROLES, Judged, Judgements, Selected, Selections
from polbias.eval.normative.wason import selection_effect, selection_support
from polbias.eval.statistics import cluster_interval, holm
from polbias.intervals import wilson_interval


def _mean(values: Any) -> float:
    return float(np.mean(values)) if np.size(values) else math.nan


_SIGNED = ("matching_index", "logic_index")  # in [-1, 1]


def wason_summary(rows: Selected) -> Json:
    """Tables of choices for one model in the selection task.

    The scores of a cell are of the answers that name cards, those of the whole of all answers.
    """
    table = Selections.of(rows)
    if not table.n:
        raise OutcomesError("rows: found none, expected choices of cards")
    contents = table.factor("cluster_id")
    scores = {
        "accuracy": table.correct,
        "card_accuracy": table.card_accuracy,
        "matching": table.matching,
        "matching_index": table.matching_index,
        "logic_index": table.logic_index,
    }
    design = [name for name in ("domain", "content_type", "polarity") if name in table.factors]
    present, index = crossed([table.factor(name) for name in design])
    answered = table.silent < 0
    cells = [
        dict(zip(design, cell, strict=True))
        | {"n": int((index == number).sum()), "unanswered": _mean(~answered[index == number])}
        | {name: _mean(values[answered & (index == number)]) for name, values in scores.items()}
        for number, cell in enumerate(present)
    ]
    effects = [
        carried_effect(selection_effect(table, *levels), selection_support(table, *levels))
        for levels in ((), ("domain", "deontic", "epistemic"))
    ]
    adjusted = holm([each["p_value"] for each in effects])
    named = zip(("content_type", "domain"), effects, adjusted, strict=True)
    summary = {
        "n": table.n,
        **{name: float((table.silent == code).mean()) for code, name in enumerate(SILENT)},
        **{
            name: asdict(cluster_interval(values, contents, bounds=(-float(name in _SIGNED), 1.0)))
            for name, values in scores.items()
        },
        "cells": cells,
        "selected": {role: float(table.chosen[table.role == code].mean()) for code, role in enumerate(ROLES)},
        "choices": choice_shares(table),
        "effects": [{"compared": name} | each | {"p_holm": p} for name, each, p in named],
    }
    return {key: finite(value) for key, value in summary.items()}


def choice_shares(table: Selections) -> dict[str, float]:
    """Share of each set of roles among all rows, the most frequent first."""
    sets: dict[str, int] = {}
    for chosen, roles, silent in zip(table.chosen, table.role, table.silent.tolist(), strict=True):
        said = [ROLES[role] for role in sorted(roles[chosen].tolist())]
        name = SILENT[silent] if silent >= 0 else " + ".join(said) or "none"
        sets[name] = sets.get(name, 0) + 1
    ordered = sorted(sets.items(), key=lambda each: (-each[1], each[0]))
    return {name: count / table.n for name, count in ordered}


READINGS = ("paper", "sdl", "mixed", "unanswered")
"""What the answers about a content of a disjunction come to."""


def disjunction_readings(rows: Judged) -> list[Json]:
    """How contents are answered in the patterns in which the paper and standard deontic logic differ.

    A row for the contents with the same patterns in a style of prompts: their number, and the shares, with
    Wilson's interval, of those that are answered as the paper has it in all patterns ("or" offers a choice),
    as standard deontic logic has it ("or" is inclusive), in one way here and in another there, or with an
    answer that is no judgement.

    Source:
        Ozeki et al., sections 2.1 and 5.2; the four shares add up to 1.
    """
    whole = Judgements.of(rows)
    if whole.gold_sdl is None:
        raise OutcomesError("column 'gold_sdl': missing, expected the verdict of standard deontic logic")
    table = whole.select(whole.gold != whole.gold_sdl)
    pattern, styles = (
        table.factor("pattern"),
        [table.factor(name) for name in table.present(["prompt_style"])],
    )
    cells, index = crossed([table.factor("cluster_id"), *styles])
    groups: dict[tuple[str | None, tuple[str, ...]], Counter[str]] = {}
    for number, (_, *style) in enumerate(cells):
        members = index == number
        patterns = tuple(sorted({*pattern.select(members).names}))
        key = (str(style[0]) if style else None, patterns)
        groups.setdefault(key, Counter())[_reading(table.select(members))] += 1
    return [
        {"patterns": patterns, "prompt_style": style, "contents": found.total()}
        | {name: _share(found[name], found.total()) for name in READINGS}
        for (style, patterns), found in sorted(
            groups.items(), key=lambda each: (each[0][0] or "", each[0][1])
        )
    ]


def _share(count: int, total: int) -> Json:
    low, high = wilson_interval(count, total)
    return {"estimate": count / total, "low": float(low), "high": float(high)}


def _reading(table: Judgements) -> str:
    if not table.answered.all():
        return "unanswered"
    return "paper" if table.correct.all() else "mixed" if table.correct.any() else "sdl"

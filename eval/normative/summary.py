"""What a report says about one model on the normative dataset, as plain values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from polbias.aliases import Json
from polbias.eval.accuracy import AccuracyCell, accuracy, counts
from polbias.eval.columns import SILENCES, SILENT, Level, OutcomesError, crossed, finite
from polbias.eval.normative.effects import (
    carried_effect,
    consistency,
    contents_compared,
    domains_compared,
)
from polbias.eval.normative.schema import ROLES, Judged, Judgements, Selected, Selections
from polbias.eval.normative.wason import selection_effect, selection_support
from polbias.eval.statistics import cluster_interval, holm
from polbias.intervals import wilson_interval

TYPES = ("congruent", "incongruent", "nonsense")
SETTING = ("domain", "task", "prompt_style")
"""The columns that tell apart what is never pooled."""


def normative_summary(rows: Judged) -> Json:
    """Tables of accuracy, effects, consistency and readings for one model on any of the entailment configs.

    Accuracy by setting is of all answers, of which one without a verdict is not right; by type and pattern,
    and in effects, it is of the answers with a verdict.

    Source:
        Ozeki et al., section 5 and appendix C.
    """
    table = Judgements.of(rows)
    tally = counts(table)
    settings = [*_settings(table)]
    effects = [*_effects(table, settings)]
    adjusted = holm([each["p_value"] if each["outcome"] == "correct" else math.nan for each in effects])
    summary = {
        "n": table.n,
        "counts": {name: tally[name] for name in tally if name != "n"},
        "accuracy": [setting | _accuracy(part) for setting, part in settings],
        "patterns": [setting | row for setting, part in settings for row in _patterns(part)],
        "content_types": [
            setting | _types({cell.cell["content_type"]: cell for cell in accuracy(part, "content_type")})
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
            setting | each
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
    silent = {name: getattr(cell, name) for name in SILENCES}
    row |= {name: count / cell.n if cell.n else math.nan for name, count in silent.items()}
    return row | ({} if part.gold_sdl is None else {"acc_sdl": _mean(part.label == part.gold_sdl)})


def _types(cells: Mapping[Level, AccuracyCell]) -> Json:
    """Accuracy by type among the answers with a verdict, and the share of those without."""
    found: Json = {str(kind): _right(cell) for kind, cell in cells.items()}
    return found | {f"{kind}_unanswered": _silent(cell) / cell.n for kind, cell in cells.items()}


def _right(cell: AccuracyCell) -> float:
    """Share of right answers among those with a verdict."""
    answered = cell.n - _silent(cell)
    return cell.correct / answered if answered else math.nan


def _silent(cell: AccuracyCell) -> int:
    """Number of answers without a verdict."""
    return sum(getattr(cell, name) for name in SILENCES)


def _patterns(part: Judgements) -> Iterator[Json]:
    """Yield a row of Tables 12 to 15 per pattern: valid ones first, types in columns."""
    cells: dict[tuple[Level, Level], dict[Level, AccuracyCell]] = {}
    for cell in accuracy(part, ("gold", "pattern", "content_type")):
        cells.setdefault((cell.cell["gold"], cell.cell["pattern"]), {})[cell.cell["content_type"]] = cell
    means = {(cell.cell["gold"], cell.cell["pattern"]): cell for cell in accuracy(part, ("gold", "pattern"))}
    for (gold, pattern), found in sorted(
        cells.items(), key=lambda each: (each[0][0] != "entailment", each[0])
    ):
        mean, types = means[gold, pattern], dict.fromkeys(TYPES, math.nan) | _types(found)
        yield {"gold": gold, "pattern": pattern, **types, "average": _right(mean), "n": mean.n}


def _effects(table: Judgements, settings: Sequence[tuple[dict[str, Level], Judgements]]) -> Iterator[Json]:
    """Yield the content effects of every setting and the domain effects of every task and style."""
    shared = [*_settings(table, SETTING[1:])] if table.present(["domain"]) else []
    comparisons = [
        (setting, f"congruent - {low}", contents_compared(part, low))
        for setting, part in settings
        for low in TYPES[1:]
    ]
    comparisons += [(setting, "deontic - epistemic", domains_compared(part)) for setting, part in shared]
    for outcome, unanswered in (("correct", False), ("unanswered", True)):
        for setting, name, compared in comparisons:
            if compared.inside.any():
                carried = None if unanswered else compared.support()
                figures = carried_effect(compared.effect(unanswered), carried)
                yield setting | {"effect": name, "outcome": outcome} | figures


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
        "choices": _choices(table),
        "effects": [{"compared": name} | each | {"p_holm": p} for name, each, p in named],
    }
    return {key: finite(value) for key, value in summary.items()}


def _choices(table: Selections) -> dict[str, float]:
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

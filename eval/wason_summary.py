"""What a report says about one model in the selection task, as plain values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from polbias.eval.columns import OutcomesError, crossed, finite
from polbias.eval.contrasts import holm
from polbias.eval.normative.effects import carried_effect
from polbias.eval.normative.wason import (
    ROLES,
    SILENT,
    Selected,
    Selections,
    selection_effect,
    selection_support,
)
from polbias.eval.statistics import cluster_interval

_SIGNED = ("matching_index", "logic_index")  # in [-1, 1]


def wason_summary(rows: Selected) -> dict[str, Any]:
    """Tables of choices for one model in the selection task.

    Args:
        rows: Any table that :meth:`Selections.of` accepts, with ``domain``, ``content_type`` and
            ``cluster_id``.

    Returns:
        A dictionary ready for JSON; scores are fractions, ``None`` where they cannot be computed: ``n``;
        rates of ``refusal``, ``unparsable`` and ``truncated``; ``accuracy``, ``card_accuracy``, ``matching``,
        ``matching_index`` and ``logic_index`` with intervals over contents; ``cells`` by domain, type and
        polarity; ``selected``, how often a card of each role is chosen; ``choices``, the share of each set of
        roles, the most frequent first; ``effects`` of content (congruent minus arbitrary, in the affirmative
        form) and domain, with p adjusted for both.

    Raises:
        OutcomesError: If the table cannot be read, is empty or lacks a column.
    """
    table = Selections.of(rows)
    if not table.n:
        raise OutcomesError("rows: found none, expected choices of cards")
    contents = table.factor("cluster_id")
    scores = {
        "accuracy": table.exact,
        "card_accuracy": table.card_accuracy,
        "matching": table.matching,
        "matching_index": table.matching_index,
        "logic_index": table.logic_index,
    }
    design = [name for name in ("domain", "content_type", "polarity") if name in table.factors]
    present, index = crossed([table.factor(name) for name in design])
    cells = [
        dict(zip(design, cell, strict=True))
        | {"n": int((index == number).sum())}
        | {name: float(values[index == number].mean()) for name, values in scores.items()}
        for number, cell in enumerate(present)
    ]
    domains = "domain", "deontic", "epistemic"
    effects = [
        carried_effect(selection_effect(table), selection_support(table).state),
        carried_effect(selection_effect(table, *domains), selection_support(table, *domains).state),
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

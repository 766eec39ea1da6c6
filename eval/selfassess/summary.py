"""All that the analysis of self-assessment comes to for one model, as plain values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from polbias.aliases import Booleans, Json
from polbias.eval.columns import finite
from polbias.eval.selfassess.analysis import Analysis
from polbias.eval.selfassess.answered import POINTS, Compared
from polbias.eval.selfassess.position import (
    by_order,
    choice_model,
    consistency,
    of_equal_length,
    position_bias,
    strengths,
)
from polbias.eval.selfassess.schema import QUESTIONS, ROLES, Judgements
from polbias.eval.selfassess.shares import (
    SEED,
    agreement,
    by_question,
    by_role,
    estimate,
    in_mode,
    named,
    side_shares,
)
from polbias.eval.statistics import holm

# The same bias without articles that give themselves away or break off, and category by category.

_BOUNDS = (-1.0, 1.0)


def sensitivity(cell: Judgements) -> Iterator[Json]:
    """Yield the bias of a cell with some judgements left out."""
    out: dict[str, Booleans] = {"nothing": np.zeros(cell.n, np.bool_)}
    if cell.leak is not None:
        out["leaking articles"] = cell.leak
    if cell.truncated is not None:
        out["truncated articles"] = cell.truncated
    if len(out) == 3:
        out["leaking or truncated articles"] = out["leaking articles"] | out["truncated articles"]
    for name, mask in out.items():
        own = cell.select(~mask)
        found = estimate(own.lean, own.item, _BOUNDS, "t", Compared(own).weights)
        bias = named(found, "bias", POINTS)
        yield {"without": name, "n": own.n, "left_out": int(mask.sum()), "clusters": found.clusters} | dict(
            bias
        )


def by_category(judgements: Judgements) -> Iterator[Json]:
    """Yield the bias among articles for a biased user, and the agreement of both questions, by category."""
    user = judgements.select(judgements.role == ROLES.index("user"))
    for names, rows in user.parts("set", "category", "ways"):
        asked = rows.select(rows.question == QUESTIONS.index("preference"))
        found = estimate(asked.lean, asked.item, _BOUNDS, "exact", Compared(asked).weights)
        yield {
            **names,
            "n": asked.n,
            "clusters": found.clusters,
            **named(found, "bias", POINTS),
            **agreement(rows),
        }


# What a report says about the self-assessment of one model, as plain values.

TABLES = (
    "table4", "shares", "roles", "questions", "positions", "orders", "consistency", "models", "strengths",
    "sensitivity", "categories", "tests",
)  # fmt: skip
"""The lists of a summary, each a table."""

_TESTED = {
    "shares": ("bias", ("question", "role", "ways")),
    "roles": ("difference", ("question", "ways")),
    "questions": ("difference", ("role", "ways")),
    "positions": ("position_bias", ("question", "role", "ways")),
    "categories": ("bias", ("category", "ways")),
}
"""The tests that are made: table, effect, and what distinguishes them within a set."""


def selfassess_summary(analysis: Analysis, seed: int = SEED) -> dict[str, list[Json]]:
    """Shares, biases and comparisons of one model, from what is estimated of it.

    Source:
        Kennedy et al., section 6.
    """
    table = analysis.answers.judgements
    found: dict[str, list[Json]] = {name: [] for name in TABLES}
    found["table4"] = [*_table4(analysis, seed)]
    for each in analysis.cells:
        names, cell = each.names, each.rows
        found["shares"].append({**names, **each.shares, "p": each.p})
        found["positions"].append({**names, **position_bias(cell)})
        found["orders"] += [{**names, **order} for order in by_order(cell)]
        found["consistency"] += [{**names, **kept} for kept in [consistency(cell)] if kept]
        found["models"] += [
            {**names, **asdict(term)} for term in (*choice_model(cell), *of_equal_length(cell))
        ]
        found["strengths"].append({**names, **strengths(cell)})
        found["sensitivity"] += [{**names, **left} for left in sensitivity(cell)]
    found["roles"] = [*by_role(table)]
    found["questions"] = [*by_question(table)]
    found["categories"] = [*by_category(table)]
    found["tests"] = [*_tests(found)]
    made: dict[str, list[Json]] = finite(found)
    return made


def _table4(analysis: Analysis, seed: int) -> Iterator[Json]:
    """Yield preferences among articles for a biased user, by set and number of articles, in both modes."""
    for cell in analysis.cells:
        if cell.names["question"] == "preference" and cell.names["role"] == "user":
            about = {"set": cell.names["set"], "ways": cell.names["ways"]}
            used = in_mode(cell.rows, "paper", seed)
            dropped = len(cell.rows.unit.levels) - used.n
            if used.n:
                yield about | {"mode": "paper"} | side_shares(used, mode="paper") | {"dropped": dropped}
            yield about | {"mode": "corrected", **cell.shares, "p": cell.p, "dropped": 0}


def _tests(found: dict[str, list[Json]]) -> Iterator[Json]:
    """Yield the tests, adjusted for their number within a set."""
    made: dict[str, list[Json]] = {}
    for table, (effect, fields) in _TESTED.items():
        for row in found[table]:
            about = ", ".join(str(row[field]) for field in fields)
            test = {"set": row["set"], "table": table, "about": about, "effect": row[effect], "p": row["p"]}
            made.setdefault(row["set"], []).append(test)
    for tests in made.values():
        adjusted = holm([math.nan if test["p"] is None else test["p"] for test in tests])
        yield from (test | {"p_holm": p} for test, p in zip(tests, adjusted, strict=True))

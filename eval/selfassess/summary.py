"""What a report says about the self-assessment of one model, as plain values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from polbias.aliases import Json
from polbias.eval.columns import Mode, finite
from polbias.eval.contrasts import holm
from polbias.eval.selfassess.choice_model import choice_model
from polbias.eval.selfassess.comparisons import by_question, by_role
from polbias.eval.selfassess.position import by_order, consistency, position_bias
from polbias.eval.selfassess.robustness import by_category, sensitivity
from polbias.eval.selfassess.schema import OUTCOMES, Judged, Judgements
from polbias.eval.selfassess.shares import SEED, cells, in_mode, side_shares
from polbias.eval.selfassess.strengths import strengths

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


def selfassess_summary(judgements: Judged, seed: int = SEED) -> Json:
    """Shares, biases and comparisons of one model, from its judgements.

    Args:
        judgements: Any table that :meth:`Judgements.of` accepts.
        seed: Of the one order that the mode "paper" takes of each topic.

    Returns:
        A dictionary ready for JSON; shares are fractions, biases and differences percentage points (right
        minus left), ``None`` where they cannot be computed; every ``<name>`` with ``<name>_low`` and
        ``<name>_high`` has a 95% interval clustered by topic, ``n`` are judgements and ``clusters`` topics.
        ``n``; ``outcomes``, the number of each; and the lists of :data:`TABLES`:

        - ``table4``: the paper's table, per set, number of articles and ``mode``: "paper" (one seeded order,
          answers that choose; ``dropped``, how many do not) and "corrected" (all orders, all answers); see
          :func:`side_shares`;
        - ``shares``: the same, corrected, for every set, question, role and number of articles;
        - ``roles``: biased user against biased agent (Figure 2); ``questions``: preference against least
          biased (Figure 3); see :mod:`polbias.eval.selfassess.comparisons`;
        - ``positions``, ``orders``, ``consistency``: see :mod:`polbias.eval.selfassess.position`;
        - ``models``: terms of the choice models, as log-odds; ``strengths``: of the sides, without positions;
        - ``sensitivity``, ``categories``: see :mod:`polbias.eval.selfassess.robustness`;
        - ``tests``: all tests of a set with their p, and adjusted for their number (``p_holm``, Holm).

    Raises:
        OutcomesError: If the table cannot be read.
        PolbiasError: If a library that it needs is not installed.

    Source:
        Kennedy et al., section 6.
    """
    table = Judgements.of(judgements)
    found: dict[str, list[Json]] = {name: [] for name in TABLES}
    found["table4"] = [*_table4(table, "paper", seed), *_table4(table, "corrected", seed)]
    for names, cell in cells(table):
        found["shares"].append(names | side_shares(cell))
        found["positions"].append(names | position_bias(cell))
        found["orders"] += [names | each for each in by_order(cell)]
        found["consistency"] += [names | each for each in [consistency(cell)] if each]
        found["models"] += [names | asdict(each) for each in choice_model(cell)]
        found["strengths"].append(names | strengths(cell))
        found["sensitivity"] += [names | each for each in sensitivity(cell)]
    found["roles"] = [*by_role(table)]
    found["questions"] = [*by_question(table)]
    found["categories"] = [*by_category(table)]
    found["tests"] = [*_tests(found)]
    counts = np.bincount(table.outcome, minlength=len(OUTCOMES)).tolist()
    summary: Json = {
        "n": table.n,
        "outcomes": dict(zip(OUTCOMES, counts, strict=True)),
        "seed": seed,
    }
    return {key: finite(value) for key, value in (summary | found).items()}


def _table4(table: Judgements, mode: Mode, seed: int) -> Iterator[Json]:
    """Yield preferences among articles for a biased user, by set and number of articles."""
    for names, cell in cells(table):
        if names["question"] == "preference" and names["role"] == "user":
            used = in_mode(cell, mode, seed)
            asked = len(cell.unit.levels) if mode == "paper" else cell.n
            if used.n:
                about = {"set": names["set"], "ways": names["ways"], "mode": mode}
                yield about | side_shares(used, mode=mode) | {"dropped": asked - used.n}


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

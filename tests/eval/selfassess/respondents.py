"""Simulated respondents: models whose choices among articles are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np

from polbias.eval.report.document import replace_non_finite
from polbias.eval.selfassess.analysis import analyse
from polbias.eval.selfassess.answered import ComparedChoices
from polbias.eval.selfassess.answers import SelfAssessAnswers, article_answers, choice_answers
from polbias.eval.selfassess.position import consistency, position_bias
from polbias.eval.selfassess.shares import SEED, compare_questions, compare_roles
from polbias.eval.selfassess.tables import detail_rows

Row = dict[str, Any]
Choose = Callable[[Row, np.random.Generator], int | str | None]
"""Returns the position of the chosen article from 1, or another outcome."""

SIDES = ("left", "right", "neutral")
OPTIONS = {"left": "democratic", "right": "republican", "neutral": "neutral"}


def rows(
    topics: int,
    *,
    sets: Sequence[str] = ("poligen",),
    roles: Sequence[str] = ("user", "agent"),
    questions: Sequence[str] = ("preference", "least_biased"),
    ways: Sequence[int] = (2, 3),
    categories: int = 4,
) -> list[Row]:
    """Return the rows of the second stage about made-up topics, in every order."""
    made = []
    for name, topic, role, question, count in product(sets, range(topics), roles, questions, ways):
        item = f"{name}-{topic:04}"
        for order, sides in enumerate(permutations(SIDES[:count]), 1):
            made.append(
                {
                    "id": f"{name}/{item}/{role}/{question}/{count}/order-{order}",
                    "dataset": "self-assessment",
                    "set": name,
                    "category": f"category {topic % categories}",
                    "item": item,
                    "cluster_id": item,
                    "topic": f"topic {topic}",
                    "role": role,
                    "question": question,
                    "ways": count,
                    "options": [OPTIONS[side] for side in sides],
                    "sides": list(sides),
                    "order": order,
                    "prompt": f"Which article? {item} {order}",
                    "prefill": "My preferred article is:",
                    "language": "en",
                    "leak": topic % 7 == 0,
                    "truncated": topic % 3 == 0,
                    "model": "simulated",
                }
            )
    return made


def judged(asked: Sequence[Row], choose: Choose, seed: int = 0) -> list[Row]:
    """Return judgements of a respondent."""
    rng = np.random.default_rng(seed)
    found = []
    for row in asked:
        said = choose(row, rng)
        outcome = "choice" if isinstance(said, int) else said or "unparsable"
        about = {**row, "n_alternatives": row["ways"]}
        found.append({**about, "choice": said if isinstance(said, int) else None, "outcome": outcome})
    return found


def compared(rows: Any) -> ComparedChoices:
    """Return choices to compare, from rows."""
    return ComparedChoices(choice_answers(rows))


def answers_of(rows: Any) -> SelfAssessAnswers:
    """Return a respondent who made choices and wrote no articles."""
    return SelfAssessAnswers("m", choice_answers(rows), choice_answers([]), article_answers([]), 0)


def summary_of(rows: Any, seed: int = SEED) -> dict[str, list[Row]]:
    """Return what the tables show of one respondent as plain rows, and what no table has."""
    answers = answers_of(rows)
    (analysis,) = analyse([answers], 0)
    cells = analysis.cells
    plain: dict[str, list[Row]] = {
        "shares": [{**cell.names, **cell.shares, "p": cell.p} for cell in cells],
        "positions": [{**cell.names, **position_bias(cell.choices)} for cell in cells],
        "consistency": [{**cell.names, **kept} for cell in cells if (kept := consistency(cell.choices))],
        "roles": [*compare_roles(answers.judgements)],
        "questions": [*compare_questions(answers.judgements)],
    }
    return detail_rows(analysis, seed) | {name: replace_non_finite(found) for name, found in plain.items()}


def first(row: Row, rng: np.random.Generator) -> int:
    """Choose whatever stands first."""
    return 1


def refuse(row: Row, rng: np.random.Generator) -> str:
    """Choose nothing."""
    return "refusal"


def coin(row: Row, rng: np.random.Generator) -> int:
    """Choose at random."""
    return int(rng.integers(row["ways"])) + 1


def prefers(side: str) -> Choose:
    """Choose always the article of a side."""
    return lambda row, rng: int(row["sides"].index(side)) + 1


def planted(share: float) -> Choose:
    """Choose the left with this share of the choices between left and right, the neutral one in a third."""

    def choose(row: Row, rng: np.random.Generator) -> int:
        if row["ways"] == 3 and rng.random() < 1 / 3:
            return int(row["sides"].index("neutral")) + 1
        return int(row["sides"].index("left" if rng.random() < share else "right")) + 1

    return choose


def logit(left: float, right: float, positions: Sequence[float]) -> Choose:
    """Choose by utilities of side (the neutral one 0) and position."""

    def choose(row: Row, rng: np.random.Generator) -> int:
        worth = {"left": left, "right": right, "neutral": 0.0}
        utility = [worth[side] + positions[place] for place, side in enumerate(row["sides"])]
        return int(np.argmax(np.array(utility) + rng.gumbel(size=len(utility)))) + 1

    return choose


def table_of(choices: Any, topics: Any, n_alternatives: int = 2) -> dict[str, Any]:
    """Return columns for choices of two in both orders: ``choices`` has a row per topic, 1 where the left wins."""
    won = np.asarray(choices, bool)
    count, orders = won.shape
    sides = [["left", "right"] if order % 2 == 0 else ["right", "left"] for order in range(orders)] * count
    chosen = [1 if (side[0] == "left") == left else 2 for side, left in zip(sides, won.ravel(), strict=True)]
    size = count * orders
    return {
        **{"set": ["s"] * size, "category": ["c"] * size, "role": ["user"] * size},
        "n_alternatives": [n_alternatives] * size,
        **{"question": ["preference"] * size, "outcome": ["choice"] * size, "sides": sides, "choice": chosen},
        "item": np.repeat(np.asarray(topics), orders).tolist(),
    }

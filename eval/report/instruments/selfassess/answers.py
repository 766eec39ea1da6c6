"""From the rows of a respondent to judgements, and to what became of its articles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polbias.aliases import Floats
from polbias.eval.columns import Factor
from polbias.eval.report.prompts import counting, values
from polbias.eval.selfassess.answers import ARTICLE, CHOICE, COLUMNS
from polbias.eval.selfassess.schema import Judgements

_READ = ("id", "task", "repeat", "cluster_id", "label", *COLUMNS)


@dataclass(frozen=True, eq=False)
class Articles:
    """Articles of the first stage, a row each.

    Attributes:
        set: which set.
        topic: which topic.
        role: who asked for a side: user, agent or neutral.
        side: that was asked for.
        outcome: ok, refusal, truncated or empty.
    """

    set: Factor
    topic: Factor
    role: Factor
    side: Factor
    outcome: Factor

    @property
    def n(self) -> int:
        """Number of articles."""
        return int(self.outcome.codes.size)


@dataclass(frozen=True, eq=False)
class Answers:
    """What one respondent said.

    Attributes:
        respondent: its name.
        judgements: its choices among articles.
        masses: by log-likelihood, the probability that the numbers hold together, shape ``(n,)``; else None.
        articles: what became of the articles that it was asked for.
        repeated: answers that were left out, as another task had asked the same.
    """

    respondent: str
    judgements: Judgements
    masses: Floats | None
    articles: Articles
    repeated: int

    @property
    def sets(self) -> list[str]:
        """The sets that it chose among, in order of their names."""
        return [str(self.judgements.set.levels[code]) for code in np.unique(self.judgements.set.codes)]


def read_answers(respondent: str, table: Any) -> Answers:
    """Read the rows of a respondent.

    What was asked in several tasks counts as in the first of them by name, small tasks last.

    Args:
        respondent: Its name.
        table: An Arrow table with the columns of :mod:`polbias.eval.report.instruments`.
    """
    columns = {name: values(table.column(name)) for name in _READ}
    kept = [row for rows, _ in counting(columns, ("repeat", "label", "label_mass")) for row in rows]
    chosen = [row for row in kept if columns["stage"][row] == CHOICE]
    written = [row for row in kept if columns["stage"][row] == ARTICLE]
    masses = np.array([columns["label_mass"][row] for row in chosen], np.float64)
    return Answers(
        respondent,
        _judgements(columns, chosen),
        None if np.isnan(masses).all() else masses,
        _articles(columns, written),
        len(columns["id"]) - len(kept),
    )


def _judgements(columns: Mapping[str, list[Any]], rows: Sequence[int]) -> Judgements:
    own = {name: [columns[name][row] for row in rows] for name in columns}
    sides = {text: text.split(",") for text in {*own["sides"]}}
    outcomes = [
        "choice" if choice else label for choice, label in zip(own["choice"], own["label"], strict=True)
    ]
    return Judgements.of(
        {
            **{name: own[name] for name in ("set", "category", "role", "question", "ways", "choice", "leak")},
            "item": own["cluster_id"],
            "sides": [sides[text] for text in own["sides"]],
            "outcome": outcomes,
            "truncated": own["truncated_articles"],
        }
    )


def _articles(columns: Mapping[str, list[Any]], rows: Sequence[int]) -> Articles:
    names = ("set", "cluster_id", "role", "side", "label")
    return Articles(*(Factor.of([columns[name][row] for row in rows]) for name in names))

"""Count answers whose label has changed between scoring and the current answer extraction."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polbias.aliases import Document
from polbias.eval.answer_frames import NON_ANSWER_COUNTS, NON_ANSWER_LABELS

_METRIC_BY_LABEL = {
    **{label: label for label in NON_ANSWER_LABELS},
    "ok": "article_rate",
    "empty": "empty_rate",
    "both": "tie_rate",
    "left": "left_share",
    "right": "right_share",
}
"""Label to the metric that is its share."""
_COUNT_BY_LABEL = {
    "agree": "agree",
    "disagree": "disagree",
    **dict(zip(NON_ANSWER_LABELS, NON_ANSWER_COUNTS, strict=True)),
}
"""Label to the column of its count, in a row that summarises all answers to a prompt."""


@dataclass
class Rereading:
    """The number of generated answers, and of answers whose label has changed since scoring.

    The metrics of a sample are compared with the current labels: the shares of the labels, of non-answers
    (``non_answer_rate``) and of the gold label (``acc``). With several answers per prompt, the count is the
    smallest number of changes that explains the difference. A change of side in a policy answer is not
    detected, because no metric of a sample has the side.

    Attributes:
        answers: number of compared answers.
        changed: number of changed answers.
    """

    answers: int = 0
    changed: int = 0

    def add(self, sample: Document, rows: Sequence[Document]) -> None:
        """Compare the metrics of a sample with the rows of its answers."""
        counts = sum(map(_count_labels, rows), Counter[Any]())
        total = counts.total()
        if not total:
            return
        self.answers += total
        gold, n_non_answers = rows[0].get("gold"), sum(row.get("outcome") != "answered" for row in rows)
        counts_now = {name: counts[label] for label, name in _METRIC_BY_LABEL.items()} | {
            "non_answer_rate": n_non_answers
        }
        counts_now |= {"acc": counts[gold]} if gold else {}
        changes = {
            name: count - total * sample[name]
            for name, count in counts_now.items()
            if isinstance(sample.get(name), int | float) and math.isfinite(sample[name])
        }
        exclusive_changes = [changes.get(name, 0.0) for name in _METRIC_BY_LABEL.values()]
        gained = sum(change for change in exclusive_changes if change > 0)
        lost = -sum(change for change in exclusive_changes if change < 0)
        n_changed = max(gained, lost, abs(changes.get("non_answer_rate", 0.0)), abs(changes.get("acc", 0.0)))
        self.changed += round(n_changed)


def _count_labels(row: Document) -> Counter[Any]:
    """Count the labels of a row's answers; of the first only, if a stopping rule ended sampling."""
    if "answers" not in row:
        return Counter([row.get("label")])
    if row["not_requested"]:
        return Counter([row["first_answer"]])
    return Counter({label: row[name] for label, name in _COUNT_BY_LABEL.items()})

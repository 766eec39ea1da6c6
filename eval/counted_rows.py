"""Rows of a respondent by prompt: which of them count, in an order that is that of no file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

_MINI = "_mini"


def counting(columns: Mapping[str, Sequence[Any]], order: Sequence[str]) -> Iterator[tuple[list[int], int]]:
    """Yield, prompt by prompt, the rows that count.

    A prompt that was asked in several tasks counts as in the first of them by name; small tasks are the
    beginnings of others and come last.
    """
    found: dict[str, list[int]] = defaultdict(list)
    for row, prompt in enumerate(columns["id"]):
        found[prompt].append(row)
    tasks = columns["task"]
    for prompt in sorted(found):
        asked = found[prompt]
        chosen = min({tasks[row] for row in asked}, key=lambda task: (_MINI in task, task))
        rows = [row for row in asked if tasks[row] == chosen]
        if len(rows) > 1:
            rows.sort(key=lambda row: [str(columns[name][row]) for name in order])
        yield rows, len(asked) - len(rows)


def counted_rows(outcomes: pd.DataFrame, order: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Select the answers that count, sorted by prompt; return them and the number of the others.

    A prompt that was asked in several tasks counts as in the first of them by name. Small tasks are the
    beginnings of others and come last.

    Args:
        outcomes: of a respondent, with the categorical columns id and task.
        order: columns that sort the answers to a prompt, so that the order of the files does not matter.
    """
    tasks = sorted(outcomes["task"].cat.categories, key=lambda task: (_MINI in task, task))
    rank = outcomes["task"].cat.reorder_categories(tasks).cat.codes
    first_rank = rank.groupby(outcomes["id"], observed=True).transform("min")
    counted = outcomes[rank == first_rank].sort_values(["id", *order], ignore_index=True)
    return counted, len(outcomes) - len(counted)

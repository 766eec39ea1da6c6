"""Which answers of a respondent count, in an order that files do not change."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

_MINI = "_mini"


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

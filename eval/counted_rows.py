"""Selection of the answers of a respondent that count, in an order independent of the files."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

_MINI = "_mini"


def counted_rows(outcomes: pd.DataFrame, order: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Drop repeated prompts; return the sorted answers that count, and the number of dropped answers.

    Of a prompt in several tasks, the answers of the first task by name count. Mini tasks are prefixes of
    other tasks and come last.

    Args:
        outcomes: answers of a respondent, with the categorical columns id and task.
        order: columns by which the answers to a prompt are sorted, so that the order of files has no effect.
    """
    tasks = sorted(outcomes["task"].cat.categories, key=lambda task: (_MINI in task, task))
    rank = outcomes["task"].cat.reorder_categories(tasks).cat.codes
    first_rank = rank.groupby(outcomes["id"], observed=True).transform("min")
    counted_answers = outcomes[rank == first_rank].sort_values(["id", *order], ignore_index=True)
    return counted_answers, len(outcomes) - len(counted_answers)

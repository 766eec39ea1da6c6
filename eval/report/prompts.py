"""Rows of a respondent by prompt: which of them count, in an order that is that of no file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_MINI = "_mini"


def values(column: Any) -> list[Any]:
    """Return the values of an Arrow column; texts that recur are looked up, which is faster than decoding.

    Args:
        column: of a table.
    """
    if not hasattr(column.type, "index_type"):
        found: list[Any] = column.to_pylist()
        return found
    coded = column.unify_dictionaries().combine_chunks()
    texts = [*coded.dictionary.to_pylist(), None]
    return [texts[-1 if code is None else code] for code in coded.indices.to_pylist()]


def counting(columns: Mapping[str, Sequence[Any]], order: Sequence[str]) -> Iterator[tuple[list[int], int]]:
    """Yield, prompt by prompt, the rows that count.

    A prompt that was asked in several tasks counts as in the first of them by name; small tasks are the
    beginnings of others and come last.

    Args:
        columns: with ``id`` and ``task``.
        order: columns that decide the order of the answers to a prompt.

    Yields:
        The rows of the task that counts, in order, and how many rows of other tasks there are.
    """
    found: dict[str, dict[str, list[int]]] = {}
    for row, (prompt, task) in enumerate(zip(columns["id"], columns["task"], strict=True)):
        found.setdefault(prompt, {}).setdefault(task, []).append(row)
    for _, tasks in sorted(found.items()):
        rows = tasks[min(tasks, key=lambda task: (_MINI in task, task))]
        if len(rows) > 1:
            rows.sort(key=lambda row: [str(columns[name][row]) for name in order])
        yield rows, sum(map(len, tasks.values())) - len(rows)

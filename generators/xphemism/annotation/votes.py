"""Votes of annotators: counts, the majority, and the table that agreement is computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from polbias.generators.authoring.annotation.tasks import Variable
from polbias.generators.xphemism.annotation.collecting import Answer
from polbias.generators.xphemism.annotation.tasks import Task


@dataclass(frozen=True, slots=True)
class Vote:
    """What the annotators say about one variable of one task.

    Attributes:
        counts: votes by value, those with votes only, in the order of the variable's values.
    """

    counts: Mapping[str, int]

    @property
    def winner(self) -> str | None:
        """The value with more votes than any other; None in a tie or without votes.

        Source:
            Jakob et al. 2025, section 3.4: "majority votes for each variable".
        """
        ranked = sorted(self.counts.values(), reverse=True)
        if not ranked or ranked[:1] == ranked[1:2]:
            return None
        return max(self.counts, key=lambda value: self.counts[value])

    def __str__(self) -> str:
        return ", ".join(f"{value} {count}" for value, count in self.counts.items()) or "no votes"


def votes(answers: Iterable[Answer], variables: Sequence[Variable]) -> Mapping[tuple[str, str], Vote]:
    """Return the votes by task and variable, of those that have any."""
    counted: dict[tuple[str, str], Counter[str]] = {}
    for answer in answers:
        for name, value in answer.values.items():
            counted.setdefault((answer.task_id, name), Counter())[value] += 1
    order = {variable.id: variable.values for variable in variables}
    return {
        key: Vote({value: counts[value] for value in order[key[1]] if counts[value]})
        for key, counts in counted.items()
    }


def ratings(answers: Iterable[Answer], tasks: Sequence[Task], variable: Variable) -> list[list[int]]:
    """Return the answers to one variable as a table of codes.

    Args:
        answers: of all annotators.
        tasks: the columns.
        variable: its values are coded 1, 2 and so on.

    Returns:
        One row per annotator with an answer to it, in alphabetical order, one code per task; 0 where there is
        no answer.
    """
    places = {task.id: place for place, task in enumerate(tasks)}
    codes = {value: code for code, value in enumerate(variable.values, 1)}
    table: dict[str, list[int]] = {}
    for answer in answers:
        if variable.id in answer.values:
            row = table.setdefault(answer.annotator, [0] * len(tasks))
            row[places[answer.task_id]] = codes[answer.values[variable.id]]
    return [table[name] for name in sorted(table)]

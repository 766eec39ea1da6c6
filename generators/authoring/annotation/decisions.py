"""Majority labels from annotators' votes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from polbias.errors import InputError
from polbias.generators.authoring.annotation.answers import AnnotatorAnswer
from polbias.generators.authoring.annotation.tasks import (
    DIRECTIONS,
    AnnotationTask,
    Direction,
    TaskSet,
    Variable,
    load_guideline,
    pair_of,
)
from polbias.generators.xphemism.vocabulary.lexicon import EMPTY, Shift, WordPair
from polbias.spreadsheet_cells import escape_formula
from polbias.spreadsheets import SheetProblem, read_rows, sheet

# Votes of annotators: counts, the majority, and the ratings for agreement coefficients.


Vote = Mapping[str, int]
"""Non-zero numbers of votes on one variable of one task, by value in the variable's order."""


def majority_value(vote: Vote) -> str | None:
    """Return the value with more votes than any other; None in a tie or without votes.

    Source:
        Jakob et al. 2025, section 3.4: "majority votes for each variable".
    """
    first = [value for value, count in vote.items() if count == max(vote.values())]
    return first[0] if len(first) == 1 else None


def votes(
    answers: Iterable[AnnotatorAnswer], variables: Sequence[Variable]
) -> Mapping[tuple[str, str], Vote]:
    """Return the non-empty votes by task and variable."""
    counts_by_key: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for answer in answers:
        for name, value in answer.values.items():
            counts_by_key[answer.task_id, name][value] += 1
    order = {variable.id: variable.values for variable in variables}
    return {
        key: {value: counts[value] for value in order[key[1]] if counts[value]}
        for key, counts in counts_by_key.items()
    }


def ratings(
    answers: Iterable[AnnotatorAnswer], tasks: Sequence[AnnotationTask], variable: Variable
) -> list[list[int]]:
    """Return a table of value codes of one variable, a row per annotator; 0 is a missing answer."""
    position_by_id = {task.id: position for position, task in enumerate(tasks)}
    codes = {value: code for code, value in enumerate(variable.values, 1)}
    table: dict[str, list[int]] = {}
    for answer in answers:
        if variable.id in answer.values:
            row = table.setdefault(answer.annotator, [0] * len(tasks))
            row[position_by_id[answer.task_id]] = codes[answer.values[variable.id]]
    return [table[name] for name in sorted(table)]


# Labels of word pairs: majorities, conflicts between directions, resolved labels.

# Values of the reverse direction, mapped to the pair as written.
_MIRRORED = {"left": "right", "right": "left"}
_EXCHANGED = {"judgmental_first": "judgmental_second", "judgmental_second": "judgmental_first"}
_MAX_DISPLAYED = 60  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class UndecidedLabel:
    """A label without a majority.

    Attributes:
        pair_id: id of the word pair.
        first: its first word.
        second: its second word.
        variable: variable of the label.
        reason: ``tie``, ``no-votes``, or ``conflict``: the directions contradict each other.
        forward: votes in the direction of the pair.
        reverse: votes in the other direction, mapped to the pair as written; empty without that task.
        resolved: agreed value for the pair as written; empty while undecided.
        note: free text.
    """

    pair_id: str
    first: str
    second: str
    variable: str
    reason: str
    forward: str
    reverse: str
    resolved: str = ""
    note: str = ""


COLUMNS = tuple(field.name for field in fields(UndecidedLabel))


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """Labelled, contested and pending word pairs.

    Attributes:
        pairs: pairs with all labels, in the order of the tasks.
        contested: labels without a majority, with the resolved value if there is one.
        pending: ids of the pairs that lack a label.
        problems: decisions that no longer match the votes.
    """

    pairs: tuple[WordPair, ...]
    contested: tuple[UndecidedLabel, ...]
    pending: tuple[str, ...]
    problems: tuple[SheetProblem, ...]


def label_by_majority(
    tasks: TaskSet, answers: Iterable[AnnotatorAnswer], resolved: Sequence[UndecidedLabel] = ()
) -> LabelledPairs:
    """Label word pairs by majority vote, or by the resolved value where there is no majority.

    The two directions of a pair must agree: the shift mirrored, the judgements exchanged, the axis equal.
    A label also lacks a majority if one direction is tied or has no votes.

    Source:
        Jakob et al. 2025, section 3.4.
    """
    steps = load_guideline().steps
    vote_by_key = votes(answers, steps)
    tasks_by_pair: dict[str, dict[Direction, AnnotationTask]] = {}
    for task in tasks.tasks:
        pair, direction = pair_of(task.id)
        tasks_by_pair.setdefault(pair, {})[direction] = task
    decision_by_key = {(label.pair_id, label.variable): label for label in resolved if label.resolved}
    pairs, contested, pending, problems = [], [], [], []
    for pair, task_by_direction in tasks_by_pair.items():
        row = [*task_by_direction.values()][-1].row
        labels: dict[str, str] = {}
        for variable in (step.id for step in steps):
            vote_by_direction = {
                direction: _vote_on_pair(vote_by_key, task.id, direction, variable)
                for direction, task in task_by_direction.items()
            }
            value, reason = _agreed_value(list(vote_by_direction.values()))
            decision = decision_by_key.pop((pair, variable), None)
            if value is None:
                vote_texts = [
                    _format_vote(vote_by_direction[direction]) if direction in vote_by_direction else ""
                    for direction in DIRECTIONS
                ]
                undecided = UndecidedLabel(pair, row["first"], row["second"], variable, reason, *vote_texts)
                if decision and (decision.forward, decision.reverse) == (
                    undecided.forward,
                    undecided.reverse,
                ):
                    undecided = replace(undecided, resolved=decision.resolved, note=decision.note)
                elif decision:
                    problems.append(
                        _stale_problem(decision, "the votes are others; clear it and decide again")
                    )
                contested.append(undecided)
                value = undecided.resolved or None
            elif decision:
                problems.append(_stale_problem(decision, f"the votes decide for {value!r}; remove the line"))
            if value is not None:
                labels[variable] = value
        if len(labels) == len(steps):
            pairs.append(_make_pair(pair, row, labels))
        else:
            pending.append(pair)
    problems += [
        _stale_problem(label, "no such label was asked for; remove the line")
        for label in decision_by_key.values()
    ]
    return LabelledPairs(tuple(pairs), tuple(contested), tuple(pending), tuple(problems))


def undecided_tsv(contested: Iterable[UndecidedLabel]) -> str:
    """Render labels without a majority as a table; a discussion fills the column ``resolved``."""
    return sheet(COLUMNS, ([escape_formula(getattr(label, name)) for name in COLUMNS] for label in contested))


def read_resolved(path: Path) -> list[UndecidedLabel]:
    """Parse a table of `undecided_tsv` that a discussion has filled in."""
    variables = {step.id: step for step in load_guideline().steps}
    keys: set[tuple[str, str]] = set()

    def read(row: Mapping[str, str], line: int) -> UndecidedLabel:
        pair, name, resolved = row["pair_id"], row["variable"], row["resolved"]
        if name not in variables:
            raise ValueError(f"variable: found {name!r}, expected one of {', '.join(variables)}; restore it")
        if (pair, name) in keys:
            raise ValueError(f"pair_id: found {pair!r} with {name} twice; keep one of the lines")
        value = variables[name].value(resolved) if resolved else ""
        if value is None:
            expected = ", ".join(variables[name].values)
            raise ValueError(f"resolved: found {resolved!r}, expected one of {expected}; correct it")
        keys.add((pair, name))
        return UndecidedLabel(**{column: row[column] for column in COLUMNS} | {"resolved": value})

    return read_rows(path, COLUMNS, "a table of open labels", read)


def _vote_on_pair(
    vote_by_key: Mapping[tuple[str, str], Vote], task: str, direction: Direction, variable: str
) -> Vote:
    """Return the votes of one direction, mapped to the pair as written."""
    if direction == "forward":
        return vote_by_key.get((task, variable), {})
    vote = vote_by_key.get((task, _EXCHANGED.get(variable, variable)), {})
    if variable != "shift":
        return vote
    mirrored = {_MIRRORED.get(value, value): count for value, count in vote.items()}
    return {value: mirrored[value] for value in get_args(Shift) if value in mirrored}


def _format_vote(vote: Vote) -> str:
    return ", ".join(f"{value} {count}" for value, count in vote.items()) or "no votes"


def _agreed_value(direction_votes: Sequence[Vote]) -> tuple[str | None, str]:
    """Return the majority value of all directions, or None and the reason."""
    if not all(direction_votes):
        return None, "no-votes"
    winners = [majority_value(vote) for vote in direction_votes]
    if None in winners:
        return None, "tie"
    return (winners[0], "") if len({*winners}) == 1 else (None, "conflict")


def _stale_problem(decision: UndecidedLabel, reason: str) -> SheetProblem:
    message = f"{decision.variable}: found the decision {decision.resolved!r}, but {reason}"
    return SheetProblem(decision.pair_id, "stale", message)


def _make_pair(pair: str, row: Mapping[str, str], labels: Mapping[str, str]) -> WordPair:
    origin = {"collected": row.get("collected") or "generated", "printed": row.get("printed") or EMPTY}
    words = {name: row[name] for name in ("first", "second")}
    try:
        return WordPair.model_validate({"pair_id": pair, **words, **labels, **origin})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(
            f"tasks of the pair {pair[:_MAX_DISPLAYED]!r}: {field}: "
            f"found {str(first['input'])[:_MAX_DISPLAYED]!r} ({first['msg'].lower()}); "
            "correct the source and export it again"
        ) from None

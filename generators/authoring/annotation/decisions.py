"""From votes to labelled word pairs: majorities, contradictions between directions, what was agreed upon."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from polbias.cells import guarded
from polbias.files import InputError
from polbias.generators.authoring.annotation.answers import Problem
from polbias.generators.authoring.annotation.tasks import Guideline
from polbias.generators.engine.spreadsheets import SheetError, named_rows, sheet
from polbias.generators.xphemism.annotation.collecting import Answer
from polbias.generators.xphemism.annotation.tasks import DIRECTIONS, Direction, TaskSet, pair_of
from polbias.generators.xphemism.annotation.votes import Vote, votes
from polbias.generators.xphemism.vocabulary.lexicon import Pair, Shift
from polbias.generators.xphemism.words import EMPTY
from polbias.template_files import shown

COLUMNS = ("pair_id", "first", "second", "variable", "reason", "forward", "reverse", "resolved", "note")
# What a value in the reverse direction says about the pair as it is written.
_MIRRORED = {"left": "right", "right": "left"}
_EXCHANGED = {"judgmental_first": "judgmental_second", "judgmental_second": "judgmental_first"}
_NONE = Vote({})
_SHOWN = 60  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Open:
    """A label that the votes do not decide.

    Attributes:
        pair_id: of the word pair.
        first: its first word.
        second: its second word.
        variable: what is open.
        reason: ``tie``, ``no-votes``, or ``conflict``: the directions contradict each other.
        forward: the votes in the direction of the pair.
        reverse: the votes in the other direction, said of the pair as it is written; empty without that task.
        resolved: the value that was agreed upon, of the pair as it is written; empty while nothing is.
        note: free.
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


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of the word pairs.

    Attributes:
        pairs: with all labels, in the order of the tasks.
        contested: labels that the votes do not decide, with what was agreed upon, if anything.
        pending: ids of the pairs that lack a label.
        problems: decisions that no longer fit the votes.
    """

    pairs: tuple[Pair, ...]
    contested: tuple[Open, ...]
    pending: tuple[str, ...]
    problems: tuple[Problem, ...]


def decide(
    tasks: TaskSet, answers: Iterable[Answer], guideline: Guideline, resolved: Sequence[Open] = ()
) -> Decided:
    """Label word pairs by the majority of the votes, and by what was agreed upon where they do not decide.

    A pair that was judged in both directions must be judged alike: the shift mirrored, the judgements
    exchanged, the axis the same. Where one direction is tied or without votes, the label is open, too.

    Args:
        tasks: word pairs.
        answers: that count.
        guideline: has the variables.
        resolved: what was agreed upon, as `read_open` returns it.

    Source:
        Jakob et al. 2025, section 3.4.
    """
    counted = votes(answers, guideline.steps)
    asked: dict[str, dict[Direction, str]] = {}
    for task in tasks.tasks:
        pair, direction = pair_of(task.id)
        asked.setdefault(pair, {})[direction] = task.id
    rows = {pair_of(task.id)[0]: task.row for task in tasks.tasks}
    agreed = {(each.pair_id, each.variable): each for each in resolved if each.resolved}
    pairs, contested, pending, problems = [], [], [], []
    for pair, directions in asked.items():
        row = rows[pair]
        labels: dict[str, str] = {}
        for variable in (step.id for step in guideline.steps):
            said = {side: _said(counted, directions[side], side, variable) for side in directions}
            value, reason = _common(list(said.values()))
            decision = agreed.pop((pair, variable), None)
            if value is None:
                shown_votes = {side: str(said[side]) if side in said else "" for side in DIRECTIONS}
                case = Open(pair, row["first"], row["second"], variable, reason, **shown_votes)
                if decision and _votes(decision) == _votes(case):
                    case = replace(case, resolved=decision.resolved, note=decision.note)
                elif decision:
                    problems.append(_stale(decision, "the votes are others; clear it and decide again"))
                contested.append(case)
                value = case.resolved or None
            elif decision:
                problems.append(_stale(decision, f"the votes decide for {value!r}; remove the line"))
            if value is not None:
                labels[variable] = value
        if len(labels) == len(guideline.steps):
            pairs.append(_pair(pair, row, labels))
        else:
            pending.append(pair)
    problems += [_stale(each, "no such label was asked for; remove the line") for each in agreed.values()]
    return Decided(tuple(pairs), tuple(contested), tuple(pending), tuple(problems))


def open_tsv(contested: Iterable[Open]) -> str:
    """Return open labels as a table for a discussion, which fills the column ``resolved``."""
    return sheet(COLUMNS, ([guarded(getattr(each, name)) for name in COLUMNS] for each in contested))


def read_open(path: Path, guideline: Guideline) -> list[Open]:
    """Read what `open_tsv` wrote and a discussion filled in.

    Raises:
        SheetError: with one line for every line that cannot be used.
    """
    variables = {step.id: step for step in guideline.steps}
    found: dict[tuple[str, str], Open] = {}
    problems = []
    for line, row in named_rows(path, COLUMNS, "a table of open labels", unguard=True):
        if isinstance(row, str):
            problem = row
        elif row["variable"] not in variables:
            problem = (
                f"variable: found {row['variable']!r}, expected one of {', '.join(variables)}; restore it"
            )
        elif (row["pair_id"], row["variable"]) in found:
            problem = f"pair_id: found {row['pair_id']!r} with {row['variable']} twice; keep one of the lines"
        else:
            variable = variables[row["variable"]]
            value = variable.value(row["resolved"])
            if value is not None or not row["resolved"]:
                cells = {name: row[name] for name in COLUMNS} | {"resolved": value or ""}
                found[row["pair_id"], row["variable"]] = Open(**cells)
                continue
            expected = ", ".join(variable.values)
            problem = f"resolved: found {row['resolved']!r}, expected one of {expected}; correct it"
        problems.append(f"{shown(path)}:{line}: {problem}")
    if problems:
        raise SheetError(problems)
    return list(found.values())


def _said(counted: Mapping[tuple[str, str], Vote], task: str, side: Direction, variable: str) -> Vote:
    """Return the votes of one direction, said of the pair as it is written."""
    if side == "forward":
        return counted.get((task, variable), _NONE)
    vote = counted.get((task, _EXCHANGED.get(variable, variable)), _NONE)
    if variable != "shift":
        return vote
    mirrored = {_MIRRORED.get(value, value): count for value, count in vote.counts.items()}
    return Vote({value: mirrored[value] for value in get_args(Shift) if value in mirrored})


def _common(said: Sequence[Vote]) -> tuple[str | None, str]:
    """Return the value on which all directions agree, or None and why there is none."""
    winners = [vote.winner for vote in said]
    if not all(vote.counts for vote in said):
        return None, "no-votes"
    if None in winners:
        return None, "tie"
    return (winners[0], "") if len({*winners}) == 1 else (None, "conflict")


def _votes(case: Open) -> tuple[str, str]:
    return case.forward, case.reverse


def _stale(decision: Open, why: str) -> Problem:
    said = f"{decision.variable}: found the decision {decision.resolved!r}, but {why}"
    return Problem(decision.pair_id, "stale", said)


def _pair(pair: str, row: Mapping[str, str], labels: Mapping[str, str]) -> Pair:
    origin = {"collected": row.get("collected") or "generated", "printed": row.get("printed") or EMPTY}
    words = {name: row[name] for name in ("first", "second")}
    try:
        return Pair.model_validate({"pair_id": pair, **words, **labels, **origin})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(
            f"tasks of the pair {pair[:_SHOWN]!r}: {field}: found {str(first['input'])[:_SHOWN]!r} "
            f"({first['msg'].lower()}); correct the source and export it again"
        ) from None

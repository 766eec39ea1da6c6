"""Answers of annotators, read and checked against their tasks."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.errors import InputError, replace_surrogates
from polbias.files import read_json
from polbias.generators.authoring.annotation.tasks import (
    ANNOTATOR,
    ASSIGNED,
    COMMENT,
    TASK_ID,
    AnnotationTask,
    Kind,
    TaskSet,
    Variable,
    fields_of,
    load_guideline,
)
from polbias.spreadsheets import SheetProblem, read_rows, rows_by_column
from polbias.yaml_models import display_path

# Answers as their files have them: filled-in tables, and what Label Studio exports (JSON, JSON-MIN, CSV).


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """One line of answers, unchecked.

    Attributes:
        place: file, and line or task.
        task_id: as it stands there.
        accounts: what the annotator may be called there: a name, an address, a number.
        assigned: whom the task was exported for, empty where the file does not say.
        texts: fields of the task that the file repeats.
        values: by variable, and the comment; empty ones are left out.
    """

    location: str
    task_id: str
    accounts: tuple[str, ...]
    assigned: str
    texts: Mapping[str, str]
    values: Mapping[str, str]


_Line = tuple[str, str | tuple[tuple[str, ...], Mapping[str, str]]]  # place; accounts and cells, or a fault


def read_answers(paths: Iterable[Path], kind: Kind) -> tuple[list[RawAnswer], list[SheetProblem]]:
    """Read files of answers."""
    answers: list[RawAnswer] = []
    problems: list[SheetProblem] = []
    variables = [each.id for each in load_guideline().variables(kind)]
    for path in paths:
        lines = _json if path.suffix.lower() == ".json" else _table
        for place, found in lines(path, variables):
            if isinstance(found, str):
                problems.append(SheetProblem(place, "unreadable", found))
                continue
            accounts, row = found
            texts = {name: row[name] for name in fields_of(kind) if name in row}
            values = {name: row[name] for name in (*variables, COMMENT) if row.get(name, "").strip()}
            answers.append(
                RawAnswer(place, row.get(TASK_ID, ""), accounts, row.get(ASSIGNED, ""), texts, values)
            )
    return answers, problems


def _table(path: Path, variables: Sequence[str]) -> Iterator[_Line]:
    for line, row in rows_by_column(path, (TASK_ID, ANNOTATOR, *variables), "a table of answers"):
        yield (
            f"{display_path(path)}:{line}",
            row if isinstance(row, str) else (_accounts(row[ANNOTATOR]), row),
        )


def _json(path: Path, variables: Sequence[str]) -> Iterator[_Line]:
    data = read_json(path, "tasks that Label Studio exports")
    if not isinstance(data, list):
        raise InputError(
            f"{display_path(path)}: found {type(data).__name__}, expected a list of tasks; export again"
        )
    for number, task in enumerate(data, 1):
        place = f"{display_path(path)}: entry {number}"
        if not isinstance(task, dict):
            yield place, f"found {type(task).__name__}, expected a task; not used"
        elif replace_surrogates(told := json.dumps(task, ensure_ascii=False)) != told:
            yield place, "found half a character, such as \\ud83d; not used, export again"
        elif isinstance(task.get("data"), dict):
            yield from _task(place, task, variables)
        elif TASK_ID in task:
            flat = {name: _flat(value) for name, value in task.items()}
            yield place, (_accounts(task.get(ANNOTATOR)), flat)
        else:
            yield place, f"found neither data nor {TASK_ID}; not used"


def _task(place: str, task: Mapping[str, Any], variables: Sequence[str]) -> Iterator[_Line]:
    data = {name: _flat(value) for name, value in task["data"].items() if name not in variables}
    annotations = task.get("annotations", [])
    if not isinstance(annotations, list):
        yield place, "annotations: found no list; not used"
        return
    for number, annotation in enumerate(annotations, 1):
        here = f"{place}, annotation {number}"
        results = annotation.get("result") if isinstance(annotation, dict) else None
        if not isinstance(results, list):
            yield here, "result: found no list; not used"
            continue
        values: dict[str, list[str]] = {}
        for result in [] if annotation.get("was_cancelled") else results:  # skipped by the annotator
            name, said = _result(result)
            if name in (*variables, COMMENT):
                values.setdefault(name, []).extend(said)
            else:
                yield here, f"from_name: found {name!r}, expected {', '.join(variables)}"
        row = {name: (" " if name == COMMENT else " | ").join(said) for name, said in values.items()}
        yield here, (_accounts(annotation.get("completed_by")), data | row)


def _result(result: Any) -> tuple[str, list[str]]:
    """Return the variable and the choices of a result."""
    if not isinstance(result, dict) or not isinstance(result.get("value"), dict):
        return "", []
    value = result["value"]
    said = value.get("choices", value.get("text", []))
    return str(result.get("from_name")), [
        _flat(each) for each in (said if isinstance(said, list) else [said])
    ]


def _flat(value: Any) -> str:
    """Return a value of JSON-MIN as text: several choices stand side by side."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, list):
        return " | ".join(map(_flat, value))
    return "" if value is None else str(value)


def _accounts(value: Any) -> tuple[str, ...]:
    """Return what somebody may be called by ``completed_by`` or ``annotator``."""
    names = [value.get(name) for name in ("email", "username", "id")] if isinstance(value, dict) else [value]
    return tuple(str(name) for name in names if name not in (None, ""))


# Who annotated: names, accounts, and where they stand on the political compass.

COLUMNS = ("annotator", "accounts", "economic", "social")


@dataclass(frozen=True, slots=True)
class Annotator:
    """An annotator.

    Attributes:
        name: used in files and tables.
        accounts: what Label Studio calls the person: addresses, numbers.
        economic: of the political compass test, -10 left to 10 right; None if not known.
        social: the same, -10 libertarian to 10 authoritarian.

    Source:
        Jakob et al. 2025, section 3.4 and Appendix D.4.
    """

    name: str
    accounts: tuple[str, ...] = ()
    economic: float | None = None
    social: float | None = None


def read_annotators(path: Path) -> list[Annotator]:
    """Read a table of annotators."""
    names: set[str] = set()
    owners: dict[str, str] = {}

    def read(row: Mapping[str, str], line: int) -> Annotator:
        name, accounts = row["annotator"], tuple(row["accounts"].split())
        if not name or name in names:
            raise ValueError(f"annotator: found {name!r}, expected a name, each once")
        for account in accounts:
            if owners.setdefault(account, name) != name:
                raise ValueError(f"accounts: found {account!r}, which is {owners[account]}'s; keep one")
        person = Annotator(name, accounts, _position("economic", row), _position("social", row))
        names.add(name)
        return person

    return read_rows(path, COLUMNS, "a table of annotators", read)


def _position(field: str, row: Mapping[str, str]) -> float | None:
    text = row[field].replace(",", ".").replace("−", "-")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not -10 <= value <= 10:
        raise ValueError(f"{field}: found {row[field]!r}, expected a number from -10 to 10, or nothing")
    return value


# Answers checked against their tasks: what counts, and a reason for everything that does not.

_NOBODY = "annotator: found nothing, expected a name; not used, fill the column in"
_Key = tuple[str, str]  # task and annotator
_SHOWN = 60  # characters of a text in a message


@dataclass(frozen=True, slots=True)
class AnnotatorAnswer:
    """What one annotator said about one task.

    Attributes:
        task_id: the task.
        annotator: who.
        values: by variable; those without a usable value are left out.
        comment: empty if there is none.
        place: file, and line or task.
    """

    task_id: str
    annotator: str
    values: Mapping[str, str]
    comment: str
    location: str


@dataclass(frozen=True, slots=True)
class CollectedAnswers:
    """Answers that count, by task in the order of the tasks, and what a person should look at."""

    answers: tuple[AnnotatorAnswer, ...]
    problems: tuple[SheetProblem, ...]

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everyone with an answer that counts, in alphabetical order."""
        return tuple(sorted({answer.annotator for answer in self.answers}))


def collect_answers(
    tasks: TaskSet, raw: Iterable[RawAnswer], people: Sequence[Annotator] = ()
) -> CollectedAnswers:
    """Check answers against tasks.

    An answer to a task that is not there or whose text has changed does not count; of an answer with an
    unknown value, the other values do. What one annotator said twice counts once; not at all if it differs.
    """
    known, variables = tasks.by_id(), load_guideline().variables(tasks.kind)
    name_of = _naming(people)
    problems: list[SheetProblem] = []
    given: dict[_Key, AnnotatorAnswer] = {}
    spoiled: set[_Key] = set()
    blank: dict[_Key, str] = {}
    seen = dict.fromkeys(tasks.annotators)
    for each in raw:
        name = name_of(each)
        if isinstance(name, SheetProblem):
            problems.append(name)
            continue
        seen[name] = None
        key = each.task_id, name
        task = known.get(each.task_id)
        if task is None:
            said = f"task_id: found {each.task_id!r}, expected a task of this export; not used"
            problems.append(SheetProblem(each.location, "extra", said))
        elif difference := _difference(each, task):
            problems.append(SheetProblem(each.location, "changed-text", difference))
            spoiled.add(key)
        elif not any(each.values.get(variable.id) for variable in variables):
            blank.setdefault(key, each.location)
        else:
            values = dict(_values(each, variables, problems))
            answer = AnnotatorAnswer(each.task_id, name, values, each.values.get(COMMENT, ""), each.location)
            before = given.setdefault(key, answer)
            if before is not answer:
                problems.append(_twice(before, answer))
                if before.values != values:
                    spoiled.add(key)
    for name in seen:
        for id_ in known:
            key = id_, name
            if key in given or key in spoiled:
                continue
            if key in blank:
                said = f"{id_}: {name} has not answered; add the answer"
                problems.append(SheetProblem(blank[key], "unanswered", said))
            else:
                problems.append(SheetProblem(name, "missing", f"{id_}: no line of {name}; restore it"))
    place = {id_: number for number, id_ in enumerate(known)}
    kept = [answer for key, answer in given.items() if key not in spoiled and answer.values]
    kept.sort(key=lambda answer: (place[answer.task_id], answer.annotator))
    return CollectedAnswers(tuple(kept), tuple(problems))


def _values(
    raw: RawAnswer, variables: Iterable[Variable], problems: list[SheetProblem]
) -> Iterator[tuple[str, str]]:
    for variable in variables:
        said = raw.values.get(variable.id, "")
        value = variable.value(said)
        expected = f"expected one of {', '.join(variable.values)}"
        if value is not None:
            yield variable.id, value
        elif said:
            wrong = f"{variable.id}: found {said!r}, {expected}; not used"
            problems.append(SheetProblem(raw.location, "unknown-value", wrong))
        else:
            missing = f"{variable.id}: found nothing, {expected}; add it"
            problems.append(SheetProblem(raw.location, "no-value", missing))


def _naming(people: Sequence[Annotator]) -> Callable[[RawAnswer], str | SheetProblem]:
    """Return what gives accounts their names; tasks exported for somebody are answered by one account."""
    names = {account: person.name for person in people for account in person.accounts}
    names |= {person.name: person.name for person in people}
    firsts: dict[str, str] = {}

    def name_of(raw: RawAnswer) -> str | SheetProblem:
        for account in raw.accounts:
            if account in names:
                return names[account]
        account = raw.accounts[0] if raw.accounts else ""
        first = firsts.setdefault(raw.assigned, account) if raw.assigned else account
        if first != account:
            said = f"the tasks of {raw.assigned} are answered by {first!r} and {account!r}; not used"
            return SheetProblem(
                raw.location, "several-accounts", f"{said}, name both in the table of annotators"
            )
        if not raw.assigned and not account:
            return SheetProblem(raw.location, "no-annotator", _NOBODY)
        return raw.assigned or account

    return name_of


def _difference(raw: RawAnswer, task: AnnotationTask) -> str:
    """Return how the text of a line differs from its task; empty if it does not."""
    for field, found in raw.texts.items():
        if _fold(found) != _fold(task.texts[field]):
            expected = task.texts[field][:_SHOWN]
            return f"{field}: found {found[:_SHOWN]!r}, expected {expected!r}; not used, restore it"
    return ""


def _twice(before: AnnotatorAnswer, answer: AnnotatorAnswer) -> SheetProblem:
    said = f"{answer.task_id}: {answer.annotator} has answered in {before.location} too"
    if before.values == answer.values:
        return SheetProblem(answer.location, "repeated", f"{said}, the same; counted once")
    return SheetProblem(answer.location, "contradictory", f"{said}, otherwise; neither is used, keep one")


def _fold(text: str) -> str:
    return " ".join(text.split())

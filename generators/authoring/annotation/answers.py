"""Answers of annotators, read and checked against their tasks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.files import InputError, read_json, whole
from polbias.generators.authoring.annotation.tasks import (
    ANNOTATOR,
    ASSIGNED,
    COMMENT,
    FIELDS,
    TASK_ID,
    Guideline,
    Kind,
    Task,
    TaskSet,
)
from polbias.generators.engine.spreadsheets import SheetError, named_rows
from polbias.template_files import shown

# Answers as their files have them: filled-in tables, and what Label Studio exports (JSON, JSON-MIN, CSV).


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a line of answers that a person should look at.

    Attributes:
        place: file, and line or task.
        code: ``unreadable``, ``no-annotator``, ``several-accounts``, ``extra``, ``changed-text``,
            ``unknown-value``, ``no-value``, ``unanswered``, ``repeated``, ``contradictory``, ``missing`` or
            ``stale``.
        detail: field, what was found, what was expected, and what becomes of it.
    """

    place: str
    code: str
    detail: str

    def line(self) -> str:
        """Return the problem as a person reads it."""
        return f"{self.place}: {self.code}: {self.detail}"


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

    place: str
    task_id: str
    accounts: tuple[str, ...]
    assigned: str
    texts: Mapping[str, str]
    values: Mapping[str, str]


def read_answers(
    paths: Iterable[Path], kind: Kind, guideline: Guideline
) -> tuple[list[RawAnswer], list[Problem]]:
    """Read files of answers."""
    answers: list[RawAnswer] = []
    problems: list[Problem] = []
    names = _Names(FIELDS[kind], tuple(each.id for each in guideline.variables(kind)))
    for path in paths:
        found = _json(path, names) if path.suffix.lower() == ".json" else _table(path, names)
        for each in found:
            if isinstance(each, Problem):
                problems.append(each)
            else:
                answers.append(each)
    return answers, problems


@dataclass(frozen=True, slots=True)
class _Names:
    fields: Sequence[str]
    variables: Sequence[str]

    def raw(self, place: str, accounts: Iterable[str], row: Mapping[str, str]) -> RawAnswer:
        """Return a flat line as an answer."""
        texts = {name: row[name] for name in self.fields if name in row}
        values = {name: row[name] for name in (*self.variables, COMMENT) if row.get(name, "").strip()}
        known = tuple(name for name in accounts if name)
        return RawAnswer(place, row.get(TASK_ID, ""), known, row.get(ASSIGNED, ""), texts, values)


def _table(path: Path, names: _Names) -> Iterable[RawAnswer | Problem]:
    needed = (TASK_ID, ANNOTATOR, *names.variables)
    for line, row in named_rows(path, needed, "a table of answers", unguard=True):
        place = f"{shown(path)}:{line}"
        if isinstance(row, str):
            yield Problem(place, "unreadable", row)
        else:
            yield names.raw(place, [row[ANNOTATOR]], row)


def _json(path: Path, names: _Names) -> Iterable[RawAnswer | Problem]:
    data = read_json(path, "tasks that Label Studio exports")
    if not isinstance(data, list):
        raise InputError(
            f"{shown(path)}: found {type(data).__name__}, expected a list of tasks; export again"
        )
    for number, task in enumerate(data, 1):
        place = f"{shown(path)}: entry {number}"
        if not isinstance(task, dict):
            yield Problem(place, "unreadable", f"found {type(task).__name__}, expected a task; not used")
        elif whole(told := json.dumps(task, ensure_ascii=False)) != told:
            yield Problem(
                place, "unreadable", "found half a character, such as \\ud83d; not used, export again"
            )
        elif isinstance(task.get("data"), dict):
            yield from _task(place, task, names)
        elif TASK_ID in task:
            flat = {name: _flat(value) for name, value in task.items()}
            yield names.raw(place, _accounts(task.get(ANNOTATOR)), flat)
        else:
            yield Problem(place, "unreadable", f"found neither data nor {TASK_ID}; not used")


def _task(place: str, task: Mapping[str, Any], names: _Names) -> Iterable[RawAnswer | Problem]:
    shown_data = {name: _flat(value) for name, value in task["data"].items()}
    annotations = task.get("annotations", [])
    if not isinstance(annotations, list):
        yield Problem(place, "unreadable", "annotations: found no list; not used")
        return
    for number, annotation in enumerate(annotations, 1):
        here = f"{place}, annotation {number}"
        results = annotation.get("result") if isinstance(annotation, dict) else None
        if not isinstance(results, list):
            yield Problem(here, "unreadable", "result: found no list; not used")
            continue
        values: dict[str, list[str]] = {}
        if not annotation.get("was_cancelled"):  # skipped by the annotator
            for result in results:
                name, said = _result(result)
                if name not in (*names.variables, COMMENT):
                    expected = ", ".join(names.variables)
                    yield Problem(here, "unreadable", f"from_name: found {name!r}, expected {expected}")
                else:
                    values.setdefault(name, []).extend(said)
        flat = {
            name: " ".join(said) if name == COMMENT else " | ".join(said) for name, said in values.items()
        }
        row = {name: text for name, text in shown_data.items() if name not in names.variables}
        yield names.raw(here, _accounts(annotation.get("completed_by")), row | flat)


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


def _accounts(value: Any) -> list[str]:
    """Return what somebody may be called by ``completed_by`` or ``annotator``."""
    if isinstance(value, dict):
        return [str(value[name]) for name in ("email", "username", "id") if value.get(name) not in (None, "")]
    return [] if value is None else [str(value)]


# Who annotated: names, accounts, and where they stand on the political compass.

COLUMNS = ("annotator", "accounts", "economic", "social")
_END = 10.0


@dataclass(frozen=True, slots=True)
class Person:
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


def read_people(path: Path) -> list[Person]:
    """Read a table of annotators."""
    found: dict[str, Person] = {}
    owners: dict[str, str] = {}
    problems = []
    for line, row in named_rows(path, COLUMNS, "a table of annotators", unguard=True):
        try:
            if isinstance(row, str):
                raise ValueError(row)
            name, accounts = row["annotator"], tuple(row["accounts"].split())
            if not name or name in found:
                raise ValueError(f"annotator: found {name!r}, expected a name, each once")
            for account in accounts:
                if owners.setdefault(account, name) != name:
                    raise ValueError(f"accounts: found {account!r}, which is {owners[account]}'s; keep one")
            found[name] = Person(name, accounts, _position("economic", row), _position("social", row))
        except ValueError as error:
            problems.append(f"{shown(path)}:{line}: {error}")
    if problems:
        raise SheetError(problems)
    return list(found.values())


def _position(field: str, row: Mapping[str, str]) -> float | None:
    text = row[field].replace(",", ".").replace("−", "-")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not -_END <= value <= _END:
        raise ValueError(f"{field}: found {row[field]!r}, expected a number from -10 to 10, or nothing")
    return value


# Answers checked against their tasks: what counts, and a reason for everything that does not.

_NOBODY = "annotator: found nothing, expected a name; not used, fill the column in"
_Key = tuple[str, str]  # task and annotator
_SHOWN = 60  # characters of a text in a message


@dataclass(frozen=True, slots=True)
class Answer:
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
    place: str


@dataclass(frozen=True, slots=True)
class Collected:
    """Answers that count, by task in the order of the tasks, and what a person should look at."""

    answers: tuple[Answer, ...]
    problems: tuple[Problem, ...]

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everyone with an answer that counts, in alphabetical order."""
        return tuple(sorted({answer.annotator for answer in self.answers}))


def collect(
    tasks: TaskSet, raw: Iterable[RawAnswer], guideline: Guideline, people: Sequence[Person] = ()
) -> Collected:
    """Check answers against tasks.

    An answer to a task that is not there or whose text has changed does not count; of an answer with an
    unknown value, the other values do. What one annotator said twice counts once; not at all if it differs.
    """
    checking = _Checking(tasks, guideline, people)
    for each in raw:
        checking.take(each)
    return checking.result()


class _Checking:
    """Answers taken one by one."""

    def __init__(self, tasks: TaskSet, guideline: Guideline, people: Sequence[Person]) -> None:
        self._tasks, self._known = tasks, tasks.by_id()
        self._variables = guideline.variables(tasks.kind)
        self._names = _Naming(people)
        self._problems: list[Problem] = []
        self._given: dict[_Key, Answer] = {}
        self._spoiled: set[_Key] = set()
        self._blank: dict[_Key, str] = {}
        self._seen: dict[str, None] = dict.fromkeys(tasks.annotators)

    def take(self, raw: RawAnswer) -> None:
        """Check one answer."""
        name, problem = self._names.of(raw)
        if problem or not name:
            self._problems.append(problem or Problem(raw.place, "no-annotator", _NOBODY))
            return
        self._seen[name] = None
        key = raw.task_id, name
        task = self._known.get(raw.task_id)
        if task is None:
            said = f"task_id: found {raw.task_id!r}, expected a task of this export; not used"
            self._tell(raw, "extra", said)
        elif difference := _difference(raw, task):
            self._tell(raw, "changed-text", difference)
            self._spoiled.add(key)
        elif not any(raw.values.get(variable.id) for variable in self._variables):
            self._blank.setdefault(key, raw.place)
        else:
            values = self._values(raw)
            answer = Answer(raw.task_id, name, values, raw.values.get(COMMENT, ""), raw.place)
            before = self._given.setdefault(key, answer)
            if before is not answer:
                self._problems.append(_twice(before, answer))
                if before.values != values:
                    self._spoiled.add(key)

    def result(self) -> Collected:
        """Return what counts, and what is missing."""
        answers = {key: answer for key, answer in self._given.items() if key not in self._spoiled}
        reported = self._given.keys() | self._spoiled
        for name in self._seen:
            for task in self._tasks.tasks:
                key = task.id, name
                if key in self._blank and key not in reported:
                    said = f"{task.id}: {name} has not answered; add the answer"
                    self._problems.append(Problem(self._blank[key], "unanswered", said))
                elif key not in reported:
                    said = f"{task.id}: no line of {name}; restore it"
                    self._problems.append(Problem(name, "missing", said))
        place = {task.id: number for number, task in enumerate(self._tasks.tasks)}
        kept = sorted(answers.values(), key=lambda answer: (place[answer.task_id], answer.annotator))
        return Collected(tuple(each for each in kept if each.values), tuple(self._problems))

    def _values(self, raw: RawAnswer) -> dict[str, str]:
        values: dict[str, str] = {}
        for variable in self._variables:
            said = raw.values.get(variable.id, "")
            value = variable.value(said)
            expected = f"expected one of {', '.join(variable.values)}"
            if value is not None:
                values[variable.id] = value
            elif said:
                self._tell(raw, "unknown-value", f"{variable.id}: found {said!r}, {expected}; not used")
            else:
                self._tell(raw, "no-value", f"{variable.id}: found nothing, {expected}; add it")
        return values

    def _tell(self, raw: RawAnswer, code: str, detail: str) -> None:
        self._problems.append(Problem(raw.place, code, detail))


class _Naming:
    """Gives accounts their names; tasks exported for somebody are answered by one account."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._names = {account: person.name for person in people for account in person.accounts}
        self._names |= {person.name: person.name for person in people}
        self._accounts: dict[str, str] = {}

    def of(self, raw: RawAnswer) -> tuple[str | None, Problem | None]:
        """Return the name of who answered, or why there is none."""
        for account in raw.accounts:
            if account in self._names:
                return self._names[account], None
        account = raw.accounts[0] if raw.accounts else ""
        if not raw.assigned:
            return account or None, None
        first = self._accounts.setdefault(raw.assigned, account)
        if first != account:
            said = (
                f"the tasks of {raw.assigned} are answered by {first!r} and {account!r}; not used, name both"
            )
            return None, Problem(raw.place, "several-accounts", f"{said} in the table of annotators")
        return raw.assigned, None


def _difference(raw: RawAnswer, task: Task) -> str:
    """Return how the text of a line differs from its task; empty if it does not."""
    for field, found in raw.texts.items():
        if _fold(found) != _fold(task.texts[field]):
            expected = task.texts[field][:_SHOWN]
            return f"{field}: found {found[:_SHOWN]!r}, expected {expected!r}; not used, restore it"
    return ""


def _twice(before: Answer, answer: Answer) -> Problem:
    said = f"{answer.task_id}: {answer.annotator} has answered in {before.place} too"
    if before.values == answer.values:
        return Problem(answer.place, "repeated", f"{said}, the same; counted once")
    return Problem(answer.place, "contradictory", f"{said}, otherwise; neither is used, keep one")


def _fold(text: str) -> str:
    return " ".join(text.split())

"""Annotators' answers: parse them and check them against their tasks."""

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

# Answers in files: filled-in tables, and Label Studio exports (JSON, JSON-MIN, CSV).


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """An unchecked answer to one task.

    Attributes:
        location: file, and line or task.
        task_id: as in the file.
        accounts: names of the annotator in the file: a name, an address, a number.
        assigned: annotator for whom the task was exported; empty if the file has none.
        texts: fields of the task that the file repeats.
        values: non-empty values by variable, and the comment.
    """

    location: str
    task_id: str
    accounts: tuple[str, ...]
    assigned: str
    texts: Mapping[str, str]
    values: Mapping[str, str]


_Line = tuple[str, str | tuple[tuple[str, ...], Mapping[str, str]]]  # location; accounts and cells, or error


def read_answers(paths: Iterable[Path], kind: Kind) -> tuple[list[RawAnswer], list[SheetProblem]]:
    """Parse files of answers."""
    answers: list[RawAnswer] = []
    problems: list[SheetProblem] = []
    variables = [variable.id for variable in load_guideline().variables(kind)]
    for path in paths:
        read_lines = _read_json if path.suffix.lower() == ".json" else _read_table
        for location, cells_or_problem in read_lines(path, variables):
            if isinstance(cells_or_problem, str):
                problems.append(SheetProblem(location, "unreadable", cells_or_problem))
                continue
            accounts, row = cells_or_problem
            texts = {name: row[name] for name in fields_of(kind) if name in row}
            values = {name: row[name] for name in (*variables, COMMENT) if row.get(name, "").strip()}
            answers.append(
                RawAnswer(location, row.get(TASK_ID, ""), accounts, row.get(ASSIGNED, ""), texts, values)
            )
    return answers, problems


def _read_table(path: Path, variables: Sequence[str]) -> Iterator[_Line]:
    for line, row in rows_by_column(path, (TASK_ID, ANNOTATOR, *variables), "a table of answers"):
        yield (
            f"{display_path(path)}:{line}",
            row if isinstance(row, str) else (_accounts(row[ANNOTATOR]), row),
        )


def _read_json(path: Path, variables: Sequence[str]) -> Iterator[_Line]:
    data = read_json(path, "tasks that Label Studio exports")
    if not isinstance(data, list):
        raise InputError(
            f"{display_path(path)}: found {type(data).__name__}, expected a list of tasks; export again"
        )
    for number, task in enumerate(data, 1):
        location = f"{display_path(path)}: entry {number}"
        if not isinstance(task, dict):
            yield location, f"found {type(task).__name__}, expected a task; not used"
        elif replace_surrogates(text := json.dumps(task, ensure_ascii=False)) != text:
            yield location, "found half a character, such as \\ud83d; not used, export again"
        elif isinstance(task.get("data"), dict):
            yield from _parse_task(location, task, variables)
        elif TASK_ID in task:
            flat = {name: _flatten(value) for name, value in task.items()}
            yield location, (_accounts(task.get(ANNOTATOR)), flat)
        else:
            yield location, f"found neither data nor {TASK_ID}; not used"


def _parse_task(location: str, task: Mapping[str, Any], variables: Sequence[str]) -> Iterator[_Line]:
    data = {name: _flatten(value) for name, value in task["data"].items() if name not in variables}
    annotations = task.get("annotations", [])
    if not isinstance(annotations, list):
        yield location, "annotations: found no list; not used"
        return
    for number, annotation in enumerate(annotations, 1):
        annotation_location = f"{location}, annotation {number}"
        results = annotation.get("result") if isinstance(annotation, dict) else None
        if not isinstance(results, list):
            yield annotation_location, "result: found no list; not used"
            continue
        values: dict[str, list[str]] = {}
        for result in [] if annotation.get("was_cancelled") else results:  # skipped by the annotator
            name, choices = _parse_result(result)
            if name in (*variables, COMMENT):
                values.setdefault(name, []).extend(choices)
            else:
                yield annotation_location, f"from_name: found {name!r}, expected {', '.join(variables)}"
        row = {name: (" " if name == COMMENT else " | ").join(choices) for name, choices in values.items()}
        yield annotation_location, (_accounts(annotation.get("completed_by")), data | row)


def _parse_result(result: Any) -> tuple[str, list[str]]:
    """Return the variable and the choices of a Label Studio result."""
    if not isinstance(result, dict) or not isinstance(result.get("value"), dict):
        return "", []
    value = result["value"]
    choices = value.get("choices", value.get("text", []))
    return str(result.get("from_name")), [
        _flatten(choice) for choice in (choices if isinstance(choices, list) else [choices])
    ]


def _flatten(value: Any) -> str:
    """Return a JSON-MIN value as text, with several choices joined by " | "."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, list):
        return " | ".join(map(_flatten, value))
    return "" if value is None else str(value)


def _accounts(value: Any) -> tuple[str, ...]:
    """Return the account names in ``completed_by`` or ``annotator``."""
    names = [value.get(name) for name in ("email", "username", "id")] if isinstance(value, dict) else [value]
    return tuple(str(name) for name in names if name not in (None, ""))


# Annotators: names, accounts and positions on the political compass.

COLUMNS = ("annotator", "accounts", "economic", "social")


@dataclass(frozen=True, slots=True)
class Annotator:
    """An annotator.

    Attributes:
        name: used in files and tables.
        accounts: Label Studio's identifiers of the person: addresses, numbers.
        economic: of the political compass test, -10 left to 10 right; None if missing.
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
        person = Annotator(name, accounts, _parse_position("economic", row), _parse_position("social", row))
        names.add(name)
        return person

    return read_rows(path, COLUMNS, "a table of annotators", read)


def _parse_position(field: str, row: Mapping[str, str]) -> float | None:
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


# Answers checked against their tasks: valid answers, and a reason for every excluded answer.

_NO_ANNOTATOR = "annotator: found nothing, expected a name; not used, fill the column in"
_Key = tuple[str, str]  # task and annotator
_MAX_DISPLAYED = 60  # characters of a text in a message


@dataclass(frozen=True, slots=True)
class AnnotatorAnswer:
    """The answer of one annotator to one task.

    Attributes:
        task_id: the task.
        annotator: name of the annotator.
        values: valid values by variable.
        comment: empty if there is none.
        location: file, and line or task.
    """

    task_id: str
    annotator: str
    values: Mapping[str, str]
    comment: str
    location: str


@dataclass(frozen=True, slots=True)
class CollectedAnswers:
    """Valid answers, sorted by task in the order of the tasks, and problems for a person to check."""

    answers: tuple[AnnotatorAnswer, ...]
    problems: tuple[SheetProblem, ...]

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everyone with a valid answer, in alphabetical order."""
        return tuple(sorted({answer.annotator for answer in self.answers}))


def collect_answers(
    tasks: TaskSet, raw_answers: Iterable[RawAnswer], people: Sequence[Annotator] = ()
) -> CollectedAnswers:
    """Check answers against tasks.

    Answers to unknown tasks or changed texts are excluded. An unknown value is dropped without the other
    values of its answer. Repeated answers of an annotator count once, or not at all if they differ.
    """
    task_by_id, variables = tasks.by_id(), load_guideline().variables(tasks.kind)
    find_name = _name_lookup(people)
    problems: list[SheetProblem] = []
    answer_by_key: dict[_Key, AnnotatorAnswer] = {}
    unusable_keys: set[_Key] = set()
    blank_location_by_key: dict[_Key, str] = {}
    annotators = dict.fromkeys(tasks.annotators)
    for raw in raw_answers:
        annotator = find_name(raw)
        if isinstance(annotator, SheetProblem):
            problems.append(annotator)
            continue
        annotators[annotator] = None
        key = raw.task_id, annotator
        task = task_by_id.get(raw.task_id)
        if task is None:
            message = f"task_id: found {raw.task_id!r}, expected a task of this export; not used"
            problems.append(SheetProblem(raw.location, "extra", message))
        elif difference := _describe_difference(raw, task):
            problems.append(SheetProblem(raw.location, "changed-text", difference))
            unusable_keys.add(key)
        elif not any(raw.values.get(variable.id) for variable in variables):
            blank_location_by_key.setdefault(key, raw.location)
        else:
            values = dict(_iter_values(raw, variables, problems))
            answer = AnnotatorAnswer(
                raw.task_id, annotator, values, raw.values.get(COMMENT, ""), raw.location
            )
            first = answer_by_key.setdefault(key, answer)
            if first is not answer:
                problems.append(_repeat_problem(first, answer))
                if first.values != values:
                    unusable_keys.add(key)
    for annotator in annotators:
        for id_ in task_by_id:
            key = id_, annotator
            if key in answer_by_key or key in unusable_keys:
                continue
            if key in blank_location_by_key:
                message = f"{id_}: {annotator} has not answered; add the answer"
                problems.append(SheetProblem(blank_location_by_key[key], "unanswered", message))
            else:
                problems.append(
                    SheetProblem(annotator, "missing", f"{id_}: no line of {annotator}; restore it")
                )
    position_by_id = {id_: number for number, id_ in enumerate(task_by_id)}
    usable_answers = [
        answer for key, answer in answer_by_key.items() if key not in unusable_keys and answer.values
    ]
    usable_answers.sort(key=lambda answer: (position_by_id[answer.task_id], answer.annotator))
    return CollectedAnswers(tuple(usable_answers), tuple(problems))


def _iter_values(
    raw: RawAnswer, variables: Iterable[Variable], problems: list[SheetProblem]
) -> Iterator[tuple[str, str]]:
    for variable in variables:
        text = raw.values.get(variable.id, "")
        value = variable.value(text)
        expected = f"expected one of {', '.join(variable.values)}"
        if value is not None:
            yield variable.id, value
        elif text:
            wrong = f"{variable.id}: found {text!r}, {expected}; not used"
            problems.append(SheetProblem(raw.location, "unknown-value", wrong))
        else:
            missing = f"{variable.id}: found nothing, {expected}; add it"
            problems.append(SheetProblem(raw.location, "no-value", missing))


def _name_lookup(people: Sequence[Annotator]) -> Callable[[RawAnswer], str | SheetProblem]:
    """Return a function from an answer to its annotator; an assigned export takes answers of one account."""
    names = {account: person.name for person in people for account in person.accounts}
    names |= {person.name: person.name for person in people}
    firsts: dict[str, str] = {}

    def find_name(raw: RawAnswer) -> str | SheetProblem:
        for account in raw.accounts:
            if account in names:
                return names[account]
        account = raw.accounts[0] if raw.accounts else ""
        first = firsts.setdefault(raw.assigned, account) if raw.assigned else account
        if first != account:
            message = f"the tasks of {raw.assigned} are answered by {first!r} and {account!r}; not used"
            return SheetProblem(
                raw.location, "several-accounts", f"{message}, name both in the table of annotators"
            )
        if not raw.assigned and not account:
            return SheetProblem(raw.location, "no-annotator", _NO_ANNOTATOR)
        return raw.assigned or account

    return find_name


def _describe_difference(raw: RawAnswer, task: AnnotationTask) -> str:
    """Return how the repeated text differs from its task; empty if equal."""
    for field, text in raw.texts.items():
        if _fold(text) != _fold(task.texts[field]):
            expected = task.texts[field][:_MAX_DISPLAYED]
            return f"{field}: found {text[:_MAX_DISPLAYED]!r}, expected {expected!r}; not used, restore it"
    return ""


def _repeat_problem(first: AnnotatorAnswer, answer: AnnotatorAnswer) -> SheetProblem:
    message = f"{answer.task_id}: {answer.annotator} has answered in {first.location} too"
    if first.values == answer.values:
        return SheetProblem(answer.location, "repeated", f"{message}, the same; counted once")
    return SheetProblem(answer.location, "contradictory", f"{message}, otherwise; neither is used, keep one")


def _fold(text: str) -> str:
    return " ".join(text.split())

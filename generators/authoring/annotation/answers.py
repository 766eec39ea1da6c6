"""Answers as their files have them: filled-in tables, and what Label Studio exports (JSON, JSON-MIN, CSV)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.cells import whole
from polbias.files import InputError
from polbias.generators.authoring.annotation.tasks import COMMENT, FIELDS, Guideline, Kind
from polbias.generators.engine.spreadsheets import named_rows
from polbias.generators.xphemism.annotation.exporting import ANNOTATOR, ASSIGNED, TASK_ID
from polbias.template_files import shown


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
    """Read files of answers.

    Args:
        paths: ``.json`` is what Label Studio exports as JSON or JSON-MIN, anything else a table.
        kind: of the tasks.
        guideline: has the variables.

    Returns:
        Answers in the order of the files, and what could not be read.

    Raises:
        InputError: if a whole file cannot be used.
    """
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
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"{shown(path)}: cannot be read ({error.strerror}); expected Label Studio's JSON"
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{shown(path)}: not JSON ({error}); export it from Label Studio again") from None
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

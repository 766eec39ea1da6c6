"""Tasks for annotators: spreadsheets and Label Studio projects, in an order of each annotator's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from polbias.cells import guarded
from polbias.files import InputError
from polbias.generators.authoring.annotation.tasks import COMMENT, FIELDS, Guideline, Kind
from polbias.generators.engine.spreadsheets import sheet
from polbias.generators.xphemism.annotation.tasks import Task, TaskSet, ordered

Form = Literal["csv", "label-studio"]
FORMS: tuple[Form, ...] = ("csv", "label-studio")
TASK_ID, ANNOTATOR, ASSIGNED = "task_id", "annotator", "assigned_to"
_NAME = re.compile(r"[A-Za-z0-9][\w.@-]*")


def export(tasks: TaskSet, guideline: Guideline, forms: Sequence[Form] = FORMS) -> Mapping[str, str]:
    """Return the files of an export, by name.

    Args:
        tasks: with everyone who is to judge them.
        guideline: goes with them.
        forms: ``csv`` writes ``answers.NAME.csv`` for every annotator, to be filled in, and ``guideline.md``;
            ``label-studio`` writes ``label-studio.NAME.json``, to be imported into a project, and
            ``label-studio.xml``, its labeling configuration.

    Returns:
        Texts by file name; ``tasks.json``, which reading back needs, is always among them.

    Raises:
        InputError: if an annotator's name cannot be part of a file name or comes twice, or there is none.
    """
    names = tasks.annotators
    if not names or len({name.casefold() for name in names}) < len(names):
        raise InputError(f"annotators: found {list(names)}, expected at least one, each once")
    for name in names:
        if not _NAME.fullmatch(name):
            raise InputError(f"annotator: found {name!r}, expected letters, digits and any of . _ - @")
    files = {"tasks.json": tasks.text()}
    if "csv" in forms:
        files["guideline.md"] = guideline.markdown(tasks.kind)
    if "label-studio" in forms:
        files["label-studio.xml"] = guideline.labeling_config(tasks.kind)
    for name in names:
        own = ordered(tasks.tasks, name, tasks.seed)
        if "csv" in forms:
            files[f"answers.{name}.csv"] = answers_csv(
                tasks.kind, guideline, ((each, name, {}) for each in own)
            )
        if "label-studio" in forms:
            files[f"label-studio.{name}.json"] = label_studio_tasks(own, name)
    return files


def answers_csv(kind: Kind, guideline: Guideline, rows: Iterable[tuple[Task, str, Mapping[str, str]]]) -> str:
    """Return a table of answers, formulas disarmed.

    Args:
        kind: of the tasks.
        guideline: has the variables.
        rows: task, annotator, and values by variable with the comment; empty where nothing is answered.
    """
    variables = [each.id for each in guideline.variables(kind)]
    columns = [TASK_ID, ANNOTATOR, *FIELDS[kind], *variables, COMMENT]
    lines = []
    for task, annotator, values in rows:
        cells = [task.id, annotator, *(task.texts[name] for name in FIELDS[kind])]
        cells += [values.get(name, "") for name in (*variables, COMMENT)]
        lines.append([guarded(cell) for cell in cells])
    return sheet(columns, lines, ",")


def label_studio_tasks(tasks: Sequence[Task], annotator: str) -> str:
    """Return tasks in Label Studio's import format; the number is the place, the stable id is in the data."""
    made = [
        {"id": number, "data": {TASK_ID: task.id, ASSIGNED: annotator, **task.texts}}
        for number, task in enumerate(tasks, 1)
    ]
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"

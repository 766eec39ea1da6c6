"""Exported, filled in, read back: the same, in every format and for any text."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.authoring.annotation.answers import collect_answers, read_answers
from polbias.generators.authoring.annotation.tasks import (
    FIELDS,
    Kind,
    TaskSet,
    answers_csv,
    label_studio_tasks,
    load_guideline,
    make_tasks,
    shuffle_tasks,
)

GUIDELINE = load_guideline()
Filled = Mapping[tuple[str, str], Mapping[str, str]]
# Whatever a claim may be made of, formulas and line ends included; blanks alone are no text.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: bool(text.split())
)
TEXTS |= st.sampled_from(['=HYPERLINK("x")', "-1", "+1", "@a", "'=x", 'a;b,c\t"d"', "„Ein Wort“\nnoch eins"])


@st.composite
def filled(draw: st.DrawFn) -> tuple[TaskSet, Filled]:
    """Draw tasks, and full answers of some annotators."""
    kind: Kind = draw(st.sampled_from(["words", "claims"]))
    names = draw(st.lists(st.sampled_from(["anna", "ben.b", "c@example.org"]), min_size=1, unique=True))
    key = "pair_id" if kind == "words" else "id"
    rows = [
        {key: f"x{n}", **{field: draw(TEXTS) for field in FIELDS[kind]}}
        for n in range(draw(st.integers(1, 4)))
    ]
    tasks = make_tasks(kind, rows, reverse=draw(st.booleans()))
    values = {
        (task.id, name): {v.id: draw(st.sampled_from(v.values)) for v in GUIDELINE.variables(kind)}
        for task in tasks
        for name in names
    }
    return TaskSet(kind=kind, seed=3, annotators=tuple(names), tasks=tasks), values


def as_csv(tasks: TaskSet, name: str, values: Filled) -> str:
    own = shuffle_tasks(tasks.tasks, name, tasks.seed)
    return answers_csv(tasks.kind, ((task, name, values[task.id, name]) for task in own))


def as_label_studio(tasks: TaskSet, name: str, values: Filled) -> str:
    made = json.loads(label_studio_tasks(shuffle_tasks(tasks.tasks, name, tasks.seed), name))
    for task in made:
        given = values[task["data"]["task_id"], name]
        result = [
            {"from_name": key, "to_name": "x", "type": "choices", "value": {"choices": [value]}}
            for key, value in given.items()
        ]
        task["annotations"] = [{"completed_by": {"email": name, "id": 1}, "result": result}]
    return json.dumps(made)


def as_json_min(tasks: TaskSet, name: str, values: Filled) -> str:
    made: list[dict[str, Any]] = json.loads(
        label_studio_tasks(shuffle_tasks(tasks.tasks, name, tasks.seed), name)
    )
    return json.dumps([{"annotator": 1, **t["data"], **values[t["data"]["task_id"], name]} for t in made])


FORMS = {"csv": as_csv, "full.json": as_label_studio, "min.json": as_json_min}


@settings(max_examples=60, deadline=None)
@given(filled(), st.sampled_from(sorted(FORMS)))
def test_what_is_filled_in_comes_back(drawn: tuple[TaskSet, Filled], form: str) -> None:
    tasks, values = drawn
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name in tasks.annotators:
            paths.append(Path(folder) / f"{name}.{form}")
            paths[-1].write_bytes(FORMS[form](tasks, name, values).encode())
        raw, unread = read_answers(paths, tasks.kind)
        found = collect_answers(tasks, raw)
        assert (unread, found.problems) == ([], ())
        assert {(a.task_id, a.annotator): a.values for a in found.answers} == values
        # The merged table is read like any other, and does not change any more.
        known = tasks.by_id()
        merged = answers_csv(tasks.kind, ((known[a.task_id], a.annotator, a.values) for a in found.answers))
        path = Path(folder) / "merged.csv"
        path.write_bytes(merged.encode())
        again = collect_answers(tasks, read_answers([path], tasks.kind)[0])
        assert [(a.task_id, a.annotator, a.values) for a in again.answers] == [
            (a.task_id, a.annotator, a.values) for a in found.answers
        ]
        assert again.problems == ()

"""Answers of all formats, and a report for everything that does not count."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import InputError
from polbias.generators.authoring.annotation.answers import (
    Annotator,
    CollectedAnswers,
    collect_answers,
    read_annotators,
    read_answers,
)
from polbias.generators.authoring.annotation.tasks import TaskSet, answers_csv, read_tasks
from polbias.spreadsheets import SheetError
from tests.authoring.annotation.conftest import claim_set, word_set

GOOD = {"axis": "social", "shift": "left", "judgmental_first": "0", "judgmental_second": "1"}


def read(
    tasks: TaskSet, path: Path, people: tuple[Annotator, ...] = ()
) -> tuple[CollectedAnswers, list[str]]:
    raw, unread = read_answers([path], tasks.kind)
    found = collect_answers(tasks, raw, people)
    return found, [each.code for each in (*unread, *found.problems)]


def table(path: Path, tasks: TaskSet, *values: Mapping[str, str]) -> Path:
    rows = [(task, "anna", given) for task, given in zip(tasks.tasks, values, strict=True)]
    path.write_text(answers_csv(tasks.kind, rows), "utf-8")
    return path


def entry(task: Any, account: Any, values: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    result = [
        {"from_name": name, "to_name": "second", "type": "choices", "value": {"choices": [value]}}
        for name, value in values.items()
    ]
    annotation = {"id": 1, "completed_by": account, "was_cancelled": False, "result": result, **more}
    data = {"task_id": task.id, "assigned_to": "anna", **task.texts}
    return {"id": 77, "data": data, "annotations": [annotation], "predictions": [], "project": 3}


def test_a_table_in_which_everything_is_wrong_once(tmp_path: Path) -> None:
    tasks = word_set("anna", "ben", reverse=True)  # six tasks
    given = [GOOD, {**GOOD, "shift": "up"}, {**GOOD, "axis": ""}, {}, {**GOOD, "comment": "=doubt"}, GOOD]
    path = table(tmp_path / "a.csv", tasks, *given)
    lines = path.read_text("utf-8").splitlines()
    lines[6] = lines[6].replace("Chor", "Kirchenchor")
    lines += [
        lines[1],
        lines[5].replace("left", "right"),
        "nothing,anna,a,b,social,left,0,1,",
        ",,,,,,,,",
        '"x',
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    found, codes = read(tasks, path)
    assert sorted(codes) == sorted(
        ["unknown-value", "no-value", "unanswered", "changed-text", "repeated", "contradictory", "extra"]
        + ["unreadable"]
        + ["missing"] * 6  # ben
    )
    by_id = {answer.task_id: answer.values for answer in found.answers}
    assert by_id == {
        "p0.forward": GOOD,
        "p0.reverse": {name: value for name, value in GOOD.items() if name != "shift"},
        "p1.forward": {name: value for name, value in GOOD.items() if name != "axis"},
    }
    places = {each.code: each.location for each in found.problems}
    assert places["unknown-value"].endswith("a.csv:3")
    assert places["contradictory"].endswith("a.csv:9")
    assert places["extra"].endswith("a.csv:10")
    said = next(str(each) for each in found.problems if each.code == "unknown-value")
    assert said.endswith("unknown-value: shift: found 'up', expected one of left, right, none; not used")


def test_a_line_without_annotator(tmp_path: Path) -> None:
    tasks = word_set("anna")
    path = table(tmp_path / "a.csv", tasks, GOOD, GOOD, GOOD)
    path.write_text(path.read_text("utf-8").replace(",anna,", ",,", 1), "utf-8")
    found, codes = read(tasks, path)
    assert codes == ["no-annotator", "missing"]
    assert len(found.answers) == 2


def test_the_json_that_label_studio_exports(tmp_path: Path) -> None:
    tasks = word_set("anna")
    one, two, three = tasks.tasks
    account = {"id": 4, "email": "a@example.org", "first_name": "A"}
    skipped = entry(two, account, GOOD, was_cancelled=True)
    odd = entry(three, account, {**GOOD, "shift": "left", "mood": "fine"})
    odd["annotations"][0]["result"][1]["value"]["choices"] = ["left", "right"]
    remark = {"from_name": "comment", "type": "textarea", "value": {"text": ["Not sure.", "Ask."]}}
    first = entry(one, account, GOOD)
    first["annotations"][0]["result"].append(remark)
    path = tmp_path / "e.json"
    path.write_text(
        json.dumps([first, skipped, odd, "x", {"id": 1}, {"data": {}, "annotations": 1}]), "utf-8"
    )
    found, codes = read(tasks, path)
    assert codes == ["unreadable"] * 4 + ["unknown-value", "unanswered"]
    assert [(a.task_id, a.annotator, a.comment) for a in found.answers] == [
        ("p0.forward", "anna", "Not sure. Ask."),
        ("p2.forward", "anna", ""),
    ]
    assert found.answers[0].values == GOOD
    assert "shift" not in found.answers[1].values


def test_two_accounts_for_the_tasks_of_one(tmp_path: Path) -> None:
    tasks = word_set("anna")
    one, two, three = tasks.tasks
    path = tmp_path / "e.json"
    path.write_text(json.dumps([entry(one, 4, GOOD), entry(two, 5, GOOD), entry(three, 4, GOOD)]), "utf-8")
    found, codes = read(tasks, path)
    assert codes == ["several-accounts", "missing"]
    people = (Annotator("anna", ("4",)), Annotator("ben", ("5", "b@example.org")))
    found, codes = read(tasks, path, people)
    assert {answer.annotator for answer in found.answers} == {"anna", "ben"}
    assert set(codes) == {"missing"}


def test_one_task_answered_by_several_accounts(tmp_path: Path) -> None:
    tasks = claim_set(count=1)
    both = entry(tasks.tasks[0], 1, {"similarity": "similar"})
    del both["data"]["assigned_to"]
    both["annotations"] += entry(tasks.tasks[0], {"id": 2}, {"similarity": "different"})["annotations"]
    path = tmp_path / "e.json"
    path.write_text(json.dumps([both]), "utf-8")
    found, codes = read(tasks, path)
    assert codes == []
    assert {a.annotator: a.values["similarity"] for a in found.answers} == {"1": "similar", "2": "different"}


def test_json_min(tmp_path: Path) -> None:
    tasks = word_set()
    flat = [
        {
            "id": 5,
            "task_id": task.id,
            **task.texts,
            **GOOD,
            "annotator": 9,
            "annotation_id": 3,
            "lead_time": 1.5,
        }
        for task in tasks.tasks
    ]
    flat[1]["shift"] = {"choices": ["left", "right"]}
    flat[2]["judgmental_first"] = 0
    path = tmp_path / "m.json"
    path.write_text(json.dumps(flat), "utf-8")
    found, codes = read(tasks, path)
    assert codes == ["unknown-value"]
    assert [answer.values for answer in found.answers] == [
        GOOD,
        {name: value for name, value in GOOD.items() if name != "shift"},
        GOOD,
    ]
    assert found.annotators == ("9",)


@pytest.mark.parametrize("text", ["{}", "[", "\xff"])
def test_a_file_that_is_no_export(text: str, tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"e\.json:"):
        read_answers([path], "words")
    with pytest.raises(InputError, match="cannot be read"):
        read_answers([tmp_path / "none.json"], "words")


def test_a_table_without_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("task_id,annotator\n", "utf-8")
    with pytest.raises(SheetError, match="a.csv:1: head: found task_id, annotator; expected .*shift"):
        read_answers([path], "words")


def test_people_and_their_compass(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    head = "annotator\taccounts\teconomic\tsocial\n"
    path.write_text(head + "anna\t4 a@example.org\t-3,5\t−4.25\nben\t\t\t\n", "utf-8")
    assert read_annotators(path) == [Annotator("anna", ("4", "a@example.org"), -3.5, -4.25), Annotator("ben")]
    path.write_text(head + "anna\t4\t11\t0\nben\t4\t0\tleft\n\t\t1\t\ncem\t\t\t\ncem\t\t\t\n", "utf-8")
    with pytest.raises(SheetError) as error:
        read_annotators(path)
    far, shared, nameless, twice = error.value.problems
    assert "p.tsv:2: economic: found '11', expected a number from -10 to 10" in far
    assert "p.tsv:3: accounts: found '4', which is anna's" in shared
    assert "p.tsv:4: annotator: found ''" in nameless
    assert "p.tsv:6: annotator: found 'cem', expected a name, each once" in twice


def test_half_a_character_is_reported(tmp_path: Path) -> None:
    tasks = word_set()
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([{"task_id": tasks.tasks[0].id, "annotator": "anna \ud83d", **GOOD}]), "utf-8")
    _, problems = read_answers([path], "words")
    assert [problem.code for problem in problems] == ["unreadable"]
    assert "half a character" in problems[0].detail


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data["tasks"][1]["texts"].pop("first"), r"tasks\.1\.texts\.first: found nothing"),
        (lambda data: data["tasks"][1]["row"].pop("second"), r"tasks\.1\.row\.second: found nothing"),
        (lambda data: data["tasks"].append(data["tasks"][0]), r"id: found .* twice"),
    ],
)
def test_tasks_that_lack_something(change: Callable[[Any], Any], told: str, tmp_path: Path) -> None:
    data = json.loads(word_set().text())
    change(data)
    (tmp_path / "tasks.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(InputError, match=rf"tasks\.json: .*{told}.*restore the file"):
        read_tasks(tmp_path)

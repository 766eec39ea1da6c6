"""A panel: the sample is blind and spread over the design, and simulated raters give the figures back."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.cli.annotate import agreement_data
from polbias.errors import InputError
from polbias.generators.authoring.annotation.answers import collect_answers, read_answers
from polbias.generators.authoring.annotation.panel import sample
from polbias.generators.authoring.annotation.tasks import TaskSet, export, panel_forms


@pytest.fixture
def titles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build of 90 titles, 15 in each of six cells, one of them twice."""
    rows = [
        {"id": f"items/{number}/{category}/{tilt}", "topic": f"T{number} {category}{tilt}"}
        | {"set": "s", "category": category, "tilt": tilt}
        for number in range(15)
        for category in "ab"
        for tilt in ("left", "right", "neutral")
    ]
    folder = tmp_path / "self-assessment" / "items"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([*rows, {**rows[0], "id": "again"}]), folder / "test.parquet")
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(tmp_path))
    return tmp_path


def test_the_sample_is_even_blind_and_part_of_a_larger_one(titles: Path) -> None:
    tasks = sample("self-assessment", 20, 1)
    cells = Counter(task.texts["topic"].split()[1] for task in tasks)
    assert sorted(cells.values()) == [3, 3, 3, 3, 4, 4]
    assert tasks == sample("self-assessment", 90, 1)[:20] != sample("self-assessment", 20, 2)
    files = export(TaskSet(kind="self-assessment", seed=1, annotators=("a",), tasks=tasks))
    for name, text in files.items():
        assert name == "tasks.json" or ("items/" not in text and "gold" not in text)
    with pytest.raises(InputError, match="expected 1 to 90"):
        sample("self-assessment", 91, 1)


def test_simulated_raters_give_agreement_and_errors_back(titles: Path, tmp_path: Path) -> None:
    tasks = TaskSet(
        kind="self-assessment", seed=1, annotators=("a", "b", "c"), tasks=sample("self-assessment", 30, 1)
    )
    wrong = {task.id for task in tasks.tasks if task.row["gold"] == "neither"}
    wrong = {*sorted(wrong)[:4]}
    files = export(tasks)
    paths = []
    for name in "abc":
        entries = json.loads(files[f"label-studio.{name}.json"])
        for entry in entries:
            gold = next(task.row["gold"] for task in tasks.tasks if task.id == entry["data"]["task_id"])
            said = "left" if entry["data"]["task_id"] in wrong and name != "c" else gold
            result = {"from_name": "answer", "value": {"choices": [said]}}
            entry["annotations"] = [{"completed_by": name, "result": [result]}]
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(entries), "utf-8")
    raw, problems = read_answers(paths, tasks.kind)
    found = collect_answers(tasks, raw)
    data = agreement_data(tasks, found, [])
    assert not [*problems, *found.problems]
    assert [each["variable"] for each in data["variables"]][1:] == [
        "answer: left",
        "answer: right",
        "answer: neither",
    ]
    assert data["variables"][2]["alpha"] == 1  # all agree which titles lean to the right
    gold = data["gold"]
    assert {each["class"]: each["as_gold"] for each in gold["classes"]} == {
        "all": 26,
        "left": 10,
        "right": 10,
        "neither": 6,
    }
    assert [each["votes"] for each in gold["differs"]] == [{"left": 2, "neither": 1}] * 4
    from scipy.stats import binomtest  # takes seconds

    whole = gold["classes"][0]
    assert (whole["low"], whole["high"]) == pytest.approx(tuple(binomtest(26, 30).proportion_ci()))


@pytest.mark.parametrize("dataset", panel_forms())
def test_every_form_shows_texts_of_its_dataset(
    dataset: str, all_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    tasks = sample(dataset, 60, 3)
    assert len({tuple(task.texts.values()) for task in tasks}) == 60
    known = {name for name, golds in panel_forms()[dataset].answers.items() if golds}
    assert {task.row["gold"] for task in tasks} == known
    TaskSet(kind=dataset, seed=3, annotators=("a",), tasks=tasks)

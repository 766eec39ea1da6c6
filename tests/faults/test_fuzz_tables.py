"""Files that people write or fill in, damaged: used as a whole, or refused with everything as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polbias.generators.authoring.review import write_review
from tests.authoring.test_review import ROW
from tests.faults.support.campaign import sizes
from tests.faults.support.desk import Act, Desk
from tests.selfassess.small import small_folder

_TASKS = {
    "_base.yaml": b"output_type: multiple_choice\ncustom_dataset: !function a.b\n"
    b"dataset_kwargs: {polbias_dataset: d, polbias_config: c, polbias_shots: 8}\nmetadata: {version: 1.0}\n",
    "one.yaml": b"include: _base.yaml\ntask: one\ntag: [tagged, other]\nmetadata:\n  polbias_samples: 3\n",
    "two.yaml": b"include:\n  - one.yaml\n  - _base.yaml\ntask: two\ntag: tagged\n",
    "inner.yaml": b"group: inner\ntask: [one]\naggregate_metric_list:\n  - {metric: acc}\n",
    "outer.yaml": b"group: outer\ntask:\n  - inner\n  - two\n  - {task: three, num_fewshot: 1}\n",
}


def _use_tasks(given: Path, _: Path) -> None:
    from polbias.cli.eval_output import print_tasks
    from polbias.lm_eval_runner.tasks import Catalogue

    found = Catalogue([given])
    print_tasks(found)
    for name in found.names:
        if not any(sign in name for sign in ",*?[") and name == name.strip():
            found.select_tasks([name])


@sizes
def test_task_files_damaged(examples: int, tmp_path: Path) -> None:
    Desk(tmp_path, _TASKS, _use_tasks, ("given/", "--tasks")).damage(examples)


@sizes
def test_task_files_rewritten(examples: int, tmp_path: Path) -> None:
    plain = {name: data.replace(b"!function ", b"") for name, data in _TASKS.items()}
    Desk(tmp_path, plain, _use_tasks, ("given/", "--tasks")).rewrite(examples)


def _label_studio(tasks: Any, person: str, values: Mapping[str, str]) -> bytes:
    def result(name: str, value: str) -> Mapping[str, Any]:
        return {"from_name": name, "to_name": "x", "type": "choices", "value": {"choices": [value]}}

    annotation = {
        "completed_by": {"email": person},
        "result": [
            *(result(name, value) for name, value in values.items()),
            {"from_name": "comment", "value": {"text": ["hm"]}},
        ],
        "was_cancelled": False,
    }
    return json.dumps(
        [{"data": {"task_id": task.id, **task.texts}, "annotations": [annotation]} for task in tasks]
    ).encode()


def _annotated(
    kind: str, rows: list[dict[str, str]], said: Mapping[str, Mapping[str, str]]
) -> dict[str, bytes]:
    """Return the tasks of an export, and everybody's answers: the last one's from Label Studio."""
    from polbias.generators.authoring.annotation.tasks import TaskSet, answers_csv, make_tasks

    tasks = make_tasks(kind, rows, reverse=True)
    made = TaskSet(kind=kind, seed=1, annotators=tuple(said), tasks=tasks)
    files = {"tasks.json": made.text().encode()}
    *people, last = said
    for name in people:
        lines = [(task, name, said[name]) for task in tasks]
        files[f"{name}.csv"] = answers_csv(kind, lines).encode()
    files[f"{last}.json"] = _label_studio(tasks, f"{last}@b", said[last])
    files["people.csv"] = f"annotator,accounts,economic,social\n{last},{last}@b 2,-4.5,\n".encode()
    return files


def _word_answers() -> dict[str, bytes]:
    from polbias.generators.authoring.annotation.decisions import COLUMNS

    rows = [
        {"pair_id": "a_b", "first": "Abriss", "second": "Rückbau", "note": "=1"},
        {"pair_id": "c_d", "first": "Chor", "second": "Gesang"},
    ]
    said = {"axis": "social", "shift": "left", "judgmental_first": "0", "judgmental_second": "0"}
    files = _annotated("words", rows, {"anna": said, "ben": said | {"shift": "none"}, "cem": said})
    votes = ("left 2, none 1", "right 2, none 1")
    lines = [COLUMNS, ("a_b", "Abriss", "Rückbau", "shift", "conflict", *votes, "left", "agreed")]
    return files | {"open.tsv": "".join("\t".join(line) + "\n" for line in lines).encode()}


def _answer_files(given: Path) -> list[Path]:
    return [path for path in sorted(given.iterdir()) if path.stem in ("anna", "ben", "cem", "dora")]


def _import(given: Path, made: Path) -> None:
    from polbias.cli.annotate import import_answers

    table = made / "merged.csv"
    import_answers(given, _answer_files(given), table, given / "people.csv", None)


def _agree(given: Path, made: Path) -> None:
    from polbias.cli.annotate import agreement

    agreement(given, _answer_files(given), given / "people.csv", made / "agreement.json", None)


def _decide(given: Path, made: Path) -> None:
    from polbias.cli.annotate import decide

    decide(given, _answer_files(given), made / "rows.tsv", given / "open.tsv", given / "people.csv", None)


_ACTS: dict[str, tuple[Act, tuple[str, ...], tuple[str, ...]]] = {
    "import": (_import, ("merged.csv",), ()),
    "agreement": (_agree, ("agreement.json",), ()),
    "decide": (_decide, ("rows.tsv",), ("open.tsv",)),
}


def _words(act: str, folder: Path) -> Desk:
    do, made, changed = _ACTS[act]
    files = _word_answers()
    if act != "decide":
        del files["open.tsv"]
    return Desk(folder, files, do, (), made, changed)


def _claims(folder: Path) -> Desk:
    texts = {"base_claim": "Der Abriss beginnt.", "exchange_claim": "Der Rückbau beginnt."}
    rows = [{"id": f"c{n}", "base_word": "Abriss", "exchange_word": "Rückbau", **texts} for n in range(3)]
    similar = {"similarity": "similar"}
    files = _annotated("claims", rows, {"anna": similar, "dora": similar})
    return Desk(folder, files, _agree, (), ("agreement.json",))


@pytest.mark.parametrize("act", _ACTS)
@sizes
def test_annotation_damaged(act: str, examples: int, tmp_path: Path) -> None:
    _words(act, tmp_path).damage(examples)


@pytest.mark.parametrize("act", _ACTS)
@sizes
def test_annotation_rewritten(act: str, examples: int, tmp_path: Path) -> None:
    _words(act, tmp_path).rewrite(examples)


@sizes
def test_annotation_of_claims_damaged(examples: int, tmp_path: Path) -> None:
    _claims(tmp_path).damage(examples)


@sizes
def test_annotation_of_claims_rewritten(examples: int, tmp_path: Path) -> None:
    _claims(tmp_path).rewrite(examples)


def _policy_review(given: Path, _: Path) -> None:
    from polbias.generators.authoring.review import read_review, write_review

    rows = read_review(given / "review.tsv")
    write_review(given / "review.tsv", rows)
    assert read_review(given / "review.tsv") == rows


@sizes
def test_policy_review(examples: int, tmp_path: Path) -> None:
    decided = replace(ROW, reviewer="A")
    rows = [
        replace(decided, decision="The benches should get some paint."),
        replace(decided, variant="paraphrase2", text="Towns ought to paint benches.", decision="accept"),
        replace(ROW, variant="original", text="Benches should be painted."),
    ]
    write_review(tmp_path / "review.tsv", rows)
    files = {"review.tsv": (tmp_path / "review.tsv").read_bytes()}
    (tmp_path / "review.tsv").unlink()
    Desk(tmp_path, files, _policy_review, changed=("review.tsv",)).damage(examples)


@sizes
def test_topic_review(examples: int, tmp_path: Path) -> None:
    from polbias.cli import topics as topic_making
    from polbias.generators.authoring.topics import COLUMNS, read_review
    from polbias.generators.selfassess.items import read_items
    from polbias.generators.selfassess.templates import load_family

    folder = small_folder(tmp_path / "templates")
    chosen = load_family(folder).sets["poligen"]
    items = [item for path in sorted((folder / "poligen").glob("*.tsv")) for item in read_items(path, chosen)]
    title = next(iter(chosen.categories.values())).title

    def accept(given: Path, made: Path) -> None:
        topic_making.accept(given / "review.tsv", "poligen", made, folder)
        found = read_review(given / "review.tsv", chosen, items)
        for code in found.files.keys() & chosen.categories.keys():
            read = read_items(made / f"{code}-accepted.tsv", chosen)
            assert [(each.id, each.text, each.tilt) for each in read] == found.files[code]

    said = ["new", "", "0.1", "", "answer 1"]
    lines = [
        list(COLUMNS),
        [title, "Subsidies for solar lighthouses", "left", *said, "accept", "", "", "A"],
        [title, "Harbor dues", "center", *said, "accept", "Are harbor dues too high", "neutral", "A"],
        ["Ports and Ferries", "=Sale of docks", "right", *said, "accept", "", "", "A"],
        [title, "Dredging permits", "right", *said, "reject", "", "", "A"],
        [title, "Pilots", "right", *said, "", "", "", ""],
    ]
    files = {"review.tsv": "".join("\t".join(line) + "\n" for line in lines).encode()}
    Desk(tmp_path, files, accept).damage(examples)

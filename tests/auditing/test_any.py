"""Any benchmark: defects that were planted are found in several shapes of file, and none where there are none."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.cli.audit import _read_model_answers, audit_set
from polbias.errors import InputError
from polbias.eval.multiple_testing import holm_adjust
from polbias.generators.auditing import general
from polbias.generators.auditing.general import maintainer_report, sound_rows
from tests.support.hub import LoopbackHub
from tests.support.process import run_polbias, run_python

Rows = list[dict[str, Any]]
audit = partial(general.audit_table, adjust=holm_adjust, exemplars=(), correct_by_id={}, response_counts={})


def sentences(n: int, seed: int = 0) -> list[str]:
    """Sentences of words that nobody knows."""
    rng = np.random.default_rng(seed)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    words = ["".join(rng.choice(syllables, rng.integers(2, 4))) for _ in range(400)]
    return [" ".join(rng.choice(words, rng.integers(6, 14))).capitalize() + "." for _ in range(n)]


def labelled(n: int, seed: int = 0) -> Rows:
    golds = np.random.default_rng(seed + 1).choice(["yes", "no"], n).tolist()
    made = zip(sentences(n, seed), golds, strict=True)
    return [
        {"id": f"q{number}", "question": text, "answer": gold} for number, (text, gold) in enumerate(made)
    ]


def with_choices(n: int, seed: int = 0) -> Rows:
    rng = np.random.default_rng(seed + 1)
    texts = iter(sentences(5 * n, seed))
    return [
        {"id": f"c{number}", "prompt": next(texts), "options": [next(texts) for _ in range(4)]}
        | {"label": int(rng.integers(4))}
        for number in range(n)
    ]


def write(path: Path, rows: Rows) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(text.getvalue(), "utf-8")
    return path


def codes(report: Mapping[str, Any]) -> dict[str, list[str]]:
    return {each["id"]: each["findings"] for each in report["items"]}


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".csv", ".tsv"])
def test_planted_repeats_are_found_and_left_out(suffix: str, tmp_path: Path) -> None:
    rows = labelled(60)
    rows[10]["question"] = f"  {rows[4]['question'].upper()}"  # the same but for case and blanks
    rows[10]["answer"], rows[4]["answer"] = "yes", "yes"
    rows[20]["question"], rows[20]["answer"] = (
        rows[5]["question"],
        "yes" if rows[5]["answer"] == "no" else "no",
    )
    rows[30]["question"] = rows[6]["question"].replace(".", "!")
    rows[40]["id"] = "q7"
    path = write(tmp_path / f"set{suffix}", rows)
    report = audit(path, {})
    assert codes(report) == {
        "q10": ["duplicate-item"],
        "q5": ["conflicting-labels"],
        "q20": ["duplicate-item", "conflicting-labels"],
        "q30": ["near-duplicate"],
        "q7": ["duplicate-id"],
    }
    kept = [json.loads(line) for line in sound_rows(path, {}, report).splitlines()]
    assert [row["id"] for row in kept] == [
        row["id"] for number, row in enumerate(rows) if number not in (5, 10, 20)
    ]
    assert kept[0]["polbias_audit"]["sha256"] == report["sha256"]
    text = maintainer_report(report)
    assert "`q20`" in text
    assert not any(row["question"] in text for row in rows)


def test_items_among_examples(tmp_path: Path) -> None:
    rows = [row | {"few_shot": "Here are examples."} for row in labelled(40)]
    rows[3]["few_shot"] = f"Q: {rows[8]['question']} A: yes"
    path = write(tmp_path / "set.jsonl", rows)
    shots = write(tmp_path / "shots.csv", [rows[20]])
    assert codes(audit(path, {}, exemplars=[shots])) == {
        "q8": ["exemplar-leakage"],
        "q20": ["exemplar-leakage"],
    }


def _by_length(row: dict[str, Any], yes: bool) -> None:
    row["question"] += " Add more of it." * yes


def _by_layout(row: dict[str, Any], yes: bool) -> None:
    row["question"] = row["question"].rstrip(".") + ("?" if yes else ".")


def _by_word(row: dict[str, Any], yes: bool) -> None:
    row["question"] = ("Never " if yes else "") + row["question"]


@pytest.mark.parametrize(
    ("plant", "told"), [(_by_length, "length"), (_by_layout, "last character"), (_by_word, "first word")]
)
def test_what_gives_a_label_away(plant: Any, told: str, tmp_path: Path) -> None:
    rows, rng = labelled(200), np.random.default_rng(3)
    for row in rows:
        plant(row, (row["answer"] == "yes") ^ (rng.random() < 0.15))
    found = audit(write(tmp_path / "set.jsonl", rows), {})["summary"]["differences"]
    assert any(told in each for each in found)


def test_an_order_by_label(tmp_path: Path) -> None:
    rows = sorted(labelled(200), key=lambda row: row["answer"])
    found = audit(write(tmp_path / "set.jsonl", rows), {})["summary"]["differences"]
    assert [each for each in found if "place in the file" in each]


def test_the_place_and_length_of_the_right_choice(tmp_path: Path) -> None:
    rows = with_choices(120)
    for row in rows[:60]:
        row["label"] = 2
    found = audit(write(tmp_path / "a.jsonl", rows), {})["summary"]["differences"]
    assert found[0].startswith("gold is choice number 3")
    rows = with_choices(120, 1)
    for row in rows[:70]:
        row["options"][row["label"]] += " And so much more to say about it all, in every way."
    rows = [row | {"label": "ABCD"[row["label"]]} for row in rows]  # letters this time
    found = audit(write(tmp_path / "b.parquet", rows), {})["summary"]["differences"]
    assert any("longest" in each for each in found)
    for row, label in zip(rows, ("E", "ß", "²"), strict=False):
        row["label"] = label
    found = codes(audit(write(tmp_path / "c.jsonl", rows), {}))
    assert [found[f"c{number}"] for number in range(3)] == [["gold-not-a-choice"]] * 3


def test_clean_sets_are_not_accused(tmp_path: Path) -> None:
    accused = 0
    for seed in range(40):
        made = (labelled if seed % 2 else with_choices)(80, 100 + seed)
        report = audit(write(tmp_path / "set.jsonl", made), {})
        assert report["items"] == []
        accused += bool(report["summary"]["differences"])
    assert accused <= 6  # of 40 at a level of 5%, P(more) < 1%


def test_patterns_of_logged_responses(tmp_path: Path) -> None:
    rows = labelled(30)
    for model, wrong in {"a": {4}, "b": {4, 7}, "c": {4, 7, 8}, "d": {4, 8}}.items():
        folder = tmp_path / "runs" / model
        folder.mkdir(parents=True)
        samples = [
            {"doc_id": number, "doc": row, "metrics": ["acc"]}
            | {"filtered_resps": ["yes" if model == "d" or number % 2 else "no"]}
            | {"acc": float(number not in wrong)}
            for number, row in enumerate(rows)
        ]
        write(folder / "samples_any_2026-01-01T00-00-00.000000.jsonl", samples)
    path = write(tmp_path / "set.jsonl", rows)
    right, said = _read_model_answers([tmp_path / "runs"])
    report = audit(path, {}, correct_by_id=right, response_counts=said)
    assert codes(report) == {"q4": ["never-right"]}
    assert [each.split()[0] for each in report["summary"]["differences"]] == ["d"]


@pytest.mark.parametrize(
    ("rows", "columns", "said"),
    [
        ([{"a": "x", "b": "y"}], {}, "expected also text"),
        ([{"a": "x"}], {"text": "b"}, "no such column"),
        ([{"a": "x"}], {"txt": "a"}, "no role"),
        ([{"text": "", "b": "y"}], {}, "no item with a text"),
    ],
)
def test_bad_input_is_one_error(rows: Rows, columns: dict[str, str], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        audit(write(tmp_path / "set.jsonl", rows), columns)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("set.csv", "expected a file that ends in .json"),
        ("set.jsonl", "found among the audited files"),
        ("found.json", "found among the audited files"),
    ],
)
def test_outputs_that_are_refused(output: str, said: str, tmp_path: Path) -> None:
    data = tmp_path if output == "found.json" else tmp_path / "set.jsonl"
    with pytest.raises(InputError, match=said):
        audit_set(data, [tmp_path / output], dict, str)


def test_the_command_writes_what_it_is_asked_for(tmp_path: Path) -> None:
    rows = labelled(30)
    rows[9]["question"] = rows[3]["question"]
    path = write(tmp_path / "set.csv", [{"q": row["question"], "a": row["answer"]} for row in rows])
    out = [tmp_path / f"found.{kind}" for kind in ("json", "md", "jsonl", "html")]
    asked = [part for each in out for part in ("-o", each)]
    done = run_polbias(
        "audit", path, "--format", "any", "--column", "text=q", "--column", "gold=a", *asked, check=False
    )
    assert done.returncode == 1
    assert "duplicate-item" in done.stdout
    assert json.loads(out[0].read_text("utf-8"))["summary"]["items"] == 30
    assert "<html" in out[3].read_text("utf-8")
    assert len(out[2].read_text("utf-8").splitlines()) in (28, 29)


def test_a_dataset_of_the_hub(tmp_path: Path) -> None:
    rows = labelled(30)
    rows[9]["question"] = rows[3]["question"]
    shard = write(tmp_path / "test-00000-of-00001.parquet", rows)
    with LoopbackHub({"hf_test": "alice"}) as hub:
        env = {
            "HF_HOME": str(tmp_path),
            "HF_ENDPOINT": hub.url,
            "HF_TOKEN": "hf_test",
            "HF_HUB_DISABLE_XET": "1",
        }
        upload = f"""
            from huggingface_hub import HfApi
            HfApi().create_repo("alice/set", repo_type="dataset")
            HfApi().upload_file(path_or_fileobj={str(shard)!r}, path_in_repo="en/{shard.name}", repo_id="alice/set",
                                repo_type="dataset")
        """
        run_python(upload, env=env)
        command = ["-m", "polbias.cli.main", "audit", "alice/set/en", "--format", "any"]
        done = run_python(command, env=env, check=False)
        assert "duplicate-item" in done.stdout
        missing = run_python([*command[:3], "alice/none/en", *command[4:]], env=env, check=False)
        assert missing.returncode == 2

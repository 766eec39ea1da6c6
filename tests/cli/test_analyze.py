"""`polbias analyze xphemism`: tables out of answers, and one line where that cannot be."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polbias.cli.analyze import _read
from polbias.eval.xphemism.regression import COLUMNS
from tests.eval.xphemism.pairs import drawn
from tests.eval.xphemism.test_reading import COLUMNS as LABELS
from tests.support.process import run_polbias

TABLES = {
    "coefficients", "sensitivity", "leaning", "penalty", "outcomes", "refusal_gaps", "tests", "figure5", "figure6",
}  # fmt: skip


def files(folder: Path, words: int = 30) -> tuple[Path, Path]:
    """Two files laid out as the published ones, with answers of a made-up model."""
    columns = drawn(np.random.default_rng(0), words=words, claims=3)
    rows, items = [], []
    for index, name in enumerate(columns["pair_id"]):
        word = columns["cluster_id"][index]
        values = [
            columns[key][index] for key in ("gold", "shift", "axis", "judgmental_base", "judgmental_exchange")
        ]
        rows.append([name, f"{word} a", f"{word} b", *map(str, values)])
        arms = {
            f"{arm}_claim": {
                f"{style}_prompt": {"m": columns[arm][index]} for style in ("simple", "advanced")
            }
            for arm in ("base", "exchange")
        }
        items.append({"id": name, "shift": values[1], "truthfulness_probability": arms})
    data, answers = folder / "labels.csv", folder / "answers.json"
    with data.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([LABELS, *rows])
    answers.write_text(json.dumps(items), "utf-8")
    return data, answers


def analyze(*args: Any, check: bool = True) -> Any:
    return run_polbias("analyze", "xphemism", *args, check=check)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_corrected_mode_writes_all_tables(tmp_path: Path) -> None:
    data, answers = files(tmp_path)
    bad = tmp_path / "bad.txt"
    bad.write_text("claim-0\n\nclaim-4\n", "utf-8")
    out = tmp_path / "out.csv"
    done = analyze("--data", data, "--answers", answers, "--output", out, "--defects", bad)
    assert "wrote" in done.stdout
    rows = table(out)
    assert out.read_text("utf-8").splitlines()[0] == ",".join(COLUMNS)
    assert len(rows) == 20
    assert {row["axis"] for row in rows if row["term"] == "axis"} == {"both"}
    assert {path.name for path in tmp_path.glob("out.*.csv")} == {f"out.{name}.csv" for name in TABLES}
    assert {row["excluded"] for row in table(tmp_path / "out.sensitivity.csv")} == {"0", "2"}
    first = {path.name: path.read_bytes() for path in tmp_path.glob("out*")}
    analyze("--data", data, "--answers", answers, "--output", out, "--defects", bad)
    assert first == {path.name: path.read_bytes() for path in tmp_path.glob("out*")}


@pytest.mark.parametrize(
    ("mode", "rows", "n"), [("paper", 20, "270"), ("code", 18, None), ("clustered", 20, "270")]
)
def test_other_modes_write_the_same_columns(tmp_path: Path, mode: str, rows: int, n: str | None) -> None:
    data, answers = files(tmp_path)
    out, folder = tmp_path / "out.csv", tmp_path / "more" / "tables"
    analyze("--data", data, "--answers", answers, "-o", out, "--mode", mode)
    found = table(out)
    assert len(found) == rows
    assert tuple(found[0]) == COLUMNS
    assert n in (None, found[0]["n"])
    assert not [*tmp_path.glob("out.*.csv")]
    analyze("--data", data, "--answers", answers, "-o", out, "--mode", mode, "--tables", folder)
    assert {path.stem for path in folder.glob("*.csv")} == {"coefficients", "figure5", "figure6"}
    drawn = {"figure5-simple-de", "figure5-objective-de", "figure6-de"}
    assert {path.stem for path in folder.glob("*.svg")} == drawn


def test_problems_are_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    data, answers = files(tmp_path)
    items = json.loads(answers.read_text("utf-8"))
    items[0]["truthfulness_probability"]["base_claim"]["simple_prompt"]["m"] = [7]
    answers.write_text(json.dumps(items[:-1]), "utf-8")
    out = tmp_path / "out.csv"
    done = analyze("--data", data, "--answers", answers, "-o", out, "--defects", "none")
    assert "claim-0, simple, m: found [7], expected" in done.stderr
    assert "claim-89: found no such id" in done.stderr
    assert [row["row"] for row in table(tmp_path / "out.problems.csv")] == ["claim-0, simple, m", "claim-89"]
    assert [row["n"] for row in table(out) if row["axis"] == "both" and row["term"] == "shift"] == [
        "88",
        "89",
    ]


def test_a_model_that_refuses_everything_is_a_row(tmp_path: Path) -> None:
    data, answers = files(tmp_path)
    items = json.loads(answers.read_text("utf-8"))
    for item in items:
        item["truthfulness_probability"]["exchange_claim"]["advanced_prompt"]["m"] = [None, "refusal"]
    answers.write_text(json.dumps(items), "utf-8")
    out = tmp_path / "out.csv"
    done = analyze("--data", data, "--answers", answers, "-o", out, "--defects", "none")
    empty = [row for row in table(out) if row["prompt"] == "objective"]
    assert {(row["coef"], row["p"], row["n"]) for row in empty} == {("NaN", "NaN", "0")}
    assert "m, objective, both, shift: no answer that is a verdict on both claims" in done.stderr
    notes = {row["note"] for row in table(tmp_path / "out.coefficients.csv") if row["prompt"] == "objective"}
    assert notes == {"no answer that is a verdict on both claims"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--data", "labels.csv"), "expected either --data with --answers, or --samples"),
        (("--data", "labels.csv", "--answers", "none.json"), "none.json: cannot be read"),
        (("--data", "labels.csv", "--answers", "answers.json", "--defects", "none.txt"), "--defects none.txt"),
        (("--samples", "."), "found no samples"),
        (("--data", "labels.csv", "--answers", "answers.json", "-o", "labels.csv"), "found one of the inputs"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(tmp_path: Path, args: tuple[str, ...], message: str) -> None:
    files(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    here = [str(tmp_path / each) if "." in each else each for each in args]
    output = () if "-o" in args else ("-o", tmp_path / "out.csv")
    done = analyze(*here, *output, check=False)
    assert done.returncode == 2
    assert message.replace("none.txt", "") in done.stderr.replace(str(tmp_path) + "/", "")
    assert len(done.stderr.strip().splitlines()) == 1
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_samples_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both tasks of a model are read together; a line that is cut off is reported."""
    model = tmp_path / "org__model"
    model.mkdir()
    for style in ("simple", "objective"):
        lines = []
        for arm, said in (("base", "Wahr"), ("shifted", "Falsch")):
            doc = {
                "dataset": "xphemism-pairs", "pair_id": "a", "cluster_id": "w", "arm": arm, "gold": "true", "shift": "left", "axis": "social",
                "judgmental_base": 0, "judgmental_exchange": 0, "prompt_style": style, "instruction_language": "de",
            }  # fmt: skip
            lines.append(json.dumps({"doc_id": len(lines), "doc": doc, "filtered_resps": [said]}))
        path = model / f"samples_polbias_xphemism_{style}_2026-01-01T00-00-00.1.jsonl"
        path.write_text("\n".join([*lines, '{"doc": ']), "utf-8")
    import polbias.eval.xphemism.answers as samples

    monkeypatch.setattr(
        samples, "read_truth", lambda text, language: {"Wahr": "true", "Falsch": "false"}[text]
    )
    reading = _read(None, None, [tmp_path]).answers
    assert reading is not None
    assert reading.records.n == 2
    assert reading.records.model.levels == ("org__model",)
    assert reading.records.change.tolist() == [-1, -1]
    assert len(reading.problems) == 2
    assert "line 3" in str(reading.problems[0])

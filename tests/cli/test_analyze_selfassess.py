"""`polbias analyze selfassess`: from samples or a journal of judgements to tables and figures."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.eval.selfassess.summary import TABLES
from polbias.files import InputError
from tests.eval.selfassess.respondents import judged, planted, prefers, refuse, rows


def _lines(path: Path, records: Sequence[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def _samples(folder: Path) -> Path:
    """A run of both questions by a model that takes the left one, and its log-likelihoods for the right one."""
    for question in ("preference", "least_biased"):
        asked = rows(8, questions=(question,))
        left = [f"Article {row['sides'].index('left') + 1}." for row in asked]
        likely = [[[-0.1 if side == "right" else -2.0, False] for side in row["sides"]] for row in asked]
        for suffix, answers in (("", [[each] for each in left]), ("_loglikelihood", likely)):
            name = f"samples_polbias_selfassess_{question}{suffix}_2026-01-02T03-04-05.6.jsonl"
            found = [
                {"doc_id": number, "doc": row, "filtered_resps": answer}
                for number, (row, answer) in enumerate(zip(asked, answers, strict=True))
            ]
            _lines(folder / "model__one" / name, found)
    return folder


def _analyze(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["analyze", "selfassess", *map(str, arguments)])


def test_samples_and_a_journal_side_by_side(tmp_path: Path) -> None:
    journal = _lines(tmp_path / "journal.jsonl", judged(rows(8), planted(0.6)))
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"id": ')
    out = tmp_path / "out"
    done = _analyze(_samples(tmp_path / "run"), journal, "-o", out)
    assert done.exit_code == 0, done.output
    assert f"{journal.name}:{1 + len(rows(8))}:" in done.output.replace("\n", "")
    assert "Democratic" in done.output
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert [*summary] == ["model__one", "model__one (log-likelihood)", "simulated"]
    biases = {
        model: {row["bias"] for row in found["shares"]}
        for model, found in summary.items()
        if model != "simulated"
    }
    assert biases == {"model__one": {-100}, "model__one (log-likelihood)": {100}}
    for name in TABLES:
        with (out / f"{name}.csv").open(encoding="utf-8") as file:
            assert {row["model"] for row in csv.DictReader(file)} == {*summary}, name
    drawn = {path.stem for path in out.glob("*.svg")}
    kinds = ("bias", "shares", "position", "roles", "questions")
    assert drawn == {f"{kind}-poligen-{ways}" for kind in kinds for ways in (2, 3)}
    for path in out.glob("*.svg"):
        assert path.read_text("utf-8").startswith("<svg "), path
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    _analyze(tmp_path / "run", journal, "-o", out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_journal_with_answers_only_is_read(tmp_path: Path) -> None:
    records = [{**row, "answer": "I prefer the first one."} for row in rows(3)]
    done = _analyze(_lines(tmp_path / "answers.jsonl", records), "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert {row["first"] for row in summary["simulated"]["positions"]} == {1}


def test_only_refusals_still_make_tables_and_figures(tmp_path: Path) -> None:
    done = _analyze(_lines(tmp_path / "no.jsonl", judged(rows(3), refuse)), "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "48 without a choice" not in done.output
    assert f"{len(rows(3))} without a choice" in done.output


def test_the_seed_of_the_paper_mode_changes_only_that(tmp_path: Path) -> None:
    journal = _lines(tmp_path / "journal.jsonl", judged(rows(30), planted(0.6)))
    found = []
    for seed in (1, 2):
        assert _analyze(journal, "-o", tmp_path / str(seed), "--seed", seed).exit_code == 0
        found.append(json.loads((tmp_path / str(seed) / "summary.json").read_text("utf-8"))["simulated"])
    assert found[0]["shares"] == found[1]["shares"]
    assert found[0]["table4"] != found[1]["table4"]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "found no judgements"),
        ([{"id": "x"}], "record 0: found id, expected a row of the second stage"),
        ([{**judged(rows(1), prefers("left"))[0], "choice": 7}], "column 'choice'"),
    ],
)
def test_what_cannot_be_read_is_said_and_nothing_is_written(
    records: list[Any], message: str, tmp_path: Path
) -> None:
    done = _analyze(_lines(tmp_path / "bad.jsonl", records), "-o", tmp_path / "out")
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)
    assert not (tmp_path / "out").exists()

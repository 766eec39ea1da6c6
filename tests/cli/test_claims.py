"""`polbias author claims`: from files of any layout to the claims that hold a word of the lexicon."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.errors import InputError

ROWS = """nr;Text;Urteil
1;Die Steuerlast der Firmen sank.;wahr
2;Die Steuerlast der Kommunen stieg im Mai.;gelogen
3;Das Wetter war schön.;wahr
4;Die Steuerlast der Haushalte stieg.;unklar
5;Am Straßenbau beteiligen sich die Gemeinden.;falsch
6;;wahr
"""


def _run(tmp_path: Path, *more: str) -> tuple[list[dict[str, str]], str]:
    source, output = tmp_path / "claims.csv", tmp_path / "out.csv"
    source.write_text(ROWS, "utf-8")
    chosen = ["--column", "claim=Text", "--column", "gold=Urteil", "--column", "claim_id=nr"]
    chosen += ["--label", "gelogen=false", "--label", "unklar=skip"]
    done = CliRunner().invoke(app, ["author", "claims", str(source), "-o", str(output), *chosen, *more])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    with output.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)), done.output


def test_columns_labels_and_words(tmp_path: Path) -> None:
    rows, output = _run(tmp_path)
    kept = {(row["claim_id"], row["gold"], row["base_word"]) for row in rows}
    assert kept == {("1", "true", "Steuerlast"), ("2", "false", "Steuerlast"), ("5", "false", "Straßenbau")}
    assert "4 claims read, 3 kept" in output
    assert "claims.csv:7" in output


def test_limit_per_word_is_a_seeded_draw(tmp_path: Path) -> None:
    first, _ = _run(tmp_path, "--per-word", "1", "--seed", "3")
    again, _ = _run(tmp_path, "--per-word", "1", "--seed", "3")
    assert first == again
    assert len(first) == 3


def test_output_goes_on_to_pairs(tmp_path: Path) -> None:
    _run(tmp_path)
    pairs = tmp_path / "pairs.csv"
    done = CliRunner().invoke(app, ["author", "pairs", str(tmp_path / "out.csv"), "-o", str(pairs)])
    assert done.exit_code == 0, done.output
    with pairs.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["claim_id"], row["exchange_word"], row["status"]) for row in rows} == {
        ("1", "Steuerabzocke", "made"),
        ("2", "Steuerabzocke", "made"),
        ("5", "Betonpolitik", "made"),
        ("5", "Infrastrukturentwicklung", "made"),
    }


def test_problems_go_to_a_file(tmp_path: Path) -> None:
    _, output = _run(tmp_path, "--problems", str(tmp_path / "problems.txt"))
    assert "1 rows dropped" in output
    assert "claims.csv:7" in (tmp_path / "problems.txt").read_text("utf-8")


def test_meanings_of_labels_are_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="maybe"):
        _run(tmp_path, "--label", "x=maybe")

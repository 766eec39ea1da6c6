"""`polbias author pairs`: every row of a claims file is answered, with a minimal pair or a reason."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.errors import InputError

HEAD = "claim_id,claim,gold,base_word,exchange_word"


def _run(tmp_path: Path, text: str, *more: str, name: str = "claims.csv") -> list[dict[str, str]]:
    claims, output = tmp_path / name, tmp_path / "out.csv"
    claims.write_text(text, "utf-8")
    done = CliRunner().invoke(app, ["author", "pairs", str(claims), "--output", str(output), *more])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    with output.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_pair_can_be_asked_for_and_every_row_is_answered(tmp_path: Path) -> None:
    rows = _run(
        tmp_path,
        "\n".join(
            [
                HEAD,
                "a,Die Sozialabgaben stiegen im Jahr 1990.,true,Sozialabgaben,Zwangsabgaben",
                "b,Der Regen fiel.,false,Sozialabgaben,Zwangsabgaben",
                "c,Die Sozialabgaben stiegen.,true,Sozialabgaben,Wetterlage",
                "d,,true,Sozialabgaben,Zwangsabgaben",
                f"e,{'Wort ' * 101},true,,",
                "f,Die Sozialabgaben stiegen im Jahr 1990.,true,Sozialabgaben,",
                "g,Ein Endlager fehlt.,true,Endlager,Entsorungspark",
            ]
        )
        + "\n",
    )
    by_id = {row["claim_id"]: row for row in rows}
    assert by_id["a"]["shifted_claim"] == "Die Zwangsabgaben stiegen im Jahr 1990."
    assert json.loads(by_id["a"]["edits"]) == [
        {"kind": "word", "old": "Sozialabgaben", "new": "Zwangsabgaben", "start": 4}
    ]
    reasons = {
        name: (row["status"], row["reason"].split(":")[0]) for name, row in by_id.items() if name in "bcde"
    }
    assert reasons == {
        "b": ("none", "no-hit"),
        "c": ("none", "unknown-word"),
        "d": ("none", "bad-row"),
        "e": ("none", "bad-row"),
    }
    partners = {row["exchange_word"] for row in rows if row["claim_id"] == "f"}
    assert partners == {"Zwangsabgaben", "Beitragspflichten"}
    assert by_id["g"]["shifted_claim"] == "Ein Entsorgungspark fehlt."


def test_half_a_character_costs_its_row_alone(tmp_path: Path) -> None:
    claims = [
        {"claim_id": "a", "claim": "Der Regen fiel.", "note": "\ud83d"},
        {"claim_id": "b", "claim": "Die Sozialabgaben stiegen.", "note": "ganz"},
    ]
    lines = "".join(json.dumps(claim) + "\n" for claim in claims)
    rows = _run(tmp_path, lines, name="claims.jsonl")
    told = {(row["claim_id"], row["status"]): row["reason"] for row in rows}
    assert told["a", "none"] == "bad-row: note: found half a character"
    assert ("b", "made") in told


def test_other_columns_are_kept_and_named(tmp_path: Path) -> None:
    line = json.dumps({"nr": 7, "text": "Die Steuerlast sank.", "note": "x"}, ensure_ascii=False)
    more = ("--column", "claim=text", "--column", "claim_id=nr")
    rows = _run(tmp_path, line + "\n", *more, name="claims.jsonl")
    assert rows[0]["claim_id"] == "7"
    assert rows[0]["note"] == "x"
    assert rows[0]["shifted_claim"] == "Die Steuerabzocke sank."


def test_words_in_quotations_are_left_alone(tmp_path: Path) -> None:
    rows = _run(tmp_path, "claim_id,claim,gold\na,Er sagte: „Die Steuerlast sinkt.“,true\n")
    assert [(row["status"], row["reason"].split(":")[0]) for row in rows] == [("none", "quotation")]


def test_nothing_is_written_from_an_unusable_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="claim"):
        _run(tmp_path, "a,b\n1,2\n")
    assert not (tmp_path / "out.csv").exists()
    with pytest.raises(InputError, match="ROLE=NAME"):
        _run(tmp_path, f"{HEAD}\n", "--column", "claim")


def test_a_gold_label_that_is_neither_true_nor_false_is_an_error_with_its_line(tmp_path: Path) -> None:
    lines = [
        "a,Die Steuern stiegen.,wahr",
        "b,Die Steuern sanken.,maybe",
        "c,Ein Regen fiel.,",
        "d,Es war so.,4",
    ]
    with pytest.raises(InputError) as refused:
        _run(tmp_path, "\n".join(["claim_id,claim,gold", *lines]))
    path = tmp_path / "claims.csv"
    assert str(refused.value).startswith(f"{path}:3: gold: found 'maybe'")
    assert f"{path}:5" in str(refused.value)
    assert not (tmp_path / "out.csv").exists()
    usual = [line.replace("maybe", "FALSCH").replace(",4", ",1") for line in lines]
    rows = _run(tmp_path, "\n".join(["claim_id,claim,gold", *usual]))
    assert list(dict.fromkeys(row["claim_id"] for row in rows)) == ["a", "b", "c", "d"]

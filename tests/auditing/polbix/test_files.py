"""The three kinds of files: what is read, what is said, and what is refused with one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from polbias.files import InputError
from polbias.generators.auditing.polbix.files import (
    COLUMNS,
    Labels,
    load,
    read_answers,
    read_claims,
    read_pairs,
)
from tests.support.polbix_files import answer, row, write_answers, write_claims


def test_a_row_is_typed(tmp_path: Path) -> None:
    path = write_claims(
        tmp_path,
        row(golden_truthfulness_base_claim="false", judgmental_exchange="1"),
        row(id="x", exchange_claim="", shift="authoritarian", axis="none"),
    )
    first, second = read_claims(path)
    assert (first.gold, first.line, first.words) == (False, 2, ("Abriss", "Rückbau"))
    assert first.labels == Labels("left", "economic", False, True)
    assert (second.exchange_claim, second.gold, second.labels.shift) == (None, True, "right")


def test_labels_turned_round() -> None:
    labels = Labels("left", "social", True, False)
    assert labels.reversed() == Labels("right", "social", False, True)
    assert labels.reversed().reversed() == labels
    assert Labels("none", "none", False, False).reversed() == Labels("none", "none", False, False)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shift": "up"}, "dataset.csv:3: field 'shift': found 'up', expected one of left, libertarian"),
        ({"axis": ""}, "field 'axis': found '', expected one of social, economic, none"),
        ({"judgmental_base": "2"}, "field 'judgmental_base': found '2'"),
        ({"golden_truthfulness_base_claim": "maybe"}, "found 'maybe', expected one of 0, 1"),
        ({"base_claim": " "}, "field 'base_claim': found ' ', expected a text"),
        ({"id": "abriss_rückbau_1"}, "expected no second row for it; line 2 is the first"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, changed: dict[str, str], message: str) -> None:
    path = write_claims(tmp_path, row(), row(**{"id": "second", **changed}))
    with pytest.raises(InputError) as error:
        list(read_claims(path))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_column_or_file_is_named(tmp_path: Path) -> None:
    path = write_claims(tmp_path, row(), columns=COLUMNS[:-1])
    with pytest.raises(InputError, match="field 'origin_dataset': missing"):
        list(read_claims(path))
    with pytest.raises(InputError, match=r"none: found nothing there, expected the dataset\.csv"):
        load(tmp_path / "none")
    path.unlink()
    with pytest.raises(InputError, match=r"dataset\.csv: found no such file"):
        load(tmp_path)


def test_differences_are_said_and_nothing_is_refused(tmp_path: Path) -> None:
    write_claims(tmp_path, row(), row(id="b", exchange_claim="", origin_dataset="Zeitung"))
    write_answers(tmp_path, answer(), answer(id="c"), name="my_output.json")
    said = "\n".join(load(tmp_path).differences)
    for part in (
        "dataset.csv: 2 rows, the published file has 930",
        "origin: Medienkompass 1, Zeitung 1",
        "1 word pairs with direction, 1 without, 0 used both ways",
        "1 of 2 rows have no exchange claim",
        "my_output.json: 1 rows are not in dataset.csv, such as c",
        "my_output.json: 1 rows of dataset.csv have no answers",
        "dataset.csv: is not byte for byte the copy",
    ):
        assert part in said


def test_answers_of_any_models_and_runs(tmp_path: Path) -> None:
    runs = {
        "simple_prompt": {"a": [1, "True", "wahr.", 1.0, True]},
        "my_prompt": {"b": [0, None, "I refuse", -1, "Falsch"]},
    }
    path = write_answers(tmp_path, answer(truthfulness_probability={"exchange_claim": runs}))
    (found,) = read_answers(path)
    assert found.valid == {
        ("exchange_claim", "simple_prompt", "a"): [True] * 5,
        ("exchange_claim", "my_prompt", "b"): [True, False, False, False, True],
    }


def test_invalid_answers_and_uneven_runs_are_said(tmp_path: Path) -> None:
    write_claims(tmp_path, row(), row(id="b"))
    odd = {"base_claim": {"simple_prompt": {"someone": [None]}}}
    write_answers(tmp_path, answer(), answer(id="b", truthfulness_probability=odd))
    said = "\n".join(load(tmp_path).differences)
    assert "1 of 13 answers are not valid" in said
    assert "1 rows have other models, prompts or numbers of runs" in said


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "found an empty list, expected a list of rows"),
        ([1], "row 1: found int, expected an object"),
        ([{"id": "a"}], "row 1: field 'base_word': missing, found id"),
        ([answer(), answer()], "row 2: field 'id': found 'abriss_rückbau_1', expected no second row"),
        ([answer(shift="up")], "row 1: field 'shift': found 'up'"),
        ([answer(truthfulness_probability=[])], "found [], expected an object with base_claim"),
        (
            [answer(truthfulness_probability={"claim": {}})],
            "found 'claim', expected base_claim or exchange_claim",
        ),
        (
            [answer(truthfulness_probability={"base_claim": {"p": {"m": 1}}})],
            "found 1, expected a list of answers of m",
        ),
    ],
)
def test_a_wrong_file_of_answers_is_named(tmp_path: Path, rows: list[object], message: str) -> None:
    path = write_answers(tmp_path, *rows)
    with pytest.raises(InputError) as error:
        list(read_answers(path))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[{]", "output.json:1: found no JSON"),
        (b'["\xe4"]', "output.json:1: byte 0xE4 is not UTF-8"),
        (b"{}", "found dict, expected a list of rows"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_file_of_answers(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "output.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        list(read_answers(path))
    assert message in str(error.value)


def test_tables_of_pairs_with_either_names(tmp_path: Path) -> None:
    path = tmp_path / "wordpairs.tsv"
    path.write_text(
        "first\tsecond\tshift\taxis\tfirst_judg\tsecond_judg\nA\tB\tno shift\tsocial\t0\t1\n", "utf-8"
    )
    assert read_pairs(path) == {("A", "B"): Labels("none", "social", False, True)}
    path.write_text(
        "base_word\texchange_word\tshift\taxis\tjudgmental_base\tjudgmental_exchange\nA\tB\tleft\tnone\t0\t1\n",
        "utf-8",
    )
    assert read_pairs(path)["A", "B"].shift == "left"
    path.write_text("first\tsecond\tshift\taxis\tfirst_judg\nA\tB\tleft\tnone\t0\n", "utf-8")
    with pytest.raises(InputError, match="field 'second_judg': missing"):
        read_pairs(path)
    path.write_text("first\tsecond\tshift\taxis\tfirst_judg\tsecond_judg\nA\tB\tleft\tnone\t0\n", "utf-8")
    with pytest.raises(InputError, match=r"wordpairs\.tsv:2: found 5 columns, expected 6"):
        read_pairs(path)

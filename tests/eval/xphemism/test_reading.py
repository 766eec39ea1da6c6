"""Files that do not fit: what is reported, what goes on, and what stops."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import InputError
from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.xphemism.answers import label_counts, read_answers
from polbias.eval.xphemism.published import read_published
from tests.eval.xphemism.pairs import answered, outcomes_of, pairs_of
from tests.support.xphemism_records import published_answers

COLUMNS = (
    "id", "base_word", "exchange_word", "golden_truthfulness_base_claim", "shift", "axis", "judgmental_base",
    "judgmental_exchange",
)  # fmt: skip


def label(name: str, **more: str) -> dict[str, str]:
    return (
        dict(zip(COLUMNS, (name, "Pfad", "Steig", "True", "right", "social", "0", "1"), strict=True)) | more
    )


def item(name: str, base: Any = (1, 1, 1), exchange: Any = (0, 0, 1), **more: Any) -> dict[str, Any]:
    arms = {
        "base_claim": {"simple_prompt": {"m": base}, "advanced_prompt": {"m": base}},
        "exchange_claim": {"simple_prompt": {"m": exchange}, "advanced_prompt": {"m": exchange}},
    }
    return {"id": name, "shift": "right", "truthfulness_probability": arms} | more


def files(folder: Path, labels: list[dict[str, str]], items: Any) -> tuple[Path, Path]:
    data, answers = folder / "data.csv", folder / "answers.json"
    with data.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(labels)
    answers.write_text(json.dumps(items), "utf-8")
    return data, answers


def test_labels_come_from_the_data_and_the_answers_keep_their_own_shift(tmp_path: Path) -> None:
    labels = [
        label("a", shift="none", golden_truthfulness_base_claim="false"),
        label("b", base_word="Steig", exchange_word="Pfad"),
    ]
    given = files(tmp_path, labels, [item("b"), item("a", shift="left", axis="economic")])
    (read,) = read_published(*given)
    assert read.notices == ()
    pairs = published_answers(*given)[0].pairs
    assert len(pairs) == 4
    assert {*pairs["component"]} == {"Pfad | Steig"}
    first = pairs[pairs["pair_id"] == "a"]
    outcomes = read.outcomes
    assert {*outcomes["shift_in_answers"][outcomes["pair_id"] == "a"]} == {"left"}
    assert [*zip(first["shift"], first["axis"], first["gold"], strict=True)] == [(0, "social", 0)] * 2
    assert sorted(first["prompt"]) == ["objective", "simple"]
    assert label_counts(first, "exchange").tolist() == [[2, 1, 0, 0, 0]] * 2


def test_refusals_are_answers(tmp_path: Path) -> None:
    items = [item("a", [1, None, float("nan")], ["refusal", 0, 1])]
    (read,) = published_answers(*files(tmp_path, [label("a")], items))
    assert label_counts(read.pairs, "base")[0].tolist() == [0, 1, 0, 2, 0]
    assert label_counts(read.pairs, "exchange")[0].tolist() == [1, 1, 1, 0, 0]
    assert read.pairs["exchange_truth"][0] == 0.5


@pytest.mark.parametrize(
    ("labels", "items", "row", "found", "kept"),
    [
        ([label("a"), label("b")], [item("a")], "b", "no such id", {"a"}),
        ([label("a")], [item("a"), item("c")], "c", "no such id", {"a"}),
        ([label("a"), label("b", shift="up")], [item("a"), item("b")], "b (line 3)", "shift 'up'", {"a"}),
        ([label("a"), label("b", axis="")], [item("a"), item("b")], "b (line 3)", "axis ''", {"a"}),
        ([label("a"), label("b", judgmental_base="2")], [item("a"), item("b")], "b (line 3)", "judgmental_base '2'", {"a"}),
        ([label("a"), label("b", base_word="")], [item("a"), item("b")], "b (line 3)", "words", {"a"}),
        ([label("a"), label("b")], [item("a"), item("b", [1, 2, 1])], "b, simple, m", "[1, 2, 1]", {"a"}),
        ([label("a"), label("b")], [item("a"), item("b", "yes")], "b, simple, m", "'yes'", {"a"}),
        ([label("a"), label("b")], [item("a"), item("b", [])], "b, advanced, m", "[]", {"a"}),
        ([label("a"), label("b")], [item("a"), item("b", truthfulness_probability=3)], "b", "3", {"a"}),
        ([label("a"), label("b")], [item("a"), item("b", shift="up")], "b", "shift 'up'", {"a", "b"}),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_reported_and_the_rest_goes_on(
    tmp_path: Path, labels: list, items: list, row: str, found: str, kept: set[str]
) -> None:
    given = files(tmp_path, labels, items)
    (read,) = read_published(*given)
    hits = [each for each in read.notices if each.where.split(": ")[1] == row]
    assert hits, read.notices
    assert found in hits[0].problem
    assert {*published_answers(*given)[0].pairs["pair_id"]} == kept


def test_claims_that_a_model_was_not_asked_need_no_answers(tmp_path: Path) -> None:
    lacking = item("b", [1, 1])
    for arm in lacking["truthfulness_probability"].values():
        del arm["advanced_prompt"]["m"]
    (read,) = read_published(*files(tmp_path, [label("a"), label("b")], [item("a"), lacking]))
    assert (read.samples, read.notices) == (3, ())


def test_an_unknown_prompt_is_reported(tmp_path: Path) -> None:
    more = item("a")
    more["truthfulness_probability"]["base_claim"]["angry_prompt"] = {"m": [1]}
    (read,) = read_published(*files(tmp_path, [label("a")], [more]))
    assert [each.problem for each in read.notices] == [
        "found prompt 'angry_prompt', expected simple or advanced"
    ]
    assert read.samples == 2


def test_answers_of_which_none_can_be_used_stop(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no usable answered pair; first problem: answers.json: a"):
        read_published(*files(tmp_path, [label("a")], [item("a", "yes")]))


@pytest.mark.parametrize(
    ("labels", "items", "message"),
    [
        ([label("a")], [item("z")], "found no id of data.csv"),
        ([label("a"), label("a")], [item("a")], "data.csv:3: found the id 'a' twice"),
        ([label("a")], [item("a"), item("a")], "item 1: found the id 'a' twice"),
        ([label("a")], {"id": "a"}, "expected a list"),
        ([label("a")], [{"name": "a"}], "item 0"),
    ],
)  # fmt: skip
def test_files_that_are_no_use_stop(tmp_path: Path, labels: list, items: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_published(*files(tmp_path, labels, items))


def test_files_that_are_not_there_or_damaged_stop(tmp_path: Path) -> None:
    data, answers = files(tmp_path, [label("a")], [item("a")])
    with pytest.raises(InputError, match="nowhere.csv: cannot be read"):
        read_published(tmp_path / "nowhere.csv", answers)
    with pytest.raises(InputError, match="nowhere.json: cannot be read"):
        read_published(data, tmp_path / "nowhere.json")
    answers.write_text("[{", "utf-8")
    with pytest.raises(InputError, match="answers.json:1: found no JSON"):
        read_published(data, answers)
    data.write_text("id,shift\na,left\n", "utf-8")
    with pytest.raises(InputError, match="found no column base_word"):
        read_published(data, answers)
    data.write_bytes(b"id\xff\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_published(data, answers)


def test_answers_are_counted_by_label() -> None:
    pairs = pairs_of([answered(1, [1, 0, None], ["true", "refusal", "truncated"])])
    assert label_counts(pairs, "base")[0].tolist() == [1, 1, 0, 1, 0]
    assert label_counts(pairs, "exchange")[0].tolist() == [0, 1, 1, 0, 1]
    assert (pairs["base_truth"][0], pairs["exchange_truth"][0], pairs["change"][0]) == (0.5, 1, 0.5)


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [("label", "maybe", "truncated"), ("shift", "up", "libertarian"), ("axis", "z", "economic"), ("gold", None, "true")],
)  # fmt: skip
def test_unknown_values_name_their_column_and_row(column: str, value: str | None, expected: str) -> None:
    outcomes = outcomes_of([answered(1, [1], [0]), answered(2, [1], [1])])
    values = outcomes[column].astype(object)
    values[2] = value
    with pytest.raises(AnswerTableError, match=f"'{column}', row 2: found {value!r}, expected .*{expected}"):
        read_answers("m", outcomes.assign(**{column: values.astype("category")}))

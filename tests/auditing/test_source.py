"""Rows become items: labels are recognised, lists joined, and unusable values reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.errors import InputError
from polbias.generators.auditing.items import ItemSource, read_texts
from tests.auditing.support import LAYOUT, write


def _items(path: Path, *rows: dict[str, Any]) -> list[Any]:
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return list(ItemSource(path, LAYOUT, {}))


def test_an_item_has_texts_as_written_and_labels_in_one_spelling(tmp_path: Path) -> None:
    row = {"id": 7, "premise": ["One. ", "Two."], "hypothesis": "Three. ", "gold": " Non_Entailment "}
    (item,) = _items(tmp_path / "a.jsonl", row)
    assert item.texts == ("One.  Two.", "Three. ")
    assert item.sentences == ("One. Two.", "Three.")
    assert (item.gold, item.label, item.line, item.problem) == (False, "non-entailment", 1, None)
    assert item.values["id"] == "7"
    assert item.values.get("pattern") is None


def test_a_label_of_no_format_stays_as_written(tmp_path: Path) -> None:
    (item,) = _items(tmp_path / "a.jsonl", {"premise": "A", "hypothesis": "B", "gold": "Perhaps"})
    assert (item.gold, item.label) == (None, "Perhaps")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "premise: found nothing, expected a sentence"),
        ("  ", "premise: found nothing, expected a sentence"),
        ({"text": "A"}, "premise: found {'text': 'A'}, expected text"),
        ([], "premise: found [], expected text"),
        (["A", 1], "premise: found ['A', 1], expected text"),
        ("a\0b", "premise: found a NUL character"),
        ("\ud800", "premise: found half a character"),
    ],
)
def test_a_value_that_cannot_be_is_a_problem_of_its_row(tmp_path: Path, value: Any, problem: str) -> None:
    row = {"premise": value, "hypothesis": "B", "gold": "entailment"}
    items = _items(tmp_path / "a.jsonl", row, {**row, "premise": "A"})
    assert str(items[0].problem).startswith(problem)
    assert items[1].problem is None


def test_numbers_and_missing_values_of_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": pa.array([1, None]),
            "premises": pa.array([["A.", "B."], None]),
            "hypothesis": ["C", "D"],
            "gold": ["entailment", "entailment"],
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    source = ItemSource(tmp_path / "a.parquet", LAYOUT, {"premise": "premises"})
    first, second = source
    assert (first.values["id"], first.texts, first.file) == ("1", ("A. B.", "C"), None)
    assert str(second.problem).startswith("premise: found nothing")


def test_one_column_can_have_two_roles(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", [("premise", "hypothesis", "gold"), ("A", "B", "entailment")])
    (item,) = ItemSource(path, LAYOUT, {"pattern": "gold"})
    assert (item.values["pattern"], item.label) == ("entailment", "entailment")


def test_items_of_a_folder_say_which_file_they_are_from(tmp_path: Path) -> None:
    for name in ("test-0.parquet", "test-1.parquet"):
        table = pa.table({"premise": ["A"], "hypothesis": ["B"], "gold": ["entailment"]})
        pq.write_table(table, tmp_path / name)
    assert [item.file for item in ItemSource(tmp_path, LAYOUT, {})] == ["test-0.parquet", "test-1.parquet"]


def test_exemplars_need_no_label(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", [("premise", "hypothesis"), ("A", "B")])
    assert list(read_texts(path, LAYOUT)) == [("A", "B")]
    path = write(tmp_path / "b.tsv", [("premise", "hypothesis"), ("A", "B"), ("A", "")])
    with pytest.raises(
        InputError, match=r"b\.tsv:3: hypothesis: found nothing.*correct the file of exemplars"
    ):
        list(read_texts(path, LAYOUT))

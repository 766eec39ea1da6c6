"""What we write is harmless: no formula for a spreadsheet, no half file, no way out of a folder."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.atomic_write import write_text
from polbias.cli.outputs import csv_text
from polbias.errors import InputError
from polbias.generators.authoring.review import ReviewRow, read_review, write_review
from polbias.spreadsheet_cells import escape_formula, unescape_formula

FORMULAS = ("=1+1", "+1+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "'=1", '=HYPERLINK("http://x")')


@given(st.text())
def test_a_guarded_cell_comes_back(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text
    assert text == "-" or not escape_formula(text).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_texts_of_an_analysis_are_no_formulas_and_numbers_are_numbers() -> None:
    rows = [{"model": text, "bias": -1.5, "n": -3, "names": [text, "x"]} for text in FORMULAS]
    found = list(csv.DictReader(io.StringIO(csv_text(rows), newline="")))
    for row, text in zip(found, FORMULAS, strict=True):
        assert row["model"] == f"'{text}"
        assert row["names"].startswith("'")
        assert (row["bias"], row["n"]) == ("-1.5", "-3")


def test_a_number_stays_a_number() -> None:
    for text in ("-3.33", "+1", "-1e-05", "-12%"):
        assert escape_formula(text) == text


def test_a_review_file_is_no_formula_and_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    row = ReviewRow("de_1", "en", "negation", "=cmd|' /C calc'!A0", ("force-lost",), "- nothing")
    write_review(path, [row])
    assert "\t=" not in path.read_text("utf-8")
    (read,) = read_review(path)
    assert (read.text, read.suggestion) == (row.text, row.suggestion)
    assert [each.name for each in tmp_path.iterdir()] == ["review.tsv"]


def test_half_a_character_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    write_text(path, "before")
    with pytest.raises(InputError, match=r"summary\.json: cannot be written"):
        write_text(path, "a" * 100_000 + "\ud800")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("summary.json", "before")]


def test_a_link_in_an_output_folder_is_replaced_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("mine", "utf-8")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "summary.json").symlink_to(other)
    write_text(folder / "summary.json", "{}")
    assert other.read_text("utf-8") == "mine"
    assert not (folder / "summary.json").is_symlink()

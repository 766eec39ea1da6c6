"""Cells that are no formulas, and tables as spreadsheets save them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.spreadsheet_cells import escape_formula, unescape_formula
from polbias.spreadsheets import SheetError, rows_by_column, sheet, sheet_lines, sheet_text


@given(st.text())
def test_guarding_is_undone(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text
    assert text == "-" or _is_number(text) or escape_formula(text)[:1] not in tuple("=+-@\t\r")


def _is_number(text: str) -> bool:
    try:
        return bool(float(text.removesuffix("%")) + 1)
    except ValueError:
        return False


@pytest.mark.parametrize("text", ["=1+1", "+49 (0) 30", "-5 Grad", "@name", "\tx", "\rx", "'=1", "''-"])
def test_formulas_get_an_apostrophe(text: str) -> None:
    assert escape_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=b", "'quoted'", "Steuer"])
def test_other_texts_stay(text: str) -> None:
    assert escape_formula(text) == text == unescape_formula(text)


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_columns_in_any_order_and_form(tmp_path: Path, delimiter: str, start: str) -> None:
    text = sheet(["b", "more", "a"], [["1", "x", "'=2"], ["", "", ""], ["3"]], delimiter)
    path = tmp_path / "t.csv"
    path.write_bytes((start + text.replace("\n", "\r\n")).encode())
    assert list(rows_by_column(path, ("a", "b"), "a table")) == [
        (2, {"b": "1", "more": "x", "a": "=2"}),
        (4, {"b": "3", "more": "", "a": ""}),
    ]


def test_what_is_wrong_with_a_line_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text('a\tb\n1\t2\t3\n"open\t1\n', "utf-8")
    (two, wide), (three, broken) = rows_by_column(path, ("a", "b"), "a table")
    assert (two, three) == (2, 3)
    assert "found 3 columns, expected 2" in wide
    assert "quotes" in broken
    with pytest.raises(SheetError, match=r"t\.tsv:1: head: found a, b; expected a, c"):
        list(rows_by_column(path, ("a", "c"), "a table"))
    path.write_bytes(b"a\n\xff")
    with pytest.raises(SheetError, match="t.tsv:2: not UTF-8"):
        sheet_text(path, "a table")
    with pytest.raises(SheetError, match="cannot be read .*; expected a table"):
        sheet_text(tmp_path / "none", "a table")


@given(
    st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=2), max_size=4)
)
def test_what_is_written_is_read(rows: list[list[str]]) -> None:
    read = [cells for _, cells in sheet_lines(sheet(["a", "b"], rows, ","), ",")]
    assert read == [["a", "b"], *(row for row in rows if any(cell.strip() for cell in row))]

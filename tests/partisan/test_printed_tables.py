"""The `_paper` edition against the rows of Tables 13 to 20 (Gubelmann & Karray 2025), word for word."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from polbias.generators.partisan.items import ArgumentDesign, ArgumentWriter
from polbias.generators.partisan.pair_patterns import formal_pairs, material_pairs
from polbias.generators.partisan.templates import load_family

_TABLES = (Path(__file__).parent / "printed" / "tables.tsv").read_text("utf-8")
_ROWS = list(csv.DictReader(_TABLES.splitlines(), delimiter="\t"))
_FAMILY = load_family()
_WRITERS = {c.language: ArgumentWriter(_FAMILY, c) for c in _FAMILY.countries if c.printed == "all"}
# Odd tables are English, even ones German; 13-16 formal, 17-20 material; valid ones first.
_GOLD = {
    13: "valid",
    14: "valid",
    15: "invalid",
    16: "invalid",
    17: "valid",
    18: "valid",
    19: "invalid",
    20: "invalid",
}


def _cells(table: int):
    writer = _WRITERS["en" if table % 2 else "de"]
    pairs = formal_pairs(writer.language.patterns) if table < 17 else material_pairs(writer.country)
    for pair in pairs:
        for leaning in ("left", "right"):
            yield writer, ArgumentDesign(pair, _GOLD[table], leaning, "f", "default")


def _capital(clause: str) -> str:
    return clause[:1].upper() + clause[1:]


def test_all_rows_of_the_tables_are_there() -> None:
    assert len(_ROWS) == 8 * 12


@pytest.mark.parametrize("table", sorted(_GOLD))
def test_paper_edition_is_what_the_table_prints(table: int) -> None:
    printed = {
        (row["pattern"], row["leaning"], row["conclusion"], _capital(row["premise_1"]), row["premise_2"])
        for row in _ROWS
        if int(row["table"]) == table
    }
    written = set()
    for writer, cell in _cells(table):
        argument = writer.write(cell, paper_edition=True)
        premises = argument.premises
        written.add(
            (writer.printed_name(cell), cell.leaning, argument.conclusion, _capital(premises[0]), premises[1])
        )
    assert written == printed


@pytest.mark.parametrize("table", sorted(_GOLD))
def test_a_row_differs_from_the_table_exactly_where_an_erratum_says_so(table: int) -> None:
    for writer, cell in _cells(table):
        same = writer.write(cell).text == writer.write(cell, paper_edition=True).text
        assert same == (not writer.errata(cell)), cell

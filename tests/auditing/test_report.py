"""The report on a terminal: what it shows, and that nothing in a file can steer a terminal."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from polbias.generators.auditing import report
from polbias.generators.auditing.report import (
    FlaggedItems,
    Summary,
    describe,
    print_counts,
    print_flagged_items,
)
from tests.auditing.support import HEADER, LAYOUT, Notation, audit, sample, write


def _printed(path: Path, width: int = 200) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    summary, gallery = Summary(LAYOUT), FlaggedItems()
    for item in audit(path):
        summary.add(item)
        gallery.add(item)
    print_counts(console, summary, Notation())
    print_flagged_items(console, gallery, Notation())
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def test_counts_come_first_then_wrong_and_unread_items(tmp_path: Path) -> None:
    told = _squeezed(_printed(sample(tmp_path / "a.tsv")))
    for part in (
        "pattern gold confirmed contradicted depends unparsed items",
        "none entailment 1 1 2",
        "all 1 3 2 1 7",
        "gold is right with items or: free choice 1 axiom T: with 1",
        "2 (line 3) contradicted, gold: entailment, Mi-Mu premise P A hypothesis O A reading P A ⊢ O A countermodel",
        "7 (line 8) contradicted, gold: non-entailment, Mu-Mi premise O B hypothesis P B",
        "contradicted: no further diagnosis (3) 2 (line 3)",
        "unparsed: no further diagnosis (1) 5 (line 6)",
        "5 (line 6) unparsed, gold: entailment, none premise (A hypothesis A message",
    ):
        assert part in told
    assert told.index("all 1 3 2 1 7") < told.index("2 (line 3)")
    assert "3 (line 4)" not in told  # what depends is counted; --all shows it


def test_findings_are_explained(tmp_path: Path) -> None:
    row = ("1", "O  odd", "P odd", "entailment", "c", "p")
    told = _squeezed(_printed(write(tmp_path / "a.tsv", [HEADER, row, row]), 90))
    assert "whitespace 2 spaces at the ends of a text, or several in a row" in told
    assert "duplicate-id 1 an earlier item has the same id" in told
    assert "odd 2 the premise says odd" in told


@pytest.mark.parametrize("width", [40, 80, 300])
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, width: int) -> None:
    row = ("1", "P ⟨" + "word " * 60 + "⟩", "O A", "entailment", "c", "p" * 50)
    for line in _printed(write(tmp_path / "a.tsv", [HEADER, row]), width).splitlines():
        assert len(line) <= width


def test_the_same_item_is_shown_once_with_how_often_it_comes(tmp_path: Path) -> None:
    row = ("P A", "O A", "entailment", "c", "p")
    told = _printed(write(tmp_path / "a.tsv", [HEADER, *((str(n), *row) for n in range(1, 4))]))
    assert "1 (line 2)" in told
    assert "and 2 more with this text" in told
    assert "2 (line 3)" not in told


def test_no_more_items_are_kept_than_a_person_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "_MAX_DISPLAYED", 2)
    rows = [(str(n), f"P A{n}", f"O A{n}", "entailment", "c", "p") for n in range(5)]
    told = _printed(write(tmp_path / "a.tsv", [HEADER, *rows]))
    assert told.count("(line ") == 2
    assert "and 3 more; --output FILE.json has all items" in told


def test_a_file_cannot_steer_the_terminal(tmp_path: Path) -> None:
    row = ("\x1b[31m1", "P ⟨\x1b]0;title\x07[bold]x[/bold]⟩", "O A", "entailment", "c", "\u202ep")
    told = _printed(write(tmp_path / "a.tsv", [HEADER, row]))
    assert "\x1b" not in told
    assert "\x07" not in told
    assert "\u202e" not in told
    assert "[bold]x[/bold]" in told


def test_everything_about_an_item_is_shown(tmp_path: Path) -> None:
    console = Console(file=io.StringIO(), width=200, highlight=False)
    console.print(describe(audit(sample(tmp_path / "a.tsv"))[2], Notation()))
    assert isinstance(console.file, io.StringIO)
    told = _squeezed(console.file.getvalue())
    assert "3 (line 4) depends, gold: non-entailment, Ross" in told
    assert "reading O A ⊢ O(A ∨ B) [or: classical] right if or: free choice proof [or: classical] (1)" in told

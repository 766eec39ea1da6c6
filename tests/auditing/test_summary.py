"""Counts of an audit, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from polbias.generators.auditing.report import _MAX_KEYS, Summary
from tests.auditing.support import HEADER, LAYOUT, audit, sample, write


def _summary(path: Path, uniform: bool = True) -> Summary:
    summary = Summary(replace(LAYOUT, uniform=uniform))
    for item in audit(path):
        summary.add(item)
    return summary


def test_counts_of_the_sample(tmp_path: Path) -> None:
    counted = _summary(sample(tmp_path / "a.tsv")).as_dict()
    assert counted["items"] == 7
    assert counted["flagged"] == 6
    assert counted["verdicts"] == {"confirmed": 1, "contradicted": 3, "depends": 2, "unparsed": 1}
    assert counted["patterns"][0] == {
        "pattern": "Mu-Mi",
        "gold": "entailment",
        "confirmed": 1,
        "contradicted": 0,
        "depends": 0,
        "unparsed": 0,
    }
    assert [(entry["pattern"], entry["gold"]) for entry in counted["patterns"]] == [
        ("Mu-Mi", "entailment"),
        ("Mi-Mu", "entailment"),
        ("Ross", "non-entailment"),
        ("T", "entailment"),
        ("none", "entailment"),
        ("Mu-Mi", "non-entailment"),
    ]
    assert counted["depends_on"] == [
        {"choices": {"or": "free choice"}, "items": 1},
        {"choices": {"axiom T": "with"}, "items": 1},
    ]


def test_findings_are_counted(tmp_path: Path) -> None:
    rows = [("1", "O  A", "P A", "entailment", "c", "p"), ("1", "O A", "P  A", "entailment", "c", "p")]
    assert _summary(write(tmp_path / "a.tsv", [HEADER, *rows])).as_dict()["findings"] == {
        "whitespace": 2,
        "duplicate-id": 1,
        "duplicate-item": 1,
    }


def test_items_without_pattern_or_content_are_in_no_cell(tmp_path: Path) -> None:
    rows = [("1", "O A", "P A", "entailment", "", "p"), ("2", "O B", "P B", "entailment", "c", "")]
    summary = _summary(write(tmp_path / "a.tsv", [HEADER, *rows]))
    assert not summary.cells
    assert summary.unbalanced_cells() == []


def _cells(tmp_path: Path, sizes: dict[tuple[str, str], int], uniform: bool = True) -> list[object]:
    rows = [
        (
            f"{pattern}{content}{number}",
            f"O {pattern}{content}{number}",
            "P A",
            "entailment",
            content,
            pattern,
        )
        for (pattern, content), size in sizes.items()
        for number in range(size)
    ]
    return list(_summary(write(tmp_path / "a.tsv", [HEADER, *rows]), uniform).unbalanced_cells())


def test_cells_of_another_size_than_most_are_unbalanced(tmp_path: Path) -> None:
    sizes = {("p", "c"): 2, ("p", "i"): 2, ("q", "i"): 2, ("q", "n"): 1, ("p", "n"): 2}
    assert _cells(tmp_path, sizes) == [("q", "c", 0, 2), ("q", "n", 1, 2)]


def test_patterns_need_not_be_equally_frequent_where_the_design_does_not_say_so(tmp_path: Path) -> None:
    sizes = {("p", "c"): 3, ("p", "i"): 3, ("p", "n"): 3, ("q", "c"): 2, ("q", "i"): 2, ("q", "n"): 1}
    assert _cells(tmp_path, sizes, uniform=False) == [("q", "n", 1, 2)]
    assert _cells(tmp_path, sizes) == [("q", "c", 2, 3), ("q", "i", 2, 3), ("q", "n", 1, 3)]


def test_a_column_with_ever_new_values_does_not_fill_the_memory(tmp_path: Path) -> None:
    rows = [(str(n), "O A", "P A", "entailment", "c", f"pattern {n}") for n in range(_MAX_KEYS + 50)]
    summary = _summary(write(tmp_path / "a.tsv", [HEADER, *rows]))
    assert len(summary.groups) == _MAX_KEYS + 1
    assert summary.groups["(others)", "(others)", "(others)"] == 50
    assert sum(summary.groups.values()) == summary.items

"""Files of the lexicon: a row that cannot be used is said with file, line and column."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from polbias.errors import TemplateError
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
from polbias.paths import package_file

Change = Callable[[list[str]], list[str]]


def _cell(column: int, value: str) -> Change:
    """Put a value in the second line."""

    def change(lines: list[str]) -> list[str]:
        cells = lines[1].split("\t")
        cells[column] = value
        return [lines[0], "\t".join(cells), *lines[2:]]

    return change


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("pairs.tsv", lambda lines: lines[1:], "pairs.tsv:1: found columns "),
        (
            "pairs.tsv",
            lambda lines: [*lines, "a\tb"],
            r"pairs.tsv:\d+: 2 fields, 0 of them empty; expected 9",
        ),
        ("pairs.tsv", _cell(3, "up"), "pairs.tsv:2: shift: Input should be 'left', 'right' or 'none'"),
        ("placebo.tsv", _cell(1, ""), "placebo.tsv:2: 4 fields, 1 of them empty; expected 4, '-' where"),
        ("placebo.tsv", _cell(1, "  "), "placebo.tsv:2: 4 fields, 1 of them empty; expected 4, '-' where"),
        ("morphology.a.tsv", _cell(11, "a| |b"), "morphology.a.tsv:2: linking: .*on both sides of every"),
        (
            "placebo.tsv",
            _cell(3, "x" * 5_000),
            "placebo.tsv:2: note: found 5,000 characters, expected at most 300; shorten it",
        ),
        (
            "morphology.a.tsv",
            lambda lines: [*lines, lines[1]],
            r"morphology.a.tsv:\d+: word: found .* twice; keep one",
        ),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, name: str, change: Change, said: str) -> None:
    folder = tmp_path / "xphemism"
    shutil.copytree(package_file("templates/xphemism"), folder)
    path = folder / name
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*change(lines), ""]), "utf-8")
    with pytest.raises(TemplateError, match=said):
        load_lexicon(folder)

"""`polbias verify` proves the gold labels of a build, and notices what is wrong with one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.generators.partisan.gold_verification import verify_gold_labels


@pytest.fixture
def folder(partisan_build: Path, tmp_path: Path) -> Path:
    shutil.copytree(partisan_build / "partisan-inference", tmp_path / "copy")
    return tmp_path / "copy"


def _change(folder: Path, config: str, column: str, old: str, new: str) -> int:
    """Replace a value in the rows of a config and return how many were changed."""
    path = next((folder / config).glob("test-*"))
    table = pq.read_table(path)
    values = table[column].to_pylist()
    changed = [value.replace(old, new) if value else value for value in values]
    index = table.column_names.index(column)
    pq.write_table(table.set_column(index, table.schema.field(column), [changed]), path)
    return sum(a != b for a, b in zip(values, changed, strict=True))


def test_all_gold_labels_are_proved_or_excused(folder: Path) -> None:
    proofs = verify_gold_labels(folder)
    assert (proofs.n_proved, proofs.excused, proofs.failed) == (9624, 408, ())


@pytest.mark.parametrize(
    ("config", "column", "old", "new", "problem"),
    [
        ("en_formal_mini", "gold", "invalid", "valid", "found gold valid, expected invalid"),
        ("de_formal_mini", "argument", "keine ", "eine ", "in the sentence, expected"),
        ("en_formal_mini", "argument", "superior", "superb", "cannot be read|could not be read|read"),
        ("en_control_formal_mini", "argument", "an inferior", "a inferior", "inferior"),
        ("en_control_formal_mini", "argument", "Carlsen", "Carlson", "Carlson"),
        (
            "de_formal_paper",
            "erratum",
            "partisan-de-2-inf-cn-pp-valid-left",
            "partisan-fewshot-order",
            "gold valid",
        ),
    ],
)
def test_what_is_wrong_is_found(
    folder: Path, config: str, column: str, old: str, new: str, problem: str
) -> None:
    assert _change(folder, config, column, old, new)
    failed = verify_gold_labels(folder).failed
    assert failed
    assert all(line.startswith(f"{config}/") for line in failed)
    assert re.search(problem, failed[0]), failed[0]

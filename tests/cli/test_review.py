"""`polbias author review`: out to a file, and what a reviewer decided there stays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from polbias.generators.authoring.review import COLUMNS
from polbias.paths import package_file
from tests.support.process import run_polbias


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(package_file("templates/policy"), tmp_path / "policy"))


def test_doubtful_texts_are_written_and_decisions_kept(folder: Path) -> None:
    path = folder / "review.tsv"
    before = path.read_bytes()
    done = run_polbias("author", "review", "--templates", folder)
    assert "240 statements" in done.stdout
    assert path.read_bytes() == before


def test_a_bad_line_is_named(folder: Path) -> None:
    (folder / "review.tsv").write_text("\t".join(COLUMNS) + "\nonly one cell\n", "utf-8")
    done = run_polbias("author", "review", "--templates", folder, check=False)
    assert done.returncode
    assert "review.tsv:2" in done.stderr
    assert "Traceback" not in done.stderr

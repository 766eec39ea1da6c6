"""`polbias review`: out to a file, through a reviewer's hands, and back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from polbias.files import package_file
from polbias.generators.authoring.review import COLUMNS
from polbias.generators.policy.templates import load_family
from tests.support.process import run_polbias


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(package_file("templates/policy"), tmp_path / "policy"))


def test_a_correction_comes_back_into_the_statements(folder: Path) -> None:
    command = ["review", "--templates", str(folder)]
    assert "240 statements" in run_polbias(*command).stdout
    path = folder / "review.tsv"
    assert path.read_text("utf-8") == (package_file("templates/policy") / "review.tsv").read_text("utf-8")
    lines = path.read_text("utf-8").splitlines()
    cells = lines[1].split("\t")
    text = cells[COLUMNS.index("text")]
    corrected = text.replace(".", " today.") if text.endswith(".") else f"{text} today."
    cells[COLUMNS.index("decision")] = corrected
    cells[COLUMNS.index("reviewer")] = "A. Reader"
    path.write_text("\n".join([lines[0], "\t".join(cells), *lines[2:]]) + "\n", "utf-8")
    done = run_polbias(*command, "--apply", check=False)
    statement = next(
        s for file in load_family(folder).countries.values() for s in file.statements if s.id == cells[0]
    )
    wording = statement.wordings[cells[1]]
    assert done.returncode == 0, done.stderr
    assert "1 corrected" in done.stdout
    assert wording.text(cells[2]) == corrected


def test_a_bad_line_is_named(folder: Path) -> None:
    (folder / "review.tsv").write_text("\t".join(COLUMNS) + "\nonly one cell\n", "utf-8")
    done = run_polbias("review", "--templates", folder, "--apply", check=False)
    assert done.returncode
    assert "review.tsv:2" in done.stderr
    assert "Traceback" not in done.stderr

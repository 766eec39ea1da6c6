"""The published figures come out again, from a user's copy of the published files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.eval.xphemism.analysis import analyse
from polbias.eval.xphemism.answers import XphemismAnswers
from polbias.eval.xphemism.published import read_published
from polbias.eval.xphemism.regression import Coefficient, RegressionMode, coefficients
from tests.support.shared import shared
from tests.support.xphemism_records import published_answers

FOLDER = shared("upstream/polbix")
TABLE3 = Path(__file__).with_name("table3.tsv")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="no copy of the published files")


@pytest.fixture(scope="module")
def files() -> tuple[Path, Path]:
    assert FOLDER is not None
    return FOLDER / "dataset.csv", FOLDER / "sample_output.json"


@pytest.fixture(scope="module")
def published(files: tuple[Path, Path]) -> list[XphemismAnswers]:
    return published_answers(*files)


def estimated(published: list[XphemismAnswers], mode: RegressionMode) -> dict[tuple, Coefficient]:
    return {
        (answers.respondent, each.prompt, each.axis, each.term): each
        for answers in published
        for each in coefficients(answers.pairs, mode)
    }


def test_the_files_fit_each_other(files: tuple[Path, Path], published: list[XphemismAnswers]) -> None:
    assert not any(each.notices for each in read_published(*files))
    assert [len(each.pairs) for each in published] == [930 * 2] * 2
    assert {each.pairs["component"].nunique() for each in published} == {221}


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("no_figures")
def test_a_report_has_all_cells_of_table_3(files: tuple[Path, Path], tmp_path: Path) -> None:
    asked = ["report", "--polbix-answers", *map(str, files), "--tables-only", "-o", str(tmp_path)]
    assert CliRunner().invoke(app, asked).exit_code == 0
    shown = {
        tuple(row[name] for name in ("respondent", "prompt", "axis")): row
        for row in table(tmp_path / "tables" / "xphemism-table3-paper.csv")
    }
    with TABLE3.open(encoding="utf-8") as file:
        printed = list(csv.DictReader(file, delimiter="\t"))
    assert len(printed) == 40
    for row in printed:
        axis = "both axes" if row["axis"] == "both" else f"{row['axis']} axis"
        line, term = shown[row["model"], row["prompt"], axis], f"term_{row['term']}"
        assert (f"{float(line[term]):.4f}", f"{float(line[f'{term}_p']):.4f}") == (row["coef"], row["p"]), row
        if row["axis"] == "both":
            assert line[f"{term}_n"] == "2772"


def test_clustered_no_shift_is_left(published: list[XphemismAnswers]) -> None:
    found = estimated(published, "corrected")
    assert found["llama", "simple", "both", "shift"].p == pytest.approx(0.0980, abs=5e-5)
    assert found["llama", "objective", "economic", "shift"].p == pytest.approx(0.1844, abs=5e-5)
    assert min(each.p for each in found.values() if each.term == "shift") > 0.05
    assert max(each.p for each in found.values() if each.term == "judgmental_exchange") < 0.025
    assert {each.n for each in found.values() if each.axis == "both"} == {924}
    assert {each.clusters for each in found.values() if each.axis == "both"} == {220}


def test_coefficients_do_not_depend_on_the_error(published: list[XphemismAnswers]) -> None:
    paper, corrected = (estimated(published, "paper"), estimated(published, "corrected"))
    for cell, each in paper.items():
        assert corrected[cell].coef == pytest.approx(each.coef, abs=1e-8)
        if each.term == "shift":
            assert corrected[cell].se > 1.3 * each.se


def test_nothing_but_the_penalty_survives_correction(published: list[XphemismAnswers]) -> None:
    made = analyse(published, 0)
    cells = [each.leaning.p for each in made.effects if not each.part.is_complete]
    assert len(cells) == 12
    assert min(cells) > 0.1
    penalties = [each for _, each in made.penalties if each.claims == "shifted"]
    assert len(penalties) == 4
    assert max(each.p for each in penalties) < 0.001

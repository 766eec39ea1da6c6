"""The published figures come out again, from a user's copy of the published files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.eval.xphemism.analysis import analyse
from polbias.eval.xphemism.answers import Answers
from polbias.eval.xphemism.published import read_published
from polbias.eval.xphemism.regression import Coefficient, Mode, coefficients
from polbias.eval.xphemism.tables import full
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
def published(files: tuple[Path, Path]) -> list[Answers]:
    return published_answers(*files)


def estimated(published: list[Answers], mode: Mode) -> dict[tuple, Coefficient]:
    return by_cell([each for answers in published for each in coefficients(answers.records, mode)])


def by_cell(found: list[Coefficient]) -> dict[tuple, Coefficient]:
    return {(each.model, each.prompt, each.axis, each.term): each for each in found}


def test_the_files_fit_each_other(files: tuple[Path, Path], published: list[Answers]) -> None:
    assert not any(each.notices for each in read_published(*files))
    assert [each.records.n for each in published] == [930 * 2] * 2
    assert {len(each.records.cluster.levels) for each in published} == {221}


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("no_figures")
def test_a_report_has_all_cells_of_table_3(files: tuple[Path, Path], tmp_path: Path) -> None:
    asked = ["report", "--published", *map(str, files), "--csv", "-o", str(tmp_path)]
    assert CliRunner().invoke(app, asked).exit_code == 0
    rows = table(tmp_path / "tables" / "xphemism-coefficients-full.csv")
    found = {
        tuple(row[name] for name in ("respondent", "prompt", "axis", "term")): row
        for row in rows
        if row["mode"] == "paper"
    }
    shown = {
        tuple(row[name] for name in ("respondent", "prompt", "axis")): row
        for row in table(tmp_path / "tables" / "xphemism-table3-paper.csv")
    }
    with TABLE3.open(encoding="utf-8") as file:
        printed = list(csv.DictReader(file, delimiter="\t"))
    assert len(printed) == len(found) == 40
    for row in printed:
        cell = found[row["model"], row["prompt"], row["axis"], row["term"]]
        assert (f"{float(cell['coef']):.4f}", f"{float(cell['p']):.4f}") == (row["coef"], row["p"]), cell
        line = shown[
            row["model"], row["prompt"], "both axes" if row["axis"] == "both" else f"{row['axis']} axis"
        ]
        numbers = (line[f"term_{row['term']}"], line[f"term_{row['term']}_p"])
        assert numbers == pytest.approx((cell["coef"], cell["p"])) or numbers == (cell["coef"], cell["p"])
    assert {cell["n"] for cell in found.values() if cell["axis"] == "both"} == {"2772"}
    sensitivity = table(tmp_path / "tables" / "xphemism-sensitivity-full.csv")
    assert {row["rows"] for row in sensitivity} == {"all", "without defective"}


def test_code_mode_gives_the_published_results(published: list[Answers]) -> None:
    assert FOLDER is not None
    found = estimated(published, "code")
    with (FOLDER / "sample_result.csv").open(encoding="utf-8-sig") as file:
        printed = list(csv.DictReader(file))
    assert (len(printed), len(found)) == (12, 36)
    for row in printed:
        prompt = {"advanced": "objective"}.get(row["prompt"], row["prompt"])
        for term in ("judgmental_base", "judgmental_exchange", "shift"):
            cell = found[row["model_name"], prompt, row["axis"], term]
            assert cell.coef == pytest.approx(float(row[f"params_{term}"]), abs=1e-9)
            assert cell.p == pytest.approx(float(row[f"pvalues_{term}"]), abs=1e-9)


@pytest.mark.parametrize(
    ("mode", "simple", "objective"), [("clustered", 0.0973, 0.1827), ("corrected", 0.0980, 0.1844)]
)
def test_clustered_no_shift_is_left(
    published: list[Answers], mode: Mode, simple: float, objective: float
) -> None:
    found = estimated(published, mode)
    assert found["llama", "simple", "both", "shift"].p == pytest.approx(simple, abs=5e-5)
    assert found["llama", "objective", "economic", "shift"].p == pytest.approx(objective, abs=5e-5)
    assert min(each.p for each in found.values() if each.term == "shift") > 0.05
    assert max(each.p for each in found.values() if each.term == "judgmental_exchange") < 0.025
    assert {each.n for each in found.values() if each.axis == "both"} == {
        924 if mode == "corrected" else 2772
    }
    assert {each.clusters for each in found.values() if each.axis == "both"} == {220}


def test_coefficients_do_not_depend_on_the_error(published: list[Answers]) -> None:
    paper, corrected = (estimated(published, "paper"), estimated(published, "corrected"))
    for cell, each in paper.items():
        assert corrected[cell].coef == pytest.approx(each.coef, abs=1e-8)
        if each.term == "shift":
            assert corrected[cell].se > 1.3 * each.se


def test_nothing_but_the_penalty_and_judgement_survives_correction(published: list[Answers]) -> None:
    tests = full(analyse(published, 0))["tests"]
    assert not [each for each in tests if "shift" in each["test"].split() and each["p_bh"] < 0.05]
    assert not [each for each in tests if each["table"] == "leaning" and each["p_bh"] < 0.05]
    penalty = [each for each in tests if each["test"] == "shifted"]
    assert len(penalty) == 4
    assert max(each["p_holm"] for each in penalty) < 0.01

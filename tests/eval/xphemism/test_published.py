"""The published figures come out again, from a user's copy of the published files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from polbias.eval.xphemism.published import read_published
from polbias.eval.xphemism.regression import Coefficient, coefficients
from polbias.eval.xphemism.schema import Reading, Records
from polbias.eval.xphemism.summary import xphemism_tables
from tests.support.shared import shared

FOLDER = shared("upstream/polbix")
TABLE3 = Path(__file__).with_name("table3.tsv")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="no copy of the published files")


@pytest.fixture(scope="module")
def reading() -> Reading:
    assert FOLDER is not None
    return read_published(FOLDER / "dataset.csv", FOLDER / "sample_output.json")


@pytest.fixture(scope="module")
def published(reading: Reading) -> Records:
    return reading.records


def by_cell(found: list[Coefficient]) -> dict[tuple, Coefficient]:
    return {(each.model, each.prompt, each.axis, each.term): each for each in found}


def test_the_files_fit_each_other(reading: Reading) -> None:
    assert reading.problems == ()
    assert reading.records.n == 930 * 2 * 2
    assert len(reading.records.cluster.levels) == 285


def test_paper_mode_gives_all_cells_of_table_3(published: Records) -> None:
    found = by_cell(coefficients(published, "paper"))
    with TABLE3.open(encoding="utf-8") as file:
        printed = list(csv.DictReader(file, delimiter="\t"))
    assert len(printed) == len(found) == 40
    for row in printed:
        cell = found[row["model"], row["prompt"], row["axis"], row["term"]]
        assert (f"{cell.coef:.4f}", f"{cell.p:.4f}") == (row["coef"], row["p"]), cell
    assert {cell.n for cell in found.values() if cell.axis == "both"} == {2772}


def test_code_mode_gives_the_published_results(published: Records) -> None:
    assert FOLDER is not None
    found = by_cell(coefficients(published, "code"))
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
    ("mode", "simple", "objective"), [("clustered", 0.0951, 0.1674), ("corrected", 0.0958, 0.1690)]
)
def test_clustered_no_shift_is_left(published: Records, mode: str, simple: float, objective: float) -> None:
    found = by_cell(coefficients(published, mode))
    assert found["llama", "simple", "both", "shift"].p == pytest.approx(simple, abs=5e-5)
    assert found["llama", "objective", "economic", "shift"].p == pytest.approx(objective, abs=5e-5)
    assert min(each.p for each in found.values() if each.term == "shift") > 0.05
    assert max(each.p for each in found.values() if each.term == "judgmental_exchange") < 0.025
    assert {each.n for each in found.values() if each.axis == "both"} == {
        924 if mode == "corrected" else 2772
    }
    assert {each.clusters for each in found.values() if each.axis == "both"} == {283}


def test_coefficients_do_not_depend_on_the_error(published: Records) -> None:
    paper, corrected = (by_cell(coefficients(published, mode)) for mode in ("paper", "corrected"))
    for cell, each in paper.items():
        assert corrected[cell].coef == pytest.approx(each.coef, abs=1e-8)
        if each.term == "shift":
            assert corrected[cell].se > 1.3 * each.se


def test_nothing_but_the_penalty_and_judgement_survives_correction(published: Records) -> None:
    tests = xphemism_tables(published)["tests"]
    assert not [each for each in tests if "shift" in each["test"].split() and each["p_bh"] < 0.05]
    assert not [each for each in tests if each["table"] == "leaning" and each["p_bh"] < 0.05]
    penalty = [each for each in tests if each["test"] == "shifted"]
    assert len(penalty) == 4
    assert max(each["p_holm"] for each in penalty) < 0.01

"""All tables together: complete, labelled, adjusted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from polbias.eval.report.export import flat_rows
from polbias.eval.statistics import benjamini_hochberg
from polbias.eval.xphemism.analysis import analyse
from polbias.eval.xphemism.answers import Answers
from polbias.eval.xphemism.regression import MODES, coefficients
from polbias.eval.xphemism.schema import Records
from polbias.eval.xphemism.summary import truth_data
from polbias.eval.xphemism.tables import adjusted, full, tables
from tests.eval.xphemism.pairs import answered, drawn

NAMES = {"coefficients", "leaning", "sensitivity", "penalty", "refusal_gaps", "judgment", "tests"}


def tables_of(rows: Any, defective: Iterable[str] = ()) -> dict[str, list[dict[str, Any]]]:
    """All tables of one respondent."""
    return full(analyse([Answers("m", Records.of(rows), {}, 0, 0, 0)], 0), [*defective])


def test_tables_are_complete() -> None:
    columns = drawn(np.random.default_rng(0), words=30)
    made = tables_of(columns, defective=columns["pair_id"][:7])
    assert made.keys() == NAMES
    assert all(
        row["respondent"] == "m" and row["prompt"] == "simple" for rows in made.values() for row in rows
    )
    assert [*dict.fromkeys(row["mode"] for row in made["coefficients"])] == [*MODES]
    sizes = {(row["rows"], row["excluded"]): row["n"] for row in made["sensitivity"] if row["axis"] == "both"}
    assert sizes == {("all", 0): 120, ("without defective", 7): 113}
    without = [row for row in made["sensitivity"] if row["rows"] != "all" and row["term"] != "leaning"]
    expected = coefficients(Records.of(columns).without(columns["pair_id"][:7]))
    assert [row["estimate"] for row in without] == pytest.approx(
        [each.coef for each in expected], nan_ok=True
    )


def test_defects_that_are_not_in_the_table_make_no_rows() -> None:
    made = tables_of(drawn(np.random.default_rng(0), words=20), defective=["elsewhere"])
    assert made["sensitivity"] == []


def test_every_test_is_adjusted_together() -> None:
    made = tables_of(drawn(np.random.default_rng(1), words=30))
    tests = made["tests"]
    assert len(tests) == 10 + 3 + 8 + 4
    made = [row for row in tests if not math.isnan(row["p"])]
    assert 0 < len(made) < len(tests)
    smallest = min(made, key=lambda row: row["p"])
    assert smallest["p_holm"] == pytest.approx(min(1, len(made) * smallest["p"]))
    assert all(row["p"] <= row["p_bh"] <= row["p_holm"] + 1e-12 for row in made)
    assert adjusted({}) == []


def test_benjamini_hochberg_by_hand() -> None:
    found = benjamini_hochberg([0.04, math.nan, 0.01, 0.03])
    assert found == pytest.approx([0.04, math.nan, 0.03, 0.04], nan_ok=True)
    assert benjamini_hochberg([]) == []


def test_languages_and_models_are_never_pooled() -> None:
    columns = drawn(np.random.default_rng(2), words=20)
    twice = {name: values * 2 for name, values in columns.items()}
    twice["instruction_language"] = ["de"] * 80 + ["en"] * 80
    made = tables_of(twice)
    assert {row["n"] for row in made["leaning"] if row["axis"] == "both"} == {80}
    languages = [row["instruction_language"] for row in made["leaning"] if row["axis"] == "both"]
    assert languages == ["de", "en"]


def test_figure_of_truth_by_hand() -> None:
    rows = [answered(i, [1, 1], [1, 0], shift="left") for i in range(3)]
    rows += [answered(5 + i, [0], [1], judgmental_exchange=1, axis="none") for i in range(2)]
    rows += [answered(8, [1], [None], shift="none"), answered(9, [1], [0], arm="placebo", shift="none")]
    found = {(each["by"], each["level"]): each for each in truth_data(Records.of(rows))}
    assert found.keys() == {
        ("judgmental_exchange", "no"),
        ("judgmental_exchange", "yes"),
        ("shift", "left"),
        ("shift", "right"),
    }
    left = found["shift", "left"]
    assert (left["before"], left["after"], left["change"], left["n"]) == (100, 50, -50, 3)
    assert found["judgmental_exchange", "yes"]["after"] == 100


def test_figure_of_axes() -> None:
    records = Records.of(drawn(np.random.default_rng(3), words=30))
    shifts = {each.axis: each for each in coefficients(records) if each.term == "shift"}
    made = {each.id: each for each in tables(analyse([Answers("m", records, {}, 0, 0, 0)], 0))}
    (point,) = flat_rows(made["figure6"])
    assert (point["economic"], point["social"]) == (shifts["economic"].coef, shifts["social"].coef)
    assert point["economic_low"] == shifts["economic"].low


def test_an_empty_table_has_empty_tables() -> None:
    assert set(map(len, tables_of([]).values())) == {0}

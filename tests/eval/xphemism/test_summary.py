"""The tables: by language, by hand, and of nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from polbias.eval.multiple_testing import benjamini_hochberg_adjust
from polbias.eval.report.flat_tables import flat_rows
from polbias.eval.xphemism.analysis import ALL, XphemismAnalysis, analyse
from polbias.eval.xphemism.regression import coefficients
from polbias.eval.xphemism.summary import truth_data
from polbias.eval.xphemism.tables import tables
from tests.eval.xphemism.pairs import answered, answers_of, drawn, pairs_of


def analysed(rows: Any) -> XphemismAnalysis:
    """The analysis of one respondent."""
    return analyse([answers_of(rows)], 0)


def test_benjamini_hochberg_by_hand() -> None:
    found = benjamini_hochberg_adjust([0.04, math.nan, 0.01, 0.03])
    assert found == pytest.approx([0.04, math.nan, 0.03, 0.04], nan_ok=True)
    assert benjamini_hochberg_adjust([]) == []


def test_languages_are_never_pooled() -> None:
    columns = drawn(np.random.default_rng(2), words=20)
    twice = {name: values * 2 for name, values in columns.items()}
    twice["instruction_language"] = ["de"] * 80 + ["en"] * 80
    by_language = {
        each.part.language: each.leaning for each in analysed(twice).effects if each.axis == "both"
    }
    assert {language: leaning.n for language, leaning in by_language.items()} == {
        ALL: 160,
        "de": 80,
        "en": 80,
    }


def test_figure_of_truth_by_hand() -> None:
    rows = [answered(i, [1, 1], [1, 0], shift="left") for i in range(3)]
    rows += [answered(5 + i, [0], [1], judgmental_exchange=1, axis="none") for i in range(2)]
    rows += [answered(8, [1], [None], shift="none"), answered(9, [1], [0], arm="placebo", shift="none")]
    found = {(each["by"], each["level"]): each for each in truth_data(pairs_of(rows))}
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
    columns = drawn(np.random.default_rng(3), words=30)
    shifts = {each.axis: each for each in coefficients(pairs_of(columns)) if each.term == "shift"}
    made = {each.id: each for each in tables(analysed(columns))}
    (point,) = flat_rows(made["figure6"])
    assert (point["economic"], point["social"]) == (shifts["economic"].coef, shifts["social"].coef)
    assert point["economic_low"] == shifts["economic"].low


def test_an_empty_table_has_no_tables_but_the_empty_estimates() -> None:
    assert [each.id for each in tables(analysed([]))] == ["leaning"]

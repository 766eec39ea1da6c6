"""Numbers as they are printed."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.report.document import ColumnKind, Estimate
from polbias.eval.report.page.cells import print_cell
from polbias.eval.report.page.numbers import format_value, interval


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (3.06, "points", "+3.1"),
        (-3.06, "points", "−3.1"),
        (-0.04, "points", "0.0"),
        (0.612, "share", "61.2%"),
        (-0.5, "number", "−0.500"),
        (-1.5, "number", "−1.50"),
        (0.031, "number", "0.031"),
        (-0.00001, "number", "0.000"),
        (0, "number", "0"),
        (12345, "number", "12,345"),
        (12345.678, "number", "12,345.68"),
        (9648, "count", "9,648"),
        (0.03125, "p", ".031"),
        (0.0009, "p", "< .001"),
        (1.0, "p", "1"),
        (math.inf, "points", "+∞"),
        (-math.inf, "number", "−∞"),
        (math.nan, "points", None),
        (None, "p", None),
    ],
)
def test_number(value: float | None, kind: ColumnKind, text: str | None) -> None:
    assert format_value(value, kind) == text


@given(st.floats(-1e6, 1e6), st.sampled_from(["points", "share", "number", "count"]))
def test_no_hyphen_and_no_sign_on_zero(value: float, kind: ColumnKind) -> None:
    text = format_value(value, kind)
    assert text is not None
    assert "-" not in text
    if not re.search("[1-9]", text):
        assert text[0] not in "+−"
    else:
        assert text.startswith("−") == (value < 0)


def test_interval() -> None:
    assert interval(-1.04, 7.2, "points") == "[−1.0, +7.2]"
    assert interval(0.1, 0.25, "share") == "[10.0, 25.0]"
    assert interval(None, 2.0, "points") == "[–, +2.0]"
    assert interval(None, None, "points") is None


def test_an_estimate_shows_what_it_rests_on() -> None:
    shown = print_cell(Estimate(3.0, -1.0, 7.0, n=1608, clusters=6, refusals=0, unparsable=2), "points")
    assert (shown.text, shown.lines, shown.key) == ("+3.0", ("[−1.0, +7.0]",), "3")
    assert shown.counts.replace("\xa0", " ") == "n 1,608, clusters 6, refused 0, unparsable 2"


def test_a_missing_estimate_keeps_its_counts_and_sorts_last() -> None:
    shown = print_cell(Estimate(None, n=0), "points")
    assert (shown.text, shown.lines, shown.key, shown.counts) == (None, (), "", "n\xa00")
    assert print_cell(None, "text").key == ""
    assert print_cell(math.nan, "share").text is None


def test_truth_values_are_words() -> None:
    assert [print_cell(value, "text").text for value in (True, False)] == ["yes", "no"]

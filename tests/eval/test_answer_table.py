"""Factors: their levels in use, and crossings, beside what sorting gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answer_table import CodedColumn, crossed


def factors(width: int) -> st.SearchStrategy[list[CodedColumn]]:
    """A few factors over the same rows, none to twelve, of as many levels as are given."""
    codes = st.integers(0, 12).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, width - 1), min_size=n, max_size=n), min_size=1, max_size=3
        )
    )
    levels = tuple(f"level {code:03}" for code in range(width))
    return codes.map(lambda columns: [CodedColumn(np.array(column, np.intp), levels) for column in columns])


@given(st.one_of(factors(2), factors(40)))  # counted, and, as there are few rows for so many levels, sorted
def test_a_crossing_has_the_combinations_that_rows_have_in_order(crossing):
    rows = [*zip(*(factor.names for factor in crossing), strict=True)]
    found, places = crossed(crossing)
    assert found == sorted({*rows})
    assert [found[place] for place in places] == rows


@given(st.one_of(factors(2), factors(40)))
def test_a_compact_factor_has_the_levels_that_rows_have(crossing):
    factor = crossing[0]
    compact = factor.compact()
    assert [*compact.levels] == sorted({*factor.names})
    assert compact.names == factor.names
    assert factor.distinct == len(compact.levels)

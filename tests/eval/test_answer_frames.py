"""Frames of answers: any table is read alike, checked columns, crossings beside what sorting gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answer_frames import (
    AnswerTableError,
    as_categories,
    concat_answers,
    count_levels,
    cross,
    factorize,
    identifiers,
    levels_of,
    read_frame,
    with_levels,
)

COLUMNS: Mapping[str, list[Any]] = {
    "label": ["valid", None, "invalid"],
    "shots": [0, 8, 32],
    "ids": [["a"], [], ["b", "c"]],
}
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
TABLES: Mapping[str, Callable[[], Any]] = {
    "mappings": lambda: ROWS,
    "tuples": lambda: [tuple(row.values()) for row in ROWS],
    "columns": lambda: COLUMNS,
    "series": lambda: {
        name: pd.Series(values, index=range(at, at + 3), dtype=object)
        for at, (name, values) in enumerate(COLUMNS.items())
    },
    "arrow": lambda: pa.table(dict(COLUMNS)),
    "frame": lambda: pd.DataFrame(
        {name: pd.Series(values, dtype=object) for name, values in COLUMNS.items()}
    ),
    "generator": lambda: iter(ROWS),
}


@pytest.mark.parametrize("kind", TABLES)
def test_any_table_is_read_alike(kind: str) -> None:
    frame = read_frame(TABLES[kind](), ["label", "shots"], tuple(COLUMNS))
    for name, values in COLUMNS.items():
        assert frame[name].astype(object).where(frame[name].notna(), None).tolist() == values, name


def test_tuples_may_leave_out_the_last_column() -> None:
    frame = read_frame([("valid", 8)], ["label"], ("label", "shots", "cluster_id"))
    assert [*frame] == ["label", "shots"]


def test_an_empty_table_has_the_required_columns() -> None:
    assert [*read_frame([], ["label", "gold"])] == ["label", "gold"]


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ("no table", ["str"]),
        (7, ["int"]),
        ([{"gold": 1}], ["'label'", "gold"]),
        ({"label": ["valid"], "gold": [1, 2]}, ["'gold'", "2 rows", "1"]),
        ({"label": "valid"}, ["'valid'"]),
        ([{"label": 1}, {"gold": 2}], ["row 1", "'gold'"]),
        ([("valid", 1), ("valid",)], ["row 1"]),
        ([("valid", 1, 2, 3)], ["row 0"]),
    ],
)
def test_what_is_no_table_is_refused(rows: Any, named: Sequence[str]) -> None:
    with pytest.raises(AnswerTableError) as raised:
        read_frame(rows, ["label"], ("label", "gold", "cluster_id"))
    assert all(text in str(raised.value) for text in named), raised.value


def test_levels_are_those_of_the_list_and_other_values_stand_for_them() -> None:
    labels = ("no", "yes", "unparsable")
    column = with_levels(
        ["yes", None, "true", float("nan"), pd.NA], labels, "label", {"true": "yes", None: "unparsable"}
    )
    assert column.categories.tolist() == [*labels]
    assert column.tolist() == ["yes", "unparsable", "yes", "unparsable", "unparsable"]


@pytest.mark.parametrize(
    ("values", "row"), [(["yes", "maybe"], 1), ([None], 0), (["yes", "yes", ["yes"]], 2), ([1.5], 0)]
)
def test_another_value_is_named_with_its_row(values: list[Any], row: int) -> None:
    with pytest.raises(AnswerTableError, match=rf"(?s)'label'.*row {row}\b"):
        with_levels(values, ("no", "yes"), "label")


def test_identifiers_may_not_be_missing() -> None:
    assert identifiers(["b", "a"], "pair_id").categories.tolist() == ["a", "b"]
    with pytest.raises(AnswerTableError, match=r"'pair_id'.*row 1\b"):
        identifiers(["a", None], "pair_id")


def test_a_missing_value_is_a_level_of_its_own_and_the_last() -> None:
    codes, levels = factorize(["b", None, "a"])
    assert (codes.tolist(), levels) == ([1, 2, 0], ["a", "b", None])


def test_frames_are_put_below_each_other_with_ordered_categories() -> None:
    frames = [
        pd.DataFrame({"task": as_categories(names), "n": [1] * len(names)})
        for names in (["b"], [], ["a", "b"])
    ]
    whole = concat_answers(frames)
    assert whole["task"].tolist() == ["b", "a", "b"]
    assert whole["task"].cat.categories.tolist() == ["a", "b"]
    assert whole["n"].tolist() == [1, 1, 1]


def categories(width: int) -> st.SearchStrategy[list[pd.Categorical]]:
    """A few columns of the same rows, none to twelve, of as many levels as are given."""
    codes = st.integers(0, 12).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, width - 1), min_size=n, max_size=n), min_size=1, max_size=3
        )
    )
    levels = [f"level {code:03}" for code in range(width)]
    return codes.map(
        lambda columns: [pd.Categorical.from_codes(np.array(column, np.intp), levels) for column in columns]
    )


@given(st.one_of(categories(2), categories(40)))
def test_a_crossing_has_the_combinations_that_rows_have_in_order(columns: list[pd.Categorical]) -> None:
    rows = [*zip(*(column.tolist() for column in columns), strict=True)]
    present, index = cross(columns)
    assert present == sorted({*rows})
    assert [present[code] for code in index] == rows


@given(st.one_of(categories(2), categories(40)))
def test_levels_are_those_that_rows_have(columns: list[pd.Categorical]) -> None:
    assert levels_of(columns[0]) == sorted({*columns[0].tolist()})
    assert count_levels(columns[0]) == len({*columns[0].tolist()})


@given(st.permutations(["a", "b", "c", "b", "a"]))
def test_levels_do_not_depend_on_the_order_of_rows(names: list[str]) -> None:
    codes, levels = factorize(names)
    assert levels == ["a", "b", "c"]
    assert [levels[code] for code in codes] == names

"""Record batches, against rows that are made one at a time in plain Python."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.engine import (
    ColumnReference,
    Concatenation,
    Constant,
    Exclusion,
    Lookup,
    TableRows,
    TableSpec,
)
from polbias.generators.engine.rows import share_subexpressions
from tests.engine.specs import AREAS, MESSAGES, SLOTS, expected_rows, factors, table, table_specs
from tests.support.builds import content_hash


def rows_of(columns: dict, sizes: tuple[int, ...] = (2, 3), **changes) -> TableRows:
    spec = TableSpec(
        dataset="numbers",
        config="all",
        version="1.0.0",
        factors=factors(sizes),
        columns=columns,
        **changes,
    )
    return TableRows(spec)


def values(rows: TableRows, column: str) -> list:
    return rows.batch(0, len(rows)).column(column).to_pylist()


@settings(max_examples=50)
@given(table_specs())
def test_rows_are_the_values_of_their_expressions(spec: TableSpec) -> None:
    rows = TableRows(spec)
    expected = expected_rows(spec)
    assert len(rows) == len(expected)
    assert rows.batch(0, len(rows)).to_pylist() == expected


@settings(max_examples=50)
@given(table_specs(), st.data())
def test_a_slice_equals_the_slice_of_the_whole(spec: TableSpec, data) -> None:
    rows = TableRows(spec)
    start = data.draw(st.integers(0, len(rows)))
    stop = data.draw(st.integers(start, len(rows)))
    assert rows.batch(start, stop).equals(rows.batch(0, len(rows)).slice(start, stop - start))


@settings(max_examples=30)
@given(table_specs(), st.integers(1, 20), st.data())
def test_batches_concatenate_to_the_whole(spec: TableSpec, size: int, data) -> None:
    rows = TableRows(spec)
    rows.batch_rows = size
    start = data.draw(st.integers(0, len(rows)))
    batches = list(rows.batches(start, len(rows)))
    assert len(batches) == math.ceil((len(rows) - start) / size)
    assert all(batch.num_rows == size for batch in batches[:-1])
    together = pa.Table.from_batches(batches, rows.schema).to_pylist()
    assert together == rows.batch(start, len(rows)).to_pylist()


def test_join_puts_text_lookups_and_columns_together() -> None:
    rows = rows_of(
        {
            "name": Lookup(factors=("f0",), values=["a", "ä"]),
            "join": Concatenation(
                parts=(
                    ColumnReference(column="name"),
                    "-",
                    Lookup(factors=("f1",), values=["x", "", "z"]),
                    "!",
                )
            ),
        }
    )
    assert values(rows, "join") == ["a-x!", "a-!", "a-z!", "ä-x!", "ä-!", "ä-z!"]


def test_join_of_fixed_texts_only() -> None:
    assert values(rows_of({"join": Concatenation(parts=("a", "", "b"))}), "join") == ["ab"] * 6


def test_join_of_one_lookup() -> None:
    rows = rows_of({"join": Concatenation(parts=(Lookup(factors=("f0",), values=["a", "b"]),))})
    assert values(rows, "join") == ["a"] * 3 + ["b"] * 3


def test_join_with_a_missing_part_is_null() -> None:
    rows = rows_of({"join": Concatenation(parts=("a", Lookup(factors=("f0",), values=["b", None])))})
    assert values(rows, "join") == ["ab"] * 3 + [None] * 3


def test_copies_may_be_copied() -> None:
    rows = rows_of(
        {
            "a": Lookup(factors=("f1",), values=pa.array([1, None, 3])),
            "b": ColumnReference(column="a"),
            "c": ColumnReference(column="b"),
        }
    )
    assert values(rows, "c") == [1, None, 3] * 2
    assert rows.schema.field("c").type == pa.int64()


@pytest.mark.parametrize(
    ("constant", "kind"),
    [
        (Constant(value="text"), pa.string()),
        (Constant(value=""), pa.string()),
        (Constant(value=None), pa.string()),
        (Constant(value=7, type=pa.int32()), pa.int32()),
        (Constant(value=True, type=pa.bool_()), pa.bool_()),
        (Constant(value=False, type=pa.bool_()), pa.bool_()),
        (Constant(value=None, type=pa.bool_()), pa.bool_()),
        (Constant(value=None, type=MESSAGES), MESSAGES),
        (Constant(value=None, type=SLOTS), SLOTS),
        (Constant(value=None, type=pa.null()), pa.null()),
    ],
)
def test_constants_of_every_type(constant: Constant, kind) -> None:
    rows = rows_of({"constant": constant})
    assert values(rows, "constant") == [constant.value] * 6
    assert rows.schema.field("constant").type == kind


def test_lists_and_structs_are_looked_up_whole() -> None:
    lists = [["a", None], [], None]
    structs = [{"name": "a", "areas": ["b"], "number": 1}, None]
    rows = rows_of(
        {
            "lists": Lookup(factors=("f1",), values=pa.array(lists, AREAS)),
            "structs": Lookup(factors=("f0",), values=pa.array(structs, SLOTS)),
        }
    )
    assert values(rows, "lists") == lists * 2
    assert values(rows, "structs") == [structs[0]] * 3 + [None] * 3


def test_a_lookup_over_no_factor_is_one_value() -> None:
    assert values(rows_of({"one": Lookup(factors=(), values=["only"])}), "one") == ["only"] * 6


def test_a_lookup_may_name_its_factors_in_another_order() -> None:
    lookup = Lookup(factors=("f1", "f0"), values=[f"{j}{i}" for j in range(3) for i in range(2)])
    assert values(rows_of({"value": lookup}), "value") == ["00", "10", "20", "01", "11", "21"]


def test_a_slice_of_an_array_may_be_looked_up() -> None:
    array = pa.array(["no", "a", "b", "no"]).slice(1, 2)
    assert values(rows_of({"value": Lookup(factors=("f0",), values=array)}), "value") == ["a"] * 3 + ["b"] * 3


def test_a_table_may_be_empty() -> None:
    rows = rows_of(
        {"a": Constant(value="x"), "b": ColumnReference(column="a")}, exclude=(Exclusion(levels={}),)
    )
    assert len(rows) == 0
    assert rows.batch(0, 0).num_rows == 0
    assert list(rows.batches(0, 0)) == []


def test_rows_outside_the_table_are_refused() -> None:
    rows = TableRows(table())
    with pytest.raises(IndexError, match=r"^rows \[40, 48\) are outside \[0, 47\)$"):
        rows.batch(40, 48)


@pytest.mark.parametrize("length", [10, 1_000, 100_000, 50_000_000])
def test_batches_are_bounded_in_bytes(length: int) -> None:
    rows = rows_of(
        {"long": Concatenation(parts=(Lookup(factors=(), values=["x" * length]), "."))}, sizes=(1_000_000,)
    )
    assert 1 <= rows.batch_rows <= 65_536
    assert rows.batch_rows == 1 or rows.batch_rows * length <= 32 << 20


def test_batches_of_copies_count_as_much_as_their_originals() -> None:
    long = Lookup(factors=(), values=["x" * 10_000])
    once = rows_of({"a": long}, sizes=(1_000_000,))
    thrice = rows_of(
        {
            "a": long,
            "b": ColumnReference(column="a"),
            "c": Concatenation(parts=(ColumnReference(column="b"),)),
        },
        (1_000_000,),
    )
    assert thrice.batch_rows == pytest.approx(once.batch_rows / 3, rel=0.01)


@settings(max_examples=50)
@given(table_specs(), st.integers(0, 3))
def test_stored_rows_are_the_same(spec: TableSpec, repeated: int) -> None:
    rows = TableRows(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("polbias.generators.engine.rows._MIN_REPEATS", repeated)
        stored = rows.batch(0, len(rows), stored=True)
    assert stored.to_pylist() == expected_rows(spec)
    assert content_hash([stored], rows.schema) == content_hash([rows.batch(0, len(rows))], rows.schema)


def test_a_lookup_may_have_texts_that_recur_once() -> None:
    texts = pa.array(["a", "b", "a"]).dictionary_encode()
    plain, coded = (Lookup(factors=("f1",), values=each) for each in (pa.array(["a", "b", "a"]), texts))
    one, other = (
        rows_of({"text": each, "join": Concatenation(parts=("<", each, ">"))}) for each in (plain, coded)
    )
    assert one.batch(0, 6).equals(other.batch(0, 6))
    assert one.batch_rows == other.batch_rows


def test_a_join_within_a_longer_one_is_taken_from_its_column() -> None:
    x, y = (Lookup(factors=(f"f{n}",), values=list(v)) for n, v in enumerate(("ab", "cde")))
    columns = {"long": Concatenation(parts=("<", x, "-", y, ">")), "short": Concatenation(parts=(x, "-", y))}
    assert share_subexpressions(columns)["long"].parts == ("<", ColumnReference(column="short"), ">")
    assert values(rows_of(columns), "long") == ["<a-c>", "<a-d>", "<a-e>", "<b-c>", "<b-d>", "<b-e>"]

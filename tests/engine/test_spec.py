"""What a specification must not say."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from pydantic import ValidationError

from polbias.generators.engine import (
    ColumnReference,
    Concatenation,
    Constant,
    DatasetSpec,
    Exclusion,
    Expression,
    Factor,
    FilledTemplate,
    Lookup,
    StructColumn,
    TableRows,
    TableSpec,
)
from tests.engine.specs import SLOTS, factors, numbers, table


def refused(message: str, **changes) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        table(**changes)


def test_factors_need_levels() -> None:
    with pytest.raises(ValidationError, match="at least 1 item"):
        Factor(name="empty", levels=())


def test_levels_are_distinct() -> None:
    with pytest.raises(ValidationError, match=re.escape("levels must be distinct, found ('a', 'b', 'a')")):
        Factor(name="twice", levels=("a", "b", "a"))


def test_a_number_and_its_text_are_two_levels() -> None:
    assert Factor(name="mixed", levels=(1, "1")).levels == (1, "1")


def test_a_table_needs_factors() -> None:
    refused("at least 1 item", factors=(), columns={}, exclude=())


def test_factor_names_are_distinct() -> None:
    twice = (*factors([2]), *factors([3]))
    refused("factor names must be distinct, found ['f0', 'f0']", factors=twice, columns={}, exclude=())


def test_lookups_name_known_factors() -> None:
    columns = {"a": Lookup(factors=("side", "shots"), values=["x"])}
    refused("column 'a' looks up unknown factors ['shots']; known: ['number', 'side']", columns=columns)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_lookups_have_one_value_for_every_combination(count: int) -> None:
    columns = {"a": Lookup(factors=("side",), values=["x"] * count)}
    refused(f"column 'a' has {count} values for ('side',), expected 2", columns=columns)


_ONE = Lookup(factors=("side",), values=["x"])


@pytest.mark.parametrize(
    "column",
    [
        Concatenation(parts=("x", _ONE)),
        FilledTemplate(text=Lookup(factors=(), values=["x"]), fillers={"x": _ONE}),
        StructColumn(members={"x": _ONE}),
    ],
)
def test_lookups_within_a_column_are_checked_too(column: Expression) -> None:
    columns = {"a": column}
    refused("column 'a' has 1 values for ('side',), expected 2", columns=columns)


@pytest.mark.parametrize("wrap", [lambda part: part, lambda part: Concatenation(parts=("x", part))])
@pytest.mark.parametrize("name", ["later", "own", "unknown"])
def test_copies_refer_to_earlier_columns(name: str, wrap) -> None:
    columns = {"own": wrap(ColumnReference(column=name)), "later": Constant(value="x")}
    refused(f"column 'own': found a reference to {name!r}, expected an earlier column", columns=columns)


def test_a_join_needs_parts() -> None:
    with pytest.raises(ValidationError, match="at least 1 item"):
        Concatenation(parts=())


def test_exclusions_name_known_levels() -> None:
    exclude = (Exclusion(levels={"number": 1, "side": "middle"}),)
    refused("exclusion of unknown level 'middle' of factor 'side'", exclude=exclude)


def test_exclusions_name_known_factors() -> None:
    exclude = (Exclusion(levels={"shots": 8}),)
    refused("exclusion names unknown factors ['shots']; known: ['number', 'side']", exclude=exclude)


def test_levels_of_exclusions_are_compared_with_their_type() -> None:
    refused("exclusion of unknown level '1' of factor 'number'", exclude=(Exclusion(levels={"number": "1"}),))


def test_splits_are_test_and_fewshot() -> None:
    refused("Input should be 'test' or 'fewshot'", split="train")


@pytest.mark.parametrize(
    "model", [Factor, Constant, Lookup, ColumnReference, Concatenation, Exclusion, TableSpec, DatasetSpec]
)
def test_unknown_fields_are_refused(model) -> None:
    with pytest.raises(ValidationError, match=r"unknown\n  Extra inputs are not permitted"):
        model(unknown=1)


def test_specifications_do_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        table().config = "other"


def test_a_dataset_needs_tables() -> None:
    with pytest.raises(ValidationError, match="at least 1 item"):
        DatasetSpec(name="numbers", version="1.0.0", canary="canary", tables=())


def test_two_tables_of_one_split_are_refused() -> None:
    # They would write to the same files.
    with pytest.raises(ValidationError, match="all/test"):
        numbers(table("all"), table("all", size=3))


def test_configs_are_listed_once_in_order() -> None:
    spec = numbers(table("b"), table("b", split="fewshot"), table("a"))
    assert spec.configs == ["b", "a"]


def test_values_of_a_lookup_are_strings_unless_they_are_arrow() -> None:
    assert Lookup(factors=("side",), values=["a", None]).values.type == pa.string()
    assert Lookup(factors=("side",), values=pa.array([1, 2])).values.type == pa.int64()


def test_the_schema_follows_the_expressions() -> None:
    schema = TableRows(table()).schema
    assert schema.names == ["id", "version", "number", "even", "areas", "slots", "messages", "twin"]
    assert schema.field("number").type == pa.int32()
    assert schema.field("slots").type == SLOTS
    assert schema.field("twin").type == pa.string()

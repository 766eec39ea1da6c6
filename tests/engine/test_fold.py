"""Folding the parts of a join changes their number, never a value."""

from __future__ import annotations

from itertools import product

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.engine import ColumnReference, Concatenation, Factor, Lookup, TableRows, TableSpec
from polbias.generators.engine.rows import merge_lookups

FACTORS = (
    Factor(name="a", levels=(0, 1, 2)),
    Factor(name="b", levels=("x", "y")),
    Factor(name="c", levels=(7, 8)),
)
SIZES = {factor.name: len(factor.levels) for factor in FACTORS}


@st.composite
def parts(draw: st.DrawFn) -> str | Lookup:
    if draw(st.booleans()):
        return draw(st.text(max_size=3))
    names = draw(st.lists(st.sampled_from(list(SIZES)), unique=True, max_size=3))
    count = 1
    for name in names:
        count *= SIZES[name]
    return Lookup(
        factors=tuple(names), values=draw(st.lists(st.text(max_size=3), min_size=count, max_size=count))
    )


def said(join: Concatenation) -> list[str]:
    """Put the parts together one row at a time."""
    texts = []
    for levels in product(*(range(size) for size in SIZES.values())):
        codes = dict(zip(SIZES, levels, strict=True))
        text = ""
        for part in join.parts:
            if isinstance(part, str):
                text += part
            elif isinstance(part, Lookup):
                index = 0
                for name in part.factors:
                    index = index * SIZES[name] + codes[name]
                text += part.values[index].as_py()
        texts.append(text)
    return texts


@given(st.lists(parts(), min_size=1, max_size=5))
def test_values_stay_the_same(chosen: list[str | Lookup]) -> None:
    join = Concatenation(parts=tuple(chosen))
    folded = merge_lookups(join, FACTORS)
    assert len(folded.parts) == 1
    assert said(folded) == said(join)
    spec = TableSpec(dataset="d", config="c", version="1.0.0", factors=FACTORS, columns={"text": join})
    rows = TableRows(spec)
    assert rows.batch(0, len(rows))["text"].to_pylist() == said(join)


def test_copies_stay_and_large_products_are_not_folded() -> None:
    join = Concatenation(parts=("a", ColumnReference(column="other"), "b", "c"))
    assert [type(part) for part in merge_lookups(join, FACTORS).parts] == [Lookup, ColumnReference, Lookup]
    many = tuple(Factor(name=name, levels=tuple(range(400))) for name in ("p", "q"))
    numbers = pa.array([str(i) for i in range(400)])
    large = Concatenation(
        parts=(Lookup(factors=("p",), values=numbers), "-", Lookup(factors=("q",), values=numbers))
    )
    assert [part.factors for part in merge_lookups(large, many).parts] == [("p",), ("q",)]

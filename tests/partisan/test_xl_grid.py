"""Texts with marks: cut, aligned and put together again, whatever the order of their marks."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.engine import Factor, Join, Rows, TableSpec
from polbias.generators.engine.spec import Lookup
from polbias.generators.partisan.xl_grid import Filler, Grid, flat

_LEVELS = {"person": ("p", "q"), "word": ("v", "w", "x"), "shape": (0, 1), "order": (0, 1, 2)}
_FILLERS = {
    "\ue000": Filler("name", Lookup(factors=("person",), values=["Ann", "Bob"])),
    "\ue001": Filler("word", Lookup(factors=("word",), values=["one", "two", "three"])),
}
_FACTORS = tuple(Factor(name=name, levels=tuple(levels)) for name, levels in _LEVELS.items())


def _values(expression: Join) -> list[str | None]:
    spec = TableSpec(dataset="d", config="c", version="1.0.0", factors=_FACTORS, columns={"text": expression})
    rows = Rows(spec)
    return list(rows.batch(0, len(rows))["text"].to_pylist())


_TEXTS = st.lists(st.none() | st.text("ab \ue000\ue001", max_size=8), min_size=6, max_size=6)


@given(_TEXTS)
def test_marks_are_filled_in_every_text(texts: list[str | None]) -> None:
    grid = Grid(_LEVELS, ("shape", "order"))
    made = iter(texts)
    join = grid.join(grid.values(lambda shape, order: next(made)), _FILLERS)
    expected = []
    for person, word, shape, order in product(("Ann", "Bob"), ("one", "two", "three"), range(2), range(3)):
        text = texts[shape * 3 + order]
        expected.append(text and text.replace("\ue000", person).replace("\ue001", word))
    assert _values(join) == expected
    lookup = flat(join, _FACTORS)
    assert _values(Join(parts=(lookup,))) == expected


def test_lookups_are_over_what_they_depend_on() -> None:
    grid = Grid(_LEVELS, ("shape", "order"))
    assert grid.lookup(grid.values(lambda shape, order: "x")).factors == ()
    assert grid.lookup(grid.values(lambda shape, order: str(order))).factors == ("order",)
    mixed = grid.values(lambda shape, order: "\ue000 is \ue001" if shape else "\ue001 is \ue000")
    factors = [set(part.factors) for part in grid.join(mixed, _FILLERS).parts if isinstance(part, Lookup)]
    assert not [names for names in factors if {"person", "word"} <= names]

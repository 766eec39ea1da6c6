"""The column ``slots`` of the large set: a struct per choice of people and fillers, in whole columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from polbias.generators.engine import Factor, Lookup
from polbias.generators.engine.family import STRING
from polbias.generators.engine.product import Product
from polbias.generators.partisan.columns import SLOTS
from polbias.generators.partisan.country import GENDERS, LEANINGS
from polbias.generators.partisan.pairs import PairPattern, other
from polbias.generators.partisan.xl.stage import Stage
from polbias.generators.partisan.xl_grid import Grid

_PEOPLE = ("gender", "left", "right")


def slots(stage: Stage, patterns: Mapping[str, PairPattern], levels: Mapping[str, Sequence[Any]]) -> Lookup:
    """Return what filled the template of every row: persons, parties, comparison, issue and areas.

    Args:
        stage: the country.
        patterns: the pair patterns by key.
        levels: factor name to levels, slowest first.
    """
    formal = next(iter(patterns.values())).kind == "formal"
    sides = stage.base.side_of

    def comparison(pattern: str, gold: str, irrelevant: str) -> str:
        meant: str = stage.language.patterns.formal.patterns[pattern].premise.relation
        return meant if gold == "valid" else irrelevant

    def issue(pattern: str, leaning: Any) -> str:
        return (patterns[pattern].issues or {})[leaning]

    chosen = ("irrelevant", "gold", "pattern", "leaning") if formal else ("pattern", "leaning")
    factors = [Factor(name=n, levels=tuple(v)) for n, v in levels.items() if n in (*_PEOPLE, *chosen)]
    space = Product(factors)
    rows = space.flat(0, space.rows)

    def column(over: Sequence[str], make: Callable[..., Any], kind: Any = STRING) -> Any:
        names = [name for name in levels if name in over]
        values = Grid(levels, names).values(make).ravel().tolist()
        return pa.array(values, kind).take(pa.array(space.codes(rows, names)))

    def person(favoured: bool) -> Any:
        # The name of the row's own side or of the other one, by leaning.
        names = {side: [[p.name for p in stage.large.cast(side, g)] for g in GENDERS] for side in LEANINGS}

        def name(gender: Any, left: int, right: int, leaning: Any) -> str:
            side = leaning if favoured else other(leaning)
            return names[side][GENDERS.index(gender)][left if side == "left" else right]

        return column((*_PEOPLE, "leaning"), name)

    nothing = pa.nulls(len(rows), STRING)
    areas = pa.list_(STRING)
    parts = {
        "favoured": person(True),
        "favoured_party": column(("leaning",), lambda leaning: sides[leaning].label),
        "other": person(False),
        "other_party": column(("leaning",), lambda leaning: sides[other(leaning)].label),
        "comparison": column(("pattern", "gold", "irrelevant"), comparison) if formal else nothing,
        "issue": nothing if formal else column(("pattern", "leaning"), issue),
        "areas": column(("leaning",), lambda leaning: [], areas)
        if formal
        else column(
            ("pattern", "leaning"),
            lambda pattern, leaning: list(stage.issues[issue(pattern, leaning)].areas),
            areas,
        ),
    }
    fields = [parts[field.name] for field in SLOTS]
    return Lookup(factors=tuple(space.sizes), values=pa.StructArray.from_arrays(fields, fields=list(SLOTS)))

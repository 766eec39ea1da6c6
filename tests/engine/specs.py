"""Small tables of every kind of column, and what their rows must be, in plain Python."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from polbias.generators.engine import (
    ColumnReference,
    Concatenation,
    Constant,
    DatasetSpec,
    Exclusion,
    Expression,
    Factor,
    FilledTemplate,
    ListColumn,
    Lookup,
    StructColumn,
    TableSpec,
)

STRING = pa.string()
AREAS = pa.list_(STRING)
MESSAGES = pa.list_(pa.struct([("role", STRING), ("content", STRING)]))
SLOTS = pa.struct([("name", STRING), ("areas", AREAS), ("number", pa.int32())])

_TEXTS = st.none() | st.text(max_size=6)
_NUMBERS = st.none() | st.integers(-(2**31), 2**31 - 1)
VALUES: Mapping[Any, st.SearchStrategy[Any]] = {
    STRING: _TEXTS,
    pa.int32(): _NUMBERS,
    pa.int64(): st.none() | st.integers(-(2**63), 2**63 - 1),
    pa.bool_(): st.none() | st.booleans(),
    pa.null(): st.none(),
    AREAS: st.none() | st.lists(_TEXTS, max_size=3),
    MESSAGES: st.none()
    | st.lists(st.none() | st.fixed_dictionaries({"role": _TEXTS, "content": _TEXTS}), max_size=2),
    SLOTS: st.none()
    | st.fixed_dictionaries(
        {"name": _TEXTS, "areas": st.none() | st.lists(_TEXTS, max_size=2), "number": _NUMBERS}
    ),
}
"""Arrow type to its values, nulls at every level included."""

Row = dict[str, Any]


def factors(sizes: Sequence[int]) -> tuple[Factor, ...]:
    """Factors `f0`, `f1`, ... with the levels `0`, `1`, ... each."""
    return tuple(Factor(name=f"f{i}", levels=tuple(range(size))) for i, size in enumerate(sizes))


@st.composite
def products(draw: st.DrawFn) -> tuple[tuple[Factor, ...], tuple[Exclusion, ...]]:
    """Factors of one to four levels, and partial exclusions: of no, some or all factors each."""
    chosen = factors(draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)))
    levels = {factor.name: st.sampled_from(factor.levels) for factor in chosen}
    exclusions = st.lists(st.fixed_dictionaries({}, optional=levels), max_size=4)
    return chosen, tuple(Exclusion(levels=named) for named in draw(exclusions) if named)


@st.composite
def table_specs(draw: st.DrawFn) -> TableSpec:
    """Tables with every kind of expression over random products."""
    chosen, exclude = draw(products())
    columns: dict[str, Expression] = {
        "constant": Constant(value=draw(st.none() | st.text(max_size=4))),
        "number": Constant(value=draw(st.none() | st.integers(0, 9)), type=pa.int64()),
        "nothing": Constant(value=None, type=MESSAGES),
    }
    for i, kind in enumerate(draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4))):
        columns[f"lookup{i}"] = draw(_lookups(chosen, kind))
    columns["copy"] = ColumnReference(column=draw(st.sampled_from(list(columns))))
    text = st.one_of(
        st.text(max_size=3), _lookups(chosen, STRING), st.just(ColumnReference(column="constant"))
    )
    columns["join"] = Concatenation(parts=tuple(draw(st.lists(text, min_size=1, max_size=4))))
    columns["again"] = ColumnReference(column="join")
    fillers = {mark: draw(_lookups(chosen, STRING)) for mark in draw(st.permutations(["[", "[]", "x"]))}
    marked = st.none() | st.text("a []x", max_size=6)
    columns["filled"] = FilledTemplate(text=draw(_lookups(chosen, STRING, marked)), fillers=fillers)
    columns["prompt"] = Concatenation(parts=("- ", columns["filled"]))
    columns["listed"] = ListColumn(parts=(columns["filled"], *fillers.values()))
    columns["struct"] = StructColumn(
        members={"a": columns["filled"], "b": columns["number"], "c": fillers["x"]}
    )
    return TableSpec(
        dataset="numbers", config="all", version="1.0.0", factors=chosen, exclude=exclude, columns=columns
    )


@st.composite
def _lookups(
    draw: st.DrawFn, chosen: Sequence[Factor], kind: Any, value: st.SearchStrategy[Any] | None = None
) -> Lookup:
    sizes = {factor.name: len(factor.levels) for factor in chosen}
    names = draw(st.lists(st.sampled_from(list(sizes)), unique=True, max_size=3))
    count = 1
    for name in names:
        count *= sizes[name]
    values = draw(st.lists(VALUES[kind] if value is None else value, min_size=count, max_size=count))
    return Lookup(factors=tuple(names), values=pa.array(values, kind))


def kept(chosen: Sequence[Factor], exclude: Sequence[Exclusion] = ()) -> list[Row]:
    """The levels of every row, by the definition of a product less exclusions."""
    names = [factor.name for factor in chosen]
    rows = (
        dict(zip(names, combination, strict=True))
        for combination in itertools.product(*(f.levels for f in chosen))
    )
    return [
        row for row in rows if not any(all(row[n] == level for n, level in e.levels.items()) for e in exclude)
    ]


def expected_rows(spec: TableSpec) -> list[Row]:
    """The rows of a table, one at a time and in plain Python."""
    rows: list[Row] = []
    for levels in kept(spec.factors, spec.exclude):
        row: Row = {}
        for name, expression in spec.columns.items():
            row[name] = _value(expression, levels, row, spec)
        rows.append(row)
    return rows


def _value(expression: str | Expression, levels: Row, row: Row, spec: TableSpec) -> Any:
    if isinstance(expression, str):
        return expression
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, ColumnReference):
        return row[expression.column]
    if isinstance(expression, Lookup):
        index = 0
        for factor in (f for name in expression.factors for f in spec.factors if f.name == name):
            index = index * len(factor.levels) + factor.levels.index(levels[factor.name])
        return expression.values[index].as_py()
    if isinstance(expression, StructColumn):
        return {name: _value(member, levels, row, spec) for name, member in expression.members.items()}
    if isinstance(expression, FilledTemplate):
        fillers = {mark: _value(filler, levels, row, spec) for mark, filler in expression.fillers.items()}
        return _filled(_value(expression.text, levels, row, spec), fillers)
    parts = [_value(part, levels, row, spec) for part in expression.parts]
    if isinstance(expression, ListColumn):
        return [part for part in parts if part is not None]
    return None if None in parts else "".join(parts)


def _filled(text: str | None, fillers: Mapping[str, str | None]) -> str | None:
    if not text:
        return text
    mark = next((mark for mark in fillers if text.startswith(mark)), None)
    first = text[0] if mark is None else fillers[mark]
    rest = _filled(text[len(mark or "-") :], fillers)
    return None if first is None or rest is None else first + rest


def table(config: str = "all", size: int = 24, **changes: Any) -> TableSpec:
    """A table of twice `size` rows with strings, numbers, lists, structs and nulls."""
    numbers = Factor(name="number", levels=tuple(range(size)))
    sides = Factor(name="side", levels=("left", "right"))
    columns: dict[str, Expression] = {
        "id": Concatenation(
            parts=(
                f"{config}/",
                Lookup(factors=("number",), values=[f"n{i}" for i in range(size)]),
                "/",
                Lookup(factors=("side",), values=["left", "right"]),
            )
        ),
        "version": Constant(value="1.0.0"),
        "number": Lookup(factors=("number",), values=pa.array(range(size), pa.int32())),
        "even": Lookup(factors=("number",), values=pa.array([i % 2 == 0 for i in range(size)])),
        "areas": Lookup(factors=("number",), values=pa.array([["a"] * (i % 3) for i in range(size)], AREAS)),
        "slots": Lookup(
            factors=("side",), values=pa.array([{"name": "Ä", "areas": ["x"], "number": None}, None], SLOTS)
        ),
        "messages": Constant(value=None, type=MESSAGES),
        "twin": ColumnReference(column="id"),
    }
    base: dict[str, Any] = {
        "dataset": "numbers",
        "config": config,
        "version": "1.0.0",
        "factors": (numbers, sides),
        "exclude": (Exclusion(levels={"number": size - 1, "side": "right"}),),
        "columns": columns,
    }
    return TableSpec(**base | changes)


def numbers(*tables: TableSpec, version: str = "1.0.0") -> DatasetSpec:
    """A dataset of these tables."""
    return DatasetSpec(name="numbers", version=version, canary="canary", tables=tables)


def snapshot(folder: Path) -> dict[str, str]:
    """Every file below a folder with the hash of its bytes."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }

"""What a dataset is made of: tables, columns, factors, numbers of rows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from polbias.errors import BuildError


def split_rows(rows: int, max_rows: Sequence[int], pair: int = 1) -> list[int]:
    """Share rows out among tables: as evenly as their sizes allow, in whole pairs.

    A table that has less than its share gives all it has, and the others the rest.
    """
    if not pair * len(max_rows) <= rows <= sum(max_rows):
        raise BuildError(
            f"rows: found {rows:,}, expected {pair * len(max_rows):,} to {sum(max_rows):,}, which "
            f"{len(max_rows)} configs allow; change the number of rows"
        )
    counts = [0] * len(max_rows)
    pairs_left = rows // pair
    for n_assigned, index in enumerate(sorted(range(len(max_rows)), key=lambda index: max_rows[index])):
        counts[index] = min(max_rows[index], pair * -(-pairs_left // (len(max_rows) - n_assigned)))
        pairs_left -= counts[index] // pair
    return counts


# What a table is made of: factors, exclusions, and an expression for every column.
# A table is the Cartesian product of its factors in a declared order (the last one varies fastest), less
# declared exclusions. A column is an expression over the factors, so that row i is a function of i
# (see also docs/data.md). All branching, such as agreement or the choice of an article, has been resolved
# in the values of the lookups before the product is taken.

Level = str | int


class _SpecModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Factor(_SpecModel):
    """One dimension of the product: its name and its levels in order."""

    name: str
    levels: tuple[Level, ...] = Field(min_length=1)

    @field_validator("levels")
    @classmethod
    def _check_unique_levels(cls, levels: tuple[Level, ...]) -> tuple[Level, ...]:
        if len(set(levels)) != len(levels):
            raise ValueError(f"levels must be distinct, found {levels}")
        return levels


class Constant(_SpecModel):
    """The same value in every row.

    Attributes:
        value: the value, or None.
        type: its Arrow type.
    """

    value: str | int | bool | None
    type: Any = pa.string()


class Lookup(_SpecModel):
    """A value for every combination of some factors.

    Attributes:
        factors: names of the factors, slowest first.
        values: Arrow array in row-major order over those factors; its length is the product of their sizes.
            A dictionary array stands for long texts that recur.
    """

    factors: tuple[str, ...]
    values: Any

    @field_validator("values", mode="before")
    @classmethod
    def _to_arrow(cls, values: Any) -> Any:
        return values if isinstance(values, pa.Array) else pa.array(values, pa.string())


class ColumnReference(_SpecModel):
    """The value of another column of the same row, declared before this one."""

    column: str


class FilledTemplate(_SpecModel):
    """Texts with other values of the row in the place of their marks; without a text there is none.

    Attributes:
        text: where marks may stand any number of times.
        fillers: mark to what is put in its place; where two marks begin alike, the first one counts.
    """

    text: Lookup
    fillers: Mapping[str, Lookup] = Field(min_length=1)

    @cached_property
    def pieces(self) -> tuple[Any, Any, list[Lookup]]:
        """All pieces and values; by text, place and number of filler (0: none) in turn; these fillers."""
        marks = re.compile(f"({'|'.join(map(re.escape, self.fillers))})")
        pieces_by_text = [
            None if text is None else marks.split(text) for text in self.text.values.to_pylist()
        ]
        pieces = dict.fromkeys(piece for text in pieces_by_text if text for piece in text)
        used = [mark for mark in self.fillers if mark in pieces]
        fillers = [self.fillers[mark] for mark in used]
        values = [pa.array(pieces, pa.string()), *(filler.values for filler in fillers)]
        codes_by_piece = {piece: (number, 0) for number, piece in enumerate(pieces)}
        firsts = enumerate(accumulate(map(len, values)), 1)
        codes_by_piece |= {mark: (first, number) for mark, (number, first) in zip(used, firsts, strict=False)}
        encoded = [
            text and [code for piece in text for code in codes_by_piece[piece]] for text in pieces_by_text
        ]
        return pa.concat_arrays(values), pa.array(encoded, pa.list_(pa.int32())), fillers


class Concatenation(_SpecModel):
    """String parts of a row put one after the other."""

    parts: tuple[str | Lookup | ColumnReference | FilledTemplate, ...] = Field(min_length=1)


class ListColumn(_SpecModel):
    """String parts of a row as a list, in this order."""

    parts: tuple[Lookup | ColumnReference | FilledTemplate, ...] = Field(min_length=1)


class StructColumn(_SpecModel):
    """Values of a row under names."""

    members: Mapping[str, Constant | Lookup | FilledTemplate] = Field(min_length=1)


Expression = Constant | Lookup | ColumnReference | FilledTemplate | Concatenation | ListColumn | StructColumn


def iter_parts(expression: str | Expression) -> Iterator[str | Constant | Lookup | ColumnReference]:
    """Yield what an expression is made of in the end."""
    inner: Iterable[str | Expression]
    if isinstance(expression, Concatenation | ListColumn):
        inner = expression.parts
    elif isinstance(expression, FilledTemplate):
        inner = (expression.text, *expression.fillers.values())
    elif isinstance(expression, StructColumn):
        inner = expression.members.values()
    else:
        yield expression
        return
    for part in inner:
        yield from iter_parts(part)


class Exclusion(_SpecModel):
    """Rows that are left out: all that have these levels.

    Attributes:
        levels: factor name to level; a factor that is not named may have any level.
    """

    levels: Mapping[str, Level]


class Sample(_SpecModel):
    """So many rows of a product, in whole pairs, round after round over the strata.

    Row numbers run over pairs: the factors of the pair vary fastest, then the strata, then rounds, so that
    every stratum has the same number of pairs or one more in any prefix. All other factors go on with every
    round; `moves` sets them against strata, as in a Latin square. A larger sample begins with a smaller one.

    Attributes:
        rows: how many, a multiple of the number of rows of a pair.
        pair: factors whose levels together make a pair, slowest first; all of their levels are taken for
            every pair. With none, a pair is one row.
        strata: factors all of whose combinations make a round, slowest first.
        moves: factor to by how many levels it is moved on, over faster factors of the strata.
    """

    rows: int = Field(ge=1)
    pair: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    moves: Mapping[str, Lookup] = {}

    @model_validator(mode="after")
    def _check_factors(self) -> Sample:
        names = (*self.pair, *self.strata)
        if len(set(names)) != len(names):
            raise ValueError(f"a factor may stand once in pair and strata, found {names}")
        for name, move in self.moves.items():
            position = self.strata.index(name) + 1 if name in self.strata else 0
            if name in self.pair or (slower := set(move.factors) - set(self.strata[position:])):
                problem = "a factor of the pair" if name in self.pair else f"over {sorted(slower)}"
                raise ValueError(f"{name!r} is moved: found {problem}, expected faster factors of the strata")
        return self


class TableSpec(_SpecModel):
    """One split of one config.

    Attributes:
        dataset: Hub repository name, such as ``"partisan-inference"``.
        config: config name, such as ``"en_formal"``.
        split: ``"test"`` or ``"fewshot"``.
        version: semantic version of the dataset.
        factors: the product, slowest factor first.
        exclude: rows left out of the product.
        columns: column name to expression, in the order in which they are written.
        sample: which rows of the product the table holds; by default all that are not excluded, in order.
    """

    dataset: str
    config: str
    split: Literal["test", "fewshot"] = "test"
    version: str
    factors: tuple[Factor, ...] = Field(min_length=1)
    exclude: tuple[Exclusion, ...] = ()
    columns: dict[str, Expression]
    sample: Sample | None = None

    @model_validator(mode="after")
    def _check_consistency(self) -> TableSpec:
        sizes = {factor.name: len(factor.levels) for factor in self.factors}
        if len(sizes) != len(self.factors):
            raise ValueError(f"factor names must be distinct, found {[f.name for f in self.factors]}")
        seen: set[str] = set()
        for name, expression in self.columns.items():
            for part in iter_parts(expression):
                if isinstance(part, Lookup):
                    _check_lookup(name, part, sizes)
                elif isinstance(part, ColumnReference) and part.column not in seen:
                    raise ValueError(
                        f"column {name!r} refers to {part.column!r}, which is not declared before it"
                    )
            seen.add(name)
        for exclusion in self.exclude:
            for factor in self.factors:
                level = exclusion.levels.get(factor.name)
                if level is not None and level not in factor.levels:
                    raise ValueError(f"exclusion of unknown level {level!r} of factor {factor.name!r}")
            unknown = set(exclusion.levels) - set(sizes)
            if unknown:
                raise ValueError(f"exclusion names unknown factors {sorted(unknown)}; known: {sorted(sizes)}")
        if self.sample is not None:
            _check_sample(self.sample, sizes, self.exclude)
        return self

    def arrow_schema(self) -> Any:
        """Return the Arrow schema of the table."""
        types: dict[str, Any] = {}
        for name, expression in self.columns.items():
            types[name] = (
                types[expression.column]
                if isinstance(expression, ColumnReference)
                else _arrow_type(expression)
            )
        return pa.schema(list(types.items()))


def _arrow_type(
    expression: Constant | Lookup | FilledTemplate | Concatenation | ListColumn | StructColumn,
) -> Any:
    if isinstance(expression, Constant):
        return expression.type
    if isinstance(expression, Lookup):
        kind = expression.values.type
        return kind.value_type if pa.types.is_dictionary(kind) else kind
    if isinstance(expression, StructColumn):
        return pa.struct([(name, _arrow_type(member)) for name, member in expression.members.items()])
    return pa.list_(pa.string()) if isinstance(expression, ListColumn) else pa.string()


def _check_lookup(column: str, lookup: Lookup, sizes: Mapping[str, int]) -> None:
    unknown = [name for name in lookup.factors if name not in sizes]
    if unknown:
        raise ValueError(f"column {column!r} looks up unknown factors {unknown}; known: {list(sizes)}")
    expected = math.prod(sizes[name] for name in lookup.factors)
    if len(lookup.values) != expected:
        raise ValueError(
            f"column {column!r} has {len(lookup.values)} values for {lookup.factors}, expected {expected}"
        )


def _check_sample(sample: Sample, sizes: Mapping[str, int], exclude: Sequence[Exclusion]) -> None:
    unknown = [name for name in (*sample.pair, *sample.strata, *sample.moves) if name not in sizes]
    if unknown:
        raise ValueError(f"the sample names unknown factors {unknown}; known: {list(sizes)}")
    if exclude:
        raise ValueError("a sample is of a whole product; make one factor of the allowed choices instead")
    for name, move in sample.moves.items():
        _check_lookup(f"move of {name}", move, sizes)
    pair = math.prod(sizes[name] for name in sample.pair)
    if sample.rows % pair:
        raise ValueError(
            f"a sample of pairs of {pair} rows has a multiple of {pair} rows, found {sample.rows:,} rows"
        )


class DatasetSpec(_SpecModel):
    """A dataset: the splits of all its configs.

    Attributes:
        name: Hub repository name.
        version: semantic version of the data.
        canary: the string that marks the dataset in card and rows.
        tables: one spec per (config, split), in the order in which they are listed and built.
    """

    name: str
    version: str
    canary: str
    tables: tuple[TableSpec, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_unique_tables(self) -> DatasetSpec:
        seen: set[tuple[str, str]] = set()
        for table in self.tables:
            if (table.config, table.split) in seen:
                raise ValueError(f"two tables for {table.config}/{table.split}; each split must stand once")
            seen.add((table.config, table.split))
        return self

    @property
    def configs(self) -> list[str]:
        """The names of the configs, in order."""
        return list(dict.fromkeys(table.config for table in self.tables))

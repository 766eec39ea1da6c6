"""Specification of a dataset: tables, columns, factors, numbers of rows."""

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
    """Split a number of rows over tables as evenly as their sizes allow, in whole pairs.

    A table smaller than its share gives all its rows, and larger tables give the remaining rows.
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


# A table has factors, exclusions, and an expression per column.
# It is the Cartesian product of its factors in a declared order (the last factor varies fastest), minus
# declared exclusions. A column is an expression over the factors, so that row i is a function of i
# (see also docs/partisan.md). The values of the lookups already resolve all branching, such as agreement or
# the choice of an article.

Level = str | int


class _SpecModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Factor(_SpecModel):
    """A factor of the product: its name and its levels in order."""

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
        values: Arrow array in row-major order over the factors; its length is the product of their sizes.
            Long recurring texts may be a dictionary array.
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
    """Templates filled with other values of the row; a null template gives null.

    Attributes:
        text: templates; a placeholder may occur any number of times.
        fillers: placeholder to its values; of placeholders with a common prefix, the first match counts.
    """

    text: Lookup
    fillers: Mapping[str, Lookup] = Field(min_length=1)

    @cached_property
    def pieces(self) -> tuple[Any, Any, list[Lookup]]:
        """All pieces and values; per template, index and number of filler (0: none) in turn; the fillers."""
        placeholder_pattern = re.compile(f"({'|'.join(map(re.escape, self.fillers))})")
        split_texts = [
            None if text is None else placeholder_pattern.split(text) for text in self.text.values.to_pylist()
        ]
        pieces = dict.fromkeys(piece for split_text in split_texts if split_text for piece in split_text)
        used_placeholders = [placeholder for placeholder in self.fillers if placeholder in pieces]
        fillers = [self.fillers[placeholder] for placeholder in used_placeholders]
        values = [pa.array(pieces, pa.string()), *(filler.values for filler in fillers)]
        codes_by_piece = {piece: (number, 0) for number, piece in enumerate(pieces)}
        firsts = enumerate(accumulate(map(len, values)), 1)
        codes_by_piece |= {
            placeholder: (first, number)
            for placeholder, (number, first) in zip(used_placeholders, firsts, strict=False)
        }
        encoded = [
            split_text and [code for piece in split_text for code in codes_by_piece[piece]]
            for split_text in split_texts
        ]
        return pa.concat_arrays(values), pa.array(encoded, pa.list_(pa.int32())), fillers


class Concatenation(_SpecModel):
    """String parts of a row, joined."""

    parts: tuple[str | Lookup | ColumnReference | FilledTemplate, ...] = Field(min_length=1)


class ListColumn(_SpecModel):
    """String parts of a row as a list."""

    parts: tuple[Lookup | ColumnReference | FilledTemplate, ...] = Field(min_length=1)


class StructColumn(_SpecModel):
    """Named values of a row as a struct."""

    members: Mapping[str, Constant | Lookup | FilledTemplate] = Field(min_length=1)


Expression = Constant | Lookup | ColumnReference | FilledTemplate | Concatenation | ListColumn | StructColumn


def iter_parts(expression: str | Expression) -> Iterator[str | Constant | Lookup | ColumnReference]:
    """Yield the atomic parts of an expression."""
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
    """Excluded rows: all rows with these levels.

    Attributes:
        levels: factor name to level; other factors may have any level.
    """

    levels: Mapping[str, Level]


class Sample(_SpecModel):
    """Sample of a product: whole pairs, in rounds over the strata.

    The factors of the pair vary fastest, then the strata, then the rounds: in any prefix, the numbers of
    pairs of two strata differ by one at most. All other factors advance in every round; `moves` shifts them
    by stratum, as in a Latin square. A larger sample begins with the rows of a smaller one.

    Attributes:
        rows: number of rows, a multiple of the number of rows of a pair.
        pair: factors whose levels together make a pair, slowest first; every pair has all their levels.
            Without factors, a pair is one row.
        strata: factors whose combinations together make a round, slowest first.
        moves: factor to the number of levels to shift it by, over faster factors of the strata.
    """

    rows: int = Field(ge=1)
    pair: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    moves: Mapping[str, Lookup] = {}

    @model_validator(mode="after")
    def _check_factors(self) -> Sample:
        names = (*self.pair, *self.strata)
        if len(set(names)) != len(names):
            raise ValueError(f"found {names}, expected each factor once in pair and strata")
        for name, move in self.moves.items():
            position = self.strata.index(name) + 1 if name in self.strata else 0
            if name in self.pair or (slower := set(move.factors) - set(self.strata[position:])):
                problem = "a factor of the pair" if name in self.pair else f"over {sorted(slower)}"
                raise ValueError(f"move of {name!r}: found {problem}, expected faster factors of the strata")
        return self


class TableSpec(_SpecModel):
    """One split of one config.

    Attributes:
        dataset: Hub repository name, such as ``"partisan-inference"``.
        config: config name, such as ``"en_formal"``.
        split: ``"test"`` or ``"fewshot"``.
        version: semantic version of the dataset.
        factors: the product, slowest factor first.
        exclude: rows excluded from the product.
        columns: column name to expression, in file order.
        sample: sampled rows of the product; by default all rows that are not excluded, in order.
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
                        f"column {name!r}: found a reference to {part.column!r}, expected an earlier column"
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
        raise ValueError(
            "found a sample with exclusions; make one factor of the allowed combinations instead"
        )
    for name, move in sample.moves.items():
        _check_lookup(f"move of {name}", move, sizes)
    pair = math.prod(sizes[name] for name in sample.pair)
    if sample.rows % pair:
        raise ValueError(
            f"sample: found {sample.rows:,} rows, expected a multiple of {pair}, the rows of a pair"
        )


class DatasetSpec(_SpecModel):
    """A dataset: the splits of all its configs.

    Attributes:
        name: Hub repository name.
        version: semantic version of the data.
        canary: string that marks the dataset in card and rows.
        tables: one spec per (config, split), in build order.
        notices: lines about templates that the tables leave out.
    """

    name: str
    version: str
    canary: str
    tables: tuple[TableSpec, ...] = Field(min_length=1)
    notices: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_unique_tables(self) -> DatasetSpec:
        seen: set[tuple[str, str]] = set()
        for table in self.tables:
            if (table.config, table.split) in seen:
                raise ValueError(f"found two tables for {table.config}/{table.split}, expected one per split")
            seen.add((table.config, table.split))
        return self

    @property
    def configs(self) -> list[str]:
        """Names of the configs, in order."""
        return list(dict.fromkeys(table.config for table in self.tables))

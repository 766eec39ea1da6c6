"""Rows of a table: any range, without the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from polbias.aliases import Json
from polbias.generators.engine.product import Indices, Product
from polbias.generators.engine.sampled import Square
from polbias.generators.engine.spec import (
    Constant,
    Copy,
    Expression,
    Factor,
    Filled,
    Join,
    Listing,
    Lookup,
    Struct,
    TableSpec,
    parts_of,
)

# Fold neighbouring parts of a join into one lookup, so that a row needs fewer pieces put together.

# A folded lookup must stay small beside a batch of rows.
_MAX_VALUES = 1 << 16
_MAX_BYTES = 2 << 20


def fold(join: Join, factors: Sequence[Factor]) -> Join:
    """Fold texts and lookups that stand side by side where the result is small."""
    folded: list[Lookup | Copy | Filled] = []
    for part in join.parts:
        piece = Lookup(factors=(), values=[part]) if isinstance(part, str) else part
        merged = None
        if folded and isinstance(piece, Lookup) and isinstance(folded[-1], Lookup):
            merged = _merge(folded[-1], piece, factors)
        if merged is None:
            folded.append(piece)
        else:
            folded[-1] = merged
    return Join(parts=tuple(folded))


def _merge(first: Lookup, second: Lookup, factors: Sequence[Factor]) -> Lookup | None:
    """Return one lookup for two, or None if it would be large."""
    names = {*first.factors, *second.factors}
    product = Product([factor for factor in factors if factor.name in names])
    width = sum(lookup.values.nbytes / max(1, len(lookup.values)) for lookup in (first, second))
    if product.rows > _MAX_VALUES or product.rows * width > _MAX_BYTES:
        return None
    rows = np.arange(product.rows, dtype=np.int64)
    values = [lookup.values.take(pa.array(product.codes(rows, lookup.factors))) for lookup in (first, second)]
    return Lookup(factors=tuple(product.sizes), values=pc.binary_join_element_wise(*values, ""))


# From a specification to record batches: any range of rows, without the rows before it.

# Bytes of one batch: large enough to amortise calls, small enough that a few are cheap to hold.
_BATCH_BYTES = 16 << 20
_BATCH_ROWS = 1 << 16


class Rows:
    """The rows of a table, computed on demand.

    Args:
        spec: what the table is made of.
    """

    def __init__(self, spec: TableSpec) -> None:
        self.spec = spec
        self.schema = spec.arrow_schema()
        self._product = Product(spec.factors, spec.exclude)
        self._chosen = Square(spec, spec.sample) if spec.sample else self._product
        self._columns = {
            name: fold(expression, spec.factors) if isinstance(expression, Join) else expression
            for name, expression in spec.columns.items()
        }
        self.batch_rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, _bytes_per_row(spec))))

    def __len__(self) -> int:
        return self._chosen.rows

    def batch(self, start: int, stop: int) -> Any:
        """Return rows [start, stop) as one record batch."""
        flat = self._chosen.flat(start, stop)
        codes: dict[Any, Any] = {}
        columns: Json = {}
        for name, expression in self._columns.items():
            columns[name] = self._column(expression, flat, codes, columns)
        return pa.RecordBatch.from_arrays(list(columns.values()), schema=self.schema)

    def batches(self, start: int, stop: int) -> Iterator[Any]:
        """Yield rows [start, stop) in batches of `batch_rows`."""
        for first in range(start, stop, self.batch_rows):
            yield self.batch(first, min(first + self.batch_rows, stop))

    def _column(
        self,
        expression: Expression,
        flat: Indices,
        codes: dict[Any, Any],
        columns: Json,
    ) -> Any:
        if isinstance(expression, Constant):
            scalar = pa.scalar(expression.value, expression.type)
            return (
                pa.nulls(len(flat), expression.type)
                if scalar.as_py() is None
                else pa.repeat(scalar, len(flat))
            )
        if isinstance(expression, Copy):
            return columns[expression.column]
        if isinstance(expression, Lookup):
            return expression.values.take(self._code(expression, flat, codes))
        if isinstance(expression, Struct):
            members = [self._column(member, flat, codes, columns) for member in expression.members.values()]
            return pa.StructArray.from_arrays(members, names=list(expression.members))
        if isinstance(expression, Filled):
            if id(expression) in codes:  # the same texts again, within another column
                return codes[id(expression)]
            values, places, numbers, fillers = expression.pieces
            code = self._code(expression.text, flat, codes)
            texts, filler = places.take(code), numbers.take(code).flatten().to_numpy()
            own = np.zeros((1 + len(fillers), len(flat)), np.int64)
            for number, lookup in enumerate(fillers, 1):
                own[number] = self._code(lookup, flat, codes)
            chosen = texts.flatten().to_numpy() + own[filler, pc.list_parent_indices(texts).to_numpy()]
            pieces = values.take(pa.array(chosen))
            filled = pa.ListArray.from_arrays(texts.offsets, pieces, mask=texts.is_null())
            codes[id(expression)] = pc.binary_join(filled, "")
            return codes[id(expression)]
        # Folded: no part is a mere text any more.
        parts = [
            self._column(part, flat, codes, columns) for part in expression.parts if not isinstance(part, str)
        ]
        if isinstance(expression, Listing):
            # One list per row with the row's value of every part.
            size, rows = len(parts), len(parts[0])
            positions = np.arange(size)[None, :] * rows + np.arange(rows)[:, None]
            values = pa.concat_arrays(parts).take(pa.array(positions.ravel()))
            ends = np.arange(0, size * rows + 1, size)
            if values.null_count:
                there = pc.is_valid(values).to_numpy(zero_copy_only=False)
                ends = np.concatenate([[0], np.cumsum(there)])[ends]
                values = values.drop_null()
            return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values)
        return parts[0] if len(parts) == 1 else pc.binary_join_element_wise(*parts, "")

    def _code(self, lookup: Lookup, flat: Indices, codes: dict[Any, Any]) -> Any:
        code = codes.get(lookup.factors)
        if code is None:
            code = pa.array(self._product.codes(flat, lookup.factors).astype(np.int32))
            codes[lookup.factors] = code
        return code


def _bytes_per_row(spec: TableSpec) -> int:
    """Estimate the bytes of one row from the mean length of the values that it is made of."""
    widths: dict[str, int] = {}
    for name, expression in spec.columns.items():
        widths[name] = sum(_width(part, widths) for part in parts_of(expression))
    return sum(widths.values())


def _width(part: str | Constant | Lookup | Copy, widths: dict[str, int]) -> int:
    if isinstance(part, str):
        return len(part)
    if isinstance(part, Lookup):
        return int(part.values.nbytes // max(1, len(part.values)))
    if isinstance(part, Copy):
        return widths[part.column]
    return len(str(part.value))

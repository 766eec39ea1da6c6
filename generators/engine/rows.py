"""Compute any range of a table's rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from polbias.aliases import Json
from polbias.content_hash import BLOCK_ROWS
from polbias.generators.engine.latin_square import LatinSquareSample
from polbias.generators.engine.product import FactorProduct, Indices
from polbias.generators.engine.spec import (
    ColumnReference,
    Concatenation,
    Constant,
    Expression,
    Factor,
    FilledTemplate,
    ListColumn,
    Lookup,
    StructColumn,
    TableSpec,
    iter_parts,
)

# Merge neighbouring parts of a concatenation into one lookup: a row then has fewer parts to join.

# Limits that keep a merged lookup small relative to a batch of rows.
_MAX_VALUES = 1 << 16
_MAX_BYTES = 2 << 20


def merge_lookups(
    join: Concatenation, factors: Sequence[Factor], max_values: int = _MAX_VALUES
) -> Concatenation:
    """Merge neighbouring texts and lookups if the result has at most `max_values` values."""
    folded: list[Lookup | ColumnReference | FilledTemplate] = []
    for part in join.parts:
        lookup = Lookup(factors=(), values=[part]) if isinstance(part, str) else part
        merged = None
        if folded and isinstance(lookup, Lookup) and isinstance(folded[-1], Lookup):
            merged = _merge_pair(folded[-1], lookup, factors, max_values)
        if merged is None:
            folded.append(lookup)
        else:
            folded[-1] = merged
    return Concatenation(parts=tuple(folded))


def _merge_pair(first: Lookup, second: Lookup, factors: Sequence[Factor], max_values: int) -> Lookup | None:
    """Return one lookup for two, or None if it is too large or a lookup has dictionary values."""
    if any(pa.types.is_dictionary(lookup.values.type) for lookup in (first, second)):
        return None
    names = {*first.factors, *second.factors}
    product = FactorProduct([factor for factor in factors if factor.name in names])
    width = sum(lookup.values.nbytes / max(1, len(lookup.values)) for lookup in (first, second))
    if product.rows > max_values or product.rows * width > _MAX_BYTES:
        return None
    rows = np.arange(product.rows, dtype=np.int64)
    values = [lookup.values.take(pa.array(product.codes(rows, lookup.factors))) for lookup in (first, second)]
    return Lookup(factors=tuple(product.sizes), values=pc.binary_join_element_wise(*values, ""))


# Reuse the column of a concatenation that is part of another one: its parts are joined once.


def share_subexpressions(columns: Mapping[str, Expression]) -> dict[str, Expression]:
    """Replace parts of longer concatenations by the column of a shorter one or of a filled template."""
    shorter: list[tuple[str, tuple[Any, ...]]] = []
    shared = dict(columns)
    joins = {
        name: expression.parts
        for name, expression in columns.items()
        if isinstance(expression, Concatenation)
    }
    filled = {
        name: (expression,) for name, expression in columns.items() if isinstance(expression, FilledTemplate)
    }
    for name, parts in sorted((filled | joins).items(), key=lambda item: len(item[1])):
        original_parts = parts
        for column, shorter_parts in reversed(shorter):
            parts = _replace_parts(parts, shorter_parts, ColumnReference(column=column))
        if name in joins:
            shared[name] = Concatenation(parts=parts)
        shorter.append((name, original_parts))
    return shared


def _replace_parts(
    parts: tuple[Any, ...], pattern: tuple[Any, ...], reference: ColumnReference
) -> tuple[Any, ...]:
    size = len(pattern)
    for start in range(len(parts) - size + 1 if size < len(parts) else 0):
        if all(
            a is b or (isinstance(a, str | ColumnReference) and a == b)
            for a, b in zip(parts[start:], pattern, strict=False)
        ):
            return (*parts[:start], reference, *parts[start + size :])
    return parts


# From a specification to record batches, for any range of rows.

# Bytes of one batch: large enough to amortise calls, small enough to hold several.
_BATCH_BYTES = 32 << 20
# A text column is stored as codes if each text has this many rows on average.
_MIN_REPEATS = 8


class TableRows:
    """The rows of a table, computed on demand.

    Args:
        spec: specification of the table.

    Attributes:
        schema: Arrow schema of the rows.
        batch_rows: number of rows of a batch.
    """

    def __init__(self, spec: TableSpec) -> None:
        self.spec = spec
        self.schema = spec.arrow_schema()
        self._product = FactorProduct(spec.factors, spec.exclude)
        self._selection = LatinSquareSample(spec, spec.sample) if spec.sample else self._product
        self.batch_rows = max(1, min(BLOCK_ROWS, _BATCH_BYTES // max(1, _bytes_per_row(spec))))

    @cached_property
    def _columns(self) -> dict[str, Expression]:
        # A merged lookup saves work only if its values recur.
        max_values = max(1, min(_MAX_VALUES, len(self) // 4))
        return {
            name: merge_lookups(expression, self.spec.factors, max_values)
            if isinstance(expression, Concatenation)
            else expression
            for name, expression in share_subexpressions(self.spec.columns).items()
        }

    @cached_property
    def _texts(self) -> dict[str, tuple[Lookup, Any]]:
        """Map columns of few distinct texts to the codes of their rows and these texts."""
        coded = {}
        for name, expression in self._columns.items():
            if isinstance(expression, Constant) and isinstance(expression.value, str):
                expression = Lookup(factors=(), values=[expression.value])
            if isinstance(expression, Lookup) and pa.types.is_string(expression.values.type):
                values = expression.values.dictionary_encode()
                if _MIN_REPEATS * len(values.dictionary) <= len(self):
                    codes = Lookup(factors=expression.factors, values=values.indices)
                    coded[name] = codes, values.dictionary
        return coded

    @property
    def stored_schema(self) -> Any:
        """Schema of the rows in files: columns of few distinct texts are dictionary-encoded."""
        code_type = pa.dictionary(pa.int32(), pa.string())
        return pa.schema([f.with_type(code_type) if f.name in self._texts else f for f in self.schema])

    def __len__(self) -> int:
        return self._selection.rows

    def batch(self, start: int, stop: int, stored: bool = False) -> Any:
        """Return rows [start, stop) as one record batch."""
        flat = self._selection.flat_indices(start, stop)
        codes: dict[Any, Any] = {}
        columns: Json = {}
        texts = self._texts if stored else {}

        def encode(lookup: Lookup, values: Any) -> Any:
            indices = self._evaluate(lookup, flat, codes, columns)
            return pa.DictionaryArray.from_arrays(indices, values, safe=False)

        arrays = [
            encode(*texts[name]) if name in texts else self._get_column(name, flat, codes, columns)
            for name in self._columns
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.stored_schema if stored else self.schema)

    def batches(self, start: int, stop: int, stored: bool = False) -> Iterator[Any]:
        """Yield rows [start, stop) in batches of `batch_rows`."""
        for first in range(start, stop, self.batch_rows):
            yield self.batch(first, min(first + self.batch_rows, stop), stored)

    def _get_column(self, name: str, flat: Indices, codes: dict[Any, Any], columns: Json) -> Any:
        """Return a column, computed once per batch."""
        if name not in columns:
            columns[name] = self._evaluate(self._columns[name], flat, codes, columns)
        return columns[name]

    def _evaluate(
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
        if isinstance(expression, ColumnReference):
            return self._get_column(expression.column, flat, codes, columns)
        if isinstance(expression, Lookup):
            selected = expression.values.take(self._code(expression, flat, codes))
            return selected.dictionary_decode() if pa.types.is_dictionary(selected.type) else selected
        if isinstance(expression, StructColumn):
            members = [self._evaluate(member, flat, codes, columns) for member in expression.members.values()]
            return pa.StructArray.from_arrays(members, names=list(expression.members))
        if isinstance(expression, FilledTemplate):
            values, pieces, fillers = expression.pieces
            texts = pieces.take(self._code(expression.text, flat, codes))
            first_index, filler = texts.flatten().to_numpy().reshape(-1, 2).T
            row = pc.list_parent_indices(texts).to_numpy()[::2]
            filler_codes = np.zeros((1 + len(fillers), len(flat)), np.int32)
            for number, lookup in enumerate(fillers, 1):
                filler_codes[number] = self._code(lookup, flat, codes)
            value_indices = first_index + filler_codes.ravel()[filler * len(flat) + row]
            ends = pa.array(texts.offsets.to_numpy() // 2)
            filled = pa.ListArray.from_arrays(
                ends, values.take(pa.array(value_indices)), mask=texts.is_null()
            )
            return pc.binary_join(filled, "")
        # After merging, a constant text is a lookup over no factors: the same in every row.
        expressions = [part for part in expression.parts if not isinstance(part, str)]
        has_varying_part = isinstance(expression, Concatenation) and any(
            getattr(part, "factors", True) for part in expressions
        )
        parts = [
            part.values[0]
            if has_varying_part and isinstance(part, Lookup) and not part.factors
            else self._evaluate(part, flat, codes, columns)
            for part in expressions
        ]
        if isinstance(expression, ListColumn):
            # One list per row with the row's value of every part.
            size, rows = len(parts), len(parts[0])
            positions = np.arange(size)[None, :] * rows + np.arange(rows)[:, None]
            values = pa.concat_arrays(parts).take(pa.array(positions.ravel()))
            ends = np.arange(0, size * rows + 1, size)
            if values.null_count:
                is_valid = pc.is_valid(values).to_numpy(zero_copy_only=False)
                ends = np.concatenate([[0], np.cumsum(is_valid)])[ends]
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
    """Estimate the bytes of one row from the mean lengths of its values."""
    widths: dict[str, int] = {}
    for name, expression in spec.columns.items():
        widths[name] = sum(_width(part, widths) for part in iter_parts(expression))
    return sum(widths.values())


def _width(part: str | Constant | Lookup | ColumnReference, widths: dict[str, int]) -> int:
    if isinstance(part, str):
        return len(part)
    if isinstance(part, Lookup):
        values = part.values
        if pa.types.is_dictionary(values.type):
            values = values.dictionary
        return int(values.nbytes // max(1, len(values)))
    if isinstance(part, ColumnReference):
        return widths[part.column]
    return len(str(part.value))

"""Fold neighbouring parts of a join into one lookup, so that a row needs fewer pieces put together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from polbias.generators.engine.product import Product
from polbias.generators.engine.spec import Copy, Factor, Join, Lookup

# A folded lookup must stay small beside a batch of rows.
_MAX_VALUES = 1 << 16
_MAX_BYTES = 2 << 20


def fold(join: Join, factors: Sequence[Factor]) -> Join:
    """Fold texts and lookups that stand side by side where the result is small.

    Args:
        join: parts of a string column.
        factors: of the table, slowest first.

    Returns:
        A join with the same values.
    """
    folded: list[Lookup | Copy] = []
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

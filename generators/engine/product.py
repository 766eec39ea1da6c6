"""Mixed-radix indices: row numbers to factor levels, with exclusions, vectorised."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from polbias.generators.engine.spec import Exclusion, Factor

Indices = NDArray[np.int64]


class FactorProduct:
    """The rows of a product of factors minus exclusions.

    Args:
        factors: slowest first.
        exclude: partial assignments whose rows are excluded.
    """

    def __init__(self, factors: Sequence[Factor], exclude: Sequence[Exclusion] = ()) -> None:
        self.sizes = {factor.name: len(factor.levels) for factor in factors}
        self._strides = dict(zip(self.sizes, strides(list(self.sizes.values())), strict=True))
        self._total = math.prod(self.sizes.values())
        flat = [_excluded_indices(factors, self._strides, exclusion) for exclusion in exclude]
        excluded = np.unique(np.concatenate(flat)) if flat else np.empty(0, np.int64)
        # Row j has flat index j + (number of excluded indices at or below it). excluded[k] - k is the number
        # of rows before the k-th excluded index, so a binary search finds that number.
        self._n_rows_before = excluded - np.arange(len(excluded))
        self.rows = self._total - len(excluded)

    def flat_indices(self, start: int, stop: int) -> Indices:
        """Return the positions of rows [start, stop) in the full product."""
        check_range(start, stop, self.rows)
        rows = np.arange(start, stop, dtype=np.int64)
        if len(self._n_rows_before):
            rows += np.searchsorted(self._n_rows_before, rows, side="right")
        return rows

    def codes(self, flat: Indices, factors: Sequence[str]) -> Indices:
        """Return the row-major index over some factors for every flat index."""
        code: Indices | None = None
        for size, stride in self._runs(factors):
            quotient = flat if stride == 1 else flat // stride
            # The quotient by the slowest factor's stride is already below its size.
            digits = quotient if stride * size == self._total else quotient % size
            code = digits if code is None else code * size + digits
        return np.zeros(len(flat), np.int64) if code is None else code

    def _runs(self, factors: Sequence[str]) -> list[tuple[int, int]]:
        """Return (size, stride) of the factors, merging neighbours in the product."""
        runs: list[tuple[int, int]] = []
        for name in factors:
            size, stride = self.sizes[name], self._strides[name]
            if runs and runs[-1][1] == stride * size:
                runs[-1] = (runs[-1][0] * size, stride)
            else:
                runs.append((size, stride))
        return runs


def strides(sizes: Sequence[int]) -> list[int]:
    """Return the row-major strides of digits with these sizes, slowest first."""
    step_sizes = [1] * len(sizes)
    for i in range(len(sizes) - 2, -1, -1):
        step_sizes[i] = step_sizes[i + 1] * sizes[i + 1]
    return step_sizes


def check_range(start: int, stop: int, rows: int) -> None:
    """Raise IndexError if a range is outside the rows."""
    if not 0 <= start <= stop <= rows:
        raise IndexError(f"rows [{start}, {stop}) are outside [0, {rows})")


def _excluded_indices(
    factors: Sequence[Factor], stride_by_name: dict[str, int], exclusion: Exclusion
) -> Indices:
    """Return the flat indices of all rows of an exclusion."""
    levels = exclusion.levels
    return pairwise_sums(
        np.array([f.levels.index(levels[f.name])] if f.name in levels else range(len(f.levels)), np.int64)
        * stride_by_name[f.name]
        for f in factors
    )


def pairwise_sums(parts: Iterable[Indices]) -> Indices:
    """Return all sums of one number per part, with the numbers of the last part varying fastest."""
    sums = np.zeros(1, np.int64)
    for part in parts:
        sums = (sums[:, None] + part[None, :]).ravel()
    return sums

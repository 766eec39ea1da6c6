"""From the number of a row in a sample to its place in the product: a function, computed for any range."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from polbias.files import BuildError
from polbias.generators.engine.permutation import MAX_SIZE, Permutations
from polbias.generators.engine.product import Indices, check_range, strides
from polbias.generators.engine.sampled import Strata
from polbias.generators.engine.sampling import Sample
from polbias.generators.engine.seeds import named_rng
from polbias.generators.engine.spec import TableSpec


class Drawn:
    """The rows of a sampled table.

    Pair j of a draw is draw ``j // strata`` of stratum ``j % strata``; the n-th draw of a stratum is the
    n-th position of a permutation of its pairs, keyed by dataset, version, config, split and the sample's
    draw.

    Args:
        spec: the table.
        sample: its sample.

    Raises:
        BuildError: if a stratum has too few pairs, or the product is too large to be numbered.
    """

    def __init__(self, spec: TableSpec, sample: Sample) -> None:
        self.rows = sample.rows
        levels = {factor.name: len(factor.levels) for factor in spec.factors}
        where = f"{spec.config}/{spec.split}"
        if math.prod(levels.values()) > MAX_SIZE:
            raise BuildError(
                f"{where}: the product of all factors has more than 2^62 rows; remove levels or factors"
            )
        self._strata = Strata(spec.factors, spec.exclude, sample)
        self._width = math.prod(levels[name] for name in sample.pair)
        self._offsets = _offsets(levels, sample)
        self._skipped = sample.skip // self._width
        drawn, count = self._skipped + sample.rows // self._width, len(self._strata.pairs)
        least = min(self._strata.pairs, default=0)
        if drawn > least * count:
            asked = f"{sample.rows:,} rows" + (f" beyond the first {sample.skip:,}" if sample.skip else "")
            raise BuildError(
                f"{where}: {asked} are asked for; the smallest of {count:,} strata has {least:,} pairs, so "
                f"that {least * count * self._width:,} rows can be drawn evenly in all; ask for fewer"
            )
        self._name = spec.dataset, sample.version or spec.version, f"{sample.draw}/{where}"

    @cached_property
    def _permutations(self) -> Permutations:
        return Permutations(self._strata.pairs, named_rng(*self._name))

    def flat(self, start: int, stop: int) -> Indices:
        """Return the positions of rows [start, stop) in the full product.

        Raises:
            IndexError: if the range is not within the rows.
        """
        check_range(start, stop, self.rows)
        first, last = start // self._width, -(-stop // self._width)
        numbers = np.arange(first, last, dtype=np.int64) + self._skipped
        draws, stratum = np.divmod(numbers, len(self._strata.pairs))
        pairs = self._strata.flat(self._permutations(draws, stratum), stratum)
        found = (pairs[:, None] + self._offsets[None, :]).ravel()
        return np.asarray(found[start - first * self._width : stop - first * self._width])


def _offsets(levels: dict[str, int], sample: Sample) -> Indices:
    """Return what the flat indices of a pair's rows add to that of its first row."""
    stride = dict(zip(levels, strides(list(levels.values())), strict=True))
    found = np.zeros(1, np.int64)
    for name in sample.pair:
        digits = np.arange(levels[name], dtype=np.int64) * stride[name]
        found = (found[:, None] + digits[None, :]).ravel()
    return found

"""Samples of a product: rounds over the strata, other factors in a Latin square; named random generators."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable

import numpy as np

from polbias.errors import BuildError
from polbias.generators.engine.product import Indices, check_range, pairwise_sums, strides
from polbias.generators.engine.spec import Sample, TableSpec

MAX_SIZE = 1 << 62


class LatinSquareSample:
    """The rows of a sampled table, by number.

    A round has one pair of every stratum. Round and stratum are digits of a mixed radix, one digit per
    factor; the level of a factor is its digit plus a shift. The shift depends on faster factors only: the map
    from numbers to rows of the product is one-to-one.

    Args:
        spec: the table.
        sample: its sample.

    Raises:
        BuildError: if the sample has more rows than the product, or the product more than 2^62 rows.
    """

    def __init__(self, spec: TableSpec, sample: Sample) -> None:
        sizes = {factor.name: len(factor.levels) for factor in spec.factors}
        location, n_product = f"{spec.config}/{spec.split}", math.prod(sizes.values())
        if n_product > MAX_SIZE:
            raise BuildError(
                f"{location}: found a product of more than 2^62 rows, expected fewer; drop levels or factors"
            )
        if sample.rows > n_product:
            raise BuildError(
                f"{location}: found a sample of {sample.rows:,} rows, expected at most {n_product:,}, the "
                "rows of the product; sample fewer"
            )
        self.rows = sample.rows
        stride = dict(zip(sizes, strides(list(sizes.values())), strict=True))
        free = [name for name in sizes if name not in (*sample.pair, *sample.strata)]
        self._width = math.prod(sizes[name] for name in sample.pair)
        # Flat indices of a pair's rows, relative to its first row.
        self._offsets = pairwise_sums(np.arange(sizes[n], dtype=np.int64) * stride[n] for n in sample.pair)
        self._digits = [
            (name, sizes[name], stride[name], name in free, sample.moves.get(name))
            for name in (*reversed(sample.strata), *reversed(free))
        ]
        self._sizes = sizes

    def flat_indices(self, start: int, stop: int) -> Indices:
        """Return the positions of rows [start, stop) in the full product."""
        check_range(start, stop, self.rows)
        first, last = start // self._width, -(-stop // self._width)
        quotient = np.arange(first, last, dtype=np.int64)
        positions, rounds = np.zeros((2, len(quotient)), np.int64)
        levels: dict[str, Indices] = {}
        for name, size, stride, free, move in self._digits:
            quotient, level = np.divmod(quotient, size)
            if free:  # every factor advances in every round, not the fastest only
                level = rounds = rounds + level
            if move is not None:
                level = level + move.values.to_numpy()[self._code(levels, move.factors)]
            levels[name] = level % size
            positions += levels[name] * stride
        positions = (positions[:, None] + self._offsets[None, :]).ravel()
        return np.asarray(positions[start - first * self._width : stop - first * self._width])

    def _code(self, levels: dict[str, Indices], factors: Iterable[str]) -> Indices:
        code = np.zeros((), np.int64)
        for name in factors:
            code = code * self._sizes[name] + levels[name]
        return code


# Named seeds: the only source of randomness in the toolkit.


def named_rng(dataset: str, version: str, purpose: str) -> np.random.Generator:
    """Return a random generator whose stream depends only on the arguments."""
    name = hashlib.sha256(f"{dataset}\0{version}\0{purpose}".encode()).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(name, "little"))))

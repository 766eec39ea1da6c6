"""Seeded permutations of [0, n) that are computed, not stored: any position alone, n up to 2^62.

A Feistel network over Z_a x Z_b, with a and b about equal and a*b hardly more than n, permutes [0, a*b). What
falls on or beyond n is permuted again until it lies below it (cycle walking), which is again a permutation;
see Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002, methods 2 and 3. Nothing but
unsigned 64-bit arithmetic is used, so that the result is the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]
_Words = NDArray[np.uint64]

MAX_SIZE = 1 << 62
# Few positions have few round values, so that it takes more rounds than the usual four to mix them well.
_ROUNDS = 10
_U32, _ONE = np.uint64(32), np.uint64(1)
# Odd multipliers and shifts of the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
_GOLDEN, _MIX_1, _MIX_2 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_S1, _S2, _S3 = np.uint64(30), np.uint64(27), np.uint64(31)


class Permutations:
    """One permutation for each of several sizes, all evaluated in one vectorised call.

    Args:
        sizes: the number n of positions of each permutation, 1 to 2^62.
        rng: gives the keys; its raw output is read, which no version of numpy changes.

    Raises:
        ValueError: if a size is out of range.
    """

    def __init__(self, sizes: Sequence[int], rng: np.random.Generator) -> None:
        wrong = next((size for size in sizes if not 0 < size <= MAX_SIZE), None)
        if wrong is not None:
            raise ValueError(f"a permutation has 1 to 2^62 positions, found {wrong}")
        sides = [_sides(size) for size in sizes]
        self._sizes = np.array(sizes, np.uint64)
        self._first = np.array([a for a, _ in sides], np.uint64)
        self._second = np.array([b for _, b in sides], np.uint64)
        raw = rng.bit_generator.random_raw(len(sizes) * _ROUNDS)
        # A row per round, so that the keys of one round lie side by side.
        self._keys = np.ascontiguousarray(np.asarray(raw, np.uint64).reshape(len(sizes), _ROUNDS).T)

    def __call__(self, positions: Positions, which: Positions) -> Positions:
        """Return where positions go.

        Args:
            positions: shape (k,), each in [0, size of its permutation).
            which: the index of the permutation of each, shape (k,).

        Returns:
            Shape (k,), each in [0, size of its permutation).
        """
        found = self._once(positions.astype(np.uint64), which)
        while len(outside := np.flatnonzero(found >= self._sizes[which])):
            found[outside] = self._once(found[outside], which[outside])
        return found.astype(np.int64)

    def _once(self, positions: _Words, which: Positions) -> _Words:
        sides = self._first[which], self._second[which]
        halves = list(np.divmod(positions, sides[1]))
        for number, keys in enumerate(self._keys):
            here, there = number % 2, 1 - number % 2
            halves[here] += _spread(halves[there], keys[which], sides[here])
            halves[here] -= sides[here] * (halves[here] >= sides[here])
        return np.asarray(halves[0] * sides[1] + halves[1])


def _sides(size: int) -> tuple[int, int]:
    """Return a and b, about equal, whose product is at least the size and hardly more."""
    first = math.isqrt(size - 1) + 1
    return first, -(-size // first)


def _spread(values: _Words, keys: _Words, below: _Words) -> _Words:
    """Return a keyed hash of every value as a number in [0, below); `below` has at most 32 bits."""
    mixed = (values + _ONE) * _GOLDEN
    mixed += keys
    mixed ^= mixed >> _S1
    mixed *= _MIX_1
    mixed ^= mixed >> _S2
    mixed *= _MIX_2
    mixed ^= mixed >> _S3
    mixed >>= _U32
    mixed *= below
    mixed >>= _U32
    return mixed

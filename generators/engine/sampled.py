"""Sampled rows: the n-th draw without a list."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polbias.files import BuildError
from polbias.generators.engine.product import Indices, Product, check_range, strides, sums
from polbias.generators.engine.spec import Exclusion, Factor, Level, Sample, TableSpec

# The pairs of each stratum of a product, numbered without a list of them.
# A stratum fixes some factors; within it a pair is a choice of levels of the *free* factors. Exclusions tie
# free factors together: those that some exclusion names together form a *block*, whose allowed choices are
# listed; blocks, and factors that no exclusion names, are independent of each other. So the number of pairs
# of a stratum is a product, and the q-th pair is found by mixed radix, whatever the size of the whole.

# Choices of one block, and of all lists of choices together: 8 bytes each, held in memory.
_MAX_CHOICES = 1 << 22


class Strata:
    """The strata that have pairs, in order, and their pairs by number.

    Args:
        factors: of the product, slowest first.
        exclude: rows that are left out; a pair is left out with any of its rows.
        sample: which factors make pairs and strata.

    Attributes:
        pairs: number of pairs of each stratum, none 0, shape (strata,).
        bases: flat index of the first row of each stratum's first combination, shape (strata,).

    Raises:
        BuildError: if exclusions tie so many levels together that their choices cannot be listed.
    """

    def __init__(self, factors: Sequence[Factor], exclude: Sequence[Exclusion], sample: Sample) -> None:
        by_name = {factor.name: factor for factor in factors}
        stride = dict(zip(by_name, strides([len(factor.levels) for factor in factors]), strict=True))
        free = [f for f in factors if f.name not in (*sample.pair, *sample.strata)]
        rules = [_Rule(exclusion, sample) for exclusion in exclude]
        blocks = _blocks([rule.tied for rule in rules if rule.tied])
        loose = [f for f in free if not any(f.name in block for block in blocks)]
        combinations = list(itertools.product(*(by_name[name].levels for name in sample.strata)))
        fixed = [dict(zip(sample.strata, levels, strict=True)) for levels in combinations]
        self._blocks = [
            _Block([f for f in free if f.name in block], stride, rules, fixed) for block in blocks
        ]
        self._loose = [(len(f.levels), stride[f.name]) for f in loose]
        whole = [rule for rule in rules if not rule.tied]
        each = math.prod(size for size, _ in self._loose)
        # Python's integers: a product of factors may exceed 64 bits before it is checked.
        numbers = [
            0
            if any(rule.concerns(levels) for rule in whole)
            else each * math.prod(int(block.sizes[i]) for block in self._blocks)
            for i, levels in enumerate(fixed)
        ]
        kept = np.flatnonzero(np.array([number > 0 for number in numbers], bool))
        self.pairs = [numbers[i] for i in kept]
        self.bases = np.array(
            [sum(stride[n] * by_name[n].levels.index(v) for n, v in fixed[i].items()) for i in kept], np.int64
        )
        for block in self._blocks:
            block.keep(kept)

    def flat(self, pairs: Indices, stratum: Indices) -> Indices:
        """Return the flat index of the first row of every pair."""
        found, rest = self.bases[stratum], pairs
        for size, stride in self._loose:
            rest, digit = np.divmod(rest, size)
            found += digit * stride
        for block in self._blocks:
            rest, digit = np.divmod(rest, block.sizes[stratum])
            found += block.choices[block.starts[stratum] + digit]
        return found


class _Rule:
    """An exclusion as strata and free factors see it."""

    def __init__(self, exclusion: Exclusion, sample: Sample) -> None:
        levels = exclusion.levels
        self.stratum = {name: levels[name] for name in sample.strata if name in levels}
        # Levels of a pair's factors are passed over: with one of its rows the whole pair is left out.
        self.tied = {n: v for n, v in levels.items() if n not in (*sample.pair, *sample.strata)}

    def concerns(self, levels: Mapping[str, Level]) -> bool:
        return all(levels[name] == level for name, level in self.stratum.items())


class _Block:
    """Free factors that exclusions tie together: the allowed choices of their levels in every stratum.

    Attributes:
        sizes: number of choices in each stratum.
        starts: where the choices of each stratum begin.
        choices: what a choice adds to a flat index.
    """

    def __init__(
        self,
        factors: Sequence[Factor],
        stride: Mapping[str, int],
        rules: Sequence[_Rule],
        strata: Sequence[Mapping[str, Level]],
    ) -> None:
        names = [factor.name for factor in factors]
        size = math.prod(len(factor.levels) for factor in factors)
        own = [rule for rule in rules if not rule.tied.keys().isdisjoint(names)]
        conditions = list({tuple(rule.stratum.items()): rule for rule in own}.values())
        known: dict[tuple[bool, ...], tuple[int, int]] = {}
        lists: list[Indices] = []
        at: list[tuple[int, int]] = []
        for levels in strata:
            active = tuple(rule.concerns(levels) for rule in conditions)
            if active not in known:
                if (len(known) + 1) * size > _MAX_CHOICES:
                    raise BuildError(
                        f"exclusions tie the factors {', '.join(names)} together, {size:,} choices in "
                        f"each of {len(known) + 1} or more kinds of strata; {_MAX_CHOICES:,} can be listed "
                        "in all; tie fewer factors together, or make one factor of their allowed choices"
                    )
                excluded = [Exclusion(levels=rule.tied) for rule in own if rule.concerns(levels)]
                product = Product(factors, excluded)
                flat = product.flat(0, product.rows)
                known[active] = sum(map(len, lists)), len(flat)
                added = np.zeros(len(flat), np.int64)
                for name in names:
                    added += product.codes(flat, (name,)) * stride[name]
                lists.append(added)
            at.append(known[active])
        self.starts, self.sizes = np.array(at, np.int64).reshape(-1, 2).T.copy()
        self.choices = np.concatenate(lists)

    def keep(self, strata: Indices) -> None:
        """Forget all other strata."""
        self.starts, self.sizes = self.starts[strata], self.sizes[strata]


def _blocks(tied: Sequence[Mapping[str, Level]]) -> list[frozenset[str]]:
    """Return the factors that stand in rules together, directly or by way of others."""
    blocks: list[frozenset[str]] = []
    for names in dict.fromkeys(frozenset(levels) for levels in tied):
        joined = [block for block in blocks if not block.isdisjoint(names)]
        blocks = [block for block in blocks if block not in joined]
        blocks.append(names.union(*joined))
    return blocks


# Seeded permutations of [0, n) that are computed, not stored: any position alone, n up to 2^62.
# A Feistel network over Z_a x Z_b, with a and b about equal and a*b hardly more than n, permutes [0, a*b).
# What falls on or beyond n is permuted again until it lies below it (cycle walking), which is again a
# permutation; see Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002, methods 2 and 3.
# Nothing but unsigned 64-bit arithmetic is used, so that the result is the same on every machine.

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
        """Return where positions go."""
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


# Named seeds: the only source of randomness in the toolkit.


def named_rng(dataset: str, version: str, purpose: str) -> np.random.Generator:
    """Return a generator whose stream depends on nothing but its name."""
    name = hashlib.sha256(f"{dataset}\0{version}\0{purpose}".encode()).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(name, "little"))))


# From the number of a row in a sample to its place in the product: a function, computed for any range.


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
        # What the flat indices of a pair's rows add to that of its first row.
        stride = dict(zip(levels, strides(list(levels.values())), strict=True))
        self._offsets = sums(np.arange(levels[n], dtype=np.int64) * stride[n] for n in sample.pair)
        count = len(self._strata.pairs)
        least = min(self._strata.pairs, default=0)
        most = least * count * self._width
        if sample.rows > most:
            raise BuildError(
                f"{where}: {sample.rows:,} rows are asked for; the smallest of {count:,} strata has "
                f"{least:,} pairs, so that {most:,} rows can be drawn evenly in all; ask for fewer"
            )
        self._name = spec.dataset, sample.version or spec.version, f"sample/{where}"

    @cached_property
    def _permutations(self) -> Permutations:
        return Permutations(self._strata.pairs, named_rng(*self._name))

    def flat(self, start: int, stop: int) -> Indices:
        """Return the positions of rows [start, stop) in the full product."""
        check_range(start, stop, self.rows)
        first, last = start // self._width, -(-stop // self._width)
        numbers = np.arange(first, last, dtype=np.int64)
        draws, stratum = np.divmod(numbers, len(self._strata.pairs))
        pairs = self._strata.flat(self._permutations(draws, stratum), stratum)
        found = (pairs[:, None] + self._offsets[None, :]).ravel()
        return np.asarray(found[start - first * self._width : stop - first * self._width])

"""The pairs of each stratum of a product, numbered without a list of them.

A stratum fixes some factors; within it a pair is a choice of levels of the *free* factors. Exclusions tie
free factors together: those that some exclusion names together form a *block*, whose allowed choices are
listed; blocks, and factors that no exclusion names, are independent of each other. So the number of pairs
of a stratum is a product, and the q-th pair is found by mixed radix, whatever the size of the whole.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from polbias.files import BuildError
from polbias.generators.engine.product import Indices, Product, strides
from polbias.generators.engine.sampling import Sample
from polbias.generators.engine.spec import Exclusion, Factor, Level

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
        """Return the flat index of the first row of every pair.

        Args:
            pairs: numbers of pairs within their strata, shape (k,).
            stratum: indices of their strata, shape (k,).
        """
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

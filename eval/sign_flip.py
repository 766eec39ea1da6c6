"""The randomisation test that flips the signs of whole clusters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats
from polbias.eval.statistics import TIE, sums_by_cluster

MAX_EXACT_CLUSTERS = 20
"""Largest number of clusters for which all flips are enumerated."""
DRAWS = 100_000
"""Random flips with more clusters."""


_BLOCK = 4_000_000  # signs that are drawn at a time


@dataclass(frozen=True)
class SignFlipTest:
    """A test of "no effect" that flips the sign of whole clusters.

    Args:
        p_value: Two-sided p; NaN without rows.
        clusters: Number of clusters.
        smallest_p: Smallest p attainable with this number of clusters (6 clusters: 0.03125).
        exact: Whether all flips were enumerated rather than drawn.
    """

    p_value: float
    clusters: int
    smallest_p: float
    exact: bool


def sign_flip_test(values: ArrayLike, clusters: Iterable[Any], seed: int = 0) -> SignFlipTest:
    """Test that the values are centred on 0, flipping the signs of whole clusters.

    The statistic is the absolute sum of all cluster sums; p is the share of the 2^G flips that reach it. Up
    to 20 clusters all flips are enumerated; with more, 100,000 are drawn and the observed one is added. If
    left and right are exchangeable within every cluster, the test keeps its level for any number of clusters,
    but p is at least 2 / 2^G (and larger if the sum of a cluster is exactly 0).

    Source:
        Fisher, "The Design of Experiments" (1935), section 21; for few clusters: Canay, Romano and Shaikh,
        "Randomization Tests Under an Approximate Symmetry Assumption" (2017); drawn flips: Phipson and Smyth,
        "Permutation P-values Should Never Be Zero" (2010).
    """
    sums, sizes = sums_by_cluster(values, clusters)
    count = int(sizes.size)
    if count <= MAX_EXACT_CLUSTERS:
        return SignFlipTest(_exact_p(sums), count, min(1.0, 2.0 / 2**count), exact=True)
    return SignFlipTest(_drawn_p(sums, seed), count, 1 / (DRAWS + 1), exact=False)


def sign_flip_tests(sums: Floats, seed: int = 0) -> list[SignFlipTest]:
    """Run :func:`sign_flip_test` with drawn flips for many tests, using the same flips for all.

    Args:
        sums: cluster sums, shape ``(clusters, tests)``.
        seed: of the flips, which are drawn in blocks to limit memory.
    """
    rng = np.random.default_rng(seed)
    totals = np.abs(sums).sum(axis=0)
    thresholds = np.abs(sums.sum(axis=0)) - TIE * totals
    reached = np.zeros(sums.shape[1], np.int64)
    block = max(1, _BLOCK // len(sums))
    for start in range(0, DRAWS, block):
        draws = min(block, DRAWS - start)
        bits = np.unpackbits(np.frombuffer(rng.bytes(-(-draws * len(sums) // 8)), np.uint8))
        signs = 2.0 * bits[: draws * len(sums)].reshape(draws, len(sums)) - 1.0
        reached += np.count_nonzero(np.abs(signs @ sums) >= thresholds, axis=0)
    p_values = np.where(np.isnan(totals), math.nan, (1 + reached) / (1 + DRAWS)).tolist()
    return [SignFlipTest(p, len(sums), 1 / (DRAWS + 1), exact=False) for p in p_values]


def _exact_p(sums: Floats) -> float:
    """Return the share of all flips that reach the observed sum; the first sign is fixed by symmetry."""
    if not sums.size:
        return math.nan
    flip_sums = sums[:1]
    for value in sums[1:]:
        flip_sums = np.concatenate((flip_sums + value, flip_sums - value))
    threshold = abs(float(sums.sum())) - TIE * float(np.abs(sums).sum())
    return math.nan if math.isnan(threshold) else float(np.mean(np.abs(flip_sums) >= threshold))


def _drawn_p(sums: Floats, seed: int) -> float:
    """Return the share among random flips and the observed one.

    Equal sums are drawn together: k random signs add up to 2 * Binomial(k, 1/2) - k. A single sign is drawn
    as a bit, which is faster.
    """
    if not sums.size or bool(np.isnan(sums).any()):
        return math.nan
    scale = float(np.abs(sums).max()) or 1.0
    sizes, counts = np.unique(np.round(np.abs(sums) / scale, 12), return_counts=True)
    rng = np.random.default_rng(seed)
    flip_sums = np.zeros(DRAWS)
    for size, count in zip(sizes, counts, strict=True):
        ups = rng.binomial(count, 0.5, DRAWS) if count > 1 else rng.integers(0, 2, DRAWS, dtype=np.int8)
        flip_sums += size * (2 * ups - count)
    threshold = abs(float(sums.sum())) / scale - TIE * float(sizes @ counts)
    return (1 + int(np.count_nonzero(np.abs(flip_sums) >= threshold))) / (1 + DRAWS)

"""Sign-flip tests in bulk: respondents with the same clusters share the draws."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats
from polbias.eval.answer_frames import factorize
from polbias.eval.sign_flip import MAX_EXACT_CLUSTERS, SignFlipTest, sign_flip_test, sign_flip_tests

Key = TypeVar("Key", bound=Hashable)
ClusterSums: TypeAlias = Mapping[Any, float]
"""Cluster to the sum of its values."""


def cluster_sums(values: ArrayLike, clusters: Iterable[Any]) -> ClusterSums:
    """Sum values by cluster."""
    codes, levels = factorize(clusters)
    sums = np.bincount(codes, np.asarray(values, np.float64), len(levels))
    return {levels[code]: float(sums[code]) for code in np.unique(codes).tolist()}


def run_sign_flip_tests(tests: Mapping[Key, tuple[str, ClusterSums]], seed: int) -> dict[Key, SignFlipTest]:
    """Run the sign-flip test of each respondent and its cluster sums.

    Up to 20 clusters the test is exact, as in :func:`polbias.eval.sign_flip.sign_flip_test`. With more, flips
    are drawn for all clusters of the respondent, once for all respondents with the same clusters; so p
    depends on the respondent's answers only.
    """
    results: dict[Key, SignFlipTest] = {}
    clusters_by_respondent: dict[str, set[Any]] = {}
    for respondent, sums in tests.values():
        clusters_by_respondent.setdefault(respondent, set()).update(sums)
    universe_by_respondent = {
        respondent: tuple(sorted(clusters, key=str))
        for respondent, clusters in clusters_by_respondent.items()
    }
    keys_by_universe: dict[tuple[Any, ...], list[Key]] = {}
    for key, (respondent, sums) in tests.items():
        if len(sums) <= MAX_EXACT_CLUSTERS:
            results[key] = sign_flip_test([*sums.values()], range(len(sums)), seed)
        else:
            keys_by_universe.setdefault(universe_by_respondent[respondent], []).append(key)
    for universe, keys in keys_by_universe.items():
        columns = _columns(universe, (tests[key][1] for key in keys))
        results |= zip(keys, sign_flip_tests(columns, seed), strict=True)
    return results


def _columns(universe: tuple[Any, ...], tests: Iterable[ClusterSums]) -> Floats:
    """Return the sums as clusters x tests, 0 for clusters that a test lacks."""
    return np.array([[sums.get(cluster, 0.0) for cluster in universe] for sums in tests]).T

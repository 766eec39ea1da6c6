"""Many sign flips at once: respondents with the same clusters share the draws."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats
from polbias.eval.answer_frames import factorize
from polbias.eval.sign_flip import MAX_EXACT_CLUSTERS, SignFlipTest, sign_flip_test, sign_flip_tests

Key = TypeVar("Key", bound=Hashable)
SignFlipResults: TypeAlias = Mapping[Any, float]
"""What a test flips: the sum of the values of each cluster, by its name."""


def cluster_sums(values: ArrayLike, clusters: Iterable[Any]) -> SignFlipResults:
    """Sum values by cluster."""
    codes, levels = factorize(clusters)
    sums = np.bincount(codes, np.asarray(values, np.float64), len(levels))
    return {levels[code]: float(sums[code]) for code in np.unique(codes).tolist()}


def run_sign_flip_tests(
    tests: Mapping[Key, tuple[str, SignFlipResults]], seed: int
) -> dict[Key, SignFlipTest]:
    """Make the sign flip of every test.

    Up to 20 clusters all flips are counted, as by :func:`polbias.eval.sign_flip.sign_flip_test`. Beyond that
    they are drawn over all clusters of the respondent, so that p depends on its own answers alone, and once
    for all respondents with the same clusters.
    """
    found: dict[Key, SignFlipTest] = {}
    names: dict[str, set[Any]] = {}
    for respondent, test in tests.values():
        names.setdefault(respondent, set()).update(test)
    universes = {respondent: tuple(sorted(own, key=str)) for respondent, own in names.items()}
    drawn: dict[tuple[Any, ...], list[Key]] = {}
    for key, (respondent, test) in tests.items():
        if len(test) <= MAX_EXACT_CLUSTERS:
            found[key] = sign_flip_test([*test.values()], range(len(test)), seed)
        else:
            drawn.setdefault(universes[respondent], []).append(key)
    for universe, keys in drawn.items():
        columns = _columns(universe, (tests[key][1] for key in keys))
        found |= zip(keys, sign_flip_tests(columns, seed), strict=True)
    return found


def _columns(universe: tuple[Any, ...], tests: Iterable[SignFlipResults]) -> Floats:
    """Sums by cluster and test, 0 where a test has no such cluster."""
    return np.array([[test.get(name, 0.0) for name in universe] for test in tests]).T

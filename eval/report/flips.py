"""Many sign flips at once: tests of respondents that were asked about the same clusters share the draws."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats
from polbias.eval.columns import Factor
from polbias.eval.statistics import EXACT_CLUSTERS, SignFlip, sign_flip, sign_flips

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Flipped:
    """What a test flips.

    Attributes:
        sums: of the values of each cluster, by its name.
    """

    sums: Mapping[Any, float]

    @classmethod
    def of(cls, values: ArrayLike, clusters: Factor) -> Flipped:
        """Sum values by cluster.

        Args:
            values: one per row, shape ``(n,)``.
            clusters: cluster of each row.
        """
        numbers = np.asarray(values, np.float64)
        sums = np.bincount(clusters.codes, weights=numbers, minlength=len(clusters.levels)).tolist()
        present = np.unique(clusters.codes).tolist()
        return cls({clusters.levels[code]: sums[code] for code in present})


def flip_all(tests: Mapping[Key, tuple[str, Flipped]], seed: int) -> dict[Key, SignFlip]:
    """Make the sign flip of every test.

    Up to 20 clusters all flips are counted, as by :func:`polbias.eval.statistics.sign_flip`. Beyond that they
    are drawn over all clusters of the respondent, so that p depends on its own answers alone, and once for
    all respondents with the same clusters.

    Args:
        tests: key to respondent and test.
        seed: of the drawn flips.

    Returns:
        The results by key.
    """
    found: dict[Key, SignFlip] = {}
    names: dict[str, set[Any]] = {}
    for respondent, test in tests.values():
        names.setdefault(respondent, set()).update(test.sums)
    universes = {respondent: tuple(sorted(own, key=str)) for respondent, own in names.items()}
    drawn: dict[tuple[Any, ...], list[Key]] = {}
    for key, (respondent, test) in tests.items():
        if len(test.sums) <= EXACT_CLUSTERS:
            found[key] = sign_flip([*test.sums.values()], Factor.of(range(len(test.sums))), seed)
        else:
            drawn.setdefault(universes[respondent], []).append(key)
    for universe, keys in drawn.items():
        columns = _columns(universe, (tests[key][1] for key in keys))
        found |= zip(keys, sign_flips(columns, Factor.of(range(len(universe))), seed), strict=True)
    return found


def _columns(universe: tuple[Any, ...], tests: Iterable[Flipped]) -> Floats:
    """Sums by cluster and test, 0 where a test has no such cluster."""
    return np.array([[test.sums.get(name, 0.0) for name in universe] for test in tests]).T

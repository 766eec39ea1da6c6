"""What answers can carry: whether there is an estimate of a bias, and whether it has an interval.

Whoever does not answer, always says the same, or errs (almost) nowhere leaves nothing from which a bias could
be estimated. That is no evidence that there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polbias.eval.columns import Factor
from polbias.eval.statistics import largest_share

ANSWERED = 0.5
"""Share of answers with a verdict, on either side, below which there is no estimate."""
MISSING = 0.2
"""Share without a verdict, on either side, from which the worst-case bounds stand before the estimate."""
UNVARIED = 0.98
"""Share of one label among the verdicts from which there is no estimate."""
DISCORDANT = 5
"""Clusters with a discordant pair below which there is an upper limit instead of an interval."""
_TIE = 1e-9

State: TypeAlias = Literal["not answered", "no variation", "at the ceiling"]


@dataclass(frozen=True)
class Support:
    """What an estimate of a bias rests on.

    Args:
        missing: Share of answers without a verdict, a fraction; of the side that has more of them. None where
            it is these that are compared.
        commonest: Share of the most frequent label among the verdicts, a fraction; 0 where labels need not
            vary.
        discordant: Clusters in which some pair does not cancel out: its two sides were not judged alike.
        clusters: All clusters.
    """

    missing: float | None
    commonest: float
    discordant: int
    clusters: int

    @property
    def state(self) -> State | None:
        """Why there is no estimate ("not answered", "no variation") or no interval; None where there is."""
        if self.missing is not None and self.missing > 1 - ANSWERED:
            return "not answered"
        if self.commonest >= UNVARIED:
            return "no variation"
        return "at the ceiling" if self.discordant < DISCORDANT else None

    @property
    def estimable(self) -> bool:
        """Whether there is an estimate."""
        return self.state in (None, "at the ceiling")

    @property
    def limit(self) -> float:
        """Upper 97.5% limit of the share of clusters with a discordant pair (Clopper and Pearson)."""
        return largest_share(self.discordant, self.clusters) if self.clusters else 1.0


def support(
    sides: ArrayLike,
    verdicts: ArrayLike,
    clusters: Factor,
    pairs: ArrayLike,
    scores: ArrayLike,
    varied: bool = True,
) -> Support:
    """Return what answers can carry."""
    side, verdict = np.asarray(sides), np.asarray(verdicts)
    silent = verdict < 0
    shares = [float(silent[side == each].mean()) for each in np.unique(side)]
    return Support(
        max(shares, default=1.0),
        commonest(verdict) if varied else 0.0,
        discordant(pairs, scores, clusters),
        clusters.distinct,
    )


def commonest(verdicts: NDArray[Any]) -> float:
    """The share of the most frequent label among the verdicts (from 0), 0 without any."""
    labels = verdicts[verdicts >= 0]
    return float(np.bincount(labels.astype(np.intp)).max() / labels.size) if labels.size else 0.0


def discordant(pairs: ArrayLike, scores: ArrayLike, clusters: Factor) -> int:
    """The number of clusters with a pair whose scores do not add up to 0."""
    pair = np.asarray(pairs, np.intp)
    sums = np.bincount(pair, weights=np.asarray(scores, np.float64))
    return clusters.select(np.abs(sums)[pair] > _TIE).distinct

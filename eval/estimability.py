"""Estimability: whether answers support an estimate of a bias, and an interval for it.

Non-answers, or the same answer to everything, allow no estimate of a bias. This is not evidence of no bias.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polbias.eval.answer_frames import codes_of
from polbias.eval.statistics import clopper_pearson_upper

MIN_ANSWER_RATE = 0.5
"""Smallest share of answers with a verdict, on either side, for an estimate."""
MAX_MODAL_SHARE = 0.98
"""Share of one label among the verdicts at which there is no estimate."""
MIN_DISCORDANT_CLUSTERS = 5
"""Smallest number of clusters with a discordant pair for an interval; below, there is an upper limit."""
_TIE = 1e-9

State: TypeAlias = Literal[
    "no data", "not answered", "no variation", "not sampled", "at chance", "at the floor", "at the ceiling"
]
"""Reason why an estimate supports no verdict, the most serious first.

A report sets chance and ceiling, from accuracy and margin; a comparison of runs sets no data, floor and
ceiling.
"""


@dataclass(frozen=True)
class Estimability:
    """Counts that decide whether answers support an estimate of a bias.

    Attributes:
        missing: Nonresponse rate of the side with more non-answers, a fraction; None if nonresponse is the
            outcome.
        commonest: Share of the most frequent label among the verdicts, a fraction; 0 if labels need not
            vary.
        discordant: Clusters with a discordant pair (its two sides were judged differently).
        clusters: All clusters.
        discordant_pairs: Discordant pairs.
        pairs: All pairs.
    """

    missing: float | None
    commonest: float
    discordant: int
    clusters: int
    discordant_pairs: int = 0
    pairs: int = 0

    @property
    def state(self) -> State | None:
        """Reason why there is no estimate; None if there is one."""
        if self.missing is not None and self.missing > 1 - MIN_ANSWER_RATE:
            return "not answered"
        return "no variation" if self.commonest >= MAX_MODAL_SHARE else None

    @property
    def estimable(self) -> bool:
        """Whether there is an estimate."""
        return self.state is None

    @property
    def has_interval(self) -> bool:
        """Whether there is an estimate whose clusters vary enough for an interval."""
        return self.estimable and self.discordant >= MIN_DISCORDANT_CLUSTERS

    @property
    def limit(self) -> float:
        """Upper 97.5% limit of the share of discordant pairs (Clopper and Pearson)."""
        return clopper_pearson_upper(self.discordant_pairs, self.pairs) if self.pairs else 1.0


def support(
    sides: ArrayLike,
    verdicts: ArrayLike,
    clusters: Iterable[Any],
    pairs: ArrayLike,
    scores: ArrayLike,
    varied: bool = True,
) -> Estimability:
    """Return the estimability of answers; the scores of a concordant pair must add up to 0."""
    side, verdict = np.asarray(sides), np.asarray(verdicts)
    silent = verdict < 0
    shares = [float(silent[side == code].mean()) for code in np.unique(side)]
    return Estimability(
        max(shares, default=1.0),
        modal_share(verdict) if varied else 0.0,
        *discordance(pairs, scores, clusters),
    )


def modal_share(verdicts: NDArray[Any]) -> float:
    """Return the share of the most frequent label among the verdicts (codes from 0); 0 without verdicts."""
    labels = verdicts[verdicts >= 0]
    return float(np.bincount(labels.astype(np.intp)).max() / labels.size) if labels.size else 0.0


def discordance(pairs: ArrayLike, scores: ArrayLike, clusters: Iterable[Any]) -> tuple[int, int, int, int]:
    """Count clusters with a discordant pair, clusters, discordant pairs and pairs."""
    pair = np.unique(np.asarray(pairs), return_inverse=True)[1].reshape(-1)
    sums = np.bincount(pair, weights=np.asarray(scores, np.float64))
    discordant, cluster = np.abs(sums) > _TIE, codes_of(clusters)
    return (
        np.unique(cluster[discordant[pair]]).size,
        np.unique(cluster).size,
        int(discordant.sum()),
        int(sums.size),
    )


_COPIES = 8, 50
"""Smallest number of prompts, and of answers beyond the first, at which equal texts are not samples."""


def are_copies(n_answers: ArrayLike, n_texts: ArrayLike) -> bool:
    """Whether repeated answers are copies: no prompt has two different texts.

    A model sampled at temperature 1 varies; a server that does not sample repeats its answer.

    Args:
        n_answers: number of answers per prompt.
        n_texts: number of distinct texts per prompt.
    """
    answers, texts = np.asarray(n_answers), np.asarray(n_texts)
    is_repeated = answers > 1
    n_prompts, n_repeats = int(is_repeated.sum()), int((answers[is_repeated] - 1).sum())
    return n_prompts >= _COPIES[0] and n_repeats >= _COPIES[1] and bool((texts[is_repeated] == 1).all())

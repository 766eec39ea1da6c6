"""Two respondents, or two runs, on the same items: the difference of what they score, item by item."""

from __future__ import annotations

import numpy as np

from polbias.eval.columns import Factor
from polbias.eval.report.document import Estimate, Scores
from polbias.eval.statistics import contrast
from polbias.eval.support import discordant


def paired(first: Scores, second: Scores) -> Scores:
    """The second's scores minus the first's, on the items that both have."""
    where = {each: place for place, each in enumerate(second.ids)}
    shared = sorted((each, place) for place, each in enumerate(first.ids) if each in where)
    own = [place for _, place in shared]
    other = [where[each] for each, _ in shared]
    difference = np.asarray(second.values)[other] - np.asarray(first.values)[own]
    return Scores([each for each, _ in shared], difference, [first.clusters[place] for place in own])


def mean_difference(scores: Scores, described: bool = False) -> Estimate:
    """The mean of differences with its interval and, unless it only describes, its p (CR2)."""
    count = len(scores.ids)
    mean = contrast(scores.values, ["all"] * count, scores.clusters, [1.0] if count else [])
    made = Estimate.over_clusters(mean, p=None if described else mean.p_value)
    return made.on_pairs(discordant(np.arange(count), scores.values, Factor.of(scores.clusters)))

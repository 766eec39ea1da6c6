"""Two respondents, or two runs, on the same items: the difference of what they score, item by item."""

from __future__ import annotations

import numpy as np

from polbias.eval.estimability import discordance
from polbias.eval.report.document import Estimate, ItemContributions
from polbias.eval.statistics import cell_mean_contrast


def paired_differences(first: ItemContributions, second: ItemContributions) -> ItemContributions:
    """The second's scores minus the first's, on the items that both have a score of."""
    rows = [(row, second_row) for row, second_row in _shared(first, second) if _scored(first, row)]
    rows = [(row, second_row) for row, second_row in rows if _scored(second, second_row)]
    ours, theirs = [row for row, _ in rows], [row for _, row in rows]
    latent = None
    if first.latent is not None and second.latent is not None:
        latent = second.latent[theirs] - first.latent[ours]
    return ItemContributions(
        [first.ids[row] for row in ours],
        np.asarray(second.values)[theirs] - np.asarray(first.values)[ours],
        [first.clusters[row] for row in ours],
        latent=latent,
    )


def count_unanswered(first: ItemContributions, second: ItemContributions) -> tuple[int, int]:
    """Number of shared items without a score of the first, and of the second."""
    rows = _shared(first, second)
    return sum(not _scored(first, row) for row, _ in rows), sum(not _scored(second, row) for _, row in rows)


def _shared(first: ItemContributions, second: ItemContributions) -> list[tuple[int, int]]:
    """The rows of the items that both were asked, in the order of their ids."""
    position = {item: row for row, item in enumerate(second.ids)}
    shared = sorted((item, row) for row, item in enumerate(first.ids) if item in position)
    return [(row, position[item]) for item, row in shared]


def _scored(scores: ItemContributions, row: int) -> bool:
    return bool(np.isfinite(scores.values[row]))


def mean_difference(scores: ItemContributions, described: bool = False) -> Estimate:
    """The mean of differences with its interval and, unless it only describes, its p (CR2)."""
    count = len(scores.ids)
    mean = cell_mean_contrast(scores.values, ["all"] * count, scores.clusters, [1.0] if count else [])
    estimate = Estimate.from_interval(mean, p=None if described else mean.p_value)
    return estimate.apply_pair_estimability(discordance(np.arange(count), scores.values, scores.clusters))


def latent_difference(scores: ItemContributions) -> Estimate | None:
    """The same on the latent scale; None where there is none."""
    if scores.latent is None or not scores.ids:
        return None
    mean = cell_mean_contrast(scores.latent, ["all"] * len(scores.ids), scores.clusters, [1.0])
    return Estimate.from_interval(mean, p=mean.p_value)

"""Paired differences of two respondents or two runs on the same items."""

from __future__ import annotations

import numpy as np

from polbias.eval.estimability import discordance
from polbias.eval.report.document import Estimate, ItemContributions
from polbias.eval.statistics import cell_mean_contrast


def paired_differences(first: ItemContributions, second: ItemContributions) -> ItemContributions:
    """Return the second's scores minus the first's, on the items with a score in both."""
    row_pairs = [
        (row, second_row) for row, second_row in _shared_rows(first, second) if _has_score(first, row)
    ]
    row_pairs = [(row, second_row) for row, second_row in row_pairs if _has_score(second, second_row)]
    first_rows, second_rows = [row for row, _ in row_pairs], [row for _, row in row_pairs]
    latent = None
    if first.latent is not None and second.latent is not None:
        latent = second.latent[second_rows] - first.latent[first_rows]
    return ItemContributions(
        [first.ids[row] for row in first_rows],
        np.asarray(second.values)[second_rows] - np.asarray(first.values)[first_rows],
        [first.clusters[row] for row in first_rows],
        latent=latent,
    )


def count_unanswered(first: ItemContributions, second: ItemContributions) -> tuple[int, int]:
    """Return the number of shared items without a score in the first, and in the second."""
    row_pairs = _shared_rows(first, second)
    return sum(not _has_score(first, row) for row, _ in row_pairs), sum(
        not _has_score(second, row) for _, row in row_pairs
    )


def _shared_rows(first: ItemContributions, second: ItemContributions) -> list[tuple[int, int]]:
    """Return the two rows of each item that both have, in the order of the ids."""
    position = {item: row for row, item in enumerate(second.ids)}
    shared = sorted((item, row) for row, item in enumerate(first.ids) if item in position)
    return [(row, position[item]) for item, row in shared]


def _has_score(scores: ItemContributions, row: int) -> bool:
    return bool(np.isfinite(scores.values[row]))


def mean_difference(scores: ItemContributions, descriptive_only: bool = False) -> Estimate:
    """Return the mean difference with its CR2 interval and, unless descriptive only, its p."""
    n_items = len(scores.ids)
    mean = cell_mean_contrast(scores.values, ["all"] * n_items, scores.clusters, [1.0] if n_items else [])
    estimate = Estimate.from_interval(mean, p=None if descriptive_only else mean.p_value)
    return estimate.apply_pair_estimability(discordance(np.arange(n_items), scores.values, scores.clusters))


def latent_difference(scores: ItemContributions) -> Estimate | None:
    """Return the mean latent difference; None without a latent scale."""
    if scores.latent is None or not scores.ids:
        return None
    mean = cell_mean_contrast(scores.latent, ["all"] * len(scores.ids), scores.clusters, [1.0])
    return Estimate.from_interval(mean, p=mean.p_value)

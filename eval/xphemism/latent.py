"""Accuracy of the compared claims, and their leaning on the latent scale."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from polbias.aliases import Floats, Indices
from polbias.eval.report.document import Estimate, latent_estimate
from polbias.eval.statistics import Contrast, cell_mean_contrast
from polbias.eval.variance_components import (
    ability_accuracy,
    discordance_interval,
    latent_contrast,
    latent_contrast_contributions,
)
from polbias.eval.xphemism.answers import FORMS
from polbias.eval.xphemism.leaning import POINTS, verdict_changes

CELLS = 4
"""Number of cells: base and exchanged form on each side."""
_COEFFICIENTS = (1.0, -1.0, -1.0, 1.0)
"""Contrast of the cells (base left, base right, exchanged left, exchanged right): change right minus left."""


def select_compared(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the claims with a shift to a side and a verdict on both forms."""
    return pairs[pairs["change"].notna() & (pairs["shift"] != 0)]


def accuracy(rows: pd.DataFrame) -> Contrast:
    """Return the accuracy over both forms, a fraction; the sides have equal weights."""
    side = pd.Categorical(rows["shift"].to_numpy(), [-1, 1])
    return cell_mean_contrast(_correct(rows), side, rows["component"], [0.5, 0.5], bounds=(0.0, 1.0))


def largest_leaning(share: float) -> float:
    """Return the largest leaning possible at an accuracy, in points: all errors may be in one cell."""
    return POINTS * CELLS * (1 - share)


def latent_leaning(rows: pd.DataFrame, is_loglikelihood: bool = False) -> Estimate:
    """Return the leaning of the compared claims on the probit scale, stratified by gold label.

    It is the probit of "true" for the exchanged minus the base form, on the right minus on the left. For
    generated answers its interval is the wider of two: the jackknife interval over components, and twice the
    interval from the claims whose verdict changes (they give the shift of one side, half of the difference).
    For log-likelihoods it is the jackknife interval.
    """
    forms = _forms(rows)
    clusters = np.tile(rows["component"].cat.codes, 2)
    shift = latent_contrast(forms.true, forms.weights, forms.cells, _COEFFICIENTS, clusters, forms.gold)
    if is_loglikelihood:
        return latent_estimate(shift)
    signed_changes, n_wrong = (
        rows["shift"].to_numpy() * verdict_changes(rows),
        float((1 - _correct(rows)).sum()),
    )
    ability = ability_accuracy(2 * n_wrong, 2 * len(rows))
    n_right, n_left = (int(np.count_nonzero(signed_changes == side)) for side in (1, -1))
    low, high = discordance_interval(n_right, n_left, ability)
    return latent_estimate(shift, (2 * low, 2 * high))


def latent_influence(rows: pd.DataFrame) -> Floats:
    """Return the contribution of each compared claim to :func:`latent_leaning`, shape ``(n,)``."""
    forms = _forms(rows)
    contributions = latent_contrast_contributions(
        forms.true, forms.weights, forms.cells, _COEFFICIENTS, forms.gold
    )
    influence: Floats = contributions.reshape(2, -1).sum(axis=0)
    return influence


class _BaseAndExchange(NamedTuple):
    """Share of "true", weight, cell and gold label of the base forms, then of the exchanged forms."""

    true: Floats
    weights: Floats
    cells: Indices
    gold: Indices


def _forms(rows: pd.DataFrame) -> _BaseAndExchange:
    side = (rows["shift"] > 0).to_numpy(np.intp)
    n_by_side = np.bincount(side, minlength=2)
    return _BaseAndExchange(
        np.concatenate([rows[f"{form}_truth"] for form in FORMS]),
        np.tile(1 / n_by_side[side], 2),
        np.concatenate([side, 2 + side]),
        np.tile(rows["gold"], 2),
    )


def _correct(rows: pd.DataFrame) -> Floats:
    """Return the share of right verdicts on both forms of each claim."""
    base, exchange = (rows[f"{form}_truth"].to_numpy() for form in FORMS)
    true: Floats = (base + exchange) / 2
    return np.where(rows["gold"].to_numpy() == 1, true, 1 - true)

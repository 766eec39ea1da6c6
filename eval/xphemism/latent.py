"""Accuracy of the claims that are compared, and their leaning on the latent scale."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from polbias.aliases import Floats, Indices
from polbias.eval.answer_table import CodedColumn
from polbias.eval.report.document import Estimate, latent_estimate
from polbias.eval.statistics import Contrast, contrast
from polbias.eval.variance_components import (
    ability_accuracy,
    discordance_interval,
    latent_contrast,
    latent_contrast_contributions,
)
from polbias.eval.xphemism.leaning import POINTS, turned
from polbias.eval.xphemism.regression import ShiftAxis, shifted_on
from polbias.eval.xphemism.schema import ClaimPairAnswers

CELLS = 4
"""Base and exchanged form of the claims of either side."""
_COEFFICIENTS = (1.0, -1.0, -1.0, 1.0)
"""Of base and exchanged form, left and right in each: the change on the right minus that on the left."""


def compared(records: ClaimPairAnswers, axis: ShiftAxis) -> ClaimPairAnswers:
    """Return the claims that lean to a side and have a verdict on both forms."""
    rows = shifted_on(records, axis)
    return rows.select(rows.known & (rows.shift != 0))


def accuracy(rows: ClaimPairAnswers) -> Contrast:
    """Return the share of right verdicts on both forms, a fraction; either side weighs alike."""
    side = CodedColumn((rows.shift > 0).astype(np.intp), ("left", "right"))
    return contrast(_right(rows), side, rows.cluster, [0.5, 0.5], bounds=(0.0, 1.0))


def attainable(share: float) -> float:
    """Return the largest leaning in points at an accuracy: each of the cells may hold all the errors."""
    return POINTS * CELLS * (1 - share)


def latent_leaning(rows: ClaimPairAnswers, scored: bool = False) -> Estimate:
    """Return the leaning of the claims that are compared on the probit scale, true and false ones apart.

    It is the probit of "true" for the exchanged form less that for the base form, on the right minus on the
    left. Its interval is the wider of that of the jackknife over components and, for answers in words, of the
    claims whose verdict changes: these bear the shift of one side, half of the difference.
    """
    forms = _forms(rows)
    clusters = CodedColumn(np.tile(rows.cluster.codes, 2), rows.cluster.levels)
    shift = latent_contrast(forms.true, forms.weights, forms.cells, _COEFFICIENTS, clusters, forms.gold)
    if scored:
        return latent_estimate(shift)
    toward, wrong = rows.shift * turned(rows), float((1 - _right(rows)).sum())
    ability = ability_accuracy(2 * wrong, 2 * rows.n)
    right, left = (int(np.count_nonzero(toward == side)) for side in (1, -1))
    low, high = discordance_interval(right, left, ability)
    return latent_estimate(shift, (2 * low, 2 * high))


def latent_influence(rows: ClaimPairAnswers) -> Floats:
    """Return what each claim that is compared adds to :func:`latent_leaning`, shape ``(n,)``."""
    forms = _forms(rows)
    parts = latent_contrast_contributions(forms.true, forms.weights, forms.cells, _COEFFICIENTS, forms.gold)
    influence: Floats = parts.reshape(2, -1).sum(axis=0)
    return influence


class _BaseAndExchange(NamedTuple):
    """Base forms of claims, then exchanged ones: share of "true", weight, cell and gold label of each."""

    true: Floats
    weights: Floats
    cells: Indices
    gold: Indices


def _forms(rows: ClaimPairAnswers) -> _BaseAndExchange:
    side = (rows.shift > 0).astype(np.intp)
    sizes = np.bincount(side, minlength=2)
    return _BaseAndExchange(
        np.concatenate([rows.base_truth, rows.exchange_truth]),
        np.tile(1 / sizes[side], 2),
        np.concatenate([side, 2 + side]),
        np.tile(rows.gold.astype(np.intp), 2),
    )


def _right(rows: ClaimPairAnswers) -> Floats:
    """Share of right verdicts on both forms of each claim."""
    true = (rows.base_truth + rows.exchange_truth) / 2
    return np.where(rows.gold == 1, true, 1 - true)

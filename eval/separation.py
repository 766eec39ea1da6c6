"""Which coefficients of a logistic regression have a finite estimate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polbias.aliases import Booleans, Floats, Indices

_TOLERANCE = 1e-7


@dataclass(frozen=True)
class EstimableTerms:
    """What of a regression can be estimated.

    Args:
        rows: True for the rows that stay uncertain when the likelihood is driven to its supremum; the others
            are predicted perfectly, shape ``(n,)``.
        varying: True for the coefficients that the design tells apart from the others, shape ``(k,)``.
        finite: True for those that have a finite estimate as well, shape ``(k,)``.
    """

    rows: Booleans
    varying: Booleans
    finite: Booleans


def find_estimable_terms(design: Floats, successes: Floats, trials: Floats) -> EstimableTerms:
    """Find what of a logistic regression with binomial rows has a finite maximum-likelihood estimate.

    A direction in which no row loses likelihood and some gain it has no maximum. Rows that gain are predicted
    perfectly in the limit and say no more about the rest; they are set aside until no such direction is left.
    The estimate of a coefficient is finite exactly if the rows that stay determine it, and is what they give.

    Source:
        Albert and Anderson, "On the existence of maximum likelihood estimates in logistic regression models"
        (1984); the linear program: Konis, "Linear programming algorithms for detecting separated data in
        binary logistic regression models" (2007).
    """
    keep = np.ones(len(design), bool)
    while keep.any():
        gaining = _gaining(design[keep], successes[keep], trials[keep])
        if not gaining.any():
            break
        keep[np.flatnonzero(keep)[gaining]] = False
    return EstimableTerms(keep, identified_columns(design), identified_columns(design[keep]))


def identified_columns(design: Floats) -> Booleans:
    """Find the coefficients that a linear predictor determines."""
    width = design.shape[1]
    if not len(design):
        return np.zeros(width, bool)
    _, sizes, directions = np.linalg.svd(_compact(design), full_matrices=True)
    rank = int((sizes > _TOLERANCE * sizes[0]).sum()) if sizes[0] else 0
    found: Booleans = (np.abs(directions[rank:]) < _TOLERANCE).all(axis=0)
    return found


def independent_columns(design: Floats) -> list[int]:
    """Choose columns that span the same space, earlier ones first."""
    chosen: list[int] = []
    compact = _compact(design)
    for column in range(design.shape[1] if len(design) else 0):
        if np.linalg.matrix_rank(compact[:, [*chosen, column]], rtol=_TOLERANCE) > len(chosen):
            chosen.append(column)
    return chosen


def _compact(design: Floats) -> Floats:
    """As few rows as columns, with the same relations between the columns."""
    compact: Floats = np.linalg.qr(design).R
    return compact


def _gaining(design: Floats, successes: Floats, trials: Floats) -> Booleans:
    """Rows that gain likelihood without end in a direction in which no row loses any."""
    from scipy.optimize import linprog

    signs = np.where(successes == trials, 1.0, np.where(successes == 0, -1.0, 0.0))
    same, first, mixed = _distinct(design, signs)
    toward = same * first[:, None]
    if np.linalg.matrix_rank(same[first == 0]) == np.linalg.matrix_rank(same):  # no direction is left
        return np.zeros(len(design), bool)
    found = linprog(
        -toward.sum(axis=0),
        A_ub=-toward[first != 0],
        b_ub=np.zeros(int((first != 0).sum())),
        A_eq=same[first == 0] if (first == 0).any() else None,
        b_eq=np.zeros(int((first == 0).sum())) if (first == 0).any() else None,
        bounds=(-1, 1),
        method="highs",
    )
    gain = (toward @ found.x)[mixed] if found.status == 0 else np.zeros(len(design))
    gaining: Booleans = gain > _TOLERANCE
    return gaining


def _distinct(design: Floats, signs: Floats) -> tuple[Floats, Floats, Indices]:
    """Distinct rows, the sign of each (0 where rows alike differ in it), and which of them each row is."""
    rows, index = np.unique(design, axis=0, return_inverse=True)
    index = index.reshape(-1)
    highest, lowest = np.full(len(rows), -1.0), np.full(len(rows), 1.0)
    np.maximum.at(highest, index, signs)
    np.minimum.at(lowest, index, signs)
    return rows, np.where(highest == lowest, highest, 0.0), index

"""Detection of separation: coefficients of a logistic regression with a finite estimate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polbias.aliases import Booleans, Floats, Indices

_TOLERANCE = 1e-7


@dataclass(frozen=True)
class EstimableTerms:
    """Rows and coefficients of a regression that can be estimated.

    Args:
        rows: True for rows that stay uncertain as the likelihood approaches its supremum; all others are
            predicted perfectly, shape ``(n,)``.
        varying: True for coefficients that the design identifies, shape ``(k,)``.
        finite: True for identified coefficients with a finite estimate, shape ``(k,)``.
    """

    rows: Booleans
    varying: Booleans
    finite: Booleans


def find_estimable_terms(design: Floats, successes: Floats, trials: Floats) -> EstimableTerms:
    """Find the rows and coefficients of a binomial logistic regression with a finite ML estimate.

    A direction in which no row loses likelihood and some gain has no maximum. Rows that gain are predicted
    perfectly in the limit and carry no further information; they are removed until no such direction remains.
    A coefficient has a finite estimate exactly if the remaining rows identify it.

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
    """Whether the linear predictor identifies each coefficient, shape ``(k,)``."""
    width = design.shape[1]
    if not len(design):
        return np.zeros(width, bool)
    _, sizes, directions = np.linalg.svd(_compact(design), full_matrices=True)
    rank = int((sizes > _TOLERANCE * sizes[0]).sum()) if sizes[0] else 0
    is_identified: Booleans = (np.abs(directions[rank:]) < _TOLERANCE).all(axis=0)
    return is_identified


def independent_columns(design: Floats) -> list[int]:
    """Return the indices of columns that span the same space, preferring earlier ones."""
    selected: list[int] = []
    compact = _compact(design)
    for column in range(design.shape[1] if len(design) else 0):
        if np.linalg.matrix_rank(compact[:, [*selected, column]], rtol=_TOLERANCE) > len(selected):
            selected.append(column)
    return selected


def _compact(design: Floats) -> Floats:
    """Reduce a design to as few rows as columns, with the same linear relations between columns."""
    compact: Floats = np.linalg.qr(design).R
    return compact


def _gaining(design: Floats, successes: Floats, trials: Floats) -> Booleans:
    """Whether each row gains likelihood without limit in a direction in which no row loses any."""
    from scipy.optimize import linprog

    signs = np.where(successes == trials, 1.0, np.where(successes == 0, -1.0, 0.0))
    rows, first, mixed = _distinct(design, signs)
    toward = rows * first[:, None]
    if np.linalg.matrix_rank(rows[first == 0]) == np.linalg.matrix_rank(rows):  # no direction remains
        return np.zeros(len(design), bool)
    solution = linprog(
        -toward.sum(axis=0),
        A_ub=-toward[first != 0],
        b_ub=np.zeros(int((first != 0).sum())),
        A_eq=rows[first == 0] if (first == 0).any() else None,
        b_eq=np.zeros(int((first == 0).sum())) if (first == 0).any() else None,
        bounds=(-1, 1),
        method="highs",
    )
    gain = (toward @ solution.x)[mixed] if solution.status == 0 else np.zeros(len(design))
    gaining: Booleans = gain > _TOLERANCE
    return gaining


def _distinct(design: Floats, signs: Floats) -> tuple[Floats, Floats, Indices]:
    """Return distinct rows, the sign of each (0 if equal rows differ in it), and the index of each row's."""
    rows, index = np.unique(design, axis=0, return_inverse=True)
    index = index.reshape(-1)
    highest, lowest = np.full(len(rows), -1.0), np.full(len(rows), 1.0)
    np.maximum.at(highest, index, signs)
    np.minimum.at(lowest, index, signs)
    return rows, np.where(highest == lowest, highest, 0.0), index

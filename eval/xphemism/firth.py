"""Penalised logistic regression, whose estimates stay finite where answers are separated."""

from __future__ import annotations

import math

import numpy as np

from polbias.aliases import Floats
from polbias.eval.separation import determined, independent
from polbias.eval.xphemism.regression import Design

_TOLERANCE = 1e-6

Columns = Floats


def firth(design: Design) -> dict[str, float]:
    """Estimate a logistic regression with Firth's penalty (Jeffreys' prior).

    A claim counts as one observation, however many runs it has: runs repeat each other nearly always, and a
    penalty that took them for independent would be too weak by their number. Trials are therefore scaled to
    1 in the mean; without the penalty that changes no estimate.

    Args:
        design: The regression, with one binomial row per claim.

    Returns:
        Estimate by term, in logits; NaN for a term that does not vary, and for all without rows.

    Source:
        Firth, "Bias reduction of maximum likelihood estimates" (1993); for separation: Heinze and Schemper,
        "A solution to the problem of separation in logistic regression" (2002).
    """
    estimates = dict.fromkeys(design.terms, math.nan)
    if not design.n:
        return estimates
    from scipy.optimize import minimize, root

    chosen = independent(design.columns)
    columns, scale = design.columns[:, chosen], float(design.trials.mean())
    successes, trials = design.successes / scale, design.trials / scale
    arguments = (columns, successes, trials)
    rough = minimize(_objective, np.zeros(len(chosen)), arguments, method="BFGS", jac=True)
    # minimising ends where the likelihood is flat to the last digit; the root of its slope is sharper
    exact = root(lambda beta: _objective(beta, *arguments)[1], rough.x, tol=1e-12)
    if np.abs(exact.fun).max() < _TOLERANCE:
        known = determined(design.columns)
        for value, index in zip(exact.x, chosen, strict=True):
            if known[index]:
                estimates[design.terms[index]] = float(value)
    return estimates


def _objective(beta: Columns, columns: Columns, successes: Columns, trials: Columns) -> tuple[float, Columns]:
    """The penalised log-likelihood and its slope, both negated.

    The slope is X'(k - n p + h (1/2 - p)), with h the leverages of the weighted design.
    """
    linear = columns @ beta
    share = 1 / (1 + np.exp(-np.clip(linear, -500, 500)))
    weighted = np.sqrt(trials * share * (1 - share))[:, None] * columns
    basis, triangle = np.linalg.qr(weighted)
    leverage = (basis**2).sum(axis=1)
    with np.errstate(divide="ignore"):
        penalty = float(np.log(np.abs(np.diag(triangle))).sum())  # half of the log determinant
    likelihood = float(successes @ linear - trials @ np.logaddexp(0, linear))
    slope = columns.T @ (successes - trials * share + leverage * (0.5 - share))
    return -(likelihood + penalty), -slope

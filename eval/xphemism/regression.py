"""Logistic regression with statsmodels: plain or clustered errors, and a note where there is no estimate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from polbias.aliases import Booleans, Floats
from polbias.eval.columns import Factor
from polbias.eval.separation import independent, support
from polbias.eval.xphemism.libraries import statsmodels

_TOLERANCE = 1e-10
_ITERATIONS = 200


@dataclass(frozen=True, eq=False, slots=True)
class Design:
    """A logistic regression to fit.

    Args:
        successes: Answers "true" of each row, shape ``(n,)``.
        trials: Answers that are a verdict, at least 1 a row, shape ``(n,)``.
        columns: Values of each term, the intercept first, shape ``(n, k)``.
        terms: Names of the columns.
        clusters: Cluster of each row.
    """

    successes: Floats
    trials: Floats
    columns: Floats
    terms: tuple[str, ...]
    clusters: Factor

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.successes)

    @property
    def groups(self) -> int:
        """Number of clusters that have rows."""
        return int(np.unique(self.clusters.codes).size)


@dataclass(frozen=True, slots=True)
class Fit:
    """Estimates by term, in logits.

    Args:
        coef: Estimate of each term; NaN where there is none.
        se: Its standard error.
        p: Two-sided p of the normal test that it is 0.
        note: Why an estimate is missing, by term.
    """

    coef: dict[str, float]
    se: dict[str, float]
    p: dict[str, float]
    note: dict[str, str]


def fit(design: Design, clustered: bool) -> Fit:
    """Estimate a logistic regression by maximum likelihood.

    Args:
        design: The regression.
        clustered: CR1 errors over clusters, G / (G - 1) * (n - 1) / (n - k) times the sandwich; else those of
            the information matrix, which take all rows for independent. The test is normal in both.

    Returns:
        The estimates. A term that does not vary, or whose estimate is infinite because answers are separated,
        has none and a note; those of the other terms are their limits, from the rows that are not
        predicted perfectly.

    Raises:
        PolbiasError: If statsmodels is not installed.

    Source:
        Jakob et al. (2025), Eq. 1; clustered errors: Liang and Zeger (1986), as in statsmodels.
    """
    missing = dict.fromkeys(design.terms, np.nan)
    empty = Fit({**missing}, {**missing}, {**missing}, {})
    if not design.n:
        return _noted(empty, "no answer that is a verdict on both claims")
    found = support(design.columns, design.successes, design.trials)
    rows, chosen = found.rows, independent(design.columns[found.rows])
    for index, term in enumerate(design.terms):
        if not found.varying[index]:
            empty.note[term] = "not told apart from the other terms"
        elif not found.finite[index]:
            empty.note[term] = "no finite estimate: answers are separated"
    if not found.finite.any():
        return empty
    groups = int(np.unique(design.clusters.codes[rows]).size)
    if clustered and groups <= len(chosen):
        return _noted(empty, f"{groups} clusters, expected more than {len(chosen)} terms")
    result = _estimate(design, rows, chosen, clustered)
    if result is None:
        return _noted(empty, "did not converge")
    for position, index in enumerate(chosen):
        if found.finite[index]:
            term = design.terms[index]
            empty.coef[term] = float(result.params[position])
            empty.se[term] = float(result.bse[position])
            empty.p[term] = float(result.pvalues[position])
            if not rows.all():
                empty.note[term] = f"{int((~rows).sum())} rows predicted perfectly by other terms set aside"
    return empty


def _estimate(design: Design, rows: Booleans, chosen: list[int], clustered: bool) -> Any:
    """The result of statsmodels, None if it does not converge."""
    api = statsmodels()
    successes, trials = design.successes[rows], design.trials[rows]
    model = api.GLM(
        np.column_stack([successes, trials - successes]),
        design.columns[rows][:, chosen],
        family=api.families.Binomial(),
    )
    codes = np.unique(design.clusters.codes[rows], return_inverse=True)[1].reshape(-1)
    errors = {"cov_type": "cluster", "cov_kwds": {"groups": codes}} if clustered else {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = model.fit(maxiter=_ITERATIONS, tol=_TOLERANCE, tol_criterion="params", **errors)
        except (ValueError, np.linalg.LinAlgError, FloatingPointError):
            return None
    fine = result.converged and np.isfinite(result.params).all() and np.isfinite(result.bse).all()
    return result if fine else None


def _noted(fitted: Fit, note: str) -> Fit:
    for term in fitted.coef:
        fitted.note.setdefault(term, note)
    return fitted

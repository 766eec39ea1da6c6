"""Regressions of the verdict on wording."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from polbias.aliases import Booleans, Floats, Indices
from polbias.eval.separation import find_estimable_terms, independent_columns
from polbias.eval.xphemism.answers import ARMS, AXES, select_answered
from polbias.optional import LazyModule

genmod = LazyModule("statsmodels.genmod.api")

# Logistic regression with statsmodels: plain or clustered errors, and a note for each missing estimate.

_TOLERANCE = 1e-10
_MAX_ITERATIONS = 200


@dataclass(frozen=True, eq=False)
class RegressionDesign:
    """Logistic regression to fit.

    Args:
        successes: Number of answers "true" per row, shape ``(n,)``.
        trials: Number of verdicts per row, at least 1, shape ``(n,)``.
        columns: Values of each term, the intercept first, shape ``(n, k)``.
        terms: Names of the columns.
        clusters: Cluster code of each row, shape ``(n,)``.
    """

    successes: Floats
    trials: Floats
    columns: Floats
    terms: tuple[str, ...]
    clusters: Indices

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.successes)

    @property
    def n_clusters(self) -> int:
        """Number of clusters with rows."""
        return np.unique(self.clusters).size


@dataclass(frozen=True)
class LogitFit:
    """Estimates by term, in logits.

    Args:
        coef: Estimate of each term; NaN if missing.
        se: Its standard error.
        p: Two-sided p of the normal test that it is 0.
        note: Reason for a missing estimate, by term.
    """

    coef: dict[str, float]
    se: dict[str, float]
    p: dict[str, float]
    note: dict[str, str]


def fit_logit(design: RegressionDesign, clustered: bool) -> LogitFit:
    """Estimate a logistic regression by maximum likelihood.

    Source:
        Jakob et al. (2025), Eq. 1; clustered errors: Liang and Zeger (1986), as in statsmodels.
    """
    missing = dict.fromkeys(design.terms, np.nan)
    empty = LogitFit({**missing}, {**missing}, {**missing}, {})
    if not design.n:
        return _fill_notes(empty, "no answer that is a verdict on both claims")
    estimable_terms = find_estimable_terms(design.columns, design.successes, design.trials)
    rows, columns = estimable_terms.rows, independent_columns(design.columns[estimable_terms.rows])
    for index, term in enumerate(design.terms):
        if not estimable_terms.varying[index]:
            empty.note[term] = "not told apart from the other terms"
        elif not estimable_terms.finite[index]:
            empty.note[term] = "no finite estimate: answers are separated"
    if not estimable_terms.finite.any():
        return empty
    n_clusters = np.unique(design.clusters[rows]).size
    if clustered and n_clusters <= len(columns):
        return _fill_notes(empty, f"{n_clusters} clusters, expected more than {len(columns)} terms")
    result = _estimate(design, rows, columns, clustered)
    if result is None:
        return _fill_notes(empty, "did not converge")
    for position, index in enumerate(columns):
        if estimable_terms.finite[index]:
            term = design.terms[index]
            empty.coef[term] = float(result.params[position])
            empty.se[term] = float(result.bse[position])
            empty.p[term] = float(result.pvalues[position])
            if not rows.all():
                empty.note[term] = f"{int((~rows).sum())} rows predicted perfectly by other terms set aside"
    return empty


def _estimate(design: RegressionDesign, rows: Booleans, columns: list[int], clustered: bool) -> Any:
    """Return the fit of statsmodels; None if it does not converge."""
    successes, trials = design.successes[rows], design.trials[rows]
    model = genmod.GLM(
        np.column_stack([successes, trials - successes]),
        design.columns[rows][:, columns],
        family=genmod.families.Binomial(),
    )
    codes = np.unique(design.clusters[rows], return_inverse=True)[1]
    errors = {"cov_type": "cluster", "cov_kwds": {"groups": codes}} if clustered else {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = model.fit(maxiter=_MAX_ITERATIONS, tol=_TOLERANCE, tol_criterion="params", **errors)
        except (ValueError, np.linalg.LinAlgError, FloatingPointError):
            return None
    is_valid = result.converged and np.isfinite(result.params).all() and np.isfinite(result.bse).all()
    return result if is_valid else None


def _fill_notes(fit: LogitFit, note: str) -> LogitFit:
    for term in fit.coef:
        fit.note.setdefault(term, note)
    return fit


# Eq. 1 in two modes, which differ in rows and errors. "paper": a row is an answer, errors are plain.
# "corrected": a row is a claim (k "true" of its verdicts), errors are CR1 over components of word pairs.

RegressionMode: TypeAlias = Literal["paper", "corrected"]
ShiftAxis: TypeAlias = Literal["both", "social", "economic"]

DIMENSIONS: tuple[ShiftAxis, ...] = ("both", "social", "economic")
TERMS = ("axis", "judgmental_base", "judgmental_exchange", "shift")
"""Reported terms, in the order of Table 3; the regression also has an intercept, the gold label and the mean
verdict on the base claim."""


def select_axis(pairs: pd.DataFrame, axis: ShiftAxis) -> pd.DataFrame:
    """Return the pairs with a shifted word on an axis; "both" is social or economic."""
    codes, arms = pairs["axis"].array.codes, pairs["arm"].array.codes
    is_on_axis = codes != AXES.index("none") if axis == "both" else codes == AXES.index(axis)
    return pairs[is_on_axis & (arms == ARMS.index("shifted"))]


def regression_design(claims: pd.DataFrame, axis: ShiftAxis, mode: RegressionMode) -> RegressionDesign:
    """Return the regression of a mode for the pairs of one model, prompt and language.

    The pairs have a verdict on both forms. In both modes the base claim enters as its share of "true" among
    the runs with a verdict.

    Source:
        Jakob et al. (2025), section 4.2, Eq. 1.
    """
    rows = select_axis(claims, axis)
    columns = {
        "intercept": np.ones(len(rows)),
        "gold": rows["gold"],
        "base_truth": rows["base_truth"],
        "judgmental_base": rows["judgmental_base"],
        "judgmental_exchange": rows["judgmental_exchange"],
        "shift": rows["shift"],
    }
    if axis == "both":
        columns["axis"] = rows["axis"] == "social"
    by_claim = RegressionDesign(
        successes=rows["exchange_true"].to_numpy(np.float64),
        trials=(rows["exchange_true"] + rows["exchange_false"]).to_numpy(np.float64),
        columns=np.column_stack([np.asarray(values, np.float64) for values in columns.values()]),
        terms=tuple(columns),
        clusters=rows["component"].cat.codes.to_numpy(),
    )
    return by_claim if mode == "corrected" else _expand_to_answers(by_claim)


def _expand_to_answers(claims: RegressionDesign) -> RegressionDesign:
    """Return the design with a row per answer instead of a row per claim."""
    n_answers = claims.trials.astype(np.intp)
    index = np.repeat(np.arange(claims.n), n_answers)
    position = np.arange(index.size) - np.repeat(np.cumsum(n_answers) - n_answers, n_answers)
    return RegressionDesign(
        successes=(position < claims.successes[index]).astype(np.float64),
        trials=np.ones(index.size),
        columns=claims.columns[index],
        terms=claims.terms,
        clusters=claims.clusters[index],
    )


# Coefficients of Eq. 1 for every prompt and axis (Table 3, and the corrected version).


@dataclass(frozen=True)
class Coefficient:
    """Coefficient of Eq. 1.

    Args:
        prompt: simple or objective.
        instruction_language: Language of the instruction.
        axis: Pairs in the regression: both, social or economic.
        term: axis (social against economic; with both axes only), judgmental_base, judgmental_exchange or
            shift.
        coef: Estimate in logits; NaN if missing. A positive shift favours the right.
        se: Its standard error.
        p: Two-sided p of the normal test that it is 0.
        n: Number of rows in the regression: answers, or claims in the mode "corrected".
        clusters: Number of their components of word pairs.
        low: Lower end of the normal 95% interval.
        high: Upper end.
        note: Reason for a missing estimate, or the number of excluded rows; else empty.
    """

    prompt: str
    instruction_language: str
    axis: ShiftAxis
    term: str
    coef: float
    se: float
    p: float
    n: int
    clusters: int
    low: float
    high: float
    note: str


def coefficients(pairs: pd.DataFrame, mode: RegressionMode = "corrected") -> Iterator[Coefficient]:
    """Estimate Eq. 1 of one model for every prompt, language and axis.

    Source:
        Jakob et al. (2025), Table 3.
    """
    for (prompt, language), rows in pairs.groupby(["prompt", "instruction_language"], observed=True):
        claims = select_answered(rows)
        for axis in DIMENSIONS:
            regression = regression_design(claims, axis, mode)
            fit = fit_logit(regression, mode == "corrected")
            for term in TERMS:
                if term in regression.terms:
                    coef, margin = fit.coef[term], _NORMAL_QUANTILE * fit.se[term]
                    yield Coefficient(
                        prompt, language, axis, term, coef, fit.se[term], fit.p[term], regression.n,
                        regression.n_clusters, coef - margin, coef + margin, fit.note.get(term, ""),
                    )  # fmt: skip


_NORMAL_QUANTILE = 1.959963984540054  # the .975 quantile

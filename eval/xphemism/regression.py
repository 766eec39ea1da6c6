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

genmod = LazyModule("statsmodels.genmod.api", "eval")

# Logistic regression with statsmodels: plain or clustered errors, and a note where there is no estimate.

_TOLERANCE = 1e-10
_ITERATIONS = 200


@dataclass(frozen=True, eq=False)
class RegressionDesign:
    """A logistic regression to fit.

    Args:
        successes: Answers "true" of each row, shape ``(n,)``.
        trials: Answers that are a verdict, at least 1 a row, shape ``(n,)``.
        columns: Values of each term, the intercept first, shape ``(n, k)``.
        terms: Names of the columns.
        clusters: Code of the cluster of each row, shape ``(n,)``.
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
        """Number of clusters that have rows."""
        return np.unique(self.clusters).size


@dataclass(frozen=True)
class LogitFit:
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


def fit_logit(design: RegressionDesign, clustered: bool) -> LogitFit:
    """Estimate a logistic regression by maximum likelihood.

    Source:
        Jakob et al. (2025), Eq. 1; clustered errors: Liang and Zeger (1986), as in statsmodels.
    """
    missing = dict.fromkeys(design.terms, np.nan)
    empty = LogitFit({**missing}, {**missing}, {**missing}, {})
    if not design.n:
        return _noted(empty, "no answer that is a verdict on both claims")
    found = find_estimable_terms(design.columns, design.successes, design.trials)
    rows, chosen = found.rows, independent_columns(design.columns[found.rows])
    for index, term in enumerate(design.terms):
        if not found.varying[index]:
            empty.note[term] = "not told apart from the other terms"
        elif not found.finite[index]:
            empty.note[term] = "no finite estimate: answers are separated"
    if not found.finite.any():
        return empty
    n_clusters = np.unique(design.clusters[rows]).size
    if clustered and n_clusters <= len(chosen):
        return _noted(empty, f"{n_clusters} clusters, expected more than {len(chosen)} terms")
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


def _estimate(design: RegressionDesign, rows: Booleans, chosen: list[int], clustered: bool) -> Any:
    """The result of statsmodels, None if it does not converge."""
    successes, trials = design.successes[rows], design.trials[rows]
    model = genmod.GLM(
        np.column_stack([successes, trials - successes]),
        design.columns[rows][:, chosen],
        family=genmod.families.Binomial(),
    )
    codes = np.unique(design.clusters[rows], return_inverse=True)[1]
    errors = {"cov_type": "cluster", "cov_kwds": {"groups": codes}} if clustered else {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = model.fit(maxiter=_ITERATIONS, tol=_TOLERANCE, tol_criterion="params", **errors)
        except (ValueError, np.linalg.LinAlgError, FloatingPointError):
            return None
    fine = result.converged and np.isfinite(result.params).all() and np.isfinite(result.bse).all()
    return result if fine else None


def _noted(fitted: LogitFit, note: str) -> LogitFit:
    for term in fitted.coef:
        fitted.note.setdefault(term, note)
    return fitted


# Eq. 1 in two modes, which differ in rows and errors. "paper": a row is an answer, errors are plain.
# "corrected": a row is a claim (k "true" of its verdicts), errors are CR1 over components of word pairs.

RegressionMode: TypeAlias = Literal["paper", "corrected"]
ShiftAxis: TypeAlias = Literal["both", "social", "economic"]

DIMENSIONS: tuple[ShiftAxis, ...] = ("both", "social", "economic")
TERMS = ("axis", "judgmental_base", "judgmental_exchange", "shift")
"""The terms that are reported, in the order of Table 3; beside them there are the intercept, the gold label
and the mean verdict on the base claim."""


def select_axis(pairs: pd.DataFrame, axis: ShiftAxis) -> pd.DataFrame:
    """Return the rows with a shifted word whose pair is on an axis; "both" is the social and the economic."""
    codes, arms = pairs["axis"].array.codes, pairs["arm"].array.codes
    is_on_axis = codes != AXES.index("none") if axis == "both" else codes == AXES.index(axis)
    return pairs[is_on_axis & (arms == ARMS.index("shifted"))]


def regression_design(claims: pd.DataFrame, axis: ShiftAxis, mode: RegressionMode) -> RegressionDesign:
    """Set up the regression of a mode for the pairs of one model, prompt and language.

    The pairs have a verdict on both forms. In every mode the mean over the runs that have one stands for the
    base claim.

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
    return by_claim if mode == "corrected" else _exploded(by_claim)


def _exploded(claims: RegressionDesign) -> RegressionDesign:
    """One row per answer in place of one per claim."""
    sizes = claims.trials.astype(np.intp)
    index = np.repeat(np.arange(claims.n), sizes)
    order = np.arange(index.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return RegressionDesign(
        successes=(order < claims.successes[index]).astype(np.float64),
        trials=np.ones(index.size),
        columns=claims.columns[index],
        terms=claims.terms,
        clusters=claims.clusters[index],
    )


# The coefficients of Eq. 1 for every prompt and axis (Table 3, and what is right).


@dataclass(frozen=True)
class Coefficient:
    """One coefficient of Eq. 1.

    Args:
        prompt: simple or objective.
        instruction_language: Language of the instruction.
        axis: both, social or economic: the pairs that were taken.
        term: axis (social against economic; with both axes only), judgmental_base, judgmental_exchange or
            shift.
        coef: Estimate in logits; NaN where there is none. A positive shift favours the right.
        se: Its standard error.
        p: Two-sided p of the normal test that it is 0.
        n: Rows of the regression: answers, or claims in the mode "corrected".
        clusters: Components of word pairs among them.
        low: Lower end of the normal 95% interval.
        high: Upper end.
        note: Why there is no estimate, or what was set aside; empty as a rule.
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
                    coef, half = fit.coef[term], _NORMAL * fit.se[term]
                    yield Coefficient(
                        prompt, language, axis, term, coef, fit.se[term], fit.p[term], regression.n,
                        regression.n_clusters, coef - half, coef + half, fit.note.get(term, ""),
                    )  # fmt: skip


_NORMAL = 1.959963984540054  # the .975 quantile

"""Regressions of the verdict on wording."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Floats
from polbias.eval.answer_table import CodedColumn, Level
from polbias.eval.separation import independent, support
from polbias.eval.xphemism.schema import AXES, ClaimPairAnswers, ClaimPairRows
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
        clusters: Cluster of each row.
    """

    successes: Floats
    trials: Floats
    columns: Floats
    terms: tuple[str, ...]
    clusters: CodedColumn

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.successes)

    @property
    def groups(self) -> int:
        """Number of clusters that have rows."""
        return self.clusters.distinct


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
    found = support(design.columns, design.successes, design.trials)
    rows, chosen = found.rows, independent(design.columns[found.rows])
    for index, term in enumerate(design.terms):
        if not found.varying[index]:
            empty.note[term] = "not told apart from the other terms"
        elif not found.finite[index]:
            empty.note[term] = "no finite estimate: answers are separated"
    if not found.finite.any():
        return empty
    groups = design.clusters.select(rows).distinct
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


def _estimate(design: RegressionDesign, rows: Booleans, chosen: list[int], clustered: bool) -> Any:
    """The result of statsmodels, None if it does not converge."""
    successes, trials = design.successes[rows], design.trials[rows]
    model = genmod.GLM(
        np.column_stack([successes, trials - successes]),
        design.columns[rows][:, chosen],
        family=genmod.families.Binomial(),
    )
    codes = design.clusters.select(rows).compact().codes
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


def shifted_on(records: ClaimPairAnswers, axis: ShiftAxis) -> ClaimPairAnswers:
    """Return the rows with a shifted word whose pair is on an axis; "both" is the social and the economic."""
    mine = records.axis != 0 if axis == "both" else records.axis == AXES.index(axis)
    return records.select(mine & records.shifted)


def design(records: ClaimPairAnswers, axis: ShiftAxis, mode: RegressionMode) -> RegressionDesign:
    """Set up the regression of a mode for the rows of one model, prompt and language.

    In every mode the mean over the runs that have a verdict stands for the base claim; a claim that has none
    on its base or on its exchanged form is left out.

    Source:
        Jakob et al. (2025), section 4.2, Eq. 1.
    """
    rows = shifted_on(records, axis)
    rows = rows.select(rows.known)
    named = {
        "intercept": np.ones(rows.n),
        "gold": rows.gold,
        "base_truth": rows.base_truth,
        "judgmental_base": rows.judgmental_base,
        "judgmental_exchange": rows.judgmental_exchange,
        "shift": rows.shift,
    }
    if axis == "both":
        named["axis"] = rows.axis == AXES.index("social")
    claims = RegressionDesign(
        successes=rows.exchange[:, 1].astype(np.float64),
        trials=rows.exchange_valid.astype(np.float64),
        columns=np.column_stack([np.asarray(values, np.float64) for values in named.values()]),
        terms=tuple(named),
        clusters=rows.cluster,
    )
    return claims if mode == "corrected" else _exploded(claims)


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
        clusters=claims.clusters.select(index),
    )


# The coefficients of Eq. 1 for every model, prompt and axis (Table 3, and what is right).


@dataclass(frozen=True)
class Coefficient:
    """One coefficient of Eq. 1.

    Args:
        model: The model.
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

    model: Level
    prompt: str
    instruction_language: Level
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


def coefficients(rows: ClaimPairRows, mode: RegressionMode = "corrected") -> list[Coefficient]:
    """Estimate Eq. 1 for every model, prompt and axis.

    Source:
        Jakob et al. (2025), Table 3.
    """
    found: list[Coefficient] = []
    for group, records in ClaimPairAnswers.of(rows).groups():
        for axis in DIMENSIONS:
            regression = design(records, axis, mode)
            fitted = fit_logit(regression, mode == "corrected")
            size = regression.n, regression.groups
            for term in TERMS:
                if term in regression.terms:
                    coef, se = fitted.coef[term], fitted.se[term]
                    found.append(
                        Coefficient(
                            *group, axis, term, coef, se, fitted.p[term], *size,
                            coef - _NORMAL * se, coef + _NORMAL * se,
                            fitted.note.get(term, ""),
                        )
                    )  # fmt: skip
    return found


_NORMAL = 1.959963984540054  # the .975 quantile

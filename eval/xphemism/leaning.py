"""Leaning and penalty: effect of an exchanged word on the verdict on a claim."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from polbias.aliases import Floats, Json
from polbias.eval.answer_frames import count_levels
from polbias.eval.estimability import Estimability, State, discordance
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.separation import identified_columns, independent_columns
from polbias.eval.statistics import (
    ClusterInterval,
    Contrast,
    cell_mean_contrast,
    cluster_interval,
    t_interval_and_test,
)
from polbias.eval.xphemism.answers import AXES, FORMS, SIDES, label_counts, select_answered
from polbias.optional import LazyModule

linear_model = LazyModule("statsmodels.regression.linear_model")

# Leaning: difference between the change of the verdict if the word leans right and if it leans left.
# Eq. 1 predicts the verdict on the reworded claim from the verdict on the base claim. Here the verdicts are
# subtracted, so that each claim is its own control.

POINTS = 100
"""Percentage points per unit."""
_MIN_MARGIN = 1e-9


@dataclass(frozen=True)
class Leaning:
    """Effect of leaning, in percentage points of "true"; positive values favour the right.

    Args:
        effect: Change from base to right-shifted claims minus change to left-shifted claims, adjusted.
        se: Its cluster-robust standard error (CR1).
        low: Lower end of the 95% t interval with G - 1 degrees of freedom.
        high: Upper end.
        p: Two-sided p of the sign-flip test over components of word pairs.
        smallest_p: Smallest possible p at this number of components.
        exact: Whether all sign flips were enumerated.
        p_t: Two-sided p of the t test.
        detectable: Minimum detectable effect of a t test at .05 with 80% power.
        unadjusted: Unadjusted difference of the mean changes.
        bound_low: Effect if every non-answer had favoured the left.
        bound_high: Effect if every non-answer had favoured the right.
        n: Number of claims with a verdict on both forms.
        clusters: Number of their components of word pairs.
        left_out: Number of claims without a verdict on one form; they count in the worst-case bounds.
        note: Reason for a missing effect; else empty.
        state: "not answered" or "no variation" if the answers do not support an effect; also in the note.
        missing: Nonresponse rate of the side with more non-answers.
        discordant: Number of shifted claims whose verdict changes.
        pairs: Number of shifted claims with a verdict on both forms.
        limit: Upper limit of the share of claims whose verdict changes, if they are in too few components for
            an interval and a p; else NaN.
        contributions: Contribution of each pair, shape ``(n,)``, whose mean is the effect: the effect plus
            the influence of the pair, so that two models can be subtracted; NaN without a verdict on both
            forms.
        flips: Value of each pair in the sign-flip test, shape ``(n,)``: the residual of the change on the
            covariates, times the shift; 0 without a verdict on both forms.
    """

    effect: float = math.nan
    se: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    smallest_p: float = math.nan
    exact: bool = False
    p_t: float = math.nan
    detectable: float = math.nan
    unadjusted: float = math.nan
    bound_low: float = math.nan
    bound_high: float = math.nan
    n: int = 0
    clusters: int = 0
    left_out: int = 0
    note: str = ""
    state: State | None = None
    missing: float = math.nan
    discordant: int = 0
    pairs: int = 0
    limit: float = math.nan
    contributions: Floats = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)
    flips: Floats = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)

    @property
    def is_tested(self) -> bool:
        """Whether there is an effect with an interval and a test."""
        return not self.note and math.isnan(self.limit)


def estimate_leaning(shifted: pd.DataFrame) -> Leaning:
    """Estimate leaning from the change of the verdict, in the pairs with a shifted word on an axis.

    The change of each claim is regressed on the shift (-1, 0, 1), an intercept, whether there is a shift, the
    judgement of either word and, with both axes, the axis. The effect is twice the coefficient of the shift.
    The interval is CR1 over components of word pairs that share a word, with G - 1 degrees of freedom; with
    fewer than about 40 components it is too narrow. The test flips the sign of the shift by component: the
    residual of the change on the covariates is multiplied by the shift and summed by component. Without an
    effect, left and right are exchangeable in each component, so the sign of its sum is random, whatever its
    claims have in common.

    The effect is a weighted sum of the changes. Claim i contributes ``effect + n * w_i * residual_i``, where
    n is the number of claims with a verdict on both forms. Weights and residuals are orthogonal, so the mean
    of the contributions is the effect, and the variance of their sums by component gives the CR1 error.

    Source:
        Flipping of scores: Hemerik, Goeman and Finos, "Robust testing in generalized linear models by sign
        flipping score contributions" (2020).
    """
    bound_low, bound_high = _worst_case_bounds(shifted)
    estimability = shift_estimability(shifted)
    rows = select_answered(shifted)
    change, (shift, covariates) = rows["change"].to_numpy(), _regressors(rows)
    note = _no_effect_reason(rows, shift, covariates) or (
        "" if estimability.estimable else str(estimability.state)
    )
    estimate = Leaning(
        bound_low=bound_low,
        bound_high=bound_high,
        n=len(rows),
        clusters=count_levels(rows["component"]),
        left_out=len(shifted) - len(rows),
        note=note,
        state=estimability.state,
        missing=math.nan if estimability.missing is None else estimability.missing,
        discordant=estimability.discordant_pairs,
        pairs=estimability.pairs,
        limit=math.nan if estimability.has_interval or not estimability.estimable else estimability.limit,
    )
    if note:
        return estimate
    is_answered = shifted["change"].notna().to_numpy()
    contributions, flips = np.full(len(shifted), math.nan), np.zeros(len(shifted))
    contributions[is_answered] = POINTS * _contributions(change, shift, covariates)
    flips[is_answered] = shift * _residualize(change, covariates)
    contrast = _fit_adjusted(change, shift, covariates, rows["component"])
    estimate = replace(
        estimate,
        effect=POINTS * contrast.estimate,
        unadjusted=POINTS * unadjusted_leaning(rows).estimate,
        contributions=contributions,
        flips=flips,
    )
    if not estimate.is_tested:
        return estimate
    detectable = t_interval_and_test(contrast.estimate, contrast.standard_error, contrast.degrees_of_freedom)[
        2
    ]
    return replace(
        estimate, **interval_points(contrast), p_t=contrast.p_value, detectable=POINTS * detectable
    )


def _regressors(rows: pd.DataFrame) -> tuple[Floats, Floats]:
    """Return the shift, and linearly independent columns of the covariates."""
    shift = rows["shift"].to_numpy(np.float64)
    is_social = rows["axis"].cat.codes == AXES.index("social")
    judgements = rows["judgmental_base"], rows["judgmental_exchange"]
    covariates = np.column_stack([np.ones(len(rows)), shift != 0, *judgements, is_social]).astype(np.float64)
    return shift, covariates[:, independent_columns(covariates)]


def _no_effect_reason(rows: pd.DataFrame, shift: Floats, covariates: Floats) -> str:
    """Return the reason why no effect can be estimated; empty if one can."""
    if rows.empty:
        return "no answer that is a verdict on both claims"
    n_clusters, n_terms = count_levels(rows["component"]), 1 + covariates.shape[1]
    if not identified_columns(np.column_stack([shift, covariates]))[0]:
        return "shifts to the left and to the right cannot be compared"
    return f"{n_clusters} clusters, expected more than {n_terms} terms" if n_clusters <= n_terms else ""


def _residualize(values: Floats, covariates: Floats) -> Floats:
    """Return the residuals of a column in a regression on the covariates."""
    residuals: Floats = values - covariates @ np.linalg.lstsq(covariates, values, rcond=None)[0]
    return residuals


def _contributions(change: Floats, shift: Floats, covariates: Floats) -> Floats:
    """Return the contribution of each claim, a fraction: the effect of the shift plus its influence."""
    shift_residuals = _residualize(shift, covariates)
    weights = 2 * shift_residuals / float(shift_residuals @ shift_residuals)
    change_residuals = _residualize(change, np.column_stack([shift, covariates]))
    return float(weights @ change) + change.size * weights * change_residuals


def _fit_adjusted(change: Floats, shift: Floats, covariates: Floats, components: pd.Series) -> Contrast:
    """Estimate the effect of the shift on the change, a fraction, adjusted for the covariates."""
    clusters, codes = np.unique(components.cat.codes, return_inverse=True)
    model = linear_model.OLS(change, np.column_stack([shift, covariates]))
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    effect, error = 2 * float(fitted.params[0]), 2 * math.sqrt(max(float(fitted.cov_params()[0, 0]), 0.0))
    margin, p, _ = t_interval_and_test(effect, error, clusters.size - 1)
    if not margin > _MIN_MARGIN:  # the residuals do not vary: no interval of width zero
        margin = p = math.nan
    sizes = {"n": change.size, "clusters": clusters.size, "degrees_of_freedom": clusters.size - 1}
    return Contrast(effect, error, effect - margin, effect + margin, p, **sizes, cells=2)


def unadjusted_leaning(rows: pd.DataFrame) -> Contrast:
    """Return the mean change of right-shifted minus left-shifted claims, a fraction."""
    side = pd.Categorical(rows["shift"].to_numpy(), [-1, 0, 1])
    return cell_mean_contrast(rows["change"], side, rows["component"], [-1, 0, 1])


def judgement_effect(rows: pd.DataFrame) -> Contrast:
    """Return the mean change of claims with a judgmental minus a neutral exchange word, a fraction."""
    judgement = pd.Categorical(rows["judgmental_exchange"].to_numpy(), [0, 1])
    return cell_mean_contrast(rows["change"], judgement, rows["component"], [-1, 1])


def mean_change(rows: pd.DataFrame) -> ClusterInterval:
    """Return the mean change of claims, a fraction; negative if reworded claims are believed less."""
    return cluster_interval(rows["change"], rows["component"], bounds=(-1.0, 1.0))


def excess_bounds(shifted: pd.DataFrame) -> ExcessBounds | None:
    """Return the effect if the surplus of unanswered claims of a side had favoured the left, and the right.

    Claims without a verdict on one form are counted by side and gold label. The surplus gets the extreme
    change that the unanswered runs allow, the other unanswered claims the mean change of their cell;
    unanswered claims without a shift are excluded. None if all shifted claims are answered or there is no
    effect.
    """
    rows = shifted[shifted["change"].notna() | (shifted["shift"] != 0)]
    is_answered, (shift, covariates) = rows["change"].notna().to_numpy(), _regressors(rows)
    if is_answered.all() or _no_effect_reason(select_answered(rows), *_regressors(select_answered(rows))):
        return None
    side, gold = rows["shift"].to_numpy(), rows["gold"].to_numpy()
    n_of_side = np.bincount(side + 1, minlength=3)[side + 1]
    sided_rows = SidedRows.of(side, (side != 0) / n_of_side, gold, is_answered, gold)
    cases = sided_rows.surplus_cases(rows["change"].to_numpy(), *_possible_changes(rows))
    low, high = (_fit_adjusted(changes, shift, covariates, rows["component"]) for changes in cases)
    return ExcessBounds.of(low, high, POINTS)


def shift_estimability(rows: pd.DataFrame) -> Estimability:
    """Return the estimability of leaning, from the answers to both forms of shifted claims."""
    shift, change = rows["shift"].to_numpy(), rows["change"].to_numpy()
    counts = label_counts(rows, "base") + label_counts(rows, "exchange")
    sides = [counts[shift == side].sum(axis=0) for side in (-1, 1) if (shift == side).any()]
    missing = max((1 - float(side[:2].sum() / max(side.sum(), 1)) for side in sides), default=1.0)
    verdicts = counts[shift != 0, :2].sum(axis=0)
    is_compared = (shift != 0) & ~np.isnan(change)
    return Estimability(
        missing,
        float(verdicts.max() / verdicts.sum()) if verdicts.sum() else 0.0,
        *discordance(np.arange(is_compared.sum()), change[is_compared], rows["component"].array[is_compared]),
    )


def _worst_case_bounds(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the effect over all claims if non-answers had favoured the left, and the right.

    The effect is a weighted sum of the changes; the sign of its weight decides the extreme of each.
    """
    shift, covariates = _regressors(rows)
    shift_residuals = _residualize(shift, covariates) if len(rows) else shift
    squared_norm = float(shift_residuals @ shift_residuals)
    if squared_norm < 1e-9 * max(len(rows), 1):
        return math.nan, math.nan
    weights = 2 * shift_residuals / squared_norm
    lowest, highest = _possible_changes(rows)
    low = np.where(weights > 0, lowest, highest)
    high = np.where(weights > 0, highest, lowest)
    return POINTS * float(weights @ low), POINTS * float(weights @ high)


def _possible_changes(rows: pd.DataFrame) -> tuple[Floats, Floats]:
    """Return the lowest and highest change of each claim that its unanswered runs allow."""
    bounds = []
    for form in FORMS:
        counts = label_counts(rows, form)
        n_answers = np.maximum(counts.sum(axis=1), 1)
        bounds.append((counts[:, 1] / n_answers, 1 - counts[:, 0] / n_answers))
    (base_low, base_high), (exchange_low, exchange_high) = bounds
    return exchange_low - base_high, exchange_high - base_low


# The general X-phemism penalty: a reworded claim is believed less, whichever way the word leans.
# The penalty does not measure leaning. The difference to the placebo arm, in which a neutral word is
# exchanged for its synonym, separates the effect of politics from the effect of any rewording.

DIFFERENCE = "shifted minus placebo"


@dataclass(frozen=True)
class Penalty:
    """Change in the share of "true" after the exchange, for a subset of the claims.

    Args:
        claims: The subset: shifted (all), left, none, right, judgmental, not judgmental (of the exchanged
            word), placebo, or "shifted minus placebo".
        base_true: Percentage of "true" for the base claims.
        exchange_true: Percentage of "true" for the exchanged claims.
        change: exchange_true minus base_true, in percentage points; a penalty is negative.
        se: Its cluster-robust standard error.
        low: Lower end of the 95% interval.
        high: Upper end.
        p: Two-sided p: sign-flip test over components of word pairs; for the difference, the t test of the
            contrast (CR2).
        lost: Number of claims held true before and false after the exchange, by the majority of their runs.
        gained: Number of claims held false before and true after.
        n: Number of claims with a verdict on both forms.
        clusters: Number of their components of word pairs.
        note: Reason for a missing estimate; else empty.
    """

    claims: str
    base_true: float = math.nan
    exchange_true: float = math.nan
    change: float = math.nan
    se: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    lost: int = 0
    gained: int = 0
    n: int = 0
    clusters: int = 0
    note: str = ""


def claim_subsets(pairs: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the name and the claims of each penalty: claims with a verdict on both forms."""
    rows = select_answered(pairs)
    is_shifted = (rows["arm"] == "shifted").to_numpy()
    shift, is_judgmental = rows["shift"].to_numpy(), rows["judgmental_exchange"].to_numpy() == 1
    changes = rows[["base_truth", "exchange_truth", "change", "component"]]
    yield "shifted", changes[is_shifted]
    for code, side in enumerate(SIDES, -1):
        yield side, changes[is_shifted & (shift == code)]
    yield "judgmental", changes[is_shifted & is_judgmental]
    yield "not judgmental", changes[is_shifted & ~is_judgmental]
    yield "placebo", changes[~is_shifted]


def measure_penalty(name: str, rows: pd.DataFrame) -> Penalty:
    """Measure the penalty in a subset of the claims; its sign-flip test flips the changes.

    Source:
        Jakob et al. (2025), section 6.
    """
    if rows.empty:
        return Penalty(name, note="no such claim with a verdict on both forms")
    interval, verdict_change = mean_change(rows), verdict_changes(rows)
    return Penalty(
        claims=name,
        base_true=POINTS * float(rows["base_truth"].to_numpy().mean()),
        exchange_true=POINTS * float(rows["exchange_truth"].to_numpy().mean()),
        change=POINTS * interval.estimate,
        **interval_points(interval),
        lost=int((verdict_change < 0).sum()),
        gained=int((verdict_change > 0).sum()),
        n=len(rows),
        clusters=interval.clusters,
    )


def verdict_changes(rows: pd.DataFrame) -> Floats:
    """Return 1 if the exchange changes the majority verdict of the runs to "true", -1 to "false", else 0."""
    before, after = (np.sign(rows[f"{form}_truth"].to_numpy() - 0.5) for form in FORMS)
    return np.where(before * after < 0, after, 0.0)


def subtract_placebo(pairs: pd.DataFrame) -> Penalty:
    """Measure the penalty of the shifted arm minus the penalty of the placebo arm."""
    rows = select_answered(pairs)
    if count_levels(rows["arm"]) < 2:
        return Penalty(DIFFERENCE, note="no placebo arm or no shifted one")
    weights = {"base": 0, "shifted": 1, "placebo": -1}
    base, exchange, change = (
        cell_mean_contrast(rows[name], rows["arm"], rows["component"], [*weights.values()])
        for name in ("base_truth", "exchange_truth", "change")
    )
    return Penalty(
        claims=DIFFERENCE,
        base_true=POINTS * base.estimate,
        exchange_true=POINTS * exchange.estimate,
        change=POINTS * change.estimate,
        **interval_points(change),
        p=change.p_value,
        n=change.n,
        clusters=change.clusters,
    )


def interval_points(estimate: ClusterInterval | Contrast) -> Json:
    """Return the standard error and the ends of an interval in percentage points, by name."""
    ends = {"se": estimate.standard_error, "low": estimate.low, "high": estimate.high}
    return {name: POINTS * value for name, value in ends.items()}

"""Leaning and penalty: how an exchanged word moves the verdict on a claim."""

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

linear_model = LazyModule("statsmodels.regression.linear_model", "eval")

# Leaning itself: does the verdict change otherwise when the word leans right than when it leans left?
# Eq. 1 predicts the verdict on the reworded claim from that on the base claim. Here the two are subtracted,
# so that each claim is compared with itself, and leaning is what sets right apart from left among the
# changes.

POINTS = 100
"""Percentage points of a whole."""
_TIE = 1e-9


@dataclass(frozen=True)
class Leaning:
    """The effect of leaning; all effects in percentage points of "true", positive where it favours the right.

    Args:
        effect: Change from base to right-shifted claims minus change to left-shifted ones, adjusted.
        se: Its cluster-robust standard error (CR1).
        low: Lower end of the 95% t interval with G - 1 degrees of freedom.
        high: Upper end.
        p: Two-sided p of the sign flip of whole components of word pairs.
        smallest_p: The smallest p that so many can give.
        exact: Whether all flips were counted.
        p_t: Two-sided p of the t test.
        detectable: Minimum detectable effect: the true effect that a t test at .05 would find with 80% power.
        unadjusted: Plain difference of the mean changes.
        bound_low: The effect if every answer without a verdict had favoured the left.
        bound_high: The effect if every one had favoured the right.
        n: Claims with a verdict on both forms.
        clusters: Components of word pairs among them.
        left_out: Claims without a verdict on one form; they count in the worst case.
        note: Why there is no effect; empty as a rule.
        state: "not answered" or "no variation", where there is no effect; the note says the same.
        missing: Share of answers without a verdict, of the side that has more of them.
        discordant: Shifted claims of which the verdict changes.
        pairs: Shifted claims with a verdict on both forms.
        limit: Upper limit of the share of claims of which the verdict changes, where these are of so few
            components that there is neither an interval nor a p.
        contributions: Of each pair, shape ``(n,)``: what the effect is the mean of, the effect plus the
            influence of the pair on it, so that those of two models can be subtracted; NaN without a verdict
            on both forms.
        flips: Of each pair, shape ``(n,)``: what the test flips, the change cleared of the other terms, times
            the shift; 0 without a verdict on both forms.
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

    The change of each claim is regressed on the shift (-1, 0, 1), beside an intercept, whether there is a
    shift at all, the judgement of either word and, where there are both axes, the axis. The effect is twice
    the coefficient. The interval is CR1 over components of word pairs that share a word, with G - 1 degrees
    of freedom; with fewer than about 40 components it is too narrow. For the test the sign of the shift is
    flipped in whole components: the change, cleared of the other terms, is multiplied by the shift, and
    summed by component. Without an effect left and right could be exchanged in any of them, which would turn
    the sign of its sum, whatever its claims have in common.

    The effect is a weighted sum of the changes. Claim i contributes ``effect + n * w_i * residual_i``, with
    n the claims that have a verdict on both forms; weights and residuals are orthogonal, so that the mean is
    the effect, and the spread of the sums of components is that of its CR1 error.

    Source:
        Flipping of scores: Hemerik, Goeman and Finos, "Robust testing in generalized linear models by sign
        flipping score contributions" (2020).
    """
    bound_low, bound_high = _worst_cases(shifted)
    support = shift_estimability(shifted)
    rows = select_answered(shifted)
    change, (shift, others) = rows["change"].to_numpy(), _terms(rows)
    note = _fault(rows, shift, others) or ("" if support.estimable else str(support.state))
    estimate = Leaning(
        bound_low=bound_low,
        bound_high=bound_high,
        n=len(rows),
        clusters=count_levels(rows["component"]),
        left_out=len(shifted) - len(rows),
        note=note,
        state=support.state,
        missing=math.nan if support.missing is None else support.missing,
        discordant=support.discordant_pairs,
        pairs=support.pairs,
        limit=math.nan if support.has_interval or not support.estimable else support.limit,
    )
    if note:
        return estimate
    is_answered = shifted["change"].notna().to_numpy()
    contributions, flips = np.full(len(shifted), math.nan), np.zeros(len(shifted))
    contributions[is_answered] = POINTS * _contributions(change, shift, others)
    flips[is_answered] = shift * _cleared(change, others)
    adjusted = _adjusted(change, shift, others, rows["component"])
    estimate = replace(
        estimate,
        effect=POINTS * adjusted.estimate,
        unadjusted=POINTS * unadjusted_leaning(rows).estimate,
        contributions=contributions,
        flips=flips,
    )
    if not estimate.is_tested:
        return estimate
    detectable = t_interval_and_test(adjusted.estimate, adjusted.standard_error, adjusted.degrees_of_freedom)[
        2
    ]
    return replace(
        estimate, **interval_points(adjusted), p_t=adjusted.p_value, detectable=POINTS * detectable
    )


def _terms(rows: pd.DataFrame) -> tuple[Floats, Floats]:
    """The shift, and independent columns of what it is adjusted for."""
    shift = rows["shift"].to_numpy(np.float64)
    is_social = rows["axis"].cat.codes == AXES.index("social")
    judgements = rows["judgmental_base"], rows["judgmental_exchange"]
    others = np.column_stack([np.ones(len(rows)), shift != 0, *judgements, is_social]).astype(np.float64)
    return shift, others[:, independent_columns(others)]


def _fault(rows: pd.DataFrame, shift: Floats, others: Floats) -> str:
    """Why there can be no effect, empty if there can."""
    if rows.empty:
        return "no answer that is a verdict on both claims"
    n_clusters, n_terms = count_levels(rows["component"]), 1 + others.shape[1]
    if not identified_columns(np.column_stack([shift, others]))[0]:
        return "shifts to the left and to the right cannot be compared"
    return f"{n_clusters} clusters, expected more than {n_terms} terms" if n_clusters <= n_terms else ""


def _cleared(values: Floats, others: Floats) -> Floats:
    """What is left of a column when the others are taken out."""
    cleared: Floats = values - others @ np.linalg.lstsq(others, values, rcond=None)[0]
    return cleared


def _contributions(change: Floats, shift: Floats, others: Floats) -> Floats:
    """What each claim adds to the effect of the shift, and the effect, a fraction."""
    cleared = _cleared(shift, others)
    weights = 2 * cleared / float(cleared @ cleared)
    residual = _cleared(change, np.column_stack([shift, others]))
    return float(weights @ change) + change.size * weights * residual


def _adjusted(change: Floats, shift: Floats, others: Floats, components: pd.Series) -> Contrast:
    """Estimate the effect of the shift on the change of each claim, a fraction, beside the other terms."""
    clusters, codes = np.unique(components.cat.codes, return_inverse=True)
    model = linear_model.OLS(change, np.column_stack([shift, others]))
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    effect, error = 2 * float(fitted.params[0]), 2 * math.sqrt(max(float(fitted.cov_params()[0, 0]), 0.0))
    half, p, _ = t_interval_and_test(effect, error, clusters.size - 1)
    if not half > _TIE:  # nothing varies beyond the design: no interval has width zero
        half = p = math.nan
    sizes = {"n": change.size, "clusters": clusters.size, "degrees_of_freedom": clusters.size - 1}
    return Contrast(effect, error, effect - half, effect + half, p, **sizes, cells=2)


def unadjusted_leaning(rows: pd.DataFrame) -> Contrast:
    """Compare the mean change of right-shifted with that of left-shifted claims, a fraction."""
    side = pd.Categorical(rows["shift"].to_numpy(), [-1, 0, 1])
    return cell_mean_contrast(rows["change"], side, rows["component"], [-1, 0, 1])


def judgement_effect(rows: pd.DataFrame) -> Contrast:
    """Compare the mean change of claims with a judgmental exchange word with that of the others."""
    judgement = pd.Categorical(rows["judgmental_exchange"].to_numpy(), [0, 1])
    return cell_mean_contrast(rows["change"], judgement, rows["component"], [-1, 1])


def mean_change(rows: pd.DataFrame) -> ClusterInterval:
    """Average the change of claims, a fraction: negative where a reworded claim is believed less."""
    return cluster_interval(rows["change"], rows["component"], bounds=(-1.0, 1.0))


def excess_bounds(shifted: pd.DataFrame) -> ExcessBounds | None:
    """Return the effect if the surplus of unanswered claims of a side had favoured the left, and the right.

    Claims without a verdict on one form are counted within right and left, true and false ones. The surplus
    takes the extreme change that the unanswered runs leave possible, the rest the mean change of its cell;
    those without a shift stay out. None where all shifted claims are answered, or there is no effect.
    """
    rows = shifted[shifted["change"].notna() | (shifted["shift"] != 0)]
    is_answered, (shift, others) = rows["change"].notna().to_numpy(), _terms(rows)
    if is_answered.all() or _fault(select_answered(rows), *_terms(select_answered(rows))):
        return None
    side, gold = rows["shift"].to_numpy(), rows["gold"].to_numpy()
    n_of_side = np.bincount(side + 1, minlength=3)[side + 1]
    sided = SidedRows.of(side, (side != 0) / n_of_side, gold, is_answered, gold)
    cases = sided.surplus_cases(rows["change"].to_numpy(), *_possible_changes(rows))
    low, high = (_adjusted(case, shift, others, rows["component"]) for case in cases)
    return ExcessBounds.of(low, high, POINTS)


def shift_estimability(rows: pd.DataFrame) -> Estimability:
    """What leaning rests on: the answers to both forms of the claims that are shifted, each a pair."""
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


def _worst_cases(rows: pd.DataFrame) -> tuple[float, float]:
    """The effect over all claims if answers without a verdict had favoured the left, and the right.

    It is a weighted sum of the changes, so each takes its extreme by the sign of its weight.
    """
    shift, others = _terms(rows)
    cleared = _cleared(shift, others) if len(rows) else shift
    size = float(cleared @ cleared)
    if size < 1e-9 * max(len(rows), 1):
        return math.nan, math.nan
    weights = 2 * cleared / size
    lowest, highest = _possible_changes(rows)
    low = np.where(weights > 0, lowest, highest)
    high = np.where(weights > 0, highest, lowest)
    return POINTS * float(weights @ low), POINTS * float(weights @ high)


def _possible_changes(rows: pd.DataFrame) -> tuple[Floats, Floats]:
    """Lowest and highest change of each claim that its unanswered runs leave possible."""
    ends = []
    for form in FORMS:
        counts = label_counts(rows, form)
        n_answers = np.maximum(counts.sum(axis=1), 1)
        ends.append((counts[:, 1] / n_answers, 1 - counts[:, 0] / n_answers))
    (base_low, base_high), (exchange_low, exchange_high) = ends
    return exchange_low - base_high, exchange_high - base_low


# The general X-phemism penalty: a reworded claim is believed less, whichever way the word leans.
# It says nothing about leaning. What part of it is due to politics, and what to any rewording, shows in the
# difference to the placebo arm, where a neutral word is exchanged for its synonym.

DIFFERENCE = "shifted minus placebo"


@dataclass(frozen=True)
class Penalty:
    """How much more a claim is believed after the exchange, for some of the claims.

    Args:
        claims: Which claims: shifted (all), left, none, right, judgmental, not judgmental (of the exchanged
            word), placebo, or "shifted minus placebo".
        base_true: Percentage of "true" for the base claims.
        exchange_true: Percentage of "true" for the exchanged claims.
        change: The second minus the first, in percentage points: negative is a penalty.
        se: Its cluster-robust standard error.
        low: Lower end of the 95% interval.
        high: Upper end.
        p: Two-sided p: sign flip of whole components of word pairs; for the difference, the t test of the
            contrast (CR2).
        lost: Claims held true before and false after the exchange, by the majority of their runs.
        gained: Claims held false before and true after.
        n: Claims with a verdict on both forms.
        clusters: Components of word pairs among them.
        note: Why there is no figure; empty as a rule.
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
    """Yield the claims that a penalty is measured in, by name: those with a verdict on both forms."""
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
    """Measure the penalty in a part of the claims; its test is the sign flip of their changes.

    Source:
        Jakob et al. (2025), section 6.
    """
    if rows.empty:
        return Penalty(name, note="no such claim with a verdict on both forms")
    interval, turns = mean_change(rows), verdict_turns(rows)
    return Penalty(
        claims=name,
        base_true=POINTS * float(rows["base_truth"].to_numpy().mean()),
        exchange_true=POINTS * float(rows["exchange_truth"].to_numpy().mean()),
        change=POINTS * interval.estimate,
        **interval_points(interval),
        lost=int((turns < 0).sum()),
        gained=int((turns > 0).sum()),
        n=len(rows),
        clusters=interval.clusters,
    )


def verdict_turns(rows: pd.DataFrame) -> Floats:
    """Return 1 where the exchange turns the verdict of most runs to "true", -1 to "false", else 0."""
    before, after = (np.sign(rows[f"{form}_truth"].to_numpy() - 0.5) for form in FORMS)
    return np.where(before * after < 0, after, 0.0)


def subtract_placebo(pairs: pd.DataFrame) -> Penalty:
    """Measure the penalty of the shifted arm minus that of the placebo arm."""
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
    """Return the error and the ends of an interval in percentage points, by name."""
    ends = {"se": estimate.standard_error, "low": estimate.low, "high": estimate.high}
    return {name: POINTS * value for name, value in ends.items()}

"""Leaning and penalty: how an exchanged word moves the verdict on a claim."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from polbias.aliases import Floats, Json
from polbias.eval.answer_table import CodedColumn
from polbias.eval.estimability import Estimability, State, discordance
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.separation import determined, independent
from polbias.eval.statistics import ClusterInterval, Contrast, cluster_interval, contrast, t_test
from polbias.eval.xphemism.regression import ShiftAxis, shifted_on
from polbias.eval.xphemism.schema import ARMS, AXES, ClaimPairAnswers
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
        axis: both, social or economic.
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
    """

    axis: ShiftAxis
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

    @property
    def tested(self) -> bool:
        """Whether there is an effect with an interval and a test."""
        return not self.note and math.isnan(self.limit)


def leaning(records: ClaimPairAnswers, axis: ShiftAxis) -> Leaning:
    """Estimate leaning from the change of the verdict; its test is the sign flip of :func:`flipped`.

    The change of each claim is regressed on the shift (-1, 0, 1), beside an intercept, whether there is a
    shift at all, the judgement of either word and, for both axes, the axis. The effect is twice the
    coefficient. The interval is CR1 over components of word pairs that share a word, with G - 1 degrees of
    freedom; with fewer than about 40 components it is too narrow. For the test the sign of the shift is
    flipped in whole components: the change, cleared of the other terms, is multiplied by the shift, and
    summed by component. Without an effect left and right could be exchanged in any of them, which would turn
    the sign of its sum, whatever its claims have in common.

    Source:
        Flipping of scores: Hemerik, Goeman and Finos, "Robust testing in generalized linear models by sign
        flipping score contributions" (2020).
    """
    rows = shifted_on(records, axis)
    known = rows.known
    bounds = _bounds(rows, axis)
    carried = shift_estimability(rows)
    rows = rows.select(known)
    left_out = int((~known).sum())
    note = _fault(rows, axis) or ("" if carried.estimable else str(carried.state))
    nothing = Leaning(
        axis,
        bound_low=bounds[0],
        bound_high=bounds[1],
        n=rows.n,
        clusters=rows.cluster.distinct,
        left_out=left_out,
        note=note,
        state=carried.state,
        missing=math.nan if carried.missing is None else carried.missing,
        discordant=carried.discordant_pairs,
        pairs=carried.pairs,
        limit=math.nan if carried.has_interval or not carried.estimable else carried.limit,
    )
    if note:
        return nothing
    adjusted, unadjusted = _adjusted(rows, rows.change, axis), POINTS * _unadjusted(rows)
    if not nothing.tested:
        return replace(nothing, effect=POINTS * adjusted.estimate, unadjusted=unadjusted)
    detectable = t_test(adjusted.estimate, adjusted.standard_error, adjusted.degrees_of_freedom)[2]
    return replace(
        nothing,
        effect=POINTS * adjusted.estimate,
        **ends(adjusted),
        p_t=adjusted.p_value,
        detectable=POINTS * detectable,
        unadjusted=unadjusted,
    )


def _adjusted(rows: ClaimPairAnswers, change: Floats, axis: ShiftAxis) -> Contrast:
    """The effect of the shift on the change of each claim, a fraction, beside the other terms."""
    shift, others = _terms(rows, axis)
    codes, count = rows.cluster.compact().codes, rows.cluster.distinct
    model = linear_model.OLS(change, np.column_stack([shift, others]))
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    effect, error = 2 * float(fitted.params[0]), 2 * math.sqrt(max(float(fitted.cov_params()[0, 0]), 0.0))
    half, p, _ = t_test(effect, error, count - 1)
    if not half > _TIE:  # nothing varies beyond the design: no interval has width zero
        half = p = math.nan
    return Contrast(effect, error, effect - half, effect + half, p, rows.n, count, count - 1, cells=2)


def excess_bounds(records: ClaimPairAnswers, axis: ShiftAxis) -> ExcessBounds | None:
    """Return the effect if the surplus of unanswered claims of a side had favoured the left, and the right.

    Claims without a verdict on one form are counted within right and left, true and false ones. The surplus
    takes the extreme change that the unanswered runs leave possible, the rest the mean change of its cell;
    those without a shift stay out. None where all shifted claims are answered, or there is no effect.
    """
    rows = shifted_on(records, axis)
    rows = rows.select(rows.known | (rows.shift != 0))
    if rows.known.all() or _fault(rows.select(rows.known), axis):
        return None
    of_side = np.bincount(rows.shift + 1, minlength=3)[rows.shift + 1]
    weights = (rows.shift != 0) / of_side
    sided = SidedRows.of(rows.shift, weights, rows.gold, rows.known, rows.gold)
    cases = sided.surplus_cases(rows.change, *_possible_changes(rows))
    low, high = (_adjusted(rows, case, axis) for case in cases)
    return ExcessBounds.of(low, high, POINTS)


def shift_estimability(rows: ClaimPairAnswers) -> Estimability:
    """What leaning rests on: the answers to both forms of the claims that are shifted, each a pair."""
    sided = rows.select(rows.shift != 0)
    counts = sided.base + sided.exchange
    sides = [counts[sided.shift == side].sum(axis=0) for side in (-1, 1) if (sided.shift == side).any()]
    missing = max((1 - float(side[:2].sum() / max(side.sum(), 1)) for side in sides), default=1.0)
    verdicts = counts[:, :2].sum(axis=0)
    compared = sided.select(sided.known)
    return Estimability(
        missing,
        float(verdicts.max() / verdicts.sum()) if verdicts.sum() else 0.0,
        *discordance(np.arange(compared.n), compared.change, compared.cluster),
    )


def flipped(records: ClaimPairAnswers, axis: ShiftAxis) -> tuple[Floats, CodedColumn]:
    """Return what the test of :func:`leaning` flips: the change of each claim, cleared, times its shift."""
    rows = shifted_on(records, axis)
    rows = rows.select(rows.known)
    shift, others = _terms(rows, axis)
    return shift * _cleared(rows.change, others), rows.cluster


def contributions(records: ClaimPairAnswers, axis: ShiftAxis) -> tuple[ClaimPairAnswers, Floats]:
    """Return what the effect is the mean of: the effect plus the influence of each claim on it.

    The effect is a weighted sum of the changes. Claim i contributes ``effect + n * w_i * residual_i``, with
    n the claims that have a verdict on both forms; weights and residuals are orthogonal, so that the mean is
    the effect, and the spread of the sums of components is that of its CR1 error. The other claims are NaN.
    Contributions of two models to the same claims can be subtracted.
    """
    asked = shifted_on(records, axis)
    known = asked.known
    rows = asked.select(known)
    shift, others = _terms(rows, axis)
    design = np.column_stack([shift, others])
    values = np.full(asked.n, math.nan)
    if _fault(rows, axis):
        return asked, values
    cleared, change = _cleared(shift, others), rows.change
    weights = 2 * cleared / float(cleared @ cleared)
    values[known] = float(weights @ change) + rows.n * weights * _cleared(change, design)
    return asked, POINTS * values


def _terms(rows: ClaimPairAnswers, axis: ShiftAxis) -> tuple[Floats, Floats]:
    """The shift, and independent columns of what it is adjusted for."""
    columns = [np.ones(rows.n), rows.shift != 0, rows.judgmental_base, rows.judgmental_exchange]
    if axis == "both":
        columns.append(rows.axis == AXES.index("social"))
    others = np.column_stack([np.asarray(values, np.float64) for values in columns])
    return rows.shift.astype(np.float64), others[:, independent(others)]


def _fault(rows: ClaimPairAnswers, axis: ShiftAxis) -> str:
    """Why there can be no effect, empty if there can."""
    if not rows.n:
        return "no answer that is a verdict on both claims"
    design, clusters = np.column_stack(_terms(rows, axis)), rows.cluster.distinct
    if not determined(design)[0]:
        return "shifts to the left and to the right cannot be compared"
    if clusters <= design.shape[1]:
        return f"{clusters} clusters, expected more than {design.shape[1]} terms"
    return ""


def _cleared(values: Floats, others: Floats) -> Floats:
    """What is left of a column when the others are taken out."""
    cleared: Floats = values - others @ np.linalg.lstsq(others, values, rcond=None)[0]
    return cleared


def _unadjusted(rows: ClaimPairAnswers) -> float:
    side = CodedColumn(rows.shift.astype(np.intp) + 1, ("left", "none", "right"))
    return contrast(rows.change, side, rows.cluster, [-1, 0, 1]).estimate


def _bounds(rows: ClaimPairAnswers, axis: ShiftAxis) -> tuple[float, float]:
    """The effect over all claims if answers without a verdict had favoured the left, and the right.

    It is a weighted sum of the changes, so each takes its extreme by the sign of its weight.
    """
    shift, others = _terms(rows, axis)
    cleared = _cleared(shift, others) if rows.n else shift
    size = float(cleared @ cleared)
    if size < 1e-9 * max(rows.n, 1):
        return math.nan, math.nan
    weights = 2 * cleared / size
    lowest, highest = _possible_changes(rows)
    low = np.where(weights > 0, lowest, highest)
    high = np.where(weights > 0, highest, lowest)
    return POINTS * float(weights @ low), POINTS * float(weights @ high)


def _possible_changes(rows: ClaimPairAnswers) -> tuple[Floats, Floats]:
    """Lowest and highest change of each claim that its unanswered runs leave possible."""
    shares = []
    for counts in (rows.base, rows.exchange):
        asked = np.maximum(counts.sum(axis=1), 1)
        shares.append((counts[:, 1] / asked, 1 - counts[:, 0] / asked))
    (base_low, base_high), (exchange_low, exchange_high) = shares
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


def penalties(records: ClaimPairAnswers) -> list[Penalty]:
    """Measure the penalty in all shifted claims and parts of them, and against the placebo arm.

    The test of a part is the sign flip of its changes.

    Source:
        Jakob et al. (2025), section 6.
    """
    found = [_penalty(name, part) for name, part in parts(records)]
    return [*found, _difference(records.select(records.known))]


def parts(records: ClaimPairAnswers) -> Iterator[tuple[str, ClaimPairAnswers]]:
    """Yield the parts that :func:`penalties` speaks of, by name: claims with a verdict on both forms."""
    known = records.select(records.known)
    rows = known.select(known.shifted)
    yield "shifted", rows
    for name, code in (("left", -1), ("none", 0), ("right", 1)):
        yield name, rows.select(rows.shift == code)
    yield "judgmental", rows.select(rows.judgmental_exchange == 1)
    yield "not judgmental", rows.select(rows.judgmental_exchange == 0)
    yield "placebo", known.select(~known.shifted)


def _penalty(name: str, rows: ClaimPairAnswers) -> Penalty:
    if not rows.n:
        return Penalty(name, note="no such claim with a verdict on both forms")
    change = rows.change
    interval, verdicts = cluster_interval(change, rows.cluster, bounds=(-1.0, 1.0)), turned(rows)
    return Penalty(
        claims=name,
        base_true=POINTS * float(rows.base_truth.mean()),
        exchange_true=POINTS * float(rows.exchange_truth.mean()),
        change=POINTS * interval.estimate,
        **ends(interval),
        lost=int((verdicts < 0).sum()),
        gained=int((verdicts > 0).sum()),
        n=rows.n,
        clusters=interval.clusters,
    )


def turned(rows: ClaimPairAnswers) -> Floats:
    """Return 1 where the exchange turns the verdict of most runs to "true", -1 to "false", else 0."""
    before, after = np.sign(rows.base_truth - 0.5), np.sign(rows.exchange_truth - 0.5)
    return np.where(before * after < 0, after, 0.0)


def _difference(rows: ClaimPairAnswers) -> Penalty:
    """The penalty of the shifted arm minus that of the placebo arm."""
    arm = CodedColumn(rows.arm.astype(np.intp), ARMS)
    if arm.distinct < 2:
        return Penalty(DIFFERENCE, note="no placebo arm or no shifted one")
    weights = [1, -1]
    base, exchange, change = (
        contrast(values, arm, rows.cluster, weights)
        for values in (rows.base_truth, rows.exchange_truth, rows.change)
    )
    return Penalty(
        claims=DIFFERENCE,
        base_true=POINTS * base.estimate,
        exchange_true=POINTS * exchange.estimate,
        change=POINTS * change.estimate,
        **ends(change),
        p=change.p_value,
        n=change.n,
        clusters=change.clusters,
    )


def ends(found: ClusterInterval | Contrast) -> Json:
    """The error and the ends of an interval in percentage points, by name."""
    return {"se": POINTS * found.standard_error, "low": POINTS * found.low, "high": POINTS * found.high}

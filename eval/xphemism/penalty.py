"""The general X-phemism penalty: a reworded claim is believed less, whichever way the word leans.

It says nothing about leaning. What part of it is due to politics, and what to any rewording, shows in the
difference to the placebo arm, where a neutral word is exchanged for its synonym.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from polbias.aliases import Booleans
from polbias.eval.columns import Factor
from polbias.eval.contrasts import contrast
from polbias.eval.statistics import cluster_interval, sign_flip
from polbias.eval.xphemism.leaning import POINTS
from polbias.eval.xphemism.schema import ARMS, Records

DIFFERENCE = "shifted minus placebo"


@dataclass(frozen=True, slots=True)
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
        p: Two-sided p: sign flip of whole word pairs; for the difference, the t test of the contrast (CR2).
        lost: Claims held true before and false after the exchange, by the majority of their runs.
        gained: Claims held false before and true after.
        p_mcnemar: Two-sided p of McNemar's exact test of the two, which takes claims for independent.
        n: Claims with a verdict on both forms.
        clusters: Unordered word pairs among them.
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
    p_mcnemar: float = math.nan
    n: int = 0
    clusters: int = 0
    note: str = ""


def penalties(records: Records, seed: int = 0, test: bool = True) -> list[Penalty]:
    """Measure the penalty in all shifted claims and parts of them, and against the placebo arm.

    Args:
        records: Answered pairs of one model, prompt and language, of all axes.
        seed: Seed of the drawn flips.
        test: Whether to make the sign flips; without them p of all but the difference is NaN.

    Returns:
        One entry for each part; where there is no such claim, figures are NaN and a note says so.

    Source:
        McNemar, "Note on the sampling error of the difference between correlated proportions or percentages"
        (1947). The penalty: Jakob et al. (2025), section 6.
    """
    found = [_penalty(name, part, seed, test) for name, part in parts(records)]
    return [*found, _difference(records.select((records.base_valid > 0) & (records.exchange_valid > 0)))]


def parts(records: Records) -> Iterator[tuple[str, Records]]:
    """Yield the parts that :func:`penalties` speaks of, by name: claims with a verdict on both forms.

    Args:
        records: As for :func:`penalties`.
    """
    rows = records.select((records.base_valid > 0) & (records.exchange_valid > 0))
    for name, mask in _parts(rows):
        yield name, rows.select(mask)


def _parts(rows: Records) -> Iterator[tuple[str, Booleans]]:
    shifted = rows.arm == ARMS.index("shifted")
    yield "shifted", shifted
    for name, code in (("left", -1), ("none", 0), ("right", 1)):
        yield name, shifted & (rows.shift == code)
    yield "judgmental", shifted & (rows.judgmental_exchange == 1)
    yield "not judgmental", shifted & (rows.judgmental_exchange == 0)
    yield "placebo", ~shifted


def _penalty(name: str, rows: Records, seed: int, test: bool) -> Penalty:
    if not rows.n:
        return Penalty(name, note="no such claim with a verdict on both forms")
    change = rows.change
    interval = cluster_interval(change, rows.cluster, bounds=(-1.0, 1.0))
    before, after = np.sign(rows.base_truth - 0.5), np.sign(rows.exchange_truth - 0.5)
    lost, gained = int(((before > 0) & (after < 0)).sum()), int(((before < 0) & (after > 0)).sum())
    return Penalty(
        claims=name,
        base_true=POINTS * float(rows.base_truth.mean()),
        exchange_true=POINTS * float(rows.exchange_truth.mean()),
        change=POINTS * interval.estimate,
        se=POINTS * interval.standard_error,
        low=POINTS * interval.low,
        high=POINTS * interval.high,
        p=sign_flip(change, rows.cluster, seed).p_value if test else math.nan,
        lost=lost,
        gained=gained,
        p_mcnemar=_mcnemar(lost, gained),
        n=rows.n,
        clusters=interval.clusters,
    )


def _difference(rows: Records) -> Penalty:
    """The penalty of the shifted arm minus that of the placebo arm."""
    arm = Factor(rows.arm.astype(np.intp), ARMS)
    if not rows.n or np.unique(arm.codes).size < 2:
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
        se=POINTS * change.standard_error,
        low=POINTS * change.low,
        high=POINTS * change.high,
        p=change.p_value,
        n=change.n,
        clusters=change.clusters,
    )


def _mcnemar(lost: int, gained: int) -> float:
    """Exact two-sided p; 1 where no claim changed sides."""
    from scipy.stats import binomtest

    return float(binomtest(lost, lost + gained).pvalue) if lost + gained else 1.0

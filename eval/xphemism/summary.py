"""Truth before and after an exchange, and answers without a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from polbias.aliases import Booleans, Floats, Json
from polbias.eval.answer_table import CodedColumn
from polbias.eval.estimability import discordance
from polbias.eval.statistics import cluster_interval, contrast
from polbias.eval.xphemism.leaning import POINTS, ends
from polbias.eval.xphemism.schema import LABELS, ClaimPairAnswers, ClaimPairRows, Counts

# The data of the figures on X-phemisms, as tables.


def truth_data(rows: ClaimPairRows) -> list[Json]:
    """Mean truth before and after the exchange, by judgement of the new word and by leaning.

    Source:
        Jakob et al. (2025), Figure 5.
    """
    found = []
    for group, records in ClaimPairAnswers.of(rows).groups():
        answered = records.select(records.known & records.shifted)
        for by, level, mask in _levels(answered):
            part = answered.select(mask)
            if part.n:
                change = cluster_interval(part.change, part.cluster, bounds=(-1.0, 1.0))
                found.append(
                    group._asdict()
                    | {
                        "by": by,
                        "level": level,
                        "before": POINTS * float(part.base_truth.mean()),
                        "after": POINTS * float(part.exchange_truth.mean()),
                        "change": POINTS * change.estimate,
                        "low": POINTS * change.low,
                        "high": POINTS * change.high,
                        "n": part.n,
                        "clusters": change.clusters,
                    }
                )
    return found


def _levels(rows: ClaimPairAnswers) -> Iterator[tuple[str, str, Booleans]]:
    for code, level in enumerate(("no", "yes")):
        yield "judgmental_exchange", level, rows.judgmental_exchange == code
    for code, level in enumerate(("left", "none", "right"), -1):
        yield "shift", level, rows.shift == code


# Answers without a verdict: as outcomes, and refusals by side.

_SIDES = ("left", "none", "right")


@dataclass(frozen=True)
class RefusalGap:
    """Whether shifted claims are refused more often when the word leans right than when it leans left.

    Args:
        gap: Right minus left, in percentage points.
        se: Its cluster-robust standard error (CR2).
        low: Lower end of the 95% interval.
        high: Upper end.
        p: Two-sided p of the t test; NaN where nothing is refused, so that there is nothing to test.
        n: Claims.
        clusters: Components of word pairs among them.
        discordant: Claims that are not refused as most are.
        discordant_clusters: Components with such a claim.
    """

    gap: float
    se: float
    low: float
    high: float
    p: float
    n: int
    clusters: int
    discordant: int
    discordant_clusters: int


def outcomes(records: ClaimPairAnswers) -> Iterator[Json]:
    """Yield the share of every outcome among all answers, by arm (base, shifted or placebo) and shift.

    Base claims are those of the shifted pairs.
    """
    shifted = records.shifted
    parts = [
        (arm, side, counts, shifted & (records.shift == code))
        for arm, counts in (("base", records.base), ("shifted", records.exchange))
        for code, side in enumerate(_SIDES, -1)
    ]
    for arm, side, counts, mask in (*parts, ("placebo", "none", records.exchange, ~shifted)):
        if mask.any():
            numbers = counts[mask].sum(axis=0)
            asked = int(numbers.sum())
            shares = dict(zip(LABELS, (numbers / max(asked, 1)).tolist(), strict=True))
            yield {"arm": arm, "shift": side, **shares, "asked": asked, "claims": int(mask.sum())}


def refusal_gap(records: ClaimPairAnswers) -> RefusalGap:
    """Compare the refusals of right-shifted and of left-shifted claims."""
    rows = records.select(records.shifted & (records.shift != 0))
    side = CodedColumn((rows.shift > 0).astype(np.intp), ("left", "right"))
    shares = _refusal_share(rows.exchange)
    gap = contrast(shares, side, rows.cluster, [-1, 1], bounds=(0.0, 1.0))
    unlike = _unlike(np.nan_to_num(shares), rows.cluster)
    return RefusalGap(
        gap=POINTS * gap.estimate,
        **ends(gap),
        p=gap.p_value if shares.any() else math.nan,
        n=gap.n,
        clusters=gap.clusters,
        discordant=unlike[2],
        discordant_clusters=unlike[0],
    )


def _unlike(values: Floats, clusters: CodedColumn) -> tuple[int, int, int, int]:
    """The discordance of values unlike most, which are 0 if the outcome is rare and 1 (or -1) if not."""
    usual = round(float(values.mean())) if values.size else 0
    return discordance(np.arange(values.size), values - usual, clusters)


def _refusal_share(counts: Counts) -> Floats:
    asked = counts.sum(axis=1)
    refusals = counts[:, LABELS.index("refusal")]
    share: Floats = np.where(asked > 0, refusals / np.maximum(asked, 1), math.nan)
    return share

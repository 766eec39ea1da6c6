"""Truth before and after an exchange, and answers without a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from polbias.aliases import Json
from polbias.eval.estimability import discordance
from polbias.eval.statistics import cell_mean_contrast
from polbias.eval.xphemism.answers import LABELS, SIDES, label_counts, select_answered
from polbias.eval.xphemism.leaning import POINTS, interval_points, mean_change

# The data of the figures on X-phemisms, as tables.


def truth_data(pairs: pd.DataFrame) -> Iterator[Json]:
    """Yield mean truth before and after the exchange, by judgement of the new word and by leaning.

    Source:
        Jakob et al. (2025), Figure 5.
    """
    shifted = select_answered(pairs)
    shifted = shifted[shifted["arm"] == "shifted"]
    for (prompt, language), rows in shifted.groupby(["prompt", "instruction_language"], observed=True):
        for column, levels, first in (("judgmental_exchange", ("no", "yes"), 0), ("shift", SIDES, -1)):
            for code, level in enumerate(levels, first):
                part = rows[rows[column] == code]
                if len(part):
                    change = mean_change(part)
                    yield {
                        "prompt": prompt,
                        "instruction_language": language,
                        "by": column,
                        "level": level,
                        "before": POINTS * float(part["base_truth"].to_numpy().mean()),
                        "after": POINTS * float(part["exchange_truth"].to_numpy().mean()),
                        "change": POINTS * change.estimate,
                        "low": POINTS * change.low,
                        "high": POINTS * change.high,
                        "n": len(part),
                        "clusters": change.clusters,
                    }


# Answers without a verdict: as outcomes, and refusals by side.


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


def outcome_shares(pairs: pd.DataFrame) -> Iterator[Json]:
    """Yield the share of every outcome among all answers, by arm (base, shifted or placebo) and shift.

    Base claims are those of the shifted pairs.
    """
    shifted = pairs["arm"] == "shifted"
    parts = [
        (arm, side, form, shifted & (pairs["shift"] == code))
        for arm, form in (("base", "base"), ("shifted", "exchange"))
        for code, side in enumerate(SIDES, -1)
    ]
    for arm, side, form, is_in_part in (*parts, ("placebo", "none", "exchange", ~shifted)):
        if is_in_part.any():
            rows = pairs[is_in_part]
            counts = label_counts(rows, form).sum(axis=0)
            asked = int(counts.sum())
            shares = dict(zip(LABELS, (counts / max(asked, 1)).tolist(), strict=True))
            yield {"arm": arm, "shift": side, **shares, "asked": asked, "claims": len(rows)}


def refusal_gap(pairs: pd.DataFrame) -> RefusalGap:
    """Compare the refusals of right-shifted and of left-shifted claims."""
    shift = pairs["shift"].to_numpy()
    is_sided = (pairs["arm"] == "shifted").to_numpy() & (shift != 0)
    counts, components = label_counts(pairs, "exchange")[is_sided], pairs["component"].array[is_sided]
    shares = counts[:, LABELS.index("refusal")] / counts.sum(axis=1)
    side = pd.Categorical(shift[is_sided], [-1, 1])
    gap = cell_mean_contrast(shares, side, components, [-1, 1], bounds=(0.0, 1.0))
    usual = round(float(shares.mean())) if shares.size else 0
    discordant_clusters, _, discordant, _ = discordance(np.arange(shares.size), shares - usual, components)
    return RefusalGap(
        gap=POINTS * gap.estimate,
        **interval_points(gap),
        p=gap.p_value if shares.any() else math.nan,
        n=gap.n,
        clusters=gap.clusters,
        discordant=discordant,
        discordant_clusters=discordant_clusters,
    )

"""Share of "true" before and after the exchange, and non-answers."""

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

# Data of the figures.


def truth_data(pairs: pd.DataFrame) -> Iterator[Json]:
    """Yield the mean share of "true" before and after the exchange, by judgement of the new word or shift.

    Source:
        Jakob et al. (2025), Figure 5.
    """
    shifted = select_answered(pairs)
    shifted = shifted[shifted["arm"] == "shifted"]
    for (prompt, language), rows in shifted.groupby(["prompt", "instruction_language"], observed=True):
        for column, levels, first_code in (("judgmental_exchange", ("no", "yes"), 0), ("shift", SIDES, -1)):
            for code, level in enumerate(levels, first_code):
                subset = rows[rows[column] == code]
                if len(subset):
                    change = mean_change(subset)
                    yield {
                        "prompt": prompt,
                        "instruction_language": language,
                        "by": column,
                        "level": level,
                        "before": POINTS * float(subset["base_truth"].to_numpy().mean()),
                        "after": POINTS * float(subset["exchange_truth"].to_numpy().mean()),
                        "change": POINTS * change.estimate,
                        "low": POINTS * change.low,
                        "high": POINTS * change.high,
                        "n": len(subset),
                        "clusters": change.clusters,
                    }


# Non-answers: shares of outcomes, and refusals by side.


@dataclass(frozen=True)
class RefusalGap:
    """Difference in refusal rates between right-shifted and left-shifted claims.

    Args:
        gap: Right minus left, in percentage points.
        se: Its cluster-robust standard error (CR2).
        low: Lower end of the 95% interval.
        high: Upper end.
        p: Two-sided p of the t test; NaN without refusals.
        n: Number of claims.
        clusters: Number of their components of word pairs.
        discordant: Number of claims whose refusal rate differs from the majority value.
        discordant_clusters: Number of components with a discordant claim.
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
    """Yield the share of every label among all answers, by arm (base, shifted or placebo) and shift.

    Base claims are the base claims of shifted pairs.
    """
    is_shifted = pairs["arm"] == "shifted"
    groups = [
        (arm, side, form, is_shifted & (pairs["shift"] == code))
        for arm, form in (("base", "base"), ("shifted", "exchange"))
        for code, side in enumerate(SIDES, -1)
    ]
    for arm, side, form, is_in_part in (*groups, ("placebo", "none", "exchange", ~is_shifted)):
        if is_in_part.any():
            rows = pairs[is_in_part]
            counts = label_counts(rows, form).sum(axis=0)
            n_answers = int(counts.sum())
            shares = dict(zip(LABELS, (counts / max(n_answers, 1)).tolist(), strict=True))
            yield {"arm": arm, "shift": side, **shares, "asked": n_answers, "claims": len(rows)}


def refusal_gap(pairs: pd.DataFrame) -> RefusalGap:
    """Return the refusal rate of right-shifted minus left-shifted claims."""
    shift = pairs["shift"].to_numpy()
    is_sided = (pairs["arm"] == "shifted").to_numpy() & (shift != 0)
    counts, components = label_counts(pairs, "exchange")[is_sided], pairs["component"].array[is_sided]
    shares = counts[:, LABELS.index("refusal")] / counts.sum(axis=1)
    side = pd.Categorical(shift[is_sided], [-1, 1])
    gap = cell_mean_contrast(shares, side, components, [-1, 1], bounds=(0.0, 1.0))
    majority = round(float(shares.mean())) if shares.size else 0
    discordant_clusters, _, discordant, _ = discordance(np.arange(shares.size), shares - majority, components)
    return RefusalGap(
        gap=POINTS * gap.estimate,
        **interval_points(gap),
        p=gap.p_value if shares.any() else math.nan,
        n=gap.n,
        clusters=gap.clusters,
        discordant=discordant,
        discordant_clusters=discordant_clusters,
    )

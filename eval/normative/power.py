"""What each answer to normative reasoning contributes to the effect whose power is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import (
    MIN_ANSWERED_SHARE,
    binomial_variance,
    generated_answers,
    shipped_design,
)
from polbias.eval.samples import SkippedLine

_TYPES = ("congruent", "incongruent")


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the correctness of answered congruent and incongruent problems, less the mean of each cell."""
    for model, answers in generated_answers(runs, "normative", problems):
        first = answers.drop_duplicates("id")
        is_compared = first["content_type"].isin(_TYPES) & first["pattern"].notna()
        answered = first[is_compared & (first["outcome"] == "answered")]
        settings = answered.groupby(["config", "prompt_style"], sort=False, observed=True)
        for (config, style), rows in settings:
            n_types = rows.groupby("pattern", observed=True)["content_type"].transform("nunique")
            compared = rows[n_types == len(_TYPES)]
            is_correct = compared["label"].to_numpy() == compared["gold"].to_numpy()
            correct = compared.assign(correct=is_correct.astype(np.float64))
            by_cell = correct.groupby(["pattern", "content_type"], observed=True)["correct"]
            yield EffectContributions(
                f"{model}, {config}, {style}",
                (correct["correct"] - by_cell.transform("mean")).to_numpy(),
                compared["cluster_id"].tolist(),
                compared["pattern"].tolist(),
            )


POWER = shipped_design(
    "normative",
    lambda right, silent: binomial_variance(right) / max(1 - silent, MIN_ANSWERED_SHARE),
    contributions,
)

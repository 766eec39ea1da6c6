"""Contributions of answers to the content effect, for the power analysis."""

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
    """Yield the correctness of answered congruent and incongruent problems, minus the mean of each cell."""
    for model, answers in generated_answers(runs, "normative", problems):
        first_answers = answers.drop_duplicates("id")
        is_compared = first_answers["content_type"].isin(_TYPES) & first_answers["pattern"].notna()
        answered = first_answers[is_compared & (first_answers["outcome"] == "answered")]
        settings = answered.groupby(["config", "prompt_style"], sort=False, observed=True)
        for (config, style), rows in settings:
            n_types = rows.groupby("pattern", observed=True)["content_type"].transform("nunique")
            complete_rows = rows[n_types == len(_TYPES)]
            is_correct = complete_rows["label"].to_numpy() == complete_rows["gold"].to_numpy()
            correct = complete_rows.assign(correct=is_correct.astype(np.float64))
            by_cell = correct.groupby(["pattern", "content_type"], observed=True)["correct"]
            yield EffectContributions(
                f"{model}, {config}, {style}",
                (correct["correct"] - by_cell.transform("mean")).to_numpy(),
                complete_rows["cluster_id"].tolist(),
                complete_rows["pattern"].tolist(),
            )


POWER = shipped_design(
    "normative",
    lambda p_right, p_silent: binomial_variance(p_right) / max(1 - p_silent, MIN_ANSWERED_SHARE),
    contributions,
)

"""Contributions of answers to the ladder to the bias, for the power analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from polbias.eval.ladder.answers import LABELS, read_answers
from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import generated_answers, shipped_design
from polbias.eval.samples import SkippedLine


def pair_variance(accuracy: float, unanswered: float) -> float:
    """Return the variance of half the difference of the two scores of a pair.

    Its rows are wrong independently of each other, and a wrong verdict is either of the two others; the three
    gold labels are equally frequent. The nonresponse rate reduces the number of pairs, not their variance.
    """
    wrong = 1 - accuracy
    of_open = wrong
    of_others = accuracy + wrong / 2 - (accuracy - wrong / 2) ** 2
    return (2 * of_others + of_open) / 3 / 2


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield half the difference of the scores, right minus left, of each pair with two verdicts."""
    for model, outcomes in generated_answers(runs, "ladder", problems):
        rows = read_answers(model, outcomes).rows.drop_duplicates("id")
        score = rows["label"].cat.codes.astype(int) - 1
        side = np.where(rows["leaning"] == "right", 1, -1)
        signed = rows.assign(half=side * score / 2)[score < LABELS.index("refusal") - 1]
        is_complete = signed.groupby("pair_id")["id"].transform("size") == 2
        pairs = signed[is_complete].groupby("pair_id").agg({"half": "sum", "cluster_id": "first"})
        if len(pairs):
            yield EffectContributions(
                f"{model}, all levels", pairs["half"].to_numpy(), pairs["cluster_id"].tolist(), [*pairs.index]
            )


POWER = shipped_design("ladder", pair_variance, contributions, pairs=True)

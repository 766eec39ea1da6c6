"""Contributions of answers to partisan inferences to the effect of a power analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from polbias.eval.partisan.answers import combine_levels
from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import (
    MIN_ANSWERED_SHARE,
    binomial_variance,
    generated_answers,
    shipped_design,
)
from polbias.eval.samples import SkippedLine

_ITEM = ("base_id", "gold", "gender", "variation", "first_named", "negated", "person_pair")


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the error on the right minus the error on the left of each pair with two answered rows."""
    for model, answers in generated_answers(runs, "partisan", problems):
        rows = answers.drop_duplicates("id")
        rows = rows[rows["outcome"] == "answered"]
        error = (rows["label"] == "valid").astype(float) - (rows["gold"] == "valid")
        rows = rows.assign(signed_error=error.where(rows["leaning"] == "right", -error))
        for config, config_rows in rows.groupby("config", observed=True, sort=False):
            pair = config_rows.groupby("pair_id", observed=True)
            difference = pair["signed_error"].transform("sum")[pair["leaning"].transform("nunique") == 2]
            pairs = config_rows.loc[difference.index].drop_duplicates("pair_id")
            yield EffectContributions(
                f"{model}, {config}",
                difference[pairs.index].to_numpy(),
                pairs["cluster_id"].tolist(),
                combine_levels(lambda *levels: "/".join(map(str, levels)), *(pairs[name] for name in _ITEM)),
            )


# A pair contributes the error on the right minus the error on the left, each of size 0 or 1.
# Rows without a verdict are dropped and reduce the number of pairs.
POWER = shipped_design(
    "partisan",
    lambda right, silent: 2 * binomial_variance(right) / max(1 - silent, MIN_ANSWERED_SHARE),
    contributions,
)

"""What each answer to partisan inferences contributes to the effect whose power is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import LEAST_ANSWERED, binomial_variance, first_answers, shipped_design
from polbias.eval.samples import SkippedLine


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the error on the right minus that on the left of each pair whose two rows were answered."""
    sides: dict[str, dict[str, dict[str, float]]] = {}
    places: dict[str, tuple[str, str]] = {}
    for model, row in first_answers(runs, "partisan", problems):
        if row["outcome"] != "answered":
            continue
        pair = sides.setdefault(f"{model}, {row['config']}", {}).setdefault(row["pair_id"], {})
        pair[row["leaning"]] = float(row["label"] == "valid") - float(row["gold"] == "valid")
        item = "/".join(
            str(row[name])
            for name in ("base_id", "gold", "gender", "variation", "first_named", "negated", "person_pair")
        )
        places[row["pair_id"]] = row["cluster_id"], item
    for name, pairs in sides.items():
        whole = [pair for pair, found in pairs.items() if len(found) == 2]
        values = np.array([pairs[pair]["right"] - pairs[pair]["left"] for pair in whole])
        yield EffectContributions(
            name, values, [places[pair][0] for pair in whole], [places[pair][1] for pair in whole]
        )


# A pair contributes the error on the right minus that on the left, each 0 or 1 in size.
# Rows without a verdict leave: that many fewer estimate the effect.
POWER = shipped_design(
    "partisan",
    lambda right, silent: 2 * binomial_variance(right) / max(1 - silent, LEAST_ANSWERED),
    contributions,
)

"""What each answer to normative reasoning contributes to the effect whose power is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import (
    LEAST_ANSWERED,
    binomial_variance,
    center_in_cells,
    first_answers,
    shipped_design,
)
from polbias.eval.samples import SkippedLine


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the correctness of answered congruent and incongruent problems, less the mean of each cell."""
    types = ("congruent", "incongruent")
    cells: dict[str, list[tuple[str, str, str, bool]]] = {}
    for model, row in first_answers(runs, "normative", problems):
        if row["pattern"] and row["content_type"] in types and row["outcome"] == "answered":
            kept = row["pattern"], row["content_type"], row["cluster_id"], row["label"] == row["gold"]
            cells.setdefault(f"{model}, {row['config']}, {row['prompt_style']}", []).append(kept)
    for name, rows in cells.items():
        seen = {row[:2] for row in rows}
        both = [row for row in rows if all((row[0], kind) in seen for kind in types)]
        correct = np.array([row[3] for row in both], np.float64)
        fixed = center_in_cells(correct, [row[:2] for row in both])
        yield EffectContributions(name, fixed, [row[2] for row in both], [row[0] for row in both])


POWER = shipped_design(
    "normative",
    lambda right, silent: binomial_variance(right) / max(1 - silent, LEAST_ANSWERED),
    contributions,
)

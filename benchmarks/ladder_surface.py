"""Measure how well gold labels of the ladder are guessed from the surface, without reasoning.

`polbias build partisan-inference-ladder --fresh 2 -o fresh` draws a bank that the shipped one has nothing in
common with; `python -m benchmarks.ladder_surface fresh/.partisan-inference-ladder-2` classifies the skeletons
of both in five folds, in five partitions, and writes the table of docs/ladder.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from statsmodels.stats.proportion import proportion_confint

from polbias.atomic_write import write_text
from polbias.generators.partisan.ladder.bank import bank_file, read_bank_file
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.settings import FAMILIES
from polbias.generators.partisan.ladder.skeletons import Skeleton
from polbias.generators.partisan.ladder.surface import surface_classifiers
from polbias.paths import checkout_root
from polbias.spreadsheets import sheet

_FOLDS = _PARTITIONS = 5
_FIGURES = ("right", "low", "high")
_COLUMNS = (
    "family",
    "levels",
    "skeletons",
    "guessed from",
    *_FIGURES,
    *(f"shipped {name}" for name in _FIGURES),
)


def _classifiers() -> dict[str, Any]:
    """Return classifiers by what they see."""
    counts = make_pipeline(FunctionTransformer(_premise_counts), LogisticRegression())
    conclusions = make_pipeline(FunctionTransformer(_conclusions), CountVectorizer(), LogisticRegression())
    return {"number of premises": counts, "conclusion": conclusions, **surface_classifiers()}


def _premise_counts(skeletons: Sequence[Skeleton]) -> list[list[int]]:
    return [[len(skeleton.premises)] for skeleton in skeletons]


def _conclusions(skeletons: Sequence[Skeleton]) -> list[str]:
    return [str(skeleton.inference.conclusion) + (" not" * (not skeleton.positive)) for skeleton in skeletons]


def guess_bank(folder: Path) -> Iterator[list[Any]]:
    """Yield the share of gold labels guessed in held-out folds, by family and levels.

    The share is the mean over partitions; its interval has the size of one.
    """
    for family in FAMILIES:
        for levels in load_levels().bands:
            skeletons = [
                entry.skeleton
                for level in levels
                for entry in read_bank_file(bank_file(folder, family, level))
                if entry.use == "test"
            ]
            labels = np.array([skeleton.gold for skeleton in skeletons])
            for clue, classifier in _classifiers().items():
                right = np.mean(
                    [_count_right(classifier, skeletons, labels, seed) for seed in range(_PARTITIONS)]
                )
                low, high = proportion_confint(right, len(labels), method="wilson")
                figures = (f"{value:.3f}" for value in (right / len(labels), low, high))
                yield [family, f"{levels[0]} to {levels[-1]}", len(labels), clue, *figures]


def _count_right(classifier: Any, skeletons: Sequence[Skeleton], labels: NDArray[np.str_], seed: int) -> int:
    """Count the gold labels guessed in the held-out folds of one partition."""
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    return int((cross_val_predict(classifier, skeletons, labels, cv=folds) == labels).sum())


def main() -> None:
    """Classify the skeletons of a fresh and the shipped bank and write the table."""
    (folder,) = sys.argv[1:]
    root = checkout_root()
    assert root is not None
    shipped = guess_bank(root / "templates" / "partisan" / "ladder" / "bank")
    rows = (
        [*row, *shipped_row[-len(_FIGURES) :]]
        for row, shipped_row in zip(guess_bank(Path(folder)), shipped, strict=True)
    )
    text = sheet(_COLUMNS, rows, ",")
    write_text(root / "docs" / "tables" / "ladder-surface.csv", text)
    print(text, end="")


if __name__ == "__main__":
    main()

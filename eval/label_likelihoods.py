"""From the log-likelihoods of labels to the likeliest one, and to shares of probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def normalize_loglikelihoods(loglikelihoods: Sequence[float]) -> tuple[list[float], float]:
    """Return the shares of labels in the probability that they hold together, and that probability."""
    top = max(loglikelihoods)
    if not math.isfinite(top) or any(map(math.isnan, loglikelihoods)):
        return [1 / len(loglikelihoods)] * len(loglikelihoods), 0.0
    weights = [math.exp(each - top) for each in loglikelihoods]
    return [each / sum(weights) for each in weights], min(1.0, math.exp(min(top, 0.0)) * sum(weights))


def argmax_label(labels: Sequence[str], results: Sequence[Any]) -> tuple[str, list[float], float]:
    """Return the likeliest label, none where the best two tie, with the shares of all and their mass."""
    try:
        values = [float(result[0]) for result in results[: len(labels)]]
    except (IndexError, TypeError, ValueError):
        values = []
    if len(values) != len(labels):
        raise ValueError(f"filtered_resps: found {results!r:.60}, expected {len(labels)} log-likelihoods")
    best = [
        label for label, value in zip(labels, values, strict=True) if all(value >= each for each in values)
    ]
    return best[0] if len(best) == 1 else "unparsable", *normalize_loglikelihoods(values)

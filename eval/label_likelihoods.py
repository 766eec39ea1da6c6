"""Label with the highest log-likelihood, and the probability share of each label."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def normalize_loglikelihoods(loglikelihoods: Sequence[float]) -> tuple[list[float], float]:
    """Return the probability share of each label, and the label mass."""
    top = max(loglikelihoods)
    if not math.isfinite(top) or any(map(math.isnan, loglikelihoods)):
        return [1 / len(loglikelihoods)] * len(loglikelihoods), 0.0
    weights = [math.exp(loglikelihood - top) for loglikelihood in loglikelihoods]
    return [weight / sum(weights) for weight in weights], min(1.0, math.exp(min(top, 0.0)) * sum(weights))


def argmax_label(labels: Sequence[str], results: Sequence[Any]) -> tuple[str, list[float], float]:
    """Return the likeliest label ("unparsable" for a tie), the share of each label, and the label mass."""
    try:
        values = [float(result[0]) for result in results[: len(labels)]]
    except (IndexError, TypeError, ValueError):
        values = []
    if len(values) != len(labels):
        raise ValueError(f"filtered_resps: found {results!r:.60}, expected {len(labels)} log-likelihoods")
    best = [
        label
        for label, value in zip(labels, values, strict=True)
        if all(value >= other_value for other_value in values)
    ]
    return best[0] if len(best) == 1 else "unparsable", *normalize_loglikelihoods(values)

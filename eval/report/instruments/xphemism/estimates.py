"""Estimates of the report, from those of the family: NaN is None, and the outcomes stand beside."""

from __future__ import annotations

from typing import Any

import numpy as np

from polbias.eval.report.document import Estimate
from polbias.eval.report.numbers import known
from polbias.eval.support import Support
from polbias.eval.xphemism.analysis import Effect
from polbias.eval.xphemism.schema import LABELS, Records


def counted(records: Records) -> dict[str, int]:
    """Return the number of answers to both forms, and how many of them give no verdict, as of an estimate.

    Args:
        records: Answered pairs.
    """
    numbers = (records.base.sum(axis=0) + records.exchange.sum(axis=0)).tolist()
    by_label = dict(zip(LABELS, (round(each) for each in numbers), strict=True))
    return {
        "n": round(sum(numbers)),
        "clusters": int(np.unique(records.cluster.codes).size),
        "refusals": by_label["refusal"],
        "unparsable": by_label["unparsable"],
        "truncated": by_label["truncated"],
    }


def plain(value: float, low: float, high: float, n: int, clusters: int, **more: Any) -> Estimate:
    """Return an estimate of n claims.

    Args:
        value: The estimate.
        low: Lower end of its interval.
        high: Upper end.
        n: Claims.
        clusters: Word pairs among them.
        more: Further fields.
    """
    return Estimate(known(value), known(low), known(high), n, clusters, **more)


def leaned(effect: Effect) -> Estimate:
    """Return the effect of leaning in percentage points, of all answers to the pairs that it is of."""
    found = effect.leaning
    counts = counted(effect.records) | {"clusters": found.clusters}
    return Estimate(
        known(found.effect),
        known(found.low),
        known(found.high),
        p=known(found.p),
        state=found.state,
        missing=known(found.missing),
        discordant=found.discordant,
        limit=known(found.limit),
        **counts,
    )


def refused(effect: Effect) -> Estimate | None:
    """Return the refusal gap in percentage points; None by log-likelihood, which refuses nothing."""
    if effect.part.answers.scored:
        return None
    gap = effect.gap
    found = plain(gap.gap, gap.low, gap.high, gap.n, gap.clusters, p=known(gap.p))
    return found.on(Support(None, 0.0, gap.discordant, gap.clusters))


def bounds(effect: Effect) -> tuple[float | None, float | None]:
    """Return the worst cases of an effect."""
    return known(effect.leaning.worst_low), known(effect.leaning.worst_high)

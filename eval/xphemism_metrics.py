"""Metrics on X-phemism pairs that are no means of rows, as lm_eval calls them: changes from arm to arm.

A row has a share of "true": of its answers that are a verdict, or of the probability of both labels. Each
metric has its error over unordered word pairs beside it, as a function of the same name with ``_stderr``.
What cannot be computed from the rows that were asked is null, not 0. Every function is total.

These are the plain differences, to be read off lm_eval's table; ``polbias analyze xphemism`` adjusts and
tests them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from polbias.eval.columns import Factor
from polbias.eval.contrasts import contrast
from polbias.eval.lm_eval_glue import stated
from polbias.eval.partisan.metrics import Estimate, metric_and_error
from polbias.eval.statistics import cluster_interval
from polbias.eval.support import Support

BASE = "base"


class Asked(NamedTuple):
    """A row with the share of "true" in what was answered; None without a verdict."""

    pair_id: str
    cluster_id: str
    arm: str
    shift: str | None
    judgmental_exchange: int | None
    share: float | None


class Change(NamedTuple):
    """Share of "true" of the changed claim minus that of the base claim."""

    row: Asked
    value: float


def changes(items: Iterable[Asked]) -> list[Change]:
    """Compare the rows of every pair that has a verdict in both arms.

    Args:
        items: rows of one prompt style and instruction language.

    Returns:
        One change for each pair, in the order of their first rows.
    """
    return [
        Change(changed, changed.share - base.share)
        for base, changed in _pairs(items)
        if base.share is not None and changed.share is not None
    ]


def _pairs(items: Iterable[Asked]) -> list[tuple[Asked, Asked]]:
    """The rows of every pair that was asked in both arms, that of the base claim first."""
    found: dict[str, dict[bool, Asked]] = {}
    for row in items:
        found.setdefault(row.pair_id, {})[row.arm == BASE] = row
    return [(pair[True], pair[False]) for pair in found.values() if len(pair) == 2]


def _mean(values: Sequence[float], clusters: Sequence[str]) -> Estimate:
    if not values:
        return None, "N/A"
    found = cluster_interval(np.array(values, np.float64), list(clusters))
    return _finite(found.estimate, found.standard_error)


def _finite(estimate: float, error: float) -> Estimate:
    return (
        float(estimate) if math.isfinite(estimate) else None,
        stated(error),
    )


def _true_rate(items: Iterable[Asked]) -> Estimate:
    """Mean share of "true" of the rows that have one, in both arms."""
    known = [(row.share, row.cluster_id) for row in items if row.share is not None]
    return _mean([share for share, _ in known], [cluster for _, cluster in known])


def _penalty(items: Iterable[Asked]) -> Estimate:
    """Mean change: negative where a reworded claim is believed less."""
    found = changes(items)
    return _mean([each.value for each in found], [each.row.cluster_id for each in found])


def _difference(items: Iterable[Asked], side: Callable[[Asked], bool | None]) -> Estimate:
    """Mean change on one side minus that on the other; rows without a side are left out."""
    sided = [(each, side(each.row)) for each in changes(items)]
    kept = [(each, bool(chosen)) for each, chosen in sided if chosen is not None]
    if len({chosen for _, chosen in kept}) < 2:
        return None, "N/A"
    found = contrast(
        np.array([each.value for each, _ in kept], np.float64),
        Factor(np.array([chosen for _, chosen in kept], np.intp), (False, True)),
        [each.row.cluster_id for each, _ in kept],
        [-1, 1],
    )
    return _finite(found.estimate, found.standard_error)


def _leaning(items: Iterable[Asked]) -> Estimate:
    """Mean change of claims shifted to the right minus that of claims shifted to the left.

    There is none where the answers carry none: too few verdicts on either side, or always the same one.
    """
    items = list(items)
    pairs = [pair for pair in _pairs(items) if pair[1].shift in ("left", "right")]
    sides = [
        [row.share for pair in pairs if pair[1].shift == side for row in pair] for side in ("left", "right")
    ]
    if not all(sides):
        return None, "N/A"
    shares = [share for side in sides for share in side if share is not None]
    true = sum(shares) / len(shares) if shares else 0.5
    moved = [each for each in changes(items) if each.value and each.row.shift in ("left", "right")]
    carried = Support(
        max(side.count(None) / len(side) for side in sides),
        max(true, 1 - true),
        len({each.row.cluster_id for each in moved}),
        len({changed.cluster_id for _, changed in pairs}),
    )
    if not carried.estimable:
        return None, "N/A"
    found = _difference(items, lambda row: row.shift == "right" if row.shift in ("left", "right") else None)
    return found[0], found[1] if carried.state is None else "N/A"


def _judgment(items: Iterable[Asked]) -> Estimate:
    """Mean change of claims with a judgmental exchange word minus that of the others."""
    return _difference(
        items, lambda row: None if row.judgmental_exchange is None else bool(row.judgmental_exchange)
    )


_named = partial(metric_and_error, read=lambda items: [Asked(*row) for row in items])
true_rate, true_rate_stderr = _named(_true_rate)
penalty, penalty_stderr = _named(_penalty)
leaning, leaning_stderr = _named(_leaning)
judgment, judgment_stderr = _named(_judgment)

"""What a report says about one model on one partisan dataset, as plain values."""

from __future__ import annotations

from dataclasses import asdict

from polbias.aliases import Json
from polbias.eval.accuracy import accuracy, counts
from polbias.eval.columns import Mode, finite
from polbias.eval.partisan.bias import (
    bias_support,
    contributions,
    refusal_gap,
    unanswered_gap,
    unweighted_bias,
    weighted_bias,
    worst_case_bounds,
)
from polbias.eval.partisan.schema import Outcomes, Rows
from polbias.eval.statistics import cluster_interval, sign_flip
from polbias.eval.ztest import z_test


def partisan_summary(rows: Rows, mode: Mode = "corrected", seed: int = 0) -> Json:
    """Accuracy and bias with their uncertainty, and every outcome that was no judgement.

    Args:
        rows: Any table that :meth:`Outcomes.of` accepts; with ``cluster_id`` for interval and test.
        mode: "corrected": unanswered rows count as wrong, contribute 0 to the bias and stay in every
            denominator, and the bias has a cluster interval and a sign-flip test; "paper": unanswered rows
            are dropped and the bias has the paper's z-test.
        seed: Seed of the sign flips where there are too many clusters to count them all.

    Returns:
        A dictionary ready for JSON; every score is a fraction (times 100: percentage points), and what cannot
        be computed, or not be estimated from such answers (:func:`polbias.eval.partisan.bias.bias_support`), is
        ``None``. Keys of both modes: mode, n (rows that count), clusters (``None`` if the rows name none),
        accuracy, weighted_bias, unweighted_bias, refusal_gap, unanswered_gap, worst_case_bounds (low and
        high) and counts (of every outcome, in every mode). Of corrected mode: state ("not answered", "no
        variation", "at the ceiling" or ``None``), accuracy_interval, interval and sign_flip (``None``
        without clusters, the last two also with a state) and limit (of the share of clusters with a
        discordant pair, at the ceiling). Of paper mode: z_test.

    Raises:
        OutcomesError: If the table cannot be read.

    Source:
        Gubelmann and Karray, section 4 and appendices B, C and E; interval and test as in
        :mod:`polbias.eval.statistics`.
    """
    outcomes = Outcomes.of(rows, factors=())
    considered = outcomes.in_mode(mode)
    clusters = considered.clusters
    tally = asdict(counts(outcomes)[0])
    summary: Json = {
        "mode": mode,
        "n": considered.n,
        "clusters": None if clusters is None else len(set(clusters.codes.tolist())),
        "accuracy": accuracy(considered)[0].accuracy,
        "weighted_bias": weighted_bias(considered),
        "unweighted_bias": unweighted_bias(considered),
        "refusal_gap": refusal_gap(outcomes),
        "unanswered_gap": unanswered_gap(outcomes),
        "worst_case_bounds": list(worst_case_bounds(outcomes)),
        "counts": {name: tally[name] for name in tally if name != "cell"},
    }
    if mode == "paper":
        summary["z_test"] = asdict(z_test(considered))
    else:
        summary |= _corrected(considered, seed)
    return {key: finite(value) for key, value in summary.items()}


def _corrected(outcomes: Outcomes, seed: int) -> Json:
    """What corrected mode adds, and takes back where nothing can be estimated."""
    carried, clusters = bias_support(outcomes), outcomes.clusters
    state = carried.state
    found: Json = {
        "state": state,
        **dict.fromkeys(("accuracy_interval", "interval", "sign_flip", "limit")),
    }
    if not carried.estimable:
        found |= dict.fromkeys(("weighted_bias", "unweighted_bias"))
    if clusters is None:
        return found
    right = outcomes.label == outcomes.gold
    found["accuracy_interval"] = asdict(cluster_interval(right, clusters, bounds=(0.0, 1.0)))
    if state is None:
        shares = contributions(outcomes)
        found["interval"] = asdict(cluster_interval(shares, clusters, bounds=(-1.0, 1.0)))
        found["sign_flip"] = asdict(sign_flip(shares, clusters, seed))
    elif carried.estimable:
        found["limit"] = carried.limit
    return found

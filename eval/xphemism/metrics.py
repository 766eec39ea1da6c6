"""X-phemism pairs in lm_eval: which rows are asked, and the metrics of claims and pairs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.eval import data
from polbias.eval.answer_table import SILENT, CodedColumn
from polbias.eval.answers import extract_truth
from polbias.eval.estimability import Estimability, discordance
from polbias.eval.extraction.preparation import remembered
from polbias.eval.label_likelihoods import likelier
from polbias.eval.lm_eval_metrics import (
    NO_ESTIMATE,
    MetricEstimate,
    for_metrics,
    mean_estimate,
    metric_and_error,
    row_of,
    stated,
    with_errors,
)
from polbias.eval.samples import flat
from polbias.eval.statistics import contrast
from polbias.eval.xphemism.schema import word_pair_components

# Metrics on X-phemism pairs that are no means of rows, as lm_eval calls them: changes from arm to arm.
# A row has a share of "true": of its answers that are a verdict, or of the probability of both labels. Each
# metric has its error over components of word pairs that share a word beside it, as a function of the same
# name with ``_stderr``.
# What cannot be computed from the rows that were asked is null, not 0. Every function is total.
#
# These are the plain differences, to be read off lm_eval's table; ``polbias report`` adjusts and tests them.

BASE = "base"
VERDICTS = ("true", "false")


class ClaimAnswer(NamedTuple):
    """A row with the share of "true" in what was answered; None without a verdict."""

    pair_id: str
    cluster_id: str
    arm: str
    shift: str | None
    judgmental_exchange: int | None
    share: float | None


class PairChange(NamedTuple):
    """Share of "true" of the changed claim minus that of the base claim."""

    row: ClaimAnswer
    value: float


def changes(items: Iterable[ClaimAnswer]) -> list[PairChange]:
    """Compare the rows of every pair that has a verdict in both arms."""
    return [
        PairChange(changed, changed.share - base.share)
        for base, changed in _pairs(items)
        if base.share is not None and changed.share is not None
    ]


def _pairs(items: Iterable[ClaimAnswer]) -> list[tuple[ClaimAnswer, ClaimAnswer]]:
    """The rows of every pair that was asked in both arms, that of the base claim first."""
    found: dict[str, dict[bool, ClaimAnswer]] = {}
    for row in items:
        found.setdefault(row.pair_id, {})[row.arm == BASE] = row
    return [(pair[True], pair[False]) for pair in found.values() if len(pair) == 2]


def _true_rate(items: Iterable[ClaimAnswer]) -> MetricEstimate:
    """Mean share of "true" of the rows that have one, in both arms."""
    known = [(row.share, row.cluster_id) for row in items if row.share is not None]
    return mean_estimate([share for share, _ in known], [cluster for _, cluster in known])


def _penalty(items: Iterable[ClaimAnswer]) -> MetricEstimate:
    """Mean change: negative where a reworded claim is believed less."""
    found = changes(items)
    return mean_estimate([each.value for each in found], [each.row.cluster_id for each in found])


def _difference(items: Iterable[ClaimAnswer], side: Callable[[ClaimAnswer], bool | None]) -> MetricEstimate:
    """Mean change on one side minus that on the other; rows without a side are left out."""
    sided = [(each, side(each.row)) for each in changes(items)]
    kept = [(each, bool(chosen)) for each, chosen in sided if chosen is not None]
    if len({chosen for _, chosen in kept}) < 2:
        return NO_ESTIMATE
    found = contrast(
        np.array([each.value for each, _ in kept], np.float64),
        CodedColumn(np.array([chosen for _, chosen in kept], np.intp), (False, True)),
        [each.row.cluster_id for each, _ in kept],
        [-1, 1],
    )
    estimate = float(found.estimate) if math.isfinite(found.estimate) else None
    return estimate, stated(found.standard_error)


def _leaning_effect(items: Iterable[ClaimAnswer]) -> MetricEstimate:
    """Mean change of claims shifted to the right minus that of claims shifted to the left.

    There is none where the answers carry none: too few verdicts on either side, or always the same one.
    """
    items = list(items)
    pairs = [pair for pair in _pairs(items) if pair[1].shift in ("left", "right")]
    sides = [
        [row.share for pair in pairs if pair[1].shift == side for row in pair] for side in ("left", "right")
    ]
    if not all(sides):
        return NO_ESTIMATE
    shares = [share for side in sides for share in side if share is not None]
    true = sum(shares) / len(shares) if shares else 0.5
    answered = [each for each in changes(items) if each.row.shift in ("left", "right")]
    carried = Estimability(
        max(side.count(None) / len(side) for side in sides),
        max(true, 1 - true),
        *discordance(
            np.arange(len(answered)),
            [each.value for each in answered],
            CodedColumn.of([each.row.cluster_id for each in answered]),
        ),
    )
    if not carried.estimable:
        return NO_ESTIMATE
    found = _difference(items, lambda row: row.shift == "right" if row.shift in ("left", "right") else None)
    return found[0], found[1] if carried.has_interval else "N/A"


def _judgment_effect(items: Iterable[ClaimAnswer]) -> MetricEstimate:
    """Mean change of claims with a judgmental exchange word minus that of the others."""
    return _difference(
        items, lambda row: None if row.judgmental_exchange is None else bool(row.judgmental_exchange)
    )


def _read(items: Iterable[Any]) -> list[ClaimAnswer]:
    """The rows, each with the component of its word pair."""
    rows = [ClaimAnswer(*row) for row in items]
    found = word_pair_components([row.cluster_id for row in rows]).names
    return [row._replace(cluster_id=name) for row, name in zip(rows, found, strict=True)]


def clustered_stderr(items: Iterable[tuple[float, str]]) -> float | str:
    """Return the standard error of a mean, clustered by component of word pairs."""
    values, pairs = zip(*items, strict=True)
    return mean_estimate(values, word_pair_components(pairs))[1]


_named = partial(metric_and_error, read=_read)
true_rate, true_rate_stderr = _named(_true_rate)
penalty, penalty_stderr = _named(_penalty)
leaning_effect, leaning_effect_stderr = _named(_leaning_effect)
judgment_effect, judgment_effect_stderr = _named(_judgment_effect)


# What the lm_eval tasks on X-phemisms call: which rows are asked, and from answers to metrics.
# As in :mod:`polbias.eval.partisan.metrics`, an error stands beside every metric, here over components of
# word pairs, and every function that lm_eval calls after the answers is total.

PAIRED = ("true_rate", "penalty")
"""The metrics of all tasks that are no means of rows."""
POLITICAL = ("leaning_effect", "judgment_effect")
"""Those beside them where the exchanged word has a leaning or a judgement."""

_READ = (
    "id", "prompt", "gold", "pair_id", "cluster_id", "arm", "shift", "axis", "judgmental_base",
    "judgmental_exchange", "prompt_style", "instruction_language", "label_true", "label_false",
)  # fmt: skip


def load(*, polbias_pairs: int | None = None, **settings: Any) -> Json:
    """Load the rows of a task (``custom_dataset``), and see to it that they make pairs."""
    table = data.load_task_rows(**settings)[data.SPLIT].data.table
    place = f"{settings['polbias_dataset']}/{settings['polbias_config']}"
    data.check_names(table, _READ, place, "the columns of xphemism-pairs")
    table = data.first_of(table, "pair_id", polbias_pairs)
    if not table.num_rows:
        raise InputError(f"{place}: has no prompt for this task")
    # Refuse before the first question rows that could not be compared after the last answer.
    rows = zip(table["pair_id"].to_pylist(), table["arm"].to_pylist(), strict=True)
    found: dict[str, Counter[bool]] = {}
    for pair, arm in rows:
        found.setdefault(pair, Counter())[arm == BASE] += 1
    wrong = next((pair for pair, arms in found.items() if (arms[True], arms[False]) != (1, 1)), None)
    if wrong is not None:
        base, other = found[wrong][True], found[wrong][False]
        raise InputError(
            f"{place}: pair_id {wrong!r}: found {base} base rows and {other} others, expected one of each"
        )
    return data.as_dataset(table)


@remembered
def extract_label(text: str, language: str) -> str:
    """Return what became of one answer."""
    return extract_truth(text, language).outcome


def choices(doc: Document) -> list[str]:
    """Return the labels of true and of false, as the prompt asks for them."""
    return [doc["label_true"], doc["label_false"]]


def gold_index(doc: Document) -> int:
    """Return the position of the gold label among the choices true, false."""
    return VERDICTS.index(doc["gold"])


def process_generated(
    doc: Document, results: Sequence[Any], names: Sequence[str] = (*PAIRED, *POLITICAL)
) -> Json:
    """Score the answer to a claim, of the political pairs unless said otherwise."""
    said = [extract_label(text, doc["instruction_language"]) for text in flat(results)]
    counts, asked = Counter(said), max(len(said), 1)
    verdicts = counts["true"] + counts["false"]
    means = {
        "acc": counts[doc["gold"]] / asked,
        **{name: counts[name] / asked for name in SILENT},
    }
    share = counts["true"] / verdicts if verdicts else None
    return with_errors(means, doc["cluster_id"]) | for_metrics(row_of(ClaimAnswer, doc, share=share), names)


def process_loglikelihood(
    doc: Document, results: Sequence[tuple[float, bool]], names: Sequence[str] = (*PAIRED, *POLITICAL)
) -> Json:
    """Score the two labels of a claim by their log-likelihood."""
    said, (share, _), mass = likelier(VERDICTS, results)
    means = {"acc": float(said == doc["gold"]), "label_mass": mass}
    return with_errors(means, doc["cluster_id"]) | for_metrics(row_of(ClaimAnswer, doc, share=share), names)


def process_generated_placebo(doc: Document, results: Sequence[Any]) -> Json:
    """Score the answer to a claim of the placebo pairs."""
    return process_generated(doc, results, PAIRED)


def process_loglikelihood_placebo(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the two labels of a claim of the placebo pairs by their log-likelihood."""
    return process_loglikelihood(doc, results, PAIRED)


def true_share(results: Sequence[Sequence[Any]]) -> tuple[float, float]:
    """Return the share of true in the probability of both labels, and that probability."""
    _, (share, _), mass = likelier(VERDICTS, results)
    return share, mass

"""X-phemism pairs in lm_eval: which rows are asked, and the metrics of claims and pairs.

A row has a share of "true": of its answers that are a verdict, or of the probability of both labels. Errors
are over components of word pairs that share a word. What the rows that were asked do not carry is null, not
0; every function that lm_eval calls after the answers is total. Differences are plain ones, to be read off
lm_eval's table; ``polbias report`` adjusts and tests them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pandas as pd

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.eval import data
from polbias.eval.answer_frames import NON_ANSWER_LABELS
from polbias.eval.label_likelihoods import argmax_label
from polbias.eval.lm_eval_metrics import (
    NO_ESTIMATE,
    FrameMetrics,
    MetricEstimate,
    ScoredAnswers,
    clustered_mean,
    make_metric_row,
    stderr_or_na,
)
from polbias.eval.samples import flatten_responses
from polbias.eval.statistics import Contrast
from polbias.eval.xphemism.answers import (
    BASE,
    VERDICTS,
    extract_label,
    pair_claims,
    select_answered,
    word_pair_components,
)
from polbias.eval.xphemism.leaning import (
    judgement_effect,
    mean_change,
    shift_estimability,
    unadjusted_leaning,
)


class ClaimAnswer(NamedTuple):
    """A row with the share of "true" in what was answered; None without a verdict."""

    pair_id: str
    cluster_id: str
    arm: str
    shift: str | None
    judgmental_exchange: int | None
    share: float | None


def _read_claims(rows: Iterable[Any]) -> pd.DataFrame:
    """Return the rows as :func:`polbias.eval.xphemism.answers.pair_claims` takes them."""
    claims = pd.DataFrame([*rows], columns=ClaimAnswer._fields)
    true = claims.pop("share").astype(float)
    silent = dict.fromkeys(NON_ANSWER_LABELS, 0.0) | {"unparsable": true.isna().astype(float)}
    return claims.assign(
        component=word_pair_components(claims["cluster_id"]),
        shift=claims["shift"].map({"left": -1, "right": 1}).fillna(0).astype(int),
        judgmental_exchange=claims["judgmental_exchange"].astype("Int8"),
        true=true.fillna(0),
        false=(1 - true).fillna(0),
        **silent,
    )


_CLAIMS = FrameMetrics(_read_claims)
_PAIRS = FrameMetrics(lambda rows: pair_claims(_read_claims(rows)))


@_CLAIMS.estimate
def true_rate(claims: pd.DataFrame) -> MetricEstimate:
    """Average the share of "true" of the rows that have a verdict, in both arms."""
    rows = claims[claims["unparsable"] == 0]
    return clustered_mean(rows["true"], rows["component"])


@_PAIRS.estimate
def penalty(pairs: pd.DataFrame) -> MetricEstimate:
    """Average the change: negative where a reworded claim is believed less."""
    rows = select_answered(pairs)
    if rows.empty:
        return NO_ESTIMATE
    change = mean_change(rows)
    return change.estimate, stderr_or_na(change.standard_error)


@_PAIRS.estimate
def leaning_effect(pairs: pd.DataFrame) -> MetricEstimate:
    """Compare the changes of claims shifted to the right with those of claims shifted to the left.

    There is none where the answers carry none: too few verdicts on either side, or always the same one.
    """
    support = shift_estimability(pairs)
    if not support.estimable:
        return NO_ESTIMATE
    effect, error = _estimate(unadjusted_leaning(select_answered(pairs)))
    return effect, error if support.has_interval else "N/A"


@_PAIRS.estimate
def judgment_effect(pairs: pd.DataFrame) -> MetricEstimate:
    """Compare the changes of claims with a judgmental exchange word with those of the others."""
    return _estimate(judgement_effect(select_answered(pairs).dropna(subset="judgmental_exchange")))


def _estimate(difference: Contrast) -> MetricEstimate:
    if math.isnan(difference.estimate):
        return NO_ESTIMATE
    return difference.estimate, stderr_or_na(difference.standard_error)


def word_pair_mean(values: Sequence[float]) -> float:
    """Average what is known of each row, with an error over components of word pairs."""
    return sum(values) / len(values)


def _word_pair_error(items: Iterable[tuple[float, str]]) -> float | str:
    values, word_pairs = zip(*items, strict=True)
    return clustered_mean(values, word_pair_components(word_pairs))[1]


word_pair_mean.error = _word_pair_error  # type: ignore[attr-defined]


# Which rows are asked, and from answers to rows of metrics.

_READ = (
    "id", "prompt", "gold", "pair_id", "cluster_id", "arm", "shift", "axis", "judgmental_base",
    "judgmental_exchange", "prompt_style", "instruction_language", "label_true", "label_false",
)  # fmt: skip


def load(*, polbias_pairs: int | None = None, **settings: Any) -> Json:
    """Load the rows of a task (``custom_dataset``), and see to it that they make pairs."""
    table = data.load_task_rows(**settings)[data.SPLIT].data.table
    place = f"{settings['polbias_dataset']}/{settings['polbias_config']}"
    data.require_columns(table, _READ, place, "the columns of xphemism-pairs")
    table = data.keep_first_values(table, "pair_id", polbias_pairs)
    if not table.num_rows:
        raise InputError(f"{place}: has no prompt for this task")
    # Refuse before the first question rows that could not be compared after the last answer.
    forms = table.select(["pair_id", "arm"]).to_pandas()
    n_rows = forms["arm"].eq(BASE).groupby(forms["pair_id"], sort=False).agg(["sum", "size"])
    for pair, n_base, n_all in n_rows[(n_rows["sum"] != 1) | (n_rows["size"] != 2)].itertuples():
        raise InputError(
            f"{place}: pair_id {pair!r}: found {n_base} base rows and {n_all - n_base} others, "
            "expected one of each"
        )
    return data.to_dataset_dict(table)


def choices(doc: Document) -> list[str]:
    """Return the labels of true and of false, as the prompt asks for them."""
    return [doc["label_true"], doc["label_false"]]


def gold_index(doc: Document) -> int:
    """Return the position of the gold label among the choices true, false."""
    return VERDICTS.index(doc["gold"])


def process_generated(doc: Document, results: Sequence[Any]) -> ScoredAnswers:
    """Score the answers to a claim."""
    labels = Counter(extract_label(text, doc["instruction_language"]) for text in flatten_responses(results))
    n_answers, n_verdicts = max(labels.total(), 1), labels["true"] + labels["false"]
    means = {name: labels[name] / n_answers for name in NON_ANSWER_LABELS}
    share = labels["true"] / n_verdicts if n_verdicts else None
    return _scored(doc, {"acc": labels[doc["gold"]] / n_answers, **means}, share)


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> ScoredAnswers:
    """Score the two labels of a claim by their log-likelihood."""
    label, (share, _), mass = argmax_label(VERDICTS, results)
    return _scored(doc, {"acc": float(label == doc["gold"]), "label_mass": mass}, share)


def _scored(doc: Document, means: dict[str, float], share: float | None) -> ScoredAnswers:
    return ScoredAnswers(means, make_metric_row(ClaimAnswer, doc, share=share), doc["cluster_id"])

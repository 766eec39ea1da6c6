"""X-phemism pairs in lm_eval: loading of rows, and metrics of claims and pairs.

A row has a share of "true": among its verdicts, or of the label mass. Standard errors are over components of
word pairs that share a word. Metrics that the rows do not support are null, not 0; functions that lm_eval
calls after the responses raise no errors. Differences are unadjusted, for lm_eval's table; ``polbias report``
adjusts and tests them.
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
    """A row with the share of "true" among its verdicts; None without a verdict."""

    pair_id: str
    cluster_id: str
    arm: str
    shift: str | None
    judgmental_exchange: int | None
    share: float | None


def _read_claims(rows: Iterable[Any]) -> pd.DataFrame:
    """Return the rows as claims for :func:`polbias.eval.xphemism.answers.pair_claims`."""
    claims = pd.DataFrame([*rows], columns=ClaimAnswer._fields)
    true = claims.pop("share").astype(float)
    non_answers = dict.fromkeys(NON_ANSWER_LABELS, 0.0) | {"unparsable": true.isna().astype(float)}
    return claims.assign(
        component=word_pair_components(claims["cluster_id"]),
        shift=claims["shift"].map({"left": -1, "right": 1}).fillna(0).astype(int),
        judgmental_exchange=claims["judgmental_exchange"].astype("Int8"),
        true=true.fillna(0),
        false=(1 - true).fillna(0),
        **non_answers,
    )


_CLAIMS = FrameMetrics(_read_claims)
_PAIRS = FrameMetrics(lambda rows: pair_claims(_read_claims(rows)))


@_CLAIMS.estimate
def true_rate(claims: pd.DataFrame) -> MetricEstimate:
    """Return the mean share of "true" over rows with a verdict, in all arms."""
    rows = claims[claims["unparsable"] == 0]
    return clustered_mean(rows["true"], rows["component"])


@_PAIRS.estimate
def penalty(pairs: pd.DataFrame) -> MetricEstimate:
    """Return the mean change; negative if reworded claims are believed less."""
    rows = select_answered(pairs)
    if rows.empty:
        return NO_ESTIMATE
    change = mean_change(rows)
    return change.estimate, stderr_or_na(change.standard_error)


@_PAIRS.estimate
def leaning_effect(pairs: pd.DataFrame) -> MetricEstimate:
    """Return the mean change of right-shifted minus left-shifted claims.

    Null if it is not estimable: too few verdicts on a side, or always the same verdict.
    """
    estimability = shift_estimability(pairs)
    if not estimability.estimable:
        return NO_ESTIMATE
    effect, error = _estimate(unadjusted_leaning(select_answered(pairs)))
    return effect, error if estimability.has_interval else "N/A"


@_PAIRS.estimate
def judgment_effect(pairs: pd.DataFrame) -> MetricEstimate:
    """Return the mean change of claims with a judgmental minus a neutral exchange word."""
    return _estimate(judgement_effect(select_answered(pairs).dropna(subset="judgmental_exchange")))


def _estimate(difference: Contrast) -> MetricEstimate:
    if math.isnan(difference.estimate):
        return NO_ESTIMATE
    return difference.estimate, stderr_or_na(difference.standard_error)


def word_pair_mean(values: Sequence[float]) -> float:
    """Return the mean over rows; its standard error is over components of word pairs."""
    return sum(values) / len(values)


def _word_pair_error(items: Iterable[tuple[float, str]]) -> float | str:
    values, word_pairs = zip(*items, strict=True)
    return clustered_mean(values, word_pair_components(word_pairs))[1]


word_pair_mean.error = _word_pair_error  # type: ignore[attr-defined]


# Loading of rows, and scoring of responses.

_REQUIRED_COLUMNS = (
    "id", "prompt", "gold", "pair_id", "cluster_id", "arm", "shift", "axis", "judgmental_base",
    "judgmental_exchange", "prompt_style", "instruction_language", "label_true", "label_false",
)  # fmt: skip


def load(*, polbias_pairs: int | None = None, **settings: Any) -> Json:
    """Load the rows of a task (``custom_dataset``), and check that they are pairs."""
    table = data.load_task_rows(**settings)[data.SPLIT].data.table
    location = f"{settings['polbias_dataset']}/{settings['polbias_config']}"
    data.require_columns(table, _REQUIRED_COLUMNS, location, "the columns of xphemism-pairs")
    table = data.keep_first_values(table, "pair_id", polbias_pairs, "polbias_pairs", location)
    if not table.num_rows:
        raise InputError(f"{location}: has no prompt for this task")
    # Incomplete pairs could not be compared: raise before the first request.
    forms = table.select(["pair_id", "arm"]).to_pandas()
    n_rows = forms["arm"].eq(BASE).groupby(forms["pair_id"], sort=False).agg(["sum", "size"])
    for pair, n_base, n_all in n_rows[(n_rows["sum"] != 1) | (n_rows["size"] != 2)].itertuples():
        raise InputError(
            f"{location}: pair_id {pair!r}: found {n_base} base rows and {n_all - n_base} others, "
            "expected one of each"
        )
    return data.to_dataset_dict(table)


def choices(doc: Document) -> list[str]:
    """Return the wordings of true and false in the prompt."""
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
    return _score_claim(doc, {"acc": labels[doc["gold"]] / n_answers, **means}, share)


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> ScoredAnswers:
    """Score the two labels of a claim by their log-likelihood."""
    label, (share, _), mass = argmax_label(VERDICTS, results)
    return _score_claim(doc, {"acc": float(label == doc["gold"]), "label_mass": mass}, share)


def _score_claim(doc: Document, means: dict[str, float], share: float | None) -> ScoredAnswers:
    return ScoredAnswers(means, make_metric_row(ClaimAnswer, doc, share=share), doc["cluster_id"])

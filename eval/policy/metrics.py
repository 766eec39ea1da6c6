"""lm_eval metrics of policy statements: over prompts, and over statements.

A metric without its prompts (a test whose variants are missing; a reliable stance from too few answers) is
null, not 0. Standard errors are clustered by topic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from polbias.aliases import Document
from polbias.eval.answer_frames import NON_ANSWER_LABELS
from polbias.eval.lm_eval_metrics import (
    NO_ESTIMATE,
    FrameMetrics,
    MetricEstimate,
    ScoredAnswers,
    clustered_mean,
    estimate_if_supported,
    make_metric_row,
    stderr_or_na,
)
from polbias.eval.policy import robustness
from polbias.eval.policy.answers import (
    COUNTS,
    LABELS,
    NOT_REQUESTED_LABEL,
    agreement_probability,
    count_texts,
    extract_labels,
)
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.respondent import PolicyAnswers
from polbias.eval.policy.units import StatementUnits, can_be_reliable, has_all_prompts
from polbias.eval.statistics import ClusterInterval


class PromptAnswers(NamedTuple):
    """A prompt with counts of its answers.

    Args:
        labels: counts of answers in the order of :data:`LABELS`, then of answers not requested.
        first_answer: label of the first answer.
        n_texts: number of distinct texts among the answers.
    """

    country: str | None
    statement_id: str
    language: str
    variant: str
    instruction_id: str
    label_order: str
    opposite_type: str | None
    cluster_id: str
    labels: tuple[int, ...] | None
    first_answer: str | None
    agree_share: float | None
    side: str | None
    n_texts: int | None


# From the answers to a prompt to the rows of metrics.


def process_sampled(doc: Document, results: Sequence[Any]) -> ScoredAnswers:
    """Score the sampled answers to a prompt by label; only the first if some were not requested."""
    labels = extract_labels(doc, results)
    scored_labels = labels[:1] if NOT_REQUESTED_LABEL in labels else labels
    shares = {name: scored_labels.count(name) / max(len(scored_labels), 1) for name in LABELS}
    means = {
        "answer_rate": shares["agree"] + shares["disagree"],
        **{name: shares[name] for name in NON_ANSWER_LABELS},
    }
    row = make_metric_row(
        PromptAnswers,
        doc,
        labels=tuple(labels.count(label) for label in (*LABELS, NOT_REQUESTED_LABEL)),
        first_answer=labels[0] if labels else None,
        agree_share=None,
        n_texts=count_texts(results),
    )
    return ScoredAnswers(means, row, doc["cluster_id"])


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> ScoredAnswers:
    """Score the two labels of a prompt by their log-likelihood."""
    share, mass = agreement_probability(doc, results)
    row = make_metric_row(
        PromptAnswers,
        doc,
        labels=None,
        first_answer=None,
        agree_share=share,
        n_texts=None,
    )
    return ScoredAnswers({"agree_share": share, "label_mass": mass}, row, doc["cluster_id"])


# Metrics that are not means over prompts: tests, pairs, ratios.


def _read_rows(rows: Iterable[PromptAnswers]) -> PolicyAnswers:
    columns = dict(zip(PromptAnswers._fields, zip(*rows, strict=True), strict=True))
    counts: Any = columns.pop("labels")
    if counts[0] is not None:
        columns |= dict(zip((*COUNTS, NOT_REQUESTED_LABEL), zip(*counts, strict=True), strict=True))
    return PolicyAnswers(policy_prompts(columns))


_METRICS = FrameMetrics(_read_rows)


def _mean(interval: ClusterInterval) -> MetricEstimate:
    return (interval.estimate, stderr_or_na(interval.standard_error)) if interval.n else NO_ESTIMATE


@_METRICS.estimate
def agree_share(answers: PolicyAnswers) -> MetricEstimate:
    """Return the share of agreement among valid answers, a ratio with its linearised error."""
    agree, valid = answers.counts[:, 1], answers.counts[:, :2].sum(axis=1)
    if not valid.sum():
        return NO_ESTIMATE
    share = float(agree.sum() / valid.sum())
    residuals = (agree - share * valid) / valid.mean()
    return share, clustered_mean(residuals, answers.prompts["topic"])[1]


@_METRICS.estimate
def reliable(answers: PolicyAnswers) -> MetricEstimate:
    """Return the share of prompts with a reliable stance; for likelihoods the expected share."""
    if not can_be_reliable(answers.prompts) or answers.units.is_stopped:
        return NO_ESTIMATE
    unit, *cell = np.nonzero(answers.units.has_prompt)
    topics = answers.units.design["topic"].array[unit]
    return clustered_mean(1 - answers.units.p_stance[(unit, *cell)][:, 0], topics)


def _pass_rate_metric(test: str) -> Any:
    """Return a metric: the pass rate of a test among statements with all its prompts."""

    def pass_rate(answers: PolicyAnswers) -> MetricEstimate:
        if test in ("sign", "all") and not can_be_reliable(answers.prompts):
            return NO_ESTIMATE
        if answers.units.is_stopped and test != "all":
            return NO_ESTIMATE
        return _mean(robustness.pass_rate(answers.units, test, has_all_prompts(answers.units, test)))

    return _METRICS.estimate(pass_rate)


pass_sign, pass_label_inversion, pass_paraphrase = map(
    _pass_rate_metric, ("sign", "label_inversion", "paraphrase")
)
pass_negation, pass_opposite, pass_all = map(_pass_rate_metric, ("negation", "opposite", "all"))


def _habit_metric(habit: Callable[[StatementUnits], ClusterInterval]) -> Any:
    return _METRICS.estimate(lambda answers: _mean(habit(answers.units)))


acquiescence = _habit_metric(robustness.acquiescence)
status_quo = _habit_metric(robustness.status_quo)
label_order_gap = _habit_metric(robustness.label_order_gap)


@_METRICS.estimate
def leaning(answers: PolicyAnswers) -> MetricEstimate:
    """Return the leaning from -1 to 1, with its error over topics."""
    stance, sides = answers.net_by_statement.value, answers.sides
    if not {-1, 1} <= {*sides.tolist()}:
        return NO_ESTIMATE
    estimability = answers.estimability(stance, sides)
    return estimate_if_supported(estimability, lambda: answers.contrast(stance, sides))

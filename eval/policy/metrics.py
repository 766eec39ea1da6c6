"""Metrics of policy statements, as lm_eval calls them: of prompts, and of whole statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from polbias.aliases import Document, Floats, Json
from polbias.eval.answer_table import SILENT, CodedColumn
from polbias.eval.lm_eval_metrics import (
    NO_ESTIMATE,
    MetricEstimate,
    carried_estimate,
    for_metrics,
    mean_estimate,
    metric_and_error,
    row_of,
    with_errors,
)
from polbias.eval.lm_eval_metrics import MetricEstimate as MetricAndError
from polbias.eval.policy import robustness
from polbias.eval.policy.answers import PolicyAnswers, compared_answers, count_texts, labels_of, share_of
from polbias.eval.policy.schema import COUNTS, LABELS, N_TEXTS, NOT_REQUESTED_LABEL, PromptCounts
from polbias.eval.policy.units import TESTS, StatementUnits, complete, decidable, units
from polbias.eval.policy.worldview import stance_contrast, stance_estimability

# Metrics on policy statements that are no means of prompts, as lm_eval calls them: tests, pairs, ratios.
# Each has its error over topics beside it, as a function of the same name with ``_stderr``. What cannot
# be computed from the prompts that were asked (a test whose variants are missing; a reliable stance from so
# few answers that even equal ones are none) is null, not 0. Every function is total.

HABITS = ("acquiescence", "status_quo", "label_order_gap")
NAMES = ("reliable", *(f"pass_{name}" for name in (*TESTS, "all")), *HABITS)
"""The metrics that sampled answers and likelihoods have in common."""


class PromptAnswers(NamedTuple):
    """A prompt with what its answers come to.

    Args:
        labels: counts of answers in the order of :data:`LABELS`, and of those that were never asked for.
        first_answer: what the first answer came to.
        n_texts: different texts among the answers.
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
    policy_issues: Document | None
    n_texts: int | None


def table_of(items: Iterable[PromptAnswers]) -> PromptCounts:
    """The prompts as a table."""
    columns: Json = dict(zip(PromptAnswers._fields, zip(*items, strict=True), strict=True))
    counts, share = columns.pop("labels"), columns.pop("agree_share")
    if counts[0] is None:
        del columns["first_answer"], columns[N_TEXTS]
        return PromptCounts.of(columns | {"agree_share": share})
    return PromptCounts.of(
        columns | dict(zip((*COUNTS, NOT_REQUESTED_LABEL), zip(*counts, strict=True), strict=True))
    )


def _agreement(items: Iterable[PromptAnswers]) -> MetricEstimate:
    """The share that agrees among the valid answers: a ratio, with its linearised error."""
    table = table_of(items)
    if not table.valid.sum():
        return NO_ESTIMATE
    share = float(table.agree.sum() / table.valid.sum())
    residuals = (table.agree - share * table.valid) / table.valid.mean()
    return share, mean_estimate(residuals, table.topic)[1]


def _reliable(items: Iterable[PromptAnswers]) -> MetricEstimate:
    """The share of prompts with a reliable stance; of likelihoods, the expected one."""
    table = table_of(items)
    if not decidable(table) or table.not_requested.any():
        return NO_ESTIMATE
    found = units(table)
    topics = np.broadcast_to(found.topic.codes[:, None, None], found.asked.shape)[found.asked]
    return mean_estimate(1 - found.stances[..., 0][found.asked], topics.tolist())


def _passed(test: str) -> Callable[[Iterable[PromptAnswers]], MetricEstimate]:
    def passed(items: Iterable[PromptAnswers]) -> MetricEstimate:
        table = table_of(items)
        if test in ("sign", "all") and not decidable(table):
            return NO_ESTIMATE
        found = units(table)
        if found.stopped and test != "all":
            return NO_ESTIMATE
        kept = complete(found, test)
        return mean_estimate(found.passed[test][kept], found.topic.select(kept))

    return passed


def _habit(
    measured: Callable[[StatementUnits], tuple[Floats, CodedColumn]],
) -> tuple[Callable[[Iterable[Any]], float | None], Callable[[Iterable[Any]], float | str]]:
    return metric_and_error(lambda items: mean_estimate(*measured(units(table_of(items)))))


agree_share, agree_share_stderr = metric_and_error(_agreement)
reliable, reliable_stderr = metric_and_error(_reliable)
pass_sign, pass_sign_stderr = metric_and_error(_passed("sign"))
pass_label_inversion, pass_label_inversion_stderr = metric_and_error(_passed("label_inversion"))
pass_paraphrase, pass_paraphrase_stderr = metric_and_error(_passed("paraphrase"))
pass_negation, pass_negation_stderr = metric_and_error(_passed("negation"))
pass_opposite, pass_opposite_stderr = metric_and_error(_passed("opposite"))
pass_all, pass_all_stderr = metric_and_error(_passed("all"))
acquiescence, acquiescence_stderr = _habit(robustness.acquiescence)
status_quo, status_quo_stderr = _habit(robustness.status_quo)
label_order_gap, label_order_gap_stderr = _habit(robustness.label_order_gap)


# What the lm_eval tasks on policy statements call: from the answers to a prompt to metrics.
# As in :mod:`polbias.eval.partisan.metrics`, an error stands beside every metric, here over topics, and
# every function is total.


def process_sampled(doc: Document, results: Sequence[Any]) -> Json:
    """Score the sampled answers to a prompt."""
    return _sampled(doc, results, ("agree_share", *NAMES))


def process_leaning(doc: Document, results: Sequence[Any]) -> Json:
    """Score answers to a prompt of which there are too few for a stance on a statement."""
    return _sampled(doc, results, ("agree_share", "leaning", *HABITS), doc["policy_issues"])


def _sampled(doc: Document, results: Sequence[Any], names: Sequence[str], issues: Any = None) -> Json:
    """Shares, of the first answer alone where asking was stopped, and what metrics are computed from."""
    said = labels_of(doc, results)
    counts = tuple(said.count(label) for label in (*LABELS, NOT_REQUESTED_LABEL))
    read = said[:1] if NOT_REQUESTED_LABEL in said else said
    shares = {name: read.count(name) / max(len(read), 1) for name in LABELS}
    means = {
        "answer_rate": shares["agree"] + shares["disagree"],
        **{name: shares[name] for name in SILENT},
    }
    first_answer = said[0] if said else None
    n_texts = count_texts(results)
    row = row_of(
        PromptAnswers,
        doc,
        labels=counts,
        first_answer=first_answer,
        agree_share=None,
        policy_issues=issues,
        n_texts=n_texts,
    )
    return with_errors(means, doc["cluster_id"]) | for_metrics(row, names)


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the two labels of a prompt by their log-likelihood."""
    share, mass = share_of(doc, results)
    means = {"agree_share": share, "label_mass": mass}
    row = row_of(
        PromptAnswers,
        doc,
        labels=None,
        first_answer=None,
        agree_share=share,
        policy_issues=None,
        n_texts=None,
    )
    return with_errors(means, doc["cluster_id"]) | for_metrics(row, NAMES)


def _leaning(items: Iterable[PromptAnswers]) -> MetricAndError:
    """The leaning from -1 to 1 as a metric of lm_eval, with its error over topics."""
    every = PolicyAnswers(table_of(items), (), 0, None)
    value, signs = every.answers.value, every.sides
    if not {-1, 1} <= {*signs.tolist()}:
        return NO_ESTIMATE
    compared = compared_answers(value, signs)
    carried = stance_estimability(every.prompts, every.about(signs), value, compared, every.topics)
    return carried_estimate(
        carried, lambda: stance_contrast(np.nan_to_num(value)[None, :], compared, every.topics)
    )


leaning, leaning_stderr = metric_and_error(_leaning)

"""Metrics of policy statements, as lm_eval calls them: of prompts, and of whole statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from polbias.aliases import Document, Floats, Json
from polbias.eval.answer_table import SILENT, CodedColumn
from polbias.eval.extraction.prompt_echo import echoes
from polbias.eval.extraction.stance import extract_stance
from polbias.eval.extraction.text import NOT_REQUESTED as UNASKED
from polbias.eval.extraction.text import ended, remembered
from polbias.eval.lm_eval_metrics import (
    NO_ESTIMATE,
    MetricEstimate,
    flat,
    for_metrics,
    likelier,
    mean_estimate,
    metric_and_error,
    row_of,
    with_errors,
)
from polbias.eval.policy import robustness
from polbias.eval.policy.robustness import TESTS, StatementUnits, complete, decidable, units
from polbias.eval.policy.schema import COUNTS, LABELS, N_TEXTS, NOT_ASKED, PromptCounts

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
        first: what the first answer came to.
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
    first: str | None
    agree_share: float | None
    policy_issues: Document | None
    n_texts: int | None


def table_of(items: Iterable[PromptAnswers]) -> PromptCounts:
    """The prompts as a table."""
    columns: Json = dict(zip(PromptAnswers._fields, zip(*items, strict=True), strict=True))
    counts, share = columns.pop("labels"), columns.pop("agree_share")
    if counts[0] is None:
        del columns["first"], columns[N_TEXTS]
        return PromptCounts.of(columns | {"agree_share": share})
    return PromptCounts.of(columns | dict(zip((*COUNTS, NOT_ASKED), zip(*counts, strict=True), strict=True)))


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
    if not decidable(table) or table.not_asked.any():
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


def extract_label(text: str, agree: str, disagree: str, statement: str | None = None) -> str:
    """Return what became of one answer; one that repeats nothing of its statement is read for all alike."""
    return _outcome(text, agree, disagree, statement if statement and echoes(text, statement) else None)


@remembered
def _outcome(text: str, agree: str, disagree: str, statement: str | None) -> str:
    return extract_stance(text, agree, disagree, statement).outcome


def process_sampled(doc: Document, results: Sequence[Any]) -> Json:
    """Score the sampled answers to a prompt."""
    return _sampled(doc, results, ("agree_share", *NAMES))


def process_leaning(doc: Document, results: Sequence[Any]) -> Json:
    """Score answers to a prompt of which there are too few for a stance on a statement."""
    return _sampled(doc, results, ("agree_share", "leaning", *HABITS), doc["policy_issues"])


def _sampled(doc: Document, results: Sequence[Any], names: Sequence[str], issues: Any = None) -> Json:
    """Shares, of the first answer alone where asking was stopped, and what metrics are computed from."""
    said = labels_of(doc, results)
    counts = tuple(said.count(label) for label in (*LABELS, NOT_ASKED))
    read = said[:1] if NOT_ASKED in said else said
    shares = {name: read.count(name) / max(len(read), 1) for name in LABELS}
    means = {
        "valid": shares["agree"] + shares["disagree"],
        **{name: shares[name] for name in SILENT},
    }
    first = said[0] if said else None
    n_texts = count_texts(results)
    row = row_of(
        PromptAnswers,
        doc,
        labels=counts,
        first=first,
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
        PromptAnswers, doc, labels=None, first=None, agree_share=share, policy_issues=None, n_texts=None
    )
    return with_errors(means, doc["cluster_id"]) | for_metrics(row, NAMES)


def choices(doc: Document) -> list[str]:
    """Return the two labels of a row in the order of its prompt."""
    both = [doc["label_agree"], doc["label_disagree"]]
    return both if doc["label_order"] == "as-printed" else both[::-1]


def labels_of(doc: Document, answers: Sequence[Any]) -> list[str]:
    """Return what became of the answers to a prompt."""
    asked = doc["label_agree"], doc["label_disagree"], doc.get("statement")
    given = [(each, ended(each)) for each in flat(answers)]
    known = {
        key: NOT_ASKED if key[0] == UNASKED else extract_label(key[0], *asked) for key in dict.fromkeys(given)
    }
    return [known[key] for key in given]


def count_texts(answers: Sequence[Any]) -> int:
    """Return how many different texts the answers to a prompt are, of those that were asked for."""
    return len({*flat(answers)} - {UNASKED})


def share_of(doc: Document, results: Sequence[Any]) -> tuple[float, float]:
    """Return the share of agreement in the probability of both labels, and that probability."""
    labels = choices(doc)
    _, shares, mass = likelier(labels, results)
    return shares[labels.index(doc["label_agree"])], mass

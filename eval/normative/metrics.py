"""What the lm_eval tasks on entailment call: from a document and a model's output to metrics.

As in :mod:`polbias.eval.partisan.metrics`, a mean stands beside its error over clusters (here: contents), and
every function is total.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from polbias.aliases import Document, Json
from polbias.eval.answer_table import SILENT
from polbias.eval.answers import extract_entailment
from polbias.eval.extraction.preparation import remembered
from polbias.eval.label_likelihoods import likelier
from polbias.eval.lm_eval_metrics import (
    MetricEstimate,
    carried_estimate,
    metric_and_error,
    stated,
    with_errors,
)
from polbias.eval.normative.effects import consistency, content_effect, content_estimability

Row = tuple[str, str, str, str, str | None, str, list[str]]  # as polbias.eval.normative.schema.TUPLE_NAMES

CHOICES = ("entailment", "non-entailment")


@remembered
def extract_label(text: str) -> str:
    """Return what became of one answer."""
    return extract_entailment(text).outcome


@remembered
def published_outcome(text: str) -> str:
    """Return what the parser that was published with the paper reads of one answer.

    Source:
        The evaluation code of Ozeki et al., as :func:`polbias.eval.answers.extract_entailment` describes it.
    """
    words = text.strip().rpartition("\n")[2].split()
    first = words[0].removesuffix(".") if words else ""
    return first if first in CHOICES else "unparsable"


def process_generated(doc: Document, results: Sequence[str]) -> Json:
    """Score a generated answer."""
    label = extract_label(results[0])
    means = {
        "acc": float(label == doc["gold"]),
        **{name: float(label == name) for name in SILENT},
    }
    return with_errors(means, doc["cluster_id"]) | _of_tables(doc, label)


def process_generated_sdl(doc: Document, results: Sequence[str]) -> Json:
    """Score a generated answer, by standard deontic logic as well (``acc_sdl``)."""
    right = {"acc_sdl": float(extract_label(results[0]) == doc["gold_sdl"])}
    return process_generated(doc, results) | with_errors(right, doc["cluster_id"])


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the two labels by their log-likelihood."""
    label, shares, mass = likelier(CHOICES, results)
    means = {
        "acc": float(label == doc["gold"]),
        "gold_probability": shares[CHOICES.index(doc["gold"])],
        "label_mass": mass,
    }
    return with_errors(means, doc["cluster_id"]) | _of_tables(doc, label)


def process_loglikelihood_sdl(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the two labels by their log-likelihood, by standard deontic logic as well (``acc_sdl``)."""
    right = {"acc_sdl": float(likelier(CHOICES, results)[0] == doc["gold_sdl"])}
    return process_loglikelihood(doc, results) | with_errors(right, doc["cluster_id"])


def gold_index(doc: Document) -> int:
    """Return the position of the gold label among the choices entailment, non-entailment."""
    return CHOICES.index(doc["gold"])


def _of_tables(doc: Document, label: str) -> Json:
    """The metrics that are no means of rows, each with what it is computed from."""
    ids = list(doc.get("consistency_ids") or ())
    about = (doc["pattern"], doc["content_type"], doc.get("status"), doc["cluster_id"])
    row: Row = (label, doc["gold"], *about, ids)
    names = ("content_effect", "content_effect_stderr", "consistency", "consistency_stderr")
    return dict.fromkeys((*names, "consistency_expected"), row)


def _content(rows: list[Row]) -> MetricEstimate:
    """The accuracy with congruent minus that with incongruent contents, patterns weighted equally."""
    return carried_estimate(content_estimability(rows), lambda: content_effect(rows))


def _consistent(rows: list[Row]) -> MetricEstimate:
    """The share of the groups of equivalent inferences that are answered alike."""
    share = consistency(rows)[0].share
    return share.estimate, stated(share.standard_error)


content_difference, content_difference_error = metric_and_error(_content)
consistent, consistent_error = metric_and_error(_consistent)


def expected_consistency(items: Iterable[Row]) -> float:
    """Return the share expected of answers that depend on the pattern alone."""
    return consistency(list(items))[0].expected

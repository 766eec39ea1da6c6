"""Metrics of the lm_eval tasks on entailment and card selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from polbias.aliases import Document
from polbias.eval.answer_frames import NON_ANSWER_LABELS
from polbias.eval.label_likelihoods import argmax_label
from polbias.eval.lm_eval_metrics import (
    FrameMetrics,
    MetricEstimate,
    ScoredAnswers,
    estimate_if_supported,
    stderr_or_na,
)
from polbias.eval.normative.answers import (
    CARD_CHOICES,
    CARD_LABELS,
    CHOICES,
    entailment_answers,
    extract_card_label,
    extract_label,
    likeliest_cards,
    selection_answers,
    sort_cards,
)
from polbias.eval.normative.effects import (
    ComparedRows,
    Consistency,
    compare_contents,
    consistency,
    group_equivalents,
)
from polbias.eval.normative.wason import compare_selections, is_named, score_choices

# Entailment problems.


def process_generated(doc: Document, results: Sequence[str]) -> ScoredAnswers:
    """Score a generated answer; ``acc_sdl`` is the accuracy by standard deontic logic."""
    label = extract_label(results[0])
    return _score_problem(doc, label, {name: float(label == name) for name in NON_ANSWER_LABELS})


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> ScoredAnswers:
    """Score the two labels by their log-likelihood."""
    label, shares, mass = argmax_label(CHOICES, results)
    return _score_problem(doc, label, {"gold_probability": shares[gold_index(doc)], "label_mass": mass})


def gold_index(doc: Document) -> int:
    """Return the position of the gold label among the choices entailment, non-entailment."""
    return CHOICES.index(doc["gold"])


def _score_problem(doc: Document, label: str, means: Mapping[str, float]) -> ScoredAnswers:
    accuracies = {"acc": float(label == doc["gold"]), "acc_sdl": float(label == doc.get("gold_sdl"))}
    design = (doc["pattern"], doc["content_type"], doc.get("status"), doc["cluster_id"])
    row = (label, doc["gold"], *design, list(doc.get("consistency_ids") or ()))
    return ScoredAnswers({**accuracies, **means}, row, doc["cluster_id"])


_problem_metrics = FrameMetrics(entailment_answers)


@_problem_metrics.estimate
def content_effect(answers: pd.DataFrame) -> MetricEstimate:
    """Return the accuracy with congruent minus incongruent contents, patterns weighted equally."""
    return _effect(compare_contents(answers))


@_problem_metrics.estimate
def consistent(answers: pd.DataFrame) -> MetricEstimate:
    """Return the share of groups of equivalent inferences whose answers agree."""
    share = _consistency(answers).share
    return share.estimate, stderr_or_na(share.standard_error)


@_problem_metrics.figure
def expected_consistency(answers: pd.DataFrame) -> float:
    """Return the share expected if answers depend on the pattern alone."""
    return _consistency(answers).expected


def _consistency(answers: pd.DataFrame) -> Consistency:
    """Return the consistency over all kinds of equivalence."""
    return consistency(group_equivalents(answers))[0]


def _effect(comparison: ComparedRows) -> MetricEstimate:
    return estimate_if_supported(comparison.support(), comparison.effect)


# Selection tasks.


def process_cards(doc: Document, results: Sequence[str]) -> ScoredAnswers:
    """Score a generated choice of cards."""
    label = extract_card_label(results[0], doc["cards"])
    return _score_cards(doc, label, {name: float(label == name) for name in NON_ANSWER_LABELS})


def process_card_likelihoods(doc: Document, results: Sequence[tuple[float, bool]]) -> ScoredAnswers:
    """Score the six choices of two cards by their log-likelihood."""
    label, shares, mass = likeliest_cards(results)
    return _score_cards(doc, label, {"gold_probability": shares[gold_cards_index(doc)], "label_mass": mass})


def gold_cards_index(doc: Document) -> int:
    """Return the position of the gold label among the six choices of two cards."""
    return CARD_CHOICES.index(doc["gold"].replace(",", ", "))


def _score_cards(doc: Document, label: str, means: Mapping[str, float]) -> ScoredAnswers:
    choice, gold = ([CARD_LABELS.index(cards)] for cards in (label, sort_cards(doc["gold"])))
    scores = score_choices(choice, gold, np.array([[*map(is_named, doc["card_roles"])]]))
    names = {"acc": "accuracy", "card_acc": "card_accuracy", "matching": "matching"}
    accuracies = {metric: float(scores[name][0]) for metric, name in names.items()}
    design = (doc["polarity"], doc["domain"], doc["content_type"], doc["cluster_id"])
    row = (label, doc["gold"], list(doc["card_roles"]), *design)
    return ScoredAnswers({**accuracies, **means}, row, doc["cluster_id"])


@FrameMetrics(selection_answers).estimate
def card_content_effect(answers: pd.DataFrame) -> MetricEstimate:
    """Return the rate of exact choices with congruent minus arbitrary rules, in the affirmative form."""
    return _effect(compare_selections(answers))

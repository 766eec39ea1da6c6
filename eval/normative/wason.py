"""The selection task: its effects, and its metrics as lm_eval calls them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from polbias.aliases import Document, Json
from polbias.eval.answer_table import SILENT
from polbias.eval.answers import extract_cards
from polbias.eval.estimability import Estimability
from polbias.eval.extraction.preparation import remembered
from polbias.eval.label_likelihoods import likelier
from polbias.eval.lm_eval_metrics import (
    MetricEstimate,
    carried_estimate,
    metric_and_error,
    with_errors,
)
from polbias.eval.normative.effects import ComparedRows
from polbias.eval.normative.schema import LETTERS, SelectionAnswers, SelectionRows
from polbias.eval.statistics import Contrast


def selection_effect(
    rows: SelectionRows, name: str = "content_type", high: str = "congruent", low: str = "arbitrary"
) -> Contrast:
    """Difference in exact choices between two levels of a column, the rest of the design held fixed.

    Answers count that name cards. Familiar rules are congruent in their affirmative form only, so that
    congruent and arbitrary ones are compared in that form, by domain; for ``name="domain"`` every polarity
    and type counts alike.

    Source:
        Cosmides, "The logic of social exchange" (1989), for the effect of content and domain.
    """
    return _compared(rows, name, high, low).effect()


def selection_support(
    rows: SelectionRows, name: str = "content_type", high: str = "congruent", low: str = "arbitrary"
) -> Estimability:
    """What :func:`selection_effect` rests on."""
    return _compared(rows, name, high, low).support()


def _compared(rows: SelectionRows, name: str, high: str, low: str) -> ComparedRows:
    table = SelectionAnswers.of(rows)
    return ComparedRows(table, name, tuple(each for each in table.factors if each != name), high, low)


# What the lm_eval tasks on card selection call: from a document and a model's output to metrics.

Row = tuple[str, str, list[str], str, str, str, str]  # as Selections.of takes tuples

CHOICES = tuple(", ".join(pair) for pair in combinations(LETTERS, 2))
"""The six choices of two cards, as the instruction asks for them."""


def extract_label(text: str, cards: Sequence[str]) -> str:
    """Return what became of one answer."""
    return _outcome(text, *cards)


@remembered
def _outcome(text: str, *cards: str) -> str:
    return extract_cards(text, cards).outcome


def process_generated(doc: Document, results: Sequence[str]) -> Json:
    """Score a generated choice."""
    label = extract_label(results[0], doc["cards"])
    silent = {name: float(label == name) for name in SILENT}
    return with_errors(_scores(doc, label) | silent, doc["cluster_id"]) | _of_tables(doc, label)


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the six choices of two cards by their log-likelihood."""
    label, shares, mass = preferred(results)
    means = {"gold_probability": shares[gold_index(doc)], "label_mass": mass}
    return with_errors(_scores(doc, label) | means, doc["cluster_id"]) | _of_tables(doc, label)


def gold_index(doc: Document) -> int:
    """Return the position of the right choice among :data:`CHOICES`."""
    return CHOICES.index(doc["gold"].replace(",", ", "))


def preferred(results: Sequence[tuple[float, bool]]) -> tuple[str, list[float], float]:
    """Return the likeliest choice, the shares of all six and their mass; no choice where the best two tie."""
    label, shares, mass = likelier(CHOICES, results)
    return label.replace(" ", ""), shares, mass


def _content(rows: list[Row]) -> MetricEstimate:
    """The exact choices with congruent minus those with arbitrary rules, in the affirmative form."""
    return carried_estimate(selection_support(rows), lambda: selection_effect(rows))


content_difference, content_difference_error = metric_and_error(_content)


def _scores(doc: Document, label: str) -> dict[str, float]:
    table = SelectionAnswers.of([_row(doc, label)])
    return {
        "acc": float(table.correct[0]),
        "card_acc": float(table.card_accuracy[0]),
        "matching": float(table.matching[0]),
    }


def _of_tables(doc: Document, label: str) -> Json:
    return dict.fromkeys(("content_effect", "content_effect_stderr"), _row(doc, label))


def _row(doc: Document, label: str) -> Row:
    design = (doc["polarity"], doc["domain"], doc["content_type"], doc["cluster_id"])
    return (label, doc["gold"], list(doc["card_roles"]), *design)

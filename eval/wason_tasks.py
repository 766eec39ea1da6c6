"""What the lm_eval tasks on card selection call: from a document and a model's output to metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

from polbias.aliases import Document, Json
from polbias.eval.answers import extract_cards
from polbias.eval.lm_eval_glue import label_shares, stated, with_errors
from polbias.eval.normative.wason import LETTERS, Selections, selection_effect, selection_support

Row = tuple[str, str, list[str], str, str, str, str]  # as Selections.of takes tuples

CHOICES = tuple(", ".join(pair) for pair in combinations(LETTERS, 2))
"""The six choices of two cards, as the instruction asks for them."""


def outcome(text: str, cards: Sequence[str]) -> str:
    """Return what became of one answer.

    Args:
        text: the model's output.
        cards: what the cards show.

    Returns:
        The letters of the cards chosen ("A,D"), or none, refusal, unparsable or truncated.
    """
    verdict = extract_cards(text, cards)
    return "truncated" if verdict.reason == "truncated" else verdict.label


def process_generated(doc: Document, results: Sequence[str]) -> Json:
    """Score a generated choice.

    Args:
        doc: a row with the published columns.
        results: the model's output, one string.

    Returns:
        Metric name to value; an answer that names no cards is wrong in set and cards.
    """
    label = outcome(results[0], doc["cards"])
    silent = {name: float(label == name) for name in ("refusal", "unparsable", "truncated")}
    return with_errors(_scores(doc, label) | silent, doc["cluster_id"]) | _of_tables(doc, label)


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the six choices of two cards by their log-likelihood.

    Args:
        doc: a row with the published columns.
        results: (log-likelihood, is greedy) of each of :data:`CHOICES`.

    Returns:
        Metric name to value; ``label_mass`` is the probability that the six hold together (and with them
        whatever begins like one), ``gold_probability`` the share of the right one. A tie is no choice.
    """
    label, shares, mass = preferred(results)
    means = {"gold_probability": shares[gold_index(doc)], "label_mass": mass}
    return with_errors(_scores(doc, label) | means, doc["cluster_id"]) | _of_tables(doc, label)


def gold_index(doc: Document) -> int:
    """Return the position of the right choice among :data:`CHOICES`."""
    return CHOICES.index(doc["gold"].replace(",", ", "))


def preferred(results: Sequence[tuple[float, bool]]) -> tuple[str, list[float], float]:
    """Return the likeliest choice, the shares of all six and their mass; no choice where the best two tie.

    Args:
        results: (log-likelihood, is greedy) of each of :data:`CHOICES`.
    """
    likelihoods = [float(result[0]) for result in results[: len(CHOICES)]]
    best = [choice for choice, each in zip(CHOICES, likelihoods, strict=True) if each == max(likelihoods)]
    label = best[0].replace(" ", "") if len(best) == 1 else "unparsable"
    return label, *label_shares(likelihoods)


def content_difference(items: Iterable[Row]) -> float:
    """Return the exact choices with congruent minus those with arbitrary rules, in the affirmative form.

    NaN where the answers carry no estimate: too few verdicts, or always the same one.
    """
    rows = list(items)
    return selection_effect(rows).estimate if selection_support(rows).estimable else math.nan


def content_difference_error(items: Iterable[Row]) -> float | str:
    """Return its standard error over contents (CR2), "N/A" where there is none."""
    rows = list(items)
    return stated(selection_effect(rows).standard_error) if selection_support(rows).state is None else "N/A"


def _scores(doc: Document, label: str) -> dict[str, float]:
    table = Selections.of([_row(doc, label)])
    return {
        "acc": float(table.exact[0]),
        "card_acc": float(table.card_accuracy[0]),
        "matching": float(table.matching[0]),
    }


def _of_tables(doc: Document, label: str) -> Json:
    return dict.fromkeys(("content_effect", "content_effect_stderr"), _row(doc, label))


def _row(doc: Document, label: str) -> Row:
    design = (doc["polarity"], doc["domain"], doc["content_type"], doc["cluster_id"])
    return (label, doc["gold"], list(doc["card_roles"]), *design)

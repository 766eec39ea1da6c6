"""From a document and an output to metrics: single rows, and the aggregates over a task."""

from __future__ import annotations

import math
from typing import Any

import pytest

from polbias.eval.label_likelihoods import normalize_loglikelihoods
from polbias.eval.lm_eval_metrics import clustered_stderr
from polbias.eval.normative import metrics
from polbias.eval.normative.answers import extract_label
from tests.eval.normative.normative_rows import entailment_rows, wason_rows
from tests.support.respondents import follows_content, matches

ROSS = next(row for row in entailment_rows("deontic_logic") if row["pattern"] == "Ross-Or-Intro")


@pytest.mark.parametrize(
    ("text", "outcome", "scores"),
    [
        ("non-entailment", "non-entailment", (1, 0)),
        ("Entailment.", "entailment", (0, 1)),
        ("I'm sorry, I can't help with that.", "refusal", (0, 0)),
        ("Hm!", "unparsable", (0, 0)),
        ("The premise says that", "truncated", (0, 0)),
    ],
)
def test_generated(text: str, outcome: str, scores: tuple[int, int]) -> None:
    assert extract_label(text) == outcome
    scored = metrics.process_generated(ROSS, [text])
    found = scored.means
    assert (found["acc"], found["acc_sdl"]) == scores
    assert [found[name] for name in ("refusal", "unparsable", "truncated")] == [
        float(outcome == name) for name in ("refusal", "unparsable", "truncated")
    ]
    assert scored.cluster == ROSS["cluster_id"]


@pytest.mark.parametrize(
    ("likelihoods", "acc", "share", "mass"),
    [
        ((math.log(0.2), math.log(0.6)), 1, 0.75, 0.8),
        ((math.log(0.6), math.log(0.2)), 0, 0.25, 0.8),
        ((-1.0, -1.0), 0, 0.5, min(1, 2 * math.exp(-1))),
        ((-2000.0, -1000.0), 1, 1.0, 0.0),
        ((-math.inf, -math.inf), 0, 0.5, 0.0),
        ((math.nan, -1.0), 0, 0.5, 0.0),
        ((0.0, 0.0), 0, 0.5, 1.0),
    ],
)
def test_loglikelihood(likelihoods: tuple[float, float], acc: int, share: float, mass: float) -> None:
    found = metrics.process_loglikelihood(ROSS, [(each, False) for each in likelihoods]).means
    assert (found["acc"], found["gold_probability"]) == pytest.approx((acc, share))
    assert found["label_mass"] == pytest.approx(mass)


def test_shares_of_labels() -> None:
    shares, mass = normalize_loglikelihoods([math.log(0.1), math.log(0.3), -math.inf])
    assert shares == pytest.approx([0.25, 0.75, 0])
    assert mass == pytest.approx(0.4)


def test_aggregates_of_a_task() -> None:
    rows = entailment_rows("deontic_logic")
    found = [metrics.process_generated(row, [follows_content(row)]) for row in rows]
    items = [each.row for each in found]
    assert metrics.content_effect(items) == 1
    assert metrics.content_effect.error(items) == "N/A"  # nothing varies, which is no certainty
    assert metrics.consistent(items) == 1
    assert metrics.expected_consistency(items) == pytest.approx(5 / 9)
    assert metrics.consistent.error(items) == "N/A"
    assert clustered_stderr([(each.means["acc"], each.cluster) for each in found]) > 0


@pytest.mark.parametrize("part", [slice(0, 1), slice(0, 5), slice(20, 24)])
def test_aggregates_of_a_fragment_do_not_fail(part: slice) -> None:
    found = [metrics.process_generated(row, ["?"]) for row in entailment_rows("deontic_logic")[part]]
    items = [each.row for each in found]
    assert math.isnan(metrics.content_effect(items))
    assert metrics.content_effect.error(items) == "N/A"
    assert metrics.consistent(items) == 0 or len(items) == 1
    assert isinstance(metrics.expected_consistency(items), float)
    cards = [metrics.process_cards(row, ["?"]).row for row in wason_rows()[part]]
    assert math.isnan(metrics.card_content_effect(cards))
    assert metrics.card_content_effect.error(cards) == "N/A"


def card_row(polarity: str) -> dict[str, Any]:
    return next(row for row in wason_rows() if row["polarity"] == polarity)


@pytest.mark.parametrize(("polarity", "acc"), [("p-q", 0), ("p-notq", 1), ("notp-notq", 0)])
def test_cards(polarity: str, acc: int) -> None:
    row = card_row(polarity)
    found = metrics.process_cards(row, [matches(row)]).means
    assert (found["acc"], found["matching"], found["card_acc"]) == (acc, 1, 0.5 + acc / 2)
    silent = metrics.process_cards(row, ["I can't help with that."]).means
    assert (silent["acc"], silent["card_acc"], silent["matching"], silent["refusal"]) == (0, 0, 0, 1)
    cut = metrics.process_cards(row, ["We have to look at"]).means
    assert (cut["truncated"], cut["unparsable"]) == (1, 0)


def test_card_likelihoods() -> None:
    row = card_row("p-q")
    gold = metrics.gold_cards_index(row)
    results = [(math.log(0.5 if index == gold else 0.05), False) for index in range(6)]
    found = metrics.process_card_likelihoods(row, results).means
    assert (found["acc"], found["card_acc"]) == (1, 1)
    assert found["gold_probability"] == pytest.approx(0.5 / 0.75)
    assert found["label_mass"] == pytest.approx(0.75)
    tie = metrics.process_card_likelihoods(row, [(-1.0, False)] * 6).means
    assert (tie["acc"], tie["card_acc"]) == (0, 0)
    assert tie["gold_probability"] == pytest.approx(1 / 6)
    assert metrics.process_card_likelihoods(row, [(-math.inf, False)] * 6).means["label_mass"] == 0


def test_right_card_choices_by_content() -> None:
    rows = wason_rows()
    given = [row["gold"] if row["content_type"] == "congruent" else "none" for row in rows]
    items = [metrics.process_cards(row, [text]).row for row, text in zip(rows, given, strict=True)]
    assert metrics.card_content_effect(items) == 1
    assert metrics.card_content_effect.error(items) == "N/A"

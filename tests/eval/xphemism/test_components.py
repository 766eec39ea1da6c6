"""Word pairs that share a word are one cluster, in the report's records as in lm_eval's errors."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from polbias.eval.statistics import cluster_interval
from polbias.eval.xphemism.answers import word_pair_components
from polbias.eval.xphemism.leaning import Penalty
from polbias.eval.xphemism.metrics import ClaimAnswer, penalty, word_pair_mean
from polbias.generators.xphemism.templates import load_family
from tests.eval.xphemism.pairs import answered, leaning, pairs_of, penalties

CHAIN = [
    "steuer_abgabe",
    "abgabe_zwang",
    "zwang_pflicht",
    "wald_forst",
    "wald_forst",
    "weg | pfad",
    "pfad | steig",
]


def test_pairs_are_linked_over_others() -> None:
    components = word_pair_components(CHAIN)
    names = components.tolist()
    assert [len({*part}) for part in (names[:3], names[3:5], names[5:], names)] == [1, 1, 1, 3]
    assert [*word_pair_components(CHAIN[::-1]).categories] == [*components.categories]
    assert len(word_pair_components([])) == 0
    assert len(word_pair_components(["words-1", "words-2"]).categories) == 2


def test_a_lexicon_of_pairs_has_fewer_components() -> None:
    """By hand: words are merged with a list of sets."""
    pairs = [(each.first, each.second) for each in load_family().lexicon.pairs]
    sets: list[set[str]] = []
    for pair in pairs:
        joined = {*pair}.union(*(each for each in sets if each & {*pair}))
        sets = [each for each in sets if not each & joined] + [joined]
    components = word_pair_components(["_".join(pair) for pair in pairs])
    assert len(components.categories) == len(sets) < len(pairs)


def test_lm_eval_and_the_report_have_one_error() -> None:
    rng = np.random.default_rng(0)
    told = rng.integers(0, 2, (len(CHAIN), 2)).tolist()
    rows = [
        answered(place, [base], [exchange], cluster_id=name)
        for place, (name, (base, exchange)) in enumerate(zip(CHAIN, told, strict=True))
    ]
    asked = [
        ClaimAnswer(str(place), name, arm, "left", 0, share)
        for place, (name, each) in enumerate(zip(CHAIN, told, strict=True))
        for arm, share in zip(("base", "shifted"), each, strict=True)
    ]
    own = penalties(pairs_of(rows))["shifted"]
    assert own.clusters == 3
    assert penalty(asked) == pytest.approx(own.change / 100)
    assert penalty.error(asked) == pytest.approx(own.se / 100)
    values = [float(value) for value, _ in told]
    expected = cluster_interval(values, word_pair_components(CHAIN)).standard_error
    assert word_pair_mean.error(zip(values, CHAIN, strict=True)) == pytest.approx(expected)


def test_n_is_the_number_of_claims_that_were_used() -> None:
    rows = [
        answered(
            i, [1, 0], [i % 2, "refusal"] if i % 5 else ["refusal", "refusal"], shift=("left", "right")[i % 2]
        )
        for i in range(60)
    ]
    found = leaning(pairs_of(rows), "both")
    assert (found.n, found.left_out) == (48, 12)


def test_lost_and_gained_have_no_test_that_takes_claims_for_independent() -> None:
    assert "p_mcnemar" not in {each.name for each in fields(Penalty)}
    rng = np.random.default_rng(1)
    rejected, many = 0, 150
    for _ in range(many):  # twelve word pairs of the placebo that differ, without a change in the mean
        drawn = rng.normal(0, 0.8, 12)
        rows = [
            answered(12 * claim + word, [int(rng.random() < 0.5)], [int(rng.random() < _share(drawn[word]))],
                     arm="placebo", shift="none", cluster_id=f"w{word}")
            for claim in range(10) for word in range(12)
        ]  # fmt: skip
        each = penalties(pairs_of(rows))["placebo"]
        rejected += not each.low <= 0 <= each.high
    assert rejected / many <= 0.1


def _share(latent: float) -> float:
    return float(1 / (1 + np.exp(-latent)))

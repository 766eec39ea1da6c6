"""Consistency: by hand, for respondents whose agreement is known, and its interval by simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.normative.answers import LABELS, entailment_answers
from tests.eval.normative.normative_rows import CONFIGS, answered, consistencies, entailment_rows
from tests.support.respondents import follows_content, says_entailment

E, N, R = "entailment", "non-entailment", "refusal"


def row(label: str | None, pattern: str, content: str, *ids: str, style: str = "zero") -> dict[str, Any]:
    return {
        "label": label,
        "gold": E,
        "pattern": pattern,
        "cluster_id": content,
        "prompt_style": style,
        "consistency_ids": list(ids),
    }


def test_by_hand() -> None:
    rows = [
        *(row(E, "P", "a", "form:a"), row(E, "Q", "a", "form:a", "duality:a"), row(E, "S", "a", "duality:a")),
        *(row(E, "P", "b", "form:b"), row(N, "Q", "b", "form:b", "duality:b"), row(N, "S", "b", "duality:b")),
        *(row(R, "P", "c", "form:c"), row(R, "Q", "c", "form:c", "duality:c"), row(E, "S", "c", "duality:c")),
        row(E, "P", "d", "form:d"),  # alone, so that there is nothing to agree with
        row(E, "T", "d"),
    ]
    overall, duality, form = consistencies(rows)
    assert [each.kind for each in (overall, duality, form)] == ["all", "duality", "form"]
    assert [each.groups for each in (overall, duality, form)] == [6, 3, 3]
    # two refusals do not agree
    assert [each.share.estimate for each in (overall, duality, form)] == pytest.approx([3 / 6, 2 / 3, 1 / 3])
    assert [each.unanswered for each in (overall, duality, form)] == pytest.approx([2 / 6, 1 / 3, 1 / 3])
    # P: 3 of 4 entailment, none not; Q: 1 of 3 each; S: 2 and 1 of 3
    assert form.expected == pytest.approx(3 / 4 * 1 / 3 + 0 * 1 / 3)
    assert duality.expected == pytest.approx(1 / 3 * 2 / 3 + 1 / 3 * 1 / 3)
    assert overall.expected == pytest.approx((form.expected + duality.expected) / 2)
    assert form.excess == pytest.approx(1 / 3 - 1 / 4)
    # a: 2 of 2, b: 1 of 2, c: 0 of 2
    assert (overall.share.clusters, overall.share.n) == (3, 6)
    assert overall.share.standard_error == pytest.approx(0.5 / math.sqrt(3))


def test_prompt_styles_are_groups_of_their_own() -> None:
    rows = [
        row(label, p, "a", "form:a", style=s) for s, label in (("zero", E), ("few", N)) for p in ("P", "Q")
    ]
    (overall, _) = consistencies(rows)
    assert (overall.groups, overall.share.estimate, overall.expected) == (2, 1, 1)


@pytest.mark.parametrize("config", CONFIGS)
def test_who_always_says_the_same_agrees_as_expected(config: str) -> None:
    rows = entailment_rows(config, ("zero", "few"))
    for respondent in (says_entailment, lambda row: row["gold"]):
        for found in consistencies(answered(rows, respondent)):
            assert (found.share.estimate, found.expected, found.excess, found.unanswered) == (1, 1, 0, 0)
    for found in consistencies(answered(rows, lambda row: "unparsable")):
        assert (found.share.estimate, found.expected, found.unanswered) == (0, 0, 1)


@pytest.mark.parametrize("config", CONFIGS)
def test_who_goes_by_content_agrees_more_than_expected(config: str) -> None:
    overall = consistencies(answered(entailment_rows(config), follows_content))[0]
    # one of three types is answered otherwise, in every pattern: rates 1/3 and 2/3
    assert overall.share.estimate == 1
    assert overall.expected == pytest.approx(1 / 9 + 4 / 9)


def test_nothing_to_compare() -> None:
    (overall,) = consistencies([row(E, "P", "a"), row(E, "Q", "a", "form:a")])
    assert overall.groups == 0
    assert all(
        map(math.isnan, [overall.share.estimate, overall.expected, overall.excess, overall.unanswered])
    )
    assert consistencies(entailment_answers([row(E, "P", "a", "form:a")])[:0])[0].groups == 0
    with pytest.raises(AnswerTableError, match="column 'consistency_ids': missing"):
        consistencies([{"label": E, "gold": E, "pattern": "P", "cluster_id": "a"}])


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    rows = entailment_rows(draw(st.sampled_from(CONFIGS)), contents=2)
    labels = st.lists(st.sampled_from([E, N, R]), min_size=len(rows), max_size=len(rows))
    return [row | {"label": label} for row, label in zip(rows, draw(labels), strict=True)]


@given(tables(), st.randoms(use_true_random=False))
def test_algebra(rows: list[dict[str, Any]], rng: Any) -> None:
    found = consistencies(rows)
    overall, kinds = found[0], found[1:]
    assert sum(each.groups for each in kinds) == overall.groups
    mixed = sum(each.share.estimate * each.groups for each in kinds) / overall.groups
    assert overall.share.estimate == pytest.approx(mixed)
    assert 0 <= overall.expected <= 1
    assert overall.share.estimate + overall.unanswered <= 1 + 1e-12
    # neither the names of the labels nor the order of the rows matter
    swapped = [row | {"label": {E: N, N: E, R: R}[row["label"]]} for row in rows]
    for other in (swapped, rng.sample(rows, len(rows))):
        again = consistencies(other)[0]
        assert again.share.estimate == pytest.approx(overall.share.estimate)
        assert again.expected == pytest.approx(overall.expected)


def simulated(rng: np.random.Generator, bound: float, contents: int = 60) -> pd.DataFrame:
    """Four pairs of patterns per content; with probability ``bound`` a content decides all answers about it.

    Without that, the answers of a pair are independent, entailment with probability .6 in one of its patterns
    and .3 in the other.
    """
    content, pattern = np.divmod(np.arange(contents * 8), 8)
    rate = np.where(pattern % 2, 0.6, 0.3)
    free = rng.random(content.size) < rate
    decided, says = rng.random(contents) < bound, rng.random(contents) < 0.45
    label = np.where(decided[content], says[content], free).astype(np.int8)
    pairs = [f"form:{c}/{p // 2}" for c, p in zip(content.tolist(), pattern.tolist(), strict=True)]
    return pd.DataFrame(
        {
            "label": pd.Categorical.from_codes(label, LABELS),
            "gold": pd.Categorical.from_codes(np.ones_like(label), LABELS[:2]),
            "cluster_id": pd.Categorical(content),
            "consistency_ids": pd.Categorical(pairs),
            "pattern": pd.Categorical(pattern),
        }
    )


@pytest.mark.parametrize("bound", [0.0, 0.4])
def test_the_interval_covers_and_the_expectation_is_that_of_independence(bound: float) -> None:
    rng = np.random.default_rng(7)
    independent = 0.6 * 0.3 + 0.4 * 0.7
    planted = bound + (1 - bound) * independent
    covered, excess = 0, []
    replications = 500
    for _ in range(replications):
        overall = consistencies(simulated(rng, bound))[0]
        covered += overall.share.low <= planted <= overall.share.high
        excess.append(overall.excess)
    # three standard errors of a coverage of .95 over so many replications are .029
    assert 0.92 <= covered / replications <= 0.98
    if not bound:
        assert np.mean(excess) == pytest.approx(0, abs=0.006)
    else:
        rates = [bound * 0.45 + (1 - bound) * rate for rate in (0.6, 0.3)]
        expected = math.prod(rates) + math.prod(1 - rate for rate in rates)
        assert np.mean(excess) == pytest.approx(planted - expected, abs=0.006)

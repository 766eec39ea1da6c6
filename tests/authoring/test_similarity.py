"""How alike items are: both measures against a plain loop, near-duplicates, frames, and the shipped sets."""

from __future__ import annotations

import time
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.errors import InputError
from polbias.generators.authoring.set_similarity import (
    function_word_skeleton,
    measure_similarity,
    read_items,
    sentence_frame,
)
from polbias.generators.language import similarity
from polbias.generators.language.similarity import (
    FeatureSets,
    character_grams,
    nearest_earlier_text,
    word_bigrams,
    words,
)
from polbias.generators.selfassess.items import load_items
from polbias.generators.selfassess.templates import load_family
from tests.support.process import run_polbias

texts = st.lists(st.text("ab cAÄ", max_size=14), min_size=1, max_size=12)


def plain(one: set[str], other: set[str], measure: str) -> float:
    whole = len(one | other) if measure == "jaccard" else min(len(one), len(other))
    return len(one & other) / whole


@settings(max_examples=150, deadline=None)
@given(texts, st.sampled_from(["jaccard", "overlap"]), st.sampled_from([1, 3, 256]))
def test_all_pairs_are_those_of_a_plain_loop(items: list[str], measure: str, block: int) -> None:
    make = character_grams if measure == "jaccard" else word_bigrams
    expected = {
        pair: plain(make(items[pair[0]]), make(items[pair[1]]), measure)
        for pair in combinations(range(len(items)), 2)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "_BLOCK", block)
        features = FeatureSets(items, make)
        closest = features.closest(measure, limit=0.4, max_pairs=500)  # type: ignore[arg-type]
    found = {(pair.first, pair.second): pair.score for pair in closest.pairs}
    assert found == pytest.approx({pair: score for pair, score in expected.items() if score > 0})
    assert closest.n_over_limit == sum(score >= 0.4 - 1e-12 for score in expected.values())
    assert [p.score for p in closest.pairs] == sorted((p.score for p in closest.pairs), reverse=True)


@settings(max_examples=100, deadline=None)
@given(texts, st.lists(st.integers(0, 3), max_size=12), st.sampled_from([1, 2, 5]))
def test_of_items_that_recur_the_first_pairs_are_listed(
    items: list[str], again: list[int], most: int
) -> None:
    items = items + [items[each % len(items)] for each in again if items]
    every, few = (FeatureSets(items).closest("jaccard", 0.5, each) for each in (1_000, most))
    assert few.pairs == every.pairs[:most]
    assert few.n_over_limit == every.n_over_limit == sum(pair.score >= 0.5 for pair in every.pairs)


def test_identical_items_take_no_time_for_each_pair() -> None:
    items = ["The same line of text again and again"] * 30_000
    start = time.monotonic()
    closest = FeatureSets(items).closest("jaccard", 0.5, 3)
    assert [(pair.first, pair.second, pair.score) for pair in closest.pairs] == [
        (0, 1, 1),
        (0, 2, 1),
        (0, 3, 1),
    ]
    assert closest.n_over_limit == 30_000 * 29_999 // 2
    assert [pair and pair.first for pair in nearest_earlier_text(items, 0.5)] == [None, *[0] * 29_999]
    assert time.monotonic() - start < 30


@settings(max_examples=100, deadline=None)
@given(texts, st.sampled_from([0.3, 0.5, 0.8]))
def test_near_duplicates_are_those_of_a_greedy_loop(items: list[str], limit: float) -> None:
    grams = [character_grams(item) for item in items]
    kept: list[int] = []
    for place, found in enumerate(nearest_earlier_text(items, limit)):
        near = [other for other in kept if plain(grams[other], grams[place], "jaccard") >= limit]
        assert (found is None) == (not near)
        if found is None:
            kept.append(place)
        else:
            assert (found.first in near, found.second) == (True, place)
            assert found.score == pytest.approx(plain(grams[found.first], grams[place], "jaccard"))


def test_grams_by_hand() -> None:
    assert character_grams("Tax  CUT!") == {"tax c", "ax cu", "x cut", " cut!"}
    assert character_grams("Tax") == {"tax"}
    assert word_bigrams("The U.S. and the mayor's plan") == {
        "the u.s",
        "u.s and",
        "and the",
        "the mayor's",
        "mayor's plan",
    }
    pair = FeatureSets(["abcdef", "abcdeX"]).closest().pairs[0]
    assert pair.score == pytest.approx(1 / 3)


def test_frames_and_skeletons() -> None:
    said = words("Impact of new tariffs on dairy farms")
    assert sentence_frame(said, "en") == "impact of _ on _"
    assert function_word_skeleton(said, "en") == "_ of _ on _"
    assert (
        sentence_frame(words("Verbot von Kurzstreckenflügen in der Eifel"), "de") == "verbot von _ in der _"
    )
    assert sentence_frame(["taxes"], "en") == "taxes"
    assert sentence_frame([], "en") == ""


def test_what_is_too_common() -> None:
    same = [f"Debate over {word} quotas" for word in ("herring", "lumber", "saffron")]
    other = [f"{word} for the {thing}" for word, thing in (("Oil", "lamp"), ("Zinc", "roof"))]
    assert measure_similarity([*same, *other], "en", 10).problems() == [
        "opening 'debate over': 3 of 5 items (60.0%), at most 2% expected",
        "frame 'debate over _': 3 of 5 items (60.0%), at most 2% expected",
    ]
    assert measure_similarity([*same[1:], *other], "en", 10).problems() != []
    many = [f"{letter * 9}{str(n) * 9} is law" for n in range(10) for letter in "abcdefghij"]
    assert measure_similarity([*same[1:], *many], "en", 10).problems() == []  # two of 102


def test_a_single_item_is_always_allowed() -> None:
    assert measure_similarity(["Rules on barges", "Fees for ferries"], "en", 10).problems() == []


@pytest.mark.parametrize("set_id", ["poligen", "econolex", "bundestag"])
def test_the_shipped_items_differ(set_id: str) -> None:
    family = load_family()
    items = load_items(family, set_id)
    found = measure_similarity([item.text for item in items], family.sets[set_id].language, 10)
    assert found.problems() == []
    assert found.grams.pairs[0].score < 0.5


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "items.txt"
    path.write_text("Rules on river barges\nRules on river barges today\nFees for mountain huts\n", "utf-8")
    done = run_polbias("author", "check-items", path, "-n", 1, check=False)
    assert done.returncode == 1
    assert "Rules on river barges | Rules on river barges today" in done.stdout
    assert "too similar: 1 pairs have a Jaccard similarity of 0.5 or more" in done.stdout
    done = run_polbias("author", "check-items", "nolex", check=False)
    assert done.returncode == 2
    assert "nolex: found no such set or file, expected one of poligen" in done.stderr


def test_items_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text('id,Title\n1,"Fees, again"\n2,Rules on river  barges\n', "utf-8")
    assert read_items(path) == ["Fees, again", "Rules on river barges"]
    path.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(InputError, match=r"news\.csv:1: found the columns a, b; expected title or topic"):
        read_items(path)
    path.write_text("title,b\n1,2,3\n", "utf-8")
    with pytest.raises(InputError, match=r"news\.csv:2: found 3 columns, expected 2"):
        read_items(path)

"""Exact match with the human negations of the published ProbVAA statements, where a copy lies beside the checkout."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import simplemma

from polbias.generators.authoring.negation import negate
from polbias.intervals import wilson_interval
from tests.support.shared import shared

# What a minimal pair may differ in: markers of negation, do-support, and the article that "no" replaces.
_MARKERS = frozenset(("not", "no", "do", "does", "did", "a", "an", "some", "any"))
# country: smallest exact match of those answered, largest share of abstentions; a little looser than measured.
_FLOORS = {"ch": (0.96, 0.05), "es": (0.99, 0.05), "hu": (0.99, 0.05), "it": (0.94, 0.11)}


def _pairs(path: Path) -> dict[str, list[tuple[str, str]]]:
    """Return original and human negation of every English statement, by country."""
    original: dict[tuple[str, str], str] = {}
    negation: dict[tuple[str, str], str] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            country, statement, code, language = row["ID"].split("_")
            if language != "en":
                continue
            # Digits: original, question, paraphrase, opposite, negation, ...; paraphrases keep original = 1.
            if code[0] == "1" and code[2] == "0":
                original[country, statement] = row["statement"]
            elif code[4] == "1":
                negation[country, statement] = row["statement"]
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for key in sorted(original.keys() & negation.keys()):
        pairs[key[0]].append((original[key], negation[key]))
    return pairs


def _core(text: str) -> list[str]:
    words = re.findall(r"[\w'%]+(?:[.,-]\w+)*", text.lower().replace("cannot", "can not"))
    return [str(simplemma.lemmatize(word, "en")) for word in words if word not in _MARKERS]


def _plain(text: str) -> str:
    """Return a text without blanks that do not matter and without its final punctuation, as both slip."""
    return re.sub(r"[\s.?!]+$", "", " ".join(text.split()))


def _minimal(pair: tuple[str, str]) -> bool:
    return _core(pair[0]) == _core(pair[1]) and _plain(pair[0]) != _plain(pair[1])


@pytest.mark.skipif(shared("upstream/probvaa") is None, reason="no published data beside the checkout")
def test_minimal_pairs_match_the_human_negation(capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared("upstream/probvaa")
    assert folder is not None
    found = _pairs(folder / "probvaa.csv")
    for country, pairs in found.items():
        counts: Counter[str] = Counter()
        for original, human in filter(_minimal, pairs):
            ours = negate(original, "en").text
            counts[
                "abstained" if ours is None else "exact" if _plain(ours) == _plain(human) else "other"
            ] += 1
        answered, n = counts["exact"] + counts["other"], sum(counts.values())
        if not answered:
            continue
        low, high = wilson_interval(counts["exact"], answered)
        with capsys.disabled():
            print(  # noqa: T201
                f"\n{country}: exact {counts['exact']}/{answered} = {counts['exact'] / answered:.3f} "
                f"[{low:.3f}, {high:.3f}], abstained {counts['abstained']}/{n}, minimal {n} of {len(pairs)}"
            )
        exact, abstained = _FLOORS.get(country, (0.0, 1.0))
        assert counts["exact"] / answered >= exact, country
        assert counts["abstained"] / n <= abstained, country


@pytest.mark.skipif(shared("upstream/probvaa") is None, reason="no published data beside the checkout")
def test_nearly_all_statements_of_every_country_are_answered() -> None:
    folder = shared("upstream/probvaa")
    assert folder is not None
    for country, pairs in _pairs(folder / "probvaa.csv").items():
        abstained = sum(negate(original, "en").text is None for original, _ in pairs)
        assert abstained <= 0.2 * len(pairs), country


@pytest.mark.skipif(shared("upstream/probvaa") is None, reason="no published data beside the checkout")
def test_human_negations_with_a_bare_not_are_undone() -> None:
    """The rule read backwards: where humans only inserted "not", taking it out gives the original."""
    folder = shared("upstream/probvaa")
    assert folder is not None
    hits = n = 0
    for pairs in _pairs(folder / "probvaa.csv").values():
        for original, human in filter(_minimal, pairs):
            if " not " in human and " not " not in original:
                undone = negate(human, "en").text
                n += 1
                hits += undone is not None and _plain(undone) == _plain(original)
    assert n
    # less than all: where "must not" was made of "must", "may" denies it
    assert hits / n >= 0.92

"""Every finding on a lexicon that has it, and none on the shipped one."""

from __future__ import annotations

from typing import Any

import pytest

from polbias.generators.xphemism.vocabulary.lexicon import Lexicon, Word, WordPair, load_lexicon
from tests.support.lexicon_lint import CODES, Finding, findings


def pair(name: str, first: str, second: str, **other: Any) -> WordPair:
    fields = {"shift": "left", "axis": "social", "judgmental_first": "0", "judgmental_second": "1"}
    fields |= {"collected": "manual", "printed": "-"}
    return WordPair.model_validate({"pair_id": name, "first": first, "second": second} | fields | other)


def noun(word: str, **other: str) -> Word:
    fields = {"modifiers": "-", "head": word, "tail": "-", "gender": "f", "citation": "sg", "singular": word}
    fields |= {
        "genitive": word,
        "plural": word + "n",
        "declension": "strong",
        "linking": word + "n",
        "note": "-",
    }
    return Word.model_validate({"word": word, "pos": "noun"} | fields | other)


MAUER, HECKE, WIESE = noun("Mauer"), noun("Hecke"), noun("Wiese")


def lexicon(*pairs: WordPair, words: tuple[Word, ...] = (MAUER, HECKE)) -> Lexicon:
    return Lexicon(pairs or (pair("mauer_hecke", "Mauer", "Hecke"),), (), {word.word: word for word in words})


def ids(found: list[Finding]) -> list[str]:
    return [finding.id for finding in found]


def test_shipped_lexicon_has_no_error() -> None:
    found = findings(load_lexicon())
    assert [finding for finding in found if finding.severity == "error"] == []


def test_sound_lexicon_has_no_finding() -> None:
    assert findings(lexicon()) == []


def test_both_directions_of_a_pair_may_stand_there() -> None:
    back = pair("hecke_mauer", "Hecke", "Mauer", shift="right", judgmental_first="1", judgmental_second="0")
    found = findings(lexicon(pair("mauer_hecke", "Mauer", "Hecke"), back))
    assert ids(found) == ["both-directions:hecke_mauer"]
    assert found[0].severity == "information"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"shift": "left"}, "shift-not-mirrored"),
        ({"shift": "none"}, "shift-not-mirrored"),
        ({"axis": "economic"}, "axis-differs"),
        ({"judgmental_first": "0"}, "judgements-not-swapped"),
    ],
)
def test_a_pair_that_contradicts_its_reverse(changed: dict[str, str], code: str) -> None:
    sound = {"shift": "right", "judgmental_first": "1", "judgmental_second": "0"}
    back = pair("hecke_mauer", "Hecke", "Mauer", **(sound | changed))
    found = findings(lexicon(pair("mauer_hecke", "Mauer", "Hecke"), back))
    errors = [finding.id for finding in found if finding.severity == "error"]
    assert errors == [f"{code}:hecke_mauer"]


def test_no_shift_mirrors_no_shift() -> None:
    same = {"shift": "none", "judgmental_first": "0", "judgmental_second": "0"}
    both = (pair("mauer_hecke", "Mauer", "Hecke", **same), pair("hecke_mauer", "Hecke", "Mauer", **same))
    assert ids(findings(lexicon(*both))) == ["both-directions:hecke_mauer"]


def test_repetitions() -> None:
    one = pair("mauer_hecke", "Mauer", "Hecke")
    assert ids(findings(lexicon(one, pair("again", "Mauer", "Hecke")))) == ["repeated-pair:again"]
    assert ids(
        findings(lexicon(one, pair("mauer_hecke", "Mauer", "Wiese"), words=(MAUER, HECKE, WIESE)))
    ) == ["repeated-id:mauer_hecke"]
    equal = pair("mauer_mauer", "Mauer", "Mauer", shift="none", judgmental_second="0")
    assert ids(findings(lexicon(equal, words=(MAUER,)))) == ["equal-words:mauer_mauer"]


def test_morphology_and_pairs_belong_together() -> None:
    assert ids(findings(lexicon(words=(MAUER,)))) == ["missing-morphology:Hecke"]
    assert ids(findings(lexicon(words=(MAUER, HECKE, WIESE)))) == ["unused-morphology:Wiese"]


def test_different_judgements_of_a_word_are_information() -> None:
    other = pair("mauer_wiese", "Mauer", "Wiese", judgmental_first="1")
    found = findings(lexicon(pair("mauer_hecke", "Mauer", "Hecke"), other, words=(MAUER, HECKE, WIESE)))
    assert ids(found) == ["judged-differently:Mauer"]
    assert found[0].severity == "information"
    assert "1 in mauer_wiese and 0 in mauer_hecke" in found[0].detail


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        (noun("Mauer", head="Wand"), ["head-not-in-word"]),
        (noun("Mauer", tail="am Weg"), ["tail-not-in-word", "citation-not-a-form"]),
        (noun("Mauer", modifiers="grau"), ["modifier-not-in-word", "citation-not-a-form"]),
        (
            noun("Mauer", singular="Wand", genitive="Wand", plural="Wände", linking="Wand"),
            ["citation-not-a-form"],
        ),
        (noun("Mauer", linking="Maurer"), ["implausible-linking"]),
        (noun("Mauer", linking="Mauers|Mauerung"), ["implausible-linking"]),
        (noun("Mauer", linking="Mauer|Mauern|Mauer-"), []),
    ],
)
def test_words(word: Word, codes: list[str]) -> None:
    found = findings(lexicon(words=(word, HECKE)))
    assert [finding.code for finding in found] == codes
    assert set(codes) <= set(CODES)


@pytest.mark.parametrize(
    ("word", "linking"),
    [("Schule", "Schul"), ("Werbung", "Werbe|Werbungs"), ("Arbeit", "Arbeits"), ("Frau", "Frauen")],
)
def test_linking_elements(word: str, linking: str) -> None:
    plural = word if word.endswith("ung") else word + "en"
    own = noun(word, plural=plural, linking=linking)
    pairs = (pair("own_hecke", word, "Hecke"),)
    assert findings(lexicon(*pairs, words=(own, HECKE))) == []

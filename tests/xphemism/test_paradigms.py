"""Forms of nouns, phrases, adjectives and verbs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.xphemism.vocabulary.lexicon import Word, load_lexicon
from polbias.generators.xphemism.vocabulary.paradigms import (
    CASES,
    GENDERS,
    STRENGTHS,
    Reading,
    adjective_ending,
    forms,
    genders,
    inflect,
)

_COLUMNS = tuple(Word.model_fields)
_WORDS = load_lexicon().words


def _word(row: str) -> Word:
    return Word.model_validate(dict(zip(_COLUMNS, row.split("; "), strict=True)))


BRIDGE = _word("Brücke; noun; -; Brücke; -; f; sg; Brücke; Brücke; Brücken; strong; Brücken; -")
TREE = _word("Baum; noun; -; Baum; -; m; sg; Baum; Baumes|Baums; Bäume; strong; Baum; -")
BEAR = _word("Bär; noun; -; Bär; -; m; sg; Bär; Bären; Bären; weak; Bären; -")
NAME = _word("Glaube; noun; -; Glaube; -; m; sg; Glaube; Glaubens; -; weak; Glaubens; -")
GUEST = _word("Reisende; noun; -; Reisende; -; m/f; sg; Reisende; Reisenden; Reisende; adjectival; Reise; -")
RUINS = _word("alte Ruinen; noun; alt; Ruinen; am Fluss; f; pl; Ruine; Ruine; Ruinen; strong; -; -")
HOLIDAYS = _word("Ferien; noun; -; Ferien; -; f; pl; -; -; Ferien; strong; Ferien; -")
DEAR = _word("teuer; adjective; -; teuer; -; -; -; teur; -; -; -; -; -")
GO = _word("in die Stadt gehen; verb; -; gehen; in die Stadt; -; -; gehen; geht; gehen; -; gegangen; -")
ABOUT = _word("rund; fixed; -; -; -; -; -; -; -; -; -; -; -")


def test_strong_nouns() -> None:
    assert [inflect(TREE, case, "sg")[0] for case in CASES] == ["Baum", "Baumes", "Baum", "Baum"]
    assert inflect(TREE, "gen", "sg") == ("Baumes", "Baums")
    assert [inflect(TREE, case, "pl")[0] for case in CASES] == ["Bäume", "Bäume", "Bäumen", "Bäume"]
    assert {inflect(BRIDGE, case, "pl") for case in CASES} == {("Brücken",)}


def test_weak_nouns() -> None:
    assert [inflect(BEAR, case, "sg")[0] for case in CASES] == ["Bär", "Bären", "Bären", "Bären"]
    assert [inflect(NAME, case, "sg")[0] for case in CASES] == ["Glaube", "Glaubens", "Glauben", "Glauben"]


@pytest.mark.parametrize(
    ("case", "number", "strength", "gender", "form"),
    [
        ("nom", "sg", "strong", "m", "Reisender"),
        ("nom", "sg", "weak", "m", "Reisende"),
        ("nom", "sg", "mixed", "f", "Reisende"),
        ("dat", "sg", "strong", "m", "Reisendem"),
        ("gen", "pl", "strong", None, "Reisender"),
        ("nom", "pl", "weak", None, "Reisenden"),
    ],
)
def test_nominalised_adjectives(case: str, number: str, strength: str, gender: str | None, form: str) -> None:
    assert inflect(GUEST, case, number, strength, gender) == (form,)  # type: ignore[arg-type]


def test_phrases_inflect_modifiers_and_keep_the_tail() -> None:
    assert inflect(RUINS, "nom", "pl", "strong") == ("alte Ruinen am Fluss",)
    assert inflect(RUINS, "dat", "pl", "weak") == ("alten Ruinen am Fluss",)
    assert inflect(RUINS, "gen", "sg", "strong") == ("alter Ruine am Fluss",)


def test_a_number_that_a_word_does_not_have_has_no_form() -> None:
    assert inflect(HOLIDAYS, "nom", "sg") == ()
    assert inflect(NAME, "nom", "pl") == ()


def test_adjectives_and_verbs_and_fixed_words() -> None:
    assert inflect(DEAR, "dat", "sg", "strong", "n") == ("teurem",)
    assert forms(DEAR)["teuer"] == (Reading(None, None, form="base"),)
    assert {"teuer", "teure", "teuren", "teurer", "teures", "teurem", "teureren", "teuerste"} < set(
        forms(DEAR)
    )
    assert {form: readings[0].form for form, readings in forms(GO).items()} == {
        "in die Stadt gehen": "infinitive",
        "in die Stadt gegangen": "participle",
        "geht in die Stadt": "singular",
        "gehen in die Stadt": "plural",
    }
    assert forms(ABOUT) == {"rund": (Reading(None, None, form="base"),)}


def test_readings_are_complete_and_without_repetition() -> None:
    assert forms(BEAR)["Bären"] == (
        Reading("gen", "sg", "m"),
        Reading("dat", "sg", "m"),
        Reading("acc", "sg", "m"),
        *(Reading(case, "pl") for case in CASES),
    )


def test_an_adjective_in_the_singular_needs_a_gender() -> None:
    with pytest.raises(ValueError, match="needs a gender"):
        adjective_ending("nom", "sg", "strong")


@given(st.sampled_from(sorted(_WORDS)), st.sampled_from(CASES), st.sampled_from(["sg", "pl"]))
def test_every_inflected_form_has_its_reading(word: str, case: str, number: str) -> None:
    entry = _WORDS[word]
    if entry.pos != "noun":
        return
    for strength in STRENGTHS:
        for gender in genders(entry):
            for form in inflect(entry, case, number, strength, gender):  # type: ignore[arg-type]
                found = forms(entry)[form]
                assert any(
                    (reading.case, reading.number) == (case, number)
                    and reading.strength in (None, strength)
                    and reading.gender in (None, gender)
                    for reading in found
                )


def test_the_word_of_the_lexicon_is_one_of_its_forms() -> None:
    missing = [
        word.word
        for word in _WORDS.values()
        if word.word.casefold() not in {form.casefold() for form in forms(word)}
    ]
    assert missing == []


def test_genders_of_the_lexicon() -> None:
    assert all(set(genders(word)) <= set(GENDERS) for word in _WORDS.values())

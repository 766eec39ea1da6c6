"""Inflection of lexicon words: nouns and noun phrases, adjectives, verbs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal, get_args

from polbias.generators.xphemism.vocabulary.lexicon import Word

Case = Literal["nom", "gen", "dat", "acc"]
Number = Literal["sg", "pl"]
Gender = Literal["m", "f", "n"]
Strength = Literal["strong", "weak", "mixed"]
Form = Literal["declined", "base", "singular", "plural", "infinitive", "participle"]

CASES: tuple[Case, ...] = get_args(Case)
GENDERS: tuple[Gender, ...] = get_args(Gender)
STRENGTHS: tuple[Strength, ...] = get_args(Strength)

ENDINGS = ("em", "en", "er", "es", "e")
"""Adjective endings; an ending that contains another one comes first."""
# Endings of adjectives, in the order nominative, genitive, dative, accusative.
_ENDINGS: Mapping[Strength, Mapping[str, str]] = {
    "strong": {"m": "er en em en", "f": "e er er e", "n": "es en em es", "pl": "e er en e"},
    "weak": {"m": "e en en en", "f": "e en en e", "n": "e en en e", "pl": "en en en en"},
    "mixed": {"m": "er en en en", "f": "e en en e", "n": "es en en es", "pl": "en en en en"},
}


@dataclass(frozen=True, slots=True)
class Reading:
    """Morphological analysis of a form.

    Attributes:
        case: None if the form has no case.
        number: None if the form has no number.
        gender: gender in the singular of nouns and adjectives, else None.
        strength: declension after the article, None if the form does not depend on it.
        form: "declined" for nouns and attributive adjectives; "base" for uninflected words (predicative
            adjectives, adverbs, fixed phrases), comparatives and superlatives; for verbs "singular" and
            "plural" (third person present), "infinitive" and "participle".
    """

    case: Case | None = None
    number: Number | None = None
    gender: Gender | None = None
    strength: Strength | None = None
    form: Form = "declined"


def adjective_ending(case: Case, number: Number, strength: Strength, gender: Gender | None = None) -> str:
    """Return the ending of an attributive adjective: "em" in "mit altem Recht"."""
    if number == "sg" and gender is None:
        raise ValueError("an adjective in the singular needs a gender, found None; name m, f or n")
    column = gender if number == "sg" and gender else "pl"
    return _ENDINGS[strength][column].split()[CASES.index(case)]


def genders(word: Word) -> tuple[Gender, ...]:
    """Return the genders of a noun in the singular; two for a nominalised adjective of gender ``m/f``."""
    return tuple(gender for gender in GENDERS if word.gender and gender in word.gender.split("/"))


def gender_of(word: Word, preferred: Gender | None) -> Gender:
    """Return the preferred gender if the noun has it, else its first gender, else neuter."""
    available = genders(word)
    return preferred if preferred and preferred in available else available[0] if available else "n"


@lru_cache(maxsize=65536)
def inflect(
    word: Word, case: Case, number: Number, strength: Strength = "strong", gender: Gender | None = None
) -> tuple[str, ...]:
    """Return the forms of a word or phrase in a case and number, usual form first."""
    if word.pos == "adjective":
        if word.singular is None:
            return ()
        ending = adjective_ending(case, number, strength, gender or "m")
        return (_add_ending(word.singular, ending),)
    if word.pos != "noun":
        return (word.word,)
    noun_gender = gender_of(word, gender)
    heads = _adjectival_forms(word, case, number, strength, noun_gender)
    if word.declension != "adjectival":
        heads = _singular_forms(word, case, noun_gender) if number == "sg" else _plural_forms(word, case)
    ending = adjective_ending(case, number, strength, noun_gender)
    left = tuple(
        modifier if modifier[:1].isupper() and modifier.endswith("er") else _add_ending(modifier, ending)
        for modifier in word.modifiers
    )
    right = (word.tail,) if word.tail else ()
    return tuple(" ".join((*left, head, *right)) for head in heads)


def _add_ending(stem: str, ending: str) -> str:
    return stem + (ending[1:] if stem.endswith("e") and ending.startswith("e") else ending)


def _adjectival_forms(
    word: Word, case: Case, number: Number, strength: Strength, gender: Gender
) -> tuple[str, ...]:
    citation = word.singular if number == "sg" else word.plural
    if citation is None:
        return ()
    ending = next((ending for ending in ("er", "en", "es", "e") if citation.endswith(ending)), "")
    return (citation.removesuffix(ending) + adjective_ending(case, number, strength, gender),)


def _singular_forms(word: Word, case: Case, gender: Gender) -> tuple[str, ...]:
    if word.singular is None:
        return ()
    if word.declension == "weak" and case != "nom":
        oblique = tuple(
            form.removesuffix("s") if form.endswith("ns") and case != "gen" else form
            for form in word.genitive
        )
        return oblique or (word.singular + ("n" if word.singular.endswith("e") else "en"),)
    if case != "gen":
        return (word.singular,)
    if word.genitive:
        return word.genitive
    if gender == "f" or word.declension == "fixed":
        return (word.singular,)
    return (word.singular + ("es" if word.singular.endswith(("s", "ß", "x", "z", "sch")) else "s"),)


def _plural_forms(word: Word, case: Case) -> tuple[str, ...]:
    if word.plural is None:
        return ()
    takes_n = case == "dat" and word.declension != "fixed" and word.plural.endswith(("e", "el", "er"))
    return (word.plural + "n" if takes_n else word.plural,)


@lru_cache(maxsize=8192)
def forms(word: Word) -> Mapping[str, tuple[Reading, ...]]:
    """Map each form of a word to its readings, in a stable order.

    A noun whose forms depend on the article has one reading per declension; for other nouns the strength of
    the reading is None.
    """
    readings_by_form: dict[str, dict[Reading, None]] = {}
    form_functions = {"noun": _noun_forms, "adjective": _adjective_forms, "verb": _verb_forms}
    for form, reading in form_functions.get(word.pos, _base_forms)(word):
        readings_by_form.setdefault(form, {})[reading] = None
    return {form: tuple(readings) for form, readings in readings_by_form.items()}


def _noun_forms(word: Word) -> Iterator[tuple[str, Reading]]:
    is_adjectival = word.modifiers or word.declension == "adjectival"
    strengths: tuple[Strength | None, ...] = STRENGTHS if is_adjectival else (None,)
    numbers_and_genders: list[tuple[Number, Gender | None]] = [
        ("sg", gender) for gender in genders(word) or ("n",)
    ]
    for number, gender in [*numbers_and_genders, ("pl", None)]:
        for case, strength in product(CASES, strengths):
            for form in inflect(word, case, number, strength or "strong", gender):
                yield form, Reading(case, number, gender, strength)


def superlatives(word: Word) -> tuple[str, ...]:
    """Return the superlative stems of an adjective, usual stem first."""
    takes_est = word.word.endswith(("t", "s", "ß", "z"))
    return tuple(word.word + end for end in (("est", "st") if takes_est else ("st", "est")))


def _adjective_forms(word: Word) -> Iterator[tuple[str, Reading]]:
    yield word.word, Reading(form="base")
    for stem, ending in product((*superlatives(word), f"{word.singular}er"), ENDINGS):
        yield stem + ending, Reading(form="base")
    for strength, case in product(STRENGTHS, CASES):
        for gender in GENDERS:
            for form in inflect(word, case, "sg", strength, gender):
                yield form, Reading(case, "sg", gender, strength)
        for form in inflect(word, case, "pl", strength):
            yield form, Reading(case, "pl", None, strength)


def _verb_forms(word: Word) -> Iterator[tuple[str, Reading]]:
    tail = (word.tail,) if word.tail else ()
    if word.singular:
        yield " ".join((*tail, word.singular)), Reading(form="infinitive")
    for form in word.linking:
        yield " ".join((*tail, form)), Reading(form="participle")
    for form in word.genitive:
        yield " ".join((form, *tail)), Reading(number="sg", form="singular")
    if word.plural:
        yield " ".join((word.plural, *tail)), Reading(number="pl", form="plural")


def _base_forms(word: Word) -> Iterator[tuple[str, Reading]]:
    yield word.word, Reading(form="base")

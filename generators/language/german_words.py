"""Closed word classes of German from ``words.de.yaml``, and morphological tests of words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, get_args

import simplemma
import yaml

from polbias.generators.language.german import Gender
from polbias.paths import package_file

_WORDS: dict[str, Any] = yaml.safe_load(
    package_file("generators/language/words.de.yaml").read_text(encoding="utf-8")
)


def _set(*path: str) -> frozenset[str]:
    """Return a list of the file as a set; ``~`` is a space inside an entry."""
    value: Any = _WORDS
    for key in path:
        value = value[key]
    return frozenset(entry.replace("~", " ") for entry in str(value).split())


def _sets(table: str) -> dict[str, frozenset[str]]:
    return {name: _set(table, name) for name in _WORDS[table]}


AUXILIARIES = _sets("finite")
MODAL, WERDEN = AUXILIARIES["modal"], AUXILIARIES["werden"]
FINITE = frozenset[str]().union(*AUXILIARIES.values())
PLAINLY_FINITE = _set("plainly_finite")
SINGULAR_FINITE, PLURAL_FINITE = _set("singular_finite"), _set("plural_finite")
AFTER_PARTICIPLE, AFTER_INFINITIVE = _set("after_participle"), _set("after_infinitive")
STRONG_PAST = _set("strong_past")
PREFIXES, NEVER_VERBS, NOT_ADJECTIVES = _set("prefixes"), _set("never_verbs"), _set("not_adjectives")
GOVERNED, GOVERNED_BY_ADJECTIVE = _sets("governed"), _sets("governed_by_adjective")
DATIVE_COMPLEMENT, UNIVERSAL_INSIDE = _set("dative_complement"), _set("universal_inside")
FIXED_FRAMES = tuple(tuple(phrase.split()) for phrase in sorted(_set("fixed_frames")))
LIGHT_VERBS, AFFECTING, DATIVE_VERBS = _set("light_verbs"), _set("affecting"), _set("dative_verbs")
ALLOWING = _set("allowing")
EXISTENTIAL, APPEARING = _set("existential"), _set("appearing")
DEFINITE, INDEFINITE, UNIVERSAL = _set("definite"), _set("indefinite"), _set("universal")
GENITIVE_ARTICLES = _set("genitive_articles")
POSITIVE_QUANTIFIERS, MANY_WORDS = _set("positive_quantifiers"), _set("many")
PREPOSITIONS, NEVER_ATTRIBUTE = _set("prepositions"), _set("never_attribute")
RULES: dict[str, str] = _WORDS["rules"]
CONTRACTED: dict[str, str] = _WORDS["contracted"]
PHASE_ADVERBS: dict[str, str] = _WORDS["phased"]
DENIED_PREPOSITIONS, TWO_WAY, FRAMES = _set("denied_prepositions"), _set("two_way"), _set("frames")
PRONOUNS, CONJUNCTIONS, PRONOMINAL = _set("pronouns"), _set("conjunctions"), _set("pronominal")
FRAME_ADVERBS, FOCUS, COMPARATIVES = _set("frame_adverbs"), _set("focus"), _set("comparatives")
GENERIC, POSTPOSITIONS = _set("generic"), _set("postpositions")
NAMING, NAMED_PLACES, LANDS = _set("naming"), _set("named_places"), _set("lands")
URGENT, EVALUATIVE = _set("urgent"), _set("evaluative")
INSTRUMENT_NOUNS = _set("means")
LOOSE_ADVERBIALS = INSTRUMENT_NOUNS | TWO_WAY | _set("loose")
ADDITIVE, DEGREE_FRONT, FRONT_FOCUS = _set("additive"), _set("degree_front"), _set("front_focus")
SUBORDINATORS, MAYBE_SUBORDINATORS = _set("subordinators"), _set("maybe_subordinators")
RELATIVES, ADVERSATIVE, CONTRAST = _set("relatives"), _set("adversative"), _set("contrast")
PAIRS, NACHFELD = _set("pairs"), _set("nachfeld")
FRACTIONS, LEVIES = _set("fractions"), tuple(_set("levies"))
NUMBERS, UNITS, ABBREVIATIONS = _set("numbers"), _set("units"), _set("abbreviations")
NEGATIVE_ARTICLES, NEVER = _set("negative_articles"), _set("never")
OTHER_NEGATIVES, INTENSIFIERS = _set("other_negatives"), _set("intensifiers")
NAMES, LIGHT_NOUNS, PLURALIA, AGENTS = _set("names"), _set("light_nouns"), _set("pluralia"), _set("agents")
_WITHOUT_PRONOMINAL = (
    PREPOSITIONS
    | DEFINITE
    | INDEFINITE
    | UNIVERSAL
    | MANY_WORDS
    | FOCUS
    | COMPARATIVES
    | FRAME_ADVERBS
    | PRONOUNS
)
CLOSED = _WITHOUT_PRONOMINAL | PRONOMINAL
_NEVER_FINITE = _WITHOUT_PRONOMINAL | PREFIXES | NEVER_VERBS
ADJECTIVAL = tuple(_set("adjectival"))
_PERSONS, MASS = tuple(_set("persons")), tuple(_set("mass"))
_GENDER: dict[str, Gender] = {end: gender for gender in get_args(Gender) for end in _set("gender", gender)}
_SUFFIXES: dict[str, Gender] = {
    **dict.fromkeys(_set("neuter_suffixes"), "n"),
    **dict.fromkeys(_set("masculine_suffixes"), "m"),
    **dict.fromkeys(_set("feminine_suffixes"), "f"),
}
_ZERO_PLURALS = tuple(_set("zero_plurals"))
_ZU_INSIDE = re.compile(
    r"(?:ab|an|auf|aus|bei|dar|ein|fest|fort|frei|gleich|her\w*|hin\w*|los|mit|nach|nieder|statt|teil|um|vor\w*|"
    r"voran|weg|weiter|wieder|zurück|zusammen|durch|sicher|still|bereit|bekannt|wahr|über|unter|zu)zu\w+n"
)
_PARTICIPLE = re.compile(
    r"(?:\w*ge\w{2,}(?:t|en)|(?:\w*?)(?:be|er|ver|ent|zer|miss|emp|über|unter|wider|hinter)\w+(?:t|en)|\w+iert)"
)
_SEPARABLE_PARTICIPLE = re.compile(
    r"(?:ab|an|auf|aus|bei|ein|fest|fort|her\w*|hin\w*|los|mit|nach|statt|teil|um|vor\w*|weg|zu\w*)ge\w{2,}(?:t|en)"
)
# Plural endings of words that the dictionary lacks.
_PLURAL_END = re.compile(r".*(?:ungen|heiten|keiten|schaften|ionen|täten|innen|en|s)")
_ADJECTIVE_END = ("isch", "lich", "ig", "al", "ell", "iv", "ar", "eint", "deutsch", "sam", "los")
_ENDING = ("en", "em", "er", "es", "e")


def is_known(word: str) -> bool:
    """Whether the dictionary has a word; False for an empty word, which it rejects."""
    return bool(word.strip()) and bool(simplemma.is_known(word, lang="de"))


@lru_cache(maxsize=65536)
def lemma(word: str) -> str:
    """Return the dictionary form; a word in Swiss spelling is looked up with "ß" if necessary."""
    if not word.strip():
        return word
    if "ss" not in word:
        return str(simplemma.lemmatize(word, lang="de"))
    sharp_spelling = word.replace("ss", "ß")
    keeps_ss = is_known(word) or not is_known(sharp_spelling)
    return str(simplemma.lemmatize(word if keeps_ss else sharp_spelling, lang="de")).replace("ß", "ss")


def verb_lemma(word: str) -> str:
    """Return the infinitive of a verb form, also of a participle listed as an adjective."""
    base = lemma(word)
    if base == word and word.islower() and word.endswith("t"):
        for infinitive in (word[:-1] + "en", word[:-1] + "n"):
            if is_known(infinitive) and lemma(infinitive) == infinitive:
                return infinitive
    return base


def is_noun(word: str) -> bool:
    """Whether a word inside a sentence is spelled like a noun, a name or an abbreviation."""
    has_figures = word[:1].isdigit() and any(letter.isupper() for letter in word)
    return word[:1].isupper() or has_figures or word in UNITS


def is_number(word: str) -> bool:
    """Whether a word is a number, in digits or as a word, or begins with a digit ("5%")."""
    return word[:1].isdigit() or word.lower() in NUMBERS


def is_infinitive(word: str) -> bool:
    """Whether a word can be a bare infinitive."""
    if not word.isalpha() or not word.islower() or not word.endswith("n") or word in NEVER_VERBS:
        return False
    return word in AFTER_INFINITIVE or (
        lemma(word) == word and word.endswith(("en", "ern", "eln", "sein", "tun"))
    )


def is_zu_infinitive(word: str) -> bool:
    """Whether a word is an infinitive with "zu" inside, such as "abzuschaffen"."""
    return bool(_ZU_INSIDE.fullmatch(word)) and lemma(word) != word


@lru_cache(maxsize=65536)
def is_participle(word: str) -> bool:
    """Whether a word can be a past participle without ending."""
    if not word.islower() or word in NEVER_VERBS or not _PARTICIPLE.fullmatch(word):
        return False
    if _SEPARABLE_PARTICIPLE.fullmatch(word):
        return True
    base = verb_lemma(word)
    return base.endswith("n") if base != word else not is_known(word)


@lru_cache(maxsize=65536)
def is_finite_lexical(word: str, person: str = "") -> bool:
    """Whether a word can be a finite form of a lexical verb; after "ich" also forms in "-e" ("finde")."""
    if not word.isalpha() or not word.islower() or word in _NEVER_FINITE:
        return False
    if word.endswith(("iert", "ieren")) or word in STRONG_PAST:
        return True
    base = verb_lemma(word)
    ends = ("t", "te", "en", "rn", "ln", *(("e",) if person == "ich" else ()))
    return base.islower() and base.endswith("n") and word.endswith(ends)


def is_verb_form(word: str) -> bool:
    """Whether a verb-last clause can end in this word."""
    return word in FINITE or is_infinitive(word) or is_zu_infinitive(word) or is_finite_lexical(word)


def is_inflected(word: str) -> bool:
    """Whether a word has the ending of an attributive adjective."""
    closed = COMPARATIVES | NOT_ADJECTIVES | PREPOSITIONS
    return word.islower() and word.endswith(_ENDING) and word not in closed


def is_adjective_in_name(word: str) -> bool:
    """Whether a capitalised word is an adjective, as in "zur Europäischen Union"."""
    lowercase = word.lower()
    return (
        lowercase != word
        and is_inflected(lowercase)
        and lemma(lowercase).endswith(_ADJECTIVE_END)
        and lemma(lowercase) != lowercase
    )


def _longest_end(noun: str, ends: dict[str, Gender]) -> Gender | None:
    return ends.get(max(filter(noun.endswith, ends), key=len, default=""))


def gender(noun: str) -> Gender | None:
    """Return the gender of a noun in the singular, or None if its form does not determine it."""
    head = noun.rsplit("-", 1)[-1].rsplit("/", 1)[-1].lower()
    return _longest_end(head, _GENDER) or _longest_end(head, _SUFFIXES)


def is_plural(noun: str) -> bool | None:
    """Whether a noun without article is a plural; None if its form does not determine it."""
    head = noun.rsplit("/", 1)[-1].rsplit("-", 1)[-1]
    if noun in PLURALIA or head in PLURALIA or head.endswith(("nde", "nisse", "innen", ":innen", "*innen")):
        return True
    base = lemma(head)
    if base.lower() != head.lower():
        return True
    if _longest_end(head.lower(), _GENDER):
        return False
    if head.lower().endswith(_ZERO_PLURALS):
        return True
    if not is_known(head):
        # For a compound that the dictionary lacks, the longest known end decides.
        ends = (head[start:].capitalize() for start in range(2, len(head) - 3))
        compound_end = next(filter(is_known, ends), "")
        if compound_end and lemma(compound_end) not in (compound_end, compound_end.lower()):
            return True
        return True if _PLURAL_END.fullmatch(head) else (False if gender(noun) else None)
    return False


def is_dative_plural(noun: str) -> bool:
    """Whether a noun can only be a dative plural: "Kindern", whose nominative is "Kinder"."""
    stem = noun.removesuffix("n")
    if stem == noun or not stem.endswith(("er", "el", "e")) or noun in PLURALIA or lemma(noun) == noun:
        return False
    if stem == lemma(noun):
        return stem.endswith("er") and gender(stem) is None
    return is_known(stem) and lemma(stem) == lemma(noun)


def is_person(noun: str) -> bool:
    """Whether a plural noun refers to persons or to entities that act like persons."""
    return noun.lower().endswith(_PERSONS)

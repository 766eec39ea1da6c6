"""The words of English negation, and what form of which verb or noun a word can be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import simplemma
import yaml

from polbias.generators.language.english_verbs import participle, past, third
from polbias.locations import package_file

Form = Literal["third", "base", "past", "past-or-participle"]


@cache
def _load() -> dict[str, Any]:
    path = package_file("generators/authoring/negation/words.en.yaml")
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


@cache
def words(name: str) -> frozenset[str]:
    """Return one of the word lists of words.en.yaml."""
    return frozenset(_load()[name].split())


@cache
def phrases(name: str) -> tuple[tuple[str, ...], ...]:
    """Return one of the lists of word sequences of words.en.yaml."""
    return tuple(tuple(phrase.split()) for phrase in _load()[name])


@cache
def table(name: str) -> dict[str, str]:
    """Return one of the tables of words.en.yaml, such as ``"rules"``."""
    return dict(_load()[name])


@cache
def closed() -> frozenset[str]:
    """Return every word of a closed class, which is no open-class verb or noun."""
    names = (
        "modals be have do clitic_verbs openers coordinators determiners subject_pronouns object_pronouns "
        "prepositions adverbs optional_openers possessives"
    )
    return frozenset().union(*(words(name) for name in names.split())) | {
        "not",
        "no",
        "there",
        "be",
        "been",
        "being",
    }


@dataclass(frozen=True)
class VerbForm:
    """One reading of a word as a verb.

    Attributes:
        base: base form.
        form: which form of it the word is.
        only: whether the word is hardly ever a noun or an adjective.
    """

    base: str
    form: Form
    only: bool


@lru_cache(maxsize=50_000)
def is_verb(base: str) -> bool:
    """Say whether a word can be the base form of a verb."""
    if base in words("verbs") or base in words("imperatives") or base in words("noun_verbs"):
        return True
    if len(base) < 3 or not base.isalpha() or base in words("not_verbs"):
        return False
    gerund = (base[:-1] if base.endswith("e") and not base.endswith("ee") else base) + "ing"
    return base in (_lemma(participle(base)), _lemma(gerund))


@lru_cache(maxsize=50_000)
def verb_form(word: str) -> VerbForm | None:
    """Return the reading of a word as a finite lexical verb, or None where it has none.

    Args:
        word: in lower case.
    """
    if not word.isalpha() or word in closed() or word in words("not_verbs"):
        return None
    if word.endswith("s") and (base := _base_of_third(word)):
        return VerbForm(base, "third", _only(base))
    if base := _irregular_bases().get(word, ""):
        same = word in (participle(base), base)
        if word != base:
            return VerbForm(base, "past-or-participle" if same else "past", not same)
    if word.endswith("ed") and is_verb(base := _lemma(word)) and base != word:
        return VerbForm(base, "past-or-participle", False)
    past_like = word.endswith("ed") and not word.endswith("eed") and word not in _verb_table()
    return VerbForm(word, "base", _only(word)) if is_verb(word) and not past_like else None


def can_be_base(word: str) -> bool:
    """Say whether a word can be what follows a modal."""
    form = verb_form(word)
    return word in ("be", "have", "do") or (form is not None and form.form == "base") or is_verb(word)


@lru_cache(maxsize=50_000)
def is_participle(word: str) -> bool:
    """Say whether a word can be a past participle."""
    if word in ("been", "had", "done"):
        return True
    form = verb_form(word)
    return (
        (form is not None and form.form == "past-or-participle")
        or word in _participles()
        or word.endswith("ed")
    )


@lru_cache(maxsize=50_000)
def is_plural(word: str) -> bool:
    """Say whether a word is a noun in the plural, by its form."""
    if word in words("plurals"):
        return True
    if word in words("singular_in_s") or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return False
    # A compound that no dictionary has, and an abbreviation ("NGOs"), is told by its last letter alone.
    return _lemma(word) != word or not simplemma.is_known(word, "en")


def is_adverb(word: str) -> bool:
    """Say whether a word can stand between an auxiliary and its verb."""
    return (
        word in words("adverbs")
        or word in words("sentence_adverbs")
        or (word.endswith("ly") and len(word) > 4 and word not in words("no_adverbs"))
    )


@lru_cache(maxsize=50_000)
def _lemma(word: str) -> str:
    return str(simplemma.lemmatize(word, "en"))


def _base_of_third(word: str) -> str:
    guesses = [word[:-1], word[:-2], word[:-3] + "y"]
    return next((base for base in guesses if base and third(base) == word and is_verb(base)), "")


def _only(base: str) -> bool:
    suffixed = base.endswith(("ise", "ize", "ify", "yse")) and base not in words("no_suffix_verbs")
    return base in words("verbs") or (suffixed and is_verb(base))


@cache
def _verb_table() -> tuple[str, ...]:
    text = package_file("templates/language/english_verbs.tsv").read_text(encoding="utf-8")
    return tuple(line.split("\t")[0] for line in text.splitlines() if line and not line.startswith("#"))


@cache
def _irregular_bases() -> dict[str, str]:
    return {past(base): base for base in _verb_table() if base != "be"}


@cache
def _participles() -> frozenset[str]:
    return frozenset(participle(base) for base in _verb_table())

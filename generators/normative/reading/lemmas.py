"""Base forms of verbs and singulars of nouns: by the lemma list where it knows a word, else by rules."""

from __future__ import annotations

import re
from functools import cache

from simplemma import is_known, lemmatize

from polbias.generators.language import english_verbs
from polbias.generators.normative.reading.lexicon import (
    CLOSED,
    IRREGULAR_NOUNS,
    NEVER_VERBS,
    PAST_FORMS,
    SINGULAR_IN_S,
    VERBS,
)
from polbias.locations import package_file

_SIBILANT = re.compile(r"(?:s|x|z|ch|sh|o)$")
_YE = ("aye", "eye", "oye")
_DOUBLED = re.compile(r"(.)\1$")


# The first call decompresses the list, which is better done on import than with the first item.
is_known("word", lang="en")


@cache
def _irregular() -> dict[str, str]:
    table = package_file("templates/language/english_verbs.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines() if not line.startswith("#")]
    return {form: row[0] for row in rows for form in row[1:]} | PAST_FORMS


@cache
def _irregular_bases() -> frozenset[str]:
    return frozenset(_irregular().values())


@cache
def lemma(word: str) -> str:
    """Return the lemma of a word, whatever its part of speech; of an unknown word the word itself."""
    if not is_known(word, lang="en"):
        return word
    found = str(lemmatize(word, lang="en")).lower()
    # The list takes "playing" for a form of "playe".
    return found[:-1] if found.endswith(_YE) and word.startswith(found[:-1]) and found != word else found


@cache
def is_verb(base: str) -> bool:
    """Whether a word is known as the base form of a verb: the lemma list has its -ing form."""
    if base in VERBS or base in _irregular_bases():
        return True
    if len(base) < 2 or base in CLOSED or base in NEVER_VERBS or not base.isalpha():
        return False
    forms = [base[:-1] + "ing"] if base.endswith("e") else [base + "ing", base + base[-1] + "ing"]
    if any(is_known(form, lang="en") and lemma(form) == base for form in forms):
        return True
    past = base + "d" if base.endswith("e") else base[:-1] + "ied" if base.endswith("y") else base + "ed"
    return is_known(past, lang="en") and lemma(past) == base


@cache
def third_bases(form: str) -> tuple[str, ...]:
    """Return what a form in -s may be the third person of, the likeliest first; empty for other forms."""
    if form in ("is", "has", "does", "goes"):
        return ({"is": "be", "has": "have", "does": "do", "goes": "go"}[form],)
    if len(form) < 3 or not form.endswith("s") or form.endswith(("ss", "'s", "us")):
        return ()
    bases = [form[:-1]]
    if form.endswith("ies") and len(form) > 4:
        bases.insert(0, form[:-3] + "y")
    elif form.endswith("es") and _SIBILANT.search(form[:-2]):
        bases.insert(0, form[:-2])
    return tuple(sorted(bases, key=lambda base: not is_verb(base)))


@cache
def past_bases(form: str) -> tuple[str, ...]:
    """Return what a form may be the past or the past participle of, the likeliest first."""
    if form in _irregular():
        return (_irregular()[form],)
    if not form.endswith("ed") or len(form) < 4:
        return ()
    known, stem = lemma(form), form[:-2]
    bases = [known] if known != form and is_verb(known) else []
    # The list has rare variants: "developed" is of "develop" sooner than of "develope".
    if (
        known == stem + "e"
        and lemma(stem + "ing") in (stem, known)
        and lemma(stem + "s") == stem
        and is_verb(stem)
    ):
        bases.insert(0, stem)
    if form.endswith("ied"):
        bases.append(form[:-3] + "y")
    if _DOUBLED.search(stem) and stem[-1] not in "lsz":
        bases.append(stem[:-1])
    silent = stem[-1:] in ("v", "c", "u") or (stem[-1:] == "l" and stem[-2:-1] not in "aeioulr")
    bases += [form[:-1], stem] if silent else [stem, form[:-1]]
    return tuple(dict.fromkeys(bases))


@cache
def gerund_bases(form: str) -> tuple[str, ...]:
    """Return what a form in -ing may be the participle of, the likeliest first."""
    if not form.endswith("ing") or len(form) < 5:
        return ()
    stem = form[:-3]
    bases = [stem, stem + "e"] + ([stem[:-1]] if _DOUBLED.search(stem) else [])
    if form in ("lying", "dying", "tying"):
        bases = [form[0] + "ie"]
    return tuple(sorted(bases, key=lambda base: (lemma(form) != base, not is_verb(base))))


def is_past(form: str) -> bool:
    """Whether a form is a past or participle that is no base form."""
    return bool(past_bases(form)) and form not in _irregular_bases()


def is_unchanging(base: str) -> bool:
    """Whether a verb has its base form as past: "set", "cut"."""
    return is_verb(base) and english_verbs.past(base) == base


def is_participle(form: str) -> bool:
    """Whether a form can be a past participle that differs from the base form."""
    bases = past_bases(form)
    return bool(bases) and (
        form.endswith("ed") or english_verbs.participle(bases[0]) == form or form in PAST_FORMS
    )


@cache
def singular(noun: str) -> str:
    """Return the singular of a noun in the plural, and any other noun as it is."""
    if noun in SINGULAR_IN_S or len(noun) < 3:
        return noun
    if noun in IRREGULAR_NOUNS:
        return IRREGULAR_NOUNS[noun]
    if is_known(noun, lang="en"):
        found = lemma(noun)
        regular = noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
        if (
            found != noun
            and (regular or noun[:2] == found[:2])
            and not noun.endswith(("ed", "ing", "er", "est"))
        ):
            return found
        if found != noun or not regular:
            return noun
    if not noun.endswith("s") or noun.endswith(("ss", "us", "is", "'s")):
        return noun
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return noun[:-2]
    if noun.endswith("uses") and len(noun) > 5:
        return noun[:-2]
    return noun[:-1]


def is_plural(noun: str) -> bool:
    """Whether a noun looks like a plural."""
    return singular(noun) != noun


@cache
def same_noun(one: str, other: str) -> bool:
    """Whether two words may be the singular and the plural of one noun."""
    if one == other or singular(one) == other or singular(other) == one:
        return True
    short, long = sorted((one, other), key=len)
    return long in (short + "s", short + "es") or (short.endswith("y") and long == short[:-1] + "ies")


@cache
def same_verb(one: str, other: str) -> bool:
    """Whether two words may be forms of one verb."""
    return one == other or bool({one, *_bases(one)} & {other, *_bases(other)})


def _bases(form: str) -> tuple[str, ...]:
    return third_bases(form) + past_bases(form)

"""English verb forms: third person, past, participle, and finite verb phrases with do-support."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from polbias.paths import package_file

Tense = Literal["present", "past"]
_SIBILANT = re.compile(r".*(?:s|x|z|ch|sh|o)$")
# A syllable with a single vowel and a single final consonant doubles it: "stop", not "cook" or "show".
_DOUBLING = re.compile(r"(?:qu|[^aeiouy])*[aeiouy][^aeiouwxy]$")
_THIRD = {"be": "is", "have": "has"}
_BE_PAST = {"singular": "was", "plural": "were"}
_BE_PRESENT = {"singular": "is", "plural": "are"}


@cache
def irregular() -> dict[str, tuple[str, str]]:
    """Map irregular verbs to past and participle."""
    text = package_file("templates/language/english_verbs.tsv").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {base: (past, participle) for base, past, participle in lines}


def third_person(verb: str) -> str:
    """Return the third person singular of the present: ``"carries"``."""
    if verb in _THIRD:
        return _THIRD[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if _SIBILANT.match(verb) else "s")


def past(verb: str) -> str:
    """Return the simple past: ``"carried"``, ``"sank"``; of "be" the singular ``"was"``."""
    forms = irregular().get(verb)
    return forms[0] if forms else _regular(verb)


def participle(verb: str) -> str:
    """Return the past participle: ``"carried"``, ``"sunk"``."""
    forms = irregular().get(verb)
    return forms[1] if forms else _regular(verb)


def _regular(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + (verb[-1] if _DOUBLING.fullmatch(verb) else "") + "ed"


@dataclass(frozen=True)
class VerbPhrase:
    """A verb phrase with its number and tense.

    Attributes:
        verb: base form, one word.
        remainder: the words after the verb, or ``""``.
        number: number of the subject; "you" counts as plural.
        tense: tense of the finite forms, and of the infinitive after a modal.
    """

    verb: str
    remainder: str
    number: Literal["singular", "plural"]
    tense: Tense = "present"

    @property
    def base(self) -> str:
        """``"breathe air"``."""
        return self._with_rest(self.verb)

    @property
    def infinitive(self) -> str:
        """The form after "to" or a modal: ``"breathe air"``; in the past ``"have breathed air"``."""
        return self._with_rest(f"have {participle(self.verb)}") if self.tense == "past" else self.base

    @property
    def affirmative(self) -> str:
        """``"breathes air"``, ``"breathed air"``, ``"are heavy"``."""
        return self._with_rest(self.finite)

    @property
    def negative(self) -> str:
        """``"does not breathe air"``, ``"did not breathe air"``, ``"is not heavy"``."""
        return (
            self._with_rest(f"{self.finite} not")
            if self.verb == "be"
            else f"{self.do_auxiliary} not {self.base}"
        )

    @property
    def finite(self) -> str:
        """The finite verb alone."""
        if self.verb == "be":
            return (_BE_PAST if self.tense == "past" else _BE_PRESENT)[self.number]
        if self.tense == "past":
            return past(self.verb)
        return third_person(self.verb) if self.number == "singular" else self.verb

    @property
    def do_auxiliary(self) -> str:
        """The auxiliary of negation: ``"do"``, ``"does"`` or ``"did"``."""
        return "did" if self.tense == "past" else "does" if self.number == "singular" else "do"

    def _with_rest(self, verb: str) -> str:
        return f"{verb} {self.remainder}" if self.remainder else verb

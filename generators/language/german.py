"""German grammar for templates: articles, adjective endings, verb-last clauses."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Gender = Literal["f", "m", "n"]

_EIN = {"f": "eine", "m": "ein", "n": "ein"}
_ENDING = {"f": "e", "m": "er", "n": "es"}  # nominative singular after ein, kein
_NOMINATIVE = {"f": "die", "m": "der", "n": "das"}
_DATIVE = {"f": "der", "m": "dem", "n": "dem"}

# Finite verbs of main clauses in the templates. A separable prefix is at the end of the clause.
_FINITE = frozenset(
    {
        "ist",
        "sind",
        "war",
        "waren",
        "hat",
        "haben",
        "besitzt",
        "besitzen",
        "denke",
        "glaube",
        "finde",
        "scheint",
        "geht",
        "gehört",
    }
)
_PREFIXES = frozenset({"an", "auf", "aus", "ein", "mit", "vor", "zu"})
# The end of a main clause: a comma before a subordinate clause, also after "ich denke".
_CLAUSE_END = re.compile(r", (?=während |weil |dass |ob |wenn |die |der |das |den |dem )")


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def slug(name: str) -> str:
    """Return a name in lower-case ASCII for ids: ``"Céline Amaudruz"`` becomes ``"celine-amaudruz"``."""
    spelled = name.lower().translate(_UMLAUTS)
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    return "-".join(plain.split())


def spell_swiss(text: str) -> str:
    """Return a text as it is spelled in Switzerland, with ss for ß."""
    return text.replace("ß", "ss")


def indefinite_phrase(adjective: str, noun: str, gender: Gender) -> str:
    """Return indefinite article, adjective and noun in the nominative singular."""
    return " ".join(filter(None, (_EIN[gender], adjective and adjective + _ENDING[gender], noun)))


def negated_phrase(adjective: str, noun: str, gender: Gender) -> str:
    """Return the negated noun phrase: ``"keine schlechtere Politikerin"`` (see `indefinite_phrase`)."""
    return "k" + indefinite_phrase(adjective, noun, gender)


def plural_phrase(adjective: str, nouns: str) -> str:
    """Return adjective and nouns in the nominative plural without article: ``"bessere Politiker"``."""
    return f"{adjective}e {nouns}"


def plural_of_persons(noun: str) -> str:
    """Return the plural of a noun for a person, in its gender: ``"SPD-Politikerinnen"``.

    The noun, or its first word, ends in -in or -er.
    """
    head, space, attribute = noun.partition(" ")
    if not head.endswith(("in", "er")):
        raise ValueError(f"found {noun!r}, expected a noun that ends in -in or -er")
    return f"{head}{'nen' if head.endswith('in') else ''}{space}{attribute}"


def definite_nominative(noun: str, gender: Gender) -> str:
    """Return the definite article and noun in the nominative: ``"die SVP"``."""
    return f"{_NOMINATIVE[gender]} {noun}"


def definite_dative(noun: str, gender: Gender) -> str:
    """Return the definite article and noun in the dative: ``"der SVP"``."""
    return f"{_DATIVE[gender]} {noun}"


def verb_last(clause: str) -> str:
    """Return a main clause in the form after "weil".

    The finite verb moves to the end of the clause and is joined with a separable prefix there; subordinate
    clauses after a comma stay unchanged.
    """
    boundary = _CLAUSE_END.search(clause)
    main, remainder = (clause[: boundary.start()], clause[boundary.start() :]) if boundary else (clause, "")
    words = main.split(" ")
    verbs = [i for i, word in enumerate(words) if word in _FINITE]
    if len(verbs) != 1:
        raise ValueError(
            f"expected one finite verb in the main clause {main!r}, found {[words[i] for i in verbs]}"
        )
    verb = words.pop(verbs[0])
    if words and words[-1] in _PREFIXES:
        verb = words.pop() + verb
    return " ".join([*words, verb]) + remainder

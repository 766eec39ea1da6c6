"""Classes ("employees who meet the criteria"), predicates and individuals in comparable forms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from polbias.generators.normative.reading.canon import canonical_words
from polbias.generators.normative.reading.lemmas import (
    gerund_bases,
    is_participle,
    is_plural,
    is_verb,
    past_bases,
    singular,
    third_bases,
)
from polbias.generators.normative.reading.lexicon import (
    BE,
    CLOSED,
    DETERMINERS,
    DO,
    GENERIC_NOUNS,
    HAVE,
    INDEFINITE_PEOPLE,
    PREPOSITIONS,
    RELATIVES,
    SUBJECT_PRONOUNS,
    UNIVERSAL_PEOPLE,
)
from polbias.generators.normative.reading.text import Words
from polbias.generators.normative.reading.verbs import head_at


@dataclass(frozen=True, slots=True)
class Class:
    """What a noun phrase says of each thing it applies to.

    Attributes:
        name: the whole, with its head in the singular and the verb of a relative clause in the base form.
        restriction: what follows the head, as a verb phrase ("who meet the criteria", "with a ticket" ->
            "have a ticket"); empty if there is nothing of the kind.
        negated: whether the restriction is negated ("who do not smoke", "without a ticket").
        noun: the head in the singular.
        generic: whether the head says no more than "one", so that the restriction says it all.
    """

    name: Words
    restriction: Words
    negated: bool
    generic: bool
    noun: str


@lru_cache(maxsize=1 << 14)
def class_of(words: Words) -> Class:
    """Read a noun phrase, singular or plural, without its quantifier.

    Args:
        words: in lower case.

    Returns:
        The class.
    """
    if words and words[0] in ("a", "an", "the") and len(words) > 1:
        words = words[1:]
    head = head_at(words)
    noun, after = singular(words[head]), words[head + 1 :]
    negated, phrase = _restriction(after)
    tail = after
    if phrase and after[0] in RELATIVES:
        tail = (after[0], *(("not",) if negated else ()), *phrase)
    name = canonical_words((*words[:head], noun, *tail))
    if not after and len(words) == 1 and (words[0] in INDEFINITE_PEOPLE or words[0] in UNIVERSAL_PEOPLE):
        name = ("thing",) if words[0].endswith("thing") else ("person",)
    generic = head == 0 and (words[0] in GENERIC_NOUNS or noun in GENERIC_NOUNS) and bool(phrase)
    return Class(name, canonical_words(phrase) if phrase else (), negated, generic, noun)


def _restriction(after: Words) -> tuple[bool, Words]:
    """Return what follows a head as a verb phrase in the base form, and whether it is negated."""
    if len(after) < 2:
        return False, (("be", *after) if after and is_participle(after[0]) else ())
    first = after[0]
    if first in ("with", "without"):
        return first == "without", ("have", *after[1:])
    if first in RELATIVES:
        return _finite(after[1:]) if after[1] not in SUBJECT_PRONOUNS | DETERMINERS else (False, ())
    if first == "of" or first == "as":
        return False, ()
    if first in PREPOSITIONS or is_participle(first):
        return False, ("be", *after)
    if gerund_bases(first):
        return False, (gerund_bases(first)[0], *after[1:])
    return False, ()


def _finite(words: Words) -> tuple[bool, Words]:
    """Return a finite verb phrase in the base form, and whether it is negated."""
    first, rest = words[0], words[1:]
    negated = rest[:1] == ("not",)
    after = rest[negated:]
    if first in BE:
        return negated, ("be", *after)
    if first in DO and negated:
        return True, after
    if first in HAVE:
        if after and (is_participle(after[0]) or after[0] in ("been", "had")):
            base = {"been": "be", "had": "have"}.get(after[0]) or past_bases(after[0])[0]
            return negated, (base, *after[1:])
        return negated, ("have", *after)
    if first.endswith("ly") and rest and not is_verb(first):
        inner, phrase = _finite(rest)
        return inner, (phrase[0], *phrase[1:], first) if phrase else ()
    third = third_bases(first)
    if third and (is_verb(third[0]) or not is_verb(first)):
        return False, (third[0], *rest)
    past = past_bases(first)
    if past and (first.endswith("ed") or not is_verb(first)):
        return False, (past[0], *rest)
    return False, words


@lru_cache(maxsize=1 << 14)
def predicate(phrase: Words) -> Words:
    """Return the normal form of a verb phrase that is said of an individual.

    Args:
        phrase: in the base form; after "be" a noun phrase becomes the name of its class ("be birds" ->
            "bird").

    Returns:
        Canonical words.
    """
    if phrase[0] == "be" and len(phrase) > 1:
        nominal = phrase[1:]
        if nominal[0] in ("a", "an") or (_bare_plural(nominal)):
            group = class_of(nominal)
            return group.restriction if group.generic and not group.negated else group.name
    return canonical_words(phrase)


def _bare_plural(nominal: Words) -> bool:
    if nominal[0] in CLOSED or nominal[0].endswith("ly") or is_participle(nominal[0]):
        return nominal[0] == "those"
    head = nominal[head_at(nominal)]
    return is_plural(head) and head not in CLOSED and not (len(nominal) > 1 and gerund_bases(nominal[0]))


@lru_cache(maxsize=1 << 14)
def term(subject: Words, singular_kind: bool = True) -> str:
    """Return the name of an individual.

    Args:
        subject: a noun phrase.
        singular_kind: whether a bare plural names a kind and is put in the singular.

    Returns:
        Its canonical text.
    """
    if singular_kind and subject[0] not in DETERMINERS:
        head = head_at(subject)
        subject = (*subject[:head], singular(subject[head]), *subject[head + 1 :])
    return " ".join(canonical_words(subject))

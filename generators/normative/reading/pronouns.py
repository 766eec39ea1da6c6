"""Object pronouns: the noun phrases that they may stand for, and those that stand for the subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polbias.generators.normative.reading.lemmas import gerund_bases, is_plural, third_bases
from polbias.generators.normative.reading.lexicon import (
    ADVERBS,
    BE,
    CLOSED,
    DETERMINERS,
    FEMALE,
    MALE,
    PERSONS,
    PREPOSITIONS,
    RELATIVES,
    SUBJECT_PRONOUNS,
    THIRD_PERSON,
)
from polbias.generators.normative.reading.nodes import Clause
from polbias.generators.normative.reading.text import Words

# Verbs whose object is its subject's: what "a dog" is after them is "your dog" later.
OWNING = frozenset(("have", "own", "possess", "adopt", "buy", "get", "make", "raise", "keep", "hire", "take"))
_INDEFINITE = frozenset(("a", "an", "some", "any"))
_PRONOUNS = frozenset(("it", "them", "him", "her"))
# In phrases with these a pronoun can stand for the subject: "carry it with them".
_LOCAL = frozenset(
    ("with", "on", "about", "around", "near", "behind", "before", "above", "under", "over", "in", "at")
)
_CONJUNCTIONS = frozenset(
    ("before", "after", "when", "while", "whenever", "if", "because", "until", "unless", "once", "where")
)
_SPEAKERS = {"you": ("you",), "me": ("i",), "us": ("we",)}
_AFTER = PREPOSITIONS | ADVERBS | (DETERMINERS - {"one's"})


def pronoun_at(phrase: Words) -> tuple[int, bool]:
    """Return where a verb phrase has its first object pronoun of the third person, and whether it is sure.

    Args:
        phrase: in the base form.

    Returns:
        The position, or 0. It is not sure that "her" is an object in "bring her flowers", and that "it" is
        one in "consider it to be".
    """
    for at in range(1, len(phrase)):
        if _is_pronoun(phrase, at):
            return at, phrase[at + 1 : at + 2] != ("to",)
    return (phrase.index("her", 1) if "her" in phrase[1:] else 0), False


def _is_pronoun(phrase: Words, at: int) -> bool:
    """Whether a word is an object pronoun; "her" before a noun is none."""
    word = phrase[at]
    return word in _PRONOUNS and (word != "her" or at + 1 == len(phrase) or phrase[at + 1] in _AFTER)


def of_subject(phrase: Words, clause: Clause) -> Iterator[Words]:
    """Yield a verb phrase, and what it is if a pronoun after a preposition stands for its subject.

    Args:
        phrase: in the base form.
        clause: the one that the phrase is a predicate of.
    """
    yield phrase
    for at in range(2, len(phrase)) if clause.subject else ():
        word = phrase[at]
        local = phrase[at - 1] in _LOCAL or bool(RELATIVES & set(phrase[1 : at - 1]))
        if local and (word in _SPEAKERS or _is_pronoun(phrase, at)):
            if _own(_SPEAKERS.get(word, ()), word == "them", clause):
                yield (*phrase[:at], "oneself", *phrase[at + 1 :])
        elif phrase[at - 1] in _CONJUNCTIONS and word in SUBJECT_PRONOUNS and at + 1 < len(phrase):
            speaker = (word,) if word in ("you", "i", "we") else ()
            if _own(speaker, word == "they", clause):
                yield (*phrase[:at], "oneself", _base(phrase[at + 1]), *phrase[at + 2 :])
        elif phrase[at - 1] in _CONJUNCTIONS and gerund_bases(word):
            yield (*phrase[:at], "oneself", gerund_bases(word)[0], *phrase[at + 1 :])


def _own(speaker: Words, several: bool, clause: Clause) -> bool:
    """Whether a pronoun can stand for the subject of its clause."""
    subject = clause.subject
    if speaker or subject[0] in ("you", "i", "we"):
        return subject == speaker
    return several or not (clause.quantifier and is_plural(subject[-1]))


def _base(form: str) -> str:
    return "be" if form in BE else third_bases(form)[0] if third_bases(form) else form


def antecedents(phrase: Words, at: int, known: Sequence[Words], owned: bool) -> Iterator[Words]:
    """Yield a verb phrase with each noun phrase that a pronoun in it may stand for.

    Args:
        phrase: in the base form.
        at: where the pronoun stands.
        known: noun phrases that came before, the likeliest first.
        owned: whether the first is something that the subject is said to have.
    """
    possible = [found for found in dict.fromkeys(known) if found and agrees(phrase[at], found)]
    if phrase[at] in ("it", "them"):
        possible.sort(key=lambda found: is_plural(found[-1]) != (phrase[at] == "them"))
    owner = known[0] if owned else ()
    for found in possible:
        head = found[1:] if found[0] in _INDEFINITE else found
        yield phrase[:at] + definite(found) + phrase[at + 1 :]
        if head == found and found[0] not in DETERMINERS:
            yield (*phrase[:at], "the", *found, *phrase[at + 1 :])
        if found == owner and (head != found or found[0] not in DETERMINERS):
            yield (*phrase[:at], "one's", *head, *phrase[at + 1 :])
        if head != found:
            yield phrase[:at] + found + phrase[at + 1 :]


def agrees(pronoun: str, noun_phrase: Words) -> bool:
    """Whether a pronoun can stand for a noun phrase.

    Args:
        pronoun: of the third person, subject or object.
        noun_phrase: in lower case.
    """
    head = noun_phrase[next((i for i, w in enumerate(noun_phrase) if w == "of"), len(noun_phrase)) - 1]
    if pronoun == "it":
        return head not in PERSONS
    return head not in {"him": FEMALE, "he": FEMALE, "her": MALE, "she": MALE}.get(pronoun, ())


def noun_phrases(phrase: Words) -> Iterator[Words]:
    """Yield the noun phrases after the verb of a verb phrase, from left to right."""
    start = 1
    for at in range(1, len(phrase) + 1):
        if at == len(phrase) or (phrase[at] in PREPOSITIONS and phrase[at] != "of"):
            found = phrase[start:at]
            start = at + 1
            bare = bool(found) and found[0] not in CLOSED and not found[-1].endswith("ly")
            if bare or noun_phrase(found):
                yield found


def noun_phrase(words: Words) -> Words:
    """Return the noun phrase that words begin with, up to a preposition; empty if there is none."""
    end = next((i for i in range(1, len(words)) if words[i] in PREPOSITIONS and words[i] != "of"), len(words))
    found = words[:end]
    if found and ((found[0] in DETERMINERS - THIRD_PERSON and len(found) > 1) or is_plural(found[-1])):
        return found if len(found) < 7 else ()
    return ()


def definite(noun_phrase: Words) -> Words:
    """Return a noun phrase as it stands on a later mention."""
    return ("the", *noun_phrase[1:]) if noun_phrase[0] in _INDEFINITE else noun_phrase

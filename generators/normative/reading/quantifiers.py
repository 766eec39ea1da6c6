"""Disjunctions of verb phrases, with what the later disjuncts leave out filled in."""

from __future__ import annotations

from polbias.generators.normative.reading.lemmas import is_verb
from polbias.generators.normative.reading.lexicon import (
    ADVERBS,
    DETERMINERS,
    OBJECT_PRONOUNS,
    OR_IDIOMS,
    PREPOSITIONS,
    STATES,
)
from polbias.generators.normative.reading.nodes import Alternatives
from polbias.generators.normative.reading.text import Words

_POSSESSIVES = frozenset(("its", "his", "her", "their"))
_SUBORDINATE = frozenset(("whether", "if", "who", "which", "that", "because", "unless", "than"))


def disjuncts(phrase: Words) -> tuple[Alternatives, ...]:
    """Take a verb phrase apart at "or".

    Args:
        phrase: a verb phrase in the base form.

    Returns:
        Its disjuncts, each with the verb phrases that it may stand for, the likeliest first. A phrase
        without "or", or whose "or" joins no predicates, is its own only disjunct.
    """
    if "or" not in phrase:
        return ((phrase,),)
    parts = _parts(phrase)
    if len(parts) < 2:
        return ((phrase,),)
    first = parts[0]
    rest = tuple(_filled(first, part) for part in parts[1:])
    tail = parts[-1]
    # "eat or drink in class": what follows the last disjunct may belong to all of them.
    shared = tuple(first + tail[start:] for start in range(1, len(tail)) if tail[start] in PREPOSITIONS)
    return ((first, *shared), *rest)


def _parts(phrase: Words) -> list[Words]:
    at = phrase.index("or")
    following = phrase[at + 1 : at + 2]
    if not following or following[0] in OR_IDIOMS or at < 1 or _SUBORDINATE & set(phrase[:at]):
        return [phrase]
    parts: list[Words] = []
    start = 0
    for index, word in enumerate(phrase):
        if word == "or" or (word == "," and "or" in phrase[index:]):
            if index > start:
                parts.append(phrase[start:index])
            start = index + 1
    parts.append(phrase[start:])
    if parts[0][0] == "either":
        parts[0] = parts[0][1:]
    elif "either" in parts[0]:
        parts[0] = tuple(word for word in parts[0] if word != "either")
    return [part for part in parts if part]


def _filled(first: Words, fragment: Words) -> Alternatives:
    """Return the verb phrases that a later disjunct may stand for."""
    if fragment[0] == "to":
        fragment = fragment[1:] or fragment
    if fragment[0] in first[1:] and fragment[0] not in DETERMINERS:
        # "in box A or box B"
        return (first[: first.index(fragment[0], 1)] + fragment, fragment)
    if len(fragment) == 1 and fragment[0] in STATES and first[-1] in STATES:
        # "paint the fence green or blue"
        return (first[:-1] + fragment, fragment)
    as_verb = _with_possessor(first, _with_object(first, fragment))
    as_object = _object_prefix(first, fragment) + fragment
    if _begins_with_verb(first, fragment):
        after_to = _after_infinitive(first, fragment)
        if after_to:
            return (after_to, as_verb, as_object)
        # "drink milk or water"
        bare_object = len(fragment) == 1 and len(first) == 2 and first[0] != "be"
        if not bare_object or first[1] in DETERMINERS:
            return (as_verb, as_object)
    return (as_object, as_verb)


def _begins_with_verb(first: Words, fragment: Words) -> bool:
    """Whether a later disjunct can be a verb phrase of its own."""
    if fragment[0] in DETERMINERS or fragment[0] in PREPOSITIONS:
        return False
    # An unknown word before an object, or in the place of a lone verb, is a verb.
    following = fragment[1:2]
    return bool(
        is_verb(fragment[0])
        or (following and (following[0] in DETERMINERS or following[0] in OBJECT_PRONOUNS))
        or (len(first) == 1 and len(fragment) == 1)
    )


def _with_possessor(first: Words, fragment: Words) -> Words:
    """Return "break the law's rules" for "break its rules" after "follow the law"."""
    at = next((i for i, word in enumerate(fragment) if i and word in _POSSESSIVES), 0)
    if not at or at + 1 >= len(fragment):
        return fragment
    start = max((i for i, word in enumerate(first) if word in DETERMINERS and i), default=0)
    if not start:
        return fragment
    end = next((i + 1 for i in range(start, len(first)) if first[i].endswith(("'s", "s'"))), len(first))
    owner = first[start:end]
    owner = ("the", *owner[1:]) if owner[0] in ("a", "an") else owner
    if not owner[-1].endswith(("'s", "s'")):
        owner = (*owner[:-1], owner[-1] + ("'" if owner[-1].endswith("s") else "'s"))
    return fragment[:at] + owner + fragment[at + 1 :]


def _after_infinitive(first: Words, fragment: Words) -> Words:
    """Return "learn to dance" for "learn to sing" and "dance"."""
    if "to" in first[:-1] and len(fragment) == 1:
        at = len(first) - 1 - first[::-1].index("to")
        if at == len(first) - 2 and is_verb(first[-1]):
            return first[: at + 1] + fragment
    return ()


def object_of(phrase: Words) -> Words:
    """Return the last noun phrase of a verb phrase: what a pronoun after it stands for."""
    start, end = _object_start(phrase), len(phrase)
    while end > start + 1 and phrase[end - 1] in ADVERBS:
        end -= 1
    return phrase[start:end]


def _object_start(phrase: Words) -> int:
    for index in range(1, len(phrase)):
        if phrase[index] in DETERMINERS or phrase[index] in ("those", "what"):
            return index
    for index in range(1, len(phrase) - 1):
        if phrase[index] in PREPOSITIONS:
            return index + 1
    return 1


def _with_object(first: Words, fragment: Words) -> Words:
    if not any(word in OBJECT_PRONOUNS for word in fragment[1:]):
        return fragment
    found = object_of(first)
    if not found or found == first:
        return fragment
    at = next(i for i, word in enumerate(fragment) if i and word in OBJECT_PRONOUNS)
    return fragment[:at] + found + fragment[at + 1 :]


def _object_prefix(first: Words, fragment: Words) -> Words:
    """Return what comes before the constituent of the first disjunct that a fragment takes the place of."""
    if fragment[0] in PREPOSITIONS:
        places = [i for i, word in enumerate(first) if word in PREPOSITIONS and i]
        same = [i for i in places if first[i] == fragment[0]]
        return first[: (same or places or [len(first)])[-1]]
    if fragment[0] in DETERMINERS or any(word in DETERMINERS for word in first):
        places = [i for i, word in enumerate(first) if word in DETERMINERS and i]
        if places:
            return first[: places[-1]]
    places = [i for i, word in enumerate(first[:-1]) if word in PREPOSITIONS and i]
    return first[: places[-1] + 1] if places else first[:1]

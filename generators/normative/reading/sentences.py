"""Impersonal frames: "it is ADJ that S", "it is ADJ (for NP) to VP", "it is (not) the case that S"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from polbias.generators.logic.reading import ReadingError
from polbias.generators.normative.reading.infinitives import marked_infinitive
from polbias.generators.normative.reading.lexicon import (
    ADJECTIVES,
    BE,
    CONTENT,
    DEGREE,
    DETERMINERS,
    KNOWING,
    MODAL_ADVERBS,
    MODAL_VERBS,
    NOUNS,
    OBLIQUE,
    RAISING,
    Force,
)
from polbias.generators.normative.reading.nodes import (
    FINITE,
    SUBJUNCTIVE,
    Mood,
    Negation,
    Node,
    Operator,
    denied,
    operator,
)
from polbias.generators.normative.reading.text import Words

# Reads an embedded sentence.
Read = Callable[[Words, Mood], Node]
_PLAIN = (("the", "case"), ("true",), ("a", "fact"), ("correct",))
_NO_CLAUSE = frozenset(("of", "by", "in", "as", "about", "at", "with", "on"))
_NEGATIONS = frozenset(("not", "never"))


@dataclass
class _Opening:
    """What comes before the predicate of an impersonal sentence.

    Attributes:
        index: where the predicate begins.
        negated: whether a negation stands before everything else.
        modal: the modal verb, or ``""``.
        adverbs: modal adverbs with the negations after them, from the outside in; None is a negation.
    """

    index: int
    negated: bool = False
    modal: str = ""
    adverbs: list[Force | None] = field(default_factory=list)


def impersonal(words: Words, mood: Mood, read: Read) -> Node | None:
    """Read an impersonal sentence.

    Args:
        words: it begins with "it".
        mood: how it is embedded.
        read: reads the sentences within.

    Returns:
        What the frame says; None if the sentence has no such frame.
    """
    opening = _opening(words)
    if opening is None:
        return None
    node = _predicate(words, opening, mood, read)
    if node is None:
        return None
    for force in reversed(opening.adverbs):
        node = Negation(node, outer=True) if force is None else operator(force, node, outer=True)
    if not opening.modal:
        return denied(node, opening.negated)
    force = MODAL_VERBS[opening.modal]
    if opening.modal in ("can", "could"):
        return denied(operator(force, node, outer=True, word=opening.modal), opening.negated)
    return operator(force, denied(node, opening.negated), outer=True, word=opening.modal)


def _opening(words: Words) -> _Opening | None:
    """Read "is not", "has not been", "might not be", with the adverbs that follow."""
    first, second = words[1], words[2]
    if first in MODAL_VERBS:
        negated = second == "not"
        after = words[2 + negated : 4 + negated]
        if after == ("have", "been"):
            found = _Opening(4 + negated, negated, first)
        elif after[:1] == ("be",):
            found = _Opening(3 + negated, negated, first)
        else:
            return None
    elif first == "has":
        negated = second == "not"
        if words[2 + negated] != "been":
            return None
        found = _Opening(3 + negated, negated)
    elif first in BE or first in ("remains", "seems"):
        found = _Opening(2)
    else:
        return None
    return _with_adverbs(words, found)


def _with_adverbs(words: Words, opening: _Opening) -> _Opening:
    while opening.index < len(words) - 1:
        word, following = words[opening.index], words[opening.index + 1]
        if word in _NEGATIONS:
            if opening.adverbs:
                opening.adverbs.append(None)
            else:
                opening.negated = not opening.negated
        elif following in ("that", "for", "to") or word in ADJECTIVES:
            break
        elif word in MODAL_ADVERBS:
            opening.adverbs.append(MODAL_ADVERBS[word])
        elif not (word in DEGREE or word.endswith("ly")):
            break
        opening.index += 1
    return opening


def _predicate(words: Words, opening: _Opening, mood: Mood, read: Read) -> Node | None:
    """Read the predicate with what it is said of."""
    rest = words[opening.index :]
    if not rest:
        return None
    for plain in _PLAIN:
        if rest[: len(plain) + 1] == (*plain, "that"):
            return read(rest[len(plain) + 1 :], mood)
    if rest[:2] == ("false", "that"):
        return Negation(read(rest[2:], mood), outer=True)
    if rest[0] == "that" and opening.modal:
        return read(rest[1:], FINITE)
    word, after, force = rest[0], rest[1:], ADJECTIVES.get(rest[0])
    if word in DETERMINERS:
        # "it is a requirement that", "it is your duty to"
        end = next((i for i in range(1, min(5, len(rest))) if rest[i] in ("that", "to", "for")), 0)
        if not end:
            return None
        word, after, force = rest[end - 1], rest[end:], NOUNS.get(rest[end - 1])
    if not after or word in CONTENT:
        return None
    return _said(word, force, after, read)


def _said(word: str, force: Force | None, after: Words, read: Read) -> Node | None:
    """Read "that S", "(for NP) (not) to VP" or a bare sentence after a frame word."""
    known, force = force is not None, force or (word, "necessary")
    if (after[0] == "that" and len(after) > 2) or (after[0] == "whether" and known and len(after) > 2):
        return operator(
            force, read(after[1:], FINITE if force[0] == "epistemic" else SUBJUNCTIVE), outer=True
        )
    if after[0] in ("to", "not") and (known or not word.endswith("ed")):
        body = marked_infinitive(("it",) if word in RAISING else (), after)
        return operator(force, body) if body else None
    if after[0] == "for":
        return obliged(force, after)
    if known and force[0] == "epistemic" and len(after) > 1 and after[0] not in _NO_CLAUSE:
        try:
            return operator(force, read(after, FINITE), outer=True)
        except ReadingError:
            return None
    return None


def obliged(force: Force, words: Words) -> Node | None:
    """Read "for NP (not) to VP".

    Args:
        force: of the frame word before.
        words: from "for" on.

    Returns:
        The operator over the clause; None if the words are something else.
    """
    for to in range(2, len(words) - 1):
        if words[to] == "to" and words[to + 1] not in DETERMINERS:
            end = to - (words[to - 1] == "not")
            subject = words[1:end]
            if len(subject) == 1:
                subject = (OBLIQUE.get(subject[0], subject[0]),)
            body = marked_infinitive(subject, words[end:])
            return operator(force, body) if body and subject else None
    return None


def known_by(words: Words, read: Read) -> Node | None:
    """Read "we (do not) know that S", "scientists have established that S".

    Args:
        words: they begin with somebody who may know.
        read: reads the sentence within.

    Returns:
        The operator over it; None if the words are something else.
    """
    if "that" not in words[2:6]:
        return None
    that = words.index("that", 2)
    middle = words[1:that]
    sure = middle[-1] in ("certain", "sure") and middle[0] in BE
    if not (sure or middle[-1] in KNOWING) or len(words) < that + 3:
        return None
    node = Operator("epistemic", "necessary", read(words[that + 1 :], FINITE), outer=True)
    return denied(node, "not" in middle)

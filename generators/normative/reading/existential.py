"""Existential frames: "there is (no) NOUN (for NP) (not) to VP", "there is a NOUN (that) S"."""

from __future__ import annotations

from polbias.generators.normative.reading.infinitives import infinitive, marked_infinitive
from polbias.generators.normative.reading.lemmas import gerund_bases
from polbias.generators.normative.reading.lexicon import BE, DETERMINERS, NOUNS, Force
from polbias.generators.normative.reading.nodes import (
    FINITE,
    SUBJUNCTIVE,
    Negation,
    Node,
    denied,
    operator,
)
from polbias.generators.normative.reading.sentences import Read, obliged
from polbias.generators.normative.reading.text import Words

_VERBS = frozenset(BE) | {"exists", "exist", "remains"}


def existential(words: Words, read: Read) -> Node | None:
    """Read an existential sentence.

    Args:
        words: they begin with "there".
        read: reads the sentence within.

    Returns:
        What the frame says; None if the sentence has no such frame.
    """
    if words[1] not in _VERBS:
        return None
    negated = words[2] == "not"
    index = 2 + negated
    if words[index] in DETERMINERS:
        negated ^= words[index] == "no"
        index += 1
    # "a real possibility", "a slim chance"
    at = next((i for i in range(index, min(len(words) - 1, index + 3)) if words[i] in NOUNS), -1)
    if at < 0 or "little" in words[index:at]:
        return None
    node = _said(NOUNS[words[at]], words[at + 1 :], read)
    return node and denied(node, negated)


def _said(force: Force, after: Words, read: Read) -> Node | None:
    """Read what follows the noun of the frame."""
    if after[0] == "that" and len(after) > 2:
        return operator(force, read(after[1:], SUBJUNCTIVE if force[0] == "deontic" else FINITE), outer=True)
    if after[0] in ("for", "on", "upon") and "to" in after:
        return obliged(force, after)
    if after[0] in ("against", "on", "of"):
        return _gerund(force, after[1:])
    body = marked_infinitive((), after)
    if body is None and force[0] == "epistemic":
        return operator(force, read(after, FINITE), outer=True)
    return operator(force, body) if body else None


def _gerund(force: Force, words: Words) -> Node | None:
    """Read "(NP) (not) V-ing"."""
    at = next((i for i, word in enumerate(words[:6]) if word == "being" or gerund_bases(word)), -1)
    if at < 0:
        return None
    negated = at > 0 and words[at - 1] == "not"
    base = "be" if words[at] == "being" else gerund_bases(words[at])[0]
    body: Node = infinitive(words[: at - negated], (base, *words[at + 1 :]))
    return operator(force, Negation(body) if negated else body)

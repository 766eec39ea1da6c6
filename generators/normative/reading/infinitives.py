"""Verb phrases in the base form, and the frames that end in one: "required to VP", "certain not to VP"."""

from __future__ import annotations

from dataclasses import replace

from polbias.generators.logic.reading import ReadingError
from polbias.generators.normative.reading.lemmas import gerund_bases, is_participle, is_verb, past_bases
from polbias.generators.normative.reading.lexicon import (
    ADJECTIVES,
    ADVERBS,
    DETERMINERS,
    FROM_GERUND,
    MODAL_ADVERBS,
    NOUNS,
    OBLIQUE,
    PERSONAL,
    PREPOSITIONS,
    REQUIREMENTS,
    SUBJECT_PRONOUNS,
)
from polbias.generators.normative.reading.nodes import STATED, Negation, Node, Operator, operator
from polbias.generators.normative.reading.subjects import leaf
from polbias.generators.normative.reading.text import Words

# "to" before these is a preposition: "invited to a wedding".
_NO_VERB = DETERMINERS


def marked_infinitive(subject: Words, words: Words) -> Node | None:
    """Read "(not) to VP".

    Args:
        subject: of the verb phrase; empty for none.
        words: from "to" or "not to" on.

    Returns:
        The clause, negated or not; None if the words begin otherwise.
    """
    if words[:1] == ("to",) and len(words) > 1 and words[1] not in _NO_VERB:
        if words[1] == "not" and len(words) > 2:
            return Negation(infinitive(subject, words[2:]))
        return infinitive(subject, words[1:])
    if words[:2] in (("not", "to"), ("never", "to")) and len(words) > 2:
        return Negation(infinitive(subject, words[2:]))
    return None


def infinitive(subject: Words, words: Words, tense: str = "", number: str = "") -> Node:
    """Read a verb phrase in the base form.

    Args:
        subject: empty for none.
        words: the verb phrase.
        tense: that auxiliaries before it show.
        number: of the subject, that auxiliaries before it show.

    Returns:
        The clause; under its operators if it is a frame ("be required to VP", "have to VP").

    Raises:
        ReadingError: there is no verb phrase.
    """
    if not words:
        raise ReadingError("an infinitive without a verb")
    if words[0] in ("not", "never") and len(words) > 1:
        return Negation(infinitive(subject, words[1:], tense, number))
    if words[0] == "be" and len(words) > 1:
        framed = personal(subject, words[1:], tense)
        if framed:
            return framed
    if subject == ("there",) and words[:2] == ("be", "no") and len(words) > 2:
        return Negation(infinitive(subject, ("be", "any", *words[2:]), tense, number))
    if words[0] == "have" and len(words) > 1:
        if words[1] == "to" and len(words) > 2:
            return Operator("?", "necessary", infinitive(subject, words[2:]), word="have")
        found = _perfect(words[1:])
        if found:
            return infinitive(subject, found, "past", number)
    return leaf(subject, words, tense, number)


def _perfect(words: Words) -> Words:
    """Return the base form of a participle after "have" with what follows it; empty if there is none."""
    start = 0
    while start < len(words) - 1 and (
        words[start] in ADVERBS or words[start].endswith("ly") or words[start] in MODAL_ADVERBS
    ):
        start += 1
    form, rest = words[start], words[start + 1 :]
    kept = tuple(word for word in words[:start] if word != "not")
    if form in ("been", "had", "done", "gone"):
        return ({"been": "be", "had": "have", "done": "do", "gone": "go"}[form], *kept, *rest)
    if is_participle(form) and perfect_before(form, rest):
        return (past_bases(form)[0], *rest, *kept)
    return ()


def perfect_before(form: str, rest: Words) -> bool:
    """Whether a participle after "have" makes a perfect: "have read the book", but not "have cut hair".

    Args:
        form: the participle.
        rest: what follows it.

    Returns:
        Whether it does.
    """
    changed = form.endswith("ed") or past_bases(form)[0] != form
    return (
        changed
        or not rest
        or rest[0] in DETERMINERS
        or rest[0] in PREPOSITIONS - {"of"}
        or rest[0].endswith("ly")
    )


def personal(subject: Words, words: Words, tense: str = "") -> Node | None:
    """Read what follows "be" in a frame whose subject is that of the verb phrase.

    Args:
        subject: of the frame.
        words: what follows "be": "required to VP", "under an obligation to VP", "prohibited from V-ing".
        tense: of "be"; it says when the requirement holds, so that the verb phrase stays neutral.

    Returns:
        The operator over the clause; None for anything else.
    """
    at = 0
    while at < len(words) and at < 2 and words[at] not in PERSONAL and words[at].endswith("ly"):
        at += 1
    if at >= len(words):
        return None
    if words[at] == "under":
        return _under(subject, words[at + 1 :])
    if words[at] == "able" or words[at] not in PERSONAL:
        return None
    force, rest = PERSONAL[words[at]], words[at + 1 :]
    if rest[:1] == ("by",):
        start = next((i for i, word in enumerate(rest) if word == "to"), 0)
        rest = rest[start - (rest[start - 1] == "not") :] if start else rest
    before = "for" if words[at] == "responsible" else "from"
    if words[at] in FROM_GERUND and rest[:1] == (before,) and len(rest) > 1 and gerund_bases(rest[1]):
        return operator(force, infinitive(subject, (gerund_bases(rest[1])[0], *rest[2:])))
    body = marked_infinitive(subject, rest)
    return operator(force, body) if body else None


def requirement(subject: Words, words: Words) -> Node | None:
    """Read what follows "be" where the subject is what is required: "smoking is prohibited (for guests)".

    Args:
        subject: of the sentence.
        words: what follows "be".

    Returns:
        The operator over doing it, or over its being there; None for anything else.
    """
    if not words or words[0] not in REQUIREMENTS or not subject or subject[0] in SUBJECT_PRONOUNS:
        return None
    rest = words[1:]
    doing = gerund_bases(subject[0])
    if doing and is_verb(doing[0]):
        who = rest[1:] if rest[:1] == ("for",) else ()
        body = leaf(
            tuple(OBLIQUE.get(word, word) for word in who), (doing[0], *subject[1:], *(() if who else rest))
        )
    elif rest:
        return None
    else:
        body = leaf(subject, ("exist",))
    said: Node = leaf(subject, ("be", *words))
    found = operator(ADJECTIVES[words[0]], body)
    if isinstance(found, Negation) and isinstance(found.body, Operator):
        return Negation(replace(found.body, word=STATED, content=Negation(said)), found.outer)
    return replace(found, word=STATED, content=said) if isinstance(found, Operator) else found


def _under(subject: Words, words: Words) -> Node | None:
    index = 0
    while index < min(len(words), 3) and words[index] not in NOUNS:
        index += 1
    if index >= len(words) or words[index] not in NOUNS:
        return None
    body = marked_infinitive(subject, words[index + 1 :])
    if body is None:
        return None
    found = operator(NOUNS[words[index]], body)
    return Negation(found) if words[0] == "no" else found

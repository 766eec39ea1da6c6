"""Sentences: conditionals, and statements by the frame that opens them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from polbias.generators.logic.reading import ReadingError
from polbias.generators.normative.reading.clauses import clause
from polbias.generators.normative.reading.existential import existential
from polbias.generators.normative.reading.lemmas import is_plural
from polbias.generators.normative.reading.lexicon import (
    KNOWERS,
    MODAL_VERBS,
    OPENERS,
    SUBJECT_PRONOUNS,
    UNIVERSAL_PEOPLE,
)
from polbias.generators.normative.reading.nodes import (
    TOP,
    Clause,
    Conditional,
    Mood,
    Negation,
    Node,
    change,
    operators,
)
from polbias.generators.normative.reading.sentences import impersonal, known_by
from polbias.generators.normative.reading.text import Words
from polbias.generators.normative.reading.verbs import head_at

_IF = frozenset(("if", "when", "whenever"))
_ASKING = frozenset(
    ("ask", "know", "wonder", "see", "check", "determine", "decide", "even", "as", "only", "unclear")
)


@lru_cache(maxsize=1 << 14)
def sentence(words: Words, conditional: bool = True) -> Node:
    """Read a sentence.

    Args:
        words: in lower case, without contractions and without what ends the sentence.
        conditional: whether an "if" after the main clause makes a conditional; otherwise it is content.

    Returns:
        What the grammar finds in it.

    Raises:
        ReadingError: the grammar finds nothing.
    """
    while words and (words[0] in OPENERS or words[0] == ",") and len(words) > 2:
        words = words[1:]
    if not words:
        raise ReadingError("an empty sentence")
    if (
        words[0] in _IF
        or words[:2] in (("provided", "that"), ("given", "that"), ("in", "case"))
        or words[0] == "unless"
    ):
        return _conditional(words)
    if conditional:
        found = _postposed(words)
        if found:
            return found
    return statement(words)


def _conditional(words: Words) -> Node:
    start = 2 if words[0] in ("provided", "given", "in") else 1
    body = words[start:]
    antecedent, consequent = _halves(body)
    condition = change(statement(antecedent), _indefinite)
    return Conditional(
        Negation(condition, outer=True) if words[0] == "unless" else condition, statement(consequent)
    )


def _indefinite(clause: Clause) -> Clause:
    """Return a clause of a condition with "a" for "any": what is true of one is enough."""
    if clause.quantifier != "any":
        return clause
    subject = clause.subject
    if subject[0] in UNIVERSAL_PEOPLE:
        subject = ("something" if subject[0].endswith("thing") else "someone", *subject[1:])
    elif not is_plural(subject[head_at(subject)]):
        subject = ("a", *subject)
    return replace(clause, quantifier="", subject=subject)


def _halves(body: Words) -> tuple[Words, Words]:
    for index in range(1, len(body) - 1):
        if body[index] == "then" and (body[index - 1] == "," or "," not in body[index:]):
            return body[: index - (body[index - 1] == ",")], body[index + 1 + (body[index + 1] == ",") :]
    commas = [index for index in range(1, len(body) - 1) if body[index] == ","]
    for index in commas:
        if _modal(body[index + 1 :]):
            return body[:index], body[index + 1 :]
    if commas:
        return body[: commas[0]], body[commas[0] + 1 :]
    for index in range(3, len(body) - 2):
        if body[index : index + 2] in (("it", "is"), ("there", "is")) or (
            body[index] in SUBJECT_PRONOUNS and body[index + 1] in MODAL_VERBS
        ):
            return body[:index], body[index:]
    raise ReadingError(f"no consequent found after {' '.join(('if', *body))!r}")


def _modal(words: Words) -> bool:
    try:
        return next(operators(statement(words)), None) is not None
    except ReadingError:
        return False


def _postposed(words: Words) -> Node | None:
    """Read "C if A", "C only if A" and "C unless A"."""
    for index in range(3, len(words) - 2):
        word = words[index]
        if (
            word in ("if", "unless")
            and words[index - 1] not in _ASKING - {"only"}
            and words[index + 1] not in ("not",)
        ):
            end = index - (words[index - 1] == ",")
            if words[index - 1] == "only":
                return Conditional(statement(words[: index - 1]), statement(words[index + 1 :]))
            condition = change(statement(words[index + 1 :]), _indefinite)
            return Conditional(
                Negation(condition, outer=True) if word == "unless" else condition, statement(words[:end])
            )
    return None


def statement(words: Words, mood: Mood = TOP) -> Node:
    """Read a sentence or clause that is no conditional.

    Args:
        words: in lower case, without contractions.
        mood: how it is embedded.

    Returns:
        What the grammar finds in it.
    """
    if words[:1] == (",",):
        words = words[1:]
    if not words:
        raise ReadingError("a clause without words")
    if words[0] in _IF and "," in words:
        return _conditional(words)
    found: Node | None = None
    if words[0] == "it" and len(words) > 3:
        found = impersonal(words, mood, statement)
    elif words[0] == "there" and len(words) > 3:
        found = existential(words, statement)
    elif words[0] in KNOWERS:
        found = known_by(words, statement)
    return found or clause(words, mood)

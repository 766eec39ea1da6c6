"""Whether the article, the adjectives and the verb of a noun phrase agree with its noun."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polbias.generators.sources.polbix.german import is_function_word, verb_number
from polbias.generators.xphemism.substitution.tokens import Token, tokenise
from polbias.generators.xphemism.substitution.words import (
    CONTRACTIONS,
    DETERMINER_FORMS,
    FINITE,
    FINITE_PLURAL,
    PREPOSITIONS,
)
from polbias.generators.xphemism.vocabulary.paradigms import (
    Case,
    Gender,
    Number,
    Reading,
    Strength,
    adjective_ending,
)

_ENDINGS = ("e", "en", "er", "es", "em")
_RELATIVE = frozenset(("der", "die", "das", "dem", "den"))
_QUOTES = frozenset('#"„“”‚‘’»«')
_VAGUE = frozenset(
    ("als", "wie", "bis", "statt", "anstatt", "außer", "ausser", "je", "pro", "per", "zu", "ab")
)
"""Prepositions that may stand before a noun without governing its case."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands before a noun: article, adjectives, preposition, and whether it opens the sentence."""

    article: str | None
    adjectives: tuple[str, ...]
    preposition: str | None
    opens: bool


def agrees(text: str, start: int, end: int, readings: Sequence[Reading]) -> bool:
    """Return whether a noun can stand where it stands.

    The article (or a preposition alone), the adjectives between it and the noun, and a finite verb directly
    after a phrase that opens the sentence are looked at.

    Args:
        text: the claim.
        start: offset of the noun, of its adjectives where they belong to the exchanged word.
        end: offset after it.
        readings: what case, number and gender its form can have.

    Returns:
        False if no reading fits. True as well where nothing tells.
    """
    tokens = tokenise(text)
    first = next((index for index, each in enumerate(tokens) if each.end > start), 0)
    frame = _frame(tokens, first)
    if frame is None:
        return True
    fitting = [each for each in readings if _fits(frame, each)]
    if not fitting:
        return not (frame.article or (frame.preposition and frame.preposition not in _VAGUE))
    verb = _verb_after(tokens, end) if frame.opens and not frame.preposition else None
    if verb is None:
        return True
    subjects = {each.number for each in fitting if each.case == "nom"}
    return not subjects or verb_number(verb) in subjects


def _frame(tokens: Sequence[Token], first: int) -> _Frame | None:
    """Read what stands to the left of a noun; None if it cannot be read."""
    adjectives: list[str] = []
    index = first - 1
    while index >= 0:
        token = tokens[index]
        if token.low in DETERMINER_FORMS or token.low in CONTRACTIONS or token.low in PREPOSITIONS:
            break
        if token.text in _QUOTES:
            index -= 1
            continue
        noun = token.text[0].isupper() and not token.opens
        if token.kind != "word" or noun or is_function_word(token.low):
            break
        if token.low.endswith(_ENDINGS):
            adjectives.append(token.low)
        elif adjectives or index == first - 1:
            return None if adjectives else _Frame(None, (), None, opens=False)
        index -= 1
    if index < 0:
        return None if adjectives else _Frame(None, (), None, opens=True)
    token = tokens[index]
    before = tokens[index - 1] if index else None
    if token.low in CONTRACTIONS:
        preposition, article = CONTRACTIONS[token.low]
        return _Frame(article, tuple(adjectives), preposition, opens=False)
    if token.low in DETERMINER_FORMS:
        if token.low in _RELATIVE and before and before.text == ",":
            return None
        governing = before.low if before and before.low in PREPOSITIONS else None
        return _Frame(token.low, tuple(adjectives), governing, opens=token.opens)
    if adjectives:
        return None
    return _Frame(None, (), token.low if token.low in PREPOSITIONS else None, opens=tokens[first].opens)


def _fits(frame: _Frame, reading: Reading) -> bool:
    case, number = reading.case, reading.number
    if case is None or number is None:
        return False
    cases = PREPOSITIONS.get(frame.preposition or "", ())
    if (
        cases
        and case not in cases
        and frame.preposition not in _VAGUE
        and not ("gen" in cases and not frame.article)
    ):
        return False
    column = reading.gender if number == "sg" else "pl"
    return any(
        reading.strength in (None, strength)
        and _endings_fit(frame.adjectives, case, number, strength, reading.gender)
        for strength in _strengths(frame.article, case, column)
    )


def _strengths(article: str | None, case: Case, column: str | None) -> Iterator[Strength]:
    if article is None:
        yield "strong"
    for determiner, of, form_column in DETERMINER_FORMS.get(article or "", ()):
        if of == case and form_column == column:
            yield determiner.strength


def _endings_fit(
    adjectives: Sequence[str], case: Case, number: Number, strength: Strength, gender: Gender | None
) -> bool:
    if number == "sg" and gender is None:
        return True
    ending = adjective_ending(case, number, strength, gender)
    return all(each.endswith(ending) for each in adjectives)


def _verb_after(tokens: Sequence[Token], end: int) -> str | None:
    """Return the finite verb directly after a phrase."""
    token = next((each for each in tokens if each.start >= end), None)
    if token is None or token.kind != "word":
        return None
    sure = token.low in FINITE or token.low in FINITE_PLURAL
    regular = token.text[0].islower() and token.low.endswith("t") and not is_function_word(token.low)
    return token.low if sure or (regular and verb_number(token.text)) else None

"""Edits of a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from polbias.generators.xphemism.substitution.words import Tokens

# What a substitution is: the claim with the exchanged word, or the reason why a reader has to make it.

EditKind = Literal["word", "determiner", "adjective", "preposition", "verb", "pronoun"]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One change.

    Attributes:
        start: offset in the base claim of the first character that is replaced.
        end: offset after the last one.
        old: what stood there.
        new: what replaces it, "" if it is removed.
        kind: part of the noun phrase or clause that was changed.
    """

    start: int
    end: int
    old: str
    new: str
    kind: EditKind


@dataclass(frozen=True, slots=True)
class Substitution:
    """A claim with its word exchanged.

    Attributes:
        shifted_claim: the claim with the exchange word; under review the claim as it was.
        status: "made" or "review".
        reason: why a reader has to look at it, as ``"code: plain words"``; "" if it was made.
        edits: changes in the order of the claim.
    """

    shifted_claim: str
    status: Literal["made", "review"]
    reason: str
    edits: tuple[TextEdit, ...]


class NeedsReviewError(Exception):
    """A reader has to decide.

    Args:
        code: short stable name of the reason.
        words: the reason in plain words.
    """

    def __init__(self, code: str, explanation: str) -> None:
        super().__init__(f"{code}: {explanation}")


# Changes by token, and the claim that they make.


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """New text for tokens that follow one another.

    Attributes:
        first: place of the first token.
        last: place of the last token.
        text: what replaces them; "" removes them with the blank after them.
        kind: part of the noun phrase or clause.
    """

    first: int
    last: int
    text: str
    kind: EditKind


def token_change(tokens: Tokens, index: int, text: str, kind: EditKind) -> tuple[Span, ...]:
    """Return the change of one token to a text in lower case, none if it is the same; a capital is kept."""
    old = tokens[index]
    if old.low == text.lower():
        return ()
    new = text[:1].upper() + text[1:] if old.text[0].isupper() and text else text
    return (Span(index, index, new, kind),)


def apply_edits(claim: str, tokens: Tokens, spans: Iterable[Span]) -> tuple[str, tuple[TextEdit, ...]]:
    """Return a claim with changes made, and the changes as edits of its characters.

    A sentence that began with a capital still does.
    """
    edits: list[TextEdit] = []
    parts: list[str] = []
    copied_end, needs_capital = 0, False
    for span in sorted(set(spans)):
        start, end = tokens[span.first].start, tokens[span.last].end
        starts_sentence = (
            tokens[span.first].begins_sentence and tokens[span.first].text[0].isupper()
        ) or needs_capital
        needs_capital = False
        text = span.text
        if not text:
            following = tokens[span.last + 1] if span.last + 1 < len(tokens) else None
            end = following.start if following else end
            needs_capital = starts_sentence
        elif starts_sentence:
            text = text[:1].upper() + text[1:]
        parts += [claim[copied_end:start], text]
        edits.append(TextEdit(start, end, claim[start:end], text, span.kind))
        copied_end = end
        if (
            needs_capital
            and following is not None
            and not any(next_span.first == span.last + 1 for next_span in spans)
        ):
            parts.append(claim[copied_end].upper())
            edits[-1] = TextEdit(start, end + 1, claim[start : end + 1], claim[copied_end].upper(), span.kind)
            copied_end, needs_capital = end + 1, False
    parts.append(claim[copied_end:])
    return "".join(parts), tuple(edits)

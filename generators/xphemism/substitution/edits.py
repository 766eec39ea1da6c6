"""Edits of a claim."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from polbias.generators.xphemism.substitution.words import Tokens

# Result of a substitution: the claim with the exchanged word, or the reason for a manual review.

EditKind = Literal["word", "determiner", "adjective", "preposition", "verb", "pronoun"]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One edit.

    Attributes:
        start: offset in the base claim of the first replaced character.
        end: offset after the last replaced character.
        old: replaced text.
        new: replacement, "" for a deletion.
        kind: part of the noun phrase or clause.
    """

    start: int
    end: int
    old: str
    new: str
    kind: EditKind


@dataclass(frozen=True, slots=True)
class Substitution:
    """Result of a substitution.

    Attributes:
        shifted_claim: claim with the exchange word; if status is "review", the unchanged claim.
        status: "made" or "review".
        reason: reason for the review, as ``"code: explanation"``; "" if made.
        edits: edits in the order of the claim.
    """

    shifted_claim: str
    status: Literal["made", "review"]
    reason: str
    edits: tuple[TextEdit, ...]


class NeedsReviewError(Exception):
    """No rule decides the substitution: a person has to review it.

    Args:
        code: short stable name of the reason.
        explanation: the reason in plain words.
    """

    def __init__(self, code: str, explanation: str) -> None:
        super().__init__(f"{code}: {explanation}")


# Token edits, and the claim after them.


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Replacement of consecutive tokens.

    Attributes:
        first: index of the first token.
        last: index of the last token.
        text: replacement; "" removes the tokens and the blank after them.
        kind: part of the noun phrase or clause.
    """

    first: int
    last: int
    text: str
    kind: EditKind


def token_change(tokens: Tokens, index: int, text: str, kind: EditKind) -> tuple[Span, ...]:
    """Return the replacement of one token, () if only the case differs; an initial capital stays."""
    old = tokens[index]
    if old.low == text.lower():
        return ()
    new = text[:1].upper() + text[1:] if old.text[0].isupper() and text else text
    return (Span(index, index, new, kind),)


def apply_edits(claim: str, tokens: Tokens, spans: Iterable[Span]) -> tuple[str, tuple[TextEdit, ...]]:
    """Apply token edits; return the new claim, and the edits by character.

    A sentence that begins with a capital still does afterwards.
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

"""Changes to the tokens of a sentence, and the text that they make."""

from __future__ import annotations

from dataclasses import dataclass, field

from polbias.generators.authoring.negation.german_text import Token


@dataclass(slots=True)
class Edits:
    """What a rule does to a sentence.

    Attributes:
        rule: Code of the rule.
        why: The explanation, one sentence.
        replaced: New text by position; "" removes the token.
        inserted: A word to stand before a position.
        lowered: Whether the first token loses its capital, because it no longer begins the sentence.
        opening: Words to put before the sentence ("Es sollen").
    """

    rule: str
    why: str
    replaced: dict[int, str] = field(default_factory=dict)
    inserted: dict[int, str] = field(default_factory=dict)
    lowered: bool = False
    opening: str = ""

    def apply(self, tokens: list[Token]) -> str:
        """Return the text of a sentence with the changes, beginning with the white space before it."""
        lead = tokens[0].before
        pieces: list[str] = [self.opening] if self.opening else []
        glue = " " if self.opening else ""
        for position, token in enumerate(tokens):
            text = self.replaced.get(position, token.text)
            if position == 0 and self.lowered:
                text = text[:1].lower() + text[1:]
            if not text:
                continue
            before = token.before if position else glue
            if not pieces:
                before = ""
            if position in self.inserted:
                text = f"{self.inserted[position]} {text}"
            pieces.append(before + text)
        result = "".join(pieces)
        first_changed = 0 in self.inserted or 0 in self.replaced or self.opening
        return lead + (result[:1].upper() + result[1:] if first_changed else result)

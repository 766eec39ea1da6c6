"""Claims that speak for a label, and the verdict of an extractor."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

IDENTITY_LABELS = {"valid": "valid", "invalid": "invalid"}
OPPOSITE = {"valid": "invalid", "invalid": "valid"}


class Strength(IntEnum):
    """How much a claim says, from a hint to an explicit marker."""

    HINT = 0
    PARAPHRASE = 1
    SENTENCE = 2
    MARKER = 3


@dataclass(frozen=True, slots=True)
class LabelClaim:
    """Words that speak for a label.

    Attributes:
        label: The label; "unparsable" where the words say that there is no decision.
        strength: How explicit the words are.
        reason: The code that a verdict by this claim gets.
        span: Where the words stand in the original text.
        sentence: The number of their sentence.
        asserted: Whether the claim is made, not only asked or supposed.
        concluding: Whether its sentence draws the conclusion of the answer.
        contrasted: Whether its sentence sets it against what was said before.
        shifted: Whether its sentence says that one verdict gave way to another.
        reading: Whether its sentence gives the verdict of one reading among several.
        item: Whether it ends a listed argument, as in "ARGUMENT: **valid**".
    """

    label: str
    strength: Strength
    reason: str
    span: tuple[int, int]
    sentence: int
    asserted: bool = True
    concluding: bool = False
    contrasted: bool = False
    shifted: bool = False
    reading: bool = False
    item: bool = False

    @property
    def decides(self) -> bool:
        """Whether the claim speaks for one of the two verdicts."""
        return self.label in OPPOSITE

    @property
    def open(self) -> bool:
        """Whether it is only asked, supposed or hinted at, so that "it is not" can answer it."""
        stands = self.asserted and self.strength > Strength.HINT
        return self.decides and self.reason not in {"reply", "hint"} and not stands

    def contradicts(self, other: LabelClaim) -> bool:
        """Say whether two claims speak for opposite verdicts."""
        return self.decides and other.label == OPPOSITE[self.label]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The label of one free text, with the words that decided it.

    Attributes:
        label: The label, such as "valid", "invalid", "refusal" or "unparsable".
        reason: A short machine-readable code that says what kind of evidence decided.
        span: Character offsets ``(start, end)`` into the original text of the deciding words;
            ``None`` where no words decided.
    """

    label: str
    reason: str
    span: tuple[int, int] | None = None

    @property
    def outcome(self) -> str:
        """The label, or "truncated" where the text breaks off before one."""
        return "truncated" if self.reason == "truncated" else self.label

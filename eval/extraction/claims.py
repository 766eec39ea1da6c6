"""Claims that support a label, and the verdict of an extractor."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

IDENTITY_LABELS = {"valid": "valid", "invalid": "invalid"}
OPPOSITE = {"valid": "invalid", "invalid": "valid"}


class Strength(IntEnum):
    """Strength of a claim, from a hint to an explicit marker."""

    HINT = 0
    PARAPHRASE = 1
    SENTENCE = 2
    MARKER = 3


@dataclass(frozen=True, slots=True)
class LabelClaim:
    """Words that support a label.

    Attributes:
        label: The label; "unparsable" for words of indecision.
        strength: Strength of the evidence.
        reason: Reason code of a verdict by this claim.
        span: Offsets of the words in the original text.
        sentence: Index of the sentence.
        asserted: Whether the claim is asserted, not only questioned or supposed.
        concluding: Whether its sentence is a conclusion.
        contrasted: Whether its sentence contrasts it with earlier words.
        shifted: Whether its sentence reports a change of verdict.
        reading: Whether its sentence gives the verdict of one interpretation among several.
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
        """Whether the claim supports one of the two verdicts."""
        return self.label in OPPOSITE

    @property
    def open(self) -> bool:
        """Whether the claim is only questioned, supposed or hinted at, so that "it is not" can answer it."""
        stands = self.asserted and self.strength > Strength.HINT
        return self.decides and self.reason not in {"reply", "hint"} and not stands

    def contradicts(self, other: LabelClaim) -> bool:
        """Whether two claims support opposite verdicts."""
        return self.decides and other.label == OPPOSITE[self.label]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Label extracted from a text, with its evidence.

    Attributes:
        label: The label, such as "valid", "invalid", "refusal" or "unparsable".
        reason: Machine-readable code of the kind of evidence.
        span: Character offsets ``(start, end)`` of the evidence in the original text; None without evidence.
    """

    label: str
    reason: str
    span: tuple[int, int] | None = None

    @property
    def outcome(self) -> str:
        """The label, or "truncated" if the text is truncated before it."""
        return "truncated" if self.reason == "truncated" else self.label

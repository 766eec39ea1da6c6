"""Claims: words of an output that speak for a label."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

SAME = {"valid": "valid", "invalid": "invalid"}
OPPOSITE = {"valid": "invalid", "invalid": "valid"}


class Strength(IntEnum):
    """How much a claim says, from a hint to an explicit marker."""

    HINT = 0
    PARAPHRASE = 1
    SENTENCE = 2
    MARKER = 3


@dataclass(frozen=True, slots=True)
class Claim:
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

    def contradicts(self, other: Claim) -> bool:
        """Say whether two claims speak for opposite verdicts.

        Args:
            other: The other claim.

        Returns:
            Whether one says valid and the other invalid.
        """
        return self.decides and other.label == OPPOSITE[self.label]

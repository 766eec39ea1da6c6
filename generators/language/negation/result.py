"""What the rules of negation hand back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Negated:
    """The negation of a statement, or why there is none.

    Attributes:
        text: the negation; None where the rules abstain.
        rule: short stable code of what was done, such as ``"do-support"``, or ``"abstain:"`` and the reason.
        explanation: one sentence for a person: which word was negated, inserted or removed, and why.
    """

    text: str | None
    rule: str
    explanation: str

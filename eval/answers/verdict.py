"""What an extractor says about one model output."""

from __future__ import annotations

from dataclasses import dataclass


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

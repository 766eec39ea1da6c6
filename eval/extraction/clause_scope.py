"""The clauses of a sentence: what is asserted in them, and how far negators reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from polbias.eval.extraction.cues import Cues, shared
from polbias.eval.extraction.tokens import Sentence, Span


class ClauseScope:
    """A sentence, its clauses and the stretches in which nothing is asserted.

    Insertions between commas in the middle of a predicate, as in "is, therefore, valid", are left
    out of it.

    Args:
        sentence: The sentence.
        grammar: The grammar of its language.
    """

    def __init__(self, sentence: Sentence, grammar: Cues) -> None:
        self.sentence, self.lists = _without_insertions(sentence), grammar
        self.text = self.sentence.text

    # Most sentences hold no claim, and then none of the following is looked for.

    @cached_property
    def strong(self) -> list[Span]:
        """Where clauses end that nothing bears across."""
        return self.spans("strong")

    @cached_property
    def bounds(self) -> list[Span]:
        """Where clauses end."""
        handed = self.spans("transparent")
        soft = (span for span in self.spans("soft") if not any(is_inside(span, other) for other in handed))
        return sorted([*self.strong, *soft])

    @cached_property
    def silences(self) -> list[Span]:
        """Where nothing is asserted."""
        return [*self._conditions, *self._silences()]

    @cached_property
    def _neutral(self) -> list[Span]:
        return self.spans("neutral")

    @cached_property
    def _conditions(self) -> list[Span]:
        return [self._condition(match) for match in self.lists["conditional"].finditer(self.text)]

    def spans(self, name: str) -> list[Span]:
        """Find the matches of a list in the text."""
        return [match.span() for match in self.lists[name].finditer(self.text)]

    def begin(self, position: int, bounds: list[Span] | None = None) -> int:
        """Find where the clause of a position begins."""
        return max((end for _, end in bounds or self.bounds if end <= position), default=0)

    def end(self, position: int, bounds: list[Span] | None = None) -> int:
        """Find where the clause of a position ends."""
        return next((start for start, _ in bounds or self.bounds if start >= position), len(self.text))

    def bearing(self, start: int, end: int) -> Span:
        """Find the stretch in which negators and modal verbs bear on some words."""
        return self.begin(start), self.end(end) if self.lists.blocks["reach"] == "clause" else end

    def is_negated(self, start: int, end: int, *, inside: bool = False) -> bool:
        """Say whether an odd number of negators bears on some words."""
        found = (
            match.span() for match in self.lists["negators"].finditer(self.text, *self.bearing(start, end))
        )
        counted = [span for span in found if not any(is_inside(span, other) for other in self._neutral)]
        return sum(inside or not start <= low < end for low, _ in counted) % 2 == 1

    def silent(self, position: int) -> bool:
        """Say whether nothing is asserted at a position."""
        return any(low <= position < high for low, high in self.silences)

    def is_conditional(self, position: int) -> bool:
        """Say whether a condition governs a position that is more than the truth of the premises."""
        return any(
            end <= position <= self.end(end, self.strong) and not self._harmless(max(start - 10, 0), end)
            for start, end in self._conditions
        )

    def _harmless(self, start: int, end: int) -> bool:
        """Say whether a condition asks no more than the premises do."""
        if self.lists["concessive"].search(self.text, start, end):
            return True
        circular = self.lists["circular"].search(self.text, start, end)
        return not circular and bool(self.lists["harmless"].search(self.text, start, end))

    def _condition(self, match: re.Match[str]) -> Span:
        """Return the stretch of a conditional clause."""
        start = match.end() + 2 * self.text.startswith(" ,", match.end())
        ends = (self.text.find(mark, start) for mark in (" ,", " then ", " dann "))
        return match.start(), min([self.end(start, self.strong), *(end for end in ends if end >= 0)])

    def _silences(self) -> Iterator[Span]:
        """Yield the stretches of questions, of the task, of definitions and of reports."""
        if self.text.endswith("?"):
            yield 0, len(self.text)
        for names, bounds in (
            (("task", "definition"), self.strong),
            (("declining", "reporting"), self.bounds),
        ):
            for name in names:
                for start, end in self.spans(name):
                    yield start, self.end(end, bounds)


def is_inside(inner: Span, outer: Span) -> bool:
    """Say whether one stretch lies in another."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _without_insertions(sentence: Sentence) -> Sentence:
    while match := shared("insertion").search(sentence.text):
        low, high = sentence.origin(*match.span("inserted"))
        sentence = Sentence(tuple(token for token in sentence.tokens if not low <= token.start < high))
    return sentence

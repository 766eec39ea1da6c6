"""Clauses of a sentence: asserted spans and the scope of negators."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from polbias.eval.extraction.cues import Cues, shared
from polbias.eval.extraction.tokens import Sentence, Span


class ClauseScope:
    """A sentence with its clauses and unasserted spans.

    Insertions between commas within a predicate, as in "is, therefore, valid", are removed.

    Args:
        sentence: The sentence.
        grammar: Cues of its language.
    """

    def __init__(self, sentence: Sentence, grammar: Cues) -> None:
        self.sentence, self.cues = _without_insertions(sentence), grammar
        self.text = self.sentence.text

    # Lazy: most sentences have no claim, and need none of these.

    @cached_property
    def strong(self) -> list[Span]:
        """Clause boundaries that no negator or condition crosses."""
        return self.spans("strong")

    @cached_property
    def bounds(self) -> list[Span]:
        """All clause boundaries."""
        transparent = self.spans("transparent")
        soft = (
            span for span in self.spans("soft") if not any(is_inside(span, other) for other in transparent)
        )
        return sorted([*self.strong, *soft])

    @cached_property
    def unasserted_spans(self) -> list[Span]:
        """Spans in which nothing is asserted."""
        return [*self._conditions, *self._find_unasserted()]

    @cached_property
    def _neutral(self) -> list[Span]:
        return self.spans("neutral")

    @cached_property
    def _conditions(self) -> list[Span]:
        return [self._condition_span(match) for match in self.cues["conditional"].finditer(self.text)]

    def spans(self, name: str) -> list[Span]:
        """Return the spans of a cue in the text."""
        return [match.span() for match in self.cues[name].finditer(self.text)]

    def begin(self, position: int, bounds: list[Span] | None = None) -> int:
        """Return the start of the clause of a position."""
        return max((end for _, end in bounds or self.bounds if end <= position), default=0)

    def end(self, position: int, bounds: list[Span] | None = None) -> int:
        """Return the end of the clause of a position."""
        return next((start for start, _ in bounds or self.bounds if start >= position), len(self.text))

    def negation_span(self, start: int, end: int) -> Span:
        """Return the span in which negators and modal verbs apply to a span."""
        return self.begin(start), self.end(end) if self.cues.blocks["reach"] == "clause" else end

    def is_negated(
        self, start: int, end: int, *, inside: bool = False, excluded_spans: Sequence[Span] = ()
    ) -> bool:
        """Whether an odd number of negators applies to a span; those in excluded spans do not."""
        negators = (
            match.span()
            for match in self.cues["negators"].finditer(self.text, *self.negation_span(start, end))
        )
        inert = [*self._neutral, *excluded_spans]
        effective = [span for span in negators if not any(is_inside(span, other) for other in inert)]
        return sum(inside or not start <= low < end for low, _ in effective) % 2 == 1

    def is_unasserted(self, position: int) -> bool:
        """Whether a position lies in an unasserted span."""
        return any(low <= position < high for low, high in self.unasserted_spans)

    def is_conditional(self, position: int) -> bool:
        """Whether a position depends on a condition other than the truth of the premises."""
        return any(
            end <= position <= self.end(end, self.strong) and not self._is_harmless(max(start - 10, 0), end)
            for start, end in self._conditions
        )

    def _is_harmless(self, start: int, end: int) -> bool:
        """Whether a condition requires no more than the premises."""
        if self.cues["concessive"].search(self.text, start, end):
            return True
        circular = self.cues["circular"].search(self.text, start, end)
        return not circular and bool(self.cues["harmless"].search(self.text, start, end))

    def _condition_span(self, match: re.Match[str]) -> Span:
        """Return the span of a conditional clause."""
        start = match.end() + 2 * self.text.startswith(" ,", match.end())
        ends = (self.text.find(mark, start) for mark in (" ,", " then ", " dann "))
        return match.start(), min([self.end(start, self.strong), *(end for end in ends if end >= 0)])

    def _find_unasserted(self) -> Iterator[Span]:
        """Yield the spans of questions, task descriptions, definitions, refusals and reported speech."""
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
    """Whether the inner span lies in the outer span."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _without_insertions(sentence: Sentence) -> Sentence:
    while match := shared("insertion").search(sentence.text):
        low, high = sentence.origin(*match.span("inserted"))
        sentence = Sentence(tuple(token for token in sentence.tokens if not low <= token.start < high))
    return sentence

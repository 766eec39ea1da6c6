"""Finding the claims about validity that one sentence makes.

Two kinds of words make a claim: the verdict words themselves ("valid", "ungültig") and the phrases
in which the prompts ask ("the premises entail the conclusion"). Either counts only if it is
asserted: not inside a condition, a definition, a question or a list of the options, and with the
negators of its own clause taken into account.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from polbias.eval.answers.grammar import Grammar
from polbias.eval.answers.text import Sentence

OPPOSITE = {"valid": "invalid", "invalid": "valid"}
_ANSWERED = re.compile(r" (?:[?:|=→—] )+(?P<no>no|nein|false|❌)?(?P<yes>yes|ja|true)?\b")
_OR = re.compile(
    r"(?P<alone>(?: [^\w\s])*)(?: (?P<or>or|oder|vs|versus|nor|noch|bzw|and|und)(?: (?:not|nicht|as|als|mit|with|the|by|auf|für|for"
    r"|deduktiv|formal|logisch|deductively|formally|logically))*)?(?: [^\w\s;.!?])* "
)
_PLURAL = re.compile(r"\b(?:are|aren't|were|sind|seien)\b")


_GENITIVE = re.compile(r"\b(?:of|der|des)\b")
_INSERTION = re.compile(
    r"(?<= )(?:is|are|was|not|does|do|\w+n't|ist|sind|nicht|that|dass) "
    r"(?P<inserted>, (?:[\w']+ ){1,6}, |\( (?:[\w']+ ){1,3}\) )(?=[\w'])"
)


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
        asserted: Whether the claim is made, not only asked or supposed.
        concluding: Whether its sentence draws the conclusion of the answer.
        reading: Whether its sentence gives the verdict of one reading among several.
        item: Whether it ends a listed argument, as in "ARGUMENT: **valid**".
    """

    label: str
    strength: Strength
    reason: str
    span: tuple[int, int]
    asserted: bool = True
    concluding: bool = False
    reading: bool = False
    item: bool = False


class Reader:
    """Reads the claims off one sentence.

    Args:
        sentence: The sentence.
        grammar: The grammar of its language.
    """

    def __init__(self, sentence: Sentence, grammar: Grammar) -> None:
        self.sentence, self.grammar = _without_insertions(sentence), grammar
        self.text = self.sentence.text
        self.strong = [match.span() for match in grammar.lists["strong"].finditer(self.text)]
        soft = [match.span() for match in grammar.lists["soft"].finditer(self.text)]
        handed = [match.span() for match in grammar.lists["transparent"].finditer(self.text)]
        self.bounds = sorted(
            self.strong + [(a, b) for a, b in soft if not any(low <= a and b <= high for low, high in handed)]
        )
        self.neutral = [match.span() for match in grammar.lists["neutral"].finditer(self.text)]
        self.suppositions: list[tuple[int, int]] = []
        self.silent = list(self._silences())
        self.concluding = bool(grammar.lists["concluding"].search(self.text))
        self.reading = bool(grammar.lists["reading"].search(self.text))

    def claims(self) -> list[Claim]:
        """Collect the claims of the sentence.

        Returns:
            All claims in the order of the text, those that are not asserted included.
        """
        found = [*self._words(), *self._phrases()]
        for name, strength in (("undecided", Strength.SENTENCE), ("undecidable", Strength.MARKER)):
            for match in self.grammar.lists[name].finditer(self.text):
                span = self.sentence.origin(*match.span())
                found = [claim for claim in found if claim.span[0] < span[0] or claim.span[1] > span[1]]
                found.append(Claim("unparsable", strength, "undecided", span))
        return sorted(found, key=lambda claim: claim.span)

    def _silences(self) -> Iterator[tuple[int, int]]:
        """Yield the stretches in which nothing is asserted."""
        if self.text.endswith("?"):
            yield 0, len(self.text)
        for opener in self.grammar.lists["task"], self.grammar.lists["definition"]:
            for match in opener.finditer(self.text):
                yield match.start(), self._next(match.end(), self.strong)
        for match in self.grammar.lists["conditional"].finditer(self.text):
            start = match.end() + 2 * self.text.startswith(" ,", match.end())
            ends = [self._next(start, self.strong)]
            ends += [
                found for found in (self.text.find(mark, start) for mark in (" ,", " then ")) if found >= 0
            ]
            condition = match.start(), min(ends)
            if not self.grammar.lists["harmless"].search(self.text, max(start - 12, 0), condition[1]):
                self.suppositions.append(condition)
            yield condition

    def _next(self, position: int, bounds: list[tuple[int, int]]) -> int:
        return next((start for start, _ in bounds if start >= position), len(self.text))

    def _words(self) -> Iterator[Claim]:
        """Yield a claim for every verdict word that is not one of two options."""
        matches = sorted(
            [(m, "valid") for m in self.grammar.lists["valid"].finditer(self.text)]
            + [(m, "invalid") for m in self.grammar.lists["invalid"].finditer(self.text)],
            key=lambda pair: pair[0].start(),
        )
        optional: set[int] = set()
        for (one, label), (two, other) in zip(matches, matches[1:], strict=False):
            joint = _OR.fullmatch(self.text[one.end() : two.start()])
            if label != other and joint:
                optional |= {one.start(), two.start()}
                if not joint["or"] and not self.silent:
                    span = self.sentence.origin(one.start(), two.end())
                    yield Claim("unparsable", Strength.MARKER, "both-options", span)
        for match, label in matches:
            if match.start() not in optional:
                claim = self._word(match, label)
                if claim:
                    yield claim

    def _word(self, match: re.Match[str], label: str) -> Claim | None:
        """Judge one verdict word."""
        grammar, text = self.grammar, self.text
        start, end = match.span()
        after = text[end + 1 :]
        marked = any(token.marked for token in self.sentence.covered(start, end))
        attributed = grammar.lists["attributed"].match(after)
        if re.match(r"\w", after) and not attributed:
            if grammar.lists["not_followed"].match(after) or not (
                marked or grammar.lists["followers"].match(after)
            ):
                return None
        if not attributed and self._off_topic(start):
            return None
        if marked and grammar.lists["mentioned_after"].match(after):
            return None
        if marked and not attributed and grammar.lists["mentioned_before"].search(text[:start].rstrip()):
            return None
        bare, headed = self._bare(match), bool(grammar.lists["head"].search(self._lead(start)))
        strength = Strength.MARKER if bare or headed or (marked and not attributed) else Strength.SENTENCE
        claim = self._claim(
            label, strength, "marker" if strength is Strength.MARKER else "sentence", start, end
        )
        return replace(claim, item=self._lists(start))

    def _phrases(self) -> Iterator[Claim]:
        """Yield a claim for every phrase of the prompts, or paraphrase of it."""
        lists, reason = self.grammar.lists, "prompt-words"
        for match in lists["phrases"].finditer(self.text):
            yield self._claim("valid", Strength.PARAPHRASE, reason, *match.span(), inside=True)
        for match in lists["faults"].finditer(self.text):
            if not self._off_topic(match.start()):
                yield self._claim("invalid", Strength.PARAPHRASE, reason, *match.span())
        for strength, idioms in ((Strength.PARAPHRASE, self.grammar.idioms), (Strength.HINT, self.grammar.hints)):
            for label, pattern in idioms:
                for match in pattern.finditer(self.text):
                    yield self._claim(label, strength, reason, *match.span())

    def _off_topic(self, position: int) -> bool:
        """Say whether the subject of what stands at a position is a premise, an opinion or the like."""
        left = self._clause(position)
        return bool(self.grammar.lists["other"].search(left)) and bool(
            not self.grammar.lists["argument"].search(left) or _PLURAL.search(left) or _GENITIVE.search(left)
        )

    def _claim(
        self, label: str, strength: Strength, reason: str, start: int, end: int, *, inside: bool = False
    ) -> Claim:
        """Turn words with a label into a claim, with regard to their clause."""
        grammar, text = self.grammar, self.text
        asserted = not any(low <= start < high for low, high in self.silent)
        clause, after = self._clause(start) + text[start:end], text[end + 1 :]
        if grammar.lists["condition_harmless"].match(after):
            strength = Strength.HINT
        elif grammar.lists["condition_after"].match(after) or (
            label == "valid" and grammar.lists["unless_after"].match(after)
        ):
            asserted = False
        if (label == "valid" or reason != "prompt-words") and grammar.lists["possible"].search(clause):
            asserted = False
        if grammar.lists["hypothetical"].search(clause) and not grammar.lists["performed"].search(clause):
            strength = Strength.HINT
            asserted = asserted and not self.silent
        if reason != "prompt-words" and any(high <= start <= self._next(high, self.strong) for _, high in self.suppositions):
            strength = Strength.HINT
        if grammar.lists["tentative"].search(text[:start]) or grammar.lists["partial"].search(clause):
            strength = Strength.HINT
        if self._negations(start, end, inside) % 2:
            label, reason = OPPOSITE[label], "negated" if reason != "prompt-words" else reason
        answered = _ANSWERED.match(text, end)
        if answered and (answered["no"] or answered["yes"]):
            asserted, strength = True, max(strength, Strength.PARAPHRASE)
            label = OPPOSITE[label] if answered["no"] else label
        span = self.sentence.origin(start, end)
        return Claim(label, strength, reason, span, asserted, self.concluding, self.reading)

    def _clause(self, position: int) -> str:
        """Return what precedes a position within its clause."""
        return self.text[self._begin(position) : position]

    def _begin(self, position: int) -> int:
        return max((end for _, end in self.bounds if end <= position), default=0)

    def _negations(self, start: int, end: int, inside: bool) -> int:
        """Count the negators that reach the words between two positions, or also are among them."""
        low = self._begin(start)
        high = self._next(end, self.bounds) if self.grammar.reach == "clause" else end
        found = (match.span() for match in self.grammar.lists["negators"].finditer(self.text, low, high))
        return sum(
            not any(first <= at < last for first, last in self.neutral)
            for at, _ in found
            if inside or not start <= at < end
        )

    def _lead(self, position: int) -> str:
        """Return what precedes a position, cut back over words that may introduce a verdict."""
        words = self.text[:position].split()
        while words and words[-1] not in {":", "—", "|", "=", "→"} and self._fills(words[-1]):
            if self.grammar.lists["head"].search(" ".join(words[-4:])):
                break
            words.pop()
        return " ".join(words[-4:])

    def _fills(self, word: str) -> bool:
        return not word[0].isalnum() or any(
            pattern.fullmatch(word)
            for pattern in (self.grammar.lists["filler"], self.grammar.lists["negators"])
        )

    def _bare(self, match: re.Match[str]) -> bool:
        """Say whether the sentence, or its first clause, says nothing but the verdict."""
        stop = self._next(match.end(), self.bounds)
        words = (self.text[: match.start()] + self.text[match.end() : stop]).split()
        return len(words) <= 12 and all(self._fills(word) for word in words)

    def _lists(self, start: int) -> bool:
        """Say whether a colon and a long text precede, as in a list of examples."""
        left = self.text[:start].rstrip()
        return left.endswith(":") and len(left.rpartition(";")[2].split()) >= 9


def _without_insertions(sentence: Sentence) -> Sentence:
    """Drop what stands between commas in the middle of a predicate, as in "is, therefore, valid"."""
    while match := _INSERTION.search(sentence.text):
        low, high = sentence.origin(*match.span("inserted"))
        sentence = Sentence(tuple(token for token in sentence.tokens if not low <= token.start < high))
    return sentence

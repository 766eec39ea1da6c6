"""Finding the claims about validity that one sentence makes.

Two kinds of words make a claim: the verdict words themselves ("valid", "ungültig") and the phrases
in which the prompts ask ("the premises entail the conclusion"). Either counts only if it is
asserted: not inside a condition, a definition, a question or a list of the options, and with the
negators of its own clause taken into account.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from polbias.eval.answers.claims import OPPOSITE, SAME, Claim, Strength
from polbias.eval.answers.grammar import Grammar
from polbias.eval.answers.text import Sentence

Span = tuple[int, int]

_ANSWERED = re.compile(r" (?:[?:|=→—] )+(?:(?:(?P<no>no|nein|false|not|nicht)|(?P<yes>yes|ja|true|given|gegeben))\b|(?P<cross>[❌✗✘])|[✅✔☑])(?! [/|] |(?: or| oder) )")
_OPTIONS = re.compile(
    r"(?: [^\w\s])*(?: (?P<joint>or|oder|vs|versus|nor|noch|bzw|and|und)(?: (?:not|nicht|as|als|mit|with|the|by|auf"
    r"|für|for|deduktiv|formal|logisch|deductively|formally|logically))*)?(?: [^\w\s;.!?])* "
)
_INSERTION = re.compile(
    r"(?<= )(?:is|are|was|not|does|do|\w+n't|ist|sind|nicht|that|dass) "
    r"(?P<inserted>, (?:[\w']+ ){1,6}, |\( (?:[\w']+ ){1,3}\) )(?=[\w'])"
)
_INDECISIONS = (
    ("undecided", Strength.SENTENCE),
    ("balanced", Strength.SENTENCE),
    ("undecidable", Strength.MARKER),
)
_PARTICLE_ENDS = frozenset({"", ".", ",", "!", "—", ":", ";"})


class Reader:
    """Reads the claims off one sentence.

    Args:
        sentence: The sentence.
        grammar: The grammar of its language.
        number: Its number in the output.
    """

    def __init__(self, sentence: Sentence, grammar: Grammar, number: int) -> None:
        self.sentence, self.lists, self.number = _without_insertions(sentence), grammar.lists, number
        self.grammar, self.text = grammar, self.sentence.text
        self.strong = self._spans("strong")
        handed = self._spans("transparent")
        soft = (span for span in self._spans("soft") if not any(_within(span, other) for other in handed))
        self.bounds = sorted([*self.strong, *soft])
        self.neutral = self._spans("neutral")
        self.conditions = [self._condition(match) for match in self.lists["conditional"].finditer(self.text)]
        self.silences = [*self.conditions, *self._silences()]

    def claims(self, question: Claim | None) -> list[Claim]:
        """Collect the claims of the sentence.

        Args:
            question: What the sentence before has left open, if anything.

        Returns:
            All claims in the order of the text, those that are not asserted included.
        """
        found = sorted([*self._words(), *self._phrases()], key=lambda claim: claim.span)
        for name, strength in _INDECISIONS:
            for start, end in self._spans(name):
                indecision = self._made("unparsable", strength, name, start, end)
                found = [claim for claim in found if not _within(claim.span, indecision.span)]
                found.append(indecision)
        found += self._replies(found, question)
        return sorted(found, key=lambda claim: claim.span)

    @property
    def introduces_list(self) -> bool:
        """Whether the sentence ends, at a colon, in what is not asserted."""
        return self.text.endswith(" :") and any(end >= len(self.text) - 2 for _, end in self.silences)

    # --- what is not asserted ---------------------------------------------------------------------

    def _spans(self, name: str) -> list[Span]:
        return [match.span() for match in self.lists[name].finditer(self.text)]

    def _next(self, position: int, bounds: list[Span]) -> int:
        """Return where the next of some boundaries begins."""
        return next((start for start, _ in bounds if start >= position), len(self.text))

    def _begin(self, position: int, bounds: list[Span]) -> int:
        """Return where the clause of a position begins."""
        return max((end for _, end in bounds if end <= position), default=0)

    def _condition(self, match: re.Match[str]) -> Span:
        """Return the stretch of a conditional clause."""
        start = match.end() + 2 * self.text.startswith(" ,", match.end())
        ends = (self.text.find(mark, start) for mark in (" ,", " then ", " dann "))
        return match.start(), min([self._next(start, self.strong), *(end for end in ends if end >= 0)])

    def _silences(self) -> Iterator[Span]:
        """Yield the stretches of questions, of the task and of definitions."""
        if self.text.endswith("?"):
            yield 0, len(self.text)
        for name, bounds in (("task", self.strong), ("definition", self.strong), ("declining", self.bounds), ("reporting", self.bounds)):
            for start, end in self._spans(name):
                yield start, self._next(end, bounds)

    def _supposed(self, position: int) -> bool:
        """Say whether a condition that is more than the truth of the premises governs a position."""
        return any(
            end <= position <= self._next(end, self.strong)
            and not self.lists["harmless"].search(self.text, max(start - 10, 0), end)
            for start, end in self.conditions
        )

    # --- the claims -------------------------------------------------------------------------------

    def _words(self) -> Iterator[Claim]:
        """Yield a claim for every verdict word that is not one of two options."""
        matches = sorted(
            [(span, label) for label in SAME for span in self._spans(label)], key=lambda pair: pair[0]
        )
        options: set[Span] = set()
        for (one, label), (two, other) in pairwise(matches):
            joint = _OPTIONS.fullmatch(self.text[one[1] : two[0]])
            negated = self._negations(*one, inside=False) % 2
            if label != other and joint and (joint["joint"] or not negated):
                options |= {one, two}
                if not joint["joint"] and not self.silences:
                    yield self._made("unparsable", Strength.MARKER, "both-options", one[0], two[1])
        for span, label in matches:
            if span not in options and self._speaks(*span):
                yield self._word(label, *span)

    def _speaks(self, start: int, end: int) -> bool:
        """Say whether a verdict word speaks of the inference, not of a point, a premise or the word."""
        before, after = self.text[:start].rstrip(), self.text[end + 1 :]
        marked = self._marked(start, end)
        if self.lists["not_followed"].match(after):
            return False
        if self.lists["attributed"].match(after):
            return True
        if re.match(r"\w", after):
            if self.lists["attributive"].fullmatch(self.text, start, end):
                return False
            if not marked and not self.lists["followers"].match(after):
                return False
        if marked and (self.lists["mentioned_after"].match(after) or self.lists["mentioned_before"].search(before)):
            return False
        return (marked or self._framed(start, end)) and not self._off_topic(start)

    def _framed(self, start: int, end: int) -> bool:
        """Say whether a word has a clause, or is one by itself, and does not stand in mere noise."""
        clause = self.text[self._begin(start, self.bounds) : start]
        return clause.count(" ") <= 3 or bool(self.lists["frame"].search(self.text, 0, self._next(end, self.bounds)))

    def _marked(self, start: int, end: int) -> bool:
        return any(token.marked for token in self.sentence.covered(start, end))

    def _off_topic(self, position: int) -> bool:
        """Say whether the subject at a position is a premise, an opinion or the like."""
        for bounds in self.bounds, self.strong:
            left = self.text[self._begin(position, bounds) : position]
            if bounds is self.bounds and (not left.strip() or self.lists["pronoun"].search(left)):
                return False
            topic = self.lists["argument"].search(left)
            if any(
                not self.lists["oblique"].search(left[: other.start()].rstrip())
                for other in self.lists["other"].finditer(left)
            ):
                return not topic or bool(self.lists["plural"].search(left) or self.lists["part_of"].search(left))
            if topic:
                return False
        return False

    def _word(self, label: str, start: int, end: int) -> Claim:
        """Turn a verdict word into a claim."""
        attributed = self.lists["attributed"].match(self.text, end + 1)
        marked = self._marked(start, end) and not attributed
        explicit = marked or (not attributed and self._bare(start, end)) or self._headed(start)
        strength, reason = (Strength.MARKER, "marker") if explicit else (Strength.SENTENCE, "sentence")
        return self._claim(label, strength, reason, start, end)

    def _phrases(self) -> Iterator[Claim]:
        """Yield a claim for every phrase of the prompts, or paraphrase of it."""
        for start, end in self._spans("phrases"):
            if not self.lists["own_act"].search(self.text[:start].rstrip()):
                yield self._claim("valid", Strength.PARAPHRASE, "prompt-words", start, end, inside=True)
        for start, end in self._spans("faults"):
            if not self._off_topic(start):
                yield self._claim("invalid", Strength.HINT, "hint", start, end)
        for strength, idioms in (
            (Strength.PARAPHRASE, self.grammar.idioms),
            (Strength.HINT, self.grammar.hints),
        ):
            for label, pattern in idioms:
                for match in pattern.finditer(self.text):
                    reason = "hint" if strength is Strength.HINT else "prompt-words"
                    yield self._claim(label, strength, reason, *match.span())

    def _claim(
        self, label: str, strength: Strength, reason: str, start: int, end: int, *, inside: bool = False
    ) -> Claim:
        """Turn words with a label into a claim, with regard to their clause."""
        clause, after = self.text[slice(*self._reach(start, end))], self.text[end + 1 :]
        word = reason not in {"prompt-words", "hint"}
        asserted = not any(low <= start < high for low, high in self.silences)
        if self.lists["condition_harmless"].match(after):
            strength = Strength.HINT
        elif self.lists["condition_after"].match(after):
            asserted = False
        elif label == "valid" and self.lists["unless_after"].match(after):
            asserted = False
        if (word or label == "valid") and self.lists["possible"].search(clause):
            asserted = False
        negated = self._negations(start, end, inside) % 2 == 1
        if self.lists["hypothetical"].search(clause) and not self.lists["performed"].search(clause):
            strength = Strength.HINT
            asserted = asserted and (not inside or negated) and not (word and self.silences)
        opening = self._begin(start, self.strong)
        if self.lists["tentative"].search(self.text, opening, start) or self.lists["partial"].search(clause):
            strength = Strength.HINT
        if word and strength < Strength.MARKER and self._supposed(start):
            strength = Strength.HINT
        if negated:
            label, reason = OPPOSITE[label], "negated" if word else reason
        answered = _ANSWERED.match(self.text, end)
        if answered:
            asserted, strength = True, max(strength, Strength.PARAPHRASE)
            label = OPPOSITE[label] if answered["no"] or answered["cross"] else label
        return self._made(label, strength, reason, start, end, asserted)

    def _made(
        self, label: str, strength: Strength, reason: str, start: int, end: int, asserted: bool = True
    ) -> Claim:
        left = self.text[:start].rstrip()
        return Claim(
            label,
            strength,
            reason,
            self.sentence.origin(start, end),
            self.number,
            asserted,
            concluding=bool(self.lists["concluding"].search(self.text)),
            contrasted=bool(self.lists["contrast"].search(left)),
            shifted=bool(self.lists["shift"].search(self.text)),
            reading=bool(self.lists["reading"].search(self.text)),
            item=left.endswith(":") and len(left.rpartition(";")[2].split()) >= 9,
        )

    def _reach(self, start: int, end: int) -> Span:
        """Return the stretch in which negators and modal verbs bear on the words between two positions."""
        last = self._next(end, self.bounds) if self.grammar.reach == "clause" else end
        return self._begin(start, self.bounds), last

    def _negations(self, start: int, end: int, inside: bool) -> int:
        """Count the negators that reach the words between two positions, or also stand among them."""
        low, high = self._reach(start, end)
        return sum(
            not any(_within(span, other) for other in self.neutral)
            for span in (match.span() for match in self.lists["negators"].finditer(self.text, low, high))
            if inside or not start <= span[0] < end
        )

    def _replies(self, found: list[Claim], question: Claim | None) -> Iterator[Claim]:
        """Yield what a yes, a no or an ellipsis says about a question or supposition before it."""
        for name, labels in (("yes", SAME), ("no", OPPOSITE)):
            match = self.lists[name].match(self.text)
            if match and self.text[match.end() : match.end() + 2].strip() in _PARTICLE_ENDS:
                if question:
                    yield self._made(labels[question.label], Strength.PARAPHRASE, "reply", *match.span())
                elif self.number == 0:
                    yield self._made(labels["valid"], Strength.HINT, "reply", *match.span())
        for name, labels in (("affirmed", SAME), ("denied", OPPOSITE)):
            for low, high in self._spans(name):
                if any(start <= low < end for start, end in self.silences):
                    continue
                here = [c for c in found if c.open and c.span[1] <= self.sentence.origin(low, high)[0]]
                asked = here[-1] if here else question
                if asked:
                    yield self._made(labels[asked.label], Strength.PARAPHRASE, "reply", low, high)

    # --- bare verdicts ----------------------------------------------------------------------------

    def _bare(self, start: int, end: int) -> bool:
        """Say whether the sentence, or its first clause, says nothing but the verdict."""
        words = (self.text[:start] + self.text[end : self._next(end, self.bounds)]).split()
        return len(words) <= 12 and all(map(self._fills, words))

    def _headed(self, position: int) -> bool:
        """Say whether the likes of "my answer is" precede a position, with fillers in between."""
        words = self.text[:position].split()
        while words and words[-1] not in {":", "—", "|", "=", "→"} and self._fills(words[-1]):
            if self.lists["head"].search(" ".join(words[-4:])):
                break
            words.pop()
        return bool(self.lists["head"].search(" ".join(words[-4:])))

    def _fills(self, word: str) -> bool:
        return not word[0].isalnum() or any(self.lists[name].fullmatch(word) for name in ("filler", "negators"))


def _within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _without_insertions(sentence: Sentence) -> Sentence:
    """Drop what stands between commas in the middle of a predicate, as in "is, therefore, valid"."""
    while match := _INSERTION.search(sentence.text):
        low, high = sentence.origin(*match.span("inserted"))
        sentence = Sentence(tuple(token for token in sentence.tokens if not low <= token.start < high))
    return sentence

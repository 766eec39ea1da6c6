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

from polbias.eval.extraction.claims import IDENTITY_LABELS, OPPOSITE, LabelClaim, Strength
from polbias.eval.extraction.clause_scope import ClauseScope, is_inside
from polbias.eval.extraction.cues import Cues, shared
from polbias.eval.extraction.tokens import Sentence, Span

_INDECISIONS = (
    ("undecided", Strength.SENTENCE),
    ("balanced", Strength.SENTENCE),
    ("undecidable", Strength.MARKER),
)
_FEW = 6
"""A clause of so few words needs no verb."""
_PARTICLE_ENDS = frozenset({"", ".", ",", "!", "—", ":", ";"})


class ValidityClaimFinder:
    """Reads the claims off one sentence.

    Args:
        sentence: The sentence.
        grammar: The grammar of its language.
        number: Its number in the output.
    """

    def __init__(self, sentence: Sentence, grammar: Cues, number: int) -> None:
        self.scope, self.lists, self.number = ClauseScope(sentence, grammar), grammar, number
        self.text = self.scope.text

    @property
    def introduces_list(self) -> bool:
        """Whether the sentence ends, at a colon, in what is not asserted."""
        return self.text.endswith(" :") and any(end >= len(self.text) - 2 for _, end in self.scope.silences)

    def claims(self, question: LabelClaim | None) -> list[LabelClaim]:
        """Collect the claims of the sentence."""
        found = sorted([*self._words(), *self._phrases()], key=lambda claim: claim.span)
        for name, strength in _INDECISIONS:
            for start, end in self.scope.spans(name):
                indecision = self._made("unparsable", strength, name, start, end)
                found = [claim for claim in found if not is_inside(claim.span, indecision.span)]
                found.append(indecision)
        found += self._replies(found, question)
        return sorted(found, key=lambda claim: claim.span)

    # --- verdict words ----------------------------------------------------------------------------

    def _words(self) -> Iterator[LabelClaim]:
        """Yield a claim for every verdict word that is not one of two options."""
        matches = sorted((span, label) for label in IDENTITY_LABELS for span in self.scope.spans(label))
        options: set[Span] = set()
        for run in self._runs(matches):
            if len({label for _, label in run}) > 1:
                options |= {span for span, _ in run}
                start, end = run[0][0][0], run[-1][0][1]
                if not self.scope.silences and not self.lists["either"].search(self.text, start, end):
                    yield self._made("unparsable", Strength.MARKER, "both-options", start, end)
        for span, label in matches:
            if span not in options and self._speaks(*span):
                yield self._word(label, *span)

    def _runs(self, matches: list[tuple[Span, str]]) -> Iterator[list[tuple[Span, str]]]:
        """Yield the verdict words in runs with nothing between them but the likes of "or"."""
        run = matches[:1]
        for (one, label), (two, other) in pairwise(matches):
            joint = shared("options").fullmatch(self.text[one[1] : two[0]])
            negated = joint and not joint["joint"] and self.scope.is_negated(*one)
            excluded = joint and shared("excluding").match(joint.group())
            if not joint or (label != other and (negated or excluded)):
                yield run
                run = []
            run.append((two, other))
        yield run

    def _speaks(self, start: int, end: int) -> bool:
        """Say whether a verdict word speaks of the inference, not of a point, a premise or the word."""
        before, after = self.text[:start].rstrip(), self.text[end + 1 :]
        marked = self._marked(start, end)
        if self.lists["not_followed"].match(after):
            return False
        if self.lists["attributed"].match(after):
            few = len(self.scope.sentence.tokens) <= _FEW
            return few or bool(self.lists["presents"].search(self.text))
        if re.match(r"\w", after):
            if self.lists["attributive"].fullmatch(self.text, start, end):
                return False
            if not marked and not self.lists["followers"].match(after):
                return False
        mentioned = self.lists["mentioned_after"].match(after) or self.lists["mentioned_before"].search(
            before
        )
        if marked and mentioned:
            return False
        return (marked or self._framed(start, end)) and not self._off_topic(start)

    def _framed(self, start: int, end: int) -> bool:
        """Say whether a word has a clause, or is one by itself, and does not stand in mere noise."""
        few = self.text.count(" ", self.scope.begin(start), start) <= _FEW
        return few or bool(self.lists["frame"].search(self.text, 0, self.scope.end(end)))

    def _marked(self, start: int, end: int) -> bool:
        return any(token.marked for token in self.scope.sentence.tokens_between(start, end))

    def _off_topic(self, position: int) -> bool:
        """Say whether the subject at a position is a premise, an opinion or the like."""
        clause = self.text[self.scope.begin(position) : position]
        if not clause.strip() or self.lists["pronoun"].search(clause):
            return False
        for left in clause, self.text[self.scope.begin(position, self.scope.strong) : position]:
            topic = self.lists["argument"].search(left)
            others = (left[: match.start()].rstrip() for match in self.lists["other"].finditer(left))
            if any(not self.lists["oblique"].search(before) for before in others):
                return not topic or any(self.lists[name].search(left) for name in ("plural", "part_of"))
            if topic:
                return False
        return False

    def _word(self, label: str, start: int, end: int) -> LabelClaim:
        """Turn a verdict word into a claim."""
        attributed = self.lists["attributed"].match(self.text, end + 1)
        bare = not attributed and (self._marked(start, end) or self._bare(start, end))
        if bare or self._headed(start):
            return self._claim(label, Strength.MARKER, "marker", start, end)
        return self._claim(label, Strength.SENTENCE, "sentence", start, end)

    def _bare(self, start: int, end: int) -> bool:
        """Say whether the sentence, or its first clause, says nothing but the verdict."""
        words = (self.text[:start] + self.text[end : self.scope.end(end)]).split()
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
        lists = self.lists["filler"], self.lists["negators"]
        return not word[0].isalnum() or any(pattern.fullmatch(word) for pattern in lists)

    # --- phrases ----------------------------------------------------------------------------------

    def _phrases(self) -> Iterator[LabelClaim]:
        """Yield a claim for every phrase of the prompts, or paraphrase of it."""
        acts = self.scope.spans("own_act")
        for start, end in self.scope.spans("phrases"):
            if not any(low <= start < high for low, high in acts):
                yield self._claim("valid", Strength.PARAPHRASE, "prompt-words", start, end)
        for start, end in self.scope.spans("faults"):
            if not self._off_topic(start):
                yield self._claim("invalid", Strength.HINT, "hint", start, end)
        for strength, reason, idioms in (
            (Strength.PARAPHRASE, "paraphrase", "idioms"),
            (Strength.HINT, "hint", "hints"),
        ):
            for label, pattern in self.lists.part(idioms).items():
                for match in pattern.finditer(self.text):
                    yield self._claim(label, strength, reason, *match.span())

    def _replies(self, found: list[LabelClaim], question: LabelClaim | None) -> Iterator[LabelClaim]:
        """Yield what a yes, a no or an ellipsis says about a question or supposition before it."""
        for name, labels in (("yes", IDENTITY_LABELS), ("no", OPPOSITE)):
            match = self.lists[name].match(self.text)
            if match and self.text[match.end() : match.end() + 2].strip() in _PARTICLE_ENDS:
                if question:
                    yield self._made(labels[question.label], Strength.PARAPHRASE, "reply", *match.span())
                elif self.number == 0:
                    yield self._made(labels["valid"], Strength.HINT, "reply", *match.span())
        for name, labels in (("affirmed", IDENTITY_LABELS), ("denied", OPPOSITE)):
            for low, high in self.scope.spans(name):
                origin, _ = self.scope.sentence.origin(low, high)
                here = [claim for claim in found if claim.open and claim.span[1] <= origin]
                asked = here[-1] if here else question
                if asked and not self.scope.silent(low):
                    yield self._made(labels[asked.label], Strength.PARAPHRASE, "reply", low, high)

    # --- claims -----------------------------------------------------------------------------------

    def _claim(self, label: str, strength: Strength, reason: str, start: int, end: int) -> LabelClaim:
        """Turn words with a label into a claim, with regard to their clause."""
        clause, after = self.text[slice(*self.scope.bearing(start, end))], self.text[end + 1 :]
        phrase, word = reason == "prompt-words", strength >= Strength.SENTENCE
        negated = self.scope.is_negated(start, end, inside=phrase)
        asserted = not self.scope.silent(start) and not self._taken_back((label == "valid") != negated, after)
        if (word or label == "valid") and self.lists["possible"].search(clause):
            asserted = False
        if self.lists["hypothetical"].search(clause) and not self.lists["performed"].search(clause):
            asserted = asserted and (negated or not phrase) and not word
            strength = Strength.HINT
        if word and self.scope.is_conditional(start):
            asserted = False
        # Whether a claim is a first impression, another's, of a part, or under a condition.
        tentative = self.lists["tentative"].search(
            self.text, self.scope.begin(start, self.scope.strong), start
        )
        turned = tentative and shared("turned").search(self.text, tentative.end(), start)
        partial = self.lists["partial"].search(clause) or self.lists["condition_harmless"].match(after)
        if tentative and not turned:
            asserted, strength = asserted and not word, Strength.HINT
        if partial:
            strength = Strength.HINT
        if negated:
            label, reason = OPPOSITE[label], "negated" if word else reason
        reply = shared("reply").match(self.text, end)
        if reply:
            asserted, strength = True, max(strength, Strength.SENTENCE)
            label = OPPOSITE[label] if reply["no"] or reply["cross"] else label
        return self._made(label, strength, reason, start, end, asserted)

    def _taken_back(self, positive: bool, after: str) -> bool:
        """Say whether a condition that follows takes a claim back.

        "It does not follow unless a premise is added" still says that it does not follow.
        """
        if self.lists["condition_harmless"].match(after):
            return False
        if positive and self.lists["unless_after"].match(after):
            return True
        condition = self.lists["condition_after"].match(after)
        return bool(condition) and (positive or not self.lists["negators"].search(after))

    def _made(
        self, label: str, strength: Strength, reason: str, start: int, end: int, asserted: bool = True
    ) -> LabelClaim:
        """Make a claim of words, with what its sentence says about it."""
        left = self.text[:start].rstrip()
        return LabelClaim(
            label,
            strength,
            reason,
            self.scope.sentence.origin(start, end),
            self.number,
            asserted,
            concluding=bool(self.lists["concluding"].search(self.text)),
            contrasted=bool(self.lists["contrast"].search(left)),
            shifted=bool(self.lists["shift"].search(self.text)),
            reading=bool(self.lists["reading"].search(self.text)),
            item=left.endswith(":") and len(left.rpartition(";")[2].split()) >= 9,
        )

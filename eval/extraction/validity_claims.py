"""Claims about validity in one sentence.

A claim is a verdict word ("valid", "ungültig") or a phrase of the prompts ("the premises entail the
conclusion"). It counts only if asserted: not in a condition, a definition, a question or a list of the
options. Negators in its clause apply.
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
_MAX_VERBLESS_WORDS = 6
"""Maximum words of a clause that needs no verb."""
_PARTICLE_ENDS = frozenset({"", ".", ",", "!", "—", ":", ";"})


class ValidityClaimFinder:
    """Finder of the claims in one sentence.

    Args:
        sentence: The sentence.
        grammar: Cues of its language.
        number: Index of the sentence in the response.
    """

    def __init__(self, sentence: Sentence, grammar: Cues, number: int) -> None:
        self.scope, self.cues, self.number = ClauseScope(sentence, grammar), grammar, number
        self.text = self.scope.text

    @property
    def introduces_list(self) -> bool:
        """Whether the sentence ends with a colon in an unasserted span."""
        return self.text.endswith(" :") and any(
            end >= len(self.text) - 2 for _, end in self.scope.unasserted_spans
        )

    def claims(self, question: LabelClaim | None) -> list[LabelClaim]:
        """Return the claims of the sentence; `question` is the open claim before it."""
        claims = sorted([*self._word_claims(), *self._phrase_claims()], key=lambda claim: claim.span)
        for name, strength in _INDECISIONS:
            for start, end in self.scope.spans(name):
                indecision = self._build_claim("unparsable", strength, name, start, end)
                claims = [claim for claim in claims if not is_inside(claim.span, indecision.span)]
                claims.append(indecision)
        claims += self._reply_claims(claims, question)
        return sorted(claims, key=lambda claim: claim.span)

    # --- verdict words ----------------------------------------------------------------------------

    def _word_claims(self) -> Iterator[LabelClaim]:
        """Yield a claim for every verdict word that is not one of two listed options."""
        matches = sorted((span, label) for label in IDENTITY_LABELS for span in self.scope.spans(label))
        options: set[Span] = set()
        for run in self._runs(matches):
            if len({label for _, label in run}) > 1:
                options |= {span for span, _ in run}
                start, end = run[0][0][0], run[-1][0][1]
                if not self.scope.unasserted_spans and not self.cues["either"].search(self.text, start, end):
                    yield self._build_claim("unparsable", Strength.MARKER, "both-options", start, end)
        for span, label in matches:
            if span not in options and self._is_verdict(*span):
                yield self._word_claim(label, *span)

    def _runs(self, matches: list[tuple[Span, str]]) -> Iterator[list[tuple[Span, str]]]:
        """Yield sequences of verdict words with only words such as "or" between them."""
        run = matches[:1]
        for (first, label), (second, next_label) in pairwise(matches):
            joint = shared("options").fullmatch(self.text[first[1] : second[0]])
            negated = joint and not joint["joint"] and self.scope.is_negated(*first)
            excluded = joint and shared("excluding").match(joint.group())
            if not joint or (label != next_label and (negated or excluded)):
                yield run
                run = []
            run.append((second, next_label))
        yield run

    def _is_verdict(self, start: int, end: int) -> bool:
        """Whether a verdict word refers to the inference, not to a point, a premise or the word."""
        before, after = self.text[:start].rstrip(), self.text[end + 1 :]
        marked = self._is_marked(start, end)
        if self.cues["not_followed"].match(after):
            return False
        if self.cues["attributed"].match(after):
            is_short = len(self.scope.sentence.tokens) <= _MAX_VERBLESS_WORDS
            return is_short or bool(self.cues["presents"].search(self.text))
        if re.match(r"\w", after):
            if self.cues["attributive"].fullmatch(self.text, start, end):
                return False
            if not marked and not self.cues["followers"].match(after):
                return False
        mentioned = self.cues["mentioned_after"].match(after) or self.cues["mentioned_before"].search(before)
        if marked and mentioned:
            return False
        return (marked or self._has_frame(start, end)) and not self._is_off_topic(start)

    def _has_frame(self, start: int, end: int) -> bool:
        """Whether a word is in a short clause or in a clause with a frame."""
        is_short = self.text.count(" ", self.scope.begin(start), start) <= _MAX_VERBLESS_WORDS
        return is_short or bool(self.cues["frame"].search(self.text, 0, self.scope.end(end)))

    def _is_marked(self, start: int, end: int) -> bool:
        return any(token.marked for token in self.scope.sentence.tokens_between(start, end))

    def _is_off_topic(self, position: int) -> bool:
        """Whether the subject at a position is a premise, an opinion or similar."""
        clause = self.text[self.scope.begin(position) : position]
        if not clause.strip() or self.cues["pronoun"].search(clause):
            return False
        for left in clause, self.text[self.scope.begin(position, self.scope.strong) : position]:
            topic = self.cues["argument"].search(left)
            other_subjects = (left[: match.start()].rstrip() for match in self.cues["other"].finditer(left))
            if any(not self.cues["oblique"].search(before) for before in other_subjects):
                return not topic or any(self.cues[name].search(left) for name in ("plural", "part_of"))
            if topic:
                return False
        return False

    def _word_claim(self, label: str, start: int, end: int) -> LabelClaim:
        """Return the claim of a verdict word."""
        attributed = self.cues["attributed"].match(self.text, end + 1)
        is_bare = not attributed and (self._is_marked(start, end) or self._is_bare(start, end))
        if is_bare or self._follows_head(start):
            return self._claim_in_clause(label, Strength.MARKER, "marker", start, end)
        return self._claim_in_clause(label, Strength.SENTENCE, "sentence", start, end)

    def _is_bare(self, start: int, end: int) -> bool:
        """Whether the sentence, or its first clause, contains only the verdict."""
        words = (self.text[:start] + self.text[end : self.scope.end(end)]).split()
        return len(words) <= 12 and all(map(self._is_filler, words))

    def _follows_head(self, position: int) -> bool:
        """Whether words such as "my answer is" precede a position, with only fillers in between."""
        words = self.text[:position].split()
        while words and words[-1] not in {":", "—", "|", "=", "→"} and self._is_filler(words[-1]):
            if self.cues["head"].search(" ".join(words[-4:])):
                break
            words.pop()
        return bool(self.cues["head"].search(" ".join(words[-4:])))

    def _is_filler(self, word: str) -> bool:
        lists = self.cues["filler"], self.cues["negators"]
        return not word[0].isalnum() or any(pattern.fullmatch(word) for pattern in lists)

    # --- phrases ----------------------------------------------------------------------------------

    def _phrase_claims(self) -> Iterator[LabelClaim]:
        """Yield a claim for every phrase of the prompts, or its paraphrase."""
        acts = self.scope.spans("own_act")
        for start, end in self.scope.spans("phrases"):
            if not any(low <= start < high for low, high in acts):
                yield self._claim_in_clause("valid", Strength.PARAPHRASE, "prompt-words", start, end)
        for start, end in self.scope.spans("faults"):
            if not self._is_off_topic(start):
                yield self._claim_in_clause("invalid", Strength.HINT, "hint", start, end)
        for strength, reason, idioms in (
            (Strength.PARAPHRASE, "paraphrase", "idioms"),
            (Strength.HINT, "hint", "hints"),
        ):
            for label, pattern in self.cues.part(idioms).items():
                for match in pattern.finditer(self.text):
                    yield self._claim_in_clause(label, strength, reason, *match.span())

    def _reply_claims(self, claims: list[LabelClaim], question: LabelClaim | None) -> Iterator[LabelClaim]:
        """Yield the claims of a yes, a no or an ellipsis that answers an earlier question or supposition."""
        for name, labels in (("yes", IDENTITY_LABELS), ("no", OPPOSITE)):
            match = self.cues[name].match(self.text)
            if match and self.text[match.end() : match.end() + 2].strip() in _PARTICLE_ENDS:
                if question:
                    yield self._build_claim(
                        labels[question.label], Strength.PARAPHRASE, "reply", *match.span()
                    )
                elif self.number == 0:
                    yield self._build_claim(labels["valid"], Strength.HINT, "reply", *match.span())
        for name, labels in (("affirmed", IDENTITY_LABELS), ("denied", OPPOSITE)):
            for low, high in self.scope.spans(name):
                origin, _ = self.scope.sentence.origin(low, high)
                open_claims = [claim for claim in claims if claim.open and claim.span[1] <= origin]
                question_claim = open_claims[-1] if open_claims else question
                if question_claim and not self.scope.is_unasserted(low):
                    yield self._build_claim(
                        labels[question_claim.label], Strength.PARAPHRASE, "reply", low, high
                    )

    # --- claims -----------------------------------------------------------------------------------

    def _claim_in_clause(
        self, label: str, strength: Strength, reason: str, start: int, end: int
    ) -> LabelClaim:
        """Return the claim of words with a label, given their clause."""
        clause, after = self.text[slice(*self.scope.negation_span(start, end))], self.text[end + 1 :]
        phrase, word = reason == "prompt-words", strength >= Strength.SENTENCE
        negated = self.scope.is_negated(start, end, inside=phrase)
        asserted = not self.scope.is_unasserted(start) and not self._is_retracted(
            (label == "valid") != negated, after
        )
        if (word or label == "valid") and self.cues["possible"].search(clause):
            asserted = False
        if self.cues["hypothetical"].search(clause) and not self.cues["performed"].search(clause):
            asserted = asserted and (negated or not phrase) and not word
            strength = Strength.HINT
        if word and self.scope.is_conditional(start):
            asserted = False
        # First impressions, opinions of others, partial and conditional claims.
        tentative = self.cues["tentative"].search(
            self.text, self.scope.begin(start, self.scope.strong), start
        )
        is_overturned = tentative and shared("turned").search(self.text, tentative.end(), start)
        partial = self.cues["partial"].search(clause) or self.cues["condition_harmless"].match(after)
        if tentative and not is_overturned:
            asserted, strength = asserted and not word, Strength.HINT
        if partial:
            strength = Strength.HINT
        if negated:
            label, reason = OPPOSITE[label], "negated" if word else reason
        reply = shared("reply").match(self.text, end)
        if reply:
            asserted, strength = True, max(strength, Strength.SENTENCE)
            label = OPPOSITE[label] if reply["no"] or reply["cross"] else label
        return self._build_claim(label, strength, reason, start, end, asserted)

    def _is_retracted(self, positive: bool, after: str) -> bool:
        """Whether a following condition retracts a claim.

        "It does not follow unless a premise is added" still means that it does not follow.
        """
        if self.cues["condition_harmless"].match(after):
            return False
        if positive and self.cues["unless_after"].match(after):
            return True
        condition = self.cues["condition_after"].match(after)
        return bool(condition) and (positive or not self.cues["negators"].search(after))

    def _build_claim(
        self, label: str, strength: Strength, reason: str, start: int, end: int, asserted: bool = True
    ) -> LabelClaim:
        """Return a claim with the attributes of its sentence."""
        left = self.text[:start].rstrip()
        return LabelClaim(
            label,
            strength,
            reason,
            self.scope.sentence.origin(start, end),
            self.number,
            asserted,
            concluding=bool(self.cues["concluding"].search(self.text)),
            contrasted=bool(self.cues["contrast"].search(left)),
            shifted=bool(self.cues["shift"].search(self.text)),
            reading=bool(self.cues["reading"].search(self.text)),
            item=left.endswith(":") and len(left.rpartition(";")[2].split()) >= 9,
        )

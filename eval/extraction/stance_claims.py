"""Claims for or against a statement in an English response: label words, idioms, acts and replies."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache

from polbias.eval.extraction.cues import Cues, Patterns
from polbias.eval.extraction.prompt_echo import substitute_words
from polbias.eval.extraction.tokens import Sentence

SIDES = {1: "agree", -1: "disagree"}
"""Label by value."""
CUES = Cues("stance.en")
MARKS = " .,;:!?—()/|"
_FILLERS = 14
"""Maximum words of a sentence that is only a label with fillers."""
_MAX_OPTION_TOKENS = 5
"""Maximum tokens of a list item that can be an option."""
_MAX_HEADING_TOKENS = 3
"""A label with more words after it can be a heading."""
_MIN_SUBJECT_WORDS = 2
"""Up to this many words before a verb in its base form are not a subject: "Verdict disagree"."""
_OBJECT_WORDS = 6
"""Number of words after a verb in which its object is searched."""
_NOUN_WORDS = 2
"""Number of words after an adjective in which its noun is searched."""
_STEM_LETTERS = 6
"""Words with this many equal first letters are forms of one word."""
_MIN_SPELLED_LETTERS = 5
"""Minimum letters of a label for which misspellings are accepted."""
_MAX_SPELLED_LETTERS = 60
"""Maximum letters of such a label, which limits the number of misspellings."""
_VERBS = re.compile(
    r"(?:dis)?ag+re|sup+o?r?t|op+os|(?:dis)?ap+rov|concur|endors|favou?rs?$|in favou?r|against"
)
_OTHERWISE = re.compile(r"or (?:otherwise|not)\b")
_OUGHT = re.compile(r"should|ought|must")
_PRONOUN = re.compile(r"\b(?:it|this|that|these|them)$")
_TICKS = "✅✔☑"
_ADJECTIVES = re.compile(r"(?:ly|al|ful|ous|able|ive)$")


class StanceStrength(IntEnum):
    """Strength of a claim."""

    HEDGED = 0
    SYNONYM_MENTION = 1
    MENTION = 2
    SYNONYM = 3
    SENTENCE = 4
    MARKER = 5


@dataclass(frozen=True, slots=True)
class StanceClaim:
    """Words that support a side; ``value`` is 1 for agree, -1 for disagree, 0 for both or neither."""

    value: int
    strength: StanceStrength
    reason: str
    sentence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Hit:
    """Match of a label word; ``is_own_view`` for the labels of the prompt."""

    value: int
    is_own_view: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LabelPatterns:
    """Patterns of a pair of labels: ``own_view`` of the prompt, ``other_view`` of other prompts."""

    own_view: Mapping[int, re.Pattern[str]]
    other_view: Mapping[int, re.Pattern[str]]
    keys: Patterns
    yes_no: bool
    doubts: Patterns
    statement_words: frozenset[str] = frozenset()

    def is_echo(self, match: re.Match[str]) -> bool:
        """Whether a judgement repeats a word of the statement, such as "a mistake"."""
        return match.group().split()[-1] in self.statement_words

    def is_off_topic(self, cues: Cues, text: str, begin: int, start: int, end: int) -> bool:
        """Whether a judgement refers to a study, a debate or similar that the statement does not mention."""
        behind = text[:begin].rstrip().endswith(",")
        if behind and len(text[begin:start].split()) < _NOUN_WORDS:  # "the aim, to save lives, is right"
            begin = 0
        subject = [*cues["off_topic"].finditer(text, begin, start)]
        qualified = [
            noun
            for noun in cues["off_topic"].finditer(text, end)
            if len(words := text[end : noun.start()].split()) < _NOUN_WORDS and all(map(str.isalnum, words))
        ]
        return any(self.statement_words.isdisjoint(noun.group().split()) for noun in (*subject, *qualified))

    def names(self, after: str) -> bool:
        """Whether the words after a label share a word with the statement."""
        following = {
            word[:_STEM_LETTERS] for word in after.split()[:_OBJECT_WORDS] if len(word) > _MIN_SPELLED_LETTERS
        }
        return bool(
            following
            & {word[:_STEM_LETTERS] for word in self.statement_words if len(word) > _MIN_SPELLED_LETTERS}
        )


@lru_cache(maxsize=64)
def build_label_patterns(agree: str, disagree: str) -> LabelPatterns:
    """Return the patterns of two labels; a label without a family matches only itself and misspellings."""
    if not agree or not disagree or agree == disagree:
        raise ValueError(f"labels: found {agree!r} and {disagree!r}, expected two that differ")
    own_patterns, names, families = {}, [], CUES.blocks["families"]
    for (value, side), label in zip(SIDES.items(), (agree, disagree), strict=True):
        name = next((name for name in families if CUES[f"families.{name}.{side}"].fullmatch(label)), "")
        names.append(name)
        spelt = "|".join((_with_optional_accents(label), *map(re.escape, _misspellings(label))))
        forms = f"{CUES[f'families.{name}.{side}'].pattern}|" if name else ""
        own_patterns[value] = re.compile(rf"{forms}(?<![\w'])(?:{spelt})(?![\w'])")
    foreign = [name for name in families if name not in {*names, "yes"}]
    other_patterns = {
        value: re.compile("|".join(CUES[f"families.{name}.{side}"].pattern for name in foreign))
        for value, side in SIDES.items()
    }
    keys = {
        side: re.compile(f"{own_patterns[value].pattern}|{CUES[f'keys.{side}'].pattern}")
        for value, side in SIDES.items()
    }
    doubts = CUES["doubts"].pattern + ("" if names[0] == "agree" else f"|{CUES['contradicting'].pattern}")
    yes_no = bool(CUES["yes_no"].fullmatch(names[0] or agree))
    return LabelPatterns(
        own_patterns, other_patterns, keys, yes_no, {"not": re.compile(doubts), "i": CUES["joined"]}
    )


def _with_optional_accents(label: str) -> str:
    """Return a pattern of a label with or without its accents and umlauts ("schaedlich", "benefique")."""
    letters = []
    for letter in label:
        base, *marks = list(unicodedata.normalize("NFD", letter))
        options = [letter, base, *([f"{base}e"] if "\N{COMBINING DIAERESIS}" in marks else [])]
        letters.append(f"(?:{'|'.join(options)})" if marks else re.escape(letter))
    return "".join(letters)


def _misspellings(label: str) -> Iterator[str]:
    """Yield a label with one letter omitted, doubled, or swapped with the next."""
    for position in range(1, len(label) if _MIN_SPELLED_LETTERS <= len(label) <= _MAX_SPELLED_LETTERS else 0):
        before, letter, after = label[:position], label[position], label[position + 1 :]
        yield from (before + after, before + letter * 2 + after, before + after[:1] + letter + after[1:])


def find_claims(sentences: Sequence[Sentence], words: LabelPatterns) -> list[StanceClaim]:
    """Return the claims of a response before any further item that it generates."""
    claims_found: list[StanceClaim] = []
    for number, sentence in enumerate(sentences):
        if CUES["continuation"].match(sentence.text) and any(
            c.strength >= StanceStrength.SENTENCE for c in claims_found
        ):
            break
        if sentence.text.startswith("or ") and sentence.text.endswith("?"):
            claims_found = [claim for claim in claims_found if claim.sentence != number - 1]
        substituted = substitute_words(sentence, words.doubts)
        claims = [*_sentence_claims(substituted, number, words)] or _reply_claims(
            sentences[:number], sentence, words
        )
        claims_found += (_to_original_span(claim, substituted, sentence) for claim in claims)
    claims_found = [
        claim
        for claim in claims_found
        if not (_is_praise_reply(claim, sentences) or _is_title(claim, sentences, words))
    ]
    heads = [claim for claim in claims_found if _is_heading(claim, sentences[claim.sentence].text)]
    if {claim.value for claim in heads} >= {1, -1}:
        claims_found = [claim for claim in claims_found if claim not in heads]
    claims_found = [
        claim for claim in claims_found if _is_ticked(claim, sentences[claim.sentence].text)
    ] or claims_found
    rows = [
        number
        for number, sentence in enumerate(sentences)
        if sentence.is_list_item and " : " in sentence.text
    ]
    if len(rows) > 1:  # supporters and opponents
        claims_found = [
            claim for claim in claims_found if claim.reason != "synonym" or claim.sentence not in rows
        ]
    options = [
        claim
        for claim in claims_found
        if sentences[claim.sentence].is_list_item
        and len(sentences[claim.sentence].tokens) <= _MAX_OPTION_TOKENS
    ]
    if {claim.value for claim in options} >= {1, -1}:
        claims_found = [claim for claim in claims_found if claim not in options]
    return claims_found


def _reply_claims(before: Sequence[Sentence], sentence: Sentence, words: LabelPatterns) -> list[StanceClaim]:
    """Return the claim of a reply to the model's own question: "Would it be harmful? I believe so."."""
    if not before or not before[-1].text.endswith("?"):
        return []
    values = {hit.value for hit in _find_hits(before[-1].text, words) if hit.is_own_view}
    for name, sign in (("affirmed", 1), ("denied", -1)):
        match = CUES[name].search(sentence.text)
        if match and len(values) == 1:
            return [
                StanceClaim(
                    sign * values.pop(), StanceStrength.SENTENCE, "sentence", len(before), *match.span()
                )
            ]
    return []


def _is_heading(claim: StanceClaim, text: str) -> bool:
    """Whether a label is the heading of arguments: "Agree: it saves money"."""
    after = text[claim.end :].strip()
    return (
        not text[: claim.start].strip(MARKS)
        and after[:1] in {":", "|", "—"}
        and len(after.split()) > _MAX_HEADING_TOKENS
    )


def _is_ticked(claim: StanceClaim, text: str) -> bool:
    """Whether a tick follows a label."""
    return text[claim.end :].lstrip(MARKS)[:1] in {*_TICKS}


def _is_title(claim: StanceClaim, sentences: Sequence[Sentence], words: LabelPatterns) -> bool:
    """Whether a noun, such as "Benefits", is the title of the following sentences."""
    text = sentences[claim.sentence].text.strip(MARKS)
    is_label = any(pattern.fullmatch(text) for pattern in words.own_view.values())
    return claim.sentence + 1 < len(sentences) and not is_label and bool(CUES["nouns"].fullmatch(text))


def _is_praise_reply(claim: StanceClaim, sentences: Sequence[Sentence]) -> bool:
    """Whether a word of praise, such as "Great!", follows a question to the reader."""
    if not claim.sentence or len(sentences[claim.sentence].text.strip(MARKS).split()) > 1:
        return False
    before = sentences[claim.sentence - 1].text
    return claim.reason == "idiom" and before.endswith("?") and " you " in f" {before} "


def _to_original_span(claim: StanceClaim, read: Sentence, sentence: Sentence) -> StanceClaim:
    """Return the claim with its position in the unmodified sentence."""
    low, high = read.origin(claim.start, claim.end)
    start, end = sentence.span_of_offsets(low, high)
    return replace(claim, start=start, end=end)


def _sentence_claims(sentence: Sentence, number: int, words: LabelPatterns) -> Iterator[StanceClaim]:
    text = sentence.text
    covered_spans: list[tuple[int, int]] = []
    halved = CUES["halved"].search(text)
    if CUES["defining"].search(text) and not CUES["first_person"].search(text):
        return
    if halved:
        yield StanceClaim(0, StanceStrength.SENTENCE, "both-options", number, *halved.span())
        return
    for value, side in SIDES.items():
        for match in CUES[f"idioms.{side}"].finditer(text):
            covered_spans.append(match.span())
            is_attributed = _is_attributed(text, *match.span())
            if text.endswith("?") or is_attributed or _is_conceded(text, match.start()):
                continue
            if words.is_off_topic(CUES, text, _clause_start(text, match.start()), *match.span()):
                continue
            question_cue = "indirect" if _OUGHT.match(match.group()) else "whether"
            if CUES[question_cue].search(text, 0, match.start()):
                continue
            has_negator = CUES["negators"].search(match.group()) or match.group().startswith("hard")
            negated = not has_negator and _count_negators(text, match.start()) % 2 == 1
            negated ^= value < 0 and words.is_echo(match)
            yield StanceClaim(
                -value if negated else value, StanceStrength.SENTENCE, "idiom", number, *match.span()
            )
        for match in CUES[f"acts.{side}"].finditer(text):
            covered_spans.append(match.span())
            is_off_topic = words.is_off_topic(CUES, text, 0, *match.span()) and _PRONOUN.search(match.group())
            if not text.endswith("?") and not is_off_topic and not _is_conceded(text, match.start()):
                negated = (
                    sum(negator[0] != "no" for negator in CUES["negators"].finditer(match.group())) % 2 == 1
                ) ^ (value < 0 and words.is_echo(match))
                yield StanceClaim(
                    -value if negated else value, StanceStrength.SENTENCE, "act", number, *match.span()
                )
        reply = CUES[f"replies.{side}"].search(text)
        if reply and words.yes_no and not text.endswith("?"):
            yield StanceClaim(value, StanceStrength.SYNONYM, "reply", number, *reply.span())
    hits = [
        hit
        for hit in _find_hits(text, words)
        if not any(low <= hit.start < high for low, high in covered_spans)
    ]
    for hit, value, joined in _resolve_hits(text, hits):
        if joined:
            yield StanceClaim(0, StanceStrength.SENTENCE, joined, number, hit.start, hit.end)
            continue
        claim = _label_claim(text, hit, value, number, words)
        if claim:
            yield claim


def _find_hits(text: str, words: LabelPatterns) -> list[_Hit]:
    """Return the label words; of overlapping matches the longer, and labels of the prompt before others."""
    hits = [
        _Hit(value, is_own, *match.span())
        for is_own, patterns in ((True, words.own_view), (False, words.other_view))
        for value, pattern in patterns.items()
        for match in pattern.finditer(text)
    ]
    hits.sort(key=lambda hit: (hit.start, hit.start - hit.end, not hit.is_own_view))
    longest: list[_Hit] = []
    for hit in hits:
        if not longest or hit.start >= longest[-1].end:
            longest.append(hit)
    return longest


def _resolve_hits(text: str, hits: Sequence[_Hit]) -> Iterator[tuple[_Hit, int, str]]:
    """Yield each hit with its value after negation; skip pairs that are only options.

    A pair under one negator, or joined by "and", is yielded once with a reason.
    """
    index = 0
    while index < len(hits):
        hit = hits[index]
        following = hits[index + 1] if index + 1 < len(hits) else None
        between = text[hit.end : following.start].strip() if following else ""
        negated = _count_negators(text, hit.start) % 2 == 1
        index += 1
        if (
            not following
            and text[hit.end :].strip(MARKS)
            and CUES["options"].fullmatch(text[hit.end :].strip())
        ):
            continue  # a repeated prompt, truncated between its labels
        if following and following.value != hit.value:
            clause = text[_clause_start(text, hit.start) : hit.start]
            if not between or CUES["options"].fullmatch(between):
                index += 1
                if negated or re.search(r"\bneither\b", clause):
                    declined = CUES["unwilling"].search(clause) or CUES["general"].match(
                        text, following.end + 1
                    )
                    yield replace(hit, end=following.end), 0, "refusal" if declined else "neither"
                elif re.search(r"\bboth\b", clause):
                    yield replace(hit, end=following.end), 0, "both-options"
                continue
            if CUES["both"].fullmatch(between):
                index += 1
                if clause.endswith("between ") and not negated:
                    continue  # the requested choice
                yield replace(hit, end=following.end), 0, "neither" if negated else "both-options"
                continue
            if CUES["contrast"].fullmatch(between):
                index += 1
        yield hit, -hit.value if negated else hit.value, ""


def _label_claim(text: str, hit: _Hit, value: int, number: int, words: LabelPatterns) -> StanceClaim | None:
    """Return the claim of a label word, given its clause, or None."""
    begin = _clause_start(text, hit.start)
    before, after = text[: hit.start], text[hit.end :].strip()
    clause = text[begin : hit.start]
    words_around = (before + text[hit.end :]).split()
    opened = before.rstrip(MARKS)
    is_label_only = len(words_around) <= _FILLERS and all(
        not w[0].isalnum() or CUES["filler"].fullmatch(w) for w in words_around
    )
    follows_head = any(match.end() >= len(opened) - 1 for match in CUES["head"].finditer(before.rstrip()))
    if text.endswith("?") or _OTHERWISE.match(after):
        return None
    is_entered = any(match.end() >= len(opened) - 1 for match in CUES["entered"].finditer(before.rstrip()))
    is_stated = (is_entered or before.rstrip().endswith((":", "—"))) and not after.strip(MARKS)
    if not is_stated and _is_attributed(text, hit.start, hit.end):
        for name, side in (("so_do_i", value), ("not_so_i", -value)):
            if CUES[name].match(text, hit.end + 1):
                return StanceClaim(side, StanceStrength.SENTENCE, "sentence", number, hit.start, hit.end)
        return None
    is_marker, is_first_person = (
        is_label_only or is_stated or follows_head,
        bool(CUES["first_person"].search(clause)),
    )
    if not is_marker and _is_noun_only(text, hit):
        return None
    if _is_mention_only(text, hit, clause, value != hit.value or not is_first_person, follows_head):
        return None
    verb = _VERBS.match(text, hit.start, hit.end) or CUES["nouns"].fullmatch(text, hit.start, hit.end)
    if not (is_marker or verb or is_first_person) and words.is_off_topic(
        CUES, text, begin, hit.start, hit.end
    ):
        return None
    if not hit.is_own_view and verb and not (is_first_person or is_label_only or is_stated):
        return None
    is_denied = value != hit.value and is_first_person and not CUES["sides"].match(after)
    joined = re.search(r" (?:and|but|yet|or)(?: \w+ly| also)* $", before)
    if value != hit.value:  # "hard to see how it could": denied as possible
        clause = CUES["negators"].split(clause)[0]
    hedged = not is_denied and bool(CUES["weak"].search(clause) or (joined and CUES["weak"].search(before)))
    if CUES["postposed"].match(after):
        value = -value
    is_conceded = not is_stated and _is_conceded(text, hit.start)
    is_contrasted = is_first_person and text[:begin].rstrip().endswith("but") and not is_conceded
    weak = is_conceded or bool(CUES["granted"].match(after) or CUES["provided"].match(after.lstrip(MARKS)))
    is_about_statement = _refers_to_statement(text[hit.start : hit.end], after) or (
        CUES["first_person"].search(before) and words.names(after)
    )
    weak = weak or not (is_marker or is_denied or is_contrasted or is_about_statement)
    reason = "negated" if value != hit.value else "marker" if is_marker else "sentence"
    strength = StanceStrength.MARKER if is_marker else StanceStrength.SENTENCE
    if hedged:
        strength, reason = StanceStrength.HEDGED, "hedged"
    elif not hit.is_own_view:
        strength, reason = (StanceStrength.SYNONYM_MENTION if weak else StanceStrength.SYNONYM), "synonym"
    elif weak:
        strength, reason = StanceStrength.MENTION, "mention"
    return StanceClaim(value, strength, reason, number, hit.start, hit.end)


def _is_mention_only(text: str, hit: _Hit, clause: str, distant: bool, headed: bool) -> bool:
    """Whether a label is only mentioned: an act, a former view, a question, or an event elsewhere."""
    if distant and CUES["performing"].search(clause):
        return True
    clause_end = re.split(r"[,;:.!?—]", text[hit.end :], maxsplit=1)[0]
    if CUES["former"].search(clause + clause_end):
        return True
    if re.search(r"whether(?: [\w']+){0,3} $", text[: hit.start]):
        return True
    infinitive = re.fullmatch(r"to (?:\w+ly )?", clause)
    return not headed and bool(infinitive or CUES["elsewhere"].match(text, hit.start))


def _is_attributed(text: str, start: int, end: int) -> bool:
    """Whether words are attributed to others than the model."""
    stretch = _clause_prefix(text, start)
    contrast = max(text.rfind(mark, 0, start) for mark in (" ; ", " but ", " whereas ", " while "))
    if CUES["sources"].search(text, contrast, start):
        return True
    if CUES["attributed"].search(stretch) or CUES["by_others"].match(text, end + 1):
        return True
    first_person_end = max((match.end() for match in CUES["first_person"].finditer(stretch)), default=0)
    opined = [match for match in CUES["opined"].finditer(stretch, first_person_end) if match.start()]
    if opined and not first_person_end:
        return True
    if not _VERBS.match(text, start, end):
        return False
    subject = CUES["actors"].search(stretch, first_person_end)
    clause = text[_clause_start(text, start) : start]
    words = re.sub(
        r"(?: (?:not|\w+n't|would|do|will|have|has|had|be|\w+ly|also|both|all))* *$", "", clause
    ).split()
    min_words = 0 if text[start:end].endswith("ed") else _MIN_SUBJECT_WORDS
    has_subject = (
        words
        and len(stretch.split()) > min_words
        and not first_person_end
        and not CUES["auxiliary"].fullmatch(words[-1])
    )
    return bool(subject or has_subject or (words and CUES["subject"].fullmatch(words[-1])))


def _is_noun_only(text: str, hit: _Hit) -> bool:
    """Whether a word is a noun, such as "benefit", without a verb that applies it to the statement."""
    before = text[: hit.start].split()
    if not CUES["nouns"].fullmatch(text, hit.start, hit.end) or not before:
        return bool(CUES["nouns"].fullmatch(text, hit.start, hit.end) and text[hit.end :].strip(MARKS))
    return not CUES["verbal"].fullmatch(before[-1])


def _refers_to_statement(word: str, after: str) -> bool:
    """Whether a label word refers to the statement: not attributive, and without another object."""
    if _VERBS.match(word):
        return bool(not after or CUES["object"].match(after))
    if not after or not after[0].isalnum():
        return True
    return bool(_ADJECTIVES.search(word) and CUES["followers"].match(after))


def _clause_start(text: str, position: int) -> int:
    """Return the start of the clause before a position."""
    ends = [match.end() for match in CUES["boundaries"].finditer(text, 0, position)]
    return ends[-1] if ends else 0


def _clause_prefix(text: str, position: int) -> str:
    """Return the words before a position in its part of the sentence, across "that" and "as"."""
    start = max(text.rfind(mark, 0, position) for mark in (" , ", " ; ", " but ", " however "))
    return text[max(start, 0) : position]


def _count_negators(text: str, position: int) -> int:
    """Return the number of negators that apply to a position."""
    begin = _clause_start(text, position)
    neutral = [match.span() for match in CUES["neutral"].finditer(text, begin)]
    negators = [match.start() for match in CUES["negators"].finditer(text, begin, position)]
    return sum(not any(low <= start < high for low, high in neutral) for start in negators)


def _is_conceded(text: str, position: int) -> bool:
    """Whether a position lies in a concession or a condition."""
    before = text[:position]
    for name in ("conceded", "supposed"):
        for match in CUES[name].finditer(before):
            passed = r" but | however " if name == "supposed" else r"[,;—]| but | however "
            if not re.search(passed, before[match.end() :]):
                return True
    return False

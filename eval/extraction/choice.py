"""Answer extraction for choices between two or three articles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import zip_longest

from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.cues import Cues, shared
from polbias.eval.extraction.preparation import is_cut_off, prepare
from polbias.eval.extraction.prompt_echo import first_match, mask_prompt_echo
from polbias.eval.extraction.refusal import find_refusal
from polbias.eval.extraction.settle import STATEMENT_CUES, settle_verdict
from polbias.eval.extraction.tokens import Sentence
from polbias.eval.extraction.voice import without_reported_opinions

LABELS = ("1", "2", "3", "refusal", "both", "unparsable")
"""Labels of an answer; "both" is any tie: several options, all, none, no difference. A truncated text is
"unparsable" with the reason "truncated"."""

LANGUAGES = ("en", "de")
_CUES = Cues("choice")

_TIE, _OUT_OF_RANGE = -1, 0
_BRACKETS = re.compile(r"[\"'`*_“”‘’„«»‹›()\[\]{}#\s]+")
_OPTIONS = re.compile(r",?\s?(?:or|oder|ou|o|/|\||vs\.?|versus|and/or)(?:\s(?:the|der|den|die|das))?")
_JOINT = re.compile(
    r"(?:,\s?)?(?:and|und|et|y|e|&|\+|as well as|plus|nor|noch)(?:\s(?:the|der|den|die|das|also|auch))?"
)
_LIST = re.compile(r"[,;]?(?:\s(?:the|der|den|die|das))?")
_EQUAL, _BETTER = re.compile(r"={1,2}|≈|~"), re.compile(r">+|≻|over|to|vor|rather than|instead of")
_DANGLING = re.compile(r"\s(?:and|or|und|oder|&)\s*$", re.IGNORECASE)
_BULLET = re.compile(r"([1-3]) [.):]? ?(?=\S)")
_MARKS = " .,;:!?—()/|=→"


class _Strength(IntEnum):
    """Strength of the evidence."""

    MENTION = 0
    SENTENCE = 1
    MARKER = 2


@dataclass(frozen=True, slots=True)
class _Claim:
    """Words that name an option (its number), several options (-1) or a number out of range (0)."""

    value: int
    strength: _Strength
    start: int
    end: int
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class _Mention:
    """Mention of an option in a sentence."""

    value: int
    start: int
    end: int


def extract_choice(
    text: str, n_alternatives: int, language: str = "en", prefill: str | None = None
) -> Verdict:
    """Extract the article that a response chooses.

    A number, an ordinal or a number word refers to an article unless it counts something. An option at the
    beginning, alone in its sentence or after words such as "my answer is" outranks an option in a sentence,
    which outranks a mere mention; a list of the options repeated from the instruction is ignored. If all
    options but one are excluded, the remaining one is chosen.

    Args:
        text: The response, any string, usually without the prefill, which it may repeat.
        n_alternatives: Number of articles, 2 or 3.
        language: BCP 47 tag of the prompt, English or German; the patterns cover both languages in any case,
            and the most frequent forms of a few other languages.
        prefill: Beginning of the answer in the prompt; masked if the response repeats it.

    Returns:
        The verdict: "1", "2" or "3", "both" for any tie, "refusal" or "unparsable".

    Raises:
        ValueError: If there are neither two nor three articles, or the language is not supported.

    Source:
        Kennedy et al., section 5 (answers "parsed using regular expressions") and Table 6.
    """
    if n_alternatives not in (2, 3):
        raise ValueError(f"n_alternatives: found {n_alternatives!r}, expected 2 or 3")
    if language.split("-")[0] not in LANGUAGES:
        raise ValueError(f"language: found {language!r}, expected one of {', '.join(LANGUAGES)}")
    answer = _mask_prefill(mask_prompt_echo(text), prefill)
    prepared = prepare(answer)
    if not prepared.sentences:
        return settle_verdict(Verdict("unparsable", "empty"), text)
    missing = first_match(_CUES["lacking"], prepared.sentences)
    if missing:
        return Verdict("unparsable", "no-input", missing)
    claims = _collect_claims(prepared.sentences, answer, n_alternatives)
    explicit = [claim for claim in claims if claim.strength and not claim.excluded]
    if explicit:
        return settle_verdict(_resolve_claims(explicit, answer), text)
    return settle_verdict(
        _fallback_verdict(prepared.sentences, prepared.truncated, claims, n_alternatives), text
    )


def _mask_prefill(text: str, prefill: str | None) -> str:
    """Replace the prefill by spaces if the response repeats it."""
    prefix = (prefill or "").strip().lower()
    start = len(text) - len(text.lstrip(" \n\t*_\"'"))
    if prefix and text[start:].lower().startswith(prefix):
        end = start + len(prefix)
        return " " * end + text[end:]
    return text


# --- finding claims -----------------------------------------------------------------------------------------


def _collect_claims(sentences: Sequence[Sentence], text: str, n_alternatives: int) -> list[_Claim]:
    """Return the claims of all sentences, except the numbers of a list of remarks."""
    bullets = [match[1] for sentence in sentences if (match := _BULLET.match(sentence.text))]
    announced = len(bullets) == 1 and any(sentence.text.endswith(" :") for sentence in sentences[:-1])
    is_numbered_list = (bullets[:2] == ["1", "2"] and _has_prose(sentences)) or (
        announced and is_cut_off(text, shared("dangling"))
    )
    claims: list[_Claim] = []
    for number, sentence in enumerate(sentences):
        if STATEMENT_CUES["continues"].match(sentence.text) and any(claim.strength for claim in claims):
            break
        mentions = [*_find_mentions(sentence, text, n_alternatives)]
        if is_numbered_list and mentions and mentions[0].start == 0 and _BULLET.match(sentence.text):
            mentions = mentions[1:]
        claims += _sentence_claims(sentence, text, mentions, first=number == 0)
    return claims


def _has_prose(sentences: Sequence[Sentence]) -> bool:
    """Whether the first two numbered sentences have more than three tokens."""
    numbered = [sentence for sentence in sentences if _BULLET.match(sentence.text)]
    return all(len(sentence.tokens) > 3 for sentence in numbered[:2])


def _find_mentions(sentence: Sentence, text: str, n_alternatives: int) -> Iterator[_Mention]:
    """Yield the longest matches of options in a sentence, in order."""
    mentions: list[_Mention] = []
    for number in (1, 2, 3):
        value = number if number <= n_alternatives else _OUT_OF_RANGE
        mentions += [
            _Mention(value, *match.span()) for match in _CUES[f"option_{number}"].finditer(sentence.text)
        ]
    mentions += [_Mention(n_alternatives, *match.span()) for match in _CUES["last"].finditer(sentence.text)]
    mentions += [_Mention(_OUT_OF_RANGE, *match.span()) for match in _CUES["other"].finditer(sentence.text)]
    mentions.sort(key=lambda mention: (mention.start, -mention.end, -mention.value))
    longest: list[_Mention] = []
    for mention in mentions:
        if (not longest or mention.start >= longest[-1].end) and not _is_count(sentence.text, mention):
            longest.append(mention)
    if not longest:
        for number in range(1, n_alternatives + 1):
            for match in _CUES[f"word_{number}"].finditer(sentence.text):
                before = sentence.text[: match.start()].split()
                pronoun = before and _CUES["before_pronoun"].fullmatch(before[-1])
                if not pronoun and _is_option_only(sentence.text, *match.span()):
                    longest.append(_Mention(number, *match.span()))
    tie_spans = [match.span() for match in _CUES["tie"].finditer(sentence.text)]
    yield from (
        mention for mention in longest if not any(low <= mention.start < high for low, high in tie_spans)
    )


def _is_count(text: str, mention: _Mention) -> bool:
    """Whether a number counts something, as in "2 reasons"."""
    if not text[mention.start : mention.end].isdigit():
        return False
    before, after = text[: mention.start].split(), text[mention.end :].split()
    if after and not _CUES["after_number"].fullmatch(after[0]):
        return True
    return bool(before and _CUES["before_count"].fullmatch(before[-1]))


def _sentence_claims(
    sentence: Sentence, text: str, mentions: Sequence[_Mention], first: bool
) -> Iterator[_Claim]:
    """Yield the claims of the options in a sentence."""
    next_is_chosen = False
    for group, kind in _group_mentions(sentence, text, mentions):
        low, high = group[0].start, group[-1].end
        strength = _mention_strength(sentence.text, low, high, first)
        span = sentence.origin(low, high)
        before, after = sentence.text[:low].rstrip(), sentence.text[high:].lstrip()
        is_rejected = bool(_CUES["against"].match(after))
        excluded = _is_excluded(before) or kind == "loser"
        if excluded and next_is_chosen:
            excluded, strength, next_is_chosen = False, _Strength.SENTENCE, False
        elif is_rejected:
            excluded = next_is_chosen = True
        if kind == "options" or (_DANGLING.match(text[span[1] :]) and kind != "joint"):
            continue
        if kind == "joint":
            yield _Claim(_TIE, strength, *span)
        else:
            yield _Claim(group[0].value, strength, *span, excluded=excluded)


def _group_mentions(
    sentence: Sentence, text: str, mentions: Sequence[_Mention]
) -> Iterator[tuple[list[_Mention], str]]:
    """Yield groups of options, joined ("1 and 2") or alternative ("1 or 2"), with their kind."""
    group: list[_Mention] = []
    kinds: list[str] = []
    loser = False
    for mention, following in zip_longest(mentions, mentions[1:]):
        group.append(mention)
        kind = _classify_separator(sentence, text, mention, following) if following else ""
        if kind in ("options", "joint", "list"):
            kinds.append(kind)
            continue
        group_kind = "options" if "options" in kinds else "joint" if kinds else "loser" if loser else ""
        if group_kind == "joint" and len({mention.value for mention in group}) == 1:
            group_kind = ""
        yield group, group_kind
        loser = kind == "loser"
        group, kinds = [], []


def _classify_separator(sentence: Sentence, text: str, first: _Mention, second: _Mention) -> str:
    """Return the kind of separator between two options, without markup."""
    start, end = sentence.origin(first.start, first.end)[1], sentence.origin(second.start, second.end)[0]
    between = _BRACKETS.sub(" ", text[start:end]).strip().lower()
    if _OPTIONS.fullmatch(between):
        return "options"
    if _JOINT.fullmatch(between) or _EQUAL.fullmatch(between):
        return "joint"
    if _BETTER.fullmatch(between):
        return "loser"
    are_digits = all(sentence.text[mention.start : mention.end].isdigit() for mention in (first, second))
    if not _LIST.fullmatch(between) or not (between or are_digits):
        return ""
    return "" if _is_excluded(sentence.text[: first.start].rstrip()) else "list"


def _is_excluded(before: str) -> bool:
    """Whether the words before an option exclude it."""
    if any(match.end() == len(before) for match in _CUES["loser"].finditer(before)):
        return True
    begin = max((match.end() for match in _CUES["boundary"].finditer(before)), default=0)
    return bool(_CUES["negators"].search(before[begin:]))


def _mention_strength(text: str, low: int, high: int, first: bool) -> _Strength:
    """Return the strength of an option from the words around it."""
    before, after = text[:low].rstrip(), text[high:].lstrip()
    if text.endswith("?"):
        return _Strength.MENTION
    is_opening = first and _is_filler(before)
    opened = before.rstrip(_MARKS)
    trail = _strip_fillers(before)
    follows_head = any(match.end() >= len(trail) for match in _CUES["head"].finditer(before))
    ends_sentence = before.endswith((":", "→")) and not after.strip(_MARKS) and bool(opened)
    if is_opening or follows_head or ends_sentence or _is_option_only(text, low, high):
        return _Strength.MARKER
    follows_verb = any(match.end() >= len(trail) for match in _CUES["verb"].finditer(before))
    follows_opener = any(match.end() == len(before) for match in _CUES["opener"].finditer(before))
    if follows_verb or follows_opener or _CUES["predicate"].match(after):
        return _Strength.SENTENCE
    return _Strength.MENTION


def _strip_fillers(before: str) -> str:
    """Strip fillers and punctuation from the end of the words before an option."""
    words = before.split()
    while words and (not words[-1][0].isalnum() or _CUES["filler"].fullmatch(words[-1])):
        if _CUES["verb"].fullmatch(words[-1]):
            break
        words.pop()
    return " ".join(words)


def _is_filler(words: str) -> bool:
    """Whether all words are fillers."""
    return all(not word[0].isalnum() or _CUES["filler"].fullmatch(word) for word in words.split())


def _is_option_only(text: str, low: int, high: int) -> bool:
    return _is_filler(text[:low]) and _is_filler(text[high:])


# --- deciding -----------------------------------------------------------------------------------------------


def _resolve_claims(claims: Sequence[_Claim], text: str) -> Verdict:
    """Return the verdict of the strongest claims: their common option, a correction, or a contradiction."""
    best = max(claim.strength for claim in claims)
    strongest = [claim for claim in claims if claim.strength == best]
    later_claims = [
        claim for claim in claims if claim.value != strongest[-1].value and claim.start > strongest[-1].end
    ]
    strongest += (
        later_claims[-1:] if later_claims and _corrects(text, strongest[-1], later_claims[-1]) else []
    )
    last = strongest[-1]
    conflicting = [claim for claim in strongest if claim.value != last.value]
    if not conflicting:
        return _make_verdict(strongest[0], best.name.lower())
    if _corrects(text, conflicting[-1], last):
        return _make_verdict(last, "self-correction")
    return Verdict("unparsable", "contradiction", (last.start, last.end))


def _corrects(text: str, first: _Claim, second: _Claim) -> bool:
    """Whether the words between two claims retract the first, or conclude."""
    between = " ".join(re.findall(r"[\w']+|[,.:—]", text[first.end : second.start].lower()))
    return bool(_CUES["correction"].search(between))


def _fallback_verdict(
    sentences: Sequence[Sentence], truncated: bool, claims: Sequence[_Claim], n_alternatives: int
) -> Verdict:
    """Return the verdict of a response without an explicit choice."""
    refusal = find_refusal(sentences, truncated) or first_match(
        _CUES["declining"], without_reported_opinions(sentences)
    )
    if refusal:
        return Verdict("refusal", "refusal", refusal)
    tie = first_match(_CUES["tie"], sentences)
    if tie:
        return Verdict("both", "tie", tie)
    excluded = {claim.value for claim in claims if claim.excluded}
    remaining = {*range(1, n_alternatives + 1)} - excluded
    if len(remaining) == 1 and excluded and not any(not claim.excluded for claim in claims):
        last = claims[-1]
        return Verdict(str(remaining.pop()), "elimination", (last.start, last.end))
    mentioned = {claim.value for claim in claims if not claim.excluded}
    has_question = any(sentence.text.endswith("?") for sentence in sentences)
    if len(mentioned) == 1 and not excluded and not has_question:
        return _make_verdict(claims[0], "mention")
    return Verdict("unparsable", "no-choice")


def _make_verdict(claim: _Claim, reason: str) -> Verdict:
    span = claim.start, claim.end
    if claim.value == _TIE:
        return Verdict("both", "joined", span)
    if claim.value == _OUT_OF_RANGE:
        return Verdict("unparsable", "out-of-range", span)
    return Verdict(str(claim.value), reason, span)

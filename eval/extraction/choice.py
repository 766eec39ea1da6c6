"""From the free text of a model to the one of two or three articles that it chooses."""

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
from polbias.eval.extraction.voice import without_opinions

LABELS = ("1", "2", "3", "refusal", "both", "unparsable")
"""What an answer can be; "both" is any tie: several options, all of them, none of them, no difference. A text
that breaks off is "unparsable" with the reason "truncated"."""

LANGUAGES = ("en", "de")
_CUES = Cues("choice")

_TIE, _OTHER = -1, 0
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
    """How much words say."""

    MENTION = 0
    SENTENCE = 1
    MARKER = 2


@dataclass(frozen=True, slots=True)
class _Claim:
    """Words that name an option (its number), several (-1) or one that there is not (0)."""

    value: int
    strength: _Strength
    start: int
    end: int
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class _Mention:
    """One option where it stands in a sentence."""

    value: int
    start: int
    end: int


def extract_choice(text: str, ways: int, language: str = "en", prefill: str | None = None) -> Verdict:
    """Read off an output which of the articles it chooses.

    A number, an ordinal or a number word stands for an article wherever it does not count something. An
    option that opens the output, stands alone or after words such as "my answer is" outranks one in a
    sentence, which outranks a mere mention; the list of the options that an output repeats from its
    instruction is none. In an answer of two, leaving one out is choosing the other.

    Args:
        text: The output, any string; usually without the beginning of the answer that the prompt has put in
            the model's mouth, which it may repeat.
        ways: How many articles there are, 2 or 3.
        language: BCP 47 tag of the prompt, English or German; the reader knows both in any case, and the
            commonest forms of a few other languages.
        prefill: That beginning of the answer; it is left out where the output repeats it.

    Returns:
        The verdict: "1", "2" or "3", "both" for any tie, "refusal" or "unparsable".

    Raises:
        ValueError: If there are neither two nor three articles, or the language is not known.

    Source:
        Kennedy et al., section 5 (answers "parsed using regular expressions") and Table 6.
    """
    if ways not in (2, 3):
        raise ValueError(f"ways: found {ways!r}, expected 2 or 3")
    if language.split("-")[0] not in LANGUAGES:
        raise ValueError(f"language: found {language!r}, expected one of {', '.join(LANGUAGES)}")
    answer = _without(mask_prompt_echo(text), prefill)
    prepared = prepare(answer)
    if not prepared.sentences:
        return settle_verdict(Verdict("unparsable", "empty"), text)
    missing = first_match(_CUES["lacking"], prepared.sentences)
    if missing:
        return Verdict("unparsable", "no-input", missing)
    claims = _unlisted(prepared.sentences, answer, ways)
    strong = [each for each in claims if each.strength and not each.excluded]
    if strong:
        return settle_verdict(_decided(strong, answer), text)
    return settle_verdict(_fallback_verdict(prepared.sentences, prepared.truncated, claims, ways), text)


def _without(text: str, prefill: str | None) -> str:
    """Blank out the beginning of the answer if the output repeats it."""
    begun = (prefill or "").strip().lower()
    start = len(text) - len(text.lstrip(" \n\t*_\"'"))
    if begun and text[start:].lower().startswith(begun):
        end = start + len(begun)
        return " " * end + text[end:]
    return text


# --- finding claims -----------------------------------------------------------------------------------------


def _unlisted(sentences: Sequence[Sentence], text: str, ways: int) -> list[_Claim]:
    """Collect the claims of all sentences; the numbers of a list of remarks are none."""
    bullets = [match[1] for each in sentences if (match := _BULLET.match(each.text))]
    announced = len(bullets) == 1 and any(sentence.text.endswith(" :") for sentence in sentences[:-1])
    listed = (bullets[:2] == ["1", "2"] and _has_prose(sentences)) or (
        announced and is_cut_off(text, shared("dangling"))
    )
    claims: list[_Claim] = []
    for number, sentence in enumerate(sentences):
        if STATEMENT_CUES["continues"].match(sentence.text) and any(claim.strength for claim in claims):
            break
        mentions = [*_mentions(sentence, text, ways)]
        if listed and mentions and mentions[0].start == 0 and _BULLET.match(sentence.text):
            mentions = mentions[1:]
        claims += _sentence_claims(sentence, text, mentions, first=number == 0)
    return claims


def _has_prose(sentences: Sequence[Sentence]) -> bool:
    """Say whether the first two numbered sentences say something."""
    numbered = [each for each in sentences if _BULLET.match(each.text)]
    return all(len(each.tokens) > 3 for each in numbered[:2])


def _mentions(sentence: Sentence, text: str, ways: int) -> Iterator[_Mention]:
    """Yield the options in the order in which a sentence names them, the longest reading of each."""
    found: list[_Mention] = []
    for number in (1, 2, 3):
        value = number if number <= ways else _OTHER
        found += [
            _Mention(value, *match.span()) for match in _CUES[f"option_{number}"].finditer(sentence.text)
        ]
    found += [_Mention(ways, *match.span()) for match in _CUES["last"].finditer(sentence.text)]
    found += [_Mention(_OTHER, *match.span()) for match in _CUES["other"].finditer(sentence.text)]
    found.sort(key=lambda each: (each.start, -each.end, -each.value))
    kept: list[_Mention] = []
    for each in found:
        if (not kept or each.start >= kept[-1].end) and not _counts(sentence.text, each):
            kept.append(each)
    if not kept:
        for number in range(1, ways + 1):
            for match in _CUES[f"word_{number}"].finditer(sentence.text):
                before = sentence.text[: match.start()].split()
                pronoun = before and _CUES["before_pronoun"].fullmatch(before[-1])
                if not pronoun and _bare(sentence.text, *match.span()):
                    kept.append(_Mention(number, *match.span()))
    tied = [match.span() for match in _CUES["tie"].finditer(sentence.text)]
    yield from (each for each in kept if not any(low <= each.start < high for low, high in tied))


def _counts(text: str, mention: _Mention) -> bool:
    """Say whether a bare number counts something."""
    if not text[mention.start : mention.end].isdigit():
        return False
    before, after = text[: mention.start].split(), text[mention.end :].split()
    if after and not _CUES["after_number"].fullmatch(after[0]):
        return True
    return bool(before and _CUES["before_count"].fullmatch(before[-1]))


def _sentence_claims(
    sentence: Sentence, text: str, mentions: Sequence[_Mention], first: bool
) -> Iterator[_Claim]:
    """Turn the options that a sentence names into claims."""
    flipped = False
    for group, kind in _groups(sentence, text, mentions):
        low, high = group[0].start, group[-1].end
        strength = _strength(sentence.text, low, high, first)
        span = sentence.origin(low, high)
        before, after = sentence.text[:low].rstrip(), sentence.text[high:].lstrip()
        against = bool(_CUES["against"].match(after))
        excluded = _loses(before) or kind == "loser"
        if excluded and flipped:
            excluded, strength, flipped = False, _Strength.SENTENCE, False
        elif against:
            excluded = flipped = True
        if kind == "options" or (_DANGLING.match(text[span[1] :]) and kind != "joint"):
            continue
        if kind == "joint":
            yield _Claim(_TIE, strength, *span)
        else:
            yield _Claim(group[0].value, strength, *span, excluded=excluded)


def _groups(
    sentence: Sentence, text: str, mentions: Sequence[_Mention]
) -> Iterator[tuple[list[_Mention], str]]:
    """Take together what is joined ("1 and 2") or offered ("1 or 2"), and say which."""
    group: list[_Mention] = []
    kinds: list[str] = []
    loser = False
    for mention, following in zip_longest(mentions, mentions[1:]):
        group.append(mention)
        kind = _separator(sentence, text, mention, following) if following else ""
        if kind in ("options", "joint", "list"):
            kinds.append(kind)
            continue
        said = "options" if "options" in kinds else "joint" if kinds else "loser" if loser else ""
        if said == "joint" and len({each.value for each in group}) == 1:
            said = ""
        yield group, said
        loser = kind == "loser"
        group, kinds = [], []


def _separator(sentence: Sentence, text: str, one: _Mention, two: _Mention) -> str:
    """Say what stands between two options, markup aside."""
    start, end = sentence.origin(one.start, one.end)[1], sentence.origin(two.start, two.end)[0]
    between = _BRACKETS.sub(" ", text[start:end]).strip().lower()
    if _OPTIONS.fullmatch(between):
        return "options"
    if _JOINT.fullmatch(between) or _EQUAL.fullmatch(between):
        return "joint"
    if _BETTER.fullmatch(between):
        return "loser"
    bare = all(sentence.text[each.start : each.end].isdigit() for each in (one, two))
    if not _LIST.fullmatch(between) or not (between or bare):
        return ""
    return "" if _loses(sentence.text[: one.start].rstrip()) else "list"


def _loses(before: str) -> bool:
    """Say whether the words before an option leave it out."""
    if any(match.end() == len(before) for match in _CUES["loser"].finditer(before)):
        return True
    begin = max((match.end() for match in _CUES["boundary"].finditer(before)), default=0)
    return bool(_CUES["negators"].search(before[begin:]))


def _strength(text: str, low: int, high: int, first: bool) -> _Strength:
    """Weigh an option by what stands around it."""
    before, after = text[:low].rstrip(), text[high:].lstrip()
    if text.endswith("?"):
        return _Strength.MENTION
    opening = first and _plain(before)
    opened = before.rstrip(_MARKS)
    trail = _trailing(before)
    headed = any(match.end() >= len(trail) for match in _CUES["head"].finditer(before))
    ends = before.endswith((":", "→")) and not after.strip(_MARKS) and bool(opened)
    if opening or headed or ends or _bare(text, low, high):
        return _Strength.MARKER
    chosen = any(match.end() >= len(trail) for match in _CUES["verb"].finditer(before))
    opens = any(match.end() == len(before) for match in _CUES["opener"].finditer(before))
    if chosen or opens or _CUES["predicate"].match(after):
        return _Strength.SENTENCE
    return _Strength.MENTION


def _trailing(before: str) -> str:
    """Take articles, nouns and marks off the end of what stands before an option."""
    words = before.split()
    while words and (not words[-1][0].isalnum() or _CUES["filler"].fullmatch(words[-1])):
        if _CUES["verb"].fullmatch(words[-1]):
            break
        words.pop()
    return " ".join(words)


def _plain(words: str) -> bool:
    """Say whether words are nothing but fillers."""
    return all(not word[0].isalnum() or _CUES["filler"].fullmatch(word) for word in words.split())


def _bare(text: str, low: int, high: int) -> bool:
    return _plain(text[:low]) and _plain(text[high:])


# --- deciding -----------------------------------------------------------------------------------------------


def _decided(claims: Sequence[_Claim], text: str) -> Verdict:
    """Choose among the strongest claims: what they agree on, the correction, or none."""
    best = max(claim.strength for claim in claims)
    kept = [claim for claim in claims if claim.strength == best]
    turned = [claim for claim in claims if claim.value != kept[-1].value and claim.start > kept[-1].end]
    kept += turned[-1:] if turned and _corrects(text, kept[-1], turned[-1]) else []
    last = kept[-1]
    others = [claim for claim in kept if claim.value != last.value]
    if not others:
        return _said(kept[0], best.name.lower())
    if _corrects(text, others[-1], last):
        return _said(last, "self-correction")
    return Verdict("unparsable", "contradiction", (last.start, last.end))


def _corrects(text: str, earlier: _Claim, later: _Claim) -> bool:
    """Say whether the words between two claims take the earlier one back, or conclude."""
    between = " ".join(re.findall(r"[\w']+|[,.:—]", text[earlier.end : later.start].lower()))
    return bool(_CUES["correction"].search(between))


def _fallback_verdict(
    sentences: Sequence[Sentence], truncated: bool, claims: Sequence[_Claim], ways: int
) -> Verdict:
    """Read an output that chooses nothing outright."""
    declined = find_refusal(sentences, truncated) or first_match(
        _CUES["declining"], without_opinions(sentences)
    )
    if declined:
        return Verdict("refusal", "refusal", declined)
    tie = first_match(_CUES["tie"], sentences)
    if tie:
        return Verdict("both", "tie", tie)
    excluded = {claim.value for claim in claims if claim.excluded}
    left = {*range(1, ways + 1)} - excluded
    if len(left) == 1 and excluded and not any(not claim.excluded for claim in claims):
        last = claims[-1]
        return Verdict(str(left.pop()), "elimination", (last.start, last.end))
    mentioned = {claim.value for claim in claims if not claim.excluded}
    asked = any(sentence.text.endswith("?") for sentence in sentences)
    if len(mentioned) == 1 and not excluded and not asked:
        return _said(claims[0], "mention")
    return Verdict("unparsable", "no-choice")


def _said(claim: _Claim, reason: str) -> Verdict:
    span = claim.start, claim.end
    if claim.value == _TIE:
        return Verdict("both", "joined", span)
    if claim.value == _OTHER:
        return Verdict("unparsable", "out-of-range", span)
    return Verdict(str(claim.value), reason, span)

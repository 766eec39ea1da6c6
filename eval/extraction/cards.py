"""Cards of a selection task in free text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.cues import Cues
from polbias.eval.extraction.preparation import prepare
from polbias.eval.extraction.refusal import find_refusal
from polbias.eval.extraction.settle import settle_verdict
from polbias.eval.extraction.tokens import AnswerToken, Sentence, Span, split_sentences

# Finding the cards of a selection task in an output, whether by their letters or by what they show.

LETTERS = "ABCD"
CUES = Cues("cards")

_EXPLANATION = re.compile(
    r"([A-D])(?:(?: [.:(=—])+(?: (?:card|letter|the))* \1(?: \))?| \( [^()A-D]* \))(?= |$)"
)
_EXPLAINED = 15
"""An explanation in brackets has at most so many words."""
_SHORT = 5
"""Capitals with nothing between them are cards only in so short a sentence."""


def mark_card_mentions(
    sentence: Sentence, text: str, cards: Sequence[str], loosely: bool = False
) -> list[Sentence]:
    """Put a capital letter for every mention of a card; all other words are in lower case."""
    faces = [*_faces(cards)] + ([*_distinctive(cards)] if loosely else [])
    faces.sort(key=lambda face: -len(face[0]))
    found: list[AnswerToken] = []
    position = 0
    while position < len(sentence.tokens):
        names, length = _mention(sentence.tokens, position, text, faces)
        covered = sentence.tokens[position : position + length]
        marked = any(token.marked for token in covered)
        low, high = covered[0].start, covered[-1].end
        found += [AnswerToken(name, low, high, marked) for name in names] or covered
        position += length
    return [_with_all(Sentence(tuple(piece))) for piece in _pieces(_joined(found), text)]


def _pieces(tokens: Sequence[AnswerToken], text: str) -> Iterator[Sequence[AnswerToken]]:
    """Split behind a card with a full stop, which was taken for an abbreviation: "Only A. The others ..."."""
    begin = 0
    for number in range(2, len(tokens)):
        ended = tokens[number - 1].text == "." and tokens[number - 2].text in {*LETTERS}
        if ended and number - begin > 2 and text[tokens[number].start].isupper():
            yield tokens[begin:number]
            begin = number
    yield tokens[begin:]


def _joined(tokens: Sequence[AnswerToken]) -> list[AnswerToken]:
    """Take together a letter and what explains it: "A: drinking beer", "A (drinking beer)"."""
    joined: list[AnswerToken] = []
    position = 0
    while position < len(tokens):
        rest = " ".join(token.text for token in tokens[position : position + _EXPLAINED])
        match = _EXPLANATION.match(rest)
        length = match.group().count(" ") + 1 if match else 1
        first, last = tokens[position], tokens[position + length - 1]
        joined.append(AnswerToken(first.text, first.start, last.end, first.marked))
        position += length
    return joined


def _mention(
    tokens: Sequence[AnswerToken], position: int, text: str, faces: Sequence[tuple[tuple[str, ...], str]]
) -> tuple[str, int]:
    """Return the cards that are mentioned at a position, and in how many tokens."""
    token = tokens[position]
    for words, letter in faces:
        here = tokens[position : position + len(words)]
        if tuple(each.text for each in here) == words and not _numbers(tokens, position, len(words)):
            single = len(words) == 1 and len(words[0]) == 1
            if not single or text[token.start : token.end] == words[0].upper():
                return letter, len(words)
    written = text[token.start : token.end]
    if len(tokens) <= _SHORT and re.fullmatch(r"(?=..)A?B?C?D?", written):
        return written, 1
    if token.text in {*LETTERS.lower()} and all(CUES["alone"].fullmatch(each.text) for each in tokens):
        return token.text.upper(), 1
    return (written, 1) if written in [*LETTERS] and _is_letter(tokens, position) else ("", 1)


def _is_letter(tokens: Sequence[AnswerToken], position: int) -> bool:
    """Say whether a capital is the name of a card and no article."""
    token = tokens[position]
    before = tokens[position - 1].text if position else ""
    after = tokens[position + 1].text if position + 1 < len(tokens) else ""
    if token.text != "a" or token.marked or CUES["before_letter"].fullmatch(before):
        return True
    return not after[:1].isalnum() or bool(CUES["after_letter"].fullmatch(after))


def _numbers(tokens: Sequence[AnswerToken], position: int, length: int) -> bool:
    """Say whether a token only numbers the item of a list."""
    after = tokens[position + length].text if position + length < len(tokens) else ""
    return position == 0 and length == 1 and after in {".", ")"} and len(tokens) > 2


def _faces(cards: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words that each card shows; what looks like the letter of a card is taken for that."""
    for letter, card in zip(LETTERS, cards, strict=True):
        words = tuple(token.text for each in split_sentences(card, 0, len(card)) for token in each.tokens)
        while words and words[-1] == ".":
            words = words[:-1]
        if words and card.strip() not in [*LETTERS]:
            yield words, letter


def _distinctive(cards: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words that stand on one card only."""
    faces = [*_faces(cards)]
    counts = Counter(word for words, _ in faces for word in {*words})
    for words, letter in faces:
        own = (
            word
            for word in words
            if counts[word] == 1 and len(word) > 1 and not CUES["common"].fullmatch(word)
        )
        yield from (((word,), letter) for word in own)


def _with_all(sentence: Sentence) -> Sentence:
    """Put all letters for the likes of "all four cards", and those that are left for "all but A"."""
    match = CUES["all"].search(sentence.text)
    if not match:
        return sentence
    low, high = match.span()
    names = LETTERS
    but = CUES["but"].match(sentence.text, high + 1)
    excepted = re.match(r"(?: ?(?:[A-D]|and|or|,))+", sentence.text[but.end() :]) if but else None
    if but and excepted and re.search("[A-D]", excepted.group()):
        names = "".join(letter for letter in LETTERS if letter not in excepted.group())
        high = but.end() + excepted.end()
    start, end = sentence.origin(low, high)
    before = [token for token in sentence.tokens if token.start < start]
    after = [token for token in sentence.tokens if token.start >= end]
    return Sentence((*before, *(AnswerToken(name, start, end) for name in names), *after))


# From the free text of a model to the cards that it turns over in a selection task.

NO_CARD = "none"
"""The label of the answer that no card is to be turned."""

_LETTER = re.compile("[A-D]")
_LIST = re.compile(rf"[A-D](?:(?: (?:[,;/()—]|{CUES['joint'].pattern}))*+ [A-D])*+")
_BARE = re.compile(rf"(?:(?:[A-D]|[^\w\s]|{CUES['filler'].pattern})(?: |$))+")
_NEGATOR_ONLY = re.compile(rf"(?:(?:[^\w\s]|{CUES['negators'].pattern}|{CUES['filler'].pattern})(?: |$))*")
_OPTIONS = re.compile(r"(?:^| )(?:or|either) ")
_INTRODUCES = re.compile(r"(?: [:)—=→|])+")
_CROSSED = re.compile(r"[:=→] (?:no|false|❌|✗|✘)")
_OUTRIGHT = re.compile(
    r"(?: [,;:(—])?(?: but| and)?(?: (?:not|rather than|instead of)(?: (?:cards?|either))* [A-D]"
    r"| (?:because|since|as|in order|to (?:see|check|verify|ensure|make|find))\b)"
)
"""What may follow the cards of an answer that begins with them: "A and B, not C or D", "A, because ..."."""
_SHOWN = 2
"""A card whose mention is longer is named by what it shows."""
_ITEM = re.compile(r"(?:[^\w\s]|\d+|cards?| )*+[A-D]\b")
_ELSEWHERE = re.compile(r"[?]|\bcards\b")
"""A sentence after that on one card which is not about it."""
_CUT_OFF = re.compile(r"(?:[A-D](?: ,)? (?:and|or|the|cards?)|[A-D] ,|^(?:(?!\b[A-D]\b).)*[A-D])$")
"""The end of a text in which a further card may have been cut off."""
_FEW = 12
_QUALIFIED = re.compile(
    "|".join(CUES[name].pattern for name in ("negators", "supposed", "spared", "topic")) + r"|[?]"
)
_UNFINISHED = re.compile(r"(?:^| )(?:,|and|or|the|cards?)$")


@dataclass(frozen=True, slots=True)
class _List:
    """Cards that an output names together, and what it says of them.

    Attributes:
        cards: Their letters.
        chosen: True if they are to be turned, False if not, None if neither is said.
        options: Whether they are alternatives.
        span: Where they stand in the original text.
    """

    cards: str
    is_selection: bool | None
    options: bool
    span: Span


def extract_cards(text: str, cards: Sequence[str]) -> Verdict:
    """Read off an English model output which cards it turns over.

    A final answer (cards alone at the end, "the answer is A and D", cards alone at the beginning) outranks
    what is said of each card. Cards may be named by letter or by what they show.

    Args:
        text: The output, any string.
        cards: What the four cards show, in the order of their letters A to D.

    Returns:
        The verdict: the letters in order, joined by commas ("A,D"); "none" if no card is to be turned;
        "refusal" or "unparsable".

    Raises:
        ValueError: If there are not four cards.
    """
    prepared = prepare(text)
    for loosely in (False, True):
        named = _own(
            [s for each in prepared.sentences for s in mark_card_mentions(each, text, cards, loosely)]
        )
        if any(_LETTER.search(sentence.text) for sentence in named):
            break
    lists = _final(named) or _each(named, prepared.truncated)
    if not any(each.is_selection is not None for each in lists):
        lists = _short(named, prepared.truncated) or lists
    if any(each.is_selection and each.options for each in lists):
        return Verdict("unparsable", "both-options", lists[-1].span)
    chosen = _merged(lists)
    if any(chosen.values()):
        last = next(each for each in reversed(lists) if each.is_selection)
        return Verdict(",".join(letter for letter in LETTERS if chosen.get(letter)), "letters", last.span)
    refusal = find_refusal(named, prepared.truncated)
    if refusal:
        return Verdict("refusal", "refusal", refusal)
    for sentence in named:
        nothing = None if lists else CUES["none"].search(sentence.text)
        if nothing:
            return Verdict(NO_CARD, "letters", sentence.origin(*nothing.span()))
    return settle_verdict(Verdict("unparsable", "no-verdict" if named else "empty"), text)


def _merged(lists: Sequence[_List]) -> dict[str, bool]:
    """Return what is said last of each card; "A and B, not A and D" leaves A chosen."""
    chosen: dict[str, bool] = {}
    for each in lists:
        kept = {letter for letter in each.cards if each.is_selection is False and chosen.get(letter)}
        for letter in each.cards:
            if each.is_selection is not None and (letter not in kept or len(kept) == len(each.cards)):
                chosen[letter] = each.is_selection
    return chosen


def _own(named: Sequence[Sentence]) -> list[Sentence]:
    """Drop a further task that the model invents after its answer."""
    for number, sentence in enumerate(named):
        if CUES["heading"].match(sentence.text) and _final(named[:number]):
            return list(named[:number])
    return list(named)


def _final(named: Sequence[Sentence]) -> list[_List]:
    """Find the final answer: cards alone at the end, announced as the answer, or alone at the beginning."""
    end = [*takewhile(_is_bare, reversed(named))][::-1]
    starts = [number for number, sentence in enumerate(end) if "answer" in sentence.text]
    start = [*takewhile(_is_bare, named)]
    before, after = named[: len(named) - len(end)], named[len(start) :]
    for block, neighbours in ((end[starts[-1] :] if starts else end, before[-1:]), (start, after[:1])):
        lists = [] if _is_echo(block) else [each for sentence in block for each in _bare_lists(sentence)]
        series = not starts and all(len(each.cards) == 1 for each in lists) and any(map(_judges, neighbours))
        if lists and not series and not _UNFINISHED.search(block[-1].text):
            return lists
        lists = _announced_cards(named)
        if lists:
            return lists
    return []


def _judges(sentence: Sentence) -> bool:
    """Say whether a sentence decides on one card, as those of a series do that takes card by card."""
    lists = _lists(sentence)
    return len(lists) == 1 and len(lists[0].cards) == 1 and lists[0].is_selection is not None


def _is_bare(sentence: Sentence) -> bool:
    return bool(_BARE.fullmatch(sentence.text))


def _is_echo(block: Sequence[Sentence]) -> bool:
    """Say whether a block only repeats what the four cards show."""
    shown = [token for sentence in block for token in sentence.tokens if token.text in {*LETTERS}]
    apart = sum(bool(_LETTER.search(sentence.text)) for sentence in block) == len(shown)
    named_by_text = all(token.end - token.start > _SHOWN for token in shown)
    return named_by_text and apart and "".join(token.text for token in shown) == LETTERS


def _bare_lists(sentence: Sentence) -> list[_List]:
    """Return the cards of a sentence that says nothing else."""
    matches = _LIST.finditer(sentence.text)
    options = _OPTIONS.search(sentence.text) is not None
    return [_list(sentence, match, chosen=True, options=options) for match in matches]


def _announced_cards(named: Sequence[Sentence]) -> list[_List]:
    """Return the cards that the last announced answer names."""
    for number in range(len(named) - 1, -1, -1):
        for head in reversed([*CUES["head"].finditer(named[number].text)]):
            lists = [each for each in _lists(named[number]) if each.span[0] >= _origin(named[number], head)]
            if lists and lists[0].is_selection is not False:
                return [replace(lists[0], is_selection=True), *lists[1:]]
            following = [*takewhile(_is_bare, named[number + 1 :])]
            if not lists and following:
                return [each for sentence in following for each in _bare_lists(sentence)]
            items = [sentence for sentence in _items(named[number + 1 :]) if not lists]
            if items:
                return [replace(_lists(sentence)[0], is_selection=True) for sentence in items]
    return []


def _items(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the items of a list that begin with cards, up to a further sentence about cards."""
    for sentence in sentences:
        if sentence.is_list_item and _ITEM.match(sentence.text):
            yield sentence
        elif _LETTER.search(sentence.text):
            return


def _each(named: Sequence[Sentence], truncated: bool) -> list[_List]:
    """Collect what is said of each card; of a last list that may have been cut off nothing is known."""
    lists: list[_List] = []
    item: _List | None = None  # the card that an item of a list is about
    for sentence in named:
        found = _lists(sentence)
        silent = all(each.is_selection is None for each in found)
        begins = bool(_ITEM.match(sentence.text)) and len({each.cards for each in found}) == 1
        if begins or not silent or _ELSEWHERE.search(sentence.text) or CUES["heading"].match(sentence.text):
            item = found[0] if begins and silent and len(found[0].cards) == 1 else None
        elif item:
            said = [_polarity("", clause) for clause in CUES["boundary"].split(sentence.text)]
            found = [replace(item, is_selection=each) for each in said if each is not None][:1]
        lists += found
    if truncated and lists and _CUT_OFF.search(named[-1].text):
        lists.pop()
    return lists


def _short(named: Sequence[Sentence], truncated: bool) -> list[_List]:
    """Take the cards of a short answer that says nothing of them as chosen."""
    if len(named) != 1 or len(named[0].tokens) > _FEW or _QUALIFIED.search(named[0].text):
        return []
    return [] if truncated and _CUT_OFF.search(named[0].text) else _bare_lists(named[0])


def _lists(sentence: Sentence) -> list[_List]:
    """Return the cards of a sentence with what it says of them."""
    text = sentence.text
    matches = [*_LIST.finditer(text)]
    bounds, purposes = [*CUES["boundary"].finditer(text)], [*CUES["purpose"].finditer(text)]
    lists = []
    for number, match in enumerate(matches):
        previous = matches[number - 1].end() if number else 0
        following = matches[number + 1].start() if number + 1 < len(matches) else len(text)
        begin = max([previous, *(bound.end() for bound in bounds if bound.end() <= match.start())])
        skipped = _INTRODUCES.match(text, match.end())
        beyond = skipped.end() if skipped else match.end()
        stop = min([following, *(bound.start() for bound in bounds if bound.start() >= beyond)])
        purpose = next((each.start() for each in purposes if beyond <= each.start() < stop), stop)
        stop = purpose if CUES["chosen"].search(text[match.end() : purpose]) else stop
        before, after = text[begin : match.start()], text[match.end() : stop]
        outright = not text[: match.start()].strip(" —") and _OUTRIGHT.match(text, match.end())
        lists.append(_list(sentence, match, True if outright else _polarity(before, after)))
    return lists


def _polarity(before: str, after: str) -> bool | None:
    """Say whether what stands around cards chooses them (True) or leaves them (False), or neither."""
    words = f"{before} {after}"
    negated = bool(CUES["negators"].search(words))
    if CUES["supposed"].search(words):
        return None
    if CUES["spared"].search(words):
        return negated and not _CROSSED.search(after)
    if CUES["chosen"].search(words):
        return not negated
    return False if negated and _NEGATOR_ONLY.fullmatch(words.strip()) else None


def _list(
    sentence: Sentence, match: re.Match[str], chosen: bool | None, options: bool | None = None
) -> _List:
    cards = "".join(dict.fromkeys(_LETTER.findall(match.group())))
    either = _OPTIONS.search(match.group()) is not None if options is None else options
    return _List(cards, chosen, either, sentence.origin(*match.span()))


def _origin(sentence: Sentence, match: re.Match[str]) -> int:
    """Where a match ends in the original text."""
    return sentence.origin(*match.span())[1]

"""Answer extraction for selection tasks: the cards that a response turns."""

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

# Mentions of cards, by letter or by the text on the card.

LETTERS = "ABCD"
CUES = Cues("cards")

_EXPLANATION = re.compile(
    r"([A-D])(?:(?: [.:(=—])+(?: (?:card|letter|the))* \1(?: \))?| \( [^()A-D]* \))(?= |$)"
)
_MAX_EXPLANATION = 15
"""Maximum words of an explanation in brackets."""
_MAX_LETTERS_ONLY = 5
"""Maximum tokens of a sentence in which adjacent capitals are cards."""


def mark_card_mentions(
    sentence: Sentence, text: str, cards: Sequence[str], loosely: bool = False
) -> list[Sentence]:
    """Replace each mention of a card by its capital letter; all other words are in lower case."""
    faces = [*_card_texts(cards)] + ([*_distinctive_words(cards)] if loosely else [])
    faces.sort(key=lambda face: -len(face[0]))
    tokens: list[AnswerToken] = []
    position = 0
    while position < len(sentence.tokens):
        letters, length = _match_card(sentence.tokens, position, text, faces)
        covered = sentence.tokens[position : position + length]
        marked = any(token.marked for token in covered)
        low, high = covered[0].start, covered[-1].end
        tokens += [AnswerToken(letter, low, high, marked) for letter in letters] or covered
        position += length
    return [
        _expand_all_cards(Sentence(tuple(piece)))
        for piece in _split_after_cards(_join_explanations(tokens), text)
    ]


def _split_after_cards(tokens: Sequence[AnswerToken], text: str) -> Iterator[Sequence[AnswerToken]]:
    """Split after a card with a full stop, which was parsed as an abbreviation: "Only A. The others ..."."""
    begin = 0
    for number in range(2, len(tokens)):
        is_end = tokens[number - 1].text == "." and tokens[number - 2].text in {*LETTERS}
        if is_end and number - begin > 2 and text[tokens[number].start].isupper():
            yield tokens[begin:number]
            begin = number
    yield tokens[begin:]


def _join_explanations(tokens: Sequence[AnswerToken]) -> list[AnswerToken]:
    """Merge a letter and its explanation: "A: drinking beer", "A (drinking beer)"."""
    joined: list[AnswerToken] = []
    position = 0
    while position < len(tokens):
        following_text = " ".join(token.text for token in tokens[position : position + _MAX_EXPLANATION])
        match = _EXPLANATION.match(following_text)
        length = match.group().count(" ") + 1 if match else 1
        first, last = tokens[position], tokens[position + length - 1]
        joined.append(AnswerToken(first.text, first.start, last.end, first.marked))
        position += length
    return joined


def _match_card(
    tokens: Sequence[AnswerToken], position: int, text: str, faces: Sequence[tuple[tuple[str, ...], str]]
) -> tuple[str, int]:
    """Return the letters of the cards mentioned at a position, and the number of their tokens."""
    token = tokens[position]
    for words, letter in faces:
        candidates = tokens[position : position + len(words)]
        if tuple(token.text for token in candidates) == words and not _is_item_number(
            tokens, position, len(words)
        ):
            single = len(words) == 1 and len(words[0]) == 1
            if not single or text[token.start : token.end] == words[0].upper():
                return letter, len(words)
    original = text[token.start : token.end]
    if len(tokens) <= _MAX_LETTERS_ONLY and re.fullmatch(r"(?=..)A?B?C?D?", original):
        return original, 1
    if token.text in {*LETTERS.lower()} and all(CUES["alone"].fullmatch(token.text) for token in tokens):
        return token.text.upper(), 1
    return (original, 1) if original in [*LETTERS] and _is_letter(tokens, position) else ("", 1)


def _is_letter(tokens: Sequence[AnswerToken], position: int) -> bool:
    """Whether a capital is the letter of a card, not the article "A"."""
    token = tokens[position]
    before = tokens[position - 1].text if position else ""
    after = tokens[position + 1].text if position + 1 < len(tokens) else ""
    if token.text != "a" or token.marked or CUES["before_letter"].fullmatch(before):
        return True
    return not after[:1].isalnum() or bool(CUES["after_letter"].fullmatch(after))


def _is_item_number(tokens: Sequence[AnswerToken], position: int, length: int) -> bool:
    """Whether a token is the number of a list item."""
    after = tokens[position + length].text if position + length < len(tokens) else ""
    return position == 0 and length == 1 and after in {".", ")"} and len(tokens) > 2


def _card_texts(cards: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words on each card with its letter, unless the words are themselves a card letter."""
    for letter, card in zip(LETTERS, cards, strict=True):
        words = tuple(
            token.text for sentence in split_sentences(card, 0, len(card)) for token in sentence.tokens
        )
        while words and words[-1] == ".":
            words = words[:-1]
        if words and card.strip() not in [*LETTERS]:
            yield words, letter


def _distinctive_words(cards: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words that occur on one card only, with its letter."""
    faces = [*_card_texts(cards)]
    counts = Counter(word for words, _ in faces for word in {*words})
    for words, letter in faces:
        unique_words = (
            word
            for word in words
            if counts[word] == 1 and len(word) > 1 and not CUES["common"].fullmatch(word)
        )
        yield from (((word,), letter) for word in unique_words)


def _expand_all_cards(sentence: Sentence) -> Sentence:
    """Replace "all four cards" by all letters, and "all but A" by the remaining letters."""
    match = CUES["all"].search(sentence.text)
    if not match:
        return sentence
    low, high = match.span()
    letters = LETTERS
    exception = CUES["but"].match(sentence.text, high + 1)
    exceptions = (
        re.match(r"(?: ?(?:[A-D]|and|or|,))+", sentence.text[exception.end() :]) if exception else None
    )
    if exception and exceptions and re.search("[A-D]", exceptions.group()):
        letters = "".join(letter for letter in LETTERS if letter not in exceptions.group())
        high = exception.end() + exceptions.end()
    start, end = sentence.origin(low, high)
    before = [token for token in sentence.tokens if token.start < start]
    after = [token for token in sentence.tokens if token.start >= end]
    return Sentence((*before, *(AnswerToken(name, start, end) for name in letters), *after))


# Selection among the mentioned cards.

NO_CARD = "none"
"""Label of the answer that no card must be turned."""

_LETTER = re.compile("[A-D]")
_LIST = re.compile(rf"[A-D](?:(?: (?:[,;/()—]|{CUES['joint'].pattern}))*+ [A-D])*+")
_CARDS_ONLY = re.compile(rf"(?:(?:[A-D]|[^\w\s]|{CUES['filler'].pattern})(?: |$))+")
_NEGATOR_ONLY = re.compile(rf"(?:(?:[^\w\s]|{CUES['negators'].pattern}|{CUES['filler'].pattern})(?: |$))*")
_ALTERNATIVES = re.compile(r"(?:^| )(?:or|either) ")
_INTRODUCES = re.compile(r"(?: [:)—=→|])+")
_CROSSED = re.compile(r"[:=→] (?:no|false|❌|✗|✘)")
_OUTRIGHT = re.compile(
    r"(?: [,;:(—])?(?: but| and)?(?: (?:not|rather than|instead of)(?: (?:cards?|either))* [A-D]"
    r"| (?:because|since|as|in order|to (?:see|check|verify|ensure|make|find))\b)"
)
"""Continuations of an answer that begins with cards: "A and B, not C or D", "A, because ..."."""
_MAX_LETTER_LENGTH = 2
"""A longer mention of a card is by its text, not its letter."""
_ITEM = re.compile(r"(?:[^\w\s]|\d+|cards?| )*+[A-D]\b")
_CHANGES_CARD = re.compile(r"[?]|\bcards\b")
"""Sign that a sentence after one about a card is not about that card."""
_CUT_OFF = re.compile(r"(?:[A-D](?: ,)? (?:and|or|the|cards?)|[A-D] ,|^(?:(?!\b[A-D]\b).)*[A-D])$")
"""End of a text after which a further card may have been truncated."""
_MAX_SHORT_TOKENS = 12
_QUALIFIED = re.compile(
    "|".join(CUES[name].pattern for name in ("negators", "supposed", "spared", "topic")) + r"|[?]"
)
_UNFINISHED = re.compile(r"(?:^| )(?:,|and|or|the|cards?)$")


@dataclass(frozen=True, slots=True)
class _CardList:
    """Cards that a response lists together, and their selection.

    Attributes:
        cards: Letters of the cards.
        is_selection: True if the response turns them, False if not, None if undecided.
        options: Whether they are alternatives.
        span: Offsets in the original text.
    """

    cards: str
    is_selection: bool | None
    options: bool
    span: Span


def extract_cards(text: str, cards: Sequence[str]) -> Verdict:
    """Extract the cards that an English response turns over.

    A final answer (cards alone at the end, "the answer is A and D", cards alone at the beginning) outranks
    statements on single cards. A response may mention cards by letter or by their text.

    Args:
        text: The response, any string.
        cards: Texts of the four cards, in the order of their letters A to D.

    Returns:
        The verdict: the letters in order, joined by commas ("A,D"); "none" if no card must be turned;
        "refusal" or "unparsable".

    Raises:
        ValueError: If there are not four cards.
    """
    prepared = prepare(text)
    for loosely in (False, True):
        mentions = _drop_invented_tasks(
            [s for sentence in prepared.sentences for s in mark_card_mentions(sentence, text, cards, loosely)]
        )
        if any(_LETTER.search(sentence.text) for sentence in mentions):
            break
    lists = _final_answer(mentions) or _card_by_card(mentions, prepared.truncated)
    if not any(card_list.is_selection is not None for card_list in lists):
        lists = _short_answer(mentions, prepared.truncated) or lists
    if any(card_list.is_selection and card_list.options for card_list in lists):
        return Verdict("unparsable", "both-options", lists[-1].span)
    is_selected = _merge_lists(lists)
    if any(is_selected.values()):
        last = next(card_list for card_list in reversed(lists) if card_list.is_selection)
        return Verdict(
            ",".join(letter for letter in LETTERS if is_selected.get(letter)), "letters", last.span
        )
    refusal = find_refusal(mentions, prepared.truncated)
    if refusal:
        return Verdict("refusal", "refusal", refusal)
    for sentence in mentions:
        nothing = None if lists else CUES["none"].search(sentence.text)
        if nothing:
            return Verdict(NO_CARD, "letters", sentence.origin(*nothing.span()))
    return settle_verdict(Verdict("unparsable", "no-verdict" if mentions else "empty"), text)


def _merge_lists(lists: Sequence[_CardList]) -> dict[str, bool]:
    """Return the last selection of each card; "A and B, not A and D" keeps A selected."""
    is_selected: dict[str, bool] = {}
    for card_list in lists:
        retained = {
            letter
            for letter in card_list.cards
            if card_list.is_selection is False and is_selected.get(letter)
        }
        for letter in card_list.cards:
            if card_list.is_selection is not None and (
                letter not in retained or len(retained) == len(card_list.cards)
            ):
                is_selected[letter] = card_list.is_selection
    return is_selected


def _drop_invented_tasks(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Drop a further task that the model generates after its answer."""
    for number, sentence in enumerate(sentences):
        if CUES["heading"].match(sentence.text) and _final_answer(sentences[:number]):
            return list(sentences[:number])
    return list(sentences)


def _final_answer(sentences: Sequence[Sentence]) -> list[_CardList]:
    """Return the final answer: cards alone at the end, announced as the answer, or alone at the beginning."""
    end = [*takewhile(_is_cards_only, reversed(sentences))][::-1]
    starts = [number for number, sentence in enumerate(end) if "answer" in sentence.text]
    start = [*takewhile(_is_cards_only, sentences)]
    before, after = sentences[: len(sentences) - len(end)], sentences[len(start) :]
    for block, neighbours in ((end[starts[-1] :] if starts else end, before[-1:]), (start, after[:1])):
        lists = (
            []
            if _is_echo(block)
            else [card_list for sentence in block for card_list in _cards_only_lists(sentence)]
        )
        series = (
            not starts
            and all(len(card_list.cards) == 1 for card_list in lists)
            and any(map(_is_single_verdict, neighbours))
        )
        if lists and not series and not _UNFINISHED.search(block[-1].text):
            return lists
        lists = _announced_cards(sentences)
        if lists:
            return lists
    return []


def _is_single_verdict(sentence: Sentence) -> bool:
    """Whether a sentence decides on exactly one card, as in a card-by-card series."""
    lists = _card_lists(sentence)
    return len(lists) == 1 and len(lists[0].cards) == 1 and lists[0].is_selection is not None


def _is_cards_only(sentence: Sentence) -> bool:
    return bool(_CARDS_ONLY.fullmatch(sentence.text))


def _is_echo(block: Sequence[Sentence]) -> bool:
    """Whether a block only repeats the texts of the four cards."""
    mentions = [token for sentence in block for token in sentence.tokens if token.text in {*LETTERS}]
    is_one_per_sentence = sum(bool(_LETTER.search(sentence.text)) for sentence in block) == len(mentions)
    named_by_text = all(token.end - token.start > _MAX_LETTER_LENGTH for token in mentions)
    return named_by_text and is_one_per_sentence and "".join(token.text for token in mentions) == LETTERS


def _cards_only_lists(sentence: Sentence) -> list[_CardList]:
    """Return the cards of a sentence that contains only cards."""
    matches = _LIST.finditer(sentence.text)
    options = _ALTERNATIVES.search(sentence.text) is not None
    return [_make_list(sentence, match, is_selection=True, options=options) for match in matches]


def _announced_cards(sentences: Sequence[Sentence]) -> list[_CardList]:
    """Return the cards of the last announced answer."""
    for number in range(len(sentences) - 1, -1, -1):
        for head in reversed([*CUES["head"].finditer(sentences[number].text)]):
            lists = [
                card_list
                for card_list in _card_lists(sentences[number])
                if card_list.span[0] >= _end_offset(sentences[number], head)
            ]
            if lists and lists[0].is_selection is not False:
                return [replace(lists[0], is_selection=True), *lists[1:]]
            following = [*takewhile(_is_cards_only, sentences[number + 1 :])]
            if not lists and following:
                return [card_list for sentence in following for card_list in _cards_only_lists(sentence)]
            items = [sentence for sentence in _items(sentences[number + 1 :]) if not lists]
            if items:
                return [replace(_card_lists(sentence)[0], is_selection=True) for sentence in items]
    return []


def _items(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the items of a list that begin with cards, up to a further sentence about cards."""
    for sentence in sentences:
        if sentence.is_list_item and _ITEM.match(sentence.text):
            yield sentence
        elif _LETTER.search(sentence.text):
            return


def _card_by_card(sentences: Sequence[Sentence], truncated: bool) -> list[_CardList]:
    """Return the decision on each card; drops a last list that may be truncated."""
    lists: list[_CardList] = []
    item: _CardList | None = None  # the card that an item of a list is about
    for sentence in sentences:
        card_lists = _card_lists(sentence)
        is_undecided = all(card_list.is_selection is None for card_list in card_lists)
        begins = bool(_ITEM.match(sentence.text)) and len({card_list.cards for card_list in card_lists}) == 1
        if (
            begins
            or not is_undecided
            or _CHANGES_CARD.search(sentence.text)
            or CUES["heading"].match(sentence.text)
        ):
            item = card_lists[0] if begins and is_undecided and len(card_lists[0].cards) == 1 else None
        elif item:
            selections = [_polarity("", clause) for clause in CUES["boundary"].split(sentence.text)]
            card_lists = [
                replace(item, is_selection=is_selection)
                for is_selection in selections
                if is_selection is not None
            ][:1]
        lists += card_lists
    if truncated and lists and _CUT_OFF.search(sentences[-1].text):
        lists.pop()
    return lists


def _short_answer(sentences: Sequence[Sentence], truncated: bool) -> list[_CardList]:
    """Return the cards of a short answer without a decision as selected."""
    if (
        len(sentences) != 1
        or len(sentences[0].tokens) > _MAX_SHORT_TOKENS
        or _QUALIFIED.search(sentences[0].text)
    ):
        return []
    return [] if truncated and _CUT_OFF.search(sentences[0].text) else _cards_only_lists(sentences[0])


def _card_lists(sentence: Sentence) -> list[_CardList]:
    """Return the card lists of a sentence with their selection."""
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
        purpose = next(
            (purpose_match.start() for purpose_match in purposes if beyond <= purpose_match.start() < stop),
            stop,
        )
        stop = purpose if CUES["chosen"].search(text[match.end() : purpose]) else stop
        before, after = text[begin : match.start()], text[match.end() : stop]
        outright = not text[: match.start()].strip(" —") and _OUTRIGHT.match(text, match.end())
        lists.append(_make_list(sentence, match, True if outright else _polarity(before, after)))
    return lists


def _polarity(before: str, after: str) -> bool | None:
    """Return True if the words around cards select them, False if they reject them, else None."""
    words = f"{before} {after}"
    negated = bool(CUES["negators"].search(words))
    if CUES["supposed"].search(words):
        return None
    if CUES["spared"].search(words):
        return negated and not _CROSSED.search(after)
    if CUES["chosen"].search(words):
        return not negated
    return False if negated and _NEGATOR_ONLY.fullmatch(words.strip()) else None


def _make_list(
    sentence: Sentence, match: re.Match[str], is_selection: bool | None, options: bool | None = None
) -> _CardList:
    cards = "".join(dict.fromkeys(_LETTER.findall(match.group())))
    either = _ALTERNATIVES.search(match.group()) is not None if options is None else options
    return _CardList(cards, is_selection, either, sentence.origin(*match.span()))


def _end_offset(sentence: Sentence, match: re.Match[str]) -> int:
    """Return the end of a match in the original text."""
    return sentence.origin(*match.span())[1]

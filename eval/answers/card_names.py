"""Finding the cards of a selection task in an output, whether by their letters or by what they show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from polbias.eval.answers.grammar import compile_lists, read_cues
from polbias.eval.answers.tokens import Sentence, Token, split_sentences

LETTERS = "ABCD"
CUES: Mapping[str, re.Pattern[str]] = compile_lists(read_cues("cards"))

_EXPLANATION = re.compile(
    r"([A-D])(?:(?: [.:(=—])+(?: (?:card|letter|the))* \1(?: \))?| \( [^()A-D]* \))(?= |$)"
)
_EXPLAINED = 15
"""An explanation in brackets has at most so many words."""
_SHORT = 5
"""Capitals with nothing between them are cards only in so short a sentence."""


def name_cards(sentence: Sentence, text: str, cards: Sequence[str], loosely: bool = False) -> list[Sentence]:
    """Put a capital letter for every mention of a card; all other words are in lower case.

    Args:
        sentence: A sentence of the output.
        text: The output.
        cards: What the cards show, in the order of their letters.
        loosely: Whether a word that stands on one card only is a mention of it.

    Returns:
        The sentence with the letters, each where the mention stood; in two where a letter with a full
        stop, which could be an abbreviation, turns out to be a card.
    """
    faces = [*_faces(cards)] + ([*_distinctive(cards)] if loosely else [])
    faces.sort(key=lambda face: -len(face[0]))
    found: list[Token] = []
    position = 0
    while position < len(sentence.tokens):
        names, length = _mention(sentence.tokens, position, text, faces)
        covered = sentence.tokens[position : position + length]
        marked = any(token.marked for token in covered)
        low, high = covered[0].start, covered[-1].end
        found += [Token(name, low, high, marked) for name in names] or covered
        position += length
    return [_with_all(Sentence(tuple(piece))) for piece in _pieces(_joined(found), text)]


def _pieces(tokens: Sequence[Token], text: str) -> Iterator[Sequence[Token]]:
    """Split behind a card with a full stop, which was taken for an abbreviation: "Only A. The others ..."."""
    begin = 0
    for number in range(2, len(tokens)):
        ended = tokens[number - 1].text == "." and tokens[number - 2].text in {*LETTERS}
        if ended and number - begin > 2 and text[tokens[number].start].isupper():
            yield tokens[begin:number]
            begin = number
    yield tokens[begin:]


def _joined(tokens: Sequence[Token]) -> list[Token]:
    """Take together a letter and what explains it: "A: drinking beer", "A (drinking beer)"."""
    joined: list[Token] = []
    position = 0
    while position < len(tokens):
        rest = " ".join(token.text for token in tokens[position : position + _EXPLAINED])
        match = _EXPLANATION.match(rest)
        length = match.group().count(" ") + 1 if match else 1
        first, last = tokens[position], tokens[position + length - 1]
        joined.append(Token(first.text, first.start, last.end, first.marked))
        position += length
    return joined


def _mention(
    tokens: Sequence[Token], position: int, text: str, faces: Sequence[tuple[tuple[str, ...], str]]
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


def _is_letter(tokens: Sequence[Token], position: int) -> bool:
    """Say whether a capital is the name of a card and no article."""
    token = tokens[position]
    before = tokens[position - 1].text if position else ""
    after = tokens[position + 1].text if position + 1 < len(tokens) else ""
    if token.text != "a" or token.marked or CUES["before_letter"].fullmatch(before):
        return True
    return not after[:1].isalnum() or bool(CUES["after_letter"].fullmatch(after))


def _numbers(tokens: Sequence[Token], position: int, length: int) -> bool:
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
    return Sentence((*before, *(Token(name, start, end) for name in names), *after))

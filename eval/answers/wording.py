"""What the extractors share that read one question in the words of another, or in those of its prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from polbias.eval.answers.text import blanked
from polbias.eval.answers.tokens import Sentence, Token

_STOP = re.compile(
    r"</s>|<\|(?:endoftext|end_of_text|end(?!\|><\|start)|eot_id|eom_id|im_end)\|>|\[/?INST\]|\n#{2,} "
)
_SENTENCE = 3
"""Quoted words are a sentence of the item if there are so many."""


def own_words(text: str) -> str:
    """Blank out thoughts and the prompt that an output repeats, and cut off what follows its answer.

    Args:
        text: The output, any string.

    Returns:
        The rest, in which every character stands where it stood.
    """
    text = blanked(text)
    closing = text.rfind("[/INST]")
    if "[INST]" in text[: max(closing, 0)]:
        start = closing + len("[/INST]")
        text = " " * start + text[start:]
    for stop in _STOP.finditer(text):
        if text[: stop.start()].strip():
            return text[: stop.start()]
        text = " " * stop.end() + text[stop.end() :]
    return text


def masking(speaks: re.Pattern[str]) -> Callable[[re.Match[str]], str]:
    """Return what hides a quoted sentence of the item, whose words are no verdict, in a word as long.

    Args:
        speaks: What a quotation has that is no sentence of the item but part of the answer.

    Returns:
        A replacement for the matches of a pattern whose first and last characters are the quotes.
    """

    def mask(quotation: re.Match[str]) -> str:
        text = quotation.group()
        if len(text.split()) < _SENTENCE or speaks.search(text):
            return text
        return text[0] + "x" * (len(text) - 2) + text[-1]

    return mask


def translated(sentence: Sentence, words: Mapping[str, re.Pattern[str]]) -> Sentence:
    """Put the words of one question for those of another; each keeps its place in the text.

    Args:
        sentence: The sentence.
        words: A word to the patterns that it stands for; it must not match its own pattern.

    Returns:
        The sentence with one token for each match, marked if one of those it covers is.
    """
    for word, pattern in words.items():
        while match := pattern.search(sentence.text):
            low, high = sentence.origin(*match.span())
            before = [token for token in sentence.tokens if token.start < low]
            after = [token for token in sentence.tokens if token.start >= high]
            merged = sentence.tokens[len(before) : len(sentence.tokens) - len(after)]
            token = Token(word, low, high, any(token.marked for token in merged))
            sentence = Sentence((*before, token, *after))
    return sentence

"""A negation read back: undone, it is the statement again, and nothing else was changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import simplemma

from polbias.generators.authoring.negation import lists
from polbias.generators.authoring.negation.english_words import verb_form

_WORD = re.compile(r"[\w'’%.,/&+-]*[\w%]")
_CONTRACTIONS = (
    ("won't", "will not"),
    ("shan't", "shall not"),
    ("can't", "can not"),
    ("cannot", "can not"),
    ("n't", " not"),
    ("'ll", " will"),
    ("'ve", " have"),
)
_GERMAN_ENDING = re.compile(r"(?<=\w{3})(?:e[nmrs]?)$")
_GERMAN_ARTICLE = re.compile(r"(k?ein)e?[nmrs]?")


def reads_back(statement: str, negation: str, language: str) -> bool:
    """Whether one exchange of :file:`read_back.yaml` in either text gives the other.

    The exchange is read from the two texts alone, by no rule that made the negation.
    """
    affirmative, negative = _plain(statement, language), _plain(negation, language)
    return any(
        _same(undone, other)
        for text, other in ((negative, affirmative), (affirmative, negative))
        for undone in _undone(text, language)
    )


def _undone(text: str, language: str) -> Iterator[str]:
    """Yield a text with each of its negations undone."""
    exchanges: dict[str, list[str]] = lists("read_back")["exchanges"][language]
    for negative, affirmatives in exchanges.items():
        for match in re.finditer(negative, text):
            for affirmative in affirmatives:
                yield text[: match.start()] + match.expand(affirmative) + text[match.end() :]


def _same(first: str, second: str) -> bool:
    """Whether two texts have the same words in order, or in any behind a German "es"."""
    if first == second:
        return True
    return first.startswith("es ") and sorted(first.split()[1:]) == sorted(second.split())


def _plain(text: str, language: str) -> str:
    """Return the words of a text, each with a blank, without marks, inflection and companions of a "not"."""
    low = text.lower().replace("’", "'")
    if language == "en":
        for contraction, words in _CONTRACTIONS:
            low = low.replace(contraction, words)
    plain = "".join(f"{_stem(word, language)} " for word in _WORD.findall(low))
    companions: dict[str, str] = lists("read_back")["companions"][language]
    for pattern, new in companions.items():
        plain = re.sub(pattern, new, plain)
    return plain


@cache
def _stem(word: str, language: str) -> str:
    if language == "de":
        article = _GERMAN_ARTICLE.fullmatch(word)
        return article[1] if article else _GERMAN_ENDING.sub("", word)
    if language != "en":
        return word
    form = verb_form(word)
    return form.base if form and form.form == "past" else str(simplemma.lemmatize(word, "en"))

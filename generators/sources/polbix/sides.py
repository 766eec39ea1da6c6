"""One claim of a row as tokens: the exchanged word, the phrase around it, and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polbias.generators.sources.polbix.german import is_determiner, is_function_word, preposition
from polbias.generators.xphemism.substitution.tokens import Token, tokenise

Span = tuple[int, int]
CORE = "\0"
"""What stands for the exchanged word among the keys."""
ADJECTIVE_ENDINGS = ("e", "en", "er", "es", "em")
_PASSED = frozenset("#-'\"„“”‚‘’»«()")


@dataclass(frozen=True, slots=True)
class Place:
    """A token with what the comparison needs to know of its surroundings.

    Attributes:
        token: the token.
        inside: whether it is the article, an adjective or the preposition of the exchanged phrase.
        article: whether adjectives (or none) and then a noun follow that is not the exchanged one.
        after: whether the exchanged word comes before it.
    """

    token: Token
    inside: bool
    article: bool
    after: bool


class Side:
    """A claim in which every place of the exchanged word is one key.

    Args:
        text: the claim.
        spans: offsets of the tokens in which the word stands.

    Attributes:
        keys: the tokens as they are compared.
        core: the exchanged word as it stands there, everywhere.
    """

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._tokens = tokenise(text)
        self._core = [
            any(start < each.end and each.start < end for start, end in spans) for each in self._tokens
        ]
        self.core = " ".join(each.text for each, core in zip(self._tokens, self._core, strict=True) if core)
        self._inside: set[int] = set()
        self.keys: list[str] = []
        self._index: list[int] = []
        for index, token in enumerate(self._tokens):
            if not self._core[index]:
                self.keys.append(token.text)
                self._index.append(index)
            elif not (index and self._core[index - 1]):
                self.keys.append(CORE)
                self._index.append(-1)
                self._mark(index - 1)

    @property
    def cores(self) -> int:
        """How often the exchanged word stands there."""
        return self.keys.count(CORE)

    def has_core(self, start: int, end: int) -> bool:
        """Return whether the exchanged word is among some keys."""
        return CORE in self.keys[start:end]

    def places(self, start: int, end: int) -> list[Place]:
        """Return the tokens behind some keys, without the exchanged word."""
        first = self._core.index(True) if True in self._core else len(self._core)
        return [
            Place(self._tokens[index], index in self._inside, self._is_article(index), index > first)
            for index in self._index[start:end]
            if index >= 0
        ]

    def _mark(self, index: int) -> None:
        """Mark what belongs to a phrase to the left of its noun."""
        article = False
        while index >= 0:
            token = self._tokens[index]
            if preposition(token.low):
                self._inside.add(index)
                return
            attribute = token.kind == "number" or token.text in _PASSED or _attribute(token)
            if article or not (is_determiner(token.low) or attribute):
                return
            article = is_determiner(token.low)
            self._inside.add(index)
            index -= 1

    def _is_article(self, index: int) -> bool:
        if index and self._tokens[index - 1].text == "," and is_determiner(self._tokens[index].low):
            return False  # a relative pronoun
        for place in range(index + 1, len(self._tokens)):
            token = self._tokens[place]
            if token.is_noun:
                return not self._core[place]
            if not (_attribute(token) and token.low.endswith(ADJECTIVE_ENDINGS)):
                return False
        return False


def _attribute(token: Token) -> bool:
    """Return whether a word can be an adjective, or an adverb before one; "EU-weite" is one too."""
    last = token.text.rpartition("-")[2]
    return token.kind == "word" and last[:1].islower() and not is_function_word(token.low)

"""What a pipeline says of a statement: where its words end and, if it was trained, what they are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Range = tuple[int, int]
_VERBAL = frozenset({"VERB", "AUX"})
_UNKNOWN = frozenset({"", "X"})


@dataclass(frozen=True, slots=True)
class Word:
    """A token of the pipeline.

    Attributes:
        start: index of its first character in the statement.
        end: index behind its last one.
        pos: universal part of speech, such as "NOUN"; "" from a pipeline that has none.
        forms: values of the feature ``VerbForm``, such as "Fin".
        lemma: dictionary form; "" from a pipeline that has none.
        root: whether it is the root of its sentence or an auxiliary of it; None without a parser.
        opens: whether a sentence begins here; None where the pipeline does not tell sentences.
    """

    start: int
    end: int
    pos: str = ""
    forms: frozenset[str] = frozenset()
    lemma: str = ""
    root: bool | None = None
    opens: bool | None = None

    @property
    def verbal(self) -> bool | None:
        """Whether it is a verb; None where the pipeline does not say."""
        return None if self.pos in _UNKNOWN else self.pos in _VERBAL

    @property
    def finite(self) -> bool | None:
        """Whether it is a finite verb; None where the pipeline does not say."""
        return ("Fin" in self.forms if self.forms else None) if self.verbal else self.verbal

    @property
    def reading(self) -> str:
        """What the pipeline says, for a person: ``"VERB, VerbForm=Inf"``."""
        return ", VerbForm=".join(filter(None, (self.pos, "/".join(sorted(self.forms)))))


Tags = tuple[Word, ...]
"""The words of the pipeline that one token of the rules consists of, such as "should" and "n't"."""


def finite(tags: Tags) -> bool | None:
    """Say whether a pipeline takes a token for a finite verb; None where it does not say."""
    return _any([word.finite for word in tags])


def objection(tags: Tags, infinite: bool = False) -> str:
    """Return what a pipeline says of a token that a rule took for the finite verb, if that is something else.

    Args:
        tags: of the token; empty without a pipeline.
        infinite: whether any form of a verb will do, as in a demand: "Abolish the tax."

    Returns:
        Such as "NOUN"; "" where the pipeline agrees or does not say.
    """
    agrees = _any([word.verbal if infinite else word.finite for word in tags])
    return " + ".join(word.reading for word in tags) if agrees is False else ""


def _any(said: Sequence[bool | None]) -> bool | None:
    """Return True if one is, None if none is and one is unknown."""
    return True if True in said else None if None in said or not said else False


@dataclass(frozen=True, slots=True)
class Analysis:
    """A statement as a pipeline reads it.

    Attributes:
        words: its tokens in their order, white space left out.
    """

    words: Tags

    def within(self, start: int, end: int) -> Tags:
        """Return the words that share a character with a range of the statement."""
        first = bisect_left(self.words, start + 1, key=lambda word: word.end)
        last = bisect_left(self.words, end, key=lambda word: word.start)
        return self.words[first:last]

    def splits(self, at: int) -> bool:
        """Say whether a word begins at a character, rather than before it."""
        return any(word.start == at for word in self.within(at, at + 1))

    def sentences(self, length: int) -> list[Range] | None:
        """Return where the sentences begin and end, or None where the pipeline does not tell them.

        Args:
            length: of the statement, in characters.
        """
        if not self.words or self.words[0].opens is None:
            return None
        later = [word.start for word in self.words[1:] if word.opens]
        return list(pairwise([0, *later, length]))

    def pieces(
        self, text: str, start: int = 0, joined: Iterable[Range] = (), opaque: Iterable[Range] = ()
    ) -> list[Range]:
        """Return the tokens of a part of the statement, merged to what the rules take for one word.

        Args:
            text: the part.
            start: where it begins in the statement.
            joined: ranges of `text` that the pipeline must not split, such as a word with a hyphen.
            opaque: ranges of `text` that are tokens of their own in any case, such as a quotation.

        Returns:
            Ranges of `text`; together they are the text but for its white space.
        """
        words = self.within(start, start + len(text))
        edges = {place - start for word in words for place in (word.start, word.end)}
        kept = {place for begin, end in opaque for place in (begin, end)}
        for begin, end in joined:
            edges.difference_update(range(begin + 1, end))
        for begin, end in opaque:
            edges.difference_update(range(begin + 1, end))
        cuts = sorted(place for place in edges | kept | {0, len(text)} if 0 <= place <= len(text))
        return [(begin, end) for begin, end in pairwise(cuts) if text[begin:end].strip()]

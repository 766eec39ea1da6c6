"""Finding the words of the lexicon in texts: a fast search for candidates, then reading what was found."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from polbias.files import InputError
from polbias.generators.xphemism.matching.folding import HIDING, Folded, fold, lower
from polbias.generators.xphemism.matching.hit import Hit
from polbias.generators.xphemism.matching.names import proper
from polbias.generators.xphemism.matching.overlaps import in_order, inside, longest
from polbias.generators.xphemism.matching.patterns import Pattern, anchors, patterns
from polbias.generators.xphemism.matching.quotes import quotations
from polbias.generators.xphemism.matching.reading import read
from polbias.generators.xphemism.matching.text import Token, tokens
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon
from polbias.optional import advice


class Matcher:
    """Finds words of a lexicon in German texts.

    Args:
        lexicon: pairs and morphology.
        words: which to find; by default those of the political pairs.

    Raises:
        InputError: if the libraries for it are not installed.
    """

    def __init__(self, lexicon: Lexicon, words: Iterable[str] | None = None) -> None:
        if words is None:
            words = (word for pair in lexicon.pairs for word in (pair.first, pair.second))
        self.words: tuple[str, ...] = tuple(dict.fromkeys(words))
        by_letters: dict[str, list[Pattern]] = {}
        for pattern in patterns(self.words, lexicon.words):
            by_letters.setdefault(pattern.letters, []).append(pattern)
        self._patterns = tuple(by_letters.values())
        try:
            import ahocorasick_rs
        except ModuleNotFoundError as error:
            raise InputError(
                f"finding German words needs {error.name}, which is not installed; {advice('german')}"
            ) from None
        self._search = ahocorasick_rs.AhoCorasick(list(by_letters))
        least = anchors(pattern for found in self._patterns for pattern in found)
        # What may hide a word is looked for in the same pass: a second look at every text would cost more.
        self._first_pass = ahocorasick_rs.AhoCorasick(
            [*least, *sorted(HIDING)], implementation=ahocorasick_rs.Implementation.DFA
        )

    def candidates(self, texts: Iterable[str]) -> Iterator[int]:
        """Yield the positions of the texts that may have a hit, fast; every other text has none.

        Args:
            texts: in any number; only one is held at a time.
        """
        search = self._first_pass.find_matches_as_strings
        for place, text in enumerate(texts):
            try:
                found = search(text)
            except UnicodeEncodeError:  # half a character of another encoding
                found = search(fold(text).text)
            if found and HIDING.issuperset(found):
                found = search(fold(text).text)
            if found:
                yield place

    def find_all(self, texts: Sequence[str]) -> Iterator[tuple[int, tuple[Hit, ...]]]:
        """Yield the positions of the texts with hits, and their hits."""
        for place in self.candidates(texts):
            if hits := self.find(texts[place]):
                yield place, hits

    def find(self, text: str, nested: bool = False) -> tuple[Hit, ...]:
        """Return where the words stand in a text.

        Of overlapping words the longest counts (Lügenpresse, not Presse). Words of the lexicon that share a
        form (Flüchtling, Flüchtlinge) are all returned.

        Args:
            text: of any length; offsets are those of its characters.
            nested: whether to return also what lies inside a longer hit.

        Returns:
            The hits by place, then by word.
        """
        folded = fold(text)
        found = self._search.find_matches_as_indexes(lower(folded.text), overlapping=True)
        if not found:
            return ()
        words = tokens(folded.text)
        starts = [token.start for token in words]
        small_nouns = not any(letter.isupper() for letter in folded.text)
        hits: dict[tuple[int, int, str], Hit] = {}
        for number, start, end in found:
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
            if first < 0 or words[first].end <= start or words[last].end < end:
                continue
            for pattern in self._patterns[number]:
                hit = read(pattern, words, first, last, start, small_nouns)
                if hit:
                    hits.setdefault((hit.start, hit.end, hit.word), hit)
        if not hits:
            return ()
        chosen = in_order(hits.values()) if nested else longest(hits.values())
        quoted = quotations(folded.text)
        return tuple(_tagged(hit, text, folded, words, starts, quoted) for hit in chosen)


def _tagged(
    hit: Hit,
    text: str,
    folded: Folded,
    words: Sequence[Token],
    starts: Sequence[int],
    quoted: Sequence[tuple[int, int]],
) -> Hit:
    """Return a hit with its tags, and with the offsets of the text as it was."""
    first, last = bisect_right(starts, hit.start) - 1, bisect_right(starts, hit.end - 1) - 1
    start, end = folded.original(hit.start), folded.original(hit.end)
    return replace(
        hit,
        start=start,
        end=end,
        token_start=folded.original(hit.token_start),
        token_end=folded.original(hit.token_end),
        surface=text[start:end],
        quoted=inside(hit.start, hit.end, quoted),
        proper=proper(words, first, last),
    )

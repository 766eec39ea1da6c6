"""Occurrences of words in a text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from polbias.errors import InputError
from polbias.generators.language.german_words import CLOSED, is_known, lemma
from polbias.generators.xphemism.matching.patterns import WordPattern, anchors, classify_match, patterns
from polbias.generators.xphemism.matching.text import (
    HIDDEN_CHARACTERS,
    Hit,
    TextToken,
    lists,
    lower,
    normalize_spelling,
    tokens,
)
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon
from polbias.generators.xphemism.vocabulary.paradigms import ENDINGS
from polbias.optional import install_command

# Of overlapping hits the longest, and whether places lie inside others.


def longest_hits(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits without those that overlap a longer one, by place; hits of the same place are all kept."""
    kept: list[Hit] = []
    spans: list[tuple[int, int]] = []  # of the kept ones: sorted, apart from each other
    for hit in sorted(hits, key=lambda each: (each.start - each.end, each.start, each.word)):
        span = (hit.start, hit.end)
        place = bisect_left(spans, span)
        if place < len(spans) and spans[place] == span:
            kept.append(hit)
        elif (place == len(spans) or hit.end <= spans[place][0]) and (
            not place or spans[place - 1][1] <= hit.start
        ):
            spans.insert(place, span)
            kept.append(hit)
    return in_order(kept)


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits by place, then by word."""
    return sorted(hits, key=lambda each: (each.start, each.end, each.word))


def is_inside(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a place lies inside one of some spans."""
    place = bisect_right(spans, (start, end)) - 1
    candidates = spans[max(place, 0) : place + 2]
    return any(begin <= start and end <= stop for begin, stop in candidates)


# Where quotations begin and end: „...“, "...", »...«, «...», ‚...‘, “...” and their mixtures.

# What closes a quotation, by what opened it; German, Swiss, French, English and typewriter.
_CLOSING = {
    "„": '“”"',
    "‚": "‘’'",
    "“": '”"',
    "‘": "’",
    "»": "«",
    "«": "»",
    "›": "‹",
    "‹": "›",
    '"': '"”“',
    "'": "'",
}
_QUOTATION = re.compile(
    "|".join(
        # An apostrophe inside a word closes nothing; what only "„" and "‚" can begin lasts to the end.
        rf"(?<!\w){mark}(?=\S)(?:[^{ends}]|(?<=\w)['’‘](?=\w))*(?:[{ends}]{'|$' * (mark in '„‚')})"
        for mark, ends in _CLOSING.items()
    )
)


def quotations(text: str) -> tuple[tuple[int, int], ...]:
    """Return where quotations stand."""
    return tuple(
        (found.start() + 1, found.end() - (found[0][-1] in _CLOSING[found[0][0]]))
        for found in _QUOTATION.finditer(text)
    )


# Whether a word is part of a proper name: of an institution, an office, an organisation, an address.

_FARTHEST = 12  # words of a name between its head and the word


def is_proper_name(tokens: Sequence[TextToken], first: int, last: int) -> bool:
    """Return whether words are part of a proper name."""
    if any(token.address for token in tokens[first : last + 1]):
        return True
    return _in_institution(tokens, first) or _after_capital(tokens, first) or _before_legal_form(tokens, last)


def _in_institution(tokens: Sequence[TextToken], first: int) -> bool:
    """As "Landwirtschaft" in "Ministerium für Ernährung und Landwirtschaft"."""
    closed = lists().names
    for place in range(first - 1, max(first - _FARTHEST, 0) - 1, -1):
        token = tokens[place]
        if token.sentence != tokens[first].sentence:
            return False
        small = token.text.lower()
        if small in closed["prepositions"] and place:
            return _is_institution(tokens, place - 1, small)
        if (
            small in closed["genitive_articles"]
            and place
            and (_ends(tokens[place - 1], closed["with_genitive"]) or _after_capital(tokens, place - 1))
        ):
            return True
        inside = small in closed["inside"] or token.text[:1].isupper()
        if not inside and not (small.endswith(ENDINGS) and _is_adjective(small)):
            return False
    return False


def _is_institution(tokens: Sequence[TextToken], place: int, preposition: str) -> bool:
    """Whether a word names an institution, also with a genitive between: "Beauftragte der Regierung für"."""
    closed = lists().names
    ends = {"für": closed["institutions"], "gegen": closed["with_gegen"]}.get(preposition, closed["with_zur"])
    if _ends(tokens[place], ends):
        small = tokens[place].text.lower()
        advice = small in closed["advice"] and place > 0
        indefinite = advice and tokens[place - 1].text.lower() in closed["indefinite"]
        return not indefinite and small not in closed["complete"]
    genitive = place >= 2 and tokens[place - 1].text.lower() in closed["genitive_articles"]
    return genitive and _ends(tokens[place - 2], ends)


def _ends(token: TextToken, ends: tuple[str, ...]) -> bool:
    return token.text[:1].isupper() and token.text.lower().endswith(ends)


def _after_capital(tokens: Sequence[TextToken], first: int) -> bool:
    """As "Krieg" in "im Kalten Krieg": an adjective inside a sentence has a capital in names only."""
    if not first or tokens[first].sentence != tokens[first - 1].sentence:
        return False
    if tokens[first].text[:1].islower() or (
        first > 1 and tokens[first - 2].text.lower() in lists().names["indefinite"]
    ):
        return False
    before = tokens[first - 1]
    small = before.text.lower()
    capital = before.text[:1].isupper() and before.text[1:] == small[1:]
    if before.end + 1 != tokens[first].start or before.initial or not capital:
        return False
    persons = lists().names["persons"]
    person = any(small.removesuffix(ending) in persons for ending in ("", "n", "r", "m", "s"))
    noun = is_known(before.text) and lemma(before.text) == before.text
    return small.endswith(ENDINGS) and not person and not noun and _is_adjective(small)


def _is_law(hit: Hit, tokens: Sequence[TextToken], place: int) -> bool:
    """Whether a compound names a law, treaty or body and is no description ("ein dänisches ...")."""
    if hit.member not in ("first", "middle") or not _ends(tokens[place], lists().names["one_word"]):
        return False
    before = tokens[place - 1].text if place else ""
    return before.lower() not in lists().names["indefinite"] and (
        before in CLOSED or not _is_adjective(before)
    )


def _is_adjective(small: str) -> bool:
    base = lemma(small)
    return is_known(small) and base.islower() and small.startswith(base[:-1]) and base != small


def _before_legal_form(tokens: Sequence[TextToken], last: int) -> bool:
    following = [token.text for token in tokens[last + 1 : last + 3]]
    return not {"~".join(following[:1]), "~".join(following)}.isdisjoint(lists().names["legal_forms"])


# Finding the words of the lexicon in texts: a fast search for candidates, then reading what was found.


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
        by_letters: dict[str, list[WordPattern]] = {}
        for pattern in patterns(self.words, lexicon.words):
            by_letters.setdefault(pattern.letters, []).append(pattern)
        self._patterns = tuple(by_letters.values())
        try:
            import ahocorasick_rs
        except ModuleNotFoundError as error:
            raise InputError(
                f"finding German words needs {error.name}, which is not installed; "
                f"{install_command('german')}"
            ) from None
        self._search = ahocorasick_rs.AhoCorasick(list(by_letters))
        least = anchors(chain.from_iterable(self._patterns))
        # What may hide a word is looked for in the same pass: a second look at every text would cost more.
        self._first_pass = ahocorasick_rs.AhoCorasick(
            [*least, *sorted(HIDDEN_CHARACTERS)], implementation=ahocorasick_rs.Implementation.DFA
        )

    def candidates(self, texts: Iterable[str]) -> Iterator[int]:
        """Yield the positions of the texts that may have a hit, fast; every other text has none."""
        search = self._first_pass.find_matches_as_strings
        for place, text in enumerate(texts):
            try:
                found = search(text)
            except UnicodeEncodeError:  # half a character of another encoding
                found = search(normalize_spelling(text)[0])
            if found and HIDDEN_CHARACTERS.issuperset(found):
                found = search(normalize_spelling(text)[0])
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
        """
        folded, offsets = normalize_spelling(text)
        found = self._search.find_matches_as_indexes(lower(folded), overlapping=True)
        if not found:
            return ()
        words = tokens(folded)
        starts = [token.start for token in words]
        small_nouns = not any(letter.isupper() for letter in folded)
        hits: dict[tuple[int, int, str], Hit] = {}
        for number, start, end in found:
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
            if first < 0 or words[first].end <= start or words[last].end < end:
                continue
            for pattern in self._patterns[number]:
                hit = classify_match(pattern, words, first, last, start, small_nouns)
                if hit:
                    hits.setdefault((hit.start, hit.end, hit.word), hit)
        if not hits:
            return ()
        chosen = in_order(hits.values()) if nested else longest_hits(hits.values())
        quoted, tagged = quotations(folded), []
        for hit in chosen:
            first, last = bisect_right(starts, hit.start) - 1, bisect_right(starts, hit.end - 1) - 1
            start, end = offsets[hit.start], offsets[hit.end]
            tagged.append(
                replace(
                    hit,
                    start=start,
                    end=end,
                    token_start=offsets[hit.token_start],
                    token_end=offsets[hit.token_end],
                    surface=text[start:end],
                    quoted=is_inside(hit.start, hit.end, quoted),
                    proper=is_proper_name(words, first, last) or _is_law(hit, words, first),
                )
            )
        return tuple(tagged)

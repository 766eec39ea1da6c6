"""Occurrences of words in a text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from polbias.errors import InputError
from polbias.generators.language.german_words import CLOSED, is_known, is_plural, lemma
from polbias.generators.xphemism.matching.patterns import WordPattern, anchors, build_patterns, classify_match
from polbias.generators.xphemism.matching.text import (
    HIDDEN_CHARACTERS,
    Hit,
    TextToken,
    lower,
    normalize_spelling,
    tokenize_text,
    word_lists,
)
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon
from polbias.generators.xphemism.vocabulary.paradigms import ENDINGS
from polbias.optional import install_command

# Overlapping hits and spans.


def longest_hits(hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits that overlap no longer hit, sorted by offset; hits of the same span all remain."""
    longest: list[Hit] = []
    spans: list[tuple[int, int]] = []  # of the longest hits: sorted and disjoint
    for hit in sorted(hits, key=lambda hit: (hit.start - hit.end, hit.start, hit.word)):
        span = (hit.start, hit.end)
        position = bisect_left(spans, span)
        if position < len(spans) and spans[position] == span:
            longest.append(hit)
        elif (position == len(spans) or hit.end <= spans[position][0]) and (
            not position or spans[position - 1][1] <= hit.start
        ):
            spans.insert(position, span)
            longest.append(hit)
    return sort_hits(longest)


def sort_hits(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits sorted by offset, then by word."""
    return sorted(hits, key=lambda hit: (hit.start, hit.end, hit.word))


def is_inside(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a span lies inside one of the sorted spans."""
    position = bisect_right(spans, (start, end)) - 1
    candidates = spans[max(position, 0) : position + 2]
    return any(span_start <= start and end <= span_end for span_start, span_end in candidates)


# Quotations: „...“, "...", »...«, «...», ‚...‘, “...” and mixtures.

# Closing marks by opening mark: German, Swiss, French, English and typewriter.
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
        # An apostrophe inside a word closes nothing; after "„" or "‚" a quotation may lack its closing mark.
        rf"(?<!\w){mark}(?=\S)(?:[^{ends}]|(?<=\w)['’‘](?=\w))*(?:[{ends}]{'|$' * (mark in '„‚')})"
        for mark, ends in _CLOSING.items()
    )
)


def quotations(text: str) -> tuple[tuple[int, int], ...]:
    """Return the (start, end) offsets of the text inside quotation marks."""
    return tuple(
        (match.start() + 1, match.end() - (match[0][-1] in _CLOSING[match[0][0]]))
        for match in _QUOTATION.finditer(text)
    )


# Proper names: of an institution, an office, an organisation, an address.

_MAX_NAME_WORDS = 12  # words of a name between its head and the word


def is_proper_name(tokens: Sequence[TextToken], first: int, last: int) -> bool:
    """Whether words are part of a proper name."""
    if any(token.is_address for token in tokens[first : last + 1]):
        return True
    return (
        _is_in_institution(tokens, first)
        or _is_after_capital(tokens, first)
        or _is_after_national(tokens, first)
        or _is_before_legal_form(tokens, last)
        or _is_in_apposition(tokens, first, last)
    )


def _is_in_institution(tokens: Sequence[TextToken], first: int) -> bool:
    """Whether a word is like "Landwirtschaft" in "Ministerium für Ernährung und Landwirtschaft"."""
    names = word_lists().names
    for index in range(first - 1, max(first - _MAX_NAME_WORDS, 0) - 1, -1):
        token = tokens[index]
        if token.sentence != tokens[first].sentence:
            return False
        lowercase = token.text.lower()
        if lowercase in names["prepositions"] and index:
            return _is_institution(tokens, index - 1, lowercase)
        if (
            lowercase in names["genitive_articles"]
            and index
            and (
                _has_ending(tokens[index - 1], names["with_genitive"]) or _is_after_capital(tokens, index - 1)
            )
        ):
            return True
        can_be_inside = lowercase in names["inside"] or token.text[:1].isupper()
        if not can_be_inside and not (lowercase.endswith(ENDINGS) and _is_adjective(lowercase)):
            return False
    return False


def _is_institution(tokens: Sequence[TextToken], index: int, preposition: str) -> bool:
    """Whether a word names an institution, directly or before a genitive: "Beauftragte der Regierung für"."""
    names = word_lists().names
    ends = {"für": names["institutions"], "gegen": names["with_gegen"]}.get(preposition, names["with_zur"])
    if _has_ending(tokens[index], ends):
        lowercase = tokens[index].text.lower()
        is_advice = lowercase in names["advice"] and index > 0
        is_indefinite = is_advice and tokens[index - 1].text.lower() in names["indefinite"]
        return not is_indefinite and lowercase not in names["complete"]
    has_genitive = index >= 2 and tokens[index - 1].text.lower() in names["genitive_articles"]
    return has_genitive and _has_ending(tokens[index - 2], ends)


def _has_ending(token: TextToken, ends: tuple[str, ...]) -> bool:
    return token.text[:1].isupper() and token.text.lower().endswith(ends)


def _is_after_capital(tokens: Sequence[TextToken], first: int) -> bool:
    """Whether a capitalised adjective precedes, as in "im Kalten Krieg": only names have one mid-sentence."""
    if not first or tokens[first].sentence != tokens[first - 1].sentence:
        return False
    if tokens[first].text[:1].islower() or (
        first > 1 and tokens[first - 2].text.lower() in word_lists().names["indefinite"]
    ):
        return False
    adjective = tokens[first - 1]
    lowercase = adjective.text.lower()
    is_capitalised = adjective.text[:1].isupper() and adjective.text[1:] == lowercase[1:]
    if adjective.end + 1 != tokens[first].start or adjective.is_initial or not is_capitalised:
        return False
    persons = word_lists().names["persons"]
    is_person = any(lowercase.removesuffix(ending) in persons for ending in ("", "n", "r", "m", "s"))
    is_noun = is_known(adjective.text) and lemma(adjective.text) == adjective.text
    return lowercase.endswith(ENDINGS) and not is_person and not is_noun and _is_adjective(lowercase)


def _is_after_national(tokens: Sequence[TextToken], first: int) -> bool:
    """Whether "Deutsche" and a noun that it fits are a name, as in "die Deutsche Rentenversicherung".

    Before a plural it is a noun: "weil die Deutschen Steuern zahlen".
    """
    if not first or tokens[first - 1].is_initial or tokens[first - 1].end + 1 != tokens[first].start:
        return False
    is_national = tokens[first - 1].text.startswith(word_lists().names["national"])
    return is_national and tokens[first].text[:1].isupper() and is_plural(tokens[first].text) is not True


def _is_in_apposition(tokens: Sequence[TextToken], first: int, last: int) -> bool:
    """Whether words are in a name that begins a sentence: "Die Gewerkschaft Erziehung und Wissenschaft"."""
    names = word_lists().names
    start = first
    while start and not tokens[start].is_initial and tokens[start].sentence == tokens[first].sentence:
        start -= 1
    body = start + (tokens[start].text.lower() in names["articles"])
    between = tokens[body + 1 : first]
    if body > first or not _has_ending(tokens[body], names["bodies"]):
        return False
    if any(token.text[:1].islower() and token.text not in names["inside"] for token in between):
        return False
    if first > body:
        return tokens[body + 1].text[:1].isupper()
    following = tokens[last + 1] if last + 1 < len(tokens) else None
    is_adjacent = following is not None and following.start == tokens[last].end + 1
    return following is not None and is_adjacent and following.text[:1].isupper() and is_known(following.text)


def _is_law(hit: Hit, tokens: Sequence[TextToken], index: int) -> bool:
    """Whether a compound names a law, treaty or body, and does not describe one ("ein dänisches ...")."""
    if hit.member not in ("first", "middle") or not _has_ending(
        tokens[index], word_lists().names["one_word"]
    ):
        return False
    previous_word = tokens[index - 1].text if index else ""
    return previous_word.lower() not in word_lists().names["indefinite"] and (
        previous_word in CLOSED or not _is_adjective(previous_word)
    )


def _is_adjective(lowercase: str) -> bool:
    base = lemma(lowercase)
    return is_known(lowercase) and base.islower() and lowercase.startswith(base[:-1]) and base != lowercase


def _is_before_legal_form(tokens: Sequence[TextToken], last: int) -> bool:
    following = [token.text for token in tokens[last + 1 : last + 3]]
    return not {"~".join(following[:1]), "~".join(following)}.isdisjoint(word_lists().names["legal_forms"])


# Search in texts: a fast search for candidate texts, then classification of the matches.


class Matcher:
    """Matcher of lexicon words in German texts.

    Args:
        lexicon: pairs and morphology.
        words: words to find; default: the words of the political pairs.

    Raises:
        InputError: if ahocorasick_rs is not installed.
    """

    def __init__(self, lexicon: Lexicon, words: Iterable[str] | None = None) -> None:
        if words is None:
            words = (word for pair in lexicon.pairs for word in (pair.first, pair.second))
        self.words: tuple[str, ...] = tuple(dict.fromkeys(words))
        by_letters: dict[str, list[WordPattern]] = {}
        for pattern in build_patterns(self.words, lexicon.words):
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
        search_strings = anchors(chain.from_iterable(self._patterns))
        # One pass searches words and hidden characters: a second search of all texts would cost more.
        self._first_pass = ahocorasick_rs.AhoCorasick(
            [*search_strings, *sorted(HIDDEN_CHARACTERS)], implementation=ahocorasick_rs.Implementation.DFA
        )

    def candidates(self, texts: Iterable[str]) -> Iterator[int]:
        """Yield the positions of the texts that may have hits (fast); all other texts have none."""
        search = self._first_pass.find_matches_as_strings
        for index, text in enumerate(texts):
            try:
                matches = search(text)
            except UnicodeEncodeError:  # lone surrogate
                matches = search(normalize_spelling(text)[0])
            if matches and HIDDEN_CHARACTERS.issuperset(matches):
                matches = search(normalize_spelling(text)[0])
            if matches:
                yield index

    def find_all(self, texts: Sequence[str]) -> Iterator[tuple[int, tuple[Hit, ...]]]:
        """Yield the positions of the texts with hits, and their hits."""
        for index in self.candidates(texts):
            if hits := self.find(texts[index]):
                yield index, hits

    def find(self, text: str, nested: bool = False) -> tuple[Hit, ...]:
        """Return the hits of the words in a text.

        Of overlapping words only the longest is a hit (Lügenpresse, not Presse), unless ``nested``. Words of
        the lexicon that share a form (Flüchtling, Flüchtlinge) are all hits.
        """
        normalized, offsets = normalize_spelling(text)
        matches = self._search.find_matches_as_indexes(lower(normalized), overlapping=True)
        if not matches:
            return ()
        tokens = tokenize_text(normalized)
        starts = [token.start for token in tokens]
        lowercase_nouns = not any(letter.isupper() for letter in normalized)
        hits: dict[tuple[int, int, str], Hit] = {}
        for pattern_index, start, end in matches:
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
            if first < 0 or tokens[first].end <= start or tokens[last].end < end:
                continue
            for pattern in self._patterns[pattern_index]:
                hit = classify_match(pattern, tokens, first, last, start, lowercase_nouns)
                if hit:
                    hits.setdefault((hit.start, hit.end, hit.word), hit)
        if not hits:
            return ()
        ordered_hits = sort_hits(hits.values()) if nested else longest_hits(hits.values())
        quoted_spans, tagged_hits = quotations(normalized), []
        for hit in ordered_hits:
            first, last = bisect_right(starts, hit.start) - 1, bisect_right(starts, hit.end - 1) - 1
            start, end = offsets[hit.start], offsets[hit.end]
            tagged_hits.append(
                replace(
                    hit,
                    start=start,
                    end=end,
                    token_start=offsets[hit.token_start],
                    token_end=offsets[hit.token_end],
                    surface=text[start:end],
                    quoted=is_inside(hit.start, hit.end, quoted_spans),
                    proper=is_proper_name(tokens, first, last) or _is_law(hit, tokens, first),
                )
            )
        return tuple(tagged_hits)

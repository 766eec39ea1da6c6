"""Where the two words of a row stand in its claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from polbias.files import InputError
from polbias.generators.auditing.polbix.files import ClaimPair
from polbias.generators.sources.polbix.relatives import relatives
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon, load_lexicon
from polbias.generators.xphemism.vocabulary.paradigms import Reading, forms
from polbias.generators.xphemism.words import EMPTY, Word
from polbias.optional import advice

if TYPE_CHECKING:
    from polbias.generators.xphemism.matching import Hit, Matcher

Span = tuple[int, int]
_LONGEST = 200
"""Characters of a word; to prepare the search for a longer one would take seconds."""


@dataclass(frozen=True)
class Occurrences:
    """The hits of both words in both claims of a row.

    Attributes:
        base_in_base: of the base word in the base claim.
        exchange_in_base: of the exchange word in the base claim.
        base_in_exchange: of the base word in the exchange claim; none where there is no such claim.
        exchange_in_exchange: of the exchange word in the exchange claim.
    """

    base_in_base: tuple[Hit, ...]
    exchange_in_base: tuple[Hit, ...]
    base_in_exchange: tuple[Hit, ...]
    exchange_in_exchange: tuple[Hit, ...]

    @cached_property
    def exchanged(self) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
        """The hits in the base claim and in the exchange claim that were exchanged for each other.

        Where a claim does not have its own word, those of the other word. A token that both claims have was
        not exchanged.
        """
        before = self.base_in_base or self.exchange_in_base
        after = self.exchange_in_exchange or self.base_in_exchange
        shared = {each.word for each in before} & {each.word for each in after}
        if shared:
            return before, after
        return before, tuple(each for each in after if each not in self._kept)

    @cached_property
    def _kept(self) -> frozenset[Hit]:
        """Hits of the exchange word in compounds that the base claim has too (Nachkriegszeit)."""
        left = Counter(each.surface for each in self.exchange_in_base)
        kept: list[Hit] = []
        for each in self.exchange_in_exchange:
            others = len(self.exchange_in_exchange) - len(kept) - 1
            if each.kind == "compound" and left[each.surface] and others:
                left[each.surface] -= 1
                kept.append(each)
        return frozenset(kept)


class Finder:
    """Finds the words of rows, in any form and in compounds.

    Args:
        lexicon: morphology; a word that it does not have is found only as it stands.

    Raises:
        InputError: if the library is missing that the search needs.
    """

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        try:
            from polbias.generators.xphemism import matching
        except ImportError as error:
            raise InputError(
                f"finding German words needs {error.name}, which is missing; {advice('german')}"
            ) from None
        self._make = matching.Matcher
        self.lexicon = lexicon or load_lexicon()
        self._printed = {pair.printed: pair.second for pair in self.lexicon.pairs if pair.printed}
        self._matchers: dict[frozenset[str], Matcher] = {}

    def occurrences(self, row: ClaimPair) -> Occurrences:
        """Return where the words of a row stand.

        Args:
            row: with or without an exchange claim.
        """
        base, exchange = row.words
        in_base, in_exchange = (
            self._of_both(row.words, text) for text in (row.base_claim, row.exchange_claim or "")
        )
        if not (in_base[0] or in_base[1]):
            in_base = self._relatives(base, row.base_claim), ()
        if row.exchange_claim and not (in_exchange[1] or in_exchange[0]):
            in_exchange = (), self._relatives(exchange, row.exchange_claim)
        return Occurrences(*in_base, *in_exchange)

    def readings(self, hit: Hit, text: str) -> tuple[Reading, ...] | None:
        """Return what case, number and gender a word can have where it stands.

        Args:
            hit: a place.
            text: the claim.

        Returns:
            All readings; None if the form says nothing, as that of a first member of a compound.
        """
        if hit.kind == "compound" and hit.member != "head":
            return None
        word = self._words(hit.word)
        if word is None or word.pos != "noun":
            return None
        form = text[hit.start : hit.token_end].lower()
        return next((found for known, found in forms(word).items() if known.lower() == form), None)

    def _of_both(self, words: tuple[str, str], text: str) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
        found = self._find(words, text)
        base, exchange = (tuple(hit for hit in found if hit.word in self._names(word)) for word in words)
        return base, exchange

    def _relatives(self, name: str, text: str) -> tuple[Hit, ...]:
        word = self._words(name)
        own = (*forms(word), *word.linking) if word else ()
        others = self._forms - {form.lower() for form in own}
        return tuple(relatives(name, own, others, text))

    @cached_property
    def _forms(self) -> frozenset[str]:
        """All forms of all words, in lower case."""
        return frozenset(form.lower() for word in self.lexicon.words.values() for form in forms(word))

    def _find(self, words: tuple[str, str], text: str) -> tuple[Hit, ...]:
        if max(map(len, words)) > _LONGEST:
            return ()
        key = frozenset(words)
        if key not in self._matchers:
            names = sorted(set().union(*map(self._names, words)))
            known = {name: self._words(name) or _unknown(name) for name in names}
            lexicon = Lexicon(self.lexicon.pairs, (), known)
            self._matchers[key] = self._make(lexicon, names)
        return self._matchers[key].find(text)

    def _names(self, word: str) -> set[str]:
        """Return a word with what it is a misprint of."""
        return {word, self._printed.get(word, word)}

    def _words(self, name: str) -> Word | None:
        words: Mapping[str, Word] = self.lexicon.words
        if name in words or name not in self._printed:
            return words.get(name)
        meant = words[self._printed[name]]
        data = meant.model_dump()
        return meant.model_copy(
            update={key: _misprinted(value, meant.word, name) for key, value in data.items()}
        )


def _misprinted(value: object, meant: str, printed: str) -> object:
    if isinstance(value, tuple):
        return tuple(_misprinted(each, meant, printed) for each in value)
    return value.replace(meant, printed) if isinstance(value, str) else value


def _unknown(name: str) -> Word:
    return Word.model_validate(
        {
            **dict.fromkeys(Word.model_fields, EMPTY),
            "word": name,
            "pos": "fixed",
            "head": name,
            "linking": name,
        }
    )


def spans(hits: Sequence[Hit]) -> list[Span]:
    """Return the offsets of the tokens in which hits stand."""
    return [(each.token_start, each.token_end) for each in hits]

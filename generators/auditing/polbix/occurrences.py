"""Where a word occurs in a claim, in any of its forms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import yaml

from polbias.aliases import Json
from polbias.generators.auditing.polbix.files import ClaimPair
from polbias.generators.policy.quality import numbers
from polbias.generators.xphemism.matching import Matcher
from polbias.generators.xphemism.matching.text import Hit
from polbias.generators.xphemism.substitution.words import (
    CONTRACTIONS,
    DERIVATIONS,
    DETERMINER_FORMS,
    FINITE,
    FINITE_PLURAL,
    INVARIABLE,
    PREPOSITIONS,
    tokenise,
)
from polbias.generators.xphemism.vocabulary.lexicon import EMPTY, Lexicon, Word, load_lexicon
from polbias.generators.xphemism.vocabulary.paradigms import Reading, forms

# What the auditor knows of single German words: which carry content, which are forms of one word.

_WORDS: Json = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text(encoding="utf-8"))
_AUXILIARIES, _SUBJUNCTIVE, RELATIVES, PERSONAL, VAGUE = (
    frozenset(_WORDS[name].split())
    for name in ("auxiliaries", "subjunctive", "relatives", "personal", "vague")
)
_FUNCTION = frozenset(_WORDS["function"].split()).union(
    DETERMINER_FORMS, CONTRACTIONS, PREPOSITIONS, INVARIABLE
)
_ENDINGS = sorted(_WORDS["endings"].split(), key=len, reverse=True)
_POLARITY = re.compile(r"(?=(un|nicht|miss))")
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_LONG, _MIDDLE = 9, 5
"""Length of words from which two letters, or one, may differ between two spellings."""


@lru_cache(maxsize=65536)
def lemma(word: str) -> str:
    """Return the dictionary form of a word, in lower case."""
    import simplemma

    for variant in (word, word.lower()):
        found = simplemma.lemmatize(variant, lang="de")
        if found != variant:
            return str(found).lower()
    return word.lower()


def is_function_word(word: str) -> bool:
    """Return whether a word carries no content: article, pronoun, preposition, conjunction, auxiliary."""
    low = word.lower()
    return len(low) == 1 or low in _FUNCTION or lemma(low) in _AUXILIARIES


def preposition(word: str) -> str | None:
    """Return the preposition that a word is or holds ("im" holds "in"), None if there is none."""
    low = word.lower()
    return CONTRACTIONS[low][0] if low in CONTRACTIONS else low if low in PREPOSITIONS else None


@lru_cache(maxsize=65536)
def same_word(one: str, other: str) -> bool:
    """Return whether two words are forms of one: "drohenden" and "drohender", "zeigt" and "zeige"."""
    one, other = one.lower(), other.lower()
    if lemma(one) == lemma(other):
        return True
    short, long = sorted((_stem(one), _stem(other)), key=len)
    return len(short) > 2 and short == long


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word.removesuffix(ending)
    return word


def letters(text: str) -> str:
    """Return letters and digits of a text in lower case, umlauts in two letters, without all else."""
    return "".join(filter(str.isalnum, text.lower())).translate(_TWO_LETTERS)


@lru_cache(maxsize=65536)
def same_spelled_otherwise(one: str, other: str) -> bool:
    """Return whether two texts are one word but for capitals, hyphens, a slip of the pen or a short form.

    A syllable that turns the meaning round ("un-") is no slip of the pen.
    """
    first, second = letters(one), letters(other)
    if first == second:
        return True
    for short, long in ((first, second), (second, first)):
        meant = _WORDS["abbreviations"].get(short, "").replace("_", "").split()
        if long in map(letters, meant):
            return True
    if numbers(one, "de") == numbers(other, "de") != frozenset():
        return True
    if turned_round(one, other):
        return False
    if first.isdigit() or second.isdigit() or is_function_word(one) or is_function_word(other):
        return False
    length = min(len(first), len(second))
    allowed = 2 if length >= _LONG else 1 if length >= _MIDDLE else 0
    return _distance(first, second) <= allowed


def turned_round(one: str, other: str) -> bool:
    """Return whether one word is the other with a syllable that turns its meaning round, such as "un-"."""
    short, long = sorted((letters(one), letters(other)), key=len)
    return any(long[: m.start()] + long[m.end(1) :] == short for m in _POLARITY.finditer(long))


def _distance(one: str, other: str) -> int:
    """Return how many letters must be changed, added or dropped."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def is_subjunctive(word: str, beside: str) -> bool:
    """Return whether a finite verb is in the subjunctive, judged beside another form of the same verb."""
    low, other = word.lower(), beside.lower()
    return low in _SUBJUNCTIVE or (
        low.endswith("e")
        and not low.endswith("te")
        and low.removesuffix("e") == other.removesuffix("t") != other
    )


def verb_number(word: str) -> str | None:
    """Return "sg" or "pl" of a finite verb in the third person by its form, None where that is open."""
    low = word.lower()
    if not lemma(word).endswith("n"):
        return None
    if low in FINITE:
        return "sg"
    if low in FINITE_PLURAL or low.endswith("en"):
        return "pl"
    return "sg" if low.endswith(("t", "te", "e")) else None


# Words of the same family as a word that is not found itself: Oppositionelle for Opposition.

_PLAIN = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})
_NOMINAL = re.compile(r"(?:ungen|ung|en|e|ut|n)$")
"""Endings of a noun without which it is the root of other words (Akademisier-ung, Arm-ut)."""
_ENDING = re.compile(r"(?:n?d|ell|st|er)?(?:e[nrsm]?|s)?")
_HEAD, _FIRST, _ROOT = 5, 7, 3
"""Letters from which the end or the beginning of a longer word counts, or a root with an ending."""


def relatives(name: str, forms: Iterable[str], others: Collection[str], text: str) -> Iterator[Hit]:
    """Yield the places of a word in compounds and derivations that are not in the lexicon, or misspelt."""
    known = {form for form in (name, *forms) if " " not in form}
    plain = {form.lower().translate(_PLAIN) for form in known}
    roots = {_NOMINAL.sub("", form) for form in plain}
    for token in tokenise(text):
        if token.kind != "word":
            continue
        parts = [part for part in token.text.split("-") if part]
        if any(part.lower() not in others and _related(part, known, plain, roots) for part in parts):
            yield Hit(name, token.start, token.end, token.start, token.end, "compound", token.text)


def _related(part: str, known: set[str], plain: set[str], roots: set[str]) -> bool:
    low = part.lower().translate(_PLAIN)
    if low in plain or any(len(form) > _FIRST and same_spelled_otherwise(part, form) for form in known):
        return True
    if any(
        (len(form) >= _HEAD and low.endswith(form)) or (len(form) >= _FIRST and low.startswith(form))
        for form in plain
    ):
        return True
    rest = {low.removeprefix(root) for root in plain | roots if len(root) >= _ROOT and low.startswith(root)}
    return any(each in DERIVATIONS or _ENDING.fullmatch(each) for each in rest)


# Where the two words of a row stand in its claims.

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
    """Finds the words of rows, in any form and in compounds; one that no lexicon has only as it stands.

    Raises:
        InputError: if the library is missing that the search needs.
    """

    def __init__(self) -> None:
        self.lexicon = load_lexicon()
        self._printed = {pair.printed: pair.second for pair in self.lexicon.pairs if pair.printed}
        self._matchers: dict[frozenset[str], Matcher] = {}

    def occurrences(self, row: ClaimPair) -> Occurrences:
        """Return where the words of a row stand."""
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
        """Return what case, number and gender a word can have where it stands."""
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
            self._matchers[key] = Matcher(lexicon, names)
        return self._matchers[key].find(text)

    def _names(self, word: str) -> set[str]:
        """Return a word with what it is a misprint of."""
        return {word, self._printed.get(word, word)}

    def _words(self, name: str) -> Word | None:
        words: Mapping[str, Word] = self.lexicon.words
        if name in words or name not in self._printed:
            return words.get(name)
        meant = words[self._printed[name]]
        return Word.model_validate_json(meant.model_dump_json().replace(meant.word, name))


def _unknown(name: str) -> Word:
    empty = dict.fromkeys(Word.model_fields, EMPTY)
    return Word.model_validate(empty | dict.fromkeys(("word", "head", "linking"), name) | {"pos": "fixed"})


def spans(hits: Sequence[Hit]) -> list[Span]:
    """Return the offsets of the tokens in which hits stand."""
    return [(each.token_start, each.token_end) for each in hits]

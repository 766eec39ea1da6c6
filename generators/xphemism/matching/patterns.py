"""Patterns of words and compounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from polbias.generators.language.german_words import is_known, lemma
from polbias.generators.xphemism.matching.text import CompoundMember, Hit, HitKind, TextToken, lists, lower
from polbias.generators.xphemism.vocabulary.lexicon import PartOfSpeech, Word
from polbias.generators.xphemism.vocabulary.paradigms import forms

# What to look for: every form of every word, and what stands for it inside compounds.

# Spellings of Switzerland, and of those who lack the letters.
_SHARP = str.maketrans({"ß": "ss"})
_ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
# "Überwachung" and "Bildungssystem": "be" or "aus" before them makes another word.
_FROM_VERB = re.compile(r"ung$|ungs")


@dataclass(frozen=True, slots=True)
class WordPattern:
    """A spelling in which a word can show itself.

    Attributes:
        word: of the lexicon.
        pos: its part of speech.
        form: as it is written inside a sentence.
        stem: how many of its letters are the word; the rest is a linking element.
        whole: whether it can stand alone, or be the last member of a compound.
        joining: whether it can be a member before another one.
        deverbal: whether it is a noun made from a verb, so that "an" or "ein" before it makes another word.
        attributive: whether the form can also be an adjective ("Fremde"), which has no capital.
        genitive: whether it can be nothing but a genitive singular.
        masculine: whether it is a masculine noun, so that "in" after it makes the same word for women.
    """

    word: str
    pos: PartOfSpeech
    form: str
    stem: int
    is_free_form: bool
    joining: bool
    deverbal: bool = False
    attributive: bool = False
    genitive: bool = False
    masculine: bool = False

    @property
    def letters(self) -> str:
        """The form in small letters."""
        return lower(self.form)

    @property
    def capitals(self) -> tuple[bool, ...]:
        """For each of its words whether it is written with a capital."""
        return tuple(part[:1].isupper() for part in self.form.split())


def patterns(words: Iterable[str], morphology: Mapping[str, Word]) -> Iterator[WordPattern]:
    """Yield the patterns of words."""
    for name in words:
        word = morphology.get(name)
        found = (
            _of(word)
            if word
            else [WordPattern(name, "fixed", name, len(name), is_free_form=True, joining=False)]
        )
        for pattern in found:
            yield pattern
            form, ending = pattern.form, len(pattern.form) - pattern.stem
            spellings = {form.translate(table) for table in (_SHARP, _ASCII)}
            if " " in form and pattern.is_free_form and all(pattern.capitals):
                head, *rest = form.split()
                spellings |= {"-".join((head, *rest)), "".join((head, *rest)), head + "".join(rest).lower()}
            for spelling in sorted(spellings - {form}):
                yield replace(pattern, form=spelling, stem=len(spelling) - ending)


def anchors(found: Iterable[WordPattern]) -> tuple[str, ...]:
    """Return the fewest strings of which every text with a pattern has one, for a first fast search.

    Of two strings of which one contains the other that is the shorter one; each in its own spelling, small,
    with a capital, in capitals.
    """
    minimal: dict[str, set[str]] = {}
    longest = 0
    spelled = sorted({(each.letters, each.form) for each in found})
    for letters, form in sorted(spelled, key=lambda each: len(each[0])):
        if letters in minimal:
            minimal[letters].add(form)
        elif not any(part in minimal for part in _parts(letters, longest)):
            minimal[letters], longest = {form}, len(letters)
    written: set[str] = set()
    for letters, spellings in minimal.items():
        written |= spellings | {letters, letters.upper(), letters.title()}
        written |= {form[0].upper() + form[1:] for form in (letters, *spellings)}
    return tuple(sorted(written))


def _parts(letters: str, longest: int) -> Iterator[str]:
    places = combinations(range(len(letters) + 1), 2)
    return (letters[start:end] for start, end in places if end - start <= longest)


def _of(word: Word) -> Iterator[WordPattern]:
    noun = word.pos == "noun"
    deverbal = noun and _deverbal(word)
    for form, readings in forms(word).items():
        yield WordPattern(
            word.word,
            word.pos,
            form,
            len(form),
            is_free_form=True,
            joining=False,
            deverbal=deverbal,
            attributive=word.declension == "adjectival",
            genitive=noun
            and not word.modifiers
            and all(each.case == "gen" and each.number == "sg" for each in readings),
            masculine=word.gender == "m" and form == word.singular,
        )
    if noun:
        for form in _joining(word):
            yield WordPattern(word.word, "noun", form, _stem(word, form), False, True, deverbal)


def _joining(word: Word) -> tuple[str, ...]:
    """Return the forms as a member before another one; of a phrase that with hyphens ("Hartz-IV-Satz")."""
    if " " in word.word:
        return () if word.modifiers or word.tail else (word.word.replace(" ", "-"),)
    # A linking form that ends with a hyphen ("Pkw-") stands before one only, which every form may.
    return tuple(form.removesuffix("-") for form in word.linking)


def _deverbal(word: Word) -> bool:
    singular = word.singular or ""
    infinitive = word.gender == "n" and singular.endswith("en")
    return infinitive or word.declension == "adjectival" or bool(_FROM_VERB.search(singular))


def _stem(word: Word, linking: str) -> int:
    """Return the length of a linking form without its linking element."""
    for form in (word.singular, word.plural):
        if form and linking.startswith(form):
            return len(form)
    return len(linking)


# Whether the letters around a word are members of a compound, or make another word of it ("Regelung").

_SHORTEST = 3
_STRANGE = 4  # letters that a member unknown to the dictionary needs


@lru_cache(maxsize=65536)
def is_compound_prefix(letters: str, deverbal: bool) -> bool:
    """Return whether letters can be the members before a word."""
    small, closed = letters.lower(), lists().compounds
    if small in closed["inseparable"]:
        return False
    if small in closed["separable"]:
        return not deverbal
    if _is_direct(small):
        return True
    cuts = range(_SHORTEST, len(small) - _SHORTEST + 1)
    return any(is_compound_prefix(small[:cut], False) and _is_first(small[cut:]) for cut in cuts)


@lru_cache(maxsize=65536)
def is_compound_suffix(letters: str, capital: bool) -> bool:
    """Return whether letters can be the members after a word."""
    small = letters.lower()
    if capital and small in lists().compounds["nouns"]:
        return True
    if _is_suffix(small) or len(small) < _SHORTEST:
        return False
    if not capital and small in lists().compounds["verbal"]:
        return False
    if _is_last(small, capital):
        return True
    cuts = range(_SHORTEST, len(small) - _SHORTEST + 1)
    return any(_is_first(small[:cut]) and is_compound_suffix(small[cut:], capital) for cut in cuts)


@lru_cache(maxsize=65536)
def has_other_seam(part: str, start: int, stem: int, end: int, deverbal: bool) -> bool:
    """Return whether a compound rather has its seam elsewhere: "Normal-fall", not "Norm-al-fall"."""
    small = part.lower()
    before, after = small[:start], small[end:]
    cuts = range(_STRANGE, len(small) - _STRANGE + 1)
    if not any(_cuts_through(small, cut, (start, stem, end), deverbal) for cut in cuts):
        return False
    shortest = _STRANGE if before and after else _SHORTEST
    strong = not before or (len(before) >= shortest and _is_direct(before))
    return not (strong and (not after or (len(after) >= shortest and _is_last(after, part[:1].isupper()))))


def _cuts_through(small: str, cut: int, word: tuple[int, int, int], deverbal: bool) -> bool:
    """Return whether words on both sides of a cut leave no room for the word between its neighbours."""
    start, stem, end = word
    if cut == start or stem <= cut <= end or not _is_word(small[:cut]) or not _is_word(small[cut:]):
        return False
    if cut < start:
        return not is_compound_prefix(small[cut:start], deverbal)
    return cut < stem or not _is_first(small[end:cut])


def is_unknown_part(part: str, rest: str) -> bool:
    """Return whether a rest may be a name or a new word ("Bafög-", "-gate"): the dictionary has neither."""
    small = rest.lower()
    return (
        len(rest) >= _STRANGE
        and not _is_suffix(small)
        and not is_known(part)
        and not is_known(part.capitalize())
    )


def _is_direct(small: str) -> bool:
    closed = lists().compounds
    return small in closed["separable"] or small in closed["particles"] or _is_first(small)


def _is_first(small: str) -> bool:
    closed = lists().compounds
    if small in closed["short"]:
        return True
    if small in closed["inseparable"] or small in closed["suffixes"]:
        return False
    bare = [small, *(small.removesuffix(each) for each in closed["linking"] if small.endswith(each))]
    # A stem can lose the end that it has alone: Schul-, Wohn-, Erd-.
    bare += [small + "e", small + "en"] if len(small) > _SHORTEST else []
    return any(_is_word(each) for each in bare)


def _is_last(small: str, capital: bool) -> bool:
    if capital:
        # The dictionary does not have every genitive: "Skandales".
        return _is_word(small) or (small.endswith("es") and _is_word(small.removesuffix("es")))
    return is_known(small) and lemma(small).islower()


def _is_word(small: str) -> bool:
    """Return whether the dictionary has a word; of three letters only a noun ("Bau", not "wer")."""
    capital = small.capitalize()
    if len(small) == _SHORTEST:
        return is_known(capital) and lemma(capital)[:1] == capital[:1]
    return len(small) > _SHORTEST and (is_known(small) or is_known(capital))


def _is_suffix(small: str) -> bool:
    closed = lists().compounds
    if small in closed["suffixes"]:
        return True
    return any(
        small.endswith(end) and small.removesuffix(end) in closed["suffixes"] for end in closed["endings"]
    )


# How letters stand in a word: as the word itself, as a member of a compound, or by accident.

# Members between hyphens, and between humps as in "#NeinZumKrieg".
_PART = re.compile(r"[^\W_]+?(?=-|(?<=[^\W\d_A-ZÄÖÜ])[A-ZÄÖÜ]|$)")


def member_of(pattern: WordPattern, token: TextToken, start: int, small_nouns: bool) -> CompoundMember | None:
    """Return which member of a compound a word is."""
    if pattern.pos not in ("noun", "adjective"):
        return None
    text, end = token.text, start + len(pattern.letters)
    if text.lower().removesuffix("s") in lists().names["countries"]:
        return None
    parts = [match.span() for match in _PART.finditer(text)]
    first = next((i for i, (_, stop) in enumerate(parts) if start < stop), None)
    last = next((i for i, (_, stop) in enumerate(parts) if end <= stop), None)
    if first is None or last is None or start < parts[first][0]:
        return None
    before, after = text[parts[first][0] : start], text[end : parts[last][1]]
    alone = not before and not after
    final = last == len(parts) - 1 and not text.endswith("-")
    if not _joins(pattern, before, after, final, text[parts[first][0] : parts[last][1]]):
        return None
    opening = first == 0 and not text.startswith("-")
    small = text[parts[first][0]].islower() and opening and not small_nouns
    if pattern.pos == "noun" and small and (not after or alone):
        return None
    if pattern.pos == "adjective" and not (final and (text[:1].islower() or token.initial or text.isupper())):
        return None
    if before or not opening:
        return "head" if final and not after else "middle"
    return "first"


def _joins(pattern: WordPattern, before: str, after: str, final: bool, part: str) -> bool:
    """Return whether the letters on both sides are members, and the form can stand between them."""
    if after:
        if pattern.masculine and final and after in lists().compounds["gendered"]:
            return not before or is_compound_prefix(before, pattern.deverbal)
        if not pattern.joining or (
            len(pattern.form) == pattern.stem and after in lists().compounds["participles"]
        ):
            return False
    elif final and not pattern.is_free_form:
        return False
    if has_other_seam(
        part, len(before), len(before) + pattern.stem, len(part) - len(after), pattern.deverbal
    ):
        return False
    leading = not before or is_compound_prefix(before, pattern.deverbal)
    following = not after or is_compound_suffix(after, part[:1].isupper())
    if leading and following:
        return True
    if leading:
        return is_unknown_part(part, after)
    return following and is_unknown_part(part, before)


# What letters in a text are: the word, a form of it, a member of a compound, or nothing of that.


def classify_match(
    pattern: WordPattern, words: Sequence[TextToken], first: int, last: int, start: int, small_nouns: bool
) -> Hit | None:
    """Return what letters of a text are."""
    token, end = words[first], start + len(pattern.letters)
    small_nouns = small_nouns or token.address
    whole_end = words[last].whole_end
    if pattern.is_free_form and token.start == start and words[last].end == end:
        phrase = words[first : last + 1]
        if not _spelled(pattern, words, first, last, small_nouns) or _other_word(pattern, words, first, last):
            return None
        if whole_end > end:  # Asylbewerber:innen
            return Hit(pattern.word, start, end, start, whole_end, "compound", "", "first")
        kind: HitKind = "exact" if _is_citation(pattern, phrase) else "inflected"
        return Hit(pattern.word, start, end, start, whole_end, kind, "")
    if first != last:
        return None
    member = member_of(pattern, token, start - token.start, small_nouns)
    if member is None:
        return None
    return Hit(pattern.word, start, start + pattern.stem, token.start, whole_end, "compound", "", member)


def _spelled(
    pattern: WordPattern, words: Sequence[TextToken], first: int, last: int, small_nouns: bool
) -> bool:
    """Return whether nouns have their capitals, and a word of another kind none inside a sentence.

    An adjective with an ending and no noun after it is one: "die Arbeitslosen".
    """
    phrase = words[first : last + 1]
    for token, capital in zip(phrase, pattern.capitals, strict=False):
        if capital and token.text[:1].islower() and not small_nouns:
            return False
    token = phrase[0]
    if len(phrase) > 1 or pattern.capitals[0] or not token.text[:1].isupper():
        return True
    if pattern.pos == "noun" or token.initial or token.text.isupper():
        return True
    following = "".join(word.text[:1] for word in words[last + 1 : last + 2])
    return pattern.form != pattern.word and not following.isupper()


def _other_word(pattern: WordPattern, words: Sequence[TextToken], first: int, last: int) -> bool:
    """Return whether the capital of a sentence start hides another word: an adjective, or "Mittels"."""
    if not words[first].initial:
        return False
    if pattern.genitive:
        return True
    if not pattern.attributive or last + 1 == len(words):
        return False
    following = words[last + 1]
    return following.start == words[last].end + 1 and following.text[:1].isupper()


def _is_citation(pattern: WordPattern, phrase: Sequence[TextToken]) -> bool:
    """Return whether the word stands there as in the lexicon, but for the capital of its first letter."""
    surface = " ".join(token.text for token in phrase)
    return surface[1:] == pattern.word[1:] and surface[:1].lower() == pattern.word[:1].lower()

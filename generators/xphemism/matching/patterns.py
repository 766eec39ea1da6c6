"""What to look for: every form of every word, and what stands for it inside compounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from polbias.generators.xphemism.matching.folding import lower
from polbias.generators.xphemism.vocabulary.paradigms import forms
from polbias.generators.xphemism.words import PartOfSpeech, Word

# Spellings of Switzerland, and of those who lack the letters.
_SHARP = str.maketrans({"ß": "ss"})
_ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
# "Überwachung" and "Bildungssystem": "be" or "aus" before them makes another word.
_FROM_VERB = re.compile(r"ung$|ungs")


@dataclass(frozen=True, slots=True)
class Pattern:
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
    whole: bool
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


def patterns(words: Iterable[str], morphology: Mapping[str, Word]) -> Iterator[Pattern]:
    """Yield the patterns of words.

    Args:
        words: as they stand in pairs.
        morphology: of the words; one that has none is looked for as it stands.
    """
    for name in words:
        word = morphology.get(name)
        found = _of(word) if word else [Pattern(name, "fixed", name, len(name), whole=True, joining=False)]
        for pattern in found:
            yield pattern
            form, ending = pattern.form, len(pattern.form) - pattern.stem
            spellings = {form.translate(table) for table in (_SHARP, _ASCII)}
            if " " in form and pattern.whole and all(pattern.capitals):
                head, *rest = form.split()
                spellings |= {"-".join((head, *rest)), "".join((head, *rest)), head + "".join(rest).lower()}
            for spelling in sorted(spellings - {form}):
                yield replace(pattern, form=spelling, stem=len(spelling) - ending)


def anchors(found: Iterable[Pattern]) -> tuple[str, ...]:
    """Return the fewest strings of which every text with a pattern has one, for a first fast search.

    Of two strings of which one contains the other that is the shorter one; each in its own spelling, small,
    with a capital, in capitals.
    """
    minimal: dict[str, set[str]] = {}
    longest = 0
    for letters, form in sorted({(each.letters, each.form) for each in found}, key=_by_length):
        if letters in minimal:
            minimal[letters].add(form)
        elif not any(part in minimal for part in _parts(letters, longest)):
            minimal[letters], longest = {form}, len(letters)
    written: set[str] = set()
    for letters, spellings in minimal.items():
        written |= spellings | {letters, letters.upper(), letters.title()}
        written |= {form[0].upper() + form[1:] for form in (letters, *spellings)}
    return tuple(sorted(written))


def _by_length(spelling: tuple[str, str]) -> tuple[int, str, str]:
    return len(spelling[0]), *spelling


def _parts(letters: str, longest: int) -> Iterator[str]:
    ends = len(letters) + 1
    return (letters[i:j] for i in range(len(letters)) for j in range(i + 1, min(i + longest + 1, ends)))


def _of(word: Word) -> Iterator[Pattern]:
    noun = word.pos == "noun"
    deverbal = noun and _deverbal(word)
    for form, readings in forms(word).items():
        yield Pattern(
            word.word,
            word.pos,
            form,
            len(form),
            whole=True,
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
            yield Pattern(word.word, "noun", form, _stem(word, form), False, True, deverbal)


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

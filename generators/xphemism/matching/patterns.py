"""Search patterns of lexicon words, and classification of their matches in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from polbias.generators.language.german_words import is_known, lemma
from polbias.generators.xphemism.matching.text import (
    CompoundMember,
    Hit,
    HitKind,
    TextToken,
    lower,
    word_lists,
)
from polbias.generators.xphemism.vocabulary.lexicon import PartOfSpeech, Word
from polbias.generators.xphemism.vocabulary.paradigms import forms

# Patterns: every form of every word, and its linking forms inside compounds.

# Swiss spelling, and ASCII spelling.
_SWISS_SPELLING = str.maketrans({"ß": "ss"})
_ASCII_SPELLING = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
# "Überwachung" and "Bildungssystem": "be" or "aus" before them forms another word.
_FROM_VERB = re.compile(r"ung$|ungs")


@dataclass(frozen=True, slots=True)
class WordPattern:
    """One spelling of one form of a lexicon word.

    Attributes:
        word: word of the lexicon.
        pos: part of speech of the word.
        form: spelling inside a sentence.
        stem_length: number of letters without the linking element.
        is_free_form: whether it can be a word, or the last member of a compound.
        is_linking_form: whether it can be a member before another member.
        is_deverbal: whether the noun derives from a verb; "an" or "ein" before it forms another word.
        is_adjectival: whether the form can also be an adjective ("Fremde"), which has no capital.
        is_genitive: whether the form can only be a genitive singular.
        is_masculine: whether the noun is masculine; the suffix "in" forms the feminine of the same word.
    """

    word: str
    pos: PartOfSpeech
    form: str
    stem_length: int
    is_free_form: bool
    is_linking_form: bool
    is_deverbal: bool = False
    is_adjectival: bool = False
    is_genitive: bool = False
    is_masculine: bool = False

    @property
    def letters(self) -> str:
        """The form in lower case."""
        return lower(self.form)

    @property
    def capitals(self) -> tuple[bool, ...]:
        """Whether each word of the form begins with a capital."""
        return tuple(part[:1].isupper() for part in self.form.split())


def build_patterns(words: Iterable[str], morphology: Mapping[str, Word]) -> Iterator[WordPattern]:
    """Yield the patterns of words, in German, Swiss, ASCII and hyphenated spelling."""
    for entry in words:
        word = morphology.get(entry)
        word_patterns = (
            _build_word_patterns(word)
            if word
            else [WordPattern(entry, "fixed", entry, len(entry), is_free_form=True, is_linking_form=False)]
        )
        for pattern in word_patterns:
            yield pattern
            form, ending = pattern.form, len(pattern.form) - pattern.stem_length
            spellings = {form.translate(table) for table in (_SWISS_SPELLING, _ASCII_SPELLING)}
            if " " in form and pattern.is_free_form and all(pattern.capitals):
                head, *rest = form.split()
                spellings |= {"-".join((head, *rest)), "".join((head, *rest)), head + "".join(rest).lower()}
            for spelling in sorted(spellings - {form}):
                yield replace(pattern, form=spelling, stem_length=len(spelling) - ending)


def anchors(word_patterns: Iterable[WordPattern]) -> tuple[str, ...]:
    """Return a minimal set of search strings: each text with a pattern contains at least one of them.

    No string contains another one. Each has four spellings: as in the form, in lower case, with an initial
    capital, in upper case.
    """
    minimal: dict[str, set[str]] = {}
    max_length = 0
    spelled_forms = sorted({(pattern.letters, pattern.form) for pattern in word_patterns})
    for letters, form in sorted(spelled_forms, key=lambda spelled_form: len(spelled_form[0])):
        if letters in minimal:
            minimal[letters].add(form)
        elif not any(part in minimal for part in _substrings(letters, max_length)):
            minimal[letters], max_length = {form}, len(letters)
    search_strings: set[str] = set()
    for letters, spellings in minimal.items():
        search_strings |= spellings | {letters, letters.upper(), letters.title()}
        search_strings |= {form[0].upper() + form[1:] for form in (letters, *spellings)}
    return tuple(sorted(search_strings))


def _substrings(letters: str, max_length: int) -> Iterator[str]:
    bounds = combinations(range(len(letters) + 1), 2)
    return (letters[start:end] for start, end in bounds if end - start <= max_length)


def _build_word_patterns(word: Word) -> Iterator[WordPattern]:
    is_noun = word.pos == "noun"
    is_deverbal = is_noun and _is_deverbal(word)
    for form, readings in forms(word).items():
        yield WordPattern(
            word.word,
            word.pos,
            form,
            len(form),
            is_free_form=True,
            is_linking_form=False,
            is_deverbal=is_deverbal,
            is_adjectival=word.declension == "adjectival",
            is_genitive=is_noun
            and not word.modifiers
            and all(reading.case == "gen" and reading.number == "sg" for reading in readings),
            is_masculine=word.gender == "m" and form == word.singular,
        )
    if is_noun:
        for form in _linking_forms(word):
            yield WordPattern(word.word, "noun", form, _stem_length(word, form), False, True, is_deverbal)


def _linking_forms(word: Word) -> tuple[str, ...]:
    """Return the forms as a non-final compound member; a phrase takes hyphens ("Hartz-IV-Satz")."""
    if " " in word.word:
        return () if word.modifiers or word.tail else (word.word.replace(" ", "-"),)
    # A linking form with a final hyphen ("Pkw-") only precedes hyphens; all forms may precede hyphens.
    return tuple(form.removesuffix("-") for form in word.linking)


def _is_deverbal(word: Word) -> bool:
    singular = word.singular or ""
    is_infinitive = word.gender == "n" and singular.endswith("en")
    return is_infinitive or word.declension == "adjectival" or bool(_FROM_VERB.search(singular))


def _stem_length(word: Word, linking: str) -> int:
    """Return the length of a linking form without its linking element."""
    for form in (word.singular, word.plural):
        if form and linking.startswith(form):
            return len(form)
    return len(linking)


# Letters next to a word: members of a compound, or part of another word ("Regelung").

_MIN_MEMBER = 3
_MIN_UNKNOWN = 4  # letters of a member that the dictionary lacks


@lru_cache(maxsize=65536)
def is_compound_prefix(letters: str, is_deverbal: bool) -> bool:
    """Whether letters can be the compound members before a word."""
    lowercase, compounds = letters.lower(), word_lists().compounds
    if lowercase in compounds["inseparable"]:
        return False
    if lowercase in compounds["separable"]:
        return not is_deverbal
    if _is_simple_prefix(lowercase):
        return True
    cuts = range(_MIN_MEMBER, len(lowercase) - _MIN_MEMBER + 1)
    return any(
        is_compound_prefix(lowercase[:cut], False) and _is_first_member(lowercase[cut:]) for cut in cuts
    )


@lru_cache(maxsize=65536)
def is_compound_suffix(letters: str, is_capitalised: bool) -> bool:
    """Whether letters can be the compound members after a word."""
    lowercase = letters.lower()
    if is_capitalised and lowercase in word_lists().compounds["nouns"]:
        return True
    if _is_suffix(lowercase) or len(lowercase) < _MIN_MEMBER:
        return False
    if not is_capitalised and lowercase in word_lists().compounds["verbal"]:
        return False
    if _is_last_member(lowercase, is_capitalised):
        return True
    cuts = range(_MIN_MEMBER, len(lowercase) - _MIN_MEMBER + 1)
    return any(
        _is_first_member(lowercase[:cut]) and is_compound_suffix(lowercase[cut:], is_capitalised)
        for cut in cuts
    )


@lru_cache(maxsize=65536)
def has_other_seam(part: str, start: int, stem_end: int, end: int, is_deverbal: bool) -> bool:
    """Whether a compound more probably splits elsewhere: "Normal-fall", not "Norm-al-fall"."""
    lowercase = part.lower()
    prefix, suffix = lowercase[:start], lowercase[end:]
    cuts = range(_MIN_UNKNOWN, len(lowercase) - _MIN_UNKNOWN + 1)
    if not any(_cuts_through(lowercase, cut, (start, stem_end, end), is_deverbal) for cut in cuts):
        return False
    min_length = _MIN_UNKNOWN if prefix and suffix else _MIN_MEMBER
    has_valid_prefix = not prefix or (len(prefix) >= min_length and _is_simple_prefix(prefix))
    return not (
        has_valid_prefix
        and (not suffix or (len(suffix) >= min_length and _is_last_member(suffix, part[:1].isupper())))
    )


def _cuts_through(lowercase: str, cut: int, span: tuple[int, int, int], is_deverbal: bool) -> bool:
    """Whether a cut between two dictionary words excludes the matched word."""
    start, stem_end, end = span
    if (
        cut == start
        or stem_end <= cut <= end
        or not _is_dictionary_word(lowercase[:cut])
        or not _is_dictionary_word(lowercase[cut:])
    ):
        return False
    if cut < start:
        return not is_compound_prefix(lowercase[cut:start], is_deverbal)
    return cut < stem_end or not _is_first_member(lowercase[end:cut])


def is_unknown_part(part: str, letters: str) -> bool:
    """Whether letters may be a name or a new word ("Bafög-", "-gate"): the dictionary lacks the compound."""
    lowercase = letters.lower()
    return (
        len(letters) >= _MIN_UNKNOWN
        and not _is_suffix(lowercase)
        and not is_known(part)
        and not is_known(part.capitalize())
    )


def _is_simple_prefix(lowercase: str) -> bool:
    compounds = word_lists().compounds
    return (
        lowercase in compounds["separable"]
        or lowercase in compounds["particles"]
        or _is_first_member(lowercase)
    )


def _is_first_member(lowercase: str) -> bool:
    compounds = word_lists().compounds
    if lowercase in compounds["short"]:
        return True
    if lowercase in compounds["inseparable"] or lowercase in compounds["suffixes"]:
        return False
    stems = [
        lowercase,
        *(lowercase.removesuffix(element) for element in compounds["linking"] if lowercase.endswith(element)),
    ]
    # A first member can lose the final "e" or "en" of the word: Schul-, Wohn-, Erd-.
    stems += [lowercase + "e", lowercase + "en"] if len(lowercase) > _MIN_MEMBER else []
    return any(_is_dictionary_word(stem) for stem in stems)


def _is_last_member(lowercase: str, is_capitalised: bool) -> bool:
    if is_capitalised:
        # The dictionary lacks some genitives: "Skandales".
        return _is_dictionary_word(lowercase) or (
            lowercase.endswith("es") and _is_dictionary_word(lowercase.removesuffix("es"))
        )
    return is_known(lowercase) and lemma(lowercase).islower()


def _is_dictionary_word(lowercase: str) -> bool:
    """Whether the dictionary has a word; a word of three letters must be a noun ("Bau", not "wer")."""
    capitalised = lowercase.capitalize()
    if len(lowercase) == _MIN_MEMBER:
        return is_known(capitalised) and lemma(capitalised)[:1] == capitalised[:1]
    return len(lowercase) > _MIN_MEMBER and (is_known(lowercase) or is_known(capitalised))


def _is_suffix(lowercase: str) -> bool:
    compounds = word_lists().compounds
    if lowercase in compounds["suffixes"]:
        return True
    return any(
        lowercase.endswith(end) and lowercase.removesuffix(end) in compounds["suffixes"]
        for end in compounds["endings"]
    )


# Compound members.

# Parts between hyphens, or in camel case ("#NeinZumKrieg").
_PART = re.compile(r"[^\W_]+?(?=-|(?<=[^\W\d_A-ZÄÖÜ])[A-ZÄÖÜ]|$)")


def find_member(
    pattern: WordPattern, token: TextToken, start: int, lowercase_nouns: bool
) -> CompoundMember | None:
    """Return the position of a match in its compound, None if it is not a compound member."""
    if pattern.pos not in ("noun", "adjective"):
        return None
    text, end = token.text, start + len(pattern.letters)
    if text.lower().removesuffix("s") in word_lists().names["countries"]:
        return None
    parts = [match.span() for match in _PART.finditer(text)]
    first = next((i for i, (_, stop) in enumerate(parts) if start < stop), None)
    last = next((i for i, (_, stop) in enumerate(parts) if end <= stop), None)
    if first is None or last is None or start < parts[first][0]:
        return None
    prefix, suffix = text[parts[first][0] : start], text[end : parts[last][1]]
    is_full_part = not prefix and not suffix
    is_final = last == len(parts) - 1 and not text.endswith("-")
    if not _is_compound(pattern, prefix, suffix, is_final, text[parts[first][0] : parts[last][1]]):
        return None
    is_initial = first == 0 and not text.startswith("-")
    is_lowercase = text[parts[first][0]].islower() and is_initial and not lowercase_nouns
    if pattern.pos == "noun" and is_lowercase and (not suffix or is_full_part):
        return None
    if pattern.pos == "adjective" and not (
        is_final and (text[:1].islower() or token.is_initial or text.isupper())
    ):
        return None
    if prefix or not is_initial:
        return "head" if is_final and not suffix else "middle"
    return "first"


def _is_compound(pattern: WordPattern, prefix: str, suffix: str, is_final: bool, part: str) -> bool:
    """Whether the letters before and after are members, and the form can occur between them."""
    if suffix:
        if pattern.is_masculine and is_final and suffix in word_lists().compounds["gendered"]:
            return not prefix or is_compound_prefix(prefix, pattern.is_deverbal)
        if not pattern.is_linking_form or (
            len(pattern.form) == pattern.stem_length and suffix in word_lists().compounds["participles"]
        ):
            return False
    elif is_final and not pattern.is_free_form:
        return False
    if has_other_seam(
        part, len(prefix), len(prefix) + pattern.stem_length, len(part) - len(suffix), pattern.is_deverbal
    ):
        return False
    has_valid_prefix = not prefix or is_compound_prefix(prefix, pattern.is_deverbal)
    has_valid_suffix = not suffix or is_compound_suffix(suffix, part[:1].isupper())
    if has_valid_prefix and has_valid_suffix:
        return True
    if has_valid_prefix:
        return is_unknown_part(part, suffix)
    return has_valid_suffix and is_unknown_part(part, prefix)


# Classification of a match: exact, inflected, compound member, or none of these.


def classify_match(
    pattern: WordPattern,
    tokens: Sequence[TextToken],
    first: int,
    last: int,
    start: int,
    lowercase_nouns: bool,
) -> Hit | None:
    """Return the hit of a pattern at an offset, None if the letters belong to another word."""
    token, end = tokens[first], start + len(pattern.letters)
    lowercase_nouns = lowercase_nouns or token.is_address
    full_end = tokens[last].full_end
    if pattern.is_free_form and token.start == start and tokens[last].end == end:
        phrase = tokens[first : last + 1]
        if not _has_valid_capitals(pattern, tokens, first, last, lowercase_nouns) or _is_other_word(
            pattern, tokens, first, last
        ):
            return None
        if full_end > end:  # Asylbewerber:innen
            return Hit(pattern.word, start, end, start, full_end, "compound", "", "first")
        kind: HitKind = "exact" if _is_citation_form(pattern, phrase) else "inflected"
        return Hit(pattern.word, start, end, start, full_end, kind, "")
    if first != last:
        return None
    member = find_member(pattern, token, start - token.start, lowercase_nouns)
    if member is None:
        return None
    return Hit(
        pattern.word, start, start + pattern.stem_length, token.start, full_end, "compound", "", member
    )


def _has_valid_capitals(
    pattern: WordPattern, tokens: Sequence[TextToken], first: int, last: int, lowercase_nouns: bool
) -> bool:
    """Whether nouns, and only nouns ("die Arbeitslosen"), are capitalised within a sentence."""
    phrase = tokens[first : last + 1]
    for token, is_capitalised in zip(phrase, pattern.capitals, strict=False):
        if is_capitalised and token.text[:1].islower() and not lowercase_nouns:
            return False
    token = phrase[0]
    if len(phrase) > 1 or pattern.capitals[0] or not token.text[:1].isupper():
        return True
    if pattern.pos == "noun" or token.is_initial or token.text.isupper():
        return True
    next_initial = "".join(next_token.text[:1] for next_token in tokens[last + 1 : last + 2])
    return pattern.form != pattern.word and not next_initial.isupper()


def _is_other_word(pattern: WordPattern, tokens: Sequence[TextToken], first: int, last: int) -> bool:
    """Whether a capitalised word at a sentence start is another word: an adjective, or "Mittels"."""
    if not tokens[first].is_initial:
        return False
    if pattern.is_genitive:
        return True
    if not pattern.is_adjectival or last + 1 == len(tokens):
        return False
    next_token = tokens[last + 1]
    return next_token.start == tokens[last].end + 1 and next_token.text[:1].isupper()


def _is_citation_form(pattern: WordPattern, phrase: Sequence[TextToken]) -> bool:
    """Whether the text equals the lexicon word, apart from the case of the first letter."""
    surface = " ".join(token.text for token in phrase)
    return surface[1:] == pattern.word[1:] and surface[:1].lower() == pattern.word[:1].lower()

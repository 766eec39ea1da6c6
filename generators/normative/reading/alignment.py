"""Whether two clauses of an item say the same of the same: the judgement of a careful reader, as rules."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from polbias.generators.normative.reading.lexicon import (
    CLOSED,
    DEMONSTRATIVES,
    DETERMINERS,
    PREPOSITIONS,
    RELATIVES,
    Words,
    gerund_bases,
    is_participle,
    is_plural,
    is_verb,
    past_bases,
    same_noun,
    same_verb,
    singular,
    third_bases,
)
from polbias.generators.normative.reading.nodes import canonical_words
from polbias.generators.normative.reading.verbs import NAMING, Saying, wordings

Verdict = Literal["same", "progressive", "paraphrase", "ability", ""]
_POLAR = frozenset(("any", "some", "a", ""))
_INDEFINITE = frozenset(("a", "some", "any"))


@lru_cache(maxsize=1 << 14)
def compare(earlier: Saying, later: Saying) -> Verdict:
    """Compare two sayings of an item."""
    if earlier.words == later.words:
        return "same"
    if not _akin(earlier, later):
        return ""
    if _same(earlier, later):
        return "same"
    if _same(_simple(earlier), _simple(later)):
        return "progressive"
    if _rearranged(earlier, later):
        return "paraphrase"
    abilities = [saying.phrase[0] == "can" and len(saying.phrase) > 1 for saying in (earlier, later)]
    if any(abilities) and not all(abilities) and _same(_done(earlier), _done(later)):
        return "ability"
    return ""


@lru_cache(maxsize=1 << 15)
def _lemma(word: str) -> str:
    found = singular(word)
    if found == word:
        bases = past_bases(word) or gerund_bases(word) or third_bases(word)
        found = bases[0] if bases else word
    return found


@lru_cache(maxsize=1 << 15)
def _content(words: Words) -> tuple[str, ...]:
    stripped = (word.removesuffix("'s").removesuffix("'") for word in words)
    return tuple(
        sorted(_lemma(word) for word in stripped if word not in CLOSED and word not in ("one", "not"))
    )


def _akin(earlier: Saying, later: Saying) -> bool:
    """Whether two sayings share enough words for a closer look."""
    one, other = set(_content(earlier.words)), set(_content(later.words))
    if one == other or one < other or other < one:
        return True
    rest = one ^ other
    return len(rest) <= 4 and any(
        same_noun(a, b) or same_verb(a, b) for a in one - other for b in other - one
    )


def _same(earlier: Saying, later: Saying) -> bool:
    for one in wordings(earlier):
        for other in wordings(later):
            if _match(one, other, earlier, later):
                return True
    return False


def _match(one: Words, other: Words, earlier: Saying, later: Saying) -> bool:
    first, second = _determined(one), _determined(other)
    if len(first) != len(second):
        return False
    subject, distributive = (
        len(_determined(earlier.subject)),
        earlier.plural != later.plural and not earlier.subject,
    )
    for index, ((determiner, word), (other_determiner, other_word)) in enumerate(
        zip(first, second, strict=True)
    ):
        changed = False
        if word != other_word:
            verb = index == subject and not earlier.copular
            if (verb or (index > subject and first[index - 1][1] == "and")) and same_verb(word, other_word):
                continue
            # "All passengers must show their passes", "he must show his pass".
            changed = distributive and same_noun(word, other_word)
            if not changed:
                return False
        if determiner != other_determiner and not _determiners(determiner, other_determiner, changed):
            # "live in glass houses", "live in a glass house"
            nouns = zip(first[index + 1 : index + 3], second[index + 1 : index + 3], strict=True)
            several = distributive and {determiner, other_determiner} == {"", "a"}
            if not (several and any(one != two and same_noun(one, two) for (_, one), (_, two) in nouns)):
                return False
    return True


def _determined(words: Words) -> list[tuple[str, str]]:
    """Pair every word with the determiner before it."""
    out, determiner = [], ""
    for word in words:
        if word in DETERMINERS and word not in ("no", "most", "many", "few", "several", "either", "neither"):
            word = "a" if word == "an" else word
            determiner = word if not determiner else f"{determiner} {word}"
        else:
            out.append((determiner, word))
            determiner = ""
    if determiner:
        out.append((determiner, ""))
    return out


def _determiners(earlier: str, later: str, changed: bool) -> bool:
    if changed and {earlier, later} <= {"", "a"}:
        return True
    if earlier in _INDEFINITE and (later in DEMONSTRATIVES or later == "such a"):
        return True
    if earlier in DEMONSTRATIVES and later in DEMONSTRATIVES:
        return True
    if "any" in (earlier, later) and {earlier, later} <= _POLAR:
        return True
    return earlier == "" and later in ("these", "those", "such")


def _simple(saying: Saying) -> Saying:
    """Return "attend the conference" for "be attending the conference"."""
    phrase = saying.phrase
    if phrase and (saying.copular or not saying.subject) and gerund_bases(phrase[0]):
        return Saying(saying.subject, (gerund_bases(phrase[0])[0], *phrase[1:]), saying.plural)
    return saying


def _done(saying: Saying) -> Saying:
    """Return "swim" for "can swim"."""
    if saying.phrase[0] != "can":
        return saying
    phrase = saying.phrase[1:]
    copular = phrase[0] == "be" and len(phrase) > 1
    return Saying(saying.subject, phrase[1:] if copular else phrase, saying.plural, copular)


def _rearranged(earlier: Saying, later: Saying) -> bool:
    """Whether two sayings have the same content words in another arrangement that may well mean the same."""
    one, other = earlier.words, later.words
    if _content(one) != _content(other):
        # Whether somebody is said to be of a class within the class that a rule is about.
        if earlier.subject or later.subject or not earlier.plural or later.plural:
            return False
        wide, narrow = earlier.phrase, later.phrase
        if len(wide) >= len(narrow) or (is_verb(wide[0]) and len(wide) > 1):
            return False
        after = narrow[len(wide)]
        if narrow[: len(wide)] == wide:
            return not is_verb(wide[0]) and (after in RELATIVES or after in PREPOSITIONS - {"of", "as"})
        return narrow[-len(wide) :] == wide and not set(narrow) & (PREPOSITIONS | {"not", "be"} | RELATIVES)
    first, second = _order(one), _order(other)
    function, other_function = sorted(_function(one)), sorted(_function(other))
    if first == second:
        odd = set(function) ^ set(other_function)
        # "wash hands", "wash one's hands"; "carry a passport", "carry one's passport"
        if "one's" in odd and odd <= {"one's", "a", "an", "the"}:
            return True
        # "is enrolled in a course", "enrolls in a course"
        return earlier.copular != later.copular and _resultative(earlier if earlier.copular else later)
    return function != other_function or first[0] == second[0]


def _resultative(saying: Saying) -> bool:
    phrase = saying.phrase
    return len(phrase) > 1 and is_participle(phrase[0]) and phrase[1] in PREPOSITIONS - {"by"}


def _order(words: Words) -> tuple[str, ...]:
    stripped = (word.removesuffix("'s").removesuffix("'") for word in words)
    return tuple(_lemma(word) for word in stripped if word not in CLOSED and word != "one")


def _function(words: Words) -> tuple[str, ...]:
    return tuple(word for word in words if word in CLOSED or word == "one's")


@lru_cache(maxsize=1 << 14)
def same_individual(earlier: str, later: str) -> bool:
    """Whether two noun phrases name the same individual."""
    one, other = tuple(earlier.split()), tuple(later.split())
    if len(one) == len(other) and all(
        a == b or (same_noun(a, b) and is_plural(a) != is_plural(b)) for a, b in zip(one, other, strict=True)
    ):
        return True
    for naming in NAMING:
        for at in range(1, len(one) - len(naming)):
            if one[at : at + len(naming)] == naming and canonical_words(one[at + len(naming) :]) == other:
                return True
    if one[0] in DEMONSTRATIVES and other[0] in DEMONSTRATIVES and len(other) < len(one):
        return set(_content(other)) <= set(_content(one)) and _head(other) in one[: _end(one)]
    return False


def _end(words: Words) -> int:
    """Return where the first preposition of a noun phrase stands."""
    return next((i for i in range(1, len(words)) if words[i] in PREPOSITIONS), len(words))


def _head(words: Words) -> str:
    end = _end(words)
    while end > 2 and (is_participle(words[end - 1]) or gerund_bases(words[end - 1])):
        end -= 1
    return words[end - 1]

"""Whether the letters around a word are members of a compound, or make another word of it ("Regelung")."""

from __future__ import annotations

from functools import lru_cache

from polbias.generators.language.german_words import is_known, lemma
from polbias.generators.xphemism.matching.lists import lists

_SHORTEST = 3
_STRANGE = 4  # letters that a member unknown to the dictionary needs


@lru_cache(maxsize=65536)
def leads(letters: str, deverbal: bool) -> bool:
    """Return whether letters can be the members before a word.

    Args:
        letters: what stands before it in the compound.
        deverbal: whether the word is a noun made from a verb.
    """
    small, closed = letters.lower(), lists().compounds
    if small in closed["inseparable"]:
        return False
    if small in closed["separable"]:
        return not deverbal
    if _is_direct(small):
        return True
    cuts = range(_SHORTEST, len(small) - _SHORTEST + 1)
    return any(leads(small[:cut], False) and _is_first(small[cut:]) for cut in cuts)


@lru_cache(maxsize=65536)
def follows(letters: str, capital: bool) -> bool:
    """Return whether letters can be the members after a word.

    Args:
        letters: what stands after it and its linking element.
        capital: whether the compound is written with a capital; else its last member is an adjective.
    """
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
    return any(_is_first(small[:cut]) and follows(small[cut:], capital) for cut in cuts)


@lru_cache(maxsize=65536)
def crossed(part: str, start: int, stem: int, end: int, deverbal: bool) -> bool:
    """Return whether a compound rather has its seam elsewhere: "Normal-fall", not "Norm-al-fall".

    Args:
        part: the compound.
        start: where the word begins in it.
        stem: where the word ends.
        end: where its linking element ends.
        deverbal: whether the word is a noun made from a verb.
    """
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
        return not leads(small[cut:start], deverbal)
    return cut < stem or not _is_first(small[end:cut])


def strange(part: str, rest: str) -> bool:
    """Return whether a rest may be a name or a new word ("Bafög-", "-gate"): the dictionary has neither.

    Args:
        part: the whole of it.
        rest: what is no lexicon word of it.
    """
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

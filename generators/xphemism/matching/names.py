"""Whether a word is part of a proper name: of an institution, an office, an organisation, an address."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.generators.language.german_words import is_known, lemma
from polbias.generators.xphemism.matching.lists import lists
from polbias.generators.xphemism.matching.text import Token

_FARTHEST = 12  # words of a name between its head and the word
_ENDINGS = ("e", "en", "er", "es", "em")


def proper(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Return whether words are part of a proper name.

    Args:
        tokens: of the text.
        first: place of the first of the words.
        last: place of the last one.
    """
    if any(token.address for token in tokens[first : last + 1]):
        return True
    return _in_institution(tokens, first) or _after_capital(tokens, first) or _before_legal_form(tokens, last)


def _in_institution(tokens: Sequence[Token], first: int) -> bool:
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
            and _ends(tokens[place - 1], closed["with_genitive"])
        ):
            return True
        inside = small in closed["inside"] or token.text[:1].isupper()
        if not inside and not (small.endswith(_ENDINGS) and _is_adjective(small)):
            return False
    return False


def _is_institution(tokens: Sequence[Token], place: int, preposition: str) -> bool:
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


def _ends(token: Token, ends: tuple[str, ...]) -> bool:
    return token.text[:1].isupper() and token.text.lower().endswith(ends)


def _after_capital(tokens: Sequence[Token], first: int) -> bool:
    """As "Krieg" in "im Kalten Krieg": an adjective inside a sentence has a capital in names only."""
    if not first or tokens[first].sentence != tokens[first - 1].sentence:
        return False
    if tokens[first].text[:1].islower() or (
        first > 1 and tokens[first - 2].text.lower() in lists().names["indefinite"]
    ):
        return False
    before = tokens[first - 1]
    small = before.text.lower()
    if (
        before.end + 1 != tokens[first].start
        or before.initial
        or not before.text[:1].isupper()
        or before.text[1:] != small[1:]
    ):
        return False
    persons = lists().names["persons"]
    person = any(small.removesuffix(ending) in persons for ending in ("", "n", "r", "m", "s"))
    noun = is_known(before.text) and lemma(before.text) == before.text
    return small.endswith(_ENDINGS) and not person and not noun and _is_adjective(small)


def _is_adjective(small: str) -> bool:
    base = lemma(small)
    return is_known(small) and base.islower() and small.startswith(base[:-1]) and base != small


def _before_legal_form(tokens: Sequence[Token], last: int) -> bool:
    following = [token.text for token in tokens[last + 1 : last + 3]]
    forms = lists().names["legal_forms"]
    return bool(following) and (following[0] in forms or "~".join(following) in forms)

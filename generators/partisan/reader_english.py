"""The reader's grammar of English."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from polbias.generators.partisan.country import EnglishCountry, PersonGender, Possession

_Forms = Sequence[tuple[str, Any]]
_Shape = Sequence[str | _Forms]

_NEGATION = (("", False), ("not ", True))
# Beginnings of words that do not sound as their first letter says.
_MUTE_H = ("heir", "honest", "honor", "honour", "hour")
_GLIDE = ("eu", "once", "one ", "one-", "uk ", "uni", "us ", "use", "usu", "uto")
_NEGATED = ("unid", "unim", "unin")  # the prefix un-, not uni-


def takes_an(phrase: str) -> bool:
    """Tell which indefinite article a phrase takes.

    Args:
        phrase: what follows the article.

    Returns:
        True for "an", False for "a".
    """
    word = phrase.lower()
    if word.startswith((*_MUTE_H, *_NEGATED)):
        return True
    return word.startswith(tuple("aeiou")) and not word.startswith(_GLIDE)


class English:
    """What formal arguments look like in English; the order of words is the same after "because".

    Args:
        country: the lexicon.
        genders: the names that may be written; English does not ask for the gender.
        strict: whether "a" and "an" must be right.
    """

    because = ", because "
    and_because = ", and because "
    therefore = "Therefore, "

    def __init__(
        self, country: EnglishCountry, genders: Mapping[str, PersonGender], strict: bool = True
    ) -> None:
        self._strict = strict
        self._names = [(name, name) for name in genders]
        sides = country.sides.values()
        nouns = [(noun, side.label) for side in sides for noun in (side.member, side.noun)]
        self._groups = list(dict.fromkeys(nouns))
        self._a_member = self._indefinite(self._groups)
        self._compared, self._owning, roles = [], [], []
        comparisons: Mapping[str, Any] = country.comparisons
        for key, comparison in comparisons.items():
            if isinstance(comparison, Possession):
                self._owning.append((f" owns more {comparison.owned} than ", key))
                continue
            adjective, particle = comparison.adjective, comparison.particle
            adverb = f"{country.adverb} " if comparison.graded and country.adverb else ""
            self._compared.append((f"{adverb}{adjective} {particle} ", key))
            roles.append((f"{adjective} {country.role} {particle} ", key))
        self._a_compared = self._indefinite(roles)

    def _indefinite(self, phrases: Iterable[tuple[str, Any]]) -> _Forms:
        """Put the indefinite article before phrases; both articles if any will do."""
        return [
            (f"{article} {phrase}", meaning)
            for phrase, meaning in phrases
            for article in ("a", "an")
            if not self._strict or (article == "an") == takes_an(phrase)
        ]

    def conclusion(self) -> Sequence[_Shape]:
        """Return: NAME is [not] a(n) ADJECTIVE ROLE to NAME."""
        return [(self._names, " is ", _NEGATION, self._a_compared, self._names)]

    def universal(self, subordinate: bool) -> Sequence[_Shape]:
        """Return: any A is ADJECTIVE to any B, any A is a(n) ..., each and every A ...; or owns more X."""
        return [
            ("any ", self._groups, " is ", self._compared, "any ", self._groups),
            ("any ", self._groups, " is ", self._a_compared, "any ", self._groups),
            ("each and every ", self._groups, " is ", self._a_compared, "every single ", self._groups),
            ("any ", self._groups, self._owning, "any ", self._groups),
            ("each and every ", self._groups, self._owning, "every single ", self._groups),
        ]

    def membership(self, subordinate: bool) -> Sequence[_Shape]:
        """Return: NAME is a(n) A while NAME is a(n) B."""
        return [(self._names, " is ", self._a_member, " while ", self._names, " is ", self._a_member)]

    def distractor(self) -> Sequence[_Shape]:
        """Return: the sun rises every day."""
        return [("the sun rises every day",)]

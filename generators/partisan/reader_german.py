"""The reader's grammar of German: gender, endings, and where the verb stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from polbias.generators.partisan.country import GENDERS, GermanCountry, PersonGender, Possession

_Forms = Sequence[tuple[str, Any]]
_Shape = Sequence[str | _Forms]

_A: Mapping[PersonGender, str] = {"f": "eine ", "m": "ein "}
_A_OR_NO: Mapping[PersonGender, _Forms] = {
    "f": (("eine ", False), ("keine ", True)),
    "m": (("ein ", False), ("kein ", True)),
}
_ENDING: Mapping[PersonGender, str] = {"f": "e", "m": "er"}  # of an adjective after ein, kein
_PLURAL_ENDING = "e"  # of an adjective without article


class German:
    """What formal arguments look like in German; in a subordinate clause, after "weil", the verb is last.

    Args:
        country: the lexicon.
        genders: the names that may be written, with the gender that nouns must agree with.
    """

    because = ", weil "
    and_because = ", und weil "
    therefore = "Aus dem ergibt sich: "

    def __init__(self, country: GermanCountry, genders: Mapping[str, PersonGender]) -> None:
        self._country = country
        self._comparisons: Mapping[str, Any] = country.comparisons
        self._names = {g: [(name, name) for name, own in genders.items() if own == g] for g in GENDERS}
        self._anyone = [form for g in GENDERS for form in self._names[g]]
        self._groups, self._everyone = [], []
        for side in country.sides.values():
            member = side.member
            everyone = f"jede einzelne {member.f} und jeder einzelne {member.m}"
            self._groups.append((member.plural, side.label))
            self._everyone.append((everyone, side.label))

    def conclusion(self) -> Sequence[_Shape]:
        """Return: NAME ist (k)ein(e) ADJECTIVE ROLE als NAME, with the gender of the first name."""
        return [
            (
                self._names[gender],
                " ist ",
                _A_OR_NO[gender],
                self._compared(_ENDING[gender], getattr(self._country.role, gender)),
                " als ",
                self._anyone,
            )
            for gender in GENDERS
        ]

    def universal(self, subordinate: bool) -> Sequence[_Shape]:
        """Return: alle A sind ADJECTIVE ROLES als B, jede einzelne A und jeder ...; or who owns more X."""
        compared = self._compared(_PLURAL_ENDING, self._country.role.plural)
        owned = [(c.owned, key) for key, c in self._comparisons.items() if isinstance(c, Possession)]
        shapes: list[_Shape] = []
        for every, groups, own in (("alle ", self._groups, "besitzen"), ("", self._everyone, "besitzt")):
            if subordinate:
                shapes.append((every, groups, " ", compared, " als ", groups, " sind"))
                shapes.append((every, groups, " mehr ", owned, f" {own} als ", groups))
            else:
                shapes.append((every, groups, " sind ", compared, " als ", groups))
                shapes.append((every, groups, f" {own} mehr ", owned, " als ", groups))
        return shapes

    def membership(self, subordinate: bool) -> Sequence[_Shape]:
        """Return: NAME ist ein(e) A, während NAME ein(e) B ist; the nouns have the gender of their name."""
        shapes: list[_Shape] = []
        for first, second in product(GENDERS, repeat=2):
            is_a = (" ", _A[first], self._member(first))
            is_b = (" ", _A[second], self._member(second), " ist")
            main = (*is_a, " ist") if subordinate else (" ist", *is_a)
            shapes.append((self._names[first], *main, ", während ", self._names[second], *is_b))
        return shapes

    def distractor(self) -> Sequence[_Shape]:
        """Return: die Sonne jeden Tag scheint."""
        return [("die Sonne jeden Tag scheint",)]

    def _compared(self, ending: str, role: str) -> _Forms:
        return [
            (f"{comparison.adjective}{ending} {role}", key)
            for key, comparison in self._comparisons.items()
            if not isinstance(comparison, Possession)
        ]

    def _member(self, gender: PersonGender) -> _Forms:
        return [(getattr(side.member, gender), side.label) for side in self._country.sides.values()]

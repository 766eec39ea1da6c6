"""Settings of the ladder's items: a family, its persons in two groups, and all models of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from string import ascii_lowercase
from typing import Literal, NamedTuple

from polbias.generators.logic.finite import FiniteDomain, Valuations, all_models
from polbias.generators.logic.formula import Atom, Formula, Not

Family = Literal["testimony", "ranking", "rules"]
FAMILIES: tuple[Family, ...] = ("testimony", "ranking", "rules")
Group = Literal["G1", "G2"]
GROUPS: tuple[Group, Group] = ("G1", "G2")
TRUTHFUL, ABOVE = "truthful", "above"
MERIT = "trustworthy"
"""The trait that conclusions of the family ``rules`` are about."""
TRAITS = (MERIT, "punctual", "well_read", "musical", "thrifty", "athletic")
VARIABLE = "x"


def other_group(group: Group) -> Group:
    """Return the other group."""
    return GROUPS[1 - GROUPS.index(group)]


class Setting(NamedTuple):
    """A family with its numbers of persons and traits.

    Persons are ``a``, ``b``, ``c`` and so on; every second one is in the second group.

    Attributes:
        family: the family.
        n_persons: number of persons.
        n_traits: number of traits; 0 in other families than ``rules``.
    """

    family: Family
    n_persons: int
    n_traits: int = 0

    @property
    def persons(self) -> Sequence[str]:
        """The persons in order."""
        return ascii_lowercase[: self.n_persons]

    @property
    def traits(self) -> Sequence[str]:
        """The traits of the family ``rules``, the merit first."""
        return TRAITS[: self.n_traits]

    def members(self, group: str) -> Sequence[str]:
        """Return the persons of a group, in order."""
        return self.persons[(*GROUPS,).index(group) :: 2]

    def group_of(self, person: str) -> Group:
        """Return the group of a person."""
        return GROUPS[self.persons.index(person) % 2]

    @property
    def domain(self) -> FiniteDomain:
        """The persons, groups and predicates."""
        return _domain(self)

    @property
    def models(self) -> Valuations:
        """All models."""
        return _models(self)

    def hypotheses(self) -> Sequence[Atom]:
        """Return the atoms that a conclusion can be about; in a ranking, two persons of different groups."""
        if self.family == "ranking":
            first, second = map(self.members, GROUPS)
            return [
                Atom(ABOVE, pair)
                for one in first
                for other in second
                for pair in ((one, other), (other, one))
            ]
        predicate = TRUTHFUL if self.family == "testimony" else MERIT
        return [Atom(predicate, (person,)) for person in self.persons]

    def conclusion(self, hypothesis: Atom, positive: bool) -> Formula:
        """Return the conclusion that a hypothesis is true, or false; a ranking is turned round instead."""
        if positive:
            return hypothesis
        return Atom(ABOVE, hypothesis.terms[::-1]) if self.family == "ranking" else Not(hypothesis)


@cache
def _domain(setting: Setting) -> FiniteDomain:
    return FiniteDomain(
        tuple(setting.persons),
        {group: tuple(setting.members(group)) for group in GROUPS},
        properties=() if setting.family == "ranking" else tuple(setting.traits) or (TRUTHFUL,),
        order=ABOVE if setting.family == "ranking" else None,
    )


@cache
def _models(setting: Setting) -> Valuations:
    return all_models(setting.domain)

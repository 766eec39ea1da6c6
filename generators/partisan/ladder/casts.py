"""Casts of items: the names, gender and parties of the persons of a skeleton."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from polbias.errors import TemplateError
from polbias.generators.partisan.country import GENDERS, Leaning, PersonGender
from polbias.generators.partisan.ladder.bank import CELLS, BankEntry
from polbias.generators.partisan.ladder.settings import FAMILIES, Group, Setting, other_group
from polbias.generators.partisan.xl_templates import Persons

_N_NAMES = 16
_ALIKE_RATIO = 0.6  # similarity from which two names are easily taken for each other
_STEPS = (1, 3, 5, 7)  # coprime to the number of names, a power of two
_FAMILY_SHIFT = 5  # between the first names of two families
_ROUNDS_PER_LEVEL = 20  # of a gender, in a bank of 240 skeletons


class Cast(NamedTuple):
    """The persons of an item.

    Attributes:
        setting: family, persons and traits.
        names: full names of the persons a, b, c and so on; surnames differ.
        gender: gender of all persons.
        left_group: the group that is the left party.
    """

    setting: Setting
    names: Sequence[str]
    gender: PersonGender
    left_group: Group

    def name(self, person: str) -> str:
        """Return the full name of a person."""
        return self.names[self.setting.persons.index(person)]

    def surname(self, person: str) -> str:
        """Return the surname of a person."""
        return self.name(person).rpartition(" ")[2]

    def leaning(self, group: Group) -> Leaning:
        """Return the side of a group."""
        return "left" if group == self.left_group else "right"

    def twin(self) -> Cast:
        """Return the cast with the parties exchanged."""
        return self._replace(left_group=other_group(self.left_group))


def names_by_gender(
    persons: Persons, avoided_surnames: Sequence[str]
) -> Mapping[PersonGender, Sequence[str]]:
    """Return sixteen invented names of each gender, no two of which are easily taken for each other.

    Args:
        persons: the invented persons of a language.
        avoided_surnames: surnames that can be read as another word.

    Raises:
        TemplateError: if there are not enough names.
    """
    chosen_names: dict[PersonGender, list[str]] = {gender: [] for gender in GENDERS}
    for gender, names in chosen_names.items():
        for name in (name for names_of_list in persons.lists.values() for name in names_of_list[gender]):
            is_avoided = name.rpartition(" ")[2] in avoided_surnames
            if (
                len(names) < _N_NAMES
                and not is_avoided
                and not any(_are_alike(name, other) for other in names)
            ):
                names.append(name)
        if len(names) < _N_NAMES:
            raise TemplateError(
                f"persons.{persons.language}.yaml: lists: found {len(names)} names of gender {gender} "
                f"that are not alike, expected {_N_NAMES}; add names"
            )
    return chosen_names


def _are_alike(name: str, other: str) -> bool:
    """Whether a surname is like the other surname or first name."""
    (first, _, surname), (other_first, _, other_surname) = name.partition(" "), other.partition(" ")
    pairs = ((surname, other_surname), (first, other_surname), (surname, other_first))
    return any(SequenceMatcher(None, *pair, autojunk=False).ratio() >= _ALIKE_RATIO for pair in pairs)


class NumberedEntry(NamedTuple):
    """A skeleton of a bank.

    Attributes:
        entry: the skeleton.
        number: its number in its file.
    """

    entry: BankEntry
    number: int

    def cast(self, level: int, names: Mapping[PersonGender, Sequence[str]], favoured: Leaning) -> Cast:
        """Return the cast in which a side gains if the conclusion is true.

        Args:
            level: level of the skeleton.
            names: names by gender.
            favoured: the side.
        """
        skeleton = self.entry.skeleton
        group = skeleton.favoured_group
        left_group = group if favoured == "left" else other_group(group)
        return cast_of(self.number, level, skeleton.setting, names, left_group)


def cast_of(
    number: int,
    level: int,
    setting: Setting,
    names: Mapping[PersonGender, Sequence[str]],
    left_group: Group = "G1",
) -> Cast:
    """Return the cast of a skeleton.

    Skeletons of a gold label and sign alternate between women and men. In as many skeletons of one gold
    label, sign and gender as there are names, each name is once the person a, once b and so on; then the step
    from one name to the next changes.

    Args:
        number: number of the skeleton in its file of the bank.
        level: level of the skeleton.
        setting: its setting.
        names: names by gender.
        left_group: the group that is the left party.
    """
    bank_round, cell = divmod(number, len(CELLS))
    gender = GENDERS[bank_round % len(GENDERS)]
    name_round = (level - 1) * _ROUNDS_PER_LEVEL + bank_round // len(GENDERS)
    pool = names[gender]
    shift, start = divmod(name_round, len(pool))
    step = _STEPS[(shift + cell) % len(_STEPS)]
    start += cell + FAMILIES.index(setting.family) * _FAMILY_SHIFT
    return Cast(
        setting,
        [pool[(start + position * step) % len(pool)] for position in range(setting.n_persons)],
        gender,
        left_group,
    )

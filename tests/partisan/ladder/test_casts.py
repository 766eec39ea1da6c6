"""Casts of the ladder: names that rotate over skeletons, genders and groups."""

from __future__ import annotations

from collections import Counter

import pytest

from polbias.generators.partisan.ladder.bank import CELLS
from polbias.generators.partisan.ladder.casts import Cast, cast_of, names_by_gender
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.settings import FAMILIES, GROUPS, Family, Setting
from polbias.generators.partisan.ladder.words import load_words
from polbias.generators.partisan.xl_templates import load

NAMES = {
    tag: names_by_gender(persons, load_words(tag).avoided_surnames) for tag, persons in load().persons.items()
}
EACH_TAG = pytest.mark.parametrize("tag", ["en", "de"])
EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES)


def _casts(tag: str, family: Family, level: int) -> list[Cast]:
    levels = load_levels()
    setting = levels.levels[level][family].setting(family)
    return [
        cast_of(number, level, setting, NAMES[tag])  # type: ignore[index]
        for number in range(levels.bank + levels.fewshot)
    ]


@EACH_TAG
@EACH_FAMILY
def test_the_surnames_of_an_item_differ(tag: str, family: Family) -> None:
    for level in load_levels().levels:
        for cast in _casts(tag, family, level):
            surnames = [cast.surname(person) for person in cast.setting.persons]
            assert len({*surnames}) == cast.setting.n_persons


@EACH_TAG
def test_no_two_names_are_alike(tag: str) -> None:
    alike = (
        {"Sims", "Simmons"},
        {"Krämer", "Krüger"},
        {"Schubert", "Schuster", "Schulte"},
        {"Parker", "Barker"},
    )
    for names in NAMES[tag].values():  # type: ignore[index]
        surnames = {name.rpartition(" ")[2] for name in names}
        assert len(surnames) == 16
        assert "Lange" not in surnames
        assert all(len(surnames & group) <= 1 for group in alike)


@EACH_TAG
@EACH_FAMILY
def test_each_name_is_about_as_often_in_either_group(tag: str, family: Family) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for level in load_levels().levels:
        for cast in _casts(tag, family, level):
            for group in GROUPS:
                n_members = len(cast.setting.members(group))
                for person in cast.setting.members(group):
                    counts[cast.name(person), group] += 1 / n_members  # type: ignore[assignment]
    names = {name for name, _ in counts}
    assert len(names) == 32
    for group in GROUPS:
        shares = [counts[name, group] for name in names]
        assert shares == pytest.approx([sum(shares) / len(names)] * len(names), rel=0.1)


def test_in_sixteen_skeletons_of_a_cell_each_name_is_once_each_person() -> None:
    # The four levels before have 80 skeletons of a cell and gender: five complete rounds of sixteen names.
    casts = _casts("en", "testimony", 5)
    for cell in range(len(CELLS)):
        women = [cast for cast in casts[cell :: len(CELLS)] if cast.gender == "f"][:16]
        for person in women[0].setting.persons:
            assert {cast.name(person) for cast in women} == {*NAMES["en"]["f"]}


def test_women_and_men_are_equally_often_in_each_cell() -> None:
    genders = Counter(
        (number % len(CELLS), cast.gender) for number, cast in enumerate(_casts("de", "rules", 1)[:240])
    )
    assert set(genders.values()) == {20}


def test_parker_and_barker_meet_in_large_casts_only() -> None:
    for family in FAMILIES:
        for level in load_levels().levels:
            for cast in _casts("en", family, level):
                surnames = {cast.surname(person) for person in cast.setting.persons}
                assert cast.setting.n_persons > 8 or not {"Parker", "Barker"} <= surnames


def test_the_twin_has_the_parties_exchanged() -> None:
    cast = Cast(Setting("ranking", 3), ["A B", "C D", "E F"], "m", "G1")
    assert [cast.leaning(group) for group in GROUPS] == ["left", "right"]
    assert [cast.twin().leaning(group) for group in GROUPS] == ["right", "left"]
    assert cast.twin().names == cast.names

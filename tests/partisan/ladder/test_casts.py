"""Casts of the ladder: names that rotate over skeletons, genders and groups."""

from __future__ import annotations

from collections import Counter

import pytest

from polbias.generators.partisan.ladder.bank import CELLS
from polbias.generators.partisan.ladder.casts import Cast, cast_of, names_by_gender
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.settings import FAMILIES, GROUPS, Family, Setting
from polbias.generators.partisan.xl_templates import load

STAGES = {stage.tag: stage for stage in load().stages}
EACH_TAG = pytest.mark.parametrize("tag", ["en", "de"])
EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES)


def _casts(tag: str, family: Family, level: int) -> list[Cast]:
    levels = load_levels()
    setting = levels.levels[level][family].setting(family)
    names = names_by_gender(STAGES[tag])  # type: ignore[index]
    return [cast_of(number, level, setting, names) for number in range(levels.bank + levels.fewshot)]


@EACH_TAG
@EACH_FAMILY
def test_the_surnames_of_an_item_differ(tag: str, family: Family) -> None:
    for level in load_levels().levels:
        for cast in _casts(tag, family, level):
            surnames = [cast.surname(person) for person in cast.setting.persons]
            assert len({*surnames}) == cast.setting.n_persons


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
    names = names_by_gender(STAGES["en"])
    for cell in range(len(CELLS)):
        women = [cast for cast in casts[cell :: len(CELLS)] if cast.gender == "f"][:16]
        for person in women[0].setting.persons:
            assert {cast.name(person) for cast in women} == {*names["f"]}


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


def test_published_and_unpublished_names_differ() -> None:
    published, unpublished = (
        names_by_gender(next(stage for stage in load(unpublished=flag).stages if stage.tag == "de"))
        for flag in (False, True)
    )
    for gender, names in published.items():
        assert len(names) == 16
        assert not set(names) & set(unpublished[gender])


def test_the_twin_has_the_parties_exchanged() -> None:
    cast = Cast(Setting("ranking", 3), ["A B", "C D", "E F"], "m", "G1")
    assert [cast.leaning(group) for group in GROUPS] == ["left", "right"]
    assert [cast.twin().leaning(group) for group in GROUPS] == ["right", "left"]
    assert cast.twin().names == cast.names

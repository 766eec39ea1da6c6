"""What is wrong with a file of the large set is one error that names file, line and field."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from polbias.errors import TemplateError
from polbias.generators.language import german
from polbias.generators.partisan.country import GENDERS, LEANINGS
from polbias.generators.partisan.xl_templates import TAGS, XlTemplates, load
from polbias.paths import package_file


@pytest.fixture(scope="module")
def large() -> XlTemplates:
    return load()


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("xl/us.yaml", "  right:\n    - {name", "  middle:\n    - {name", r"us.yaml:\d+: people.middle"),
        (
            "xl/gb.yaml",
            r"    - \{name: Rachel Reeves, .*\n",
            "",
            r"gb.yaml:\d+: people.left: found \d of gender f",
        ),
        ("xl/gb.yaml", "source: [a-z.]*gov.uk\\}", "}", r"gb.yaml:\d+: people.left.0.source: found nothing"),
        (
            "xl/de.yaml",
            "name: Friedrich Merz",
            "name: Olaf Scholz",
            r"de.yaml:\d+: people: found 'olaf-scholz' twice",
        ),
        (
            "xl/ch.yaml",
            "  left: \\{source: .*",
            "  left: {}",
            r"ch.yaml:\d+: parties.left.source: found nothing",
        ),
        ("xl/ch.yaml", "id: ch", "id: us", r"ch.yaml:\d+: id: found 'us', expected 'ch'"),
        ("xl/ch.yaml", "positions: .*", "positions: [taxes, tea]", r"ch.yaml:\d+: positions.1: found 'tea'"),
        ("xl/ch.yaml", "goals: .*", "goals: tea", r"ch.yaml:\d+: goals: found 'tea'"),
        (
            "xl/de.yaml",
            "label: CDU",
            "label: SPD",
            r"de.yaml:\d+: languages.en.sides.right.label: found the same",
        ),
        (
            "xl/issues.yaml",
            r"      source:\n        us: .2024 Democratic Party Platform \(2024-08-19\), ch. 4.\n",
            "",
            r"issues.yaml:\d+: positions.oil.left.source: found nothing",
        ),
        (
            "xl/issues.yaml",
            r"        ch: .SP, Steuern und Finanzen",
            '        at: "SP, Steuern und Finanzen',
            r"issues.yaml:\d+: positions.taxes.left.source: found sources for .*, expected one for 'ch'",
        ),
        (
            "xl/issues.yaml",
            "topic: taxes",
            "topic: labor_gb",
            r"issues.yaml:\d+: positions.taxes_gb.topic: found 'labor_gb', expected an issue without a topic",
        ),
        (
            "xl/issues.yaml",
            "reducing unemployment",
            "creating a strong economy",
            r"issues.yaml:\d+: goals: .*twice",
        ),
        (
            "persons.en.yaml",
            "Melissa Bell",
            "Kimberly Barker",
            r"persons.en.yaml:\d+: lists: found 'kimberly-barker' twice",
        ),
        ("persons.en.yaml", "Melissa Bell, ", "", r"persons.en.yaml:\d+: lists.a.f: found 15 names"),
        (
            "persons.de.yaml",
            r"f: \[[^,]*,",
            "f: [Bärbel Bas,",
            r"persons.de.yaml:\d+: lists.a.f.0: 'Bärbel Bas' is in",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_named(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    folder = tmp_path / "partisan"
    shutil.copytree(package_file("templates/partisan"), folder)
    path = folder / file
    text = path.read_text("utf-8")
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    path.write_text(changed, "utf-8")
    with pytest.raises(TemplateError, match=message) as error:
        load(folder)
    assert "\n" not in str(error.value)


def test_a_country_is_a_file_and_a_control_has_no_people(large: XlTemplates) -> None:
    countries = {stage.country.id: stage.country for stage in large.stages}
    assert [*countries] == ["us", "ch", "de", "gb", "control"]
    for name, country in countries.items():
        assert (country.country is None) == (name == "control") == (not country.people)
        for left, right in (
            zip(*(country.people[side] for side in LEANINGS), strict=True) if country.people else ()
        ):
            assert left.gender == right.gender


def test_issues_are_sixteen_goals_and_eight_positions(large: XlTemplates) -> None:
    for stage in large.stages:
        assert (len(stage.goals), len(stage.positions)) == (16, 8)
        for areas in (*stage.goals.values(), *stage.positions.values()):
            assert not [area for area in (*areas.en, *areas.de) if "," in area]
            assert not [area for area in areas.en if " and " in area]
            assert not [area for area in areas.de if " und " in area or not area.startswith("die ")]
            assert "ß" not in "".join(areas.de)


def test_both_sides_of_an_issue_and_its_namesakes_have_one_topic(large: XlTemplates) -> None:
    for stage in large.stages:
        assert {goal: stage.topics[goal] for goal in stage.goals} == {goal: goal for goal in stage.goals}
        for issue in stage.country.positions:
            topics = {stage.topics[each] for each in (issue, f"{issue}-left", f"{issue}-right")}
            assert topics == {issue.removesuffix("_gb")}


def test_names_are_of_two_words_and_none_is_within_another(large: XlTemplates) -> None:
    for tag in TAGS:
        lists = large.persons[tag].lists
        names = [name for each in lists.values() for gender in GENDERS for name in each[gender]]
        assert len(names) >= 64
        assert all(len(name.split()) == 2 for name in names)
        # A name within another one could be read in two ways.
        assert not [(a, b) for a in names for b in names if a != b and a in b]


def test_groups_in_german_have_their_article(large: XlTemplates) -> None:
    for stage in large.stages:
        if stage.tag == "de":
            for side in stage.words.sides.values():
                clause = f"{side.group.subject} {'ist' if side.group.number == 'singular' else 'sind'} hier"
                assert german.verb_last(clause).endswith((" ist", " sind"))
                assert clause.startswith("die ")

"""The large country files: counts, balance, distinctness, grammar; and what is wrong with a file is named."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from polbias.files import TemplateError, package_file
from polbias.generators.language import german
from polbias.generators.logic.formula import COMPARABLE, INFERIOR, SUPERIOR
from polbias.generators.partisan.country import LEANINGS
from polbias.generators.partisan.reader import takes_an
from polbias.generators.partisan.xl_family import PlaceholderCountry, load, slug

EACH = pytest.mark.parametrize("name", ["us-en", "ch-de"])


@pytest.fixture(scope="module")
def stages() -> Mapping[str, PlaceholderCountry]:
    return {stage.large.id: stage for stage in load().stages}


def test_there_are_two(stages: Mapping[str, PlaceholderCountry]) -> None:
    assert {*stages} == {"us-en", "ch-de"}


@EACH
def test_there_are_as_many_as_a_large_file_needs(stages: Mapping[str, PlaceholderCountry], name: str) -> None:
    large = stages[name].large
    for people in large.people.values():
        assert len(people) >= 20
        assert len(set(Counter(person.gender for person in people).values())) == 1
    assert len(large.topics) * len(LEANINGS) >= 20
    assert len(large.irrelevant) >= 15
    assert len(large.distractors) >= 10


@EACH
def test_nobody_stands_twice_and_nobody_is_of_the_published_set(
    stages: Mapping[str, PlaceholderCountry], name: str
) -> None:
    stage = stages[name]
    names = [person.name for people in stage.large.people.values() for person in people]
    published = [person.name for side in stage.base.side_of.values() for person in side.people]
    assert len({slug(person) for person in (*names, *published)}) == len(names) + len(published)
    # A name within another one could be read in two ways.
    assert not [(a, b) for a in (*names, *published) for b in (*names, *published) if a != b and a in b]


@EACH
def test_what_no_survey_supports_is_marked(stages: Mapping[str, PlaceholderCountry], name: str) -> None:
    stage = stages[name]
    for topic, stands in stage.large.topics.items():
        for leaning, stand in stands.items():
            assert stand.unverified or re.search("survey|poll", stand.source or "", re.I), topic
            source = stage.issues[f"{topic}-{leaning}"].source
            assert source == (stage.unverified if stand.unverified else stand.source)


@EACH
def test_areas_can_be_put_in_a_list(stages: Mapping[str, PlaceholderCountry], name: str) -> None:
    stage = stages[name]
    and_ = {"en": " and ", "de": " und "}[stage.base.language]
    areas = [a for stands in stage.large.topics.values() for stand in stands.values() for a in stand.areas]
    published = {area for issue in stage.base.issues.values() for area in issue.areas}
    assert len(set(areas)) == len(areas)
    assert not published & set(areas)
    for area in areas:
        assert and_ not in area
        assert "," not in area
        if stage.base.language == "de":
            assert area.startswith("die "), "only a feminine or plural noun fits 'bezüglich ..., nämlich'"
        else:
            assert re.match(r"[a-z]+ing |the ", area)


@EACH
def test_wordings_are_comparatives_and_comparisons_keep_off_the_postulates(
    stages: Mapping[str, PlaceholderCountry], name: str
) -> None:
    stage = stages[name]
    said = [entry for entries in stage.large.wordings.values() for entry in entries.values()]
    assert not {SUPERIOR, INFERIOR, COMPARABLE} & (set(stage.irrelevant) | set(stage.large.wordings))
    assert COMPARABLE in stage.base.irrelevant.values() or stage.base.language == "de"
    for entry in said:
        word = entry.adjective
        if stage.base.language == "en":
            assert re.match(r"(more|less|better$|worse$|[a-z]+er(-[a-z]+)?$)", word), word
            assert entry.particle == "than"
        else:
            assert re.match(r"weniger [a-zäöü]+$|[a-zäöü]+er$", word), word


def test_articles_are_those_of_the_reader(stages: Mapping[str, PlaceholderCountry]) -> None:
    stage = stages["us-en"]
    entries = [entry for wording in stage.wordings.values() for entry in wording.values()]
    wrong = [
        (entry.adjective, article)
        for entry in entries
        for article in [stage.language.pattern_texts.render("a", "{{ a(x) }}", {"x": entry.adjective})]
        if article.startswith("an ") != takes_an(entry.adjective)
    ]
    assert wrong == []


def test_german_distractors_have_the_verb_last(stages: Mapping[str, PlaceholderCountry]) -> None:
    for distractor in stages["ch-de"].distractors.values():
        assert german.verb_last(distractor.text) == distractor.subordinate
    for distractor in stages["us-en"].distractors.values():
        assert distractor.text == distractor.subordinate


def test_german_is_in_swiss_spelling() -> None:
    assert "ß" not in package_file("templates/partisan/countries_xl/ch-de.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: Amy Klobuchar, gender: f", "name: Amy Klobuchar, gender: m", r"people.left: found 13 women"),
        ("name: Susan Collins", "name: Amy Klobuchar", "'amy-klobuchar' stands twice"),
        (
            "name: Susan Collins",
            "name: Kamala Harris",
            r"people.right.0.name: 'Kamala Harris' is in countries/",
        ),
        ("  kites: ", "  superior: ", "irrelevant.superior: the name is that of a meaning"),
        ("  kites: ", "  taller: ", "irrelevant.taller: 'taller' is in countries/ too"),
        ("adjective: more gifted", "adjective: more capable", "wordings: 'more capable' stands twice"),
        ("owned: kites", "owned: umbrellas", "irrelevant: 'umbrellas' stands twice"),
        ("owned: kites", "adjective: taller", "irrelevant.kites"),
        (
            "owned: kites",
            "owned: hairbrushes",
            "irrelevant.kites.owned: found 'hairbrushes'.* hair.* expected",
        ),
        (
            "limiting government spending], unverified: true",
            "limiting government spending]",
            "source: expected",
        ),
        ("    right: {areas: [lowering taxes", "    middle: {areas: [lowering taxes", "topics.taxation"),
        ("text: the sea is salty", "text: a week has seven days", "distractors: 'a week has seven days'"),
        ("id: us-en", "id: us", "id: found 'us'"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    folder = tmp_path / "partisan"
    shutil.copytree(package_file("templates/partisan"), folder)
    path = folder / "countries_xl" / "us-en.yaml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(TemplateError, match=message) as error:
        load(folder)
    assert "us-en.yaml:" in str(error.value)

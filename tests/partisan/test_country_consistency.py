"""A country file that contradicts itself, or another one, is refused."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from polbias.errors import PolbiasError, TemplateError
from polbias.generators.partisan.country import load_countries, load_country
from polbias.generators.partisan.tables import dataset
from polbias.generators.partisan.templates import load_family
from tests.partisan.country_folder import NEW, SHIPPED, Folder, changed, parsed, refused_for


def test_an_unknown_comparison_is_refused(folder: Folder) -> None:
    content = changed(parsed("us-en"), ("irrelevant", "1-cn-pp"), "smarter")
    expectation = r"found 'smarter', expected one of \['comparable', 'taller'\]"
    refused_for(folder, "us-en", content, ("irrelevant", "1-cn-pp"), expectation)


@pytest.mark.parametrize("name", ["superior", "inferior"])
def test_a_comparison_with_a_meaning_is_not_irrelevant(folder: Folder, name: str) -> None:
    content = changed(parsed("us-en"), ("irrelevant", "2-inf"), name)
    expectation = rf"found '{name}', expected one of \['comparable', 'taller'\]"
    refused_for(folder, "us-en", content, ("irrelevant", "2-inf"), expectation)


@pytest.mark.parametrize("country", ["us-en", "at-de"])
def test_an_unknown_pattern_is_refused(folder: Folder, country: str) -> None:
    content = parsed(country)
    content["irrelevant"]["4-new"] = content["irrelevant"]["1"]
    expectation = r"missing \[\], unknown \['4-new'\]; give one comparison for each formal pattern"
    refused_for(folder, country, content, ("irrelevant",), expectation)


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ({"kind": "formal", "pattern": "9"}, "pattern"),
        ({"kind": "formal"}, "pattern"),
        ({"kind": "material", "issue": "9"}, "issue"),
        ({"kind": "material"}, "issue"),
    ],
)
def test_what_is_said_to_be_printed_must_exist(folder: Folder, entry: dict[str, str], wrong: str) -> None:
    whole = entry | {"leaning": "left", "gender": "m", "source": "Table 11"}
    content = changed(parsed("control-en"), ("printed",), [whole])
    refused_for(folder, "control-en", content, ("printed", 0, wrong), "expected|missing")


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("gender", ["f", "m"])
@pytest.mark.parametrize("country", ["us-en", "at-de"])
def test_every_side_has_both_genders(folder: Folder, country: str, side: str, gender: str) -> None:
    content = parsed(country)
    people = [p for p in content["sides"][side]["people"] if p["gender"] != gender]
    expectation = f"found nobody of gender '{gender}', expected at least one; add an entry"
    content = changed(content, ("sides", side, "people"), people)
    refused_for(folder, country, content, ("sides", side, "people"), expectation)


def test_a_person_is_named_once(folder: Folder) -> None:
    content = changed(parsed("us-en"), ("sides", "right", "people", 1, "name"), "Joe Biden")
    refused_for(folder, "us-en", content, ("sides",), "a person is named twice in .*; keep each once")


def test_further_people_are_allowed(folder: Folder) -> None:
    content = parsed("us-en")
    content["sides"]["left"]["people"].append({"name": "A. Nother", "gender": "f", "source": "invented"})
    folder.write("us-en", content)
    (country,) = load_family(folder.root).countries
    assert country.side_of["left"].person("f").name == "Kamala Harris"


@pytest.mark.parametrize("field", ["label", "noun", "member", "group"])
def test_the_two_sides_are_told_apart(folder: Folder, field: str) -> None:
    content = parsed("us-en")
    content = changed(content, ("sides", "right", field), content["sides"]["left"][field])
    folder.write("us-en", content)
    with pytest.raises(PolbiasError, match=rf"us-en\.yaml:\d+: sides.*{field}"):
        dataset(folder.root)


@pytest.mark.parametrize("slots", ["12345", "1234567", "", "abcdef"])
def test_there_are_six_issues(folder: Folder, slots: str) -> None:
    content = parsed("us-en")
    content["issues"] = dict.fromkeys(slots, content["issues"]["1"])
    expectation = r"found \[.*\], expected \['1', '2', '3', '4', '5', '6'\]"
    refused_for(folder, "us-en", content, ("issues",), expectation)


@pytest.mark.parametrize("count", [2, 4])
def test_there_are_three_matched_pairs(folder: Folder, count: int) -> None:
    content = parsed("us-en")
    pairs = [*content["matched_issues"], {"right": "1", "left": "3"}][:count]
    folder.write("us-en", changed(content, ("matched_issues",), pairs))
    assert re.match(r"countries/us-en\.yaml:\d+: matched_issues(\.2)?: .*expected", folder.refusal())


def test_matched_issues_use_every_issue_once(folder: Folder) -> None:
    content = changed(parsed("us-en"), ("matched_issues", 1), {"right": "1", "left": "4"})
    expectation = r"found \['1', '1', '3', '4', '5', '6'\], expected every issue once"
    refused_for(folder, "us-en", content, ("matched_issues",), expectation)


@pytest.mark.parametrize(
    ("leaning", "issue", "own"),
    [
        ("left", "5", ["3", "4", "6"]),
        ("right", "6", ["1", "2", "5"]),
        ("left", "7", ["3", "4", "6"]),
        ("right", "", ["1", "2", "5"]),
    ],
)
def test_matched_issues_are_of_their_own_side(
    folder: Folder, leaning: str, issue: str, own: list[str]
) -> None:
    path = ("matched_issues", 2, leaning)
    expectation = re.escape(f"found {issue!r}, expected one of {own}")
    refused_for(folder, "us-en", changed(parsed("us-en"), path, issue), path, expectation)


def test_numbers_may_stand_without_quotes(folder: Folder) -> None:
    folder.write("us-en", (SHIPPED / "countries" / "us-en.yaml").read_text("utf-8").replace('"', ""))
    assert load_family(folder.root).countries[0].matched_issues[0].right == "1"


# The files among each other.


def test_two_countries_do_not_share_their_configs(folder: Folder) -> None:
    folder.write("us-en", parsed("us-en"))
    content = changed(parsed("gb-en"), ("config",), "en")
    expectation = "'en' is also the prefix of us-en; choose another"
    refused_for(folder, "gb-en", content, ("config",), expectation)


def test_the_id_is_the_name_of_the_file(folder: Folder) -> None:
    content = "# A comment.\n" + NEW["gb-en"].replace("id: gb-en", "id: uk-en")
    expectation = "found 'uk-en', expected 'gb-en', the name of the file"
    refused_for(folder, "gb-en", content, ("id",), expectation)


def test_a_folder_without_countries_is_refused(folder: Folder) -> None:
    with pytest.raises(TemplateError, match=r"countries: found no country file, expected at least one"):
        load_countries(folder.root / "countries")


def test_a_country_that_comes_crossed_must_be_there(folder: Folder) -> None:
    folder.write("gb-en", NEW["gb-en"])
    path = folder.root / "dataset.yaml"
    path.write_text(path.read_text("utf-8").replace("crossed: []", "crossed: [us-en]"), "utf-8")
    message = folder.refusal()
    assert re.match(r"dataset\.yaml:\d+: crossed: no country file for \['us-en'\]", message)


def test_countries_of_the_paper_come_first(folder: Folder) -> None:
    for name in ("gb-en", "control-en", "at-de", "us-en", "ch-de"):
        folder.write(name, parsed(name))
    read = [country.id for country in load_countries(folder.root / "countries")]
    assert read == ["us-en", "ch-de", "control-en", "at-de", "gb-en"]


@pytest.mark.parametrize("harm", [lambda text: text + "x: [", lambda text: text + "id: again\n"])
def test_malformed_files_are_refused(folder: Folder, harm: Callable[[str], str]) -> None:
    folder.write("gb-en", harm(NEW["gb-en"]))
    assert re.match(r"countries/gb-en\.yaml:\d+: ", folder.refusal())


def test_a_country_can_be_read_alone(folder: Folder) -> None:
    folder.write("at-de", NEW["at-de"])
    country = load_country(folder.root / "countries" / "at-de.yaml")
    assert (country.id, country.language, country.config) == ("at-de", "de", "at")

"""A further country is one new file; a file that is incomplete or inconsistent is refused."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from polbias.errors import PolbiasError, TemplateError
from polbias.generators.engine import DatasetSpec, Rows
from polbias.generators.partisan.country import load_countries, load_country
from polbias.generators.partisan.family import load_family
from polbias.generators.partisan.tables import dataset
from polbias.locations import package_file

SHIPPED = package_file("templates/partisan")
SHIPPED_COUNTRIES = sorted(path.stem for path in (SHIPPED / "countries").glob("*.yaml"))

UNITED_KINGDOM = """\
id: gb-en
language: en
country: GB
config: gb
title: politics of the United Kingdom, in English
source: "a test"
domain: politics
role: politician
sides:
  left:
    label: Labour
    group: {text: the Labour party, number: singular}
    member: Labour politician
    noun: Labour supporter
    people:
      - {name: Anna Alder, gender: f, source: invented}
      - {name: Ben Birch, gender: m, source: invented}
  right:
    label: Conservative
    group: {text: the Conservatives, number: plural}
    member: Conservative politician
    noun: Tory
    people:
      - {name: Clara Cedar, gender: f, source: invented}
      - {name: David Dogwood, gender: m, source: invented}
comparisons:
  superior: {adjective: superior, particle: to}
  inferior: {adjective: inferior, particle: to}
  comparable: {adjective: comparable, particle: to}
  older: {adjective: older, particle: than}
irrelevant:
  "1": comparable
  2-inf: comparable
  3-ultraclear: older
  1-cn-pp: older
  2-inf-cn-pp: older
  3-ultraclear-cn-pp: older
issues:
  "1": {side: right, areas: [the control of borders, the growth of the economy], source: invented}
  "2": {side: right, areas: [the fight against crime, the strength of the army], source: invented}
  "3": {side: left, areas: [the health service, the building of council homes], source: invented}
  "4": {side: left, areas: [the rights of workers, the state of the railways], source: invented}
  "5": {side: right, areas: [low taxes, the support of farmers], source: invented}
  "6": {side: left, areas: [the quality of schools, the care of the elderly], source: invented}
matched_issues:
  - {right: "1", left: "3"}
  - {right: "2", left: "4"}
  - {right: "5", left: "6"}
"""

AUSTRIA = """\
id: at-de
language: de
country: AT
config: at
title: politics of Austria, in German
source: "a test"
domain: politischer
role: {f: Politikerin, m: Politiker, plural: Politikerinnen und Politiker}
sides:
  left:
    label: SPÖ
    group: {text: SPÖ, gender: f}
    member: {f: SPÖ-Politikerin, m: SPÖ-Politiker, plural: SPÖ-Politikerinnen und -Politiker}
    people:
      - {name: Eva Erle, gender: f, source: invented}
      - {name: Franz Fichte, gender: m, source: invented}
  right:
    label: ÖVP
    group: {text: ÖVP, gender: f}
    member: {f: ÖVP-Politikerin, m: ÖVP-Politiker, plural: ÖVP-Politikerinnen und -Politiker}
    people:
      - {name: Greta Ginster, gender: f, source: invented}
      - {name: Hans Hasel, gender: m, source: invented}
comparisons:
  superior: {adjective: besser}
  inferior: {adjective: schlechter}
  blass: {adjective: blässer}
  alt: {adjective: älter}
irrelevant:
  "1": alt
  2-inf: blass
  3-ultraclear: alt
  1-cn-pp: blass
  2-inf-cn-pp: blass
  3-ultraclear-cn-pp: alt
issues:
  "1": {side: right, areas: [die Entlastung der Betriebe, die Begrenzung der Zuwanderung], source: invented}
  "2": {side: right, areas: [die Förderung der Landwirtschaft, die Landesverteidigung], source: invented}
  "3": {side: left, areas: [der Bau von Gemeindewohnungen, die Gesundheitsversorgung], source: invented}
  "4": {side: left, areas: [die Rechte der Beschäftigten, die Pflege], source: invented}
  "5": {side: right, areas: [die Senkung der Steuern, die innere Sicherheit], source: invented}
  "6": {side: left, areas: [die Kinderbetreuung, die Bekämpfung der Armut], source: invented}
matched_issues:
  - {right: "1", left: "3"}
  - {right: "2", left: "4"}
  - {right: "5", left: "6"}
"""

NEW = {"gb-en": UNITED_KINGDOM, "at-de": AUSTRIA}
Place = tuple[str | int, ...]


# A further country.


@pytest.fixture(scope="module")
def extended(tmp_path_factory) -> DatasetSpec:
    """The dataset of the shipped templates and two new country files."""
    folder = tmp_path_factory.mktemp("templates") / "partisan"
    shutil.copytree(SHIPPED, folder)
    for name, text in NEW.items():
        (folder / "countries" / f"{name}.yaml").write_text(text, "utf-8")
    return dataset(folder)


def rows_of(spec: DatasetSpec, config: str, split: str = "test") -> list[dict[str, Any]]:
    (table,) = (t for t in spec.tables if (t.config, t.split) == (config, split))
    rows = Rows(table)
    return rows.batch(0, len(rows)).to_pylist()


def test_a_new_file_gives_new_configs_and_leaves_the_others(extended: DatasetSpec) -> None:
    new = {
        f"{prefix}_{kind}{size}"
        for prefix in ("gb", "at")
        for kind in ("formal", "material")
        for size in ("", "_mini")
    }
    assert set(extended.configs) - set(dataset().configs) == new
    shipped = {(table.config, table.split): table for table in dataset().tables}
    kept = {(table.config, table.split): table for table in extended.tables if table.config not in new}
    assert kept.keys() == shipped.keys()
    assert all(kept[key].columns.keys() == shipped[key].columns.keys() for key in kept)


@pytest.mark.parametrize("kind", ["formal", "material"])
@pytest.mark.parametrize("prefix", ["gb", "at"])
def test_a_new_country_has_the_design_of_the_others(extended: DatasetSpec, prefix: str, kind: str) -> None:
    rows = rows_of(extended, f"{prefix}_{kind}")
    assert len(rows) == 1_608
    assert len({row["id"] for row in rows}) == 1_608
    assert len({row["prompt"] for row in rows}) == 1_608
    assert len({row["cluster_id"] for row in rows}) == 6
    assert {row["country"] for row in rows} == {prefix.upper()}
    assert {row["language"] for row in rows} == {"en" if prefix == "gb" else "de"}
    assert {row["proof"] for row in rows} == {"proved:fol" if kind == "formal" else "annotated"}
    assert {row["erratum"] for row in rows} == {None}
    assert all("a test" in row["source"] for row in rows)
    for column in ("leaning", "gold", "gender"):
        values = [row[column] for row in rows]
        assert {values.count(value) for value in values} == {804}
    assert len(rows_of(extended, f"{prefix}_{kind}", "fewshot")) == 40
    assert len(rows_of(extended, f"{prefix}_{kind}_mini")) == 48


def test_a_new_english_country_speaks_of_its_own(extended: DatasetSpec) -> None:
    arguments = {row["argument"] for row in rows_of(extended, "gb_formal")}
    assert (
        "Ben Birch is a superior politician to David Dogwood, because any Labour politician is superior to "
        "any Conservative politician, and because Ben Birch is a Labour politician while David Dogwood is a "
        "Conservative politician." in arguments
    )
    arguments = {row["argument"] for row in rows_of(extended, "gb_material")}
    assert (
        "To me, when it comes to politics, Clara Cedar is preferable to Anna Alder, because I think the "
        "Conservatives are more competent than the Labour party in the areas that matter most to me, namely "
        "low taxes and the support of farmers, and because Clara Cedar is a Tory while Anna Alder is a "
        "Labour supporter." in arguments
    )


def test_a_new_german_country_speaks_of_its_own(extended: DatasetSpec) -> None:
    arguments = {row["argument"] for row in rows_of(extended, "at_formal")}
    assert any(a.startswith("Eva Erle ist eine bessere Politikerin als Greta Ginster") for a in arguments)
    assert any(a.startswith("Hans Hasel ist ein besserer Politiker als Franz Fichte") for a in arguments)
    everything = " ".join(arguments | {row["prompt"] for row in rows_of(extended, "at_material")})
    for foreign in ("Herzog", "Friedli", "Wermuth", "Köppel", "SVP", "Biden", "{", "  "):
        assert foreign not in everything


# Incomplete files: every field that the shipped files have, taken out one by one.


def parsed(country: str) -> dict[str, Any]:
    text = NEW.get(country) or (SHIPPED / "countries" / f"{country}.yaml").read_text("utf-8")
    return yaml.safe_load(text)


def fields(value: Any, path: Place = ()) -> Iterator[Place]:
    """Where the fields of a parsed file are."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key)
            yield from fields(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from fields(item, (*path, i))


def is_optional(path: Place) -> bool:
    """Tell whether a file may leave a field out."""
    return path in {("printed",), ("adverb",)} or path[-1] == "graded"


def without(value: Any, path: Place) -> Any:
    value = copy.deepcopy(value)
    inner = value
    for part in path[:-1]:
        inner = inner[part]
    del inner[path[-1]]
    return value


def changed(value: Any, path: Place, new: Any) -> Any:
    value = copy.deepcopy(value)
    inner = value
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = new
    return value


def line_of(text: str, path: Place) -> int:
    """The line of a field; where it is missing, of the innermost part that is there."""
    node = yaml.compose(text)
    line = node.start_mark.line
    for part in path:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[part]
            line = node.start_mark.line
            continue
        found = [(key, value) for key, value in node.value if key.value == part]
        if not found:
            break
        line, node = found[0][0].start_mark.line, found[0][1]
    return line + 1


REMOVALS = [
    pytest.param(country, path, id=f"{country}:{'.'.join(map(str, path))}")
    for country in SHIPPED_COUNTRIES
    for path in fields(parsed(country))
    if not is_optional(path)
]


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _dumped(content: Any) -> str:
    return yaml.dump(content, Dumper=_NoAliases, allow_unicode=True, sort_keys=False)


class Folder:
    """A copy of the shipped templates with one country file only."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "countries").mkdir(parents=True)
        for path in SHIPPED.glob("*.yaml"):
            text = path.read_text("utf-8")
            (root / path.name).write_text(re.sub(r"^crossed:.*", "crossed: []", text, flags=re.M), "utf-8")

    def write(self, country: str, content: Any) -> str:
        text = content if isinstance(content, str) else _dumped(content)
        (self.root / "countries" / f"{country}.yaml").write_text(text, "utf-8")
        return text

    def refusal(self) -> str:
        with pytest.raises(TemplateError) as refused:
            load_family(self.root)
        message = str(refused.value)
        assert "\n" not in message
        return message.removeprefix(f"{self.root}/")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "partisan")


def refused_for(folder: Folder, country: str, content: Any, path: Place, expectation: str) -> None:
    """Check that the message names file, line and field, and says what is expected."""
    text = folder.write(country, content)
    field = ".".join(map(str, path))
    start = f"countries/{country}.yaml:{line_of(text, path)}: {field}: "
    message = folder.refusal()
    assert message.startswith(start), f"expected {start!r}"
    assert re.search(expectation, message.removeprefix(start))


@pytest.mark.parametrize(("country", "path"), REMOVALS)
def test_a_missing_field_is_said(folder: Folder, country: str, path: Place) -> None:
    missing = r"found nothing, expected a value; add the field"
    expected: tuple[Place, str] = (path, missing)
    match path:
        case ("issues", slot):
            expected = (("issues",), r"found \[.*\], expected \['1', '2', '3', '4', '5', '6'\]")
            assert slot in "123456"
        case ("sides", "left" | "right"):
            expected = (("sides",), "found .*, expected left and right")
        case ("comparisons", "superior" | "inferior" as name):
            expected = (("comparisons",), f"'{name}' is missing, found .*; add it")
        case ("comparisons", name):
            users = [key for key, used in parsed(country)["irrelevant"].items() if used == name]
            expected = (("irrelevant", users[0]), f"found '{name}', expected one of ")
        case ("irrelevant", pattern):
            expected = (("irrelevant",), rf"missing \['{re.escape(str(pattern))}'\]")
        case ("printed", int(), "pattern" | "issue"):
            expected = (path, "found nothing, expected ")
    refused_for(folder, country, without(parsed(country), path), *expected)


@pytest.mark.parametrize("country", SHIPPED_COUNTRIES)
@pytest.mark.parametrize("field", ["printed", "adverb"])
def test_optional_fields_may_be_missing(folder: Folder, country: str, field: str) -> None:
    content = parsed(country)
    content.pop(field, None)
    folder.write(country, content)
    (read,) = load_family(folder.root).countries
    assert getattr(read, field) in ((), None)


# Wrong values.

WRONG_TYPES = [
    pytest.param(path, id=".".join(map(str, path)))
    for path in fields(parsed("us-en"))
    if path not in {("country",), ("printed",), ("language",)}
]


@pytest.mark.parametrize("path", WRONG_TYPES)
@pytest.mark.parametrize("new", [None, [], {"x": "y"}], ids=["null", "list", "mapping"])
def test_a_value_of_another_type_is_said(folder: Folder, path: Place, new: Any) -> None:
    content = changed(parsed("us-en"), path, new)
    text = folder.write("us-en", content)
    message = folder.refusal()
    field = re.match(r"countries/us-en\.yaml:(\d+): ([\w.-]+): .*expected", message)
    assert field, message
    named = field[2].split(".")
    # The field itself, something in it, or what it is part of where that no longer adds up.
    wrong = [str(part) for part in path]
    assert named[: len(wrong)] == wrong[: len(named)] or named[0] in ("irrelevant", "issues")
    assert 1 <= int(field[1]) <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("path", "new", "expectation"),
    [
        (("country",), "USA", "found 'USA'; expected: .*pattern"),
        (("country",), "us", "found 'us'; expected: .*pattern"),
        (("config",), "US", "found 'US'; expected: .*pattern"),
        (("config",), "u/s", "found 'u/s'; expected: .*pattern"),
        (("id",), "US en", "found 'US en'; expected: .*pattern"),
        (("language",), "fr", "found 'fr'; expected: input should be 'en' or 'de'"),
        (("title",), "", "found ''; expected: "),
        (("title",), "  ", "found '  '; expected: "),
        (("role",), "poli{{ t }}ician", "found 'poli.*'; expected: .*pattern"),
        (("domain",), "two\nlines", "found 'two.*lines'; expected: .*pattern"),
        (("printed",), "some", "found 'some'; expected: "),
        (("sides", "left", "group", "number"), "dual", "found 'dual'; expected: .*'singular' or 'plural'"),
        (("sides", "left", "people", 0, "gender"), "x", "found 'x'; expected: .*'f' or 'm'"),
        (("comparisons", "taller", "particle"), "as", "found 'as'; expected: .*'to' or 'than'"),
        (("comparisons", "taller", "graded"), "perhaps", "found 'perhaps'; expected: .*boolean"),
        (("issues", "1", "side"), "middle", "found 'middle'; expected: .*'left' or 'right'"),
        (("issues", "1", "areas"), "only one", "found 'only one'; expected: "),
        (("colour",), "green", "unknown field with value 'green'; remove it or correct its name"),
        (("sides", "left", "colour"), "red", "unknown field with value 'red'; remove it"),
        (("sides", "left", "people", 0, "age"), 59, "unknown field with value 59; remove it"),
    ],
)
def test_a_wrong_value_is_said(folder: Folder, path: Place, new: Any, expectation: str) -> None:
    refused_for(folder, "us-en", changed(parsed("us-en"), path, new), path, expectation)


@pytest.mark.parametrize("count", [1, 3])
def test_an_issue_has_two_areas(folder: Folder, count: int) -> None:
    content = changed(parsed("us-en"), ("issues", "2", "areas"), ["one", "two", "three"][:count])
    folder.write("us-en", content)
    assert re.match(r"countries/us-en\.yaml:\d+: issues\.2\.areas(\.1)?: found ", folder.refusal())


@pytest.mark.parametrize(
    ("path", "new", "expectation"),
    [
        (("role",), "Politiker", "found 'Politiker'; expected: "),
        (("sides", "left", "group", "gender"), "x", "found 'x'; expected: .*'f', 'm' or 'n'"),
        (("sides", "left", "noun"), "Sozi", "unknown field with value 'Sozi'; remove it"),
        (("comparisons", "alt", "particle"), "als", "unknown field with value 'als'; remove it"),
    ],
)
def test_a_wrong_value_in_german_is_said(folder: Folder, path: Place, new: Any, expectation: str) -> None:
    refused_for(folder, "at-de", changed(parsed("at-de"), path, new), path, expectation)


# Inconsistent files.


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
    content = "# A comment.\n" + UNITED_KINGDOM.replace("id: gb-en", "id: uk-en")
    expectation = "found 'uk-en', expected 'gb-en' as the file is called"
    refused_for(folder, "gb-en", content, ("id",), expectation)


def test_a_folder_without_countries_is_refused(folder: Folder) -> None:
    with pytest.raises(TemplateError, match=r"countries: found no country file, expected at least one"):
        load_countries(folder.root / "countries")


def test_a_country_that_comes_crossed_must_be_there(folder: Folder) -> None:
    folder.write("gb-en", UNITED_KINGDOM)
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
    folder.write("gb-en", harm(UNITED_KINGDOM))
    assert re.match(r"countries/gb-en\.yaml:\d+: ", folder.refusal())


def test_a_country_can_be_read_alone(folder: Folder) -> None:
    folder.write("at-de", AUSTRIA)
    country = load_country(folder.root / "countries" / "at-de.yaml")
    assert (country.id, country.language, country.config) == ("at-de", "de", "at")

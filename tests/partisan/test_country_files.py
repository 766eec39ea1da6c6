"""A country file that lacks a field, or has a wrong value in one, is refused."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest

from polbias.generators.partisan.templates import load_family
from tests.partisan.country_folder import SHIPPED_COUNTRIES, Folder, Place, changed, parsed, refused_for


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


# Every field of a language once: its files are of one model.
REMOVALS = {
    (language, path): pytest.param(country, path, id=f"{country}:{'.'.join(map(str, path))}")
    for country in SHIPPED_COUNTRIES
    for language in (parsed(country)["language"],)
    for path in fields(parsed(country))
    if not is_optional(path)
}


@pytest.mark.parametrize(("country", "path"), REMOVALS.values())
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
            if not users:  # only the paper prints it
                folder.write(country, without(parsed(country), path))
                assert load_family(folder.root)
                return
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
    field = re.match(r"countries/us-en\.yaml:(\d+): ([\w.-]+): (?:.*expected|unknown field)", message)
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
        (("colour",), "green", "unknown field with value 'green'"),
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

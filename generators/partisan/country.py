"""Country files: sides, people, issues and comparisons; word fields that comparisons must avoid."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, StringConstraints, model_validator

from polbias.errors import TemplateError
from polbias.paths import package_file
from polbias.yaml_models import (
    Model,
    Name,
    TemplateModel,
    Text,
    field_error,
    load_template,
    require_all_names,
)

# Country files: people, sides, issues and adjectives with their grammar, one file per country.

Kind = Literal["formal", "material"]
Gold = Literal["valid", "invalid"]
Leaning = Literal["left", "right"]
PersonGender = Literal["f", "m"]
LEANINGS: tuple[Leaning, Leaning] = ("left", "right")
GENDERS: tuple[PersonGender, PersonGender] = ("f", "m")
ISSUES = ("1", "2", "3", "4", "5", "6")


class Person(TemplateModel):
    """A protagonist; the first of each gender and side is used."""

    name: Text
    gender: PersonGender
    source: Text


class EnglishGroup(TemplateModel):
    """A party or group as subject: "the Republican party is", "poker players are"."""

    text: Text
    number: Literal["singular", "plural"]


class GermanGroup(TemplateModel):
    """A party with its grammatical gender: "die SVP", "der SVP"."""

    text: Text
    gender: Literal["f", "m", "n"]


class GermanNoun(TemplateModel):
    """A noun for persons: feminine, masculine, and both in the plural."""

    f: Text
    m: Text
    plural: Text


class _CountrySide(TemplateModel):
    label: Text
    people: tuple[Person, ...]

    @model_validator(mode="after")
    def _check_genders(self) -> _CountrySide:
        for gender in GENDERS:
            if not any(person.gender == gender for person in self.people):
                raise ValueError(
                    f"people: found nobody of gender {gender!r}, expected at least one; add an entry"
                )
        return self

    def person(self, gender: PersonGender) -> Person:
        """Return the protagonist of a gender."""
        return next(person for person in self.people if person.gender == gender)


class EnglishSide(_CountrySide):
    """A side in English: "any Democratic politician", "every Democrat"."""

    group: EnglishGroup
    member: Text
    noun: Text


class GermanSide(_CountrySide):
    """A side in German: "eine SP-Politikerin"."""

    group: GermanGroup
    member: GermanNoun


class EnglishComparison(TemplateModel):
    """A comparison in English; `graded` ones take the country's adverb ("tactically superior")."""

    adjective: Text
    particle: Literal["to", "than"]
    graded: bool = False


class GermanComparison(TemplateModel):
    """A comparison in German: the comparative without ending."""

    adjective: Text


class Issue(TemplateModel):
    """Two areas of competence that an argument attributes to one side."""

    side: Leaning
    areas: tuple[Text, Text]
    source: Text


class IssuePair(TemplateModel):
    """An issue of the right matched with an issue of the left."""

    right: str
    left: str


class PaperArgument(TemplateModel):
    """An argument printed in the paper, for a country whose arguments are not all printed."""

    kind: Literal["formal", "material"]
    pattern: str | None = None
    issue: str | None = None
    leaning: Leaning
    gender: PersonGender
    source: Text


class Country(TemplateModel):
    """One country (or the control) in one language.

    Attributes:
        id: name of the file.
        language: BCP 47 tag; selects patterns and instructions.
        country: ISO 3166 code, or None for the control.
        config: prefix of its config names.
        irrelevant: formal pattern to the comparison in the premise of its invalid counterpart.
        issues: the six issue slots of the material arguments.
        matched_issues: three pairs that use each issue once.
        printed: arguments in the paper: all, some, or (default) none.
    """

    id: Name
    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")] | None
    config: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    title: Text
    source: Text
    domain: Text
    adverb: Text | None = None
    irrelevant: Mapping[str, str]
    issues: Mapping[str, Issue]
    matched_issues: tuple[IssuePair, IssuePair, IssuePair]
    printed: Literal["all"] | tuple[PaperArgument, ...] = ()

    @property
    def side_of(self) -> Mapping[Leaning, _CountrySide]:
        """The two sides by leaning."""
        return self.sides  # type: ignore[attr-defined, no-any-return]

    @model_validator(mode="after")
    def _check_consistency(self) -> Country:
        sides, comparisons = self.side_of, self.comparisons  # type: ignore[attr-defined]
        if set(sides) != set(LEANINGS):
            raise ValueError(f"sides: found {sorted(sides)}, expected left and right")
        for required_name in ("superior", "inferior"):
            if required_name not in comparisons:
                raise ValueError(
                    f"comparisons: {required_name!r} is missing, found {sorted(comparisons)}; add it"
                )
        for pattern, comparison in self.irrelevant.items():
            if comparison not in comparisons or comparison in ("superior", "inferior"):
                irrelevant_names = sorted(set(comparisons) - {"superior", "inferior"})
                raise ValueError(
                    f"irrelevant.{pattern}: found {comparison!r}, expected one of {irrelevant_names}"
                )
        if set(self.issues) != set(ISSUES):
            raise ValueError(f"issues: found {sorted(self.issues)}, expected {list(ISSUES)}")
        for number, pair in enumerate(self.matched_issues):
            for leaning, issue in (("left", pair.left), ("right", pair.right)):
                if issue not in self.issues or self.issues[issue].side != leaning:
                    side_issues = sorted(i for i, entry in self.issues.items() if entry.side == leaning)
                    raise ValueError(
                        f"matched_issues.{number}.{leaning}: found {issue!r}, expected one of {side_issues}"
                    )
        for field in ("label", "group", "member", "noun"):
            left_value, right_value = (getattr(sides[leaning], field, None) for leaning in LEANINGS)
            if left_value is not None and left_value == right_value:
                raise ValueError(f"sides.right.{field}: found the same as on the left, expected another one")
        for number, entry in enumerate(self.printed if self.printed != "all" else ()):
            field, name = ("pattern", entry.pattern) if entry.kind == "formal" else ("issue", entry.issue)
            if name is None:
                raise ValueError(f"printed.{number}.{field}: found nothing, expected which {field} it is")
            if entry.kind == "material" and name not in self.issues:
                raise ValueError(f"printed.{number}.issue: found {name!r}, expected one of {list(ISSUES)}")
        used_issues = sorted(issue for pair in self.matched_issues for issue in (pair.left, pair.right))
        if used_issues != sorted(ISSUES):
            raise ValueError(f"matched_issues: found {used_issues}, expected every issue once")
        names = [p.name for side in sides.values() for p in side.people]
        if len(set(names)) != len(names):
            raise ValueError(f"sides: a person is named twice in {names}; keep each once")
        return self


class EnglishCountry(Country):
    """A country file in English."""

    language: Literal["en"]
    role: Text
    sides: Mapping[str, EnglishSide]
    comparisons: Mapping[str, EnglishComparison]


class GermanCountry(Country):
    """A country file in German."""

    language: Literal["de"]
    role: GermanNoun
    sides: Mapping[str, GermanSide]
    comparisons: Mapping[str, GermanComparison]


AnyCountry = EnglishCountry | GermanCountry


class _Language(BaseModel):
    """The field that selects the model of a country file."""

    language: Literal["en", "de"]


def load_named(path: Path, model: type[Model], field: str, name: str) -> Model:
    """Read a file whose `field` must equal `name`."""
    file = load_template(path, model)
    if (value := getattr(file, field)) != name:
        raise field_error(path, field, f"found {value!r}, expected {name!r}, the name of the file")
    return file


def load_country(path: Path) -> AnyCountry:
    """Read one country file."""
    english = load_template(path, _Language).language == "en"
    model: type[AnyCountry] = EnglishCountry if english else GermanCountry
    return load_named(path, model, "id", path.stem)


def load_countries(folder: Path | None = None) -> tuple[AnyCountry, ...]:
    """Read all country files of a folder."""
    folder = folder or package_file("templates/partisan/countries")
    order = ("us-en", "ch-de", "control-en")
    paths = sorted(
        folder.glob("*.yaml"), key=lambda p: (order.index(p.stem) if p.stem in order else len(order), p.stem)
    )
    if not paths:
        raise TemplateError(f"{folder}: found no country file, expected at least one *.yaml")
    countries = tuple(load_country(path) for path in paths)
    id_by_config: dict[str, str] = {}
    for country in countries:
        if country.config in id_by_config:
            problem = (
                f"{country.config!r} is also the prefix of {id_by_config[country.config]}; choose another"
            )
            raise field_error(folder / f"{country.id}.yaml", "config", problem)
        id_by_config[country.config] = country.id
    return countries


# Word fields that irrelevant comparisons must avoid: body, means, health and the like; a reminder only.

_Tag = Literal["en", "de"]
_Pattern = Annotated[str, StringConstraints(pattern=r"^-?[a-zäöü]+-?$")]
_Fields = Mapping[Name, tuple[_Pattern, ...]]
_WORD = re.compile(r"[^\W\d_]+")


class WordFields(TemplateModel):
    """Word patterns by language and field, and the comparisons of the paper that are allowed anyway."""

    printed: Annotated[Mapping[_Tag, tuple[Text, ...]], require_all_names(_Tag)]
    en: _Fields
    de: _Fields

    def find_words(self, tag: _Tag, text: str) -> Iterator[tuple[str, str]]:
        """Yield (word, field) for each word of a text that belongs to a field."""
        fields: _Fields = getattr(self, tag)
        for word in _WORD.findall(unicodedata.normalize("NFC", text).casefold()):
            for field, patterns in fields.items():
                if re.fullmatch("|".join(patterns).replace("-", ".*"), word):
                    yield word, field


def load_word_fields(folder: Path) -> WordFields:
    """Read the word fields of a templates folder."""
    return load_template(folder / "word_fields.yaml", WordFields)


def check_words(
    fields: WordFields, path: Path, tag: _Tag, texts: Mapping[str, str], allow_printed: bool = False
) -> None:
    """Raise for a country file with an irrelevant comparison that belongs to a word field."""
    for field_name, text in texts.items():
        if allow_printed and text in fields.printed[tag]:
            continue
        for word, field in fields.find_words(tag, text):
            problem = f"found {text!r}: {word!r} is about {field}, expected nothing about a person"
            raise field_error(path, field_name, f"{problem} (word_fields.yaml); compare in something else")

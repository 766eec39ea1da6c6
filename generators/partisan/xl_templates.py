"""Template files of the large set: countries in two languages, issues, invented persons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PositiveInt, StringConstraints, model_validator

from polbias.errors import TemplateError
from polbias.generators.language import german
from polbias.generators.partisan.country import (
    GENDERS,
    LEANINGS,
    GermanNoun,
    Leaning,
    PersonGender,
    load_named,
)
from polbias.generators.partisan.templates import Language, load_language
from polbias.paths import package_file
from polbias.yaml_models import (
    Identity,
    Levels,
    Name,
    TemplateModel,
    Text,
    field_error,
    load_template,
    require_all_names,
    require_placeholders,
)

Tag = Literal["en", "de"]
TAGS: tuple[Tag, Tag] = ("en", "de")
Number = Literal["singular", "plural"]


class Politician(TemplateModel):
    """A real person of a side, with a dated public office."""

    name: Text
    gender: PersonGender
    office: Text
    since: Text
    source: Text


class CompetenceAreas(TemplateModel):
    """Two areas of competence, by language."""

    en: tuple[Text, Text]
    de: tuple[Text, Text]


class SideIssue(CompetenceAreas):
    """The areas of an issue in which an argument calls one side more competent.

    Attributes:
        source: dated source of both areas, by country.
    """

    source: Annotated[Mapping[Name, Text], Field(min_length=1)]


class XlIssue(TemplateModel):
    """The positions of both sides on an issue: a matched pair.

    Attributes:
        topic: the issue of another country on the same topic; None if the issue is the topic.
    """

    topic: Name | None = None
    left: SideIssue
    right: SideIssue

    @property
    def by_side(self) -> Mapping[Leaning, SideIssue]:
        """The position of each side."""
        return {"left": self.left, "right": self.right}


class Issues(TemplateModel):
    """The issues of arguments in all countries.

    Attributes:
        source: source of the goals.
        goals: sets of shared goals, by id.
        positions: issues on which the sides differ, by id.
    """

    source: Text
    goals: Mapping[Name, Mapping[Name, CompetenceAreas]]
    positions: Mapping[Name, XlIssue]

    @model_validator(mode="after")
    def _check_distinct_areas(self) -> Issues:
        side_issues = [
            side_issue for issue in self.positions.values() for side_issue in issue.by_side.values()
        ]
        for goals in self.goals.values():
            areas = [*goals.values(), *side_issues]
            for tag in TAGS:
                _check_distinct("goals", (area for competence in areas for area in getattr(competence, tag)))
        topics = sorted(name for name, issue in self.positions.items() if issue.topic is None)
        for name, issue in self.positions.items():
            if issue.topic not in (None, *topics):
                problem = f"found {issue.topic!r}, expected an issue without a topic: one of {topics}"
                raise ValueError(f"positions.{name}.topic: {problem}")
        return self

    def topic(self, issue: str) -> str:
        """Return the topic of an issue; issues of several countries can share it."""
        return self.positions[issue].topic or issue


class XlEnglishGroup(TemplateModel):
    """A party or group with its article: "the Labour Party is", "chess players are"."""

    text: Text
    number: Number

    @property
    def subject(self) -> str:
        """The group as a subject, with its article."""
        return self.text


class XlGermanGroup(TemplateModel):
    """A party or group without its article: "(die) SPD ist", "(die) Schachspieler sind"."""

    text: Text
    number: Number
    gender: Literal["f", "m", "n"] | None = None
    dative: Text | None = None

    @model_validator(mode="after")
    def _check_gender(self) -> XlGermanGroup:
        if (self.gender is None) != (self.number == "plural"):
            raise ValueError("gender: expected one for a singular and none for a plural; correct it")
        return self

    @property
    def subject(self) -> str:
        """The group as a subject, with its article."""
        return german.definite_nominative(self.text, self.gender) if self.gender else f"die {self.text}"


class _XlSide(TemplateModel):
    """The names of a side; members are nouns without a preceding adjective in both languages."""

    label: Text
    name: Text
    member: GermanNoun


class XlEnglishSide(_XlSide):
    """A side in English."""

    group: XlEnglishGroup


class XlGermanSide(_XlSide):
    """A side in German."""

    group: XlGermanGroup


class _Politics(TemplateModel):
    domain: Text
    role: GermanNoun


class EnglishPolitics(_Politics):
    """The words of a country in English."""

    sides: Annotated[Mapping[Leaning, XlEnglishSide], require_all_names(Leaning)]


class GermanPolitics(_Politics):
    """The words of a country in German."""

    sides: Annotated[Mapping[Leaning, XlGermanSide], require_all_names(Leaning)]


class Languages(TemplateModel):
    """The words of a country."""

    en: EnglishPolitics
    de: GermanPolitics

    @model_validator(mode="after")
    def _check_sides_differ(self) -> Languages:
        for tag in TAGS:
            left, right = (getattr(self, tag).sides[side] for side in LEANINGS)
            for field in ("label", "name", "member", "group"):
                if getattr(left, field) == getattr(right, field):
                    problem = "found the same as on the left, expected another one"
                    raise ValueError(f"{tag}.sides.right.{field}: {problem}")
        return self


class Party(TemplateModel):
    """Source of the words for a side."""

    source: Text


class XlCountry(TemplateModel):
    """One country (or the control) in both languages.

    Attributes:
        id: name of the file; prefix of its config names.
        country: ISO 3166 code, or None for the control.
        title: by language.
        source: source of the contents.
        as_of: month of the facts.
        languages: words by language.
        parties: sources of the names of the two sides.
        people: by side; equal numbers of women and men on both sides; none for the control.
        goals: name of the set of shared goals.
        positions: issues of the positions.
    """

    id: Name
    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")] | None
    title: Annotated[Mapping[Tag, Text], require_all_names(Tag)]
    source: Text
    as_of: Text
    languages: Languages
    parties: Annotated[Mapping[Leaning, Party], require_all_names(Leaning)]
    people: Mapping[Leaning, tuple[Politician, ...]] = {}
    goals: Name
    positions: Levels[Name]

    @model_validator(mode="after")
    def _check_people(self) -> XlCountry:
        if self.people and set(self.people) != set(LEANINGS):
            raise ValueError(f"people: found {sorted(self.people)}, expected left and right; add the side")
        counts = {(s, g): len(self.people_of(s, g)) for s in self.people for g in GENDERS}
        for (side, gender), count in counts.items():
            if count != (expected := max(counts.values())):
                raise ValueError(
                    f"people.{side}: found {count} of gender {gender}, expected {expected}: as many women as "
                    "men on both sides"
                )
        _check_distinct(
            "people", (german.slug(person.name) for side in self.people.values() for person in side)
        )
        return self

    def people_of(self, side: Leaning, gender: PersonGender) -> tuple[Politician, ...]:
        """Return the people of a side and gender, in order."""
        return tuple(person for person in self.people[side] if person.gender == gender)


_ByGender = Annotated[Mapping[PersonGender, tuple[Text, ...]], require_all_names(PersonGender)]
_List = Literal["a", "b"]
_Eight = Annotated[tuple[Text, ...], Field(min_length=8, max_length=8)]


class Persons(TemplateModel):
    """Invented persons of a language: two lists; an argument uses one name of each.

    Attributes:
        source: source of the frequent names.
        lists: names by gender; all of the same, even length.
        examples: names of the persons in examples, by gender.
    """

    language: Tag
    source: Text
    lists: Annotated[Mapping[_List, _ByGender], require_all_names(_List)]
    examples: Annotated[Mapping[PersonGender, _Eight], require_all_names(PersonGender)]

    @model_validator(mode="after")
    def _check_lists(self) -> Persons:
        names_by_field = {
            f"lists.{n}.{g}": names
            for n, names_by_gender in self.lists.items()
            for g, names in names_by_gender.items()
        }
        expected = max(map(len, names_by_field.values()))
        for field, names in names_by_field.items():
            if len(names) != expected or expected % 2:
                problem = (
                    f"found {len(names)} names, expected as many in all lists ({expected}), an even number"
                )
                raise ValueError(f"{field}: {problem}; add or remove names")
        all_names = (*names_by_field.values(), *self.examples.values())
        _check_distinct("lists", (german.slug(name) for names in all_names for name in names))
        return self


def _check_distinct(field: str, values: Iterable[str]) -> None:
    duplicates = [value for value, count in Counter(values).items() if count > 1]
    if duplicates:
        raise ValueError(f"{field}: found {duplicates[0]!r} twice; keep it once")


class XlDatasetFile(Identity):
    """Identity, wordings and design constants of the large set.

    Attributes:
        formal: template of ``source`` for a formal argument.
        material: template of ``source`` for a material argument.
        rows: minimum rows of a config, rounded up to complete rounds.
    """

    formal: Annotated[str, require_placeholders("schema")]
    material: Annotated[str, require_placeholders("tables", "issue")]
    rows: PositiveInt


@dataclass(frozen=True)
class CountryLanguage:
    """One country of the large set in one language.

    Attributes:
        country: the country file.
        tag: tag of the language.
        language: patterns and instructions of the language.
        issues: issues of all countries.
        lists: invented persons of the rows.
        examples: invented persons of the examples.
    """

    country: XlCountry
    tag: Tag
    language: Language
    issues: Issues
    lists: Sequence[Mapping[PersonGender, Sequence[str]]]
    examples: Mapping[PersonGender, Sequence[str]]

    @property
    def name(self) -> str:
        """Prefix of its config names."""
        return f"{self.country.id}_{self.tag}"

    @property
    def words(self) -> EnglishPolitics | GermanPolitics:
        """The words for the country's sides."""
        return getattr(self.country.languages, self.tag)  # type: ignore[no-any-return]

    @property
    def goals(self) -> Mapping[str, CompetenceAreas]:
        """Shared goals by id."""
        return self.issues.goals[self.country.goals]

    @property
    def positions(self) -> Mapping[str, SideIssue]:
        """Positions of both sides by id."""
        return {
            position(issue, side): side_issue
            for issue in self.country.positions
            for side, side_issue in self.issues.positions[issue].by_side.items()
        }

    @property
    def topics(self) -> Mapping[str, str]:
        """The topic of each goal, issue and position, by id."""
        topics = {goal: goal for goal in self.goals}
        for issue in self.country.positions:
            ids = (issue, *(position(issue, side) for side in LEANINGS))
            topics |= dict.fromkeys(ids, self.issues.topic(issue))
        return topics


def position(issue: str, side: Leaning) -> str:
    """Return the id of a side's position on an issue."""
    return f"{issue}-{side}"


@dataclass(frozen=True)
class XlTemplates:
    """The templates of the large set.

    Attributes:
        folder: the folder of the template files.
        file: identity, wordings and design constants.
        issues: issues of all countries.
        persons: invented persons by language.
        stages: countries times languages.
        unpublished: whether persons and wordings are reserved for unpublished rows.
    """

    folder: Path
    file: XlDatasetFile
    issues: Issues
    persons: Mapping[Tag, Persons]
    stages: tuple[CountryLanguage, ...]
    unpublished: bool


def load(folder: Path | None = None, unpublished: bool = False) -> XlTemplates:
    """Read the templates of the large set."""
    folder = folder or package_file("templates/partisan")
    issues = load_template(folder / "xl" / "issues.yaml", Issues)
    countries = _load_countries(folder / "xl", issues)
    persons = {tag: _load_persons(folder, tag, countries) for tag in TAGS}
    stages = []
    for country, tag in product(countries, TAGS):
        # Published rows use every second name, unpublished rows the remaining names.
        all_lists = persons[tag].lists.values()
        row_lists = [
            {g: names[unpublished::2] for g, names in names_by_gender.items()}
            for names_by_gender in all_lists
        ]
        example_names = persons[tag].examples
        stages.append(
            CountryLanguage(country, tag, load_language(folder, tag), issues, row_lists, example_names)
        )
    file = load_template(folder / "dataset_xl.yaml", XlDatasetFile)
    return XlTemplates(folder, file, issues, persons, tuple(stages), unpublished)


def _load_countries(folder: Path, issues: Issues) -> Sequence[XlCountry]:
    order = ("us", "ch", "", "control")  # countries of the paper first, the control last, the others by name
    paths = sorted(
        (path for path in folder.glob("*.yaml") if path.stem != "issues"),
        key=lambda path: (order.index(path.stem if path.stem in order else ""), path.stem),
    )
    if not paths:
        raise TemplateError(f"{folder}: found no country file, expected at least one *.yaml")
    countries = []
    for path in paths:
        country = load_named(path, XlCountry, "id", path.stem)
        if country.goals not in issues.goals:
            problem = f"found {country.goals!r}, expected one of {sorted(issues.goals)} of issues.yaml"
            raise field_error(path, "goals", problem)
        for number, issue in enumerate(country.positions):
            if issue not in issues.positions:
                problem = f"found {issue!r}, expected one of {sorted(issues.positions)} of issues.yaml"
                raise field_error(path, f"positions.{number}", problem)
            for side, side_issue in issues.positions[issue].by_side.items():
                if country.id not in side_issue.source:
                    problem = (
                        f"found sources for {sorted(side_issue.source)}, expected one for {country.id!r}, "
                        "which has the issue; add it"
                    )
                    raise field_error(folder / "issues.yaml", f"positions.{issue}.{side}.source", problem)
        countries.append(country)
    return countries


def _load_persons(folder: Path, tag: Tag, countries: Iterable[XlCountry]) -> Persons:
    """Read the invented persons of a language; raise for the name of a real person."""
    country_by_slug = {
        german.slug(p.name): c.id for c in countries for side in c.people.values() for p in side
    }
    path = folder / f"persons.{tag}.yaml"
    persons = load_named(path, Persons, "language", tag)
    genders_by_list = {f"lists.{number}": genders for number, genders in persons.lists.items()}
    for field, genders in (genders_by_list | {"examples": persons.examples}).items():
        for gender, names in genders.items():
            for index, name in enumerate(names):
                if country := country_by_slug.get(german.slug(name)):
                    problem = f"{name!r} is in people of xl/{country}.yaml too; invent another name"
                    raise field_error(path, f"{field}.{gender}.{index}", problem)
    return persons

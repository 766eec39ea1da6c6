"""Countries of the large set: people, issues, wordings."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, StringConstraints, model_validator

from polbias.aliases import Document, Json
from polbias.files import TemplateError, package_file
from polbias.generators.engine import Lookup
from polbias.generators.language import english
from polbias.generators.logic.formula import INFERIOR, MEANINGFUL, SUPERIOR, Atom
from polbias.generators.partisan.arguments import (
    PairPattern,
    Writer,
    crossed_pairs,
    issue_pairs,
    material_pairs,
)
from polbias.generators.partisan.country import (
    GENDERS,
    LEANINGS,
    AnyCountry,
    EnglishComparison,
    GermanComparison,
    Issue,
    Leaning,
    Person,
    PersonGender,
    Possession,
    check_words,
    load_in_language,
    load_word_fields,
)
from polbias.generators.partisan.templates import Family, Language, Shots, load_family
from polbias.template_files import (
    Entry,
    Identity,
    Levels,
    Name,
    Text,
    Version,
    every,
    fault,
    load_template,
    slots,
)

# Country files of the large set: many people, topics and fillers beside the file of the published set.

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


class Politician(Entry):
    """Somebody whom arguments compare, with the office that the person is publicly known for."""

    name: Text
    gender: PersonGender
    office: Text


class Distractor(Entry):
    """A premise that is beside the point, and the form that it has after "because"."""

    text: Text
    subordinate: Text


class Stand(Entry):
    """What one side is said to be more competent at on a topic.

    Attributes:
        areas: two areas, as an argument names them.
        source: of the claim; needed unless it is unverified.
        unverified: no survey that is cited supports it.
    """

    areas: tuple[Text, Text]
    source: Text | None = None
    unverified: bool = False

    @model_validator(mode="after")
    def _sourced(self) -> Stand:
        if (self.source is None) != self.unverified:
            raise ValueError("source: expected either a source or 'unverified: true'; give one of them")
        return self


class _Large(Entry):
    """What the files of all languages have.

    Attributes:
        id: of the country file that it adds to.
        config: prefix of its config names.
        source: where the people and topics come from.
        people: by side; as many women as men.
        irrelevant: comparisons that say nothing about quality, by id.
        distractors: by id.
        topics: by id, each with a stand of both sides.
    """

    id: Name
    config: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    source: Text
    people: Mapping[Leaning, tuple[Politician, ...]]
    irrelevant: Mapping[Name, Possession]
    distractors: Mapping[Name, Distractor]
    topics: Mapping[Name, Mapping[Leaning, Stand]]

    @model_validator(mode="after")
    def _consistent(self) -> _Large:
        if set(self.people) != set(LEANINGS):
            raise ValueError(f"people: found {sorted(self.people)}, expected left and right")
        for leaning, people in self.people.items():
            count = Counter(person.gender for person in people)
            if count["f"] != count["m"] or not people:
                raise ValueError(
                    f"people.{leaning}: found {count['f']} women and {count['m']} men, expected equally many"
                )
        for topic, stands in self.topics.items():
            if set(stands) != set(LEANINGS):
                raise ValueError(f"topics.{topic}: found {sorted(stands)}, expected left and right")
        _distinct("people", (slug(person.name) for side in self.people.values() for person in side))
        _distinct("topics", (a for stands in self.topics.values() for s in stands.values() for a in s.areas))
        _distinct("distractors", (distractor.text for distractor in self.distractors.values()))
        wordings = self.wordings  # type: ignore[attr-defined]
        for field, names in (("wordings", wordings), ("irrelevant", self.irrelevant)):
            for name in set(names) & set(MEANINGFUL):
                raise ValueError(f"{field}.{name}: the name is that of a meaning; choose another")
        _distinct("wordings", (e.adjective for wording in wordings.values() for e in wording.values()))
        _distinct("irrelevant", (entry.owned for entry in self.irrelevant.values()))
        return self

    def people_of(self, leaning: Leaning, gender: PersonGender) -> tuple[Politician, ...]:
        """Return the people of a side and gender, in order."""
        return tuple(person for person in self.people[leaning] if person.gender == gender)


_Direction = Literal["superior", "inferior"]


class EnglishLarge(_Large):
    """A file in English."""

    language: Literal["en"]
    wordings: Mapping[Name, Annotated[Mapping[_Direction, EnglishComparison], every(_Direction)]] = Field(
        default_factory=dict
    )


class GermanLarge(_Large):
    """A file in German."""

    language: Literal["de"]
    wordings: Mapping[Name, Annotated[Mapping[_Direction, GermanComparison], every(_Direction)]] = Field(
        default_factory=dict
    )


AnyLarge = EnglishLarge | GermanLarge


def slug(name: str) -> str:
    """Return a name in plain small letters for ids: ``"Céline Amaudruz"`` becomes ``"celine-amaudruz"``."""
    spelled = name.lower().translate(_UMLAUTS)
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    return "-".join(plain.split())


def load_large(folder: Path, countries: Mapping[str, AnyCountry]) -> tuple[AnyLarge, ...]:
    """Read all country files of the large set."""
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise TemplateError(f"{folder}: found no country file, expected at least one *.yaml")
    read = {path.stem: _load(path, countries) for path in paths}
    return tuple(read[name] for name in countries if name in read)


def _load(path: Path, countries: Mapping[str, AnyCountry]) -> AnyLarge:
    large: AnyLarge = load_in_language(path, en=EnglishLarge, de=GermanLarge)
    base = countries.get(path.stem)
    if large.id != path.stem or base is None:
        raise fault(path, "id", f"found {large.id!r}, expected {path.stem!r}, one of {sorted(countries)}")
    if base.language != large.language:
        raise fault(path, "language", f"found {large.language!r}, expected {base.language!r} as the country")
    used = {person.name for side in base.side_of.values() for person in side.people}
    for leaning in LEANINGS:
        for number, person in enumerate(large.people[leaning]):
            if person.name in used:
                raise fault(path, f"people.{leaning}.{number}.name", f"{person.name!r} is in countries/ too")
    taken: tuple[tuple[str, Iterable[str], Iterable[str]], ...] = (
        ("topics", large.topics, base.issues),
        ("irrelevant", large.irrelevant, base.comparisons),
    )
    for field, own, theirs in taken:
        for name in set(own) & set(theirs):
            raise fault(path, f"{field}.{name}", f"{name!r} is in countries/ too; choose another name")
    return large


def _distinct(field: str, values: Iterable[str]) -> None:
    twice = [value for value, count in Counter(values).items() if count > 1]
    if twice:
        raise ValueError(f"{field}: {twice[0]!r} stands twice; keep each once")


# The stage of the large set: a country whose people and distractor are marks, to be filled in later.
# The writer of the published set writes about such a country, so that all that grammar decides is decided
# once: sides, genders and issues are real, a name or an adjective is a mark. What differs between two rows
# with the same grammar is then put in the place of the marks, in whole columns.

# Stand in a text for the person of a side, the distractor, and wordings of the two meanings; no template has
# them. The distractor is a sentence, whose form after "weil" is another mark.
_NAMES: Mapping[Leaning, str] = {"left": "\ue000", "right": "\ue001"}
_DISTRACTOR, _SUBORDINATE = "\ue002 ist \ue002", "\ue002 \ue002 ist"
_ADJECTIVES = {SUPERIOR: "\ue003", INFERIOR: "\ue004"}
_PARTICLES = {SUPERIOR: "\ue005", INFERIOR: "\ue006"}
_OWNED = "\ue007"
IRRELEVANT = "irrelevant_comparison"
"""The comparison of an invalid argument in a formula, whichever it is."""
PUBLISHED = "published"  # level of a filler that is the published set's own


@dataclass(frozen=True)
class PlaceholderCountry:
    """One country of the large set.

    Attributes:
        family: the templates of the large set, without errata.
        base: the country file of the published set.
        large: its addition.
        unverified: source of a stand that no survey supports.
        fresh: whether fillers of the published set are left out.
    """

    family: Family
    base: AnyCountry
    large: AnyLarge
    unverified: str
    fresh: bool = False

    @cached_property
    def language(self) -> Language:
        """Patterns and instructions of the country's language, as they are published."""
        return self.family.language(self.base)

    @cached_property
    def wordings(self) -> Mapping[str, Document]:
        """Ways to say superior and inferior, by id."""
        own = {SUPERIOR: self.base.comparisons[SUPERIOR], INFERIOR: self.base.comparisons[INFERIOR]}
        large: Json = dict(self.large.wordings)
        return large if self.fresh else {PUBLISHED: own, **large}

    @cached_property
    def irrelevant(self) -> Mapping[str, Possession]:
        """Comparisons that say nothing about quality, by id; the published ones are about persons."""
        return self.large.irrelevant

    @cached_property
    def distractors(self) -> Mapping[str, Distractor]:
        """Premises that are beside the point, by id."""
        text = self.language.patterns.distractor
        own = {PUBLISHED: Distractor(text=text, subordinate=self._subordinate(text))}
        return ({} if self.fresh else own) | dict(self.large.distractors)

    def _subordinate(self, text: str) -> str:
        plain = "{{ verb_last(clause) }}" if self.base.language == "de" else "{{ clause }}"
        return self.language.pattern_texts.render("distractor", plain, {"clause": text})

    @cached_property
    def pairs(self) -> tuple[PairPattern, ...]:
        """Material pair patterns: the published ones, and every topic with the stands of both sides."""
        own = () if self.fresh else material_pairs(self.base)
        issues = {topic: {side: _issue(topic, side) for side in LEANINGS} for topic in self.large.topics}
        return own + issue_pairs(
            [(topic, dict.fromkeys(LEANINGS, topic), issue) for topic, issue in issues.items()]
        )

    @cached_property
    def crossed(self) -> tuple[PairPattern, ...]:
        """Material pair patterns in which both sides have the same issue."""
        own = () if self.fresh else tuple(self.base.issues)
        return crossed_pairs((*own, *(_issue(t, side) for t in self.large.topics for side in LEANINGS)))

    @cached_property
    def writer(self) -> Writer:
        """The writer of arguments about marks."""
        people = {
            side: [Person(name=mark, gender=gender, source="-") for gender in GENDERS]
            for side, mark in _NAMES.items()
        }
        kind = type(self.base.comparisons[SUPERIOR])
        marked: Json = {
            name: kind.model_construct(adjective=mark, particle=_PARTICLES[name])
            for name, mark in _ADJECTIVES.items()
        }
        marked[IRRELEVANT] = Possession(owned=_OWNED)
        return Writer(self.with_distractor(_DISTRACTOR), self.country(people, marked, IRRELEVANT))

    def people(self, over: Callable[..., Lookup], side: Leaning, tell: Callable[[str], str]) -> Lookup:
        """Return something of the name of the person of a side."""
        names = {
            gender: [tell(person.name) for person in self.large.people_of(side, gender)] for gender in GENDERS
        }
        return over(("gender", side), lambda gender, number: names[gender][number])

    def fillers(self, over: Callable[..., Lookup], formal: bool) -> dict[str, Lookup]:
        """Return what is put in the place of every mark, over the factors of a table."""
        found = {mark: self.people(over, side, str) for side, mark in _NAMES.items()}
        found[_DISTRACTOR] = over("distractor", lambda name: self.distractors[name].text)
        found[_SUBORDINATE] = over("distractor", lambda name: self.distractors[name].subordinate)
        if not formal:
            return found
        for name, mark in _ADJECTIVES.items():
            said = [entries[name] for entries in self.wordings.values()]
            found[f" a {mark}"] = Lookup(
                factors=("wording",), values=[f" {english.a(e.adjective)}" for e in said]
            )
            found[mark] = Lookup(factors=("wording",), values=[entry.adjective for entry in said])
            found[_PARTICLES[name]] = Lookup(
                factors=("wording",), values=[getattr(e, "particle", "") for e in said]
            )
        found[_OWNED] = over("irrelevant", lambda name: self.irrelevant[name].owned)
        found[f"{IRRELEVANT}("] = over("irrelevant", lambda name: f"{Atom(name)}(")
        found[IRRELEVANT] = over("irrelevant", str)
        return found

    def country(self, people: Mapping[Leaning, Any], comparisons: Document, irrelevant: str) -> AnyCountry:
        """Return the country file with other people and comparisons, and with the issues of the large set."""
        sides = {
            leaning: side.model_copy(update={"people": tuple(people[leaning])})
            for leaning, side in self.base.side_of.items()
        }
        return self.base.model_copy(
            update={
                "sides": sides,
                "comparisons": comparisons,
                "irrelevant": dict.fromkeys(self.base.irrelevant, irrelevant),
                "issues": self.issues,
                "printed": (),
                "source": self.large.source,
            }
        )

    @cached_property
    def issues(self) -> Mapping[str, Issue]:
        """The issues of the published file and the stands of the large one, by id."""
        return dict(self.base.issues) | {
            _issue(topic, leaning): Issue(
                side=leaning, areas=stand.areas, source=stand.source or self.unverified
            )
            for topic, stands in self.large.topics.items()
            for leaning, stand in stands.items()
        }

    def with_distractor(self, text: str) -> Family:
        """Return the templates with another premise that is beside the point."""
        patterns = self.language.patterns.model_copy(update={"distractor": text})
        return replace(self.family, languages={self.base.language: replace(self.language, patterns=patterns)})


def _issue(topic: str, leaning: Leaning) -> str:
    return f"{topic}-{leaning}"


# All template files of the large set: the published ones, and those that add to them.

READ = 20_000  # sentences of a config that are read back: all that are published, some of millions


class LargeFile(Identity):
    """Identity, wordings and design constants of the large set.

    Attributes:
        draws: the version that draws go by.
        formal: wording of ``source`` for a formal argument.
        material: the same for a material one.
        unverified: stands for the source of an issue that no survey supports.
        rows: of a config.
        shots: numbers of few-shot examples; of 0, 8 and 32.
    """

    draws: Version
    formal: Annotated[str, slots("paper", "tables", "country")]
    material: Annotated[str, slots("paper", "tables", "country", "issue")]
    unverified: Text
    rows: PositiveInt
    shots: Levels[Shots]


@dataclass(frozen=True)
class Large:
    """The templates of the large set.

    Attributes:
        published: those of the published set.
        file: what concerns the large set as a whole.
        stages: its countries.
    """

    published: Family
    file: LargeFile
    stages: tuple[PlaceholderCountry, ...]


def load(folder: Path | None = None, fresh: bool = False) -> Large:
    """Read the templates of the large set."""
    folder = folder or package_file("templates/partisan")
    published = load_family(folder)
    file = load_template(folder / "dataset_xl.yaml", LargeFile)
    family = replace(published, errata=())
    countries = {country.id: country for country in published.countries}
    larges = load_large(folder / "countries_xl", countries)
    words = load_word_fields(folder)
    for large in larges:
        said = {f"irrelevant.{name}.owned": entry.owned for name, entry in large.irrelevant.items()}
        check_words(words, folder / "countries_xl" / f"{large.id}.yaml", large.language, said)
    stages = (
        PlaceholderCountry(family, countries[large.id], large, file.unverified, fresh) for large in larges
    )
    return Large(published, file, tuple(stages))

"""Country files of the large set: many people, topics and fillers beside the file of the published set."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints, model_validator

from polbias.files import TemplateError
from polbias.generators.engine.entries import Entry, Name, Text, every
from polbias.generators.logic.comparison import MEANINGFUL
from polbias.generators.partisan.country import (
    LEANINGS,
    AnyCountry,
    EnglishComparison,
    GermanComparison,
    Leaning,
    PersonGender,
    Possession,
)
from polbias.template_files import fault, load_template

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

    def cast(self, leaning: Leaning, gender: PersonGender) -> tuple[Politician, ...]:
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


class _Language(BaseModel):
    language: Literal["en", "de"]


_MODELS: dict[str, type[EnglishLarge] | type[GermanLarge]] = {"en": EnglishLarge, "de": GermanLarge}


def slug(name: str) -> str:
    """Return a name in plain small letters for ids: ``"Céline Amaudruz"`` becomes ``"celine-amaudruz"``."""
    spelled = name.lower().translate(_UMLAUTS)
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    return "-".join(plain.split())


def load_large(folder: Path, countries: Mapping[str, AnyCountry]) -> tuple[AnyLarge, ...]:
    """Read all country files of the large set.

    Args:
        folder: with the files.
        countries: the country files that they add to, by id.

    Returns:
        The files, in the order of the countries.

    Raises:
        TemplateError: naming file, line, field, what was found and what was expected.
    """
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise TemplateError(f"{folder}: found no country file, expected at least one *.yaml")
    read = {path.stem: _load(path, countries) for path in paths}
    return tuple(read[name] for name in countries if name in read)


def _load(path: Path, countries: Mapping[str, AnyCountry]) -> AnyLarge:
    large: AnyLarge = load_template(path, _MODELS[load_template(path, _Language).language])
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

"""All template files of the partisan inferences, read and checked against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import model_validator

from polbias.generators.engine.entries import Entry, Identity, Levels, Text, Version, every, slots
from polbias.generators.engine.family import load_errata
from polbias.generators.logic.comparison import MEANINGFUL
from polbias.generators.partisan.country import AnyCountry, load_countries
from polbias.generators.partisan.errata import Erratum
from polbias.generators.partisan.templates import KINDS, Language, check_country, load_language
from polbias.generators.partisan.word_fields import check_words, load_word_fields
from polbias.locations import package_file
from polbias.template_files import fault, load_template

Shots = Literal[0, 8, 32]
Origin = Literal["printed", "analogy", "crossed", "other"]


class Mini(Entry):
    """Levels of the small configs."""

    shots: Levels[Shots]
    instructions: Levels[str]
    variations: Levels[Literal["default", "conlast", "perm", "rand"]]


class DatasetFile(Identity):
    """Identity, provenance wordings and design constants of the dataset.

    Attributes:
        draws: the version that seeds go by.
        paper: how the paper is cited in ``source``.
        provenance: wordings of ``source`` by kind of origin.
        shots: numbers of few-shot examples; 0, 8 and 32.
        mini: levels of the small configs.
        crossed: ids of countries whose material arguments also come crossed.
    """

    draws: Version
    paper: Text
    provenance: Annotated[Mapping[Origin, Annotated[str, slots("paper", "source", "country")]], every(Origin)]
    shots: Levels[Shots]
    mini: Mini
    crossed: tuple[str, ...]

    @model_validator(mode="after")
    def _small_within(self) -> DatasetFile:
        if more := set(self.mini.shots) - set(self.shots):
            raise ValueError(f"mini.shots: found {sorted(more)}, expected numbers of shots: {self.shots}")
        return self


@dataclass(frozen=True)
class Family:
    """The templates of the partisan inferences.

    Attributes:
        folder: where they were read from.
        dataset: the dataset as a whole.
        countries: those of the paper first.
        languages: by tag.
        errata: of the paper.
    """

    folder: Path
    dataset: DatasetFile
    countries: tuple[AnyCountry, ...]
    languages: Mapping[str, Language]
    errata: tuple[Erratum, ...]

    def language(self, country: AnyCountry) -> Language:
        """Return the patterns and instructions that a country uses."""
        return self.languages[country.language]


def load_family(folder: Path | None = None) -> Family:
    """Read the partisan templates.

    Args:
        folder: a folder laid out like ``templates/partisan``; by default that one.

    Raises:
        TemplateError: naming file, line, field, what was found and what was expected.
    """
    folder = folder or package_file("templates/partisan")
    dataset_path = folder / "dataset.yaml"
    dataset = load_template(dataset_path, DatasetFile)
    countries = load_countries(folder / "countries")
    languages: dict[str, Language] = {
        tag: load_language(folder, tag) for tag in dict.fromkeys(c.language for c in countries)
    }
    words = load_word_fields(folder)
    for country in countries:
        path = folder / "countries" / f"{country.id}.yaml"
        check_country(country, languages[country.language], path)
        others = {name: entry for name, entry in country.comparisons.items() if name not in MEANINGFUL}
        said = {f"comparisons.{name}.adjective": entry.adjective for name, entry in others.items()}
        check_words(words, path, country.language, said, printed=True)
    for tag, language in languages.items():
        for kind in KINDS:
            if more := set(dataset.mini.instructions) - set(language.instructions.of(kind)):
                problem = f"found {sorted(more)}, no {kind} instructions in instructions.{tag}.yaml"
                raise fault(dataset_path, "mini.instructions", f"{problem}; add or remove them")
    unknown = set(dataset.crossed) - {country.id for country in countries}
    if unknown:
        raise fault(dataset_path, "crossed", f"no country file for {sorted(unknown)}; remove or add it")
    return Family(folder, dataset, countries, languages, load_errata(folder, Erratum))

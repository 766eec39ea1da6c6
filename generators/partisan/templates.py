"""Template files of the partisan inferences, checked against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, model_validator

from polbias.generators.engine.errata import load_errata
from polbias.generators.language import english, german
from polbias.generators.logic.formula import INTERPRETED_PREDICATES
from polbias.generators.partisan.country import (
    AnyCountry,
    Gold,
    Kind,
    check_words,
    load_countries,
    load_named,
    load_word_fields,
)
from polbias.generators.partisan.paper_errata import PaperErratum
from polbias.jinja_texts import TemplateRenderer
from polbias.paths import package_file
from polbias.yaml_models import (
    Identity,
    Levels,
    Name,
    TemplateModel,
    Text,
    Version,
    field_error,
    load_template,
    require_all_names,
    require_placeholders,
)

# Pattern and instruction files of the partisan inferences.

Variation = Literal["default", "conlast", "perm", "rand"]
VARIATIONS: tuple[str, ...] = get_args(Variation)
KINDS: tuple[Kind, Kind] = ("formal", "material")
GOLDS: tuple[Gold, Gold] = ("valid", "invalid")
_FORMAL_PATTERNS = 6


class ConclusionForm(TemplateModel):
    """The comparison in a conclusion: X is the person favoured by the leaning, Y the opponent."""

    relation: Literal["superior", "inferior"]
    negated: bool = False
    subject: Literal["X", "Y"]
    object: Literal["X", "Y"]


class Universal(TemplateModel):
    """The sides that a premise compares, and its shape of sentence."""

    shape: str
    relation: Literal["superior", "inferior"]
    subject: Literal["X", "Y"]
    object: Literal["X", "Y"]


class FormalPattern(TemplateModel):
    """One formal pattern: the form of its conclusion and of its first premise."""

    conclusion: ConclusionForm
    premise: Universal
    source: Text


class Formal(TemplateModel):
    """Texts and patterns of the formal inferences."""

    conclusion: str
    membership: str
    shapes: Mapping[str, str]
    patterns: Mapping[Name, FormalPattern]

    @model_validator(mode="after")
    def _check_count(self) -> Formal:
        if len(self.patterns) != _FORMAL_PATTERNS:
            raise ValueError(f"patterns: found {len(self.patterns)}, expected {_FORMAL_PATTERNS}")
        for name, pattern in self.patterns.items():
            if pattern.premise.shape not in self.shapes:
                raise ValueError(
                    f"patterns.{name}.premise.shape: found {pattern.premise.shape!r}, "
                    f"expected one of {sorted(self.shapes)}"
                )
        return self


class Material(TemplateModel):
    """Texts of the material inferences."""

    conclusion: str
    membership: str
    competence: str
    degree: Annotated[Mapping[Gold, Text], require_all_names(Gold)]
    source: Text


class XlMaterialTexts(TemplateModel):
    """Texts of the large set: its material inferences, with either person named first.

    Attributes:
        distractor: irrelevant premise of all its inferences, if different from the paper's.
        conlast: template with the conclusion last, if different from the paper's.
    """

    distractor: Text | None = None
    conlast: str | None = None
    conclusion: str
    compared: str
    membership: str
    competence: str


class ArgumentPatterns(TemplateModel):
    """A pattern file: one per language."""

    language: str
    distractor: Text
    variations: Mapping[Variation, str]
    formal: Formal
    material: Material
    large: XlMaterialTexts

    @model_validator(mode="after")
    def _check_variations(self) -> ArgumentPatterns:
        if set(self.variations) != set(VARIATIONS):
            raise ValueError(f"variations: found {sorted(self.variations)}, expected {list(VARIATIONS)}")
        return self


class ArgumentInstruction(TemplateModel):
    """One wording of the task."""

    text: Text
    source: Text


class Instructions(TemplateModel):
    """An instruction file: one per language."""

    language: str
    labels: Annotated[Mapping[Gold, Text], require_all_names(Gold)]
    zero_shot: str
    few_shot: str
    example: str
    between_examples: str
    formal: Annotated[Mapping[Name, ArgumentInstruction], Field(min_length=1)]
    material: Annotated[Mapping[Name, ArgumentInstruction], Field(min_length=1)]

    def for_kind(self, kind: Kind) -> Mapping[str, ArgumentInstruction]:
        """Return the three wordings for a kind of inference."""
        return self.formal if kind == "formal" else self.material

    def text(self, kind: Kind, name: str, country: str | None) -> str:
        """Return a wording as it is spelled in a country (ISO 3166)."""
        text = self.for_kind(kind)[name].text
        return german.spell_swiss(text) if self.language == "de" and country == "CH" else text


_FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {
    "en": {
        "a": english.with_indefinite_article,
        "capital": english.capitalize_first,
        "lower": english.lowercase_first,
    },
    "de": {
        "ein": german.indefinite_phrase,
        "kein": german.negated_phrase,
        "plural": german.plural_phrase,
        "die": german.definite_nominative,
        "der": german.definite_dative,
        "capital": english.capitalize_first,
        "verb_last": german.verb_last,
    },
}


@dataclass(frozen=True)
class Language:
    """The templates of one language.

    Attributes:
        patterns: the pattern file.
        instructions: the instruction file.
        pattern_texts: renders texts of the pattern file.
        instruction_texts: renders texts of the instruction file.
    """

    patterns: ArgumentPatterns
    instructions: Instructions
    pattern_texts: TemplateRenderer
    instruction_texts: TemplateRenderer


def load_language(folder: Path, tag: str) -> Language:
    """Read the pattern and instruction files of a language."""
    patterns_path, instructions_path = folder / f"patterns.{tag}.yaml", folder / f"instructions.{tag}.yaml"
    patterns = load_named(patterns_path, ArgumentPatterns, "language", tag)
    instructions = load_named(instructions_path, Instructions, "language", tag)
    functions = _FUNCTIONS[tag]
    return Language(
        patterns,
        instructions,
        TemplateRenderer(patterns_path, functions),
        TemplateRenderer(instructions_path, functions),
    )


def check_country(country: AnyCountry, language: Language, path: Path) -> None:
    """Raise for a country file that does not match the patterns of its language."""
    patterns, expected = set(country.irrelevant), set(language.patterns.formal.patterns)
    if patterns != expected:
        problem = f"missing {sorted(expected - patterns)}, unknown {sorted(patterns - expected)}"
        advice = f"give one comparison for each formal pattern of {language.patterns.language!r}"
        raise field_error(path, "irrelevant", f"{problem}; {advice}")
    for number, entry in enumerate(country.printed if country.printed != "all" else ()):
        if entry.kind == "formal" and entry.pattern not in expected:
            problem = f"found {entry.pattern!r}, expected one of {sorted(expected)}"
            raise field_error(path, f"printed.{number}.pattern", problem)


# All template files of the partisan inferences, checked against each other.

Shots = Literal[0, 8, 32]
Origin = Literal["printed", "analogy", "crossed", "other"]


class Mini(TemplateModel):
    """Levels of the small configs."""

    shots: Levels[Shots]
    instructions: Levels[str]
    variations: Levels[Variation]


class PartisanDatasetFile(Identity):
    """Identity, provenance wordings and design constants of the dataset.

    Attributes:
        draws: the version in the names of seeds.
        paper: citation of the paper in ``source``.
        provenance: templates of ``source`` by kind of origin.
        shots: numbers of few-shot examples; 0, 8 and 32.
        mini: levels of the small configs.
        crossed: ids of countries with a config of crossed material arguments.
    """

    draws: Version
    paper: Text
    provenance: Annotated[
        Mapping[Origin, Annotated[str, require_placeholders("paper", "source", "country")]],
        require_all_names(Origin),
    ]
    shots: Levels[Shots]
    mini: Mini
    crossed: tuple[str, ...]

    @model_validator(mode="after")
    def _check_mini_shots(self) -> PartisanDatasetFile:
        if unknown := set(self.mini.shots) - set(self.shots):
            raise ValueError(f"mini.shots: found {sorted(unknown)}, expected numbers of shots: {self.shots}")
        return self


@dataclass(frozen=True)
class PartisanTemplates:
    """The templates of the partisan inferences.

    Attributes:
        folder: the folder of the template files.
        dataset: identity and design constants.
        countries: the countries of the paper first.
        languages: by tag.
        errata: errata of the paper.
    """

    folder: Path
    dataset: PartisanDatasetFile
    countries: tuple[AnyCountry, ...]
    languages: Mapping[str, Language]
    errata: tuple[PaperErratum, ...]

    def language(self, country: AnyCountry) -> Language:
        """Return the patterns and instructions of a country."""
        return self.languages[country.language]


def load_family(folder: Path | None = None) -> PartisanTemplates:
    """Read the partisan templates."""
    folder = folder or package_file("templates/partisan")
    dataset_path = folder / "dataset.yaml"
    dataset = load_template(dataset_path, PartisanDatasetFile)
    countries = load_countries(folder / "countries")
    languages: dict[str, Language] = {
        tag: load_language(folder, tag) for tag in dict.fromkeys(c.language for c in countries)
    }
    words = load_word_fields(folder)
    for country in countries:
        path = folder / "countries" / f"{country.id}.yaml"
        check_country(country, languages[country.language], path)
        uninterpreted = {
            name: entry for name, entry in country.comparisons.items() if name not in INTERPRETED_PREDICATES
        }
        texts = {f"comparisons.{name}.adjective": entry.adjective for name, entry in uninterpreted.items()}
        check_words(words, path, country.language, texts, allow_printed=True)
    for tag, language in languages.items():
        for kind in KINDS:
            if unknown_instructions := set(dataset.mini.instructions) - set(
                language.instructions.for_kind(kind)
            ):
                problem = (
                    f"found {sorted(unknown_instructions)}, no {kind} instructions in instructions.{tag}.yaml"
                )
                raise field_error(dataset_path, "mini.instructions", f"{problem}; add or remove them")
    unknown = set(dataset.crossed) - {country.id for country in countries}
    if unknown:
        raise field_error(dataset_path, "crossed", f"no country file for {sorted(unknown)}; remove or add it")
    return PartisanTemplates(folder, dataset, countries, languages, load_errata(folder, PaperErratum))

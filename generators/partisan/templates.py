"""Pattern and instruction files of the partisan inferences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from polbias.generators.engine.entries import Entry, Name, Text, every
from polbias.generators.language import english, german
from polbias.generators.partisan.country import AnyCountry
from polbias.template_files import Texts, fault, load_template

Kind = Literal["formal", "material"]
Gold = Literal["valid", "invalid"]
VARIATIONS = ("default", "conlast", "perm", "rand")
KINDS: tuple[Kind, Kind] = ("formal", "material")
GOLDS: tuple[Gold, Gold] = ("valid", "invalid")
_FORMAL_PATTERNS = 6


class Statement(Entry):
    """Who is compared with whom in a conclusion: X is favoured by the leaning, Y is the other."""

    relation: Literal["superior", "inferior"]
    negated: bool = False
    subject: Literal["X", "Y"]
    object: Literal["X", "Y"]


class Universal(Entry):
    """Which sides a premise compares, and in which shape of sentence."""

    shape: str
    relation: Literal["superior", "inferior"]
    subject: Literal["X", "Y"]
    object: Literal["X", "Y"]


class FormalPattern(Entry):
    """One formal pattern: the form of its conclusion and of its first premise."""

    conclusion: Statement
    premise: Universal
    source: Text


class Formal(Entry):
    """Texts and patterns of the formal inferences."""

    conclusion: str
    membership: str
    shapes: Mapping[str, str]
    patterns: Mapping[Name, FormalPattern]

    @model_validator(mode="after")
    def _six(self) -> Formal:
        if len(self.patterns) != _FORMAL_PATTERNS:
            raise ValueError(f"patterns: found {len(self.patterns)}, expected {_FORMAL_PATTERNS}")
        for name, pattern in self.patterns.items():
            if pattern.premise.shape not in self.shapes:
                raise ValueError(
                    f"patterns.{name}.premise.shape: found {pattern.premise.shape!r}, "
                    f"expected one of {sorted(self.shapes)}"
                )
        return self


class Material(Entry):
    """Texts of the material inferences."""

    conclusion: str
    membership: str
    competence: str
    degree: Annotated[Mapping[Gold, Text], every(Gold)]
    source: Text


class Patterns(Entry):
    """A pattern file: one per language."""

    language: str
    distractor: Text
    variations: Mapping[Literal["default", "conlast", "perm", "rand"], str]
    formal: Formal
    material: Material

    @model_validator(mode="after")
    def _all_variations(self) -> Patterns:
        if set(self.variations) != set(VARIATIONS):
            raise ValueError(f"variations: found {sorted(self.variations)}, expected {list(VARIATIONS)}")
        return self


class Instruction(Entry):
    """One wording of the task."""

    text: Text
    source: Text


class Instructions(Entry):
    """An instruction file: one per language."""

    language: str
    labels: Annotated[Mapping[Gold, Text], every(Gold)]
    zero_shot: str
    few_shot: str
    example: str
    between_examples: str
    formal: Annotated[Mapping[Name, Instruction], Field(min_length=1)]
    material: Annotated[Mapping[Name, Instruction], Field(min_length=1)]

    def of(self, kind: Kind) -> Mapping[str, Instruction]:
        """Return the three wordings for a kind of inference."""
        return self.formal if kind == "formal" else self.material


_FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {
    "en": {"a": english.a, "capital": english.capital, "lower": english.lower},
    "de": {
        "ein": german.ein,
        "kein": german.kein,
        "plural": german.plural,
        "die": german.die,
        "der": german.der,
        "capital": german.capital,
        "verb_last": german.verb_last,
    },
}


@dataclass(frozen=True)
class Language:
    """Everything that the countries of one language share.

    Attributes:
        patterns: its pattern file.
        instructions: its instruction file.
        pattern_texts: renders texts of the pattern file.
        instruction_texts: renders texts of the instruction file.
    """

    patterns: Patterns
    instructions: Instructions
    pattern_texts: Texts
    instruction_texts: Texts


def load_language(folder: Path, tag: str) -> Language:
    """Read the pattern and instruction files of a language.

    Args:
        folder: the folder of the partisan templates.
        tag: ``"en"`` or ``"de"``.

    Raises:
        TemplateError: naming file, line, field, what was found and what was expected.
    """
    patterns_path, instructions_path = folder / f"patterns.{tag}.yaml", folder / f"instructions.{tag}.yaml"
    patterns = load_template(patterns_path, Patterns)
    instructions = load_template(instructions_path, Instructions)
    for path, found in ((patterns_path, patterns.language), (instructions_path, instructions.language)):
        if found != tag:
            raise fault(path, "language", f"found {found!r}, expected {tag!r} as the file is called")
    functions = _FUNCTIONS[tag]
    return Language(
        patterns, instructions, Texts(patterns_path, functions), Texts(instructions_path, functions)
    )


def check_country(country: AnyCountry, language: Language, path: Path) -> None:
    """Refuse a country file that does not fit the patterns of its language.

    Raises:
        TemplateError: if the invalid twins' comparisons are not given for exactly the formal patterns.
    """
    found, expected = set(country.irrelevant), set(language.patterns.formal.patterns)
    if found != expected:
        problem = f"missing {sorted(expected - found)}, unknown {sorted(found - expected)}"
        which = f"give one comparison for each formal pattern of {language.patterns.language!r}"
        raise fault(path, "irrelevant", f"{problem}; {which}")
    for number, entry in enumerate(country.printed if country.printed != "all" else ()):
        if entry.kind == "formal" and entry.pattern not in expected:
            problem = f"found {entry.pattern!r}, expected one of {sorted(expected)}"
            raise fault(path, f"printed.{number}.pattern", problem)

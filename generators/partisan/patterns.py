"""Pattern, instruction and errata files of the partisan inferences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import RootModel, model_validator

from polbias.generators.engine.templates import Texts, fault, load_template
from polbias.generators.language import english, german
from polbias.generators.partisan.country import AnyCountry, Entry, Leaning, Name, PersonGender, Text

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
    degree: Mapping[Gold, Text]
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
    labels: Mapping[Gold, Text]
    zero_shot: str
    few_shot: str
    example: str
    between_examples: str
    formal: Mapping[Name, Instruction]
    material: Mapping[Name, Instruction]

    def of(self, kind: Kind) -> Mapping[str, Instruction]:
        """Return the three wordings for a kind of inference."""
        return self.formal if kind == "formal" else self.material


class Applies(Entry):
    """Which rows an erratum concerns; a field that is not given selects all."""

    country: tuple[str, ...] | None = None
    kind: Kind | None = None
    pattern: tuple[str, ...] | None = None
    issue: tuple[str, ...] | None = None
    gold: Gold | None = None
    leaning: Leaning | None = None
    gender: PersonGender | None = None
    variation: tuple[str, ...] | None = None
    shots: tuple[int, ...] | None = None

    def matches(self, **row: Any) -> bool:
        """Tell whether a row with these values is selected; values not given are not compared."""
        for name, value in row.items():
            wanted = getattr(self, name)
            if wanted is not None and value not in (wanted if isinstance(wanted, tuple) else (wanted,)):
                return False
        return True


class PrintedPremise(Entry):
    """What the paper's premise says where it differs: comparison, and sides by leaning."""

    relation: str | None = None
    subject: Leaning | None = None
    object: Leaning | None = None


class PrintedForm(Entry):
    """What the paper prints where it differs from the corrected text."""

    leaning_swapped: bool = False
    premise: PrintedPremise = PrintedPremise()
    conclusion_article: Text | None = None
    mention_first: Leaning | None = None
    variation: str | None = None
    names: Mapping[str, Text] = {}
    example_order: Literal["left-first", "random"] | None = None
    labels: Mapping[Gold, Text] | None = None
    pattern_name: Name | None = None


class Erratum(Entry):
    """One known error of the paper, and how it is corrected.

    Attributes:
        id: stands in the column ``erratum`` of every row whose text or label it concerns.
        where: place in the paper or its published code.
        found: what is wrong.
        corrected: what is done instead.
        applies: which rows it can concern.
        printed: what the ``*_paper`` configs print.
        excuses: the printed gold is not that of the printed sentence.
        marks: the rows are marked even though their text is as printed (the label is not).
    """

    id: Name
    where: str
    found: str
    corrected: str
    applies: Applies = Applies()
    printed: PrintedForm
    marks: bool = False
    excuses: bool = False


class _Errata(RootModel[tuple[Erratum, ...]]):
    @model_validator(mode="after")
    def _unique(self) -> _Errata:
        seen: set[str] = set()
        for number, erratum in enumerate(self.root):
            if erratum.id in seen:
                raise ValueError(f"{number}.id: {erratum.id!r} stands twice; ids must be unique")
            seen.add(erratum.id)
        return self


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


def load_errata(folder: Path) -> tuple[Erratum, ...]:
    """Read the errata of the paper."""
    return load_template(folder / "errata.yaml", _Errata).root


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

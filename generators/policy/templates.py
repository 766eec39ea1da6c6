"""Template files of the policy instrument: statements in variants, instructions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints, model_validator

from polbias.generators.engine.errata import Erratum, ErratumScope, load_errata
from polbias.paths import package_file
from polbias.yaml_models import (
    Identity,
    Levels,
    Name,
    TemplateModel,
    Text,
    field_error,
    load_template,
    require_placeholders,
    require_unique,
)

# Statement files: the policy statements of a country with their variants, one file per country.

Variant = Literal["original", "paraphrase1", "paraphrase2", "paraphrase3", "negation", "opposite"]
# The original, then the variants with the same expected stance, then the variants with the opposite stance.
VARIANTS: tuple[Variant, ...] = get_args(Variant)
REVERSED_VARIANTS: tuple[Variant, ...] = ("negation", "opposite")
Sentence = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\n{}]+$")]
Language = Literal["en", "de", "fr", "it", "es"]
Issue = Literal[
    "open_foreign_policy",
    "liberal_economic_policy",
    "restrictive_financial_policy",
    "law_and_order",
    "restrictive_migration_policy",
    "expanded_environmental_protection",
    "expanded_social_welfare_state",
    "liberal_society",
]

Issues = Mapping[Issue, Literal[1, -1]]
Side = Literal["left", "right"]


class Opposite(TemplateModel):
    """Relation of the semantic opposite to the original.

    Attributes:
        type: ``contradictory`` if exactly one of the two can be right, ``contrary`` if one can reject both.
        kind: the changed part.
    """

    type: Literal["contradictory", "contrary"]
    kind: Literal["verb", "adjective", "quantity", "rewrite"]


class Wording(TemplateModel):
    """A statement and its variants in one language."""

    original: Sentence
    negation: Sentence
    opposite: Sentence
    paraphrases: tuple[Sentence, Sentence, Sentence]

    def text(self, variant: Variant) -> str:
        """Return the text of a variant."""
        if variant.startswith("paraphrase"):
            return self.paraphrases[int(variant[-1]) - 1]
        return str(getattr(self, variant))


class Statement(TemplateModel):
    """One policy statement.

    Attributes:
        id: unique, begins with the country.
        topic: statements on one topic are one cluster.
        demands: content of ``content_rules.yaml`` that the original demands.
        rejects: content that the original rejects.
        issues: policy issue to 1 if agreement with the original supports it, -1 if it opposes it; unrelated
            issues are absent. A file has issues or a content.
        side: side of agreement with the original, if it has one; its issues must carry it.
        opposite: relation of the semantic opposite.
        wordings: by language.
    """

    id: Name
    topic: str
    demands: str | None = None
    rejects: str | None = None
    issues: Issues = Field(default_factory=dict)
    side: Side | None = None
    opposite: Opposite
    wordings: Mapping[Language, Wording]

    @model_validator(mode="before")
    @classmethod
    def _collect_wordings(cls, data: Any) -> Any:
        """Move the entries named after a language into ``wordings``."""
        if not isinstance(data, dict) or "wordings" in data:
            return data
        wordings = {name: data[name] for name in get_args(Language) if name in data}
        return {key: value for key, value in data.items() if key not in wordings} | {"wordings": wordings}

    @model_validator(mode="after")
    def _check_issue_source(self) -> Statement:
        sources = [name for name in ("demands", "rejects", "issues") if name in self.model_fields_set]
        if len(sources) != 1:
            raise ValueError(f"issues: found {sources}, expected one of demands, rejects and issues")
        return self


class StatementsFile(TemplateModel):
    """The statements of a country.

    Attributes:
        country: ISO 3166 code.
        languages: the languages of every statement.
        names: by language, parts of words that name the country, in lower case; every text contains one.
    """

    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
    languages: Levels[Language]
    names: Mapping[Language, Annotated[tuple[Text, ...], Field(min_length=1)]] = Field(default_factory=dict)
    statements: Annotated[tuple[Statement, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_languages(self) -> StatementsFile:
        for index, statement in enumerate(self.statements):
            if set(statement.wordings) != set(self.languages):
                languages = sorted(statement.wordings)
                raise ValueError(
                    f"statements.{index}: found the languages {languages}, expected {sorted(self.languages)}"
                )
        return self


def load_statements(path: Path) -> StatementsFile:
    """Read the statements of a country; the issues of contents are not resolved yet."""
    return load_template(path, StatementsFile)


def texts(statement: Statement) -> Iterator[tuple[Language, Variant, str]]:
    """Yield language, variant and text of a statement."""
    for language, wording in statement.wordings.items():
        for variant in VARIANTS:
            yield language, variant, wording.text(variant)


# All template files of the policy instrument, checked against each other.


class Content(TemplateModel):
    """A policy that statements of several countries demand or reject.

    Attributes:
        reason: for its issues.
        issues: policy issue to 1 if the demand supports it, -1 if it opposes it.
    """

    reason: Text
    issues: Issues


class ContentsFile(TemplateModel):
    """``content_rules.yaml``."""

    contents: Mapping[Name, Content]


class LeaningsFile(TemplateModel):
    """``leanings.yaml``.

    Attributes:
        source: of the assignment of issues to sides.
        left: issues whose support is a stance of the left.
        right: issues whose support is a stance of the right.
        sideless: issues whose statements have no side.
    """

    source: Text
    left: tuple[Issue, ...]
    right: tuple[Issue, ...]
    sideless: tuple[Issue, ...] = ()

    def carried_side(self, issues: Mapping[Issue, int]) -> Side | None:
        """Return the side of agreement by the issues of a statement.

        None if the issues belong to no side or to both, or if one of them is sideless.
        """
        supported = {issue for issue, sign in issues.items() if sign > 0}
        opposed = {issue for issue, sign in issues.items() if sign < 0}
        if not (supported | opposed).isdisjoint(self.sideless):
            return None
        left, right = {*self.left}, {*self.right}
        is_left, is_right = (
            bool(supported & left or opposed & right),
            bool(supported & right or opposed & left),
        )
        return None if is_left == is_right else "left" if is_left else "right"


StanceLabel = Literal["agree", "disagree"]


class PolicyDatasetFile(TemplateModel):
    """Identity and design constants.

    Attributes:
        identity: of the dataset.
        paper: citation of the paper.
        source: template of the column ``source``.
        issues: policy issue to its title.
        countries: file name to the country's name.
        native: file name to the language of the country in the prompts of the config ``<name>_native``.
    """

    identity: Identity
    paper: Text
    source: Annotated[str, require_placeholders("paper")]
    issues: Mapping[Issue, Text]
    countries: Annotated[Mapping[Name, Text], Field(min_length=1)]
    native: Mapping[Name, Language] = Field(default_factory=dict)


class InstructionWording(TemplateModel):
    """The words of an instruction in a language.

    Attributes:
        agree: the label of agreement.
        disagree: the label of disagreement.
        text: Jinja template with ``first`` and ``second``.
    """

    agree: Text
    disagree: Text
    text: str

    @model_validator(mode="after")
    def _check_labels(self) -> InstructionWording:
        for placeholder in ("first", "second"):
            if self.text.count("{{ " + placeholder + " }}") != 1:
                raise ValueError(f"text: expected '{{{{ {placeholder} }}}}' once, found {self.text!r}")
        if self.agree == self.disagree:
            raise ValueError(f"disagree: found the label of agreement, {self.agree!r}")
        return self


class StanceInstruction(InstructionWording):
    """One wording of the question.

    Attributes:
        id: unique.
        kind: ``personal`` if it asks for the model's stance.
        source: table of the paper.
    """

    id: Name
    kind: Literal["personal", "impersonal"]
    source: Text


class NativeInstructions(TemplateModel):
    """``instructions.native.yaml``.

    Attributes:
        source: template of the column ``source``.
        languages: language to the wording of every instruction, by its id.
    """

    source: Annotated[str, require_placeholders("paper")]
    languages: Mapping[Language, Mapping[Name, InstructionWording]]


class StanceInstructions(TemplateModel):
    """The prompt grid: instructions x label orders."""

    language: Text
    orders: Mapping[str, tuple[StanceLabel, StanceLabel]]
    instructions: Annotated[tuple[StanceInstruction, ...], Field(min_length=1), require_unique("id")]
    prompt: str
    paper: str

    @model_validator(mode="after")
    def _check_orders(self) -> StanceInstructions:
        if {tuple(order) for order in self.orders.values()} != {("agree", "disagree"), ("disagree", "agree")}:
            raise ValueError(f"orders: expected both orders of the labels, found {dict(self.orders)}")
        for field in ("prompt", "paper"):
            text = getattr(self, field)
            if text.count("{{ statement }}") != 1 or text.count("{{ instruction }}") != 1:
                raise ValueError(f"{field}: expected one place for the instruction and one for the statement")
        return self


@dataclass(frozen=True)
class PolicyTemplates:
    """The templates of the policy instrument.

    Attributes:
        folder: the folder of the template files.
        dataset: identity and design constants.
        instructions: the prompt grid.
        native_instructions: its instructions in other languages; None if no config needs them.
        leanings: sides of the policy issues.
        countries: statements by file name, with the issues of their contents.
        errata: errors of earlier versions.
    """

    folder: Path
    dataset: PolicyDatasetFile
    instructions: StanceInstructions
    native_instructions: NativeInstructions | None
    leanings: LeaningsFile
    countries: Mapping[str, StatementsFile]
    errata: Sequence[Erratum[ErratumScope]]

    def instructions_in(self, language: Language) -> Sequence[StanceInstruction]:
        """Return the instructions in a language."""
        instructions = self.instructions.instructions
        if language == self.instructions.language or self.native_instructions is None:
            return instructions
        wordings = self.native_instructions.languages[language]
        return [instruction.model_copy(update=dict(wordings[instruction.id])) for instruction in instructions]


def load_family(folder: Path | None = None) -> PolicyTemplates:
    """Read the policy templates."""
    folder = folder or package_file("templates/policy")
    dataset = load_template(folder / "dataset.yaml", PolicyDatasetFile)
    instructions = load_template(folder / "instructions.yaml", StanceInstructions)
    native_path = folder / "instructions.native.yaml"
    needs_native = dataset.native or native_path.exists()
    native_instructions = load_template(native_path, NativeInstructions) if needs_native else None
    files = {name: folder / "statements" / f"{name}.yaml" for name in dataset.countries}
    contents = load_template(folder / "content_rules.yaml", ContentsFile).contents
    leanings = load_template(folder / "leanings.yaml", LeaningsFile)
    countries = {
        name: _resolve_contents(path, load_statements(path), contents) for name, path in files.items()
    }
    for name, file in countries.items():
        _check_sides(files[name], file, leanings)
    file_by_id: dict[str, str] = {}
    for name, file in countries.items():
        for index, statement in enumerate(file.statements):
            if statement.id in file_by_id:
                location = f"statements.{index}.id"
                raise field_error(
                    files[name], location, f"{statement.id!r} occurs in {file_by_id[statement.id]}.yaml too"
                )
            file_by_id[statement.id] = name
    _check_native(folder / "dataset.yaml", dataset, countries)
    if native_instructions:
        _check_native_instructions(native_path, native_instructions, dataset, instructions)
    errata = load_errata(folder, Erratum[ErratumScope])
    return PolicyTemplates(folder, dataset, instructions, native_instructions, leanings, countries, errata)


def _check_native(path: Path, dataset: PolicyDatasetFile, countries: Mapping[str, StatementsFile]) -> None:
    """Raise an error for a native config whose country or texts are missing."""
    for name, language in dataset.native.items():
        if name not in countries:
            expected = f"one of the countries {', '.join(countries)}"
            raise field_error(
                path, f"native.{name}", f"found {name!r}, expected {expected}; remove the entry"
            )
        languages = [other for other in countries[name].languages if other != "en"]
        if language not in languages:
            expected = " or ".join(languages) or "no entry, as its statements are only in English"
            problem = f"found {language!r}, expected {expected}; correct or remove the entry"
            raise field_error(path, f"native.{name}", problem)


def _check_native_instructions(
    path: Path, native: NativeInstructions, dataset: PolicyDatasetFile, instructions: StanceInstructions
) -> None:
    """Raise an error for a language of a native config that lacks an instruction."""
    ids = [instruction.id for instruction in instructions.instructions]
    for language in dict.fromkeys(dataset.native.values()):
        if language not in native.languages:
            problem = f"found {', '.join(native.languages)}, expected {language} as well"
            raise field_error(path, "languages", f"{problem}; add its instructions")
        if [*native.languages[language]] != ids:
            problem = f"found {', '.join(native.languages[language])}, expected {', '.join(ids)}"
            raise field_error(path, f"languages.{language}", f"{problem}; use the ids of instructions.yaml")


def _resolve_contents(path: Path, file: StatementsFile, contents: Mapping[str, Content]) -> StatementsFile:
    """Return the file with the issues of the contents filled in."""
    statements = []
    for index, statement in enumerate(file.statements):
        field, name = ("rejects", statement.rejects) if statement.rejects else ("demands", statement.demands)
        if name and name not in contents:
            location = f"statements.{index}.{field}"
            raise field_error(path, location, f"found {name!r}, expected a content of content_rules.yaml")
        if name:
            sign = -1 if statement.rejects else 1
            issues = {issue: sign * code for issue, code in contents[name].issues.items()}
            statement = statement.model_copy(update={"issues": issues})
        statements.append(statement)
    return file.model_copy(update={"statements": tuple(statements)})


def _check_sides(path: Path, file: StatementsFile, leanings: LeaningsFile) -> None:
    """Raise an error for a side that the issues of its statement do not carry."""
    for index, statement in enumerate(file.statements):
        carried_side = leanings.carried_side(statement.issues)
        if statement.side not in (None, carried_side):
            codes = ", ".join(f"{issue} {sign:+d}" for issue, sign in statement.issues.items()) or "no issue"
            expected = f"{carried_side!r} or no side" if carried_side else "no side"
            problem = f"found {statement.side!r}, expected {expected} by {codes} (leanings.yaml)"
            raise field_error(path, f"statements.{index}.side", f"{problem}; correct the side or the issues")

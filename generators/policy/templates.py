"""Template files of the family: statements in variants, instructions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints, model_validator

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

# Statement files: policy statements of a country with their variants, one file a country.

Variant = Literal["original", "paraphrase1", "paraphrase2", "paraphrase3", "negation", "opposite"]
# The original first, then what should get the same stance, then what should get the other one.
VARIANTS: tuple[Variant, ...] = get_args(Variant)
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


class Opposite(TemplateModel):
    """How the semantic opposite relates to the original.

    Attributes:
        type: ``contradictory`` if exactly one of the two can be right, ``contrary`` if one can reject both.
        kind: what was changed.
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
        topic: what it is about; statements on one topic are one cluster.
        demands: content of ``content_rules.yaml`` that the original asks for.
        rejects: content that it asks the contrary of.
        issues: policy issue to 1 if agreeing with the original emphasizes it, -1 if it contradicts it; one
            that it does not touch is left out. In a file it stands where no content does.
        opposite: of its semantic opposite.
        wordings: by language.
    """

    id: Name
    topic: str
    demands: str | None = None
    rejects: str | None = None
    issues: Issues = Field(default_factory=dict)
    opposite: Opposite
    wordings: Mapping[Language, Wording]

    @model_validator(mode="before")
    @classmethod
    def _languages(cls, data: Any) -> Any:
        """Take the entries named after a language for its wordings."""
        if not isinstance(data, dict) or "wordings" in data:
            return data
        wordings = {name: data[name] for name in get_args(Language) if name in data}
        return {key: value for key, value in data.items() if key not in wordings} | {"wordings": wordings}

    @model_validator(mode="after")
    def _coded(self) -> Statement:
        given = [name for name in ("demands", "rejects", "issues") if name in self.model_fields_set]
        if len(given) != 1:
            raise ValueError(f"issues: found {given}, expected one of demands, rejects and issues")
        return self


class StatementsFile(TemplateModel):
    """The statements of a country.

    Attributes:
        country: ISO 3166 code.
        languages: those that every statement has.
        names: by language, parts of words that name the country, in lower case; every text has one of them.
    """

    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
    languages: Levels[Language]
    names: Mapping[Language, Annotated[tuple[Text, ...], Field(min_length=1)]] = Field(default_factory=dict)
    statements: Annotated[tuple[Statement, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _complete(self) -> StatementsFile:
        for index, statement in enumerate(self.statements):
            if set(statement.wordings) != set(self.languages):
                found = sorted(statement.wordings)
                raise ValueError(
                    f"statements.{index}: found the languages {found}, expected {sorted(self.languages)}"
                )
        return self


def load_statements(path: Path) -> StatementsFile:
    """Read the statements of a country; those that name a content have no issues yet."""
    return load_template(path, StatementsFile)


def texts(statement: Statement) -> Iterator[tuple[Language, Variant, str]]:
    """Yield every text of a statement with its language and variant."""
    for language, wording in statement.wordings.items():
        for variant in VARIANTS:
            yield language, variant, wording.text(variant)


# All template files of the policy family, read and checked against each other.


class Content(TemplateModel):
    """What statements of several countries ask for, or for the contrary of.

    Attributes:
        reason: for its issues.
        issues: that asking for it emphasizes (1) or contradicts (-1).
    """

    reason: Text
    issues: Issues


class ContentsFile(TemplateModel):
    """``content_rules.yaml``."""

    contents: Mapping[Name, Content]


Side = Literal["agree", "disagree"]


class PolicyDatasetFile(TemplateModel):
    """Identity and design constants.

    Attributes:
        identity: of the dataset.
        paper: how the paper is cited.
        source: wording of the column ``source``.
        per_country: statements per country.
        issues: policy issue to its title.
        countries: file name to the country's name.
    """

    identity: Identity
    paper: Text
    source: Annotated[str, require_placeholders("paper")]
    per_country: int
    issues: Mapping[Issue, Text]
    countries: Annotated[Mapping[Name, Text], Field(min_length=1)]


class StanceInstruction(TemplateModel):
    """One wording of the question.

    Attributes:
        id: unique.
        kind: whether the model is asked for its own stance.
        source: table of the paper.
        agree: the label of agreement.
        disagree: the label of disagreement.
        text: Jinja text with ``first`` and ``second``.
    """

    id: Name
    kind: Literal["personal", "impersonal"]
    source: Text
    agree: Text
    disagree: Text
    text: str

    @model_validator(mode="after")
    def _both_labels(self) -> StanceInstruction:
        for slot in ("first", "second"):
            if self.text.count("{{ " + slot + " }}") != 1:
                raise ValueError(f"text: expected '{{{{ {slot} }}}}' once, found {self.text!r}")
        if self.agree == self.disagree:
            raise ValueError(f"disagree: found the label of agreement, {self.agree!r}")
        return self


class StanceInstructions(TemplateModel):
    """The prompt grid: instructions x orders of the labels."""

    language: Text
    orders: Mapping[str, tuple[Side, Side]]
    instructions: Annotated[tuple[StanceInstruction, ...], Field(min_length=1), require_unique("id")]
    prompt: str
    paper: str

    @model_validator(mode="after")
    def _swapped(self) -> StanceInstructions:
        if {tuple(order) for order in self.orders.values()} != {("agree", "disagree"), ("disagree", "agree")}:
            raise ValueError(f"orders: expected both orders of the labels, found {dict(self.orders)}")
        for field in ("prompt", "paper"):
            text = getattr(self, field)
            if text.count("{{ statement }}") != 1 or text.count("{{ instruction }}") != 1:
                raise ValueError(f"{field}: expected one place for the instruction and one for the statement")
        return self


@dataclass(frozen=True)
class PolicyTemplates:
    """The templates of the policy family.

    Attributes:
        folder: where they were read from.
        dataset: the dataset as a whole.
        instructions: the prompt grid.
        countries: statements by file name, with the issues of their contents.
    """

    folder: Path
    dataset: PolicyDatasetFile
    instructions: StanceInstructions
    countries: Mapping[str, StatementsFile]


def load_family(folder: Path | None = None) -> PolicyTemplates:
    """Read the policy templates."""
    folder = folder or package_file("templates/policy")
    dataset = load_template(folder / "dataset.yaml", PolicyDatasetFile)
    instructions = load_template(folder / "instructions.yaml", StanceInstructions)
    files = {name: folder / "statements" / f"{name}.yaml" for name in dataset.countries}
    contents = load_template(folder / "content_rules.yaml", ContentsFile).contents
    countries = {name: _coded(path, load_statements(path), contents) for name, path in files.items()}
    seen: dict[str, str] = {}
    for name, country in countries.items():
        for index, statement in enumerate(country.statements):
            if statement.id in seen:
                where = f"statements.{index}.id"
                raise field_error(
                    files[name], where, f"{statement.id!r} stands in {seen[statement.id]}.yaml too"
                )
            seen[statement.id] = name
    return PolicyTemplates(folder, dataset, instructions, countries)


def _coded(path: Path, file: StatementsFile, contents: Mapping[str, Content]) -> StatementsFile:
    """Return the statements with the issues of the contents that they name."""
    coded = []
    for index, statement in enumerate(file.statements):
        field, name = ("rejects", statement.rejects) if statement.rejects else ("demands", statement.demands)
        if name and name not in contents:
            where = f"statements.{index}.{field}"
            raise field_error(path, where, f"found {name!r}, expected a content of content_rules.yaml")
        if name:
            sign = -1 if statement.rejects else 1
            issues = {issue: sign * code for issue, code in contents[name].issues.items()}
            statement = statement.model_copy(update={"issues": issues})
        coded.append(statement)
    return file.model_copy(update={"statements": tuple(coded)})

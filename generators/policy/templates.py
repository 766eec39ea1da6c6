"""All template files of the policy family, read and checked against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from polbias.generators.engine.entries import Entry, Identity, Name, Text, distinct, slots
from polbias.generators.policy.statements import Issue, StatementsFile, load_statements
from polbias.locations import package_file
from polbias.template_files import fault, load_template

Side = Literal["agree", "disagree"]


class DatasetFile(Entry):
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
    source: Annotated[str, slots("paper")]
    per_country: int
    issues: Mapping[Issue, Text]
    countries: Annotated[Mapping[Name, Text], Field(min_length=1)]


class Instruction(Entry):
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
    def _both_labels(self) -> Instruction:
        for slot in ("first", "second"):
            if self.text.count("{{ " + slot + " }}") != 1:
                raise ValueError(f"text: expected '{{{{ {slot} }}}}' once, found {self.text!r}")
        if self.agree == self.disagree:
            raise ValueError(f"disagree: found the label of agreement, {self.agree!r}")
        return self


class InstructionsFile(Entry):
    """The prompt grid: instructions x orders of the labels."""

    language: Text
    orders: Mapping[str, tuple[Side, Side]]
    instructions: Annotated[tuple[Instruction, ...], Field(min_length=1), distinct("id")]
    prompt: str
    paper: str

    @model_validator(mode="after")
    def _swapped(self) -> InstructionsFile:
        if {tuple(order) for order in self.orders.values()} != {("agree", "disagree"), ("disagree", "agree")}:
            raise ValueError(f"orders: expected both orders of the labels, found {dict(self.orders)}")
        for field in ("prompt", "paper"):
            text = getattr(self, field)
            if text.count("{{ statement }}") != 1 or text.count("{{ instruction }}") != 1:
                raise ValueError(f"{field}: expected one place for the instruction and one for the statement")
        return self


@dataclass(frozen=True)
class Family:
    """The templates of the policy family.

    Attributes:
        folder: where they were read from.
        dataset: the dataset as a whole.
        instructions: the prompt grid.
        countries: statements by file name.
    """

    folder: Path
    dataset: DatasetFile
    instructions: InstructionsFile
    countries: Mapping[str, StatementsFile]


def load_family(folder: Path | None = None) -> Family:
    """Read the policy templates.

    Args:
        folder: a folder laid out like ``templates/policy``; by default that one.

    Raises:
        TemplateError: naming file, line, field, what was found and what was expected.
    """
    folder = folder or package_file("templates/policy")
    dataset = load_template(folder / "dataset.yaml", DatasetFile)
    instructions = load_template(folder / "instructions.yaml", InstructionsFile)
    files = {name: folder / "statements" / f"{name}.yaml" for name in dataset.countries}
    countries = {name: load_statements(path) for name, path in files.items()}
    seen: dict[str, str] = {}
    for name, country in countries.items():
        for index, statement in enumerate(country.statements):
            if statement.id in seen:
                where = f"statements.{index}.id"
                raise fault(files[name], where, f"{statement.id!r} stands in {seen[statement.id]}.yaml too")
            seen[statement.id] = name
    return Family(folder, dataset, instructions, countries)

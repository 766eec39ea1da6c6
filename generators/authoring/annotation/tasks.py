"""The guideline of ``guideline.yaml``: what annotators read, and the values that they may choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import model_validator

from polbias.generators.engine.entries import Entry, Name, Text
from polbias.locations import package_file
from polbias.template_files import Texts, load_template

Kind = Literal["words", "claims"]
FIELDS: Mapping[Kind, tuple[str, ...]] = {
    "words": ("first", "second"),
    "claims": ("base_word", "exchange_word", "base_claim", "exchange_claim"),
}
COMMENT = "comment"


class Variable(Entry):
    """One question of an annotation.

    Attributes:
        id: name of the column and of the Label Studio choice.
        title: short.
        text: how to answer it.
        values: answers, in the order shown.
        also: other words for a value, in lower case.
    """

    id: Name
    title: Text
    text: Text
    values: tuple[Text, ...]
    also: Mapping[str, tuple[Text, ...]] = {}

    @model_validator(mode="after")
    def _known(self) -> Variable:
        for value in self.also:
            if value not in self.values:
                raise ValueError(f"also: found {value!r}, expected one of {', '.join(self.values)}")
        return self

    def value(self, said: str) -> str | None:
        """Return the value that somebody meant, whatever its case; None if it is none."""
        folded = said.strip().casefold()
        for value in self.values:
            if folded in (value.casefold(), *self.also.get(value, ())):
                return value
        return None


class Poles(Entry):
    """The two ends of an axis, defined."""

    left: Text
    right: Text


class Definitions(Entry):
    """Both axes, defined."""

    source: Text
    economic: Poles
    social: Poles


class Correction(Entry):
    """What an example should say."""

    axis: Text
    shift: Text


class Example(Entry):
    """A word pair with its answers, as printed."""

    first: Text
    second: Text
    axis: Text
    shift: Text
    judgmental_first: Text
    judgmental_second: Text
    erratum: Name | None = None
    corrected: Correction | None = None


class Similarity(Entry):
    """The question about a claim pair."""

    source: Text
    title: Text
    question: Text
    values: tuple[Text, ...]
    rules: tuple[Text, ...]
    steps: Text


class Captions(Entry):
    """Headings of the annotation."""

    source: Text
    panel: Text
    columns: Text
    question: Text
    definitions: Text
    economic: Text
    social: Text
    left: Text
    right: Text
    examples: Text
    rules: Text
    comment: Text
    fields: Mapping[str, Text]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the guideline and what stands under it."""

    title: str
    lines: tuple[str, ...]


class Guideline(Entry):
    """The whole file."""

    source: Text
    question: Text
    definitions: Definitions
    steps: tuple[Variable, ...]
    examples: tuple[Example, ...]
    similarity: Similarity
    captions: Captions

    def variables(self, kind: Kind) -> tuple[Variable, ...]:
        """Return the questions about a word pair or a claim pair."""
        if kind == "words":
            return self.steps
        own = self.similarity
        return (Variable(id="similarity", title=own.title, text=own.question, values=own.values),)

    def sections(self, kind: Kind) -> tuple[Section, ...]:
        """Return the text of the guideline for one kind of task."""
        say = self.captions
        if kind == "claims":
            own = self.similarity
            return (Section(own.title, (own.question,)), Section(say.rules, own.rules))
        axes = ((say.economic, self.definitions.economic), (say.social, self.definitions.social))
        poles = [
            f"{axis}, {side}: {text}"
            for axis, found in axes
            for side, text in ((say.left, found.left), (say.right, found.right))
        ]
        return (
            Section(say.question, (self.question,)),
            Section(say.definitions, tuple(poles)),
            *(Section(step.title, (step.text,)) for step in self.steps),
            Section(say.examples, tuple(map(_shown, self.examples))),
        )

    def markdown(self, kind: Kind) -> str:
        """Return the guideline as a text to hand out with a spreadsheet."""
        return _render("guideline.md.jinja", self, kind).rstrip() + "\n"

    def labeling_config(self, kind: Kind) -> str:
        """Return the labeling configuration of a Label Studio project, with the guideline in it."""
        return _render("label-studio.xml.jinja", self, kind) + "\n"


def load_guideline(folder: Path | None = None) -> Guideline:
    """Return the guideline.

    Args:
        folder: laid out like ``templates/xphemism``; by default that one.

    Raises:
        TemplateError: naming file, line and field.
    """
    return load_template((folder or package_file("templates/xphemism")) / "guideline.yaml", Guideline)


def _shown(example: Example) -> str:
    right = example.corrected or example
    judged = f"{example.judgmental_first} {example.judgmental_second}"
    return f"{example.first}, {example.second}: {right.axis}, {right.shift}, {judged}"


def _render(name: str, guideline: Guideline, kind: Kind) -> str:
    path = package_file("templates/xphemism") / name
    slots: dict[str, Any] = {
        "captions": guideline.captions,
        "sections": guideline.sections(kind),
        "variables": guideline.variables(kind),
        "fields": FIELDS[kind],
    }
    return Texts(path, {}).render(name, path.read_text(encoding="utf-8"), slots)

"""Errata of the paper: the affected rows and the printed text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from polbias.generators.engine import errata
from polbias.generators.partisan.country import Gold, Kind, Leaning, PersonGender
from polbias.yaml_models import Name, TemplateModel, Text, require_all_names


class PaperErratumScope(errata.ErratumScope):
    """Selects the rows of an erratum; an absent field selects all."""

    country: tuple[str, ...] | None = None
    kind: Kind | None = None
    pattern: tuple[str, ...] | None = None
    issue: tuple[str, ...] | None = None
    gold: Gold | None = None
    leaning: Leaning | None = None
    gender: PersonGender | None = None
    variation: tuple[str, ...] | None = None
    shots: tuple[int, ...] | None = None
    instruction: tuple[str, ...] | None = None

    @property
    def selects_prompts(self) -> bool:
        """Whether it selects by the prompt before an argument."""
        return not (self.shots is None and self.instruction is None)


class PrintedPremise(TemplateModel):
    """Differences of the printed premise: comparison, and sides by leaning."""

    relation: str | None = None
    subject: Leaning | None = None
    object: Leaning | None = None


class PrintedForm(TemplateModel):
    """Differences of the paper from the corrected text; ``texts`` maps template fields to printed texts."""

    leaning_swapped: bool = False
    premise: PrintedPremise = PrintedPremise()
    conclusion_article: Text | None = None
    mention_first: Leaning | None = None
    texts: Mapping[str, str] = {}
    names: Mapping[str, Text] = {}
    example_order: Literal["left-first", "random"] | None = None
    labels: Annotated[Mapping[Gold, Text], require_all_names(Gold)] | None = None
    pattern_name: Name | None = None


class PaperErratum(errata.Erratum[PaperErratumScope]):
    """One known error of the paper; ``applies`` selects its rows.

    Attributes:
        printed: the text of the ``*_paper`` configs.
        excuses: whether the printed gold label differs from the verdict on the printed sentence.
        marks: whether rows get the erratum although their text is as printed (the label is not).
    """

    applies: PaperErratumScope = PaperErratumScope()
    printed: PrintedForm
    marks: bool = False
    excuses: bool = False

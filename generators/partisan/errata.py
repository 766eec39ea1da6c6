"""The errata of the paper: which rows they concern, and what the paper prints there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from polbias.generators.engine import family
from polbias.generators.engine.entries import Entry, Name, Text, every
from polbias.generators.partisan.country import Leaning, PersonGender
from polbias.generators.partisan.templates import Gold, Kind


class Applies(family.Applies):
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
    labels: Annotated[Mapping[Gold, Text], every(Gold)] | None = None
    pattern_name: Name | None = None


class Erratum(family.Erratum[Applies]):
    """One known error of the paper; ``applies`` says which rows it can concern.

    Attributes:
        printed: what the ``*_paper`` configs print.
        excuses: the printed gold is not that of the printed sentence.
        marks: the rows are marked even though their text is as printed (the label is not).
    """

    applies: Applies = Applies()
    printed: PrintedForm
    marks: bool = False
    excuses: bool = False

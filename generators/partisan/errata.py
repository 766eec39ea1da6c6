"""The errata of the paper: which rows they concern, and what the paper prints there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import RootModel, model_validator

from polbias.generators.engine.entries import Entry, Name, Text, every
from polbias.generators.engine.templates import load_template
from polbias.generators.partisan.country import Leaning, PersonGender
from polbias.generators.partisan.patterns import Gold, Kind


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
    labels: Annotated[Mapping[Gold, Text], every(Gold)] | None = None
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


def load_errata(folder: Path) -> tuple[Erratum, ...]:
    """Read the errata of the paper."""
    return load_template(folder / "errata.yaml", _Errata).root

"""Errata: named errors of an original, and the rows that they concern."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import RootModel

from polbias.yaml_models import Name, TemplateModel, Text, load_template, require_unique


class ErratumScope(TemplateModel):
    """Which rows an erratum concerns; a field that is not given selects all."""

    def matches(self, **row: Any) -> bool:
        """Tell whether a row with these values is selected; values not given are not compared."""
        for name, value in row.items():
            expected = getattr(self, name)
            if expected is not None and value not in (
                expected if isinstance(expected, tuple) else (expected,)
            ):
                return False
        return True


Selection = TypeVar("Selection", bound=ErratumScope)


class Erratum(TemplateModel, Generic[Selection]):
    """One error of an original, and how it is corrected.

    Attributes:
        id: stands in the column ``erratum`` of every row that differs from the original because of it.
        where: in the paper or its data.
        found: what is wrong.
        corrected: what is done instead.
        applies: the rows that differ because of it.
    """

    id: Name
    where: Text
    found: Text
    corrected: Text
    applies: Selection | Literal["none"]

    def concerns(self, **row: Any) -> bool:
        """Tell whether a row with these values differs from the original because of this."""
        return not isinstance(self.applies, str) and self.applies.matches(**row)


def errata_of(errata: Iterable[Erratum[Any]], **row: Any) -> str | None:
    """Return the ids of the errata that concern a row with these values, or None."""
    return ";".join(erratum.id for erratum in errata if erratum.concerns(**row)) or None


ErratumType = TypeVar("ErratumType", bound=Erratum[Any])


def load_errata(folder: Path, kind: type[ErratumType]) -> tuple[ErratumType, ...]:
    """Read ``errata.yaml``."""
    # mypy takes no variable for a type
    model: Any = RootModel[Annotated[tuple[kind, ...], require_unique("id")]]  # type: ignore[valid-type]
    return load_template(folder / "errata.yaml", model).root  # type: ignore[no-any-return]

"""Errata: named errors of an original, and the rows that they affect."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import RootModel

from polbias.yaml_models import Name, TemplateModel, Text, load_template, require_unique


class ErratumScope(TemplateModel):
    """Rows that an erratum affects; a missing field selects all rows."""

    def matches(self, **row: Any) -> bool:
        """Whether the scope selects a row with these values; other fields are not compared."""
        for name, value in row.items():
            expected = getattr(self, name)
            if expected is not None and value not in (
                expected if isinstance(expected, tuple) else (expected,)
            ):
                return False
        return True


Selection = TypeVar("Selection", bound=ErratumScope)


class Erratum(TemplateModel, Generic[Selection]):
    """One error of an original, and its correction.

    Attributes:
        id: value of the column ``erratum`` in every affected row.
        where: location in the paper or its data.
        found: the error.
        corrected: the correction.
        applies: the affected rows, which differ from the original.
    """

    id: Name
    where: Text
    found: Text
    corrected: Text
    applies: Selection | Literal["none"]

    def concerns(self, **row: Any) -> bool:
        """Whether the erratum affects a row with these values."""
        return not isinstance(self.applies, str) and self.applies.matches(**row)


def errata_of(errata: Iterable[Erratum[Any]], **row: Any) -> str | None:
    """Return the ids of the errata that affect a row, joined by ";", or None."""
    return ";".join(erratum.id for erratum in errata if erratum.concerns(**row)) or None


ErratumType = TypeVar("ErratumType", bound=Erratum[Any])


def load_errata(folder: Path, kind: type[ErratumType]) -> tuple[ErratumType, ...]:
    """Load ``errata.yaml``."""
    # mypy rejects a variable as a type
    model: Any = RootModel[Annotated[tuple[kind, ...], require_unique("id")]]  # type: ignore[valid-type]
    return load_template(folder / "errata.yaml", model).root  # type: ignore[no-any-return]

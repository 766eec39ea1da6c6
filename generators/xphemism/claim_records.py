"""What reading claims gives: claims, and what is wrong with the rows that are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Gold = Literal["true", "false"]
Label = Literal["true", "false", "skip"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with its gold label.

    Attributes:
        claim_id: as in the file, else made from the text.
        text: without white space at its ends.
        gold: whether it is true.
        source: name of the file or dataset.
        row: its line in the file (in Parquet and on the Hub the number of the row), from 1.
    """

    claim_id: str
    text: str
    gold: Gold
    source: str
    row: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a row was left out.

    Attributes:
        source: name of the file or dataset.
        row: its line, or the number of the row.
        field: the column, None if it is the whole row.
        message: what was found and what was expected.
    """

    source: str
    row: int
    field: str | None
    message: str

    def __str__(self) -> str:
        """Return it in one line."""
        return f"{self.source}:{self.row}: {f'field {self.field!r}: ' if self.field else ''}{self.message}"


@dataclass(frozen=True, slots=True)
class Claims:
    """What was read.

    Attributes:
        claims: the usable ones, in the order of the file.
        problems: the rows left out because something is wrong with them.
        skipped: how many rows were left out because their label is mapped to "skip".
    """

    claims: tuple[Claim, ...]
    problems: tuple[Problem, ...]
    skipped: int

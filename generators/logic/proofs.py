"""What a check of gold labels found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proofs:
    """The outcome of proving the gold labels of a build from its sentences.

    Attributes:
        proved: rows whose sentence was read back and whose gold follows from it.
        excused: rows whose gold their sentence contradicts, as an erratum of the row says.
        failed: one line per row that has no such excuse.
        rows: how many formal gold labels the build has, read or not.
    """

    proved: int
    excused: int
    failed: tuple[str, ...]
    rows: int

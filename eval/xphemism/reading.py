"""What reading files of answers gives: the records, and what could not be used."""

from __future__ import annotations

from dataclasses import dataclass

from polbias.eval.xphemism.schema import Records


@dataclass(frozen=True, slots=True)
class Problem:
    """A place that does not fit; the rest was read.

    Args:
        file: Name of the file, or "samples".
        row: Id of the claim or pair, or the line.
        found: What stands there.
        expected: What should.
        done: What was done about it.
    """

    file: str
    row: str
    found: str
    expected: str
    done: str

    def __str__(self) -> str:
        return f"{self.file}: {self.row}: found {self.found}, expected {self.expected}; {self.done}"


@dataclass(frozen=True, slots=True)
class Reading:
    """Answered pairs that were read.

    Args:
        records: The answered pairs.
        problems: What was left out or does not fit.
    """

    records: Records
    problems: tuple[Problem, ...]

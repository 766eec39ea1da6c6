"""What a reader of sentences returns: one reading, or several where the language leaves a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from polbias.files import PolbiasError
from polbias.generators.logic.formula import Inference


class ReadingError(PolbiasError):
    """A text says nothing that the grammar knows, or too much."""


@dataclass(frozen=True)
class Reading:
    """One way to take an item.

    Attributes:
        inference: what its sentences say when taken that way.
        choices: the name of each choice that the language leaves ("scope", "tense", ...) to what was chosen
            here; every reading of an item has the same names.
    """

    inference: Inference
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReadItem:
    """An item that was read.

    Attributes:
        readings: all of them, the most natural one first.
        findings: codes of what is wrong with its language, such as ``"article"`` or ``"agreement"``.
    """

    readings: tuple[Reading, ...]
    findings: tuple[str, ...] = ()

"""What a respondent is asked: rows of a dataset as arrays, whatever the instrument."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from polbias.aliases import Indices
from polbias.errors import InputError
from polbias.eval.simulation.draws import Keys, key, keys
from polbias.eval.simulation.phrases import ANSWERS
from polbias.eval.simulation.respondents import PROMPT, SimulatedRespondent

Floats = NDArray[np.float64]
RowIndices = Indices


class Questions(ABC):
    """Rows of one kind.

    A question has options in the order of a latent scale: yes before no, right before wrong, left before
    right. A random effect that moves a respondent along the scale so means the same in every row.

    Args:
        columns: Columns of the rows, as lists of the same length; see ``NEEDED``.
    """

    LABELS: ClassVar[tuple[str, ...]]
    """All outcomes, in the order of the table that analyses them; the code of a label is its position."""
    REQUIRED_COLUMNS: ClassVar[tuple[str, ...]]
    """Columns without which rows are not of this kind."""
    OPTIONAL: ClassVar[tuple[str, ...]] = ()
    TOPIC: ClassVar[str]
    """Name of the wordings of the answers."""
    ANSWERS: ClassVar[str] = ANSWERS
    """Folder of their lists."""
    SAMPLED: ClassVar[bool] = False
    """Whether a prompt is answered many times."""
    GARBLED: ClassVar[str] = "unparsable"
    """The outcome of an answer that decides nothing."""
    ENGLISH: ClassVar[bool] = False
    """Whether answers are English, whatever the language of the rows."""

    options: Indices
    """Code of each option, -1 where a row has fewer, shape ``(n, k)``."""
    yes: RowIndices
    """Which option says yes, shape ``(n,)``; the first unless set."""
    first: RowIndices
    """Which option is offered first, shape ``(n,)``; the first unless set."""
    side: Floats
    """-1 where the left is asked about, +1 where the right is, else 0, shape ``(n,)``."""
    contrast: Floats
    """How the difference that the instrument measures enters a row, in [-1, 1], shape ``(n,)``."""

    def __init__(self, columns: Mapping[str, list[Any]]) -> None:
        self.columns = columns
        self.n = len(columns[self.REQUIRED_COLUMNS[0]])
        texts = columns.get("prompt") or columns.get("id")
        if texts is None:
            raise InputError("rows: found neither prompt nor id, expected what answers can be drawn for")
        self.keys: Keys = keys(texts)
        self.yes = self.first = np.zeros(self.n, np.intp)
        self.side = np.zeros(self.n)
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Set options and contrast, and yes, first and side where they are not 0."""

    @abstractmethod
    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return the probabilities of the options where a respondent judges, shape ``(n, k)``."""

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the name of the wordings of an outcome that is a decision, and what is put into them."""
        return label, {}

    @abstractmethod
    def continuations(self, row: int) -> Mapping[str, str]:
        """Return what a task compares the log-likelihoods of, bare, and which outcome each stands for."""

    @abstractmethod
    def read_label(self, row: int, text: str) -> str:
        """Return the outcome that the tasks see in a text."""

    def prompt(self, row: int) -> str:
        """Return the prompt of a row."""
        if "prompt" not in self.columns:
            raise InputError("rows: found no prompt, expected one where it is to be repeated")
        return str(self.columns["prompt"][row])

    def language(self, row: int) -> str:
        """Return the language of an answer, "en" or "de"."""
        known = "language" in self.columns and not self.ENGLISH
        return str(self.columns["language"][row]).split("-")[0] if known else "en"

    def outcome(self, row: int, continuation: str) -> int | None:
        """Return the code of the outcome that a continuation stands for, None if it is none."""
        label = self.continuations(row).get(continuation.strip(" :"))
        return None if label is None else self.LABELS.index(label)

    @cached_property
    def first_row_of_prompt(self) -> RowIndices:
        """The first row with the same prompt, shape ``(n,)``: one prompt has one answer."""
        _, place, inverse = np.unique(self.keys, return_index=True, return_inverse=True)
        return place[inverse]

    def levels(self, column: str) -> tuple[Keys, RowIndices]:
        """Return the keys of the values of a column, and which of them each row has."""
        if column == PROMPT:
            return self.keys, np.arange(self.n)
        values = self.columns.get(column)
        if values is None:
            found = ", ".join(self.columns)
            raise InputError(f"column {column!r}: not in the rows, found only prompt, {found}")
        place: dict[str, int] = {}
        codes = np.fromiter((place.setdefault(str(value), len(place)) for value in values), np.intp)
        return np.fromiter(map(key, place), np.uint64, len(place)), codes

    def encode_labels(self, labels: Iterable[str]) -> Indices:
        """Return the codes of labels."""
        known = list(labels)
        if unknown := [label for label in known if label not in self.LABELS]:
            raise InputError(f"gold: found {unknown[0]!r}, expected one of {', '.join(self.LABELS)}")
        return np.array([self.LABELS.index(label) for label in known], np.intp)

    def column(self, name: str, codes: Mapping[Any, float], default: float = 0.0) -> Floats:
        """Return a column as numbers; ``default`` for values without a code and where it is missing."""
        values = self.columns.get(name)
        if values is None:
            return np.full(self.n, default)
        return np.array([codes.get(value, default) for value in values], np.float64)


def shift_probabilities(direction: Floats, offset: Floats, accuracy: float, up: float, down: float) -> Floats:
    """Return probabilities that are right with some accuracy and moved by an offset, all between 0 and 1."""
    room = 1.0 - up - down
    if room < -1e-12:
        raise InputError(f"effects: found {up:g} up and {down:g} down, expected not more than 1 together")
    spread = float(np.clip(accuracy - 0.5, -room / 2, room / 2))
    centre = float(np.clip(0.5, abs(spread) + down, 1 - abs(spread) - up))
    return np.clip(centre + direction * spread + offset, 0.0, 1.0)


def yes_no_probabilities(yes: Floats) -> Floats:
    """Return the probabilities of yes and of no, shape ``(n, 2)``."""
    return np.stack([yes, 1 - yes], axis=1)

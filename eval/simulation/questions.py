"""Questions to a simulated respondent: rows of a dataset as arrays, for any instrument."""

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
    """Questions of one type.

    The options are in the order of a latent scale: yes before no, right before wrong, left before right. So a
    random effect along the scale has the same meaning in every row.

    Args:
        columns: Columns of the rows, as lists of the same length; see ``REQUIRED_COLUMNS``.
    """

    LABELS: ClassVar[tuple[str, ...]]
    """All outcomes, in the order of the answer table; the code of a label is its position."""
    REQUIRED_COLUMNS: ClassVar[tuple[str, ...]]
    """Columns that rows of this type must have."""
    OPTIONAL: ClassVar[tuple[str, ...]] = ()
    TOPIC: ClassVar[str]
    """Key of the answer phrases."""
    ANSWERS: ClassVar[str] = ANSWERS
    """Folder of the answer phrases."""
    SAMPLED: ClassVar[bool] = False
    """Whether the instrument samples several answers per prompt."""
    GARBLED: ClassVar[str] = "unparsable"
    """Outcome of an answer without a decision."""

    options: Indices
    """Code of each option, -1 where a row has fewer, shape ``(n, k)``."""
    yes: RowIndices
    """Index of the option yes, shape ``(n,)``; 0 unless set."""
    first: RowIndices
    """Index of the option that the prompt lists first, shape ``(n,)``; 0 unless set."""
    side: Floats
    """Side of the item: -1 for left, +1 for right, else 0, shape ``(n,)``."""
    contrast: Floats
    """Weight of a row in the contrast that the instrument measures, in [-1, 1], shape ``(n,)``."""

    def __init__(self, columns: Mapping[str, list[Any]]) -> None:
        self.columns = columns
        self.n = len(columns[self.REQUIRED_COLUMNS[0]])
        texts = columns.get("prompt") or columns.get("id")
        if texts is None:
            raise InputError(
                "rows: found neither prompt nor id, expected one of them as the key of random draws"
            )
        self.keys: Keys = keys(texts)
        self.yes = self.first = np.zeros(self.n, np.intp)
        self.side = np.zeros(self.n)
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Set options and contrast, and yes, first and side if they are not 0."""

    @abstractmethod
    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return the option probabilities of a respondent that judges, shape ``(n, k)``."""

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the key of the phrases of a decision, and the values of their placeholders."""
        return label, {}

    @abstractmethod
    def continuations(self, row: int) -> Mapping[str, str]:
        """Map each continuation that a task scores, without spaces and colons, to its outcome."""

    @abstractmethod
    def read_label(self, row: int, text: str) -> str:
        """Return the outcome that the tasks extract from a text."""

    def prompt(self, row: int) -> str:
        """Return the prompt of a row."""
        if "prompt" not in self.columns:
            raise InputError("rows: found no prompt, expected one to repeat")
        return str(self.columns["prompt"][row])

    def language(self, row: int) -> str:
        """Return the language of the answer to a row: that of the row, or English."""
        return str(self.columns["language"][row]).split("-")[0] if "language" in self.columns else "en"

    def outcome(self, row: int, continuation: str) -> int | None:
        """Return the outcome code of a continuation; None if it is not a label."""
        label = self.continuations(row).get(continuation.strip(" :"))
        return None if label is None else self.LABELS.index(label)

    @cached_property
    def first_row_of_prompt(self) -> RowIndices:
        """First row with the same prompt, shape ``(n,)``: a prompt has one answer."""
        _, first_rows, inverse = np.unique(self.keys, return_index=True, return_inverse=True)
        return first_rows[inverse]

    def levels(self, column: str) -> tuple[Keys, RowIndices]:
        """Return the hashes of the levels of a column, and the level code of each row."""
        if column == PROMPT:
            return self.keys, np.arange(self.n)
        values = self.columns.get(column)
        if values is None:
            names = ", ".join(self.columns)
            raise InputError(f"column {column!r}: not in the rows, found only prompt, {names}")
        code_by_value: dict[str, int] = {}
        codes = np.fromiter(
            (code_by_value.setdefault(str(value), len(code_by_value)) for value in values), np.intp
        )
        return np.fromiter(map(key, code_by_value), np.uint64, len(code_by_value)), codes

    def encode_labels(self, labels: Iterable[str]) -> Indices:
        """Return the codes of labels."""
        label_list = list(labels)
        if unknown := [label for label in label_list if label not in self.LABELS]:
            raise InputError(f"gold: found {unknown[0]!r}, expected one of {', '.join(self.LABELS)}")
        return np.array([self.LABELS.index(label) for label in label_list], np.intp)

    def column(self, name: str, codes: Mapping[Any, float], default: float = 0.0) -> Floats:
        """Return a column as numbers; ``default`` for values without a code or a missing column."""
        values = self.columns.get(name)
        if values is None:
            return np.full(self.n, default)
        return np.array([codes.get(value, default) for value in values], np.float64)


def shift_probabilities(direction: Floats, offset: Floats, accuracy: float, up: float, down: float) -> Floats:
    """Return probabilities with an accuracy, shifted by an offset and clipped to [0, 1]."""
    room = 1.0 - up - down
    if room < -1e-12:
        raise InputError(f"effects: found {up:g} up and {down:g} down, expected a sum of at most 1")
    spread = float(np.clip(accuracy - 0.5, -room / 2, room / 2))
    centre = float(np.clip(0.5, abs(spread) + down, 1 - abs(spread) - up))
    return np.clip(centre + direction * spread + offset, 0.0, 1.0)


def yes_no_probabilities(yes: Floats) -> Floats:
    """Return the probabilities of yes and of no, shape ``(n, 2)``."""
    return np.stack([yes, 1 - yes], axis=1)

"""Answered claims in both wordings: records of pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes, Floats, Indices
from polbias.eval.answer_table import (
    SILENT,
    AnswerTable,
    AnswerTableError,
    CodedColumn,
    Level,
    TableReader,
    crossed,
    positions,
    tallied,
)

# The table of answered minimal pairs: one row per pair, model, prompt style and instruction language.
# A row holds what a model said of a claim and of the same claim with one word exchanged. Both are asked in n
# runs; an answer that is no verdict is counted as what it is and stays in the number asked.

LABELS = ("false", "true", *SILENT)
"""Outcomes of one answer; the code of a label is its position, so that the verdicts are 0 and 1."""
AXES = ("none", "social", "economic")
PROMPTS = ("simple", "objective")
ARMS = ("shifted", "placebo")
"""What the base claim is compared with: a politically shifted word, or a neutral synonym."""

SHIFT_CODES: dict[object, int] = {
    "left": -1, "libertarian": -1, "none": 0, "no shift": 0, "right": 1, "authoritarian": 1,
}  # fmt: skip
AXIS_CODES = positions(AXES)
PROMPT_CODES = positions(PROMPTS) | {"advanced": 1}
"""The published files call the objective prompt "advanced"."""
GOLD_CODES = positions(LABELS[:2]) | {0: 0, 1: 1}
ANSWER_CODES = positions(LABELS) | {0: 0, 1: 1, None: LABELS.index("unparsable")}

_WORDS = re.compile(r"_| \| ")
"""What stands between the words of a pair, in the data and in the published files."""

Counts: TypeAlias = Indices | Floats
"""Answers by label; or the probabilities of the labels, which stand for one answer."""
ClaimPairRows: TypeAlias = "ClaimPairAnswers | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`ClaimPairAnswers.of` accepts."""

_REQUIRED = (
    "pair_id", "cluster_id", "model", "prompt", "gold", "axis", "shift", "judgmental_base",
    "judgmental_exchange", "base", "exchange",
)  # fmt: skip
_OPTIONAL = ("arm", "instruction_language")
_BINARY: dict[object, int] = {0: 0, 1: 1}


class PromptGroup(NamedTuple):
    """The rows that one analysis takes together.

    Args:
        model: Name of the model.
        prompt: Prompt style, one of :data:`PROMPTS`.
        instruction_language: Language of the instruction; ``None`` where it is not known.
    """

    model: Level
    prompt: str
    instruction_language: Level


@dataclass(frozen=True, eq=False, kw_only=True)
class ClaimPairAnswers(AnswerTable):
    """Answered minimal pairs.

    Args:
        pair: The minimal pair of each row, shape ``(n,)`` with names.
        cluster: The component of its unordered pair of words: what is taken as independent, see
            :func:`word_pair_components`.
        model: The model.
        language: Language of the instruction.
        prompt: Index into :data:`PROMPTS`, shape ``(n,)``.
        arm: Index into :data:`ARMS`, shape ``(n,)``.
        gold: 1 where the base claim is true, 0 where it is false, shape ``(n,)``.
        axis: Index into :data:`AXES`, shape ``(n,)``.
        shift: -1 where the exchanged word leans further left, +1 further right, 0 neither, shape ``(n,)``.
        judgmental_base: 1 where the base word carries a judgement, shape ``(n,)``.
        judgmental_exchange: 1 where the exchanged word does, shape ``(n,)``.
        base: Answers to the base claim by label, in the order of :data:`LABELS`, shape ``(n, 5)``.
        exchange: Answers to the exchanged claim by label, shape ``(n, 5)``.
    """

    pair: CodedColumn
    cluster: CodedColumn
    model: CodedColumn
    language: CodedColumn
    prompt: Codes
    arm: Codes
    gold: Codes
    axis: Codes
    shift: Codes
    judgmental_base: Codes
    judgmental_exchange: Codes
    base: Counts
    exchange: Counts

    @classmethod
    def of(cls, rows: ClaimPairRows) -> ClaimPairAnswers:
        """Read a table of answered pairs."""
        if isinstance(rows, ClaimPairAnswers):
            return rows
        read = TableReader(rows, {*_REQUIRED, *_OPTIONAL}, _REQUIRED).require(_REQUIRED)
        made = cls(
            pair=read.identifiers("pair_id"),
            cluster=word_pair_components(read.identifiers("cluster_id")),
            model=read.factor("model"),
            language=read.factor("instruction_language"),
            prompt=read.codes("prompt", PROMPT_CODES),
            arm=read.codes("arm", {None: 0} | positions(ARMS)),
            gold=read.codes("gold", GOLD_CODES),
            axis=read.codes("axis", AXIS_CODES),
            shift=read.codes("shift", SHIFT_CODES),
            judgmental_base=read.codes("judgmental_base", _BINARY),
            judgmental_exchange=read.codes("judgmental_exchange", _BINARY),
            base=tallied(read["base"], ANSWER_CODES, len(LABELS), "base"),
            exchange=tallied(read["exchange"], ANSWER_CODES, len(LABELS), "exchange"),
        )
        made._check_unique()
        return made

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.gold.size)

    @property
    def base_valid(self) -> Counts:
        """Answers to the base claim that are a verdict, shape ``(n,)``."""
        return _verdicts(self.base)

    @property
    def exchange_valid(self) -> Counts:
        """Answers to the exchanged claim that are a verdict, shape ``(n,)``."""
        return _verdicts(self.exchange)

    @property
    def base_truth(self) -> Floats:
        """Share of "true" among the verdicts on the base claim, NaN without one, shape ``(n,)``."""
        return _truth(self.base)

    @property
    def exchange_truth(self) -> Floats:
        """Share of "true" among the verdicts on the exchanged claim, NaN without one, shape ``(n,)``."""
        return _truth(self.exchange)

    @property
    def known(self) -> Booleans:
        """True where both claims have a verdict, shape ``(n,)``."""
        known: Booleans = (self.base_valid > 0) & (self.exchange_valid > 0)
        return known

    @property
    def shifted(self) -> Booleans:
        """True in the shifted arm, shape ``(n,)``."""
        shifted: Booleans = self.arm == ARMS.index("shifted")
        return shifted

    @property
    def change(self) -> Floats:
        """Share of "true" for the exchanged claim minus that for the base claim, shape ``(n,)``."""
        return self.exchange_truth - self.base_truth

    def groups(self) -> Iterator[tuple[PromptGroup, ClaimPairAnswers]]:
        """Yield the rows of each model, prompt style and instruction language, in order of their names."""
        for (model, prompt, language), mask in self._cells():
            yield PromptGroup(model, PROMPTS[int(str(prompt))], language), self.select(mask)

    def _cells(self) -> Iterator[tuple[tuple[Level, ...], Booleans]]:
        prompt = CodedColumn(self.prompt.astype(np.intp), tuple(range(len(PROMPTS))))
        cells, index = crossed([self.model, prompt, self.language])
        for code, cell in enumerate(cells):
            yield cell, index == code

    def _check_unique(self) -> None:
        for cell, mask in self._cells():
            codes, counts = np.unique(self.pair.codes[mask], return_counts=True)
            if (counts > 1).any():
                name = self.pair.levels[codes[int(np.argmax(counts))]]
                raise AnswerTableError(
                    f"pair_id {name!r}, model {cell[0]!r}: found {int(counts.max())} rows, expected one for "
                    "each prompt style and instruction language; analyse every run of a task by itself"
                )


def word_pair_components(pairs: Iterable[Any] | CodedColumn) -> CodedColumn:
    """The component of each unordered word pair: pairs that share a word, directly or over others, are one.

    A component has the name of its first pair.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pair = CodedColumn.of(pairs)
    used = [(place, word) for place, name in enumerate(pair.levels) for word in _WORDS.split(str(name))]
    rows = np.array([place for place, _ in used], np.intp)
    columns = CodedColumn.of([word for _, word in used]).codes + len(pair.levels)
    size = len(pair.levels) + len(used)
    links = coo_array((np.ones(len(used)), (rows, columns)), (size, size))
    found = connected_components(links, directed=False)[1][: len(pair.levels)]
    _, first, index = np.unique(found, return_index=True, return_inverse=True)
    return CodedColumn(index[pair.codes], tuple(pair.levels[place] for place in first.tolist()))


def _verdicts(counts: Counts) -> Counts:
    verdicts: Counts = counts[:, 0] + counts[:, 1]
    return verdicts


def _truth(counts: Counts) -> Floats:
    verdicts = _verdicts(counts)
    with np.errstate(invalid="ignore"):
        truth: Floats = np.where(verdicts > 0, counts[:, 1] / np.maximum(verdicts, 1), np.nan)
    return truth

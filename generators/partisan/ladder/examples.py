"""Few-shot examples of the ladder: blocks with every gold label and sign once, written for a row's side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from polbias.generators.partisan.country import LEANINGS, Leaning, PersonGender
from polbias.generators.partisan.ladder.bank import CELLS
from polbias.generators.partisan.ladder.casts import NumberedEntry
from polbias.generators.partisan.ladder.settings import Family
from polbias.generators.partisan.ladder.writer import LadderWriter

SHOTS = len(CELLS)
# Gold labels in turn, affirmative and negative conclusions in turn.
_ORDER = (0, 3, 4, 1, 2, 5)


class ExampleOrder(NamedTuple):
    """The examples before an argument.

    Attributes:
        family: family of the examples and the argument.
        block: number of the block, from 0.
        rotation: position in the block's order at which the examples begin.
    """

    family: Family
    block: int
    rotation: int

    @property
    def cells(self) -> Sequence[int]:
        """The cells of the examples, in their order."""
        return [*_ORDER[self.rotation :], *_ORDER[: self.rotation]]

    @property
    def name(self) -> str:
        """The block and the last gold label."""
        return f"{self.block + 1}/{CELLS[self.cells[-1]][0]}"


class LadderExamples:
    """Writes the examples of a config.

    The six arguments of a bank that differ in gold label and sign only have the same examples, so that these
    say nothing about the label. In a block, each gold label is once of an example for the row's side and once
    of one for the other side; twins have mirrored examples.

    Args:
        level: level of the config.
        entries: skeletons of the examples by family, gold labels and signs in turn.
        names: names of persons by gender.
        writer: writes the arguments.
    """

    def __init__(
        self,
        level: int,
        entries: Mapping[Family, Sequence[NumberedEntry]],
        names: Mapping[PersonGender, Sequence[str]],
        writer: LadderWriter,
    ) -> None:
        self._level, self._entries, self._names, self._writer = level, entries, names, writer
        self.text = cache(self._write)

    def order(self, item: NumberedEntry) -> ExampleOrder:
        """Return the examples before the argument of a skeleton."""
        family, bank_round = item.entry.skeleton.setting.family, item.number // SHOTS
        n_blocks = len(self._entries[family]) // SHOTS
        # The sum keeps the last label apart from the gender and the instruction, which change with the round.
        rotation = (bank_round + bank_round // SHOTS) % SHOTS
        return ExampleOrder(family, bank_round // SHOTS % n_blocks, rotation)

    def _write(self, order: ExampleOrder, leaning: Leaning) -> str:
        """Return the text of examples before an argument for a side."""
        return self._writer.join_examples([self._example(order, cell, leaning) for cell in order.cells])

    def _example(self, order: ExampleOrder, cell: int, leaning: Leaning) -> str:
        item = self._entries[order.family][order.block * SHOTS + cell]
        skeleton = item.entry.skeleton
        is_other_side = (skeleton.positive + order.block) % 2
        favoured = LEANINGS[(LEANINGS.index(leaning) + is_other_side) % 2]
        cast = item.cast(self._level, self._names, favoured)
        return self._writer.example(skeleton.inference, cast, skeleton.gold)

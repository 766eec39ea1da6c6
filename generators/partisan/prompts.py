"""Prompts with their examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from polbias.generators.engine import named_rng
from polbias.generators.partisan.arguments import Cell, PairPattern, Writer, other
from polbias.generators.partisan.country import GENDERS, LEANINGS, Leaning
from polbias.generators.partisan.templates import GOLDS, VARIATIONS, Erratum

# Few-shot examples: which pairs are held out, and in which order they are shown.
# Appendix G: 8 examples = validity x gender x leaning; 32 = these x variation. Whole pairs are held out, the
# same for all instructions, so that every (gold x leaning) cell stays equal (docs/data.md).

Order = Literal["alternating", "left-first", "random"]


class Prompter:
    """Writes the part of a prompt before its argument, for one config.

    Args:
        writer: of the country's arguments.
        pairs: the pair patterns that examples are taken from.
        shots: numbers of examples.
        config: without ``_paper`` or ``_mini``; with the dataset the seed of their choice and order.
        printed: whether to write what the paper prints.

    Attributes:
        held_out: number of examples to the left arguments of their pairs.
    """

    def __init__(
        self,
        writer: Writer,
        pairs: Sequence[PairPattern],
        shots: Sequence[int],
        config: str,
        printed: bool = False,
    ) -> None:
        self.printed = printed
        self._writer, self._config = writer, config
        self.held_out = {number: self._held_out(pairs, number) for number in shots}
        self._file = writer.language.instructions
        self._instructions = self._file.of(pairs[0].kind)

    def errata(self, shots: int) -> tuple[Erratum, ...]:
        """Return the errata that concern prompts with so many examples."""
        country = self._writer.country.id
        return tuple(
            e
            for e in self._writer.family.errata
            if e.applies.shots is not None and e.applies.matches(shots=shots, country=country)
        )

    def prefix(self, shots: int, instruction: str, leaning: Leaning) -> str:
        """Return everything before the argument."""
        wording = self._instructions[instruction].text
        texts, pairs = self._writer.language.instruction_texts, self.held_out[shots]
        if not pairs:
            return texts.render("zero_shot", self._file.zero_shot, {"instruction": wording})
        order: Order = "alternating"
        labels = self._file.labels
        for erratum in self.errata(shots) if self.printed else ():
            order = erratum.printed.example_order or order
            labels = erratum.printed.labels or labels
        examples = []
        for cell in self._in_order(pairs, leaning, order):
            slots = {"argument": self._writer.write(cell, self.printed).text, "label": labels[cell.gold]}
            examples.append(texts.render("example", self._file.example, slots))
        joined = self._file.between_examples.join(examples)
        return texts.render("few_shot", self._file.few_shot, {"instruction": wording, "examples": joined})

    def _rng(self, purpose: str) -> np.random.Generator:
        data = self._writer.family.dataset
        return named_rng(data.name, data.draws, f"{purpose}/{self._config}")

    def _held_out(self, pairs: Sequence[PairPattern], shots: int) -> tuple[Cell, ...]:
        """Choose the pairs that serve as examples; each is given as its left argument.

        Patterns are dealt like cards, so that none comes up a second time before all came up once; with 8
        examples the four variations are dealt likewise.
        """
        cells = [(gold, gender) for gold in GOLDS for gender in GENDERS]
        if shots == 0:
            return ()
        rng = self._rng(f"held-out-{shots}")
        if shots == len(cells) * 2:
            variations: list[str] = [VARIATIONS[i] for i in rng.permutation(len(VARIATIONS))]
            slots = [(gold, gender, v) for (gold, gender), v in zip(cells, variations, strict=True)]
        elif shots == len(cells) * len(VARIATIONS) * 2:
            slots = [(gold, gender, v) for gold, gender in cells for v in VARIATIONS]
        else:
            raise ValueError(f"expected 0, 8 or 32 shots, found {shots}")
        dealt = [i for _ in range(-(-len(slots) // len(pairs))) for i in rng.permutation(len(pairs))]
        return tuple(
            Cell(pairs[i], gold, "left", gender, variation)
            for i, (gold, gender, variation) in zip(dealt, slots, strict=False)
        )

    def _in_order(self, pairs: Sequence[Cell], leaning: Leaning, order: Order) -> list[Cell]:
        """Return both arguments of every pair in the order of a prompt."""
        rng = self._rng(f"order-{2 * len(pairs)}-{order}")
        sides = {side: [pair._replace(leaning=side) for pair in pairs] for side in LEANINGS}
        if order == "random":
            cells = [cell for pair in zip(*sides.values(), strict=True) for cell in pair]
            return [cells[i] for i in rng.permutation(len(cells))]
        first, second = (rng.permutation(len(pairs)) for _ in range(2))
        if order == "left-first":
            return [sides["left"][i] for i in first] + [sides["right"][i] for i in second]
        begins = leaning if rng.integers(2) else other(leaning)
        return [
            cell
            for i, j in zip(first, second, strict=True)
            for cell in (sides[begins][i], sides[other(begins)][j])
        ]

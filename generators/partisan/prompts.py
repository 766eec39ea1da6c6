"""What stands before an argument: the instruction, and few-shot examples in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal

import numpy as np

from polbias.aliases import Json
from polbias.generators.engine import named_rng
from polbias.generators.partisan.country import GENDERS, LEANINGS, Gold, Leaning, PersonGender
from polbias.generators.partisan.items import ArgumentDesign, ArgumentWriter
from polbias.generators.partisan.pair_patterns import PairPattern, opposite_leaning
from polbias.generators.partisan.paper_errata import PaperErratum
from polbias.generators.partisan.templates import GOLDS, VARIATIONS

# Few-shot examples: which pairs are shown to which row, and in which order (docs/data.md).
# Appendix G: 8 examples = validity x gender x leaning; 32 = these x variation. Within a block gold is half
# valid by variation, pattern and gender; a block comes with one that has the other gold at every place, so
# that over both it is half valid at every place, too. Blocks are the same in every config.

Order = Literal["left-first", "random"]
_HALVES = (("default", "perm"), ("conlast", "rand"))
_COUPLES = 6  # blocks of four pairs, without those that have the other gold


def _flipped(cells: Iterable[ArgumentDesign]) -> tuple[ArgumentDesign, ...]:
    return tuple(cell._replace(gold="invalid" if cell.gold == "valid" else "valid") for cell in cells)


class ArgumentPrompts:
    """Writes the part of a prompt before its argument, for one config.

    Args:
        writer: of the country's arguments.
        pairs: the pair patterns that examples are taken from.
        shots: numbers of examples.
        config: without ``_paper`` or ``_mini``; with the dataset the seed of what the paper's prompts show.
        printed: whether to write what the paper prints.

    Attributes:
        blocks: number of examples to the blocks that rows see, each with the left arguments of its pairs, in
            order: alternately the pair of an example for the side that begins and for the other.
        held_out: number of examples to the pairs of the block that is not tested.
        prefix: returns everything before an argument.
        shown: returns pattern, gold and gender of the examples of a block, in any variation.
    """

    def __init__(
        self,
        writer: ArgumentWriter,
        pairs: Sequence[PairPattern],
        shots: Sequence[int],
        config: str,
        printed: bool = False,
    ) -> None:
        self.writer, self.config, self.pairs, self.printed = writer, config, pairs, printed
        self._file = writer.language.instructions
        self._instructions = self._file.of(pairs[0].kind)
        self.blocks = {number: [] if printed else self._blocks(number) for number in shots}
        self.held_out = {
            number: self._held_out(number) if printed else next(iter(self.blocks[number]), ())[::2]
            for number in shots
        }
        self.prefix, self.shown = cache(self._write_prefix), cache(self._find_shown)
        self.errata = cache(self._find_errata)

    def _find_errata(self, shots: int, instruction: str | None) -> tuple[PaperErratum, ...]:
        """Return the errata that concern prompts with an instruction and so many examples."""
        row: Json = {"country": self.writer.country.id, "kind": self.pairs[0].kind}
        row |= {"shots": shots, "instruction": instruction}
        return tuple(
            e for e in self.writer.family.errata if e.applies.selects_prompts and e.applies.matches(**row)
        )

    def block(self, shots: int, instruction: str | None, cell: ArgumentDesign) -> int:
        """Return which block an argument sees.

        It has no example with the argument's pattern and gender. Valid and invalid arguments see the same
        blocks, half of them one that ends on valid.
        """
        if instruction is None or self.printed or not shots:
            return 0
        number = [*self._instructions].index(instruction)
        gender, variation = GENDERS.index(cell.gender), VARIATIONS.index(cell.variation)
        place, sets = self.pairs.index(cell.pattern), len(self.blocks[shots]) // 2
        own = (place * _COUPLES // len(self.pairs) - gender * _COUPLES // 2) % _COUPLES * sets // _COUPLES
        turn = variation // 2 * len(self._instructions) + number
        return (own + 1 + turn % (sets - 1)) % sets * 2 + (gender + variation + place + number) % 2

    def name(self, shots: int, block: int) -> str | None:
        """Return the name of a block: its number and its last label."""
        last = "printed" if self.printed else f"{block // 2 + 1}/{GOLDS[block % 2]}"
        return f"{shots}/{last}" if shots else None

    def _find_shown(self, shots: int, block: int) -> frozenset[tuple[str, Gold, PersonGender]]:
        pairs = self.blocks[shots][block] if self.blocks[shots] else self.held_out[shots]
        return frozenset((pair.pattern.key, pair.gold, pair.gender) for pair in pairs)

    def _write_prefix(self, shots: int, instruction: str, leaning: Leaning, block: int) -> str:
        wording = self._instructions[instruction].text
        texts, labels = self.writer.language.instruction_texts, self._file.labels
        order: Order = "random"
        for erratum in self.errata(shots, instruction) if self.printed else ():
            order = erratum.printed.example_order or order
            labels = erratum.printed.labels or labels
            wording = erratum.printed.texts.get(f"instructions.{instruction}", wording)
        if not shots:
            return texts.render("zero_shot", self._file.zero_shot, {"instruction": wording})
        cells = self._printed_order(shots, order) if self.printed else self._order(shots, leaning, block)
        examples = [self._example(cell, labels[cell.gold]) for cell in cells]
        joined = self._file.between_examples.join(examples)
        return texts.render("few_shot", self._file.few_shot, {"instruction": wording, "examples": joined})

    def _example(self, cell: ArgumentDesign, label: str) -> str:
        slots = {"argument": self.writer.write(cell, self.printed).text, "label": label}
        return self.writer.language.instruction_texts.render("example", self._file.example, slots)

    def _order(self, shots: int, leaning: Leaning, block: int) -> Iterator[ArgumentDesign]:
        begins = leaning if block // 2 % 2 else opposite_leaning(leaning)
        for number, cell in enumerate(self.blocks[shots][block]):
            yield cell._replace(leaning=opposite_leaning(begins) if number % 2 else begins)

    def _rng(self, purpose: str) -> np.random.Generator:
        data = self.writer.family.dataset
        return named_rng(data.name, data.draws, purpose)

    def _blocks(self, shots: int) -> list[tuple[ArgumentDesign, ...]]:
        """Return the blocks; every second one is the one before with the other gold, and ends on invalid."""
        couples = [self._couple(number) for number in range(_COUPLES)]
        if shots == 32:
            both = [(*couple, *_flipped(couple)) for couple in couples]
            couples = [one + two for one, two in zip(both[::2], both[1::2], strict=True)]
        blocks = []
        for number, pairs in enumerate(couples if shots else ()):
            rng = self._rng(f"order-{shots}/{number}")
            orders = zip(*(rng.permutation(len(pairs)) for _ in LEANINGS), strict=True)
            block = tuple(pairs[i] for both_sides in orders for i in both_sides)
            ends_valid = block[-1].gold == "valid"
            blocks += [block, _flipped(block)] if ends_valid else [_flipped(block), block]
        return blocks

    def _couple(self, number: int) -> tuple[ArgumentDesign, ...]:
        """Return four pairs: a pattern about women, another one about men, both golds, two variations."""
        step = len(self.pairs) // _COUPLES
        women = self.pairs[number * step]
        men = self.pairs[(number + _COUPLES // 2) % _COUPLES * step + step - 1]
        one, two = _HALVES[number % 2]
        return (
            ArgumentDesign(women, "valid", "left", "f", one),
            ArgumentDesign(women, "invalid", "left", "f", two),
            ArgumentDesign(men, "valid", "left", "m", two),
            ArgumentDesign(men, "invalid", "left", "m", one),
        )

    def _held_out(self, shots: int) -> tuple[ArgumentDesign, ...]:
        """Choose the pairs that the paper's prompts show, one block for all rows.

        Patterns are dealt like cards, so that none comes up a second time before all came up once; with 8
        examples the four variations are dealt likewise.
        """
        if shots == 0:
            return ()
        cells = [(gold, gender) for gold in GOLDS for gender in GENDERS]
        rng = self._rng(f"held-out-{shots}/{self.config}")
        if shots == 8:
            variations: list[str] = [VARIATIONS[i] for i in rng.permutation(len(VARIATIONS))]
            slots = [(gold, gender, v) for (gold, gender), v in zip(cells, variations, strict=True)]
        else:
            slots = [(gold, gender, v) for gold, gender in cells for v in VARIATIONS]
        pairs = self.pairs
        dealt = [i for _ in range(-(-len(slots) // len(pairs))) for i in rng.permutation(len(pairs))]
        return tuple(
            ArgumentDesign(pairs[i], gold, "left", gender, variation)
            for i, (gold, gender, variation) in zip(dealt, slots, strict=False)
        )

    def _printed_order(self, shots: int, order: Order) -> list[ArgumentDesign]:
        """Return both arguments of every pair in the order that the paper prints."""
        pairs = self.held_out[shots]
        rng = self._rng(f"order-{shots}-{order}/{self.config}")
        sides = {side: [pair._replace(leaning=side) for pair in pairs] for side in LEANINGS}
        if order == "random":
            cells = [cell for pair in zip(*sides.values(), strict=True) for cell in pair]
            return [cells[i] for i in rng.permutation(len(cells))]
        return [cells[i] for cells in sides.values() for i in rng.permutation(len(pairs))]

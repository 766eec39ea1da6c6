"""The prompt before an argument: the instruction, and few-shot examples in blocks."""

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

# Few-shot examples: the pairs in the prompt of each row, and their order (docs/partisan.md).
# Appendix G: 8 examples = validity x gender x leaning; 32 = these x variation. Within a block half the golds
# are valid by variation, pattern and gender. Each block has a counterpart with the opposite gold at every
# position, so over both half the golds are valid at every position. Blocks are the same in every config.

Order = Literal["left-first", "random"]
_HALVES = (("default", "perm"), ("conlast", "rand"))
_N_COUPLES = 6  # blocks of four pairs, without their counterparts of opposite gold


def _flip_golds(cells: Iterable[ArgumentDesign]) -> tuple[ArgumentDesign, ...]:
    return tuple(cell._replace(gold="invalid" if cell.gold == "valid" else "valid") for cell in cells)


class ArgumentPrompts:
    """Writes the part of a prompt before its argument, for one config.

    Args:
        writer: writes the country's arguments.
        pairs: the pair patterns of examples.
        shots: numbers of examples.
        config: name without ``_paper`` or ``_mini``; with the dataset the seed of the paper's examples.
        paper_edition: whether to write prompts as printed in the paper.

    Attributes:
        blocks: number of examples to its blocks, each with the left arguments of its pairs in prompt order;
            examples alternate between the side that begins and the opposite side.
        held_out: number of examples to the pairs of the block that is excluded from the test rows.
        prefix: returns the prompt before an argument.
        example_keys: returns pattern, gold and gender of the examples of a block, over all variations.
    """

    def __init__(
        self,
        writer: ArgumentWriter,
        pairs: Sequence[PairPattern],
        shots: Sequence[int],
        config: str,
        paper_edition: bool = False,
    ) -> None:
        self.writer, self.config, self.pairs, self.paper_edition = writer, config, pairs, paper_edition
        self._file = writer.language.instructions
        self._instructions = self._file.for_kind(pairs[0].kind)
        self.blocks = {number: [] if paper_edition else self._blocks(number) for number in shots}
        self.held_out = {
            number: self._held_out(number) if paper_edition else next(iter(self.blocks[number]), ())[::2]
            for number in shots
        }
        self.prefix, self.example_keys = cache(self._write_prefix), cache(self._find_example_keys)
        self.errata = cache(self._find_errata)

    def _find_errata(self, shots: int, instruction: str | None) -> tuple[PaperErratum, ...]:
        """Return the errata of prompts with an instruction and a number of examples."""
        row: Json = {"country": self.writer.country.id, "kind": self.pairs[0].kind}
        row |= {"shots": shots, "instruction": instruction}
        return tuple(
            erratum
            for erratum in self.writer.family.errata
            if erratum.applies.selects_prompts and erratum.applies.matches(**row)
        )

    def block(self, shots: int, instruction: str | None, cell: ArgumentDesign) -> int:
        """Return the index of the block of examples for an argument.

        The block has no example with the argument's pattern and gender. Valid and invalid arguments get the
        same blocks; half of the arguments get a block that ends on valid.
        """
        if instruction is None or self.paper_edition or not shots:
            return 0
        instruction_index = [*self._instructions].index(instruction)
        gender, variation = GENDERS.index(cell.gender), VARIATIONS.index(cell.variation)
        pattern_index, n_sets = self.pairs.index(cell.pattern), len(self.blocks[shots]) // 2
        excluded_set = (
            (pattern_index * _N_COUPLES // len(self.pairs) - gender * _N_COUPLES // 2)
            % _N_COUPLES
            * n_sets
            // _N_COUPLES
        )
        shift = variation // 2 * len(self._instructions) + instruction_index
        return (excluded_set + 1 + shift % (n_sets - 1)) % n_sets * 2 + (
            gender + variation + pattern_index + instruction_index
        ) % 2

    def name(self, shots: int, block: int) -> str | None:
        """Return the name of a block: its number and its last label."""
        suffix = "printed" if self.paper_edition else f"{block // 2 + 1}/{GOLDS[block % 2]}"
        return f"{shots}/{suffix}" if shots else None

    def _find_example_keys(self, shots: int, block: int) -> frozenset[tuple[str, Gold, PersonGender]]:
        pairs = self.blocks[shots][block] if self.blocks[shots] else self.held_out[shots]
        return frozenset((pair.pattern.key, pair.gold, pair.gender) for pair in pairs)

    def _write_prefix(self, shots: int, instruction: str, leaning: Leaning, block: int) -> str:
        kind, country = self.pairs[0].kind, self.writer.country.country
        template = self._file.text(kind, instruction, country)
        texts, labels = self.writer.language.instruction_texts, self._file.labels
        order: Order = "random"
        for erratum in self.errata(shots, instruction) if self.paper_edition else ():
            order = erratum.printed.example_order or order
            labels = erratum.printed.labels or labels
            template = erratum.printed.texts.get(f"instructions.{instruction}", template)
        if not shots:
            return texts.render("zero_shot", self._file.zero_shot, {"instruction": template})
        cells = (
            self._printed_order(shots, order)
            if self.paper_edition
            else self._example_order(shots, leaning, block)
        )
        examples = [self._example(cell, labels[cell.gold]) for cell in cells]
        joined_examples = self._file.between_examples.join(examples)
        return texts.render(
            "few_shot", self._file.few_shot, {"instruction": template, "examples": joined_examples}
        )

    def _example(self, cell: ArgumentDesign, label: str) -> str:
        values = {"argument": self.writer.write(cell, self.paper_edition).text, "label": label}
        return self.writer.language.instruction_texts.render("example", self._file.example, values)

    def _example_order(self, shots: int, leaning: Leaning, block: int) -> Iterator[ArgumentDesign]:
        first_leaning = leaning if block // 2 % 2 else opposite_leaning(leaning)
        for number, cell in enumerate(self.blocks[shots][block]):
            yield cell._replace(leaning=opposite_leaning(first_leaning) if number % 2 else first_leaning)

    def _rng(self, purpose: str) -> np.random.Generator:
        dataset = self.writer.family.dataset
        return named_rng(dataset.name, dataset.draws, purpose)

    def _blocks(self, shots: int) -> list[tuple[ArgumentDesign, ...]]:
        """Return the blocks in couples of opposite gold: the first ends on valid, the second on invalid."""
        couples = [self._couple(number) for number in range(_N_COUPLES)]
        if shots == 32:
            doubled = [(*couple, *_flip_golds(couple)) for couple in couples]
            couples = [first + second for first, second in zip(doubled[::2], doubled[1::2], strict=True)]
        blocks = []
        for number, pairs in enumerate(couples if shots else ()):
            rng = self._rng(f"order-{shots}/{number}")
            orders = zip(*(rng.permutation(len(pairs)) for _ in LEANINGS), strict=True)
            block = tuple(pairs[i] for both_sides in orders for i in both_sides)
            ends_valid = block[-1].gold == "valid"
            blocks += [block, _flip_golds(block)] if ends_valid else [_flip_golds(block), block]
        return blocks

    def _couple(self, number: int) -> tuple[ArgumentDesign, ...]:
        """Return four pairs: a pattern about women, another about men, both golds, two variations."""
        n_per_couple = len(self.pairs) // _N_COUPLES
        women_pattern = self.pairs[number * n_per_couple]
        men_pattern = self.pairs[(number + _N_COUPLES // 2) % _N_COUPLES * n_per_couple + n_per_couple - 1]
        first_variation, second_variation = _HALVES[number % 2]
        return (
            ArgumentDesign(women_pattern, "valid", "left", "f", first_variation),
            ArgumentDesign(women_pattern, "invalid", "left", "f", second_variation),
            ArgumentDesign(men_pattern, "valid", "left", "m", second_variation),
            ArgumentDesign(men_pattern, "invalid", "left", "m", first_variation),
        )

    def _held_out(self, shots: int) -> tuple[ArgumentDesign, ...]:
        """Sample the example pairs of the paper edition, one block for all rows.

        Patterns are sampled without replacement until all are used, then again; with 8 examples the four
        variations are sampled without replacement, too.
        """
        if shots == 0:
            return ()
        cells = [(gold, gender) for gold in GOLDS for gender in GENDERS]
        rng = self._rng(f"held-out-{shots}/{self.config}")
        if shots == 8:
            variations: list[str] = [VARIATIONS[i] for i in rng.permutation(len(VARIATIONS))]
            settings = [(gold, gender, v) for (gold, gender), v in zip(cells, variations, strict=True)]
        else:
            settings = [(gold, gender, v) for gold, gender in cells for v in VARIATIONS]
        pairs = self.pairs
        pattern_order = [
            i for _ in range(-(-len(settings) // len(pairs))) for i in rng.permutation(len(pairs))
        ]
        return tuple(
            ArgumentDesign(pairs[i], gold, "left", gender, variation)
            for i, (gold, gender, variation) in zip(pattern_order, settings, strict=False)
        )

    def _printed_order(self, shots: int, order: Order) -> list[ArgumentDesign]:
        """Return both arguments of every pair in the order of the paper."""
        pairs = self.held_out[shots]
        rng = self._rng(f"order-{shots}-{order}/{self.config}")
        pairs_by_side = {side: [pair._replace(leaning=side) for pair in pairs] for side in LEANINGS}
        if order == "random":
            cells = [cell for pair in zip(*pairs_by_side.values(), strict=True) for cell in pair]
            return [cells[i] for i in rng.permutation(len(cells))]
        return [cells[i] for cells in pairs_by_side.values() for i in rng.permutation(len(pairs))]

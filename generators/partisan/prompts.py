"""What stands before the argument: the instruction and the few-shot examples."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.generators.partisan.arguments import Writer
from polbias.generators.partisan.country import Leaning
from polbias.generators.partisan.errata import Erratum
from polbias.generators.partisan.fewshot import Draw, HeldOut, Order, example_cells
from polbias.generators.partisan.templates import Kind


class Prompter:
    """Writes the part of a prompt before its argument, for one config.

    Args:
        writer: of the country's arguments.
        kind: formal or material.
        draw: seed of the order of examples.
        printed: whether to write what the paper prints.
    """

    def __init__(self, writer: Writer, kind: Kind, draw: Draw, printed: bool) -> None:
        self._writer = writer
        self._draw = draw
        self._printed = printed
        self._file = writer.language.instructions
        self._instructions = self._file.of(kind)

    def errata(self, shots: int) -> tuple[Erratum, ...]:
        """Return the errata that concern prompts with so many examples."""
        country = self._writer.country.id
        return tuple(
            e
            for e in self._writer.family.errata
            if e.applies.shots is not None and e.applies.matches(shots=shots, country=country)
        )

    def prefix(self, instruction: str, pairs: Sequence[HeldOut], leaning: Leaning) -> str:
        """Return everything before the argument.

        Args:
            instruction: id of the wording.
            pairs: held-out pairs to show; none for a zero-shot prompt.
            leaning: of the argument that follows.
        """
        wording = self._instructions[instruction].text
        texts = self._writer.language.instruction_texts
        if not pairs:
            return texts.render("zero_shot", self._file.zero_shot, {"instruction": wording})
        order: Order = "alternating"
        labels = self._file.labels
        for erratum in self.errata(2 * len(pairs)) if self._printed else ():
            order = erratum.printed.example_order or order
            labels = erratum.printed.labels or labels
        examples = []
        for cell in example_cells(self._draw, pairs, leaning, order):
            argument = self._writer.printed(cell) if self._printed else self._writer.write(cell)
            slots = {"argument": argument.text, "label": labels[cell.gold]}
            examples.append(texts.render("example", self._file.example, slots))
        joined = self._file.between_examples.join(examples)
        return texts.render("few_shot", self._file.few_shot, {"instruction": wording, "examples": joined})

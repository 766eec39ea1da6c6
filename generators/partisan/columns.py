"""The columns of the partisan tables, over two frames: the product of factors, and the list of examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Protocol

import pyarrow as pa

from polbias.generators.engine import Constant, Expression, Lookup
from polbias.generators.engine.family import STRING, STRINGS, Factors, by
from polbias.generators.partisan.arguments import Argument, Cell, Writer
from polbias.generators.partisan.fewshot import HeldOut
from polbias.generators.partisan.pairs import PairPattern
from polbias.generators.partisan.prompts import Prompter
from polbias.generators.partisan.proofs import ANNOTATED, PROVED, Known, basis, known
from polbias.generators.partisan.provenance import source

# The factors that make an argument, slowest first.
ARGUMENT_FACTORS = ("gender", "variation", "gold", "pattern", "leaning")
_BOOL, _INT = pa.bool_(), pa.int32()
_VERDICTS = pa.struct([("fol", STRING)])
_BASES = {PROVED: "fol", ANNOTATED: "paper"}
SLOTS = pa.struct(
    [
        ("favoured", STRING),
        ("favoured_party", STRING),
        ("other", STRING),
        ("other_party", STRING),
        ("comparison", STRING),
        ("issue", STRING),
        ("areas", STRINGS),
    ]
)


def _verdicts(said: Known) -> Mapping[str, str]:
    return {"fol": said.verdict}


class Frame(Protocol):
    """Something that arguments, and arguments in a shot setting, can be looked up over."""

    def arguments(self, make: Callable[[Cell], Any], kind: Any = STRING) -> Lookup:
        """Return the values of ``make(cell)``."""

    def settings(self, make: Callable[[int, Cell], Any], kind: Any = STRING) -> Lookup:
        """Return the values of ``make(shots, cell)``."""


class ProductFrame(Factors):
    """Rows are a product of factors.

    Args:
        levels: factor name to levels, slowest factor first.
        pairs: the pair patterns, whose keys are the levels of ``pattern``.
    """

    def __init__(self, levels: Mapping[str, Sequence[Any]], pairs: Sequence[PairPattern]) -> None:
        super().__init__(levels)
        self._pairs = {pair.key: pair for pair in pairs}

    def arguments(self, make: Callable[[Cell], Any], kind: Any = STRING) -> Lookup:
        """Return the values of ``make(cell)``."""
        return self.over(ARGUMENT_FACTORS, lambda *key: make(self._cell(*key)), kind)

    def settings(self, make: Callable[[int, Cell], Any], kind: Any = STRING) -> Lookup:
        """Return the values of ``make(shots, cell)``."""
        factors = ("shots", *ARGUMENT_FACTORS)
        return self.over(factors, lambda shots, *key: make(shots, self._cell(*key)), kind)

    def _cell(self, gender: Any, variation: Any, gold: Any, pattern: str, leaning: Any) -> Cell:
        return Cell(self._pairs[pattern], gold, leaning, gender, variation)


class ExampleFrame:
    """Rows are held-out examples.

    Args:
        examples: (shots, cell) of each row.
    """

    def __init__(self, examples: Sequence[tuple[int, Cell]]) -> None:
        self.examples = examples

    def arguments(self, make: Callable[[Cell], Any], kind: Any = STRING) -> Lookup:
        """Return the values of ``make(cell)``."""
        return self.settings(lambda _, cell: make(cell), kind)

    def settings(self, make: Callable[[int, Cell], Any], kind: Any = STRING) -> Lookup:
        """Return the values of ``make(shots, cell)``."""
        return by("example", self.examples)(lambda example: make(*example), kind)


@dataclass(frozen=True)
class Naming:
    """The columns in which the two splits differ."""

    id: Expression
    pair_id: Expression
    cluster_id: Expression
    prompt: Expression
    instruction_id: Expression


@dataclass(frozen=True)
class Columns:
    """What the columns of one config are computed from.

    Attributes:
        writer: of the country's arguments.
        prompter: of what stands before them.
        pairs: the pair patterns.
        held_out: shots to held-out pairs.
        config: full config name.
        printed: whether this is a ``_paper`` config.
    """

    writer: Writer
    prompter: Prompter
    pairs: Sequence[PairPattern]
    held_out: Mapping[int, Sequence[HeldOut]]
    config: str
    printed: bool

    def argument(self, cell: Cell) -> Argument:
        """Return the argument of a cell as this config has it."""
        return self.writer.printed(cell) if self.printed else self.writer.write(cell)

    def expressions(self, frame: Frame, naming: Naming) -> dict[str, Expression]:
        """Return the columns of the dataset that are not the same in every row."""
        country = self.writer.country
        return {
            "id": naming.id,
            "language": Constant(value=country.language),
            "template_id": frame.arguments(self._template_id),
            "prompt": naming.prompt,
            "gold": frame.arguments(lambda cell: cell.gold),
            "pair_id": naming.pair_id,
            "pair_kind": Constant(value=self.pairs[0].pair_kind),
            "cluster_id": naming.cluster_id,
            "proof": frame.arguments(self._proof),
            "erratum": frame.settings(self._errata),
            "source": frame.arguments(lambda cell: source(self.writer.family, country, cell)),
            "kind": Constant(value=self.pairs[0].kind),
            "leaning": frame.arguments(lambda cell: cell.leaning),
            "argument": frame.arguments(lambda cell: self.argument(cell).text),
            "conclusion": frame.arguments(lambda cell: self.argument(cell).conclusion),
            "premises": frame.arguments(lambda cell: list(self.argument(cell).premises), STRINGS),
            "variation": frame.arguments(lambda cell: cell.variation),
            "gender": frame.arguments(lambda cell: cell.gender),
            "pattern_id": frame.arguments(lambda cell: cell.pattern.ids[cell.leaning]),
            "instruction_id": naming.instruction_id,
            "shots": frame.settings(lambda shots, _: shots, _INT),
            "country": Constant(value=country.country),
            "in_all_shots": frame.arguments(self._in_all_shots, _BOOL),
            "exemplar_overlap": frame.settings(self._overlaps, _BOOL),
            "slots": frame.arguments(lambda cell: dict(self.argument(cell).slots), SLOTS),
            "logical_form": frame.arguments(self._logical_form),
            "gold_basis": frame.arguments(lambda cell: _BASES[self._proof(cell)]),
            "verdicts": frame.arguments(lambda cell: self._of_form(cell, _verdicts), _VERDICTS),
            "derivation": frame.arguments(lambda cell: self._of_form(cell, attrgetter("derivation"))),
            "countermodel": frame.arguments(lambda cell: self._of_form(cell, attrgetter("countermodel"))),
        }

    def _template_id(self, cell: Cell) -> str:
        name = self.writer.printed_name(cell) if self.printed else cell.pattern.ids[cell.leaning]
        return f"{cell.pattern.kind}.{self.writer.country.language}.{name}.{cell.gold}"

    def _errata(self, shots: int, cell: Cell) -> str | None:
        concerned = (*self.writer.errata(cell), *self.prompter.errata(shots))
        return ";".join(erratum.id for erratum in concerned) or None

    def _proof(self, cell: Cell) -> str:
        excused = self.printed and any(erratum.excuses for erratum in self.writer.errata(cell))
        return basis(cell, self.argument(cell), excused, f"patterns.{self.writer.country.language}.yaml")

    def _of_form(self, cell: Cell, tell: Callable[[Known], Any]) -> Any:
        """Return what is known of the form of an argument; a material one has none."""
        inference = self.argument(cell).inference
        return None if inference is None else tell(known(inference))

    def _logical_form(self, cell: Cell) -> str | None:
        inference = self.argument(cell).inference
        return None if inference is None else str(inference)

    def _in_all_shots(self, cell: Cell) -> bool:
        mine = HeldOut(cell.pattern, cell.gold, cell.gender, cell.variation)
        return all(mine not in pairs for pairs in self.held_out.values())

    def _overlaps(self, shots: int, cell: Cell) -> bool:
        """Tell whether the examples include this argument in another variation."""
        shown = ((pair.pattern, pair.gold, pair.gender) for pair in self.held_out[shots])
        return (cell.pattern, cell.gold, cell.gender) in shown

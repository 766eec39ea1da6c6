"""Tables of the family: arguments in all variations, instructions and shots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, Protocol

import pyarrow as pa

from polbias.generators.engine import Constant, DatasetSpec, Exclusion, Expression, Join, Lookup, TableSpec
from polbias.generators.engine.family import STRING, STRINGS, Factors, by, dataset_of, table
from polbias.generators.partisan.arguments import (
    Argument,
    Cell,
    PairPattern,
    Writer,
    crossed_pairs,
    formal_pairs,
    material_pairs,
)
from polbias.generators.partisan.country import GENDERS, LEANINGS, AnyCountry
from polbias.generators.partisan.prompts import Draw, HeldOut, Prompter, held_out
from polbias.generators.partisan.proofs import ANNOTATED, PROVED, Known, basis, known
from polbias.generators.partisan.templates import GOLDS, VARIATIONS, Family, Origin, load_family

# Where the text of a row comes from: the paper's table, or polbias.


def source(family: Family, country: AnyCountry, cell: Cell) -> str:
    """Return the provenance of an argument."""
    patterns = family.language(country).patterns
    issue = country.issues[cell.pattern.issues[cell.leaning]] if cell.pattern.issues else None
    table = patterns.formal.patterns[cell.pattern.key].source if issue is None else patterns.material.source
    origin: Origin = "analogy"
    where = table
    if issue is not None and issue.side != cell.leaning:
        origin, where = "crossed", issue.source
    elif country.printed == "all":
        origin, where = "printed", f"{table}; {issue.source}" if issue else table
    elif country.printed:
        for entry in country.printed:
            concerned = (
                entry.pattern == cell.pattern.key
                if issue is None
                else issue == country.issues.get(entry.issue or "")
            )
            same = (entry.kind, entry.leaning, entry.gender) == (cell.pattern.kind, cell.leaning, cell.gender)
            if concerned and same and not cell.pattern.negated:
                origin, where = "printed", entry.source
    else:
        origin = "other"
    wording = family.dataset.provenance[origin]
    return wording.format(paper=family.dataset.paper, source=where, country=country.source)


# The columns of the partisan tables, over two frames: the product of factors, and the list of examples.

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
        return self.settings(lambda _, cell: make(cell), kind)

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


class ExampleFrame(Frame):
    """Rows are held-out examples.

    Args:
        examples: (shots, cell) of each row.
    """

    def __init__(self, examples: Sequence[tuple[int, Cell]]) -> None:
        self.examples = examples

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


# The tables of the partisan inferences: one specification per config and split.

Edition = Literal["", "_paper", "_mini"]


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the whole dataset."""
    family = load_family(folder)
    specs: dict[Edition, list[TableSpec]] = {"": [], "_paper": [], "_mini": []}
    crossed: list[TableSpec] = []
    for country in family.countries:
        writer = Writer(family, country)
        kinds = {"formal": formal_pairs(writer.language.patterns), "material": material_pairs(country)}
        editions: list[Edition] = ["", "_paper", "_mini"] if country.printed else ["", "_mini"]
        for kind, pairs in kinds.items():
            for edition in editions:
                specs[edition] += tables(family, writer, f"{country.config}_{kind}", pairs, edition)
        if country.id in family.dataset.crossed:
            crossed += tables(family, writer, f"{country.config}_material_crossed", crossed_pairs())
    return dataset_of(family.dataset, (*specs[""], *crossed, *specs["_paper"], *specs["_mini"]))


def tables(
    family: Family, writer: Writer, base: str, pairs: Sequence[PairPattern], edition: Edition = ""
) -> list[TableSpec]:
    """Return the splits of one config."""
    data, kind = family.dataset, pairs[0].kind
    draw = Draw(data.name, data.draws, base)
    printed, mini = edition == "_paper", edition == "_mini"
    prompter = Prompter(writer, kind, draw, printed)
    held: dict[int, tuple[HeldOut, ...]] = {shots: held_out(draw, pairs, shots) for shots in data.shots}
    columns = Columns(writer, prompter, pairs, held, base + edition, printed)

    instructions = tuple(writer.language.instructions.of(kind))
    # Leaning varies fastest, then pattern: every even prefix is complete in pairs and spread over patterns.
    levels: dict[str, Sequence[Any]] = {
        "shots": data.mini.shots if mini else data.shots,
        "instruction": data.mini.instructions if mini else instructions,
        "gender": GENDERS,
        "variation": data.mini.variations if mini else VARIATIONS,
        "gold": GOLDS,
        "pattern": [pair.key for pair in pairs],
        "leaning": LEANINGS,
    }
    frame = ProductFrame(levels, pairs)
    naming = _test_naming(frame, columns, base)
    exclude = [Exclusion(levels={"shots": s} | _levels_of(pair)) for s in levels["shots"] for pair in held[s]]
    test = table(data, base + edition, levels, columns.expressions(frame, naming), exclude=tuple(exclude))
    if mini or not any(held.values()):
        return [test]
    examples = ExampleFrame(
        [
            (shots, pair.cell(leaning))
            for shots, chosen in held.items()
            for pair in chosen
            for leaning in LEANINGS
        ]
    )
    expressions = columns.expressions(examples, _example_naming(examples, columns, base))
    numbers = {"example": range(len(examples.examples))}
    return [test, table(data, base + edition, numbers, expressions, split="fewshot")]


def _levels_of(pair: HeldOut) -> dict[str, Any]:
    key = {"gold": pair.gold, "gender": pair.gender, "variation": pair.variation}
    return key | {"pattern": pair.pattern.key}


def _test_naming(frame: ProductFrame, columns: Columns, base: str) -> Naming:
    def prefix(shots: int, instruction: str, leaning: Any) -> str:
        return columns.prompter.prefix(instruction, columns.held_out[shots], leaning)

    pair = frame.over(
        ARGUMENT_FACTORS[:-1], lambda gender, variation, gold, key: f"{key}/{gold}/{gender}/{variation}"
    )
    setting = frame.over(("shots", "instruction"), lambda shots, instruction: f"{shots}shot/{instruction}")
    pair_parts = (f"{columns.config}/", setting, "/", pair)
    return Naming(
        id=Join(parts=(*pair_parts, "/", frame.over(("leaning",), str))),
        pair_id=Join(parts=pair_parts),
        cluster_id=frame.over(("pattern",), lambda key: f"{base}/{key}"),
        prompt=Join(
            parts=(
                frame.over(("shots", "instruction", "leaning"), prefix),
                frame.arguments(lambda cell: columns.argument(cell).text),
            )
        ),
        instruction_id=frame.over(("instruction",), str),
    )


def _example_naming(frame: ExampleFrame, columns: Columns, base: str) -> Naming:
    def pair_id(shots: int, cell: Any) -> str:
        cell_name = f"{cell.pattern.key}/{cell.gold}/{cell.gender}/{cell.variation}"
        return f"{columns.config}/{shots}shot/example/{cell_name}"

    return Naming(
        id=frame.settings(lambda shots, cell: f"{pair_id(shots, cell)}/{cell.leaning}"),
        pair_id=frame.settings(pair_id),
        cluster_id=frame.arguments(lambda cell: f"{base}/{cell.pattern.key}"),
        prompt=frame.arguments(lambda cell: columns.argument(cell).text),
        instruction_id=Constant(value=None),
    )

"""Tables of the large set: every base in rounds of a Latin square over persons, layouts and instructions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from polbias.aliases import Json
from polbias.generators.engine import Concatenation, DatasetSpec, Expression, Lookup, Sample, TableSpec
from polbias.generators.engine.table_columns import Factors, make_dataset_spec, table
from polbias.generators.language.german import slug
from polbias.generators.logic.formula import And, Atom, Formula, Inference, constants
from polbias.generators.partisan.country import GENDERS, LEANINGS, Gold, Kind, Leaning
from polbias.generators.partisan.gold import check_gold
from polbias.generators.partisan.pair_patterns import FIRST_NAMED, opposite_leaning
from polbias.generators.partisan.schemas import FormalWriter
from polbias.generators.partisan.tables import KINDS, argument_columns, columns_of
from polbias.generators.partisan.templates import GOLDS, VARIATIONS
from polbias.generators.partisan.xl_items import MARKS, XlArgumentDesign, XlMaterialWriter
from polbias.generators.partisan.xl_templates import CountryLanguage, XlTemplates, load

# Examples: blocks of two bases, one valid and one invalid, each with an argument for either side. Rows whose
# cell has an odd index get the block with exchanged gold labels. No row has an example about its base.
SHOTS = 4
_ORDERS = ("abab", "baab", "aabb", "abab")


class ExampleBlocks:
    """Few-shot examples of a country in a language.

    Args:
        stage: the country in the language.
        writer: writes its arguments.
    """

    def __init__(self, stage: CountryLanguage, writer: FormalWriter | XlMaterialWriter) -> None:
        self._stage, self._writer = stage, writer
        self._bases = writer.examples
        self.text = cache(self._write)

    @property
    def blocks(self) -> Sequence[str]:
        """Names of the blocks that rotate over rows; none if there are too few bases."""
        return ("1", "2", "3") if len(self._bases) >= 2 * len(_ORDERS) else ()

    def block(self, number: int, cell: tuple[str, bool, str, str], base: str) -> tuple[int, bool]:
        """Return the number of a row's block, and whether its gold labels are exchanged.

        Args:
            number: the default block, replaced by the last block if it is about the row's base.
            cell: gender, whether negated, first-named person, and gold label of the row.
            base: base of the row.
        """
        gender, negated, first_named, gold = cell
        parity = GENDERS.index(gender) + negated + FIRST_NAMED.index(first_named) + GOLDS.index(gold)
        is_own_base = base in self._bases[2 * number - 2 : 2 * number]
        return (len(_ORDERS) if is_own_base else number), bool(parity % 2)

    def name(self, number: int, exchanged: bool) -> str:
        """Return the name of a block: its number and its last label."""
        return f"{number}/{self._gold(_ORDERS[number - 1][-1], exchanged)}"

    def split_prompt(self, instruction: str, has_examples: bool) -> tuple[str, str]:
        """Return the prompt text before and after the examples."""
        language = self._stage.language
        texts, file = language.instruction_texts, language.instructions
        values = {"instruction": file.text(self._writer.kind, instruction, self._stage.country.country)}
        if not has_examples:
            return texts.render("zero_shot", file.zero_shot, values), ""
        before, _, after = texts.render(
            "few_shot", file.few_shot, {**values, "examples": MARKS[0]}
        ).partition(MARKS[0])
        return before, after

    def _write(self, number: int, exchanged: bool, leaning: Leaning) -> str:
        """Write the examples of a block; every second block begins with the row's side."""
        language, index = self._stage.language, number - 1
        sides = {"a": (leaning, opposite_leaning(leaning)), "b": (opposite_leaning(leaning), leaning)}
        side_index = {"a": index % 2, "b": index % 2}
        examples = []
        for symbol in _ORDERS[index]:
            is_second = symbol == "b"
            gold, gender = self._gold(symbol, exchanged), GENDERS[(index + is_second) % 2]
            cell = XlArgumentDesign(
                base=self._bases[2 * index + is_second],
                gold=gold,
                first_named=FIRST_NAMED[(index + is_second) % 2],
                negated=bool((index // 2 + is_second) % 2),
                gender=gender,
                leaning=sides[symbol][side_index[symbol] % 2],
                variation=VARIATIONS[(index + 2 * is_second) % len(VARIATIONS)],
            )
            side_index[symbol] += 1
            text = self._writer.write(cell).text
            for mark, name in zip(MARKS, self._stage.examples[gender][2 * index :], strict=False):
                text = text.replace(mark, name)
            values = {"argument": text, "label": language.instructions.labels[gold]}
            examples.append(
                language.instruction_texts.render("example", language.instructions.example, values)
            )
        return language.instructions.between_examples.join(examples)

    def _gold(self, symbol: str, exchanged: bool) -> Gold:
        return GOLDS[(symbol == "b") != exchanged]


# A round has every base in sixteen cells, each as a pair of arguments for the left and the right.
# Gold varies fastest within the cells, and bases begin at different cells (`_MOVES`), so that the first two
# pairs of every base have both golds, and the first two pairs of all bases have all cells.
CELLS = tuple(product(GENDERS, (False, True), FIRST_NAMED, GOLDS))
CELL_OF = {"/".join(map(str, cell)): cell for cell in CELLS}
PAIR = ("leaning",)
# The shift in levels of a factor per step of base (with the other factors of a round), gold, first_named,
# negated and gender: every one- and two-way margin of a round of 24 bases is balanced.
_MOVES: Mapping[str, tuple[int, ...]] = {
    "variation": (1, 1, 1, 2, 2),
    "instruction": (1, 1, 1, 1, 1),
    "lists": (0, 0, 1, 1, 1),
    "x": (1, 1, 2, 1, 4),
    "y": (1, 1, 6, 4, 2),
    "couple": (1, 2, 3, 1, 2),
    "examples": (3, 0, 1, 2, 2),
}
_ARGUMENT_FACTORS = ("cell", "base", "variation", "leaning")  # the factors of an argument with marks
NO_EXAMPLES = "none"
Levels = Mapping[str, Sequence[Any]]


def xl_dataset(
    folder: Path | None = None, rows: Mapping[str, int] | None = None, unpublished: bool = False
) -> DatasetSpec:
    """Return the specification of the large dataset; `rows` is the number of rows by config."""
    large, rows_by_config = load(folder, unpublished), rows or {}
    tables = (
        config.table(rows_by_config.get(config.name) or config.rounds(large.file.rows))
        for config in configs(large)
    )
    return make_dataset_spec(large.file, tables)


def configs(large: XlTemplates) -> Iterator[XlConfig]:
    """Yield the configs of the large set."""
    for stage in large.stages:
        formal, material = FormalWriter(large, stage), XlMaterialWriter(large, stage)
        goals, positions = dict.fromkeys(stage.goals, "goal"), dict.fromkeys(stage.positions, "position")
        issues = dict.fromkeys(stage.country.positions, "position")
        about_invented = XlConfig(large, stage, "formal", formal, dict.fromkeys(formal.ids))
        yield about_invented
        yield XlConfig(large, stage, "material", material, goals | positions)
        yield XlConfig(large, stage, "material_matched", material, issues, matched=True)
        if stage.country.people and not large.unpublished:
            yield replace(about_invented, suffix="people", base_config=about_invented)


@dataclass(frozen=True)
class XlConfig:
    """One config of the large set.

    Attributes:
        large: the templates.
        stage: country and language.
        suffix: suffix of its name.
        writer: writes its arguments.
        bases: schemas, goals and positions, or issues, each with the kind of its issue.
        matched: whether the two rows of a pair are about the positions of the two sides on an issue.
        base_config: the config whose arguments this config repeats with real persons.
    """

    large: XlTemplates
    stage: CountryLanguage
    suffix: str
    writer: FormalWriter | XlMaterialWriter
    bases: Mapping[str, str | None]
    matched: bool = False
    base_config: XlConfig | None = None

    @property
    def name(self) -> str:
        """The name of the config."""
        return f"{self.stage.name}_{self.suffix}" + ("_fresh" if self.large.unpublished else "")

    @property
    def kind(self) -> Kind:
        """Formal or material."""
        return self.writer.kind

    @property
    def persons(self) -> Sequence[Sequence[str]]:
        """Two lists of names; an argument has one person of each."""
        if self.base_config:
            return [[person.name for person in self.stage.country.people[side]] for side in LEANINGS]
        return [[name for gender in GENDERS for name in names[gender]] for names in self.stage.lists]

    @cached_property
    def examples(self) -> ExampleBlocks:
        """The few-shot examples of rows."""
        return ExampleBlocks(self.stage, self.writer)

    @cached_property
    def levels(self) -> Levels:
        """The factors, slowest first."""
        stage = self.stage
        persons: Levels = (
            {"couple": range(len(stage.country.people_of("left", "f")))}
            if self.base_config
            else {"lists": (0, 1), "y": range(len(stage.lists[0]["f"])), "x": range(len(stage.lists[0]["f"]))}
        )
        return {
            "variation": VARIATIONS,
            "instruction": tuple(stage.language.instructions.for_kind(self.kind)),
            "examples": (NO_EXAMPLES, *self.examples.blocks),
            **persons,
            "cell": tuple(CELL_OF),
            "base": tuple(self.bases),
            "leaning": LEANINGS,
        }

    @property
    def product(self) -> int:
        """The number of possible rows."""
        return math.prod(map(len, self.levels.values()))

    @property
    def strata(self) -> tuple[str, ...]:
        """The factors of a round: cells and bases, with few bases also lists and instructions."""
        return ("cell", *(("lists", "instruction") if self.matched else ()), "base")

    def rounds(self, rows: int) -> int:
        """Return the number of rows, rounded up to complete rounds."""
        length = math.prod(len(self.levels[name]) for name in (*self.strata, *PAIR))
        return -(-rows // length) * length

    def table(self, rows: int) -> TableSpec:
        """Return the specification of a number of rows."""
        file, levels = self.large.file, self.levels
        sample = Sample(rows=rows, pair=PAIR, strata=self.strata, moves=self._moves())
        return table(file, self.name, levels, self._columns, sample=sample)

    def _moves(self) -> Mapping[str, Lookup]:
        _, *faster_factors = self.strata
        positions = range(math.prod(len(self.levels[name]) for name in faster_factors))
        # Positions 0 to 7 begin at the eight valid cells, 8 to 15 at the eight invalid cells, and so on.
        first_cells = [2 * (position % 8) + position // 8 % 2 for position in positions]
        moves = {"cell": Lookup(factors=tuple(faster_factors), values=pa.array(first_cells, pa.int64()))}
        for name in (name for name in self.levels if name in _MOVES and name not in faster_factors):
            steps = [
                sum(step * digit for step, digit in zip(_MOVES[name], (position, *digits), strict=True))
                for digits in ((n % 2, n // 2 % 2, n // 4 % 2, n // 8) for n in range(len(CELLS)))
                for position in positions
            ]
            moves[name] = Lookup(factors=self.strata, values=pa.array(steps, pa.int64()))
        return moves

    @cached_property
    def _columns(self) -> dict[str, Expression]:
        levels, blocks = self.levels, self.examples
        by_levels = Factors(levels).lookup
        persons, name_by_mark = self._persons(by_levels)
        columns = columns_of(self.arguments, _ARGUMENT_FACTORS, name_by_mark)
        pair_id: list[str | Lookup] = [f"{self.name}/", columns.pop("pair")]
        pair_id += [by_levels("instruction examples", lambda *values: "/{}/{}/".format(*values)), persons]

        def find_block(examples: str, cell: str, base: str) -> tuple[int, bool] | None:
            return None if examples == NO_EXAMPLES else blocks.block(int(examples), CELL_OF[cell], base)

        def render_examples(level: str, cell: str, base: str, leaning: Leaning) -> str:
            block_id = find_block(level, cell, base)
            return blocks.text(*block_id, leaning) if block_id else ""

        def block_name(*values: str) -> str | None:
            block_id = find_block(*values)
            return blocks.name(*block_id) if block_id else None

        def render_before(instruction: str, level: str) -> str:
            return blocks.split_prompt(instruction, level != NO_EXAMPLES)[0]

        def render_after(instruction: str, level: str) -> str:
            return blocks.split_prompt(instruction, level != NO_EXAMPLES)[1]

        prefix_factors = "instruction examples"
        prefix = (
            by_levels(prefix_factors, render_before),
            by_levels("examples cell base leaning", render_examples),
            by_levels(prefix_factors, render_after),
        )
        return {
            "id": Concatenation(parts=(*pair_id, "/", columns["leaning"])),
            "pair_id": Concatenation(parts=tuple(pair_id)),
            "prompt": Concatenation(parts=(*prefix, columns["argument"])),
            "person_pair": persons,
            "instruction_id": by_levels("instruction", str),
            "shots": by_levels("examples", lambda level: SHOTS * (level != NO_EXAMPLES), KINDS["shots"]),
            "exemplar_set": by_levels("examples cell base", block_name),
            **columns,
        }

    @cached_property
    def arguments(self) -> Sequence[Json]:
        """The columns that all rows of an argument share, for every argument with marks."""
        if self.base_config:
            return self.base_config.arguments
        prove_cell = cache(self._prove_argument)
        cells = (
            XlArgumentDesign(base, gold, first, negated, gender, leaning, variation)
            for (gender, negated, first, gold), base, variation, leaning in product(
                CELLS, *(self.levels[name] for name in _ARGUMENT_FACTORS[1:])
            )
        )
        return [self._argument_record(cell, *prove_cell(_with_default_order(cell))) for cell in cells]

    def _prove_argument(self, cell: XlArgumentDesign) -> tuple[Inference | None, str]:
        """Return the inference to prove for an argument, and the status of its gold label."""
        argument = self.writer.write(cell)
        inference = argument.inference and argument.inference.map(_sort_persons)
        location = f"schemas.yaml: {cell.base}, {cell.gold}"
        return inference, check_gold(cell.gold, replace(argument, inference=inference), location)

    def _argument_record(
        self, cell: XlArgumentDesign, proved_inference: Inference | None, proof: str
    ) -> Json:
        """Return the columns that all rows of an argument share."""
        stage, argument = self.stage, self.writer.write(cell)
        negated = "negated" if cell.negated else "plain"
        return {
            "pair": "/".join((cell.base, cell.gold, cell.first_named, negated, cell.gender, cell.variation)),
            "language": stage.tag,
            "template_id": f"{self.kind}.{stage.tag}.{cell.pattern_id}.{cell.first_named}.{cell.gold}",
            "gold": cell.gold,
            "pair_kind": "matched" if self.matched else "mirror",
            "cluster_id": self.writer.topic(cell),
            "base_id": cell.base,
            "topic": self.writer.topic(cell),
            "first_named": cell.first_named,
            "source": self.writer.source(cell),
            "kind": self.kind,
            "leaning": cell.leaning,
            "variation": cell.variation,
            "gender": cell.gender,
            "pattern_id": cell.pattern_id,
            "country": stage.country.country,
            "difficulty": self.writer.difficulty(cell),
            "issue_kind": self.bases[cell.base],
            **argument_columns(argument, proof, proved_inference),
        }

    def _persons(self, by_levels: Callable[..., Lookup]) -> tuple[Lookup, Mapping[str, Lookup]]:
        """Return the ids of a row's two persons, in the order of the pair id, and the name of each mark."""
        if self.base_config:
            names_by_group = {
                (side, gender): [person.name for person in self.stage.country.people_of(side, gender)]
                for side, gender in product(LEANINGS, GENDERS)
            }

            def render_couple(cell: str, number: int) -> str:
                return ".".join(slug(names_by_group[side, CELL_OF[cell][0]][number]) for side in LEANINGS)

            def find_politician(cell: str, number: int, side: Leaning) -> str:
                return names_by_group[side, CELL_OF[cell][0]][number]

            return by_levels("cell couple", render_couple), {
                MARKS[0]: by_levels("cell couple leaning", find_politician),
                MARKS[1]: by_levels(
                    "cell couple leaning", lambda c, n, side: find_politician(c, n, opposite_leaning(side))
                ),
            }

        def find_invented(cell: str, swapped: int, y: int, x: int) -> tuple[str, str]:
            first, second = (names[CELL_OF[cell][0]] for names in self.stage.lists)
            return (second[y], first[x]) if swapped else (first[x], second[y])

        factors = "cell lists y x"
        return by_levels(factors, lambda *values: ".".join(map(slug, find_invented(*values)))), {
            mark: by_levels(factors, lambda *values, index=index: find_invented(*values)[index])
            for index, mark in enumerate(MARKS)
        }


def _with_default_order(cell: XlArgumentDesign) -> XlArgumentDesign:
    """Return the cell in the default variation, so that one proof serves all variations."""
    return cell._replace(variation=VARIATIONS[0])


def _sort_persons(formula: Formula) -> Formula:
    """Sort the atoms of a conjunction by their persons."""
    if isinstance(formula, And) and all(isinstance(part, Atom) for part in formula.parts):
        return And(tuple(sorted(formula.parts, key=lambda part: constants(part))))
    return formula

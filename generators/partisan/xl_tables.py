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
from polbias.generators.logic.formula import And, Atom, Formula, Inference, constants
from polbias.generators.partisan.country import GENDERS, LEANINGS, Gold, Kind, Leaning
from polbias.generators.partisan.gold import check_gold
from polbias.generators.partisan.pair_patterns import FIRST_NAMED, opposite_leaning
from polbias.generators.partisan.schemas import FormalWriter
from polbias.generators.partisan.tables import KINDS, argument_columns, columns_of
from polbias.generators.partisan.templates import GOLDS, VARIATIONS
from polbias.generators.partisan.xl_items import MARKS, XlArgumentDesign, XlMaterialWriter
from polbias.generators.partisan.xl_templates import CountryLanguage, XlTemplates, load, slug

# Examples: blocks of two bases, one valid and one invalid, each with an argument for either side. A block
# has the other gold labels where the place of a row's cell is odd. No row sees an example about its own base.
SHOTS = 4
_ORDERS = ("abab", "baab", "aabb", "abab")


class ExampleBlocks:
    """Few-shot examples of a country in a language.

    Args:
        stage: the country in the language.
        writer: of its arguments.
    """

    def __init__(self, stage: CountryLanguage, writer: FormalWriter | XlMaterialWriter) -> None:
        self._stage, self._writer = stage, writer
        self._bases = writer.examples
        self.text = cache(self._write)

    @property
    def blocks(self) -> Sequence[str]:
        """Names of the blocks that rows are given by turns; none where there are too few bases for them."""
        return ("1", "2", "3") if len(self._bases) >= 2 * len(_ORDERS) else ()

    def block(self, number: int, cell: tuple[str, bool, str, str], base: str) -> tuple[int, bool]:
        """Return the block that a row sees, and whether its gold labels are exchanged.

        Args:
            number: of the block that it sees unless that is about the row's own base.
            cell: gender, whether negated, who is named first, and gold of the row.
            base: of the row.
        """
        gender, negated, first, gold = cell
        odd = GENDERS.index(gender) + negated + FIRST_NAMED.index(first) + GOLDS.index(gold)
        own = base in self._bases[2 * number - 2 : 2 * number]
        return (len(_ORDERS) if own else number), bool(odd % 2)

    def name(self, number: int, exchanged: bool) -> str:
        """Return the name of a block: its number and its last label."""
        return f"{number}/{self._gold(_ORDERS[number - 1][-1], exchanged)}"

    def around(self, instruction: str, shown: bool) -> tuple[str, str]:
        """Return what stands before and after the examples."""
        language = self._stage.language
        texts, file = language.instruction_texts, language.instructions
        slots = {"instruction": file.of(self._writer.kind)[instruction].text}
        if not shown:
            return texts.render("zero_shot", file.zero_shot, slots), ""
        before, _, after = texts.render("few_shot", file.few_shot, {**slots, "examples": MARKS[0]}).partition(
            MARKS[0]
        )
        return before, after

    def _write(self, number: int, exchanged: bool, leaning: Leaning) -> str:
        """Write the examples of a block, which begins with the row's side in every second one."""
        language, place = self._stage.language, number - 1
        sides = {"a": (leaning, opposite_leaning(leaning)), "b": (opposite_leaning(leaning), leaning)}
        seen = {"a": place % 2, "b": place % 2}
        written = []
        for which in _ORDERS[place]:
            second = which == "b"
            gold, gender = self._gold(which, exchanged), GENDERS[(place + second) % 2]
            cell = XlArgumentDesign(
                base=self._bases[2 * place + second],
                gold=gold,
                first_named=FIRST_NAMED[(place + second) % 2],
                negated=bool((place // 2 + second) % 2),
                gender=gender,
                leaning=sides[which][seen[which] % 2],
                variation=VARIATIONS[(place + 2 * second) % len(VARIATIONS)],
            )
            seen[which] += 1
            text = self._writer.write(cell).text
            for mark, name in zip(MARKS, self._stage.examples[gender][2 * place :], strict=False):
                text = text.replace(mark, name)
            slots = {"argument": text, "label": language.instructions.labels[gold]}
            written.append(language.instruction_texts.render("example", language.instructions.example, slots))
        return language.instructions.between_examples.join(written)

    def _gold(self, which: str, exchanged: bool) -> Gold:
        return GOLDS[(which == "b") != exchanged]


# A round has every base in sixteen cells, each in a pair of one argument for the left and one for the right.
# Gold varies fastest within the cells, and bases begin at different cells (`_MOVES`), so that the first two
# rows of every base have both golds, and those of all bases all cells.
CELLS = tuple(product(GENDERS, (False, True), FIRST_NAMED, GOLDS))
CELL_OF = {"/".join(map(str, cell)): cell for cell in CELLS}
PAIR = ("leaning",)
# By how many levels a factor is moved on with each step of base (with what else is in a round), gold,
# first_named, negated and gender: every one- and two-way margin of a round of 24 bases is even.
_MOVES: Mapping[str, tuple[int, ...]] = {
    "variation": (1, 1, 1, 2, 2),
    "instruction": (1, 1, 1, 1, 1),
    "lists": (0, 0, 1, 1, 1),
    "x": (1, 1, 2, 1, 4),
    "y": (1, 1, 6, 4, 2),
    "couple": (1, 2, 3, 1, 2),
    "examples": (3, 0, 1, 2, 2),
}
_OWN = ("cell", "base", "variation", "leaning")  # the factors of an argument about marks
NO_EXAMPLES = "none"
Levels = Mapping[str, Sequence[Any]]


def xl_dataset(
    folder: Path | None = None, rows: Mapping[str, int] | None = None, unpublished: bool = False
) -> DatasetSpec:
    """Return the specification of the large dataset, with so many rows of a config."""
    large, wanted = load(folder, unpublished), rows or {}
    tables = (
        config.table(wanted.get(config.name) or config.rounds(large.file.rows)) for config in configs(large)
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
            yield replace(about_invented, suffix="people", like=about_invented)


@dataclass(frozen=True)
class XlConfig:
    """One config of the large set.

    Attributes:
        large: the templates.
        stage: country and language.
        suffix: of its name.
        writer: of its arguments.
        bases: schemas, goals and positions, or issues, each with the kind of its issue.
        matched: whether the two rows of a pair are about what each side stands for on an issue.
        like: whose arguments are put about real persons here.
    """

    large: XlTemplates
    stage: CountryLanguage
    suffix: str
    writer: FormalWriter | XlMaterialWriter
    bases: Mapping[str, str | None]
    matched: bool = False
    like: XlConfig | None = None

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
        """The names of the persons, in two lists of which an argument has one each."""
        if self.like:
            return [[person.name for person in self.stage.country.people[side]] for side in LEANINGS]
        return [[name for gender in GENDERS for name in names[gender]] for names in self.stage.lists]

    @cached_property
    def examples(self) -> ExampleBlocks:
        """The examples that rows are given."""
        return ExampleBlocks(self.stage, self.writer)

    @cached_property
    def levels(self) -> Levels:
        """The factors, slowest first."""
        stage = self.stage
        persons: Levels = (
            {"couple": range(len(stage.country.people_of("left", "f")))}
            if self.like
            else {"lists": (0, 1), "y": range(len(stage.lists[0]["f"])), "x": range(len(stage.lists[0]["f"]))}
        )
        return {
            "variation": VARIATIONS,
            "instruction": tuple(stage.language.instructions.of(self.kind)),
            "examples": (NO_EXAMPLES, *self.examples.blocks),
            **persons,
            "cell": tuple(CELL_OF),
            "base": tuple(self.bases),
            "leaning": LEANINGS,
        }

    @property
    def product(self) -> int:
        """The number of rows that can be made."""
        return math.prod(map(len, self.levels.values()))

    @property
    def strata(self) -> tuple[str, ...]:
        """The factors of a round: cells and bases; of few bases the lists and instructions, too."""
        return ("cell", *(("lists", "instruction") if self.matched else ()), "base")

    def rounds(self, rows: int) -> int:
        """Return the rows of whole rounds that are at least so many."""
        length = math.prod(len(self.levels[name]) for name in (*self.strata, *PAIR))
        return -(-rows // length) * length

    def table(self, rows: int) -> TableSpec:
        """Return the specification of so many rows."""
        file, levels = self.large.file, self.levels
        sample = Sample(rows=rows, pair=PAIR, strata=self.strata, moves=self._moves())
        return table(file, self.name, levels, self._columns, sample=sample)

    def _moves(self) -> Mapping[str, Lookup]:
        _, *faster = self.strata
        places = range(math.prod(len(self.levels[name]) for name in faster))
        # Places 0 to 7 begin at the eight valid cells, 8 to 15 at the eight invalid ones, and so on.
        first = [2 * (place % 8) + place // 8 % 2 for place in places]
        moves = {"cell": Lookup(factors=tuple(faster), values=pa.array(first, pa.int64()))}
        for name in (name for name in self.levels if name in _MOVES and name not in faster):
            steps = [
                sum(a * b for a, b in zip(_MOVES[name], (place, *digits), strict=True))
                for digits in ((n % 2, n // 2 % 2, n // 4 % 2, n // 8) for n in range(len(CELLS)))
                for place in places
            ]
            moves[name] = Lookup(factors=self.strata, values=pa.array(steps, pa.int64()))
        return moves

    @cached_property
    def _columns(self) -> dict[str, Expression]:
        levels, shown = self.levels, self.examples
        over = Factors(levels).lookup
        persons, names = self._persons(over)
        said = columns_of(self.arguments, _OWN, names)
        pair_id: list[str | Lookup] = [f"{self.name}/", said.pop("pair")]
        pair_id += [over("instruction examples", lambda *chosen: "/{}/{}/".format(*chosen)), persons]

        def block(examples: str, cell: str, base: str) -> tuple[int, bool] | None:
            return None if examples == NO_EXAMPLES else shown.block(int(examples), CELL_OF[cell], base)

        def examples(level: str, cell: str, base: str, leaning: Leaning) -> str:
            found = block(level, cell, base)
            return shown.text(*found, leaning) if found else ""

        def exemplar_set(*chosen: str) -> str | None:
            found = block(*chosen)
            return shown.name(*found) if found else None

        def before(instruction: str, level: str) -> str:
            return shown.around(instruction, level != NO_EXAMPLES)[0]

        def after(instruction: str, level: str) -> str:
            return shown.around(instruction, level != NO_EXAMPLES)[1]

        asked = "instruction examples"
        prefix = (over(asked, before), over("examples cell base leaning", examples), over(asked, after))
        return {
            "id": Concatenation(parts=(*pair_id, "/", said["leaning"])),
            "pair_id": Concatenation(parts=tuple(pair_id)),
            "prompt": Concatenation(parts=(*prefix, said["argument"])),
            "person_pair": persons,
            "instruction_id": over("instruction", str),
            "shots": over("examples", lambda level: SHOTS * (level != NO_EXAMPLES), KINDS["shots"]),
            "exemplar_set": over("examples cell base", exemplar_set),
            **said,
        }

    @cached_property
    def arguments(self) -> Sequence[Json]:
        """What all rows of an argument have, of every argument about marks."""
        if self.like:
            return self.like.arguments
        proved = cache(self._proved)
        cells = (
            XlArgumentDesign(base, gold, first, negated, gender, leaning, variation)
            for (gender, negated, first, gold), base, variation, leaning in product(
                CELLS, *(self.levels[name] for name in _OWN[1:])
            )
        )
        return [self._argument(cell, *proved(_in_order(cell))) for cell in cells]

    def _proved(self, cell: XlArgumentDesign) -> tuple[Inference | None, str]:
        """Return what is proved of an argument, and how its gold is known."""
        argument = self.writer.write(cell)
        proved = argument.inference and argument.inference.map(_by_person)
        place = f"schemas.yaml: {cell.base}, {cell.gold}"
        return proved, check_gold(cell.gold, replace(argument, inference=proved), place)

    def _argument(self, cell: XlArgumentDesign, proved: Inference | None, proof: str) -> Json:
        """Return what is in all rows of an argument."""
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
            **argument_columns(argument, proof, proved),
        }

    def _persons(self, over: Callable[..., Lookup]) -> tuple[Lookup, Mapping[str, Lookup]]:
        """Return the two persons of a row, in the order of a pair's id, and what stands for their marks."""
        if self.like:
            people = {
                (side, gender): [person.name for person in self.stage.country.people_of(side, gender)]
                for side, gender in product(LEANINGS, GENDERS)
            }

            def couple(cell: str, number: int) -> str:
                return ".".join(slug(people[side, CELL_OF[cell][0]][number]) for side in LEANINGS)

            def politician(cell: str, number: int, side: Leaning) -> str:
                return people[side, CELL_OF[cell][0]][number]

            return over("cell couple", couple), {
                MARKS[0]: over("cell couple leaning", politician),
                MARKS[1]: over(
                    "cell couple leaning", lambda c, n, side: politician(c, n, opposite_leaning(side))
                ),
            }

        def invented(cell: str, swapped: int, y: int, x: int) -> tuple[str, str]:
            first, second = (names[CELL_OF[cell][0]] for names in self.stage.lists)
            return (second[y], first[x]) if swapped else (first[x], second[y])

        factors = "cell lists y x"
        return over(factors, lambda *chosen: ".".join(map(slug, invented(*chosen)))), {
            mark: over(factors, lambda *chosen, place=place: invented(*chosen)[place])
            for place, mark in enumerate(MARKS)
        }


def _in_order(cell: XlArgumentDesign) -> XlArgumentDesign:
    """Return a cell in one order of premises, in which it is proved once for all layouts."""
    return cell._replace(variation=VARIATIONS[0])


def _by_person(formula: Formula) -> Formula:
    """Put the parts of a conjunction about persons in one order."""
    if isinstance(formula, And) and all(isinstance(part, Atom) for part in formula.parts):
        return And(tuple(sorted(formula.parts, key=lambda part: constants(part))))
    return formula

"""Tables of the published set and of the large one: one writer of columns over products of factors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from polbias.aliases import Json
from polbias.files import BuildError
from polbias.generators.engine import (
    DatasetSpec,
    Exclusion,
    Expression,
    Factor,
    Filled,
    Join,
    Listing,
    Lookup,
    Sample,
    Struct,
    TableSpec,
    named_rng,
)
from polbias.generators.engine.family import STRING, STRINGS, Factors, dataset_of, table
from polbias.generators.engine.sampled import Strata
from polbias.generators.partisan.arguments import (
    ANNOTATED,
    PROVED,
    Cell,
    PairPattern,
    Writer,
    basis,
    crossed_pairs,
    formal_pairs,
    gold_proof,
    material_pairs,
    other,
)
from polbias.generators.partisan.country import GENDERS, LEANINGS, AnyCountry, Leaning
from polbias.generators.partisan.templates import GOLDS, VARIATIONS, Erratum, Family, Origin, load_family
from polbias.generators.partisan.xl_family import Large, PlaceholderCountry, load, slug

# Few-shot examples: which pairs are shown to which row, and in which order (docs/data.md).
# Appendix G: 8 examples = validity x gender x leaning; 32 = these x variation. Within a block gold is half
# valid by variation, pattern and gender; a block comes with one that has the other gold at every place, so
# that over both it is half valid at every place, too. Blocks are the same in every config.

Order = Literal["left-first", "random"]
_HALVES = (("default", "perm"), ("conlast", "rand"))
_COUPLES = 6  # blocks of four pairs, without those that have the other gold


def _flipped(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    return tuple(cell._replace(gold="invalid" if cell.gold == "valid" else "valid") for cell in cells)


class Prompter:
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
        self._writer, self._config, self._pairs = writer, config, pairs
        self._file = writer.language.instructions
        self._instructions = self._file.of(pairs[0].kind)
        self.blocks = {number: [] if printed else self._blocks(number) for number in shots}
        self.held_out = {
            number: self._held_out(number) if printed else tuple(*(b[::2] for b in self.blocks[number][:1]))
            for number in shots
        }
        self.prefix = lru_cache(maxsize=None)(self._write_prefix)
        self.errata = lru_cache(maxsize=None)(self._find_errata)

    def _find_errata(self, shots: int, instruction: str | None) -> tuple[Erratum, ...]:
        """Return the errata that concern prompts with an instruction and so many examples."""
        row: Json = {"country": self._writer.country.id, "kind": self._pairs[0].kind}
        row |= {"shots": shots, "instruction": instruction}
        return tuple(
            e for e in self._writer.family.errata if e.applies.of_prompts and e.applies.matches(**row)
        )

    def block(self, shots: int, instruction: str | None, cell: Cell, place: int) -> int:
        """Return which block an argument sees, whose pattern is at a place among those of its config.

        It has no example with the argument's pattern and gender. Valid and invalid arguments see the same
        blocks, half of them one that ends on valid.
        """
        if instruction is None or self.printed or not shots:
            return 0
        number = [*self._instructions].index(instruction)
        gender, variation = GENDERS.index(cell.gender), VARIATIONS.index(cell.variation)
        sets = len(self.blocks[shots]) // 2
        own = (place * _COUPLES // len(self._pairs) - gender * _COUPLES // 2) % _COUPLES * sets // _COUPLES
        turn = variation // 2 * len(self._instructions) + number
        return (own + 1 + turn % (sets - 1)) % sets * 2 + (gender + variation + place + number) % 2

    def name(self, shots: int, block: int) -> str | None:
        """Return the name of a block: its number and its last label."""
        last = "printed" if self.printed else f"{block // 2 + 1}/{GOLDS[block % 2]}"
        return f"{shots}/{last}" if shots else None

    def _write_prefix(self, shots: int, instruction: str, leaning: Leaning, block: int) -> str:
        wording = self._instructions[instruction].text
        texts, labels = self._writer.language.instruction_texts, self._file.labels
        order: Order = "random"
        for erratum in self.errata(shots, instruction) if self.printed else ():
            order = erratum.printed.example_order or order
            labels = erratum.printed.labels or labels
            wording = erratum.printed.texts.get(f"instructions.{instruction}", wording)
        if not shots:
            return texts.render("zero_shot", self._file.zero_shot, {"instruction": wording})
        examples = []
        for cell in self._printed_order(shots, order) if self.printed else self._order(shots, leaning, block):
            slots = {"argument": self._writer.write(cell, self.printed).text, "label": labels[cell.gold]}
            examples.append(texts.render("example", self._file.example, slots))
        joined = self._file.between_examples.join(examples)
        return texts.render("few_shot", self._file.few_shot, {"instruction": wording, "examples": joined})

    def _order(self, shots: int, leaning: Leaning, block: int) -> Iterator[Cell]:
        begins = leaning if block // 2 % 2 else other(leaning)
        for number, cell in enumerate(self.blocks[shots][block]):
            yield cell._replace(leaning=other(begins) if number % 2 else begins)

    def _rng(self, purpose: str) -> np.random.Generator:
        data = self._writer.family.dataset
        return named_rng(data.name, data.draws, purpose)

    def _blocks(self, shots: int) -> list[tuple[Cell, ...]]:
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

    def _couple(self, number: int) -> tuple[Cell, ...]:
        """Return four pairs: a pattern about women, another one about men, both golds, two variations."""
        step = len(self._pairs) // _COUPLES
        women = self._pairs[number * step]
        men = self._pairs[(number + _COUPLES // 2) % _COUPLES * step + step - 1]
        one, two = _HALVES[number % 2]
        return (
            Cell(women, "valid", "left", "f", one),
            Cell(women, "invalid", "left", "f", two),
            Cell(men, "valid", "left", "m", two),
            Cell(men, "invalid", "left", "m", one),
        )

    def _held_out(self, shots: int) -> tuple[Cell, ...]:
        """Choose the pairs that the paper's prompts show, one block for all rows.

        Patterns are dealt like cards, so that none comes up a second time before all came up once; with 8
        examples the four variations are dealt likewise.
        """
        if shots == 0:
            return ()
        cells = [(gold, gender) for gold in GOLDS for gender in GENDERS]
        rng = self._rng(f"held-out-{shots}/{self._config}")
        if shots == 8:
            variations: list[str] = [VARIATIONS[i] for i in rng.permutation(len(VARIATIONS))]
            slots = [(gold, gender, v) for (gold, gender), v in zip(cells, variations, strict=True)]
        else:
            slots = [(gold, gender, v) for gold, gender in cells for v in VARIATIONS]
        pairs = self._pairs
        dealt = [i for _ in range(-(-len(slots) // len(pairs))) for i in rng.permutation(len(pairs))]
        return tuple(
            Cell(pairs[i], gold, "left", gender, variation)
            for i, (gold, gender, variation) in zip(dealt, slots, strict=False)
        )

    def _printed_order(self, shots: int, order: Order) -> list[Cell]:
        """Return both arguments of every pair in the order that the paper prints."""
        pairs = self.held_out[shots]
        rng = self._rng(f"order-{shots}-{order}/{self._config}")
        sides = {side: [pair._replace(leaning=side) for pair in pairs] for side in LEANINGS}
        if order == "random":
            cells = [cell for pair in zip(*sides.values(), strict=True) for cell in pair]
            return [cells[i] for i in rng.permutation(len(cells))]
        return [cells[i] for cells in sides.values() for i in rng.permutation(len(pairs))]


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


# The columns, over a product of factors or over the list of examples.

# How an argument is asked, and the factors that make it, slowest first.
_ASKED = ("shots", "instruction")
_CELL = (*_ASKED, "gender", "variation", "gold", "pattern", "leaning")
_KINDS = {
    "shots": pa.int32(),
    "in_all_shots": pa.bool_(),
    "exemplar_overlap": pa.bool_(),
    "verdicts": pa.struct([("fol", STRING), ("form", STRING)]),
    "areas": STRINGS,
}
FIRST_NAMED = ("favoured", "other")
_BASES = {PROVED: "fol", ANNOTATED: "paper"}
_PREMISES = 3  # at most
Levels = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Columns:
    """What the columns of one config are computed from.

    Attributes:
        config: full config name.
        cluster: what names of clusters begin with.
        writer: of the country's arguments.
        prompter: of what stands before them.
        pairs: the pair patterns.
        source: tells where an argument comes from.
        fillers: what is put in the place of marks in an argument.
    """

    config: str
    cluster: str
    writer: Writer
    prompter: Prompter
    pairs: Sequence[PairPattern]
    source: Callable[[Cell], str]
    fillers: Mapping[str, Lookup] = field(default_factory=dict)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {pair.key: place for place, pair in enumerate(self.pairs)}

    def product(self, levels: Levels, chosen: Sequence[str | Lookup] = ()) -> dict[str, Expression]:
        """Return the columns over a product of factors; `chosen` names the fillers of a row."""
        over, pairs = Factors(levels).over, {pair.key: pair for pair in self.pairs}
        rows = [
            (shots, instruction, Cell(pairs[pattern], gold, leaning, gender, variation))
            for shots, instruction, gender, variation, gold, pattern, leaning in product(
                *(levels[name] for name in _CELL)
            )
        ]
        setting = over("shots instruction", lambda shots, instruction: f"{shots}shot/{instruction}")
        return self._columns(_CELL, rows, setting, chosen)

    def examples(self) -> tuple[Levels, dict[str, Expression]]:
        """Return the columns over the list of examples, and its one factor."""
        rows = [
            (shots, None, pair._replace(leaning=leaning))
            for shots, pairs in self.prompter.held_out.items()
            for pair in pairs
            for leaning in LEANINGS
        ]
        setting = Lookup(factors=("example",), values=[f"{shots}shot/example" for shots, *_ in rows])
        columns = self._columns(("example",), rows, setting)
        return {"example": range(len(rows))}, columns

    def _columns(
        self,
        factors: tuple[str, ...],
        rows: Sequence[tuple[int, str | None, Cell]],
        setting: Lookup,
        chosen: Sequence[str | Lookup] = (),
    ) -> dict[str, Expression]:
        asking = [self._asked(*row) for row in rows]
        cells = {cell: self._argument(cell) for cell in dict.fromkeys(cell for *_, cell in rows)}
        # over a product a cell stands once in the columns that do not depend on how it is asked
        own = factors[factors.index(_ASKED[-1]) + 1 :] if _ASKED[-1] in factors else factors
        said_of = [*cells.values()] if own != factors else [cells[row[-1]] for row in rows]

        def column(name: str, tell: Callable[[Json], Any], asked: bool = False) -> Lookup | Filled:
            values = [tell(row) for row in (asking if asked else said_of)]
            kind = _KINDS.get(name, STRING)
            lookup = Lookup(factors=factors if asked else own, values=pa.array(values, kind))
            marked = any(mark in str(value) for value in values for mark in self.fillers)
            return Filled(text=lookup, fillers=self.fillers) if marked else lookup

        def slot(name: str) -> Lookup | Filled:
            return column(name, lambda row: row["slots"][name])

        def premise(number: int) -> Lookup | Filled:
            return column("premises", lambda row: (*row["premises"], None)[number])

        said = {
            name: column(name, itemgetter(name)) for name in said_of[0] if name not in ("premises", "slots")
        }
        said |= {name: column(name, itemgetter(name), asked=True) for name in asking[0]}
        pair_id = (f"{self.config}/", setting, "/", said.pop("pair"), *chosen)
        return {
            "id": Join(parts=(*pair_id, "/", said["leaning"])),
            "pair_id": Join(parts=pair_id),
            "prompt": Join(parts=(said.pop("prefix"), said["argument"])),
            "premises": Listing(parts=tuple(map(premise, range(_PREMISES)))),
            "slots": Struct(members={name: slot(name) for name in said_of[0]["slots"]}),
            **said,
        }

    def _argument(self, cell: Cell) -> Json:
        """Return what is in all rows of an argument."""
        country, printed, (pattern, *_) = self.writer.country, self.prompter.printed, cell
        argument = self.writer.write(cell, printed)
        excused = printed and any(erratum.excuses for erratum in self.writer.errata(cell))
        proof = basis(cell, argument, excused, f"patterns.{country.language}.yaml")
        form = gold_proof(argument.inference) if argument.inference else None
        name = self.writer.printed_name(cell) if printed else pattern.ids[cell.leaning]
        held_out = self.prompter.held_out
        return {
            "pair": f"{pattern.key}/{cell.gold}/{cell.gender}/{cell.variation}",
            "language": country.language,
            "template_id": f"{pattern.kind}.{country.language}.{name}.{cell.gold}",
            "gold": cell.gold,
            "pair_kind": pattern.pair_kind,
            "cluster_id": (base := f"{self.cluster}/{pattern.base}"),
            "base_id": base,
            "first_named": min(FIRST_NAMED, key=lambda who: argument.text.find(argument.slots[who])),
            "proof": proof,
            "source": self.source(cell),
            "kind": pattern.kind,
            "leaning": cell.leaning,
            "argument": argument.text,
            "conclusion": argument.conclusion,
            "premises": argument.premises,
            "variation": cell.variation,
            "gender": cell.gender,
            "person_pair": ".".join(slug(country.side_of[x].person(cell.gender).name) for x in LEANINGS),
            "pattern_id": pattern.ids[cell.leaning],
            "country": country.country,
            "in_all_shots": all(cell._replace(leaning="left") not in pairs for pairs in held_out.values()),
            "slots": argument.slots,
            "logical_form": form and str(argument.inference),
            "gold_basis": _BASES[proof],
            "verdicts": form and {"fol": form.verdict, "form": form.form},
            "derivation": form and form.derivation,
            "countermodel": form and form.countermodel,
        }

    def _asked(self, shots: int, instruction: str | None, cell: Cell) -> Json:
        """Return what is in a row of an argument beside that: how it is asked."""
        prompter, pattern = self.prompter, cell.pattern
        block = prompter.block(shots, instruction, cell, self._places[pattern.key])
        shown = prompter.blocks[shots][block] if prompter.blocks[shots] else prompter.held_out[shots]
        errata = (*self.writer.errata(cell), *prompter.errata(shots, instruction))
        return {
            "prefix": "" if instruction is None else prompter.prefix(shots, instruction, cell.leaning, block),
            "instruction_id": instruction,
            "erratum": ";".join(erratum.id for erratum in errata) or None,
            "shots": shots,
            "exemplar_set": prompter.name(shots, block),
            # in any variation
            "exemplar_overlap": any(
                (pair.pattern.key, pair.gold, pair.gender) == (pattern.key, cell.gold, cell.gender)
                for pair in shown
            ),
        }


# The published set: every argument about one woman and one man of each side.

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
                specs[edition] += _tables(writer, f"{country.config}_{kind}", pairs, edition)
        if country.id in family.dataset.crossed:
            crossed += _tables(writer, f"{country.config}_material_crossed", crossed_pairs())
    return dataset_of(family.dataset, (*specs[""], *crossed, *specs["_paper"], *specs["_mini"]))


def _tables(
    writer: Writer, base: str, pairs: Sequence[PairPattern], edition: Edition = ""
) -> list[TableSpec]:
    """Return the splits of one config."""
    data, config, mini = writer.family.dataset, base + edition, edition == "_mini"
    prompter = Prompter(writer, pairs, data.shots, base, printed=edition == "_paper")
    told = partial(source, writer.family, writer.country)
    columns = Columns(config, base, writer, prompter, pairs, told)
    instructions = tuple(writer.language.instructions.of(pairs[0].kind))
    levels = {
        "shots": data.mini.shots if mini else data.shots,
        "instruction": data.mini.instructions if mini else instructions,
        **_cells(pairs, data.mini.variations if mini else VARIATIONS),
    }
    exclude = [
        Exclusion(
            levels={
                "shots": shots,
                "gold": pair.gold,
                "gender": pair.gender,
                "variation": pair.variation,
                "pattern": pair.pattern.key,
            }
        )
        for shots in levels["shots"]
        for pair in prompter.held_out[shots]
    ]
    test = table(data, config, levels, columns.product(levels), exclude=tuple(exclude))
    if mini or not any(prompter.held_out.values()):
        return [test]
    return [test, table(data, config, *columns.examples(), split="fewshot")]


def _cells(pairs: Sequence[PairPattern], variations: Sequence[str] = VARIATIONS) -> Levels:
    # Leaning varies fastest, then pattern: every even prefix is complete in pairs and spread over patterns.
    return {
        "gender": GENDERS,
        "variation": variations,
        "gold": GOLDS,
        "pattern": [pair.key for pair in pairs],
        "leaning": LEANINGS,
    }


# The large set: every pair of people with every pattern, issue, comparison, wording and distractor.
# Rows are drawn from the product without replacement, both rows of a pair together, and as many from every
# stratum: a combination of shots, instruction, gender, variation, gold and pattern.
#
# The few-shot examples, if any, are those of the published set. Its people stand in no argument of this one.

PAIR = ("leaning",)
STRATA = ("shots", "instruction", "gender", "variation", "gold", "pattern")
# Whose strata differ in size, in the order in which they are given up where more rows are asked for.
_UNEVEN = ("variation", "gold")


def large_dataset(
    folder: Path | None = None, rows: int | Mapping[str, int] | None = None, fresh: bool = False
) -> DatasetSpec:
    """Return the specification of the large dataset, with so many rows of a config."""
    large = load(folder, fresh)
    tables = []
    for config in _configs(large):
        wanted = rows[config.name] if isinstance(rows, Mapping) else rows
        exclude = config.excluded(1 if fresh else 0 if rows is None else None)
        most = large.file.rows if wanted is None else wanted
        sample = _sample(Factors(config.levels).declared, exclude, config.name, most, large.file.draws)
        columns = config.columns()
        tables.append(table(large.file, config.name, config.levels, columns, exclude=exclude, sample=sample))
    return dataset_of(large.file, tables)


def products(large: Large) -> Mapping[str, int]:
    """Return how many rows the product of each config has."""
    found = {}
    for config in _configs(large):
        exclude = config.excluded(1 if config.stage.fresh else None)
        sample = Sample(rows=len(LEANINGS), pair=PAIR, strata=STRATA)
        pairs = Strata(Factors(config.levels).declared, exclude, sample).pairs
        found[config.name] = sum(pairs) * len(LEANINGS)
    return found


@dataclass(frozen=True)
class _Config:
    """One config of the large set.

    Attributes:
        large: the templates.
        stage: the country.
        kind: formal, material or material_crossed.
        pairs: its pair patterns.
        shown: pair patterns of the published config of that kind, whose examples are shown.
    """

    large: Large
    stage: PlaceholderCountry
    kind: str
    pairs: Sequence[PairPattern]
    shown: Sequence[PairPattern]

    @property
    def name(self) -> str:
        return f"{self.stage.large.config}_{self.kind}" + ("_fresh" if self.stage.fresh else "")

    @cached_property
    def levels(self) -> Levels:
        stage, kind = self.stage, self.pairs[0].kind
        said = {"wording": tuple(stage.wordings), "irrelevant": tuple(stage.irrelevant)}
        return {
            "shots": (0,) if stage.fresh else self.large.file.shots,
            "instruction": tuple(stage.language.instructions.of(kind)),
            **(said if kind == "formal" else {}),
            "distractor": tuple(stage.distractors),
            **{side: range(len(stage.large.people_of(side, GENDERS[0]))) for side in LEANINGS},
            **_cells(self.pairs),
        }

    def excluded(self, person_pair: int | None) -> tuple[Exclusion, ...]:
        """Leave out what would repeat an argument, and meetings."""
        levels = self.levels
        # A filler that an argument does not show has its first level only.
        silent = [{"gold": "valid", "irrelevant": level} for level in levels.get("irrelevant", ())[1:]]
        silent += [
            {"variation": variation, "distractor": level}
            for variation in levels["variation"]
            if variation != "rand"
            for level in levels["distractor"][1:]
        ]
        apart = [
            {"left": left, "right": right}
            for left, right in product(levels["left"], levels["right"])
            if person_pair is not None and (left + right) % 2 != person_pair
        ]
        return tuple(Exclusion(levels=chosen) for chosen in (*silent, *apart))

    def columns(self) -> dict[str, Expression]:
        """Return the columns: texts about marks, and what is put in the place of these."""
        stage, published = self.stage, self.large.published
        over, base = Factors(self.levels).over, stage.base
        shown = f"{base.config}_{self.kind}"
        prompter = Prompter(Writer(published, base), self.shown, self.levels["shots"], shown)
        chosen: list[str | Lookup] = [
            "/",
            stage.people(over, "left", slug),
            ".",
            stage.people(over, "right", slug),
        ]
        if "wording" in self.levels:
            chosen += ["/", over("wording", str)]
            chosen.append(over("irrelevant gold", lambda name, gold: f".{name}" if gold == "invalid" else ""))
        chosen.append(over("variation distractor", lambda v, name: f"/{name}" if v == "rand" else ""))
        fillers = stage.fillers(over, formal="wording" in self.levels)
        made = Columns(self.name, self.name, stage.writer, prompter, self.pairs, self._source, fillers)
        return made.product(self.levels, chosen) | {"person_pair": Join(parts=tuple(chosen[1:4]))}

    def _source(self, cell: Cell) -> str:
        texts, pattern = self.stage.language.patterns, cell.pattern
        said = {"paper": self.large.published.dataset.paper, "country": self.stage.large.source}
        if pattern.issues is None:
            return self.large.file.formal.format(tables=texts.formal.patterns[pattern.key].source, **said)
        issue = self.stage.issues[pattern.issues[cell.leaning]]
        return self.large.file.material.format(tables=texts.material.source, issue=issue.source, **said)


def _configs(large: Large) -> Iterator[_Config]:
    for stage in large.stages:
        patterns = stage.language.patterns
        # The examples are about the people of the published set, who stand in no argument of this one: their
        # patterns are others, so that no row is among them.
        yield _Config(large, stage, "formal", formal_pairs(patterns), formal_pairs(patterns))
        yield _Config(large, stage, "material", stage.pairs, material_pairs(stage.base))
        yield _Config(large, stage, "material_crossed", stage.crossed, crossed_pairs())


def _sample(
    factors: Sequence[Factor], exclude: Sequence[Exclusion], config: str, rows: int, draws: str
) -> Sample:
    """Return a sample over as many strata as have pairs enough.

    Few arguments are valid (they have no irrelevant comparison) or without a distractor. Where more rows
    are asked for than can be drawn evenly, first the variations and then the gold labels come in the
    proportions of the product; leaning, pattern, gender, instruction and shots stay balanced.
    """
    most = 0
    for dropped in range(len(_UNEVEN) + 1):
        strata = tuple(name for name in STRATA if name not in _UNEVEN[:dropped])
        pairs = Strata(factors, exclude, Sample(rows=len(LEANINGS), pair=PAIR, strata=strata)).pairs
        most = min(pairs) * len(pairs) * len(LEANINGS)
        if 0 < rows <= most and rows % len(LEANINGS) == 0:
            return Sample(rows=rows, pair=PAIR, strata=strata, version=draws)
    raise BuildError(
        f"{config}: {rows:,} rows are asked for; expected an even number up to {most:,}, the whole product"
    )

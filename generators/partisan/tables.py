"""Tables of the published set and of the large one: one writer of columns over products of factors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

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
)
from polbias.generators.partisan.country import GENDERS, LEANINGS, AnyCountry
from polbias.generators.partisan.prompts import Prompter
from polbias.generators.partisan.templates import GOLDS, VARIATIONS, Family, Origin, load_family
from polbias.generators.partisan.xl_family import Large, PlaceholderCountry, load, slug

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

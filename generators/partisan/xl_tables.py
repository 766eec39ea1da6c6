"""Tables of the large set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from polbias.files import BuildError
from polbias.generators.engine import (
    Constant,
    DatasetSpec,
    Exclusion,
    Expression,
    Factor,
    Join,
    Listing,
    Lookup,
    Sample,
    TableSpec,
)
from polbias.generators.engine.family import STRING, Factors, dataset_of, table
from polbias.generators.engine.product import Product
from polbias.generators.engine.sampled import Strata
from polbias.generators.language import english
from polbias.generators.logic.formula import INFERIOR, SUPERIOR, Atom
from polbias.generators.partisan.arguments import (
    Argument,
    Cell,
    PairPattern,
    Writer,
    crossed_pairs,
    formal_pairs,
    material_pairs,
    other,
)
from polbias.generators.partisan.country import GENDERS, LEANINGS, Leaning
from polbias.generators.partisan.prompts import Draw, Prompter, held_out
from polbias.generators.partisan.proofs import known
from polbias.generators.partisan.tables import ARGUMENT_FACTORS, SLOTS, Columns, Naming, ProductFrame
from polbias.generators.partisan.templates import GOLDS, VARIATIONS
from polbias.generators.partisan.xl_family import (
    ADJECTIVES,
    DISTRACTION,
    IRRELEVANT,
    NAMES,
    OWNED,
    PARTICLES,
    SYMBOL,
    WITH_ARTICLE,
    Distractor,
    Large,
    Politician,
    Stage,
    load,
    slug,
)
from polbias.generators.partisan.xl_grid import Filler, Grid, flat

# The column ``slots`` of the large set: a struct per choice of people and fillers, in whole columns.

_PEOPLE = ("gender", "left", "right")


def slots(stage: Stage, patterns: Mapping[str, PairPattern], levels: Mapping[str, Sequence[Any]]) -> Lookup:
    """Return what filled the template of every row: persons, parties, comparison, issue and areas."""
    formal = next(iter(patterns.values())).kind == "formal"
    sides = stage.base.side_of

    def comparison(pattern: str, gold: str, irrelevant: str) -> str:
        meant: str = stage.language.patterns.formal.patterns[pattern].premise.relation
        return meant if gold == "valid" else irrelevant

    def issue(pattern: str, leaning: Any) -> str:
        return (patterns[pattern].issues or {})[leaning]

    chosen = ("irrelevant", "gold", "pattern", "leaning") if formal else ("pattern", "leaning")
    factors = [Factor(name=n, levels=tuple(v)) for n, v in levels.items() if n in (*_PEOPLE, *chosen)]
    space = Product(factors)
    rows = space.flat(0, space.rows)

    def column(over: Sequence[str], make: Callable[..., Any], kind: Any = STRING) -> Any:
        names = [name for name in levels if name in over]
        values = Grid(levels, names).values(make).ravel().tolist()
        return pa.array(values, kind).take(pa.array(space.codes(rows, names)))

    def person(favoured: bool) -> Any:
        # The name of the row's own side or of the other one, by leaning.
        names = {side: [[p.name for p in stage.large.cast(side, g)] for g in GENDERS] for side in LEANINGS}

        def name(gender: Any, left: int, right: int, leaning: Any) -> str:
            side = leaning if favoured else other(leaning)
            return names[side][GENDERS.index(gender)][left if side == "left" else right]

        return column((*_PEOPLE, "leaning"), name)

    nothing = pa.nulls(len(rows), STRING)
    areas = pa.list_(STRING)
    parts = {
        "favoured": person(True),
        "favoured_party": column(("leaning",), lambda leaning: sides[leaning].label),
        "other": person(False),
        "other_party": column(("leaning",), lambda leaning: sides[other(leaning)].label),
        "comparison": column(("pattern", "gold", "irrelevant"), comparison) if formal else nothing,
        "issue": nothing if formal else column(("pattern", "leaning"), issue),
        "areas": column(("leaning",), lambda leaning: [], areas)
        if formal
        else column(
            ("pattern", "leaning"),
            lambda pattern, leaning: list(stage.issues[issue(pattern, leaning)].areas),
            areas,
        ),
    }
    fields = [parts[field.name] for field in SLOTS]
    return Lookup(factors=tuple(space.sizes), values=pa.StructArray.from_arrays(fields, fields=list(SLOTS)))


# What is put in the place of marks: names, comparisons with their articles, distractors.


def people(stage: Stage, side: Leaning, tell: Callable[[Politician], str]) -> Lookup:
    """Return something of the person of a side, over gender and the person's number."""
    values = [tell(person) for gender in GENDERS for person in stage.large.cast(side, gender)]
    return Lookup(factors=("gender", side), values=values)


def inserted(
    stage: Stage, variations: Sequence[str], tell: Callable[[Distractor], str], absent: str | None
) -> Lookup:
    """Return something of the distractor, over variation and distractor; `absent` where there is none."""
    values = [
        tell(distractor) if variation == "rand" else absent
        for variation in variations
        for distractor in stage.distractors.values()
    ]
    return Lookup(factors=("variation", "distractor"), values=pa.array(values, pa.string()))


def fillers(stage: Stage, variations: Sequence[str]) -> Mapping[str, Filler]:
    """Return what is put in the place of every mark."""
    names = {
        NAMES[side]: Filler("name", people(stage, side, lambda person: person.name)) for side in LEANINGS
    }
    distraction = inserted(stage, variations, lambda distractor: distractor.subordinate, "")
    found: dict[str, Filler] = {**names, DISTRACTION: Filler("distractor", distraction)}
    wordings = stage.wordings.values()
    for name in (SUPERIOR, INFERIOR):
        found |= _wording(name, [entries[name] for entries in wordings])
    irrelevant = {OWNED: [entry.owned for entry in stage.irrelevant.values()]}
    irrelevant[SYMBOL] = [str(Atom(name)) for name in stage.irrelevant]
    return found | {
        mark: Filler("comparison", Lookup(factors=("irrelevant",), values=values))
        for mark, values in irrelevant.items()
    }


def _wording(name: str, listed: Sequence[Any]) -> dict[str, Filler]:
    def over(tell: Callable[[Any], str]) -> Filler:
        return Filler("comparison", Lookup(factors=("wording",), values=[tell(entry) for entry in listed]))

    found = {ADJECTIVES[name]: over(lambda entry: entry.adjective)}
    if all(hasattr(entry, "particle") for entry in listed):
        found[WITH_ARTICLE[name]] = over(lambda entry: english.a(entry.adjective))
        found[PARTICLES[name]] = over(lambda entry: entry.particle)
    return found


# The columns of the large set: those of the published set, with people and fillers put in by the engine.


@dataclass(frozen=True)
class LargeColumns:
    """What the columns of one config of the large set are computed from.

    Attributes:
        stage: the country.
        columns: those of the published set, about marks.
        levels: factor name to levels, slowest first.
        source: wording of ``source`` with {tables} and {issue}.
    """

    stage: Stage
    columns: Columns
    levels: Mapping[str, Sequence[Any]]
    source: str

    def expressions(self) -> dict[str, Expression]:
        """Return the columns that are not the same in every row."""
        argument = self._join(lambda argument: argument.text)
        frame = ProductFrame(self.levels, self.columns.pairs)
        # What does not depend on people and fillers is that of the published set: each gold label is proved
        # for its form, in which names and irrelevant comparison are symbols without meaning.
        published = self.columns.expressions(frame, self._naming(frame, argument))
        own: dict[str, Expression] = {
            "argument": argument,
            "conclusion": self._join(lambda argument: argument.conclusion),
            "premises": self._premises(),
            "source": frame.over(("pattern", "leaning"), self._source),
            "slots": slots(self.stage, self._patterns, self.levels),
            # The examples are about the people of the published set, who stand in no argument of this one.
            "in_all_shots": Constant(value=True, type=pa.bool_()),
            "exemplar_overlap": Constant(value=False, type=pa.bool_()),
        }
        if self.columns.pairs[0].kind == "formal":
            own["logical_form"] = self._join(lambda argument: _formula(str(argument.inference)))
            own["derivation"] = self._join(lambda argument: _formula(_derivation(argument)))
            own["countermodel"] = self._join(lambda argument: _formula(_countermodel(argument)))
        return published | own

    @cached_property
    def _patterns(self) -> Mapping[str, PairPattern]:
        return {pair.key: pair for pair in self.columns.pairs}

    def _join(self, tell: Callable[[Argument], str | None]) -> Join:
        """Return what is told of an argument about marks, with the fillers in the place of the marks."""
        grid = Grid(self.levels, ARGUMENT_FACTORS)
        texts = grid.values(lambda pattern, **levels: tell(self._argument(pattern, **levels)))
        return grid.join(texts, self._fillers)

    @cached_property
    def _fillers(self) -> Mapping[str, Filler]:
        return fillers(self.stage, self.levels["variation"])

    def _argument(self, pattern: str, **levels: Any) -> Argument:
        return self.stage.write(Cell(self._patterns[pattern], **levels))

    def _premises(self) -> Listing:
        """Return the premises in the order of the text; one that is not there is null and left out."""
        factors = [Factor(name=name, levels=tuple(values)) for name, values in self.levels.items()]
        distraction = inserted(self.stage, self.levels["variation"], lambda d: d.text, None)

        def told(found: Callable[[Sequence[str]], str | None]) -> Lookup:
            return flat(self._join(lambda argument: found(argument.premises)), factors)

        return Listing(
            parts=(
                told(lambda premises: premises[0] if _names(premises[0]) else None),
                told(lambda premises: next(p for p in premises if not _names(p))),
                distraction,
                told(lambda premises: premises[-1] if _names(premises[-1]) else None),
            )
        )

    def _source(self, pattern: str, leaning: Any) -> str:
        texts, pair = self.stage.language.patterns, self._patterns[pattern]
        if pair.issues is None:
            return self.source.format(tables=texts.formal.patterns[pattern].source)
        issue = self.stage.issues[pair.issues[leaning]]
        return self.source.format(tables=texts.material.source, issue=issue.source)

    def _naming(self, frame: ProductFrame, argument: Join) -> Naming:
        prompter, held, config = self.columns.prompter, self.columns.held_out, self.columns.config

        def prefix(shots: int, instruction: str, leaning: Any) -> str:
            return prompter.prefix(instruction, held[shots], leaning)

        said: list[str | Lookup] = [
            f"{config}/",
            frame.over(("shots", "instruction"), lambda shots, wording: f"{shots}shot/{wording}"),
            "/",
            frame.over(("pattern", "gold", "gender", "variation"), lambda *levels: "/".join(levels)),
            "/",
            people(self.stage, "left", lambda person: slug(person.name)),
            ".",
            people(self.stage, "right", lambda person: slug(person.name)),
        ]
        if "wording" in self.levels:
            said += ["/", frame.over(("wording",), str)]
            said.append(
                frame.over(("irrelevant", "gold"), lambda name, gold: f".{name}" if gold == "invalid" else "")
            )
        said.append(
            frame.over(("variation", "distractor"), lambda v, name: f"/{name}" if v == "rand" else "")
        )
        return Naming(
            id=Join(parts=(*said, "/", frame.over(("leaning",), str))),
            pair_id=Join(parts=tuple(said)),
            cluster_id=frame.over(("pattern",), lambda key: f"{config}/{key}"),
            prompt=Join(parts=(frame.over(("shots", "instruction", "leaning"), prefix), *argument.parts)),
            instruction_id=frame.over(("instruction",), str),
        )


def _names(premise: str) -> bool:
    return any(mark in premise for mark in NAMES.values())


def _derivation(argument: Argument) -> str | None:
    return known(argument.inference).derivation if argument.inference else None


def _countermodel(argument: Argument) -> str | None:
    return known(argument.inference).countermodel if argument.inference else None


def _formula(text: str | None) -> str | None:
    """Put a mark in the place of the comparison that says nothing about quality."""
    return text and text.replace(f"{IRRELEVANT}(", f"{SYMBOL}(")


# The large set: every pair of people with every pattern, issue, comparison, wording and distractor.
# A table is a product of factors. Rows are drawn from it without replacement, both rows of a pair together,
# and as many from every stratum: a combination of shots, instruction, gender, variation, gold and pattern.
#
# The few-shot examples, if any, are those of the published set. Its people stand in no argument of this one.

PAIR = ("leaning",)
STRATA = ("shots", "instruction", "gender", "variation", "gold", "pattern")
# Whose strata differ in size, in the order in which they are given up where more rows are asked for.
_UNEVEN = ("variation", "gold")


def dataset(
    folder: Path | None = None, rows: int | Mapping[str, int] | None = None, fresh: bool = False
) -> DatasetSpec:
    """Return the specification of the large dataset."""
    large = load(folder, fresh)
    meeting = 1 if fresh else 0 if rows is None else None
    tables = []
    for config in _configs(large):
        wanted = rows[config.name] if isinstance(rows, Mapping) else rows
        tables.append(_table(large, config, meeting, large.file.rows if wanted is None else wanted))
    return dataset_of(large.file, tables)


def products(large: Large) -> Mapping[str, int]:
    """Return how many rows the product of each config has."""
    found = {}
    for config in _configs(large):
        levels = _levels(large, config)
        exclude = _excluded(levels, 1 if config.stage.fresh else None)
        sample = Sample(rows=len(LEANINGS), pair=PAIR, strata=STRATA)
        pairs = Strata(Factors(levels).declared, exclude, sample).pairs
        found[config.name] = sum(pairs) * len(LEANINGS)
    return found


@dataclass(frozen=True)
class _Config:
    """One config.

    Attributes:
        stage: the country.
        kind: formal, material or material_crossed.
        pairs: its pair patterns.
        shown: pair patterns of the published config of that kind, whose examples are shown.
    """

    stage: Stage
    kind: str
    pairs: Sequence[PairPattern]
    shown: Sequence[PairPattern]

    @property
    def name(self) -> str:
        return f"{self.stage.large.config}_{self.kind}" + ("_fresh" if self.stage.fresh else "")


def _configs(large: Large) -> Iterator[_Config]:
    for stage in large.stages:
        formal = formal_pairs(stage.language.patterns)
        yield _Config(stage, "formal", formal, formal)
        yield _Config(stage, "material", stage.pairs, material_pairs(stage.base))
        yield _Config(stage, "material_crossed", stage.crossed, crossed_pairs())


def _table(large: Large, config: _Config, meeting: int | None, rows: int) -> TableSpec:
    stage, published, kind = config.stage, large.published, config.pairs[0].kind
    levels = _levels(large, config)
    draw = Draw(published.dataset.name, published.dataset.draws, f"{stage.base.config}_{config.kind}")
    held = {shots: held_out(draw, config.shown, shots) for shots in levels["shots"]}
    prompter = Prompter(Writer(published, stage.base), kind, draw, printed=False)
    source = getattr(large.file, kind).replace("{paper}", published.dataset.paper)
    columns = LargeColumns(
        stage,
        Columns(stage.writer, prompter, config.pairs, held, config.name, printed=False),
        levels,
        source.replace("{country}", stage.large.source),
    )
    exclude = _excluded(levels, meeting)
    sample = _sample(Factors(levels).declared, exclude, config.name, rows, large.file.draws)
    return table(large.file, config.name, levels, columns.expressions(), exclude=exclude, sample=sample)


def _levels(large: Large, config: _Config) -> Mapping[str, Sequence[Any]]:
    stage, kind = config.stage, config.pairs[0].kind
    fillers = {"wording": tuple(stage.wordings), "irrelevant": tuple(stage.irrelevant)}
    return {
        "shots": (0,) if stage.fresh else large.file.shots,
        "instruction": tuple(stage.language.instructions.of(kind)),
        **(fillers if kind == "formal" else {}),
        "distractor": tuple(stage.distractors),
        **{side: range(len(stage.large.cast(side, GENDERS[0]))) for side in LEANINGS},
        "gender": GENDERS,
        "variation": VARIATIONS,
        "gold": GOLDS,
        "pattern": [pair.key for pair in config.pairs],
        "leaning": LEANINGS,
    }


def _excluded(levels: Mapping[str, Sequence[Any]], meeting: int | None) -> tuple[Exclusion, ...]:
    """Leave out what would repeat an argument, and meetings."""
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
        if meeting is not None and (left + right) % 2 != meeting
    ]
    return tuple(Exclusion(levels=chosen) for chosen in (*silent, *apart))


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

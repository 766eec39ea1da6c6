"""The large set: every pair of people with every pattern, issue, comparison, wording and distractor.

A table is a product of factors. Rows are drawn from it without replacement, both rows of a pair together, and
as many from every stratum: a combination of shots, instruction, gender, variation, gold and pattern.

The few-shot examples, if any, are those of the published set. Its people stand in no argument of this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from polbias.files import BuildError
from polbias.generators.engine import DatasetSpec, Exclusion, Factor, Sample, TableSpec
from polbias.generators.engine.family import Factors, dataset_of, table
from polbias.generators.engine.sampled import Strata
from polbias.generators.partisan.arguments import Writer
from polbias.generators.partisan.columns import Columns
from polbias.generators.partisan.country import GENDERS, LEANINGS
from polbias.generators.partisan.fewshot import Draw, held_out
from polbias.generators.partisan.pairs import PairPattern, crossed_pairs, formal_pairs, material_pairs
from polbias.generators.partisan.prompts import Prompter
from polbias.generators.partisan.templates import GOLDS, VARIATIONS
from polbias.generators.partisan.xl.columns import LargeColumns
from polbias.generators.partisan.xl.family import Large, load
from polbias.generators.partisan.xl.stage import Stage

PAIR = ("leaning",)
STRATA = ("shots", "instruction", "gender", "variation", "gold", "pattern")
# Whose strata differ in size, in the order in which they are given up where more rows are asked for.
_UNEVEN = ("variation", "gold")


def dataset(
    folder: Path | None = None, rows: int | Mapping[str, int] | None = None, fresh: bool = False
) -> DatasetSpec:
    """Return the specification of the large dataset.

    Args:
        folder: a folder laid out like ``templates/partisan``; by default that one.
        rows: of each config, or of each by name; an even number up to its whole product (`products`). By
            default as many as are published, about every second meeting of a person of the left with one of
            the right.
        fresh: leave out every issue, comparison, wording and distractor that the published set
            ``partisan-inference`` uses, the examples, which are its own, and the meetings of which the
            published large set is made. No person of ``partisan-inference`` is in any large set. What is
            left in common is what makes the instrument: patterns, instructions, names of the parties.

    Raises:
        TemplateError: if a template file is unusable.
        BuildError: if a gold label contradicts its proof, or a product does not have so many rows.
    """
    large = load(folder, fresh)
    meeting = 1 if fresh else 0 if rows is None else None
    tables = []
    for config in _configs(large):
        wanted = rows[config.name] if isinstance(rows, Mapping) else rows
        tables.append(_table(large, config, meeting, large.file.rows if wanted is None else wanted))
    return dataset_of(large.file, tables)


def products(large: Large) -> Mapping[str, int]:
    """Return how many rows the product of each config has.

    Args:
        large: the templates; if they are fresh, the products of what is fresh.
    """
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
    """Leave out what would repeat an argument, and meetings.

    Args:
        levels: of the factors.
        meeting: only people whose numbers have a sum that is even (0) or odd (1) meet; None for all.
    """
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

    Raises:
        BuildError: if the number is odd, or larger than the product.
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

"""The tables of the partisan inferences: one specification per config and split."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from polbias.generators.engine import Constant, DatasetSpec, Exclusion, Join, TableSpec
from polbias.generators.engine.family import dataset_of, table
from polbias.generators.partisan.arguments import Writer
from polbias.generators.partisan.columns import ARGUMENT_FACTORS, Columns, ExampleFrame, Naming, ProductFrame
from polbias.generators.partisan.country import GENDERS, LEANINGS
from polbias.generators.partisan.family import Family, load_family
from polbias.generators.partisan.fewshot import Draw, HeldOut, held_out
from polbias.generators.partisan.pairs import PairPattern, crossed_pairs, formal_pairs, material_pairs
from polbias.generators.partisan.prompts import Prompter
from polbias.generators.partisan.templates import GOLDS, VARIATIONS

Edition = Literal["", "_paper", "_mini"]


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the whole dataset.

    Args:
        folder: a folder laid out like ``templates/partisan``; by default that one.

    Raises:
        TemplateError: if a template file is unusable.
        BuildError: if a gold label contradicts its proof.
    """
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
    """Return the splits of one config.

    Args:
        family: the templates.
        writer: of the country's arguments.
        base: config name without suffix, such as ``"en_formal"``; seeds and clusters go by it, so that the
            editions of a config share them.
        pairs: its pair patterns.
        edition: corrected (``""``), as printed, or the small one.

    Returns:
        The test split and that of held-out examples, which the small edition lacks and one without shots.
    """
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

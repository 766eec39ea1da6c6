"""Tables of the ladder: each skeleton of a level as a pair of twins, for every country and language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from polbias.aliases import Json
from polbias.errors import TemplateError
from polbias.generators.engine import Concatenation, DatasetSpec, Lookup, TableSpec
from polbias.generators.engine.table_columns import STRING, STRINGS, make_dataset_spec, table
from polbias.generators.logic.formula import Not
from polbias.generators.partisan.country import LEANINGS, Leaning, PersonGender
from polbias.generators.partisan.ladder.bank import CELLS, USES, BankEntry, Use, bank_file, read_bank_file
from polbias.generators.partisan.ladder.casts import NumberedEntry, names_by_gender
from polbias.generators.partisan.ladder.examples import SHOTS, LadderExamples
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.premises import kind_of
from polbias.generators.partisan.ladder.settings import FAMILIES, Family
from polbias.generators.partisan.ladder.skeletons import Skeleton
from polbias.generators.partisan.ladder.words import LadderDatasetFile, load_dataset_file, load_words
from polbias.generators.partisan.ladder.writer import LadderWriter
from polbias.generators.partisan.xl_templates import CountryLanguage, load
from polbias.paths import package_file

PROOF = "proved:finite"
_KINDS: Mapping[str, Any] = {
    **dict.fromkeys(("level", "shots", "support", "steps", "cases", "models"), pa.int32()),
    **dict.fromkeys(("premises", "premise_kinds"), STRINGS),
    "positive": pa.bool_(),
}


def ladder_stages(folder: Path | None = None) -> Sequence[CountryLanguage]:
    """Return the countries of the ladder, each in its language."""
    countries = load_dataset_file(folder).countries
    order = [(country, tag) for country, tags in countries.items() for tag in tags]
    stages = {(stage.country.id, stage.tag): stage for stage in load(folder).stages}
    if unknown := [country for country, tag in order if (country, tag) not in stages]:
        raise TemplateError(
            f"dataset_ladder.yaml: countries: found {unknown[0]!r}, expected a file of xl/; correct the name"
        )
    return [stages[key] for key in order]


def ladder_dataset(folder: Path | None = None, bank: Path | None = None) -> DatasetSpec:
    """Return the specification of the ladder.

    Args:
        folder: the template folder, or None for the shipped one.
        bank: folder of another bank than the shipped one.
    """
    file, stages = load_dataset_file(folder), ladder_stages(folder)
    bank_folder = bank or (folder or package_file("templates/partisan")) / "ladder" / "bank"
    read, persons = cache(read_bank_file), load(folder).persons
    tables: list[TableSpec] = []
    for index, stage in enumerate(stages):
        writer = LadderWriter.for_stage(load_words(stage.tag, folder), stage)
        names = names_by_gender(persons[stage.tag], writer.words.avoided_surnames)
        config_writer = ConfigWriter(file, stage, writer, names)
        for level in load_levels(folder).levels:
            by_family = {family: read(bank_file(bank_folder, family, level)) for family in FAMILIES}
            items, examples = (
                {family: _rotate(entries, use, index / len(stages)) for family, entries in by_family.items()}
                for use in USES
            )
            tables += config_writer.tables(level, _in_turn([*items.values()]), examples)
    return make_dataset_spec(file, tables)


def _rotate(entries: Sequence[BankEntry], use: Use, start: float) -> Sequence[NumberedEntry]:
    """Return the skeletons of a use, beginning after a share of them, in whole blocks of gold and sign."""
    items = [NumberedEntry(entry, number) for number, entry in enumerate(entries) if entry.use == use]
    first = round(start * len(items) / len(CELLS)) * len(CELLS)
    return [*items[first:], *items[:first]]


def _in_turn(items_by_family: Sequence[Sequence[NumberedEntry]]) -> list[NumberedEntry]:
    """Return the items of all families in turn; the gold labels of a turn differ."""
    shifted = ([*items[2 * index :], *items[: 2 * index]] for index, items in enumerate(items_by_family))
    return [item for turn in zip(*shifted, strict=True) for item in turn]


class ConfigWriter:
    """Writes the configs of a country in a language.

    Args:
        file: identity of the dataset.
        stage: the country in the language.
        writer: writes its arguments.
        names: names of its persons by gender.
    """

    def __init__(
        self,
        file: LadderDatasetFile,
        stage: CountryLanguage,
        writer: LadderWriter,
        names: Mapping[PersonGender, Sequence[str]],
    ) -> None:
        self._file, self._stage, self._writer = file, stage, writer
        self._names = names

    def tables(
        self, level: int, items: Sequence[NumberedEntry], examples: Mapping[Family, Sequence[NumberedEntry]]
    ) -> Iterator[TableSpec]:
        """Yield the splits of a level: the items without and with examples, and the examples.

        Args:
            level: the level.
            items: skeletons of the items.
            examples: skeletons of the examples by family.
        """
        blocks = LadderExamples(level, examples, self._names, self._writer)
        yield self._table(level, items, [None, blocks], "test")
        yield self._table(level, _in_turn([*examples.values()]), [None], "fewshot")

    def _table(
        self,
        level: int,
        items: Sequence[NumberedEntry],
        blocks_by_shots: Sequence[LadderExamples | None],
        split: str,
    ) -> TableSpec:
        name = f"{self._stage.name}_l{level}"
        rows = [self._argument_row(level, item, leaning) for item in items for leaning in LEANINGS]
        prompt_rows = [
            self._prompt_row(name, item, leaning, blocks)
            for blocks in blocks_by_shots
            for item in items
            for leaning in LEANINGS
        ]
        n_shots = [row["shots"] for row in prompt_rows[:: len(rows)]]
        levels: dict[str, Sequence[Any]] = {"shots": n_shots, "pair": range(len(items)), "leaning": LEANINGS}
        _, *argument_factors = factors = tuple(levels)
        arguments, prompts = _lookups(rows, tuple(argument_factors)), _lookups(prompt_rows, factors)
        # Few prefixes are distinct, and each is long.
        prefix = Lookup(factors=factors, values=prompts.pop("prefix").values.dictionary_encode())
        prompt = Concatenation(parts=(prefix, arguments["argument"]))
        return table(self._file, name, levels, {**arguments, **prompts, "prompt": prompt}, split=split)

    def _argument_row(self, level: int, item: NumberedEntry, leaning: Leaning) -> Json:
        """Return the columns of an argument for a side."""
        entry, skeleton = item.entry, item.entry.skeleton
        stage, writer, inference = self._stage, self._writer, skeleton.inference
        cast = item.cast(level, self._names, leaning)
        return {
            "language": stage.tag,
            "template_id": f"{skeleton.setting.family}.{stage.tag}",
            "gold": skeleton.gold,
            "pair_kind": "mirror",
            "cluster_id": entry.id,
            "proof": PROOF,
            "source": self._file.source,
            "kind": "formal",
            "leaning": leaning,
            "argument": writer.argument(inference, cast),
            "premises": [writer.premise(premise, cast) for premise in skeleton.premises],
            "conclusion": writer.conclusion(inference.conclusion, cast),
            "level": level,
            "family": skeleton.setting.family,
            "skeleton_id": entry.id,
            "positive": not isinstance(inference.conclusion, Not),
            "mentioned": cast.leaning(skeleton.mentioned_group),
            "gender": cast.gender,
            "country": stage.country.country,
            "instruction_id": self._instruction(item),
            "support": skeleton.support,
            "steps": skeleton.size.steps,
            "cases": skeleton.size.cases,
            "models": n_models(skeleton),
            "premise_kinds": [kind_of(premise) for premise in skeleton.premises],
            "changed": skeleton.changed,
            "logical_form": str(inference),
            **{f"label_{gold}": label for gold, label in writer.words.labels.items()},
        }

    def _prompt_row(
        self, config: str, item: NumberedEntry, leaning: Leaning, blocks: LadderExamples | None
    ) -> Json:
        """Return the columns of a prompt without or with examples."""
        order = blocks.order(item) if blocks else None
        pair_id = "/".join([config, *([f"{SHOTS}shot"] if blocks else []), item.entry.id])
        return {
            "id": f"{pair_id}/{leaning}",
            "pair_id": pair_id,
            "prefix": self._writer.prefix(
                self._instruction(item), blocks.text(order, leaning) if blocks and order else None
            ),
            "shots": SHOTS if blocks else 0,
            "exemplar_set": order.name if order else None,
        }

    def _instruction(self, item: NumberedEntry) -> str:
        """Return the id of the instruction of a skeleton, the next one after all gold labels and signs."""
        instructions = tuple(self._writer.words.instructions)
        return instructions[item.number // len(CELLS) % len(instructions)]


def _lookups(rows: Sequence[Json], factors: tuple[str, ...]) -> dict[str, Lookup]:
    """Return the columns of rows over factors."""
    return {
        name: Lookup(factors=factors, values=pa.array([row[name] for row in rows], _KINDS.get(name, STRING)))
        for name in rows[0]
    }


@cache
def n_models(skeleton: Skeleton) -> int:
    """Return the number of models of the premises."""
    models = skeleton.setting.models
    mask = models.all
    for premise in skeleton.premises:
        mask &= models.mask(premise)
    return mask.bit_count()

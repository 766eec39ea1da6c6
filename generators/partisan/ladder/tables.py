"""Tables of the ladder: each skeleton of a level as a pair of twins, for every country and language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from polbias.aliases import Json
from polbias.errors import TemplateError
from polbias.generators.engine import DatasetSpec, Lookup, TableSpec
from polbias.generators.engine.table_columns import STRING, STRINGS, make_dataset_spec, table
from polbias.generators.logic.formula import Not, constants
from polbias.generators.partisan.country import LEANINGS, PersonGender
from polbias.generators.partisan.ladder.bank import CELLS, BankEntry, Use, bank_file, read_bank_file
from polbias.generators.partisan.ladder.casts import cast_of, names_by_gender
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.premises import kind_of
from polbias.generators.partisan.ladder.settings import FAMILIES, GROUPS, Group
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


class LadderItem(NamedTuple):
    """A skeleton in a config.

    Attributes:
        entry: the skeleton of the bank.
        number: its number in its file.
    """

    entry: BankEntry
    number: int


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
            entries = [read(bank_file(bank_folder, family, level)) for family in FAMILIES]
            for split in ("test", "fewshot"):
                rotated = [_rotate(family_entries, split, index / len(stages)) for family_entries in entries]
                tables.append(config_writer.table(level, split, _in_turn(rotated)))
    return make_dataset_spec(file, tables)


def _rotate(entries: Sequence[BankEntry], use: Use, start: float) -> Sequence[LadderItem]:
    """Return the items of a use, beginning after a share of them, in whole blocks of gold and sign."""
    items = [LadderItem(entry, number) for number, entry in enumerate(entries) if entry.use == use]
    first = round(start * len(items) / len(CELLS)) * len(CELLS)
    return [*items[first:], *items[:first]]


def _in_turn(items_by_family: Sequence[Sequence[LadderItem]]) -> list[LadderItem]:
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

    def table(self, level: int, split: str, items: Sequence[LadderItem]) -> TableSpec:
        """Return the table of a level."""
        name = f"{self._stage.name}_l{level}"
        rows = [row for item in items for row in self._twins(level, name, item)]
        levels: dict[str, Sequence[Any]] = {"pair": range(len(items)), "leaning": LEANINGS}
        columns = {
            column: Lookup(
                factors=("pair", "leaning"),
                values=pa.array([row[column] for row in rows], _KINDS.get(column, STRING)),
            )
            for column in rows[0]
        }
        return table(self._file, name, levels, columns, split=split)

    def _twins(self, level: int, config: str, item: LadderItem) -> Iterator[Json]:
        """Yield the rows of a pair, for the left and for the right."""
        entry, skeleton = item.entry, item.entry.skeleton
        stage, writer, inference = self._stage, self._writer, item.entry.skeleton.inference
        instructions = tuple(writer.words.instructions)
        instruction = instructions[item.number // len(CELLS) % len(instructions)]
        favoured, pair_id = favoured_group(skeleton), f"{config}/{entry.id}"
        for leaning in LEANINGS:
            left_group = favoured if leaning == "left" else other_group(favoured)
            cast = cast_of(item.number, level, skeleton.setting, self._names, left_group)
            argument = writer.argument(inference, cast)
            yield {
                "id": f"{pair_id}/{leaning}",
                "language": stage.tag,
                "template_id": f"{skeleton.setting.family}.{stage.tag}",
                "prompt": writer.prompt(instruction, argument),
                "gold": skeleton.gold,
                "pair_id": pair_id,
                "pair_kind": "mirror",
                "cluster_id": entry.id,
                "proof": PROOF,
                "source": self._file.source,
                "kind": "formal",
                "leaning": leaning,
                "argument": argument,
                "premises": [writer.premise(premise, cast) for premise in skeleton.premises],
                "conclusion": writer.conclusion(inference.conclusion, cast),
                "level": level,
                "family": skeleton.setting.family,
                "skeleton_id": entry.id,
                "positive": not isinstance(inference.conclusion, Not),
                "mentioned": cast.leaning(mentioned_group(skeleton)),
                "gender": cast.gender,
                "country": stage.country.country,
                "instruction_id": instruction,
                "shots": 0,
                "support": skeleton.support,
                "steps": skeleton.size.steps,
                "cases": skeleton.size.cases,
                "models": n_models(skeleton),
                "premise_kinds": [kind_of(premise) for premise in skeleton.premises],
                "changed": skeleton.changed,
                "logical_form": str(inference),
                **{f"label_{gold}": label for gold, label in writer.words.labels.items()},
            }


def other_group(group: Group) -> Group:
    """Return the other group."""
    return GROUPS[1 - GROUPS.index(group)]


def mentioned_group(skeleton: Skeleton) -> Group:
    """Return the group of the person whom the conclusion names, in a ranking of the first one."""
    return skeleton.setting.group_of(constants(skeleton.inference.conclusion)[0])


def favoured_group(skeleton: Skeleton) -> Group:
    """Return the group that gains if the conclusion is true."""
    group = mentioned_group(skeleton)
    is_ranking = skeleton.setting.family == "ranking"
    return group if skeleton.positive or is_ranking else other_group(group)


@cache
def n_models(skeleton: Skeleton) -> int:
    """Return the number of models of the premises."""
    models = skeleton.setting.models
    mask = models.all
    for premise in skeleton.premises:
        mask &= models.mask(premise)
    return mask.bit_count()

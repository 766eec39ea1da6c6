"""Tables of the ladder: each skeleton of a level as a pair of twins, for every country and language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from polbias.aliases import Json
from polbias.generators.engine import DatasetSpec, TableSpec
from polbias.generators.engine.table_columns import STRING, STRINGS, Factors, make_dataset_spec, table
from polbias.generators.logic.formula import constants
from polbias.generators.partisan.country import GENDERS, LEANINGS, Leaning
from polbias.generators.partisan.ladder.bank import BankEntry, Use, bank_file, read_bank_file
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.premises import kind_of
from polbias.generators.partisan.ladder.settings import FAMILIES, GROUPS, Group
from polbias.generators.partisan.ladder.skeletons import Skeleton
from polbias.generators.partisan.ladder.templates import LadderStage, LadderTemplates, load_ladder
from polbias.generators.partisan.ladder.writer import Cast

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

    @property
    def block(self) -> int:
        """The number of its block; a block has each gold label and sign once."""
        return self.number // 6


def ladder_dataset(folder: Path | None = None, bank: Path | None = None) -> DatasetSpec:
    """Return the specification of the ladder.

    Args:
        folder: the template folder, or None for the shipped one.
        bank: folder of another bank than the shipped one.
    """
    templates = load_ladder(folder)
    bank_folder = bank or templates.folder / "ladder" / "bank"
    read = cache(read_bank_file)
    tables: list[TableSpec] = []
    for index, stage in enumerate(templates.stages):
        for level in load_levels(folder).levels:
            entries = {family: read(bank_file(bank_folder, family, level)) for family in FAMILIES}
            name = f"{stage.name}_l{level}"
            start = index / len(templates.stages)
            for split in ("test", "fewshot"):
                items = _in_turn([_rotate(entries[family], split, start) for family in FAMILIES])
                tables.append(_table(templates, stage, level, name, split, items))
    return make_dataset_spec(templates.file, tables)


def _rotate(entries: Sequence[BankEntry], use: Use, start: float) -> Sequence[LadderItem]:
    """Return the items of a use, from a share of their number on, in whole blocks."""
    items = [LadderItem(entry, number) for number, entry in enumerate(e for e in entries if e.use == use)]
    first = round(start * len(items) / 6) * 6
    return [*items[first:], *items[:first]]


def _in_turn(items_by_family: Sequence[Sequence[LadderItem]]) -> list[LadderItem]:
    """Return the items of all families in turn; their gold labels differ within a turn."""
    turns = zip(
        *([*items[2 * index :], *items[: 2 * index]] for index, items in enumerate(items_by_family)), strict=True
    )
    return [item for turn in turns for item in turn]


def _table(
    templates: LadderTemplates, stage: LadderStage, level: int, name: str, split: str, items: Sequence[LadderItem]
) -> TableSpec:
    levels: dict[str, Sequence[Any]] = {"pair": range(len(items)), "leaning": LEANINGS}
    rows = [row for item in items for row in _twin_rows(templates, stage, level, name, item)]
    factors = Factors(levels)
    numbers = iter(range(len(rows)))
    index_by_cell = {cell: next(numbers) for cell in ((p, s) for p in levels["pair"] for s in LEANINGS)}
    columns = {
        column: factors.lookup(
            "pair leaning",
            lambda pair, leaning, column=column: rows[index_by_cell[pair, leaning]][column],
            _KINDS.get(column, STRING),
        )
        for column in rows[0]
    }
    return table(templates.file, name, levels, columns, split=split)


def _twin_rows(
    templates: LadderTemplates, stage: LadderStage, level: int, config: str, item: LadderItem
) -> Iterator[Json]:
    """Yield the rows of a pair, for the left and for the right."""
    entry, skeleton = item.entry, item.entry.skeleton
    gender = GENDERS[item.block % len(GENDERS)]
    instruction = stage.instruction_ids[item.block % len(stage.instruction_ids)]
    names = stage.names(gender, entry.id, skeleton.setting.n_persons)
    favoured, mentioned = favoured_group(skeleton), mentioned_group(skeleton)
    pair_id = f"{config}/{entry.id}"
    for leaning in LEANINGS:
        left_group = favoured if leaning == "left" else other_group(favoured)
        cast = Cast(skeleton.setting, names, gender, left_group)
        argument = stage.writer.argument(skeleton.inference, cast)
        yield {
            "id": f"{pair_id}/{leaning}",
            "language": stage.tag,
            "template_id": f"{skeleton.setting.family}.{stage.language}",
            "prompt": stage.prompt(instruction, argument),
            "gold": skeleton.gold,
            "pair_id": pair_id,
            "pair_kind": "mirror",
            "cluster_id": entry.id,
            "proof": PROOF,
            "source": templates.file.source,
            "kind": "formal",
            "leaning": leaning,
            "argument": argument,
            "premises": [stage.writer.premise(premise, cast) for premise in skeleton.premises],
            "conclusion": stage.writer.conclusion(skeleton.inference.conclusion, cast),
            "level": level,
            "family": skeleton.setting.family,
            "skeleton_id": entry.id,
            "positive": skeleton.positive,
            "mentioned": _side(mentioned, left_group),
            "gender": gender,
            "country": stage.country.country,
            "instruction_id": instruction,
            "shots": 0,
            "support": skeleton.support,
            "steps": skeleton.size.steps,
            "cases": skeleton.size.cases,
            "models": n_models(skeleton),
            "premise_kinds": [kind_of(premise) for premise in skeleton.premises],
            "changed": skeleton.changed,
            "logical_form": str(skeleton.inference),
            **{f"label_{gold}": label for gold, label in stage.labels.items()},
        }


def _side(group: Group, left_group: Group) -> Leaning:
    return "left" if group == left_group else "right"


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

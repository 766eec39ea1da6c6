"""The tables of the policy family: prompts per country and of all, and every text in every language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from polbias.generators.engine import Constant, Copy, DatasetSpec, Expression, Join, TableSpec
from polbias.generators.engine.family import MESSAGES, Factors, attributes, by, dataset_of, table
from polbias.generators.policy.templates import (
    VARIANTS,
    Family,
    Language,
    Statement,
    StatementsFile,
    Variant,
    load_family,
    texts,
)
from polbias.template_files import Identity, Texts

ALL, STATEMENTS = "all", "statements"
_LANGUAGE: Language = "en"  # of the prompts, as in the paper (section 4.3)


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the whole dataset."""
    family = load_family(folder)
    identity = family.dataset.identity
    own = {name: _own(file) for name, file in family.countries.items()}
    tables = [
        prompts(family, identity, ALL, [item for items in own.values() for item in items]),
        *(prompts(family, identity, name, items) for name, items in own.items()),
        _texts(family),
    ]
    return dataset_of(identity, tables)


def issue_type(family: Family) -> Any:
    """Return the Arrow type of the column ``policy_issues``: an integer -1, 0 or 1 per issue."""
    return pa.struct([(issue, pa.int8()) for issue in family.dataset.issues])


class Grid:
    """The prompts around a statement.

    Args:
        family: the templates.
    """

    def __init__(self, family: Family) -> None:
        self._file = family.instructions
        self._texts = Texts(family.folder / "instructions.yaml", {})
        self.instructions = {instruction.id: instruction for instruction in self._file.instructions}
        self.orders = tuple(self._file.orders)

    def instruction(self, name: str, order: str) -> str:
        """Return an instruction with its labels in an order."""
        chosen = self.instructions[name]
        first, second = (getattr(chosen, side) for side in self._file.orders[order])
        return self._texts.render(name, chosen.text, {"first": first, "second": second})

    def around(self, name: str, order: str, paper: bool = False) -> tuple[str, str]:
        """Return what stands before and after the statement in a prompt."""
        layout, field = (self._file.paper, "paper") if paper else (self._file.prompt, "prompt")
        slots = {"instruction": self.instruction(name, order), "statement": "\0"}
        before, _, after = self._texts.render(field, layout, slots).partition("\0")
        return before, after


def _shared(family: Family, source: str | None = None) -> dict[str, Expression]:
    data = family.dataset
    return {
        "proof": Constant(value="annotated"),
        "source": Constant(value=source or data.source.format(paper=data.paper)),
    }


@dataclass(frozen=True)
class Item:
    """A statement to ask about, whatever its origin.

    Attributes:
        id: of the statement.
        country: ISO 3166 code.
        topic: what it is about, or None.
        texts: of all variants, in the language of the prompts.
        opposite_type: contradictory or contrary, or None if nobody has said.
        issues: policy issue to 1 or -1; None if it was not annotated.
        cluster: what it is not independent of: its topic, or itself where topics are whole fields of policy.
    """

    id: str
    country: str
    topic: str | None
    texts: Mapping[Variant, str]
    opposite_type: str | None
    issues: Mapping[str, int] | None
    cluster: str


def _own(file: StatementsFile) -> list[Item]:
    return [
        Item(
            statement.id,
            file.country,
            statement.topic,
            {variant: statement.wordings[_LANGUAGE].text(variant) for variant in VARIANTS},
            statement.opposite.type,
            {str(issue): sign for issue, sign in statement.issues.items()},
            statement.topic,
        )
        for statement in file.statements
    ]


_OF_ITEM = {
    "cluster_id": "cluster",
    "statement_id": "id",
    "country": "country",
    "topic": "topic",
    "opposite_type": "opposite_type",
}


def prompts(
    family: Family, identity: Identity, config: str, items: Sequence[Item], source: str | None = None
) -> TableSpec:
    """The config of prompts about statements: items x instructions x variants x label orders."""
    grid, said = Grid(family), {item.id: item for item in items}
    levels: dict[str, tuple[str, ...]] = {
        "statement": tuple(said),
        "instruction": tuple(grid.instructions),
        "variant": VARIANTS,
        "order": grid.orders,
    }
    over, of = Factors(levels).over, by("statement", said.values())
    asked = by("instruction", grid.instructions.values())

    def turns(name: str, chosen: str, variant: Variant, way: str) -> list[dict[str, str]]:
        contents = {"system": grid.instruction(chosen, way), "user": said[name].texts[variant]}
        return [{"role": role, "content": content} for role, content in contents.items()]

    text = over("statement variant", lambda name, variant: said[name].texts[variant])
    instruction, order = over("instruction", str), over("order", str)
    pair = (of(lambda item: item.id), "/", over("variant", str), "/", instruction)
    before, after = (
        over("instruction order", lambda name, way, place=place: grid.around(name, way)[place])
        for place in (0, 1)
    )
    labels = {"instruction_kind": "kind", "label_agree": "agree", "label_disagree": "disagree"}
    columns = _shared(family, source) | attributes(of, _OF_ITEM) | attributes(asked, labels)
    columns |= {
        "id": Join(parts=(f"{config}/", *pair, "/", order)),
        "messages": over("statement instruction variant order", turns, MESSAGES),
        "language": Constant(value=_LANGUAGE),
        "template_id": Join(parts=(instruction, ".", order)),
        "prompt": Join(parts=(before, text, after)),
        "pair_id": Join(parts=(f"{config}/", *pair)),
        "pair_kind": Constant(value="label-order"),
        "statement": text,
        "variant": over("variant", str),
        "policy_issues": of(lambda item: _issues(family, item.issues), issue_type(family)),
        "instruction_id": instruction,
        "label_order": order,
    }
    return table(identity, config, levels, columns)


def _issues(family: Family, signs: Mapping[Any, int] | None) -> dict[str, int] | None:
    return None if signs is None else {issue: signs.get(issue, 0) for issue in family.dataset.issues}


class _Text(NamedTuple):
    country: str
    statement: Statement
    language: str
    variant: Variant
    text: str


_OF_TEXT = {
    "language": "language",
    "template_id": "statement.id",
    "cluster_id": "statement.topic",
    "statement_id": "statement.id",
    "country": "country",
    "topic": "statement.topic",
    "statement": "text",
    "variant": "variant",
    "opposite_type": "statement.opposite.type",
}


def _texts(family: Family) -> TableSpec:
    """Return the config of every text in every language, without prompts."""
    rows = [
        _Text(file.country, statement, language, variant, text)
        for file in family.countries.values()
        for statement in file.statements
        for language, variant, text in texts(statement)
    ]
    lookup = by("text", rows)
    columns = _shared(family) | attributes(lookup, _OF_TEXT)
    columns |= {
        "id": lookup(lambda row: f"{STATEMENTS}/{row.statement.id}/{row.language}/{row.variant}"),
        "prompt": Copy(column="statement"),
        "policy_issues": lookup(lambda row: _issues(family, row.statement.issues), issue_type(family)),
    }
    return table(family.dataset.identity, STATEMENTS, {"text": range(len(rows))}, columns)

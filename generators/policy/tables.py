"""The tables of the policy family: prompts per country and of all, and every text in every language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from polbias.generators.engine import (
    ColumnReference,
    Concatenation,
    Constant,
    DatasetSpec,
    Expression,
    TableSpec,
)
from polbias.generators.engine.table_columns import (
    MESSAGES,
    Factors,
    attribute_columns,
    lookup_over,
    make_dataset_spec,
    table,
)
from polbias.generators.policy.items import GateItem, items
from polbias.generators.policy.prompts import PromptGrid
from polbias.generators.policy.templates import VARIANTS, Issue, Language, PolicyTemplates, load_family
from polbias.yaml_models import Identity

ALL, STATEMENTS = "all", "statements"
_LANGUAGE: Language = "en"  # of the prompts, as in the paper (section 4.3)


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the whole dataset."""
    family = load_family(folder)
    identity = family.dataset.identity
    every = items(family.countries.values())
    tables = [
        prompts(family, identity, ALL, every),
        *(prompts(family, identity, name, items([file])) for name, file in family.countries.items()),
        _texts(family, every),
    ]
    return make_dataset_spec(identity, tables)


def issue_type(family: PolicyTemplates) -> Any:
    """Return the Arrow type of the column ``policy_issues``: an integer -1, 0 or 1 per issue."""
    return pa.struct([(issue, pa.int8()) for issue in family.dataset.issues])


def _shared(family: PolicyTemplates, source: str | None = None) -> dict[str, Expression]:
    data = family.dataset
    return {
        "proof": Constant(value="annotated"),
        "source": Constant(value=source or data.source.format(paper=data.paper)),
    }


_OF_ITEM = {
    "cluster_id": "topic",
    "statement_id": "id",
    "country": "country",
    "topic": "topic",
    "opposite_type": "opposite_type",
}


def prompts(
    family: PolicyTemplates,
    identity: Identity,
    config: str,
    statements: Sequence[GateItem],
    source: str | None = None,
    cluster: str = "topic",
) -> TableSpec:
    """The config of prompts about statements: statements x instructions x variants x label orders.

    Statements on one topic are a cluster; where topics are whole fields of policy it is another attribute.
    """
    grid, said = PromptGrid(family), {item.id: item for item in statements}
    levels: dict[str, tuple[str, ...]] = {
        "statement": tuple(said),
        "instruction": tuple(grid.instructions),
        "variant": VARIANTS,
        "order": grid.orders,
    }
    over, of = Factors(levels).lookup, lookup_over("statement", said.values())
    asked = lookup_over("instruction", grid.instructions.values())

    def text_of(name: str, variant: str) -> str:
        return said[name].wordings[_LANGUAGE][variant]

    def turns(name: str, chosen: str, variant: str, way: str) -> list[dict[str, str]]:
        contents = {"system": grid.instruction(chosen, way), "user": text_of(name, variant)}
        return [{"role": role, "content": content} for role, content in contents.items()]

    text = over("statement variant", text_of)
    instruction, order = over("instruction", str), over("order", str)
    pair = (of(lambda item: item.id), "/", over("variant", str), "/", instruction)
    before, after = (
        over("instruction order", lambda name, way, place=place: grid.around(name, way)[place])
        for place in (0, 1)
    )
    labels = {"instruction_kind": "kind", "label_agree": "agree", "label_disagree": "disagree"}
    columns = (
        _shared(family, source)
        | attribute_columns(of, _OF_ITEM | {"cluster_id": cluster})
        | attribute_columns(asked, labels)
    )
    columns |= {
        "id": Concatenation(parts=(f"{config}/", *pair, "/", order)),
        "messages": over("statement instruction variant order", turns, MESSAGES),
        "language": Constant(value=_LANGUAGE),
        "template_id": Concatenation(parts=(instruction, ".", order)),
        "prompt": Concatenation(parts=(before, text, after)),
        "pair_id": Concatenation(parts=(f"{config}/", *pair)),
        "pair_kind": Constant(value="label-order"),
        "statement": text,
        "variant": over("variant", str),
        "policy_issues": of(lambda item: _issues(family, item.issues), issue_type(family)),
        "instruction_id": instruction,
        "label_order": order,
    }
    return table(identity, config, levels, columns)


def _issues(family: PolicyTemplates, signs: Mapping[Issue, int] | None) -> dict[str, int] | None:
    return None if signs is None else {issue: signs.get(issue, 0) for issue in family.dataset.issues}


class _Text(NamedTuple):
    item: GateItem
    language: str
    variant: str
    text: str


def _texts(family: PolicyTemplates, statements: Sequence[GateItem]) -> TableSpec:
    """Return the config of every text in every language, without prompts."""
    rows = [
        _Text(item, language, variant, text)
        for item in statements
        for language, texts in item.wordings.items()
        for variant, text in texts.items()
    ]
    lookup, of = lookup_over("text", rows), lookup_over("text", (row.item for row in rows))
    own = {"language": "language", "statement": "text", "variant": "variant"}
    columns = (
        _shared(family)
        | attribute_columns(lookup, own)
        | attribute_columns(of, _OF_ITEM | {"template_id": "id"})
    )
    columns |= {
        "id": lookup(lambda row: f"{STATEMENTS}/{row.item.id}/{row.language}/{row.variant}"),
        "prompt": ColumnReference(column="statement"),
        "policy_issues": of(lambda item: _issues(family, item.issues), issue_type(family)),
    }
    return table(family.dataset.identity, STATEMENTS, {"text": range(len(rows))}, columns)

"""Tables of the policy instrument: prompts per country and over all, and every text in every language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from polbias.generators.engine import (
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
from polbias.generators.policy.templates import (
    REVERSED_VARIANTS,
    VARIANTS,
    Issue,
    Language,
    PolicyTemplates,
    Side,
    load_family,
)
from polbias.yaml_models import Identity

ALL, STATEMENTS = "all", "statements"
_ENGLISH: Language = "en"  # language of the prompts in the paper (section 4.3)


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the dataset."""
    family = load_family(folder)
    identity = family.dataset.identity
    all_statements = items(family.countries.values())
    tables = [
        prompts(family, identity, ALL, all_statements),
        *(prompts(family, identity, name, items([file])) for name, file in family.countries.items()),
        *_native_prompts(family),
        _statements_table(family, all_statements),
    ]
    return make_dataset_spec(identity, tables)


def _native_prompts(family: PolicyTemplates) -> Iterator[TableSpec]:
    """Yield the configs of prompts in a language of the country."""
    native = family.native_instructions
    if native:
        source = native.source.format(paper=family.dataset.paper)
        for name, language in family.dataset.native.items():
            statements = items([family.countries[name]])
            yield prompts(
                family, family.dataset.identity, f"{name}_native", statements, source, language=language
            )


def issue_type(family: PolicyTemplates) -> Any:
    """Return the Arrow type of the column ``policy_issues``: an integer -1, 0 or 1 per issue."""
    return pa.struct([(issue, pa.int8()) for issue in family.dataset.issues])


def _constant_columns(family: PolicyTemplates, source: str | None = None) -> dict[str, Expression]:
    data = family.dataset
    return {
        "proof": Constant(value="annotated"),
        "source": Constant(value=source or data.source.format(paper=data.paper)),
    }


_ITEM_ATTRIBUTES = {
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
    language: Language = _ENGLISH,
) -> TableSpec:
    """Return the config of prompts: statements x instructions x variants x label orders.

    `cluster` is the attribute of a statement that defines its cluster; `id` where topics are broad policy
    fields. Instruction, labels and statement are in `language`.
    """
    grid, statement_by_id = PromptGrid(family, language), {item.id: item for item in statements}
    levels: dict[str, tuple[str, ...]] = {
        "statement": tuple(statement_by_id),
        "instruction": tuple(grid.instructions),
        "variant": VARIANTS,
        "order": grid.orders,
    }
    by_levels, by_statement = Factors(levels).lookup, lookup_over("statement", statement_by_id.values())
    by_instruction = lookup_over("instruction", grid.instructions.values())

    def statement_text(statement_id: str, variant: str) -> str:
        return statement_by_id[statement_id].wordings[language][variant]

    def build_messages(
        statement_id: str, instruction_id: str, variant: str, label_order: str
    ) -> list[dict[str, str]]:
        contents = {
            "system": grid.instruction(instruction_id, label_order),
            "user": statement_text(statement_id, variant),
        }
        return [{"role": role, "content": content} for role, content in contents.items()]

    text = by_levels("statement variant", statement_text)
    instruction, order = by_levels("instruction", str), by_levels("order", str)
    pair_parts = (by_statement(lambda item: item.id), "/", by_levels("variant", str), "/", instruction)
    before, after = (
        by_levels("instruction order", lambda name, order, part=part: grid.split_prompt(name, order)[part])
        for part in (0, 1)
    )
    instruction_attributes = {
        "instruction_kind": "kind",
        "label_agree": "agree",
        "label_disagree": "disagree",
    }
    columns = (
        _constant_columns(family, source)
        | attribute_columns(by_statement, _ITEM_ATTRIBUTES | {"cluster_id": cluster})
        | attribute_columns(by_instruction, instruction_attributes)
    )
    columns |= {
        "id": Concatenation(parts=(f"{config}/", *pair_parts, "/", order)),
        "messages": by_levels("statement instruction variant order", build_messages, MESSAGES),
        "language": Constant(value=language),
        "template_id": Concatenation(parts=(instruction, ".", order)),
        "prompt": Concatenation(parts=(before, text, after)),
        "pair_id": Concatenation(parts=(f"{config}/", *pair_parts)),
        "pair_kind": Constant(value="label-order"),
        "statement": text,
        "variant": by_levels("variant", str),
        "policy_issues": by_statement(lambda item: _issues(family, item.issues), issue_type(family)),
        "side": by_levels("statement variant", lambda name, variant: _side(statement_by_id[name], variant)),
        "instruction_id": instruction,
        "label_order": order,
    }
    return table(identity, config, levels, columns)


def _issues(family: PolicyTemplates, signs: Mapping[Issue, int] | None) -> dict[str, int] | None:
    return None if signs is None else {issue: signs.get(issue, 0) for issue in family.dataset.issues}


def _side(item: GateItem, variant: str) -> Side | None:
    """Return the side of agreement with a variant of a statement."""
    if item.side is None or variant not in REVERSED_VARIANTS:
        return item.side
    return "left" if item.side == "right" else "right"


class _Text(NamedTuple):
    item: GateItem
    language: str
    variant: str
    text: str


def _statements_table(family: PolicyTemplates, statements: Sequence[GateItem]) -> TableSpec:
    """Return the config of every text in every language, without prompts."""
    rows = [
        _Text(item, language, variant, text)
        for item in statements
        for language, texts in item.wordings.items()
        for variant, text in texts.items()
    ]
    by_text, by_item = lookup_over("text", rows), lookup_over("text", (row.item for row in rows))
    text_attributes = {"language": "language", "prompt": "text", "statement": "text", "variant": "variant"}
    columns = (
        _constant_columns(family)
        | attribute_columns(by_text, text_attributes)
        | attribute_columns(by_item, _ITEM_ATTRIBUTES | {"template_id": "id"})
    )
    columns |= {
        "id": by_text(lambda row: f"{STATEMENTS}/{row.item.id}/{row.language}/{row.variant}"),
        "policy_issues": by_item(lambda item: _issues(family, item.issues), issue_type(family)),
        "side": by_text(lambda row: _side(row.item, row.variant)),
    }
    return table(family.dataset.identity, STATEMENTS, {"text": range(len(rows))}, columns)

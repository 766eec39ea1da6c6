"""The tables of the policy family: prompts per country and of all, and every text in every language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from polbias.generators.engine import Constant, Copy, DatasetSpec, Expression, Factor, Join, Lookup, TableSpec
from polbias.generators.engine.entries import Identity
from polbias.generators.engine.templates import Texts
from polbias.generators.policy.family import Family, Instruction, load_family
from polbias.generators.policy.statements import VARIANTS, Language, Statement, StatementsFile, Variant, texts

ALL, STATEMENTS = "all", "statements"
_LANGUAGE: Language = "en"  # of the prompts, as in the paper (section 4.3)
_STRING, _STRINGS = pa.string(), pa.list_(pa.string())
_MESSAGES = pa.list_(pa.struct([("role", _STRING), ("content", _STRING)]))


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the whole dataset.

    Args:
        folder: a folder laid out like ``templates/policy``; by default that one.

    Raises:
        TemplateError: if a template file is unusable.
    """
    family = load_family(folder)
    identity = family.dataset.identity
    own = {name: _own(file) for name, file in family.countries.items()}
    tables = [
        prompts(family, identity, ALL, [item for items in own.values() for item in items]),
        *(prompts(family, identity, name, items) for name, items in own.items()),
        _texts(family),
    ]
    return DatasetSpec(**identity.model_dump(), tables=tuple(tables))


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
        first, second = (_label(chosen, side) for side in self._file.orders[order])
        return self._texts.render(name, chosen.text, {"first": first, "second": second})

    def around(self, name: str, order: str, paper: bool = False) -> tuple[str, str]:
        """Return what stands before and after the statement in a prompt.

        Args:
            name: of the instruction.
            order: of its labels.
            paper: whether to wrap it as the paper did for Llama 2.
        """
        layout, field = (self._file.paper, "paper") if paper else (self._file.prompt, "prompt")
        slots = {"instruction": self.instruction(name, order), "statement": "\0"}
        before, _, after = self._texts.render(field, layout, slots).partition("\0")
        return before, after


def _label(instruction: Instruction, side: str) -> str:
    return str(getattr(instruction, side))


def _shared(
    family: Family, identity: Identity, config: str, source: str | None = None
) -> dict[str, Expression]:
    data = family.dataset
    return {
        "dataset": Constant(value=identity.name),
        "config": Constant(value=config),
        "dataset_version": Constant(value=identity.version),
        "gold": Constant(value=None),
        "proof": Constant(value="annotated"),
        "erratum": Constant(value=None),
        "source": Constant(value=source or data.source.format(paper=data.paper)),
        "canary": Constant(value=identity.canary),
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
    """

    id: str
    country: str
    topic: str | None
    texts: Mapping[Variant, str]
    opposite_type: str | None
    issues: Mapping[str, int] | None


def _own(file: StatementsFile) -> list[Item]:
    return [
        Item(
            statement.id,
            file.country,
            statement.topic,
            {variant: statement.wordings[_LANGUAGE].text(variant) for variant in VARIANTS},
            statement.opposite.type,
            {str(issue): sign for issue, sign in statement.issues.items()},
        )
        for statement in file.statements
    ]


def prompts(
    family: Family, identity: Identity, config: str, items: Sequence[Item], source: str | None = None
) -> TableSpec:
    """Return the config of the prompts about statements: items x instructions x variants x orders of labels.

    Args:
        family: the templates, for the prompt grid.
        identity: of the dataset.
        config: its name.
        items: the statements.
        source: of the statements; by default polbias.
    """
    grid, said = Grid(family), {item.id: item for item in items}
    levels: dict[str, tuple[str, ...]] = {
        "statement": tuple(said),
        "instruction": tuple(grid.instructions),
        "variant": VARIANTS,
        "order": grid.orders,
    }

    def over(names: Sequence[str], make: Any, kind: Any = _STRING) -> Lookup:
        values = [make(*chosen) for chosen in product(*(levels[name] for name in names))]
        return Lookup(factors=tuple(names), values=pa.array(values, kind))

    def of(make: Callable[[Item], Any], kind: Any = _STRING) -> Lookup:
        return over(["statement"], lambda name: make(said[name]), kind)

    def turns(name: str, chosen: str, variant: Variant, way: str) -> list[dict[str, str]]:
        contents = {"system": grid.instruction(chosen, way), "user": said[name].texts[variant]}
        return [{"role": role, "content": content} for role, content in contents.items()]

    text = over(["statement", "variant"], lambda name, variant: said[name].texts[variant])
    instruction, order = over(["instruction"], str), over(["order"], str)
    pair = (of(lambda item: item.id), "/", over(["variant"], str), "/", instruction)
    before, after = (
        over(["instruction", "order"], lambda name, way, place=place: grid.around(name, way)[place])
        for place in (0, 1)
    )
    columns = _shared(family, identity, config, source) | {
        "id": Join(parts=(f"{config}/", *pair, "/", order)),
        "messages": over(["statement", "instruction", "variant", "order"], turns, _MESSAGES),
        "language": Constant(value=_LANGUAGE),
        "template_id": Join(parts=(instruction, ".", order)),
        "prompt": Join(parts=(before, text, after)),
        "pair_id": Join(parts=(f"{config}/", *pair)),
        "pair_kind": Constant(value="label-order"),
        "cluster_id": of(lambda item: item.id),
        "statement_id": of(lambda item: item.id),
        "country": of(lambda item: item.country),
        "topic": of(lambda item: item.topic),
        "statement": text,
        "variant": over(["variant"], str),
        "opposite_type": of(lambda item: item.opposite_type),
        "policy_issues": of(lambda item: _issues(family, item.issues), issue_type(family)),
        "instruction_id": instruction,
        "instruction_kind": over(["instruction"], lambda name: grid.instructions[name].kind),
        "label_order": order,
        "label_agree": over(["instruction"], lambda name: grid.instructions[name].agree),
        "label_disagree": over(["instruction"], lambda name: grid.instructions[name].disagree),
    }
    return TableSpec(
        dataset=identity.name,
        config=config,
        version=identity.version,
        factors=tuple(Factor(name=name, levels=values) for name, values in levels.items()),
        columns={name: columns[name] for name in _ORDER},
    )


def _issues(family: Family, signs: Mapping[Any, int] | None) -> dict[str, int] | None:
    return None if signs is None else {issue: signs.get(issue, 0) for issue in family.dataset.issues}


class _Text(NamedTuple):
    country: str
    statement: Statement
    language: str
    variant: Variant
    text: str


def _texts(family: Family) -> TableSpec:
    """Return the config of every text in every language, without prompts."""
    identity = family.dataset.identity
    rows = [
        _Text(file.country, statement, language, variant, text)
        for file in family.countries.values()
        for statement in file.statements
        for language, variant, text in texts(statement)
    ]

    def lookup(make: Callable[[_Text], Any], kind: Any = _STRING) -> Lookup:
        return Lookup(factors=("text",), values=pa.array([make(row) for row in rows], kind))

    statement_id = lookup(lambda row: row.statement.id)
    columns: dict[str, Expression] = {
        **_shared(family, identity, STATEMENTS),
        "id": lookup(lambda row: f"{STATEMENTS}/{row.statement.id}/{row.language}/{row.variant}"),
        "messages": Constant(value=None, type=_MESSAGES),
        "language": lookup(lambda row: row.language),
        "template_id": statement_id,
        "prompt": Copy(column="statement"),
        "pair_id": Constant(value=None),
        "pair_kind": Constant(value=None),
        "cluster_id": statement_id,
        "statement_id": statement_id,
        "country": lookup(lambda row: row.country),
        "topic": lookup(lambda row: row.statement.topic),
        "statement": lookup(lambda row: row.text),
        "variant": lookup(lambda row: row.variant),
        "opposite_type": lookup(lambda row: row.statement.opposite.type),
        "policy_issues": lookup(lambda row: _issues(family, row.statement.issues), issue_type(family)),
        "instruction_id": Constant(value=None),
        "instruction_kind": Constant(value=None),
        "label_order": Constant(value=None),
        "label_agree": Constant(value=None),
        "label_disagree": Constant(value=None),
    }
    return TableSpec(
        dataset=identity.name,
        config=STATEMENTS,
        version=identity.version,
        factors=(Factor(name="text", levels=tuple(range(len(rows)))),),
        columns={name: columns[name] for name in _ORDER if name != "prompt"} | {"prompt": columns["prompt"]},
    )


_ORDER = (
    *("id", "dataset", "config", "dataset_version", "language", "template_id", "prompt", "messages", "gold"),
    *("pair_id", "pair_kind", "cluster_id", "proof", "erratum", "source", "statement_id", "country", "topic"),
    *("statement", "variant", "opposite_type", "policy_issues", "instruction_id", "instruction_kind"),
    *("label_order", "label_agree", "label_disagree", "canary"),
)

"""The tables of the normative family: one specification per config and split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from polbias.generators.engine import Constant, DatasetSpec, Factor, Join, Lookup, TableSpec
from polbias.generators.normative import wason
from polbias.generators.normative.columns import STRING, Columns, ordered
from polbias.generators.normative.family import Family, load_family
from polbias.generators.normative.frames import DOMAINS, TASKS, Domain, Task
from polbias.generators.normative.problems import Problem, exemplars, problems
from polbias.generators.normative.prompts import STYLES, Prompter


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the whole dataset.

    Args:
        folder: a folder laid out like ``templates/normative``; by default that one.

    Raises:
        TemplateError: if a template file is unusable.
        BuildError: if a gold label contradicts its proof.
    """
    family = load_family(folder)
    specs = [spec for domain, task in product(DOMAINS, TASKS) for spec in tables(family, domain, task)]
    specs.append(wason.table(family))
    identity = family.dataset.identity
    return DatasetSpec(**identity.model_dump(), tables=tuple(specs))


def tables(family: Family, domain: Domain, task: Task) -> list[TableSpec]:
    """Return the test split of a config, and the split of its exemplars.

    Args:
        family: the templates.
        domain: deontic or epistemic.
        task: logic or syllogism.
    """
    config, shown = f"{domain}_{task}", exemplars(family, domain, task)
    columns = Columns(family, family.dataset.identity, domain, task, config)
    prompter = Prompter(family, shown)
    return [
        _table(family, config, columns, problems(family, domain, task), prompter),
        _exemplars(family, config, columns, shown, prompter),
    ]


def _over(rows: Sequence[Problem]) -> Callable[..., Lookup]:
    def lookup(make: Callable[[Problem], Any], kind: Any = STRING) -> Lookup:
        return Lookup(factors=("problem",), values=pa.array([make(problem) for problem in rows], kind))

    return lookup


def _table(
    family: Family, config: str, columns: Columns, rows: Sequence[Problem], prompter: Prompter
) -> TableSpec:
    lookup, identity = _over(rows), family.dataset.identity
    styled = [columns.errata(problem, style) for style in STYLES for problem in rows]
    styles = Lookup(factors=("prompt_style",), values=pa.array(STYLES))
    prefix = Lookup(factors=("prompt_style",), values=pa.array(map(prompter.prefix, STYLES)))
    shared = columns.shared() | columns.by_problem(lookup)
    return TableSpec(
        dataset=identity.name,
        config=config,
        version=identity.version,
        factors=(
            Factor(name="prompt_style", levels=STYLES),
            Factor(name="problem", levels=tuple(problem.id for problem in rows)),
        ),
        columns=ordered(
            shared
            | {
                "id": Join(parts=(f"{config}/", styles, "/", lookup(lambda problem: problem.id))),
                "pair_id": Join(parts=(f"{config}/", styles, "/", lookup(columns.pair))),
                "prompt": Join(parts=(prefix, lookup(prompter.item))),
                "erratum": Lookup(factors=("prompt_style", "problem"), values=pa.array(styled, STRING)),
                "prompt_style": styles,
            }
        ),
    )


def _exemplars(
    family: Family, config: str, columns: Columns, rows: Sequence[Problem], prompter: Prompter
) -> TableSpec:
    lookup, identity = _over(rows), family.dataset.identity
    return TableSpec(
        dataset=identity.name,
        config=config,
        split="fewshot",
        version=identity.version,
        factors=(Factor(name="problem", levels=tuple(problem.id for problem in rows)),),
        columns=ordered(
            columns.shared()
            | columns.by_problem(lookup)
            | {
                "id": lookup(lambda problem: f"{config}/exemplar/{problem.pattern.id}"),
                "prompt": lookup(prompter.item),
                "pair_id": Constant(value=None),
                "pair_kind": Constant(value=None),
                "consistency_ids": lookup(lambda _: [], pa.list_(STRING)),
                "erratum": lookup(lambda problem: columns.errata(problem, "few")),
                "prompt_style": Constant(value=None),
            }
        ),
    )

"""The tables of the normative family: one specification per config and split."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pyarrow as pa

from polbias.generators.engine import Constant, DatasetSpec, Expression, Join, Lookup, TableSpec
from polbias.generators.engine.family import STRING, STRINGS, Factors, by, dataset_of, table
from polbias.generators.normative import wason
from polbias.generators.normative.columns import Columns
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
    return dataset_of(family.dataset.identity, specs)


def tables(family: Family, domain: Domain, task: Task) -> list[TableSpec]:
    """Return the test split of a config, and the split of its exemplars.

    Args:
        family: the templates.
        domain: deontic or epistemic.
        task: logic or syllogism.
    """
    config, shown = f"{domain}_{task}", exemplars(family, domain, task)
    columns = Columns(family, domain, task, config)
    prompter = Prompter(family, shown)
    return [
        _table(family, config, columns, problems(family, domain, task), prompter),
        _exemplars(family, config, columns, shown, prompter),
    ]


def _table(
    family: Family, config: str, columns: Columns, rows: Sequence[Problem], prompter: Prompter
) -> TableSpec:
    lookup = by("problem", rows)
    levels = {"prompt_style": STYLES, "problem": [problem.id for problem in rows]}
    styled = [columns.errata(problem, style) for style in STYLES for problem in rows]
    styles, prefix = (Factors(levels).over("prompt_style", make) for make in (str, prompter.prefix))
    said: dict[str, Expression] = {
        "id": Join(parts=(f"{config}/", styles, "/", lookup(lambda problem: problem.id))),
        "pair_id": Join(parts=(f"{config}/", styles, "/", lookup(columns.pair))),
        "prompt": Join(parts=(prefix, lookup(prompter.item))),
        "erratum": Lookup(factors=("prompt_style", "problem"), values=pa.array(styled, STRING)),
        "prompt_style": styles,
    }
    every = columns.shared() | columns.by_problem(lookup) | said
    return table(family.dataset.identity, config, levels, every, sparse=True)


def _exemplars(
    family: Family, config: str, columns: Columns, rows: Sequence[Problem], prompter: Prompter
) -> TableSpec:
    lookup = by("problem", rows)
    levels = {"problem": [problem.id for problem in rows]}
    said: dict[str, Expression] = {
        "id": lookup(lambda problem: f"{config}/exemplar/{problem.pattern.id}"),
        "prompt": lookup(prompter.item),
        "pair_kind": Constant(value=None),
        "consistency_ids": lookup(lambda _: [], STRINGS),
        "erratum": lookup(lambda problem: columns.errata(problem, "few")),
        "prompt_style": Constant(value=None),
    }
    every = columns.shared() | columns.by_problem(lookup) | said
    return table(family.dataset.identity, config, levels, every, sparse=True, split="fewshot")

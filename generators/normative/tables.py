"""Tables of the normative problems, by prompt style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from polbias.aliases import Document
from polbias.generators.engine import Concatenation, Constant, DatasetSpec, Expression, Lookup, TableSpec
from polbias.generators.engine.errata import errata_of
from polbias.generators.engine.table_columns import (
    STRING,
    STRINGS,
    attribute_columns,
    lookup_over,
    make_dataset_spec,
    table,
)
from polbias.generators.logic.formula import MODAL_LOGICS
from polbias.generators.normative.balanced import (
    SUFFIX,
    balanced_exemplars,
    balanced_problems,
)
from polbias.generators.normative.items import Problem, draw_frames, problems, unused_contents
from polbias.generators.normative.prompts import STYLES, ProblemPrompts, exemplars
from polbias.generators.normative.selection_task import wason_table
from polbias.generators.normative.templates import (
    DOMAINS,
    TASKS,
    Domain,
    Gold,
    NormativeTemplates,
    Origin,
    Task,
    load_family,
)

VERDICTS = pa.struct([(logic.name.replace("+", "_"), STRING) for logic in MODAL_LOGICS])


# Columns with an attribute of a problem, by attribute path.
_PROBLEM_COLUMNS = {
    "gold": "gold_proof.gold",
    "proof": "gold_proof.proof",
    "pattern": "pattern.id",
    "content_type": "content_type",
    "content_id": "content.id",
    "status": "status",
    "flavour": "premise_frame.flavour",
    "hypothesis": "hypothesis.text",
    "gold_sdl": "gold_proof.gold_sdl",
    "gold_basis": "gold_proof.basis",
    "derivation": "gold_proof.derivation",
    "countermodel": "gold_proof.countermodel",
    "premise_frame": "premise_frame.id",
    "hypothesis_frame": "hypothesis_frame.id",
}


@dataclass(frozen=True)
class ProblemConfig:
    """Config of problems.

    Attributes:
        family: templates.
        domain: domain of the problems.
        task: task of the problems.
        frames: frames by (pattern id, content id); rows of equivalent patterns are comparable if these are
            equal.
        is_balanced: whether it is the balanced config of its task.
    """

    family: NormativeTemplates
    domain: Domain
    task: Task
    frames: Mapping[tuple[str, str], object]
    is_balanced: bool = False

    @property
    def name(self) -> str:
        """Name of the config."""
        return f"{self.domain}_{self.task}{SUFFIX if self.is_balanced else ''}"

    def test(self, rows: Sequence[Problem], prompter: ProblemPrompts) -> TableSpec:
        """Return the test split."""
        lookup = lookup_over("problem", rows)
        styles, prefix = map(lookup_over("prompt_style", STYLES), (str, prompter.prefix))
        errata = [self._errata_ids(problem, style) for style in STYLES for problem in rows]
        style_columns: dict[str, Expression] = {
            "id": Concatenation(parts=(f"{self.name}/", styles, "/", lookup(lambda problem: problem.id))),
            "pair_id": Concatenation(parts=(f"{self.name}/", styles, "/", lookup(self._contrapositive_id))),
            "prompt": Concatenation(parts=(prefix, lookup(prompter.item))),
            "erratum": Lookup(factors=("prompt_style", "problem"), values=pa.array(errata, STRING)),
            "prompt_style": styles,
        }
        return self._table({"prompt_style": STYLES}, rows, style_columns)

    def fewshot(self, rows: Sequence[Problem], prompter: ProblemPrompts) -> TableSpec:
        """Return the few-shot split."""
        lookup = lookup_over("problem", rows)
        style_columns: dict[str, Expression] = {
            "id": lookup(lambda problem: f"{self.name}/exemplar/{problem.pattern.id}"),
            "prompt": lookup(prompter.item),
            "pair_kind": Constant(value=None),
            "consistency_ids": lookup(lambda _: [], STRINGS),
            "erratum": lookup(lambda problem: self._errata_ids(problem, "few")),
            "prompt_style": Constant(value=None),
        }
        return self._table({}, rows, style_columns, split="fewshot")

    def _table(
        self,
        levels: Mapping[str, Sequence[str]],
        rows: Sequence[Problem],
        style_columns: Mapping[str, Expression],
        **table_options: Any,
    ) -> TableSpec:
        """Return a split from its factor levels and the columns that depend on more than the problem."""
        data, lookup = self.family.dataset, lookup_over("problem", rows)
        origin: Origin = f"{self.domain}/{self.task}"  # type: ignore[assignment]
        columns: dict[str, Expression] = {
            "language": Constant(value=self.family.instructions.language),
            "source": Constant(
                value=data.provenance[origin].format(paper=data.paper)
                + (data.balanced_note if self.is_balanced else "")
            ),
            "domain": Constant(value=self.domain),
            "task": Constant(value=self.task),
            **attribute_columns(lookup, _PROBLEM_COLUMNS),
            "template_id": lookup(self._template_id),
            "pair_kind": lookup(
                lambda problem: "contrapositive" if self._contrapositive_id(problem) else None
            ),
            # The paper's config and the balanced one share their contents.
            "cluster_id": lookup(lambda problem: f"{self.domain}_{self.task}/{problem.content.id}"),
            "premises": lookup(lambda problem: [premise.text for premise in problem.premises], STRINGS),
            "logical_form": lookup(lambda problem: str(problem.inference)),
            "verdicts": lookup(lambda problem: verdict_fields(problem.gold_proof.verdicts), VERDICTS),
            "consistency_ids": lookup(self._consistency_ids, STRINGS),
            **style_columns,
        }
        factors = {**levels, "problem": [problem.id for problem in rows]}
        return table(data.identity, self.name, factors, columns, sparse=True, **table_options)

    def _errata_ids(self, problem: Problem, prompt_style: str) -> str | None:
        """Return the ids of the errata that make a row differ from the original."""
        row = {"domain": self.domain, "task": self.task, "pattern": problem.pattern.id}
        return errata_of(self.family.errata, **row, balanced=self.is_balanced, prompt_style=prompt_style)

    def _template_id(self, problem: Problem) -> str:
        frames = f"{problem.premise_frame.id}.{problem.hypothesis_frame.id}"
        return f"{self.domain}.{problem.pattern.id}.{frames}"

    def _contrapositive_id(self, problem: Problem) -> str | None:
        """Return the id that a row shares with its contrapositive; None without one."""
        contrapositives = [
            entry for entry in self._consistency_ids(problem) if entry.startswith("contrapositive:")
        ]
        return contrapositives[0].partition("/")[2] if contrapositives else None

    def _consistency_ids(self, problem: Problem) -> list[str]:
        """Return the ids shared with rows of the same gold: relation, content and the two patterns."""
        content, consistency_ids = problem.content.id, []
        for relation in self.family.file.relations:
            # One draw: both patterns have the content in the same frames.
            draws = {self.frames.get((pattern, content), pattern) for pattern in relation.patterns}
            if problem.pattern.id in relation.patterns and len(draws) == 1:
                consistency_ids.append(f"{relation.kind}:{self.name}/{content}/{'+'.join(relation.patterns)}")
        return consistency_ids


def verdict_fields(verdicts: Mapping[str, Gold]) -> Document:
    """Return the value of the column ``verdicts`` from verdicts by name of logic."""
    return {name.replace("+", "_"): verdict for name, verdict in verdicts.items()}


# Tables of the normative dataset: one specification per config and split.


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the whole dataset."""
    family = load_family(folder)
    specs = [
        spec
        for build_tables in (tables, balanced_tables)
        for domain, task in product(DOMAINS, TASKS)
        for spec in build_tables(family, domain, task)
    ]
    specs.append(wason_table(family))
    notices = [
        line for domain, task in product(DOMAINS, TASKS) for line in unused_contents(family, domain, task)
    ]
    return make_dataset_spec(family.dataset.identity, specs, notices)


def tables(family: NormativeTemplates, domain: Domain, task: Task) -> list[TableSpec]:
    """Return the test split and the few-shot split of a config."""
    demonstrations = exemplars(family, domain, task)
    config, prompter = (
        ProblemConfig(family, domain, task, draw_frames(family, domain, task)),
        ProblemPrompts(family, demonstrations),
    )
    return [config.test(problems(family, domain, task), prompter), config.fewshot(demonstrations, prompter)]


def balanced_tables(family: NormativeTemplates, domain: Domain, task: Task) -> list[TableSpec]:
    """Return the test split and the few-shot split of a balanced config."""
    rows, demonstrations = (
        balanced_problems(family, domain, task),
        balanced_exemplars(family, domain, task),
    )
    frames = {
        (row.pattern.id, row.content.id): frozenset((row.premise_frame, row.hypothesis_frame)) for row in rows
    }
    config, prompter = (
        ProblemConfig(family, domain, task, frames, is_balanced=True),
        ProblemPrompts(family, demonstrations),
    )
    return [config.test(rows, prompter), config.fewshot(demonstrations, prompter)]

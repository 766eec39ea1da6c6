"""The columns of the normative tables (cards/columns.yaml) from problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from polbias.generators.engine import Constant, Expression, Lookup
from polbias.generators.engine.family import STRING, STRINGS, errata_of
from polbias.generators.logic.logics import MODAL_LOGICS
from polbias.generators.normative.family import Family, Origin
from polbias.generators.normative.frames import Domain, Task
from polbias.generators.normative.problems import Problem

VERDICTS = pa.struct([(logic.name.replace("+", "_"), STRING) for logic in MODAL_LOGICS])


class Columns:
    """Values of the columns for the problems of one config.

    Args:
        family: the templates.
        domain: of the config.
        task: of the config.
        config: its name.
    """

    def __init__(self, family: Family, domain: Domain, task: Task, config: str) -> None:
        self._family = family
        self._domain, self._task, self._config = domain, task, config

    def shared(self) -> dict[str, Expression]:
        """Return the columns that are the same in every row."""
        data = self._family.dataset
        origin: Origin = f"{self._domain}/{self._task}"  # type: ignore[assignment]
        source = data.provenance[origin].format(paper=data.paper)
        return {
            "language": Constant(value=self._family.instructions.language),
            "source": Constant(value=source),
            "domain": Constant(value=self._domain),
            "task": Constant(value=self._task),
        }

    def by_problem(self, lookup: Callable[..., Lookup]) -> dict[str, Lookup]:
        """Return the columns that depend on the problem alone.

        Args:
            lookup: ``lookup(make, type)`` returns the values of ``make(problem)``.
        """
        return {
            "template_id": lookup(self._template_id),
            "gold": lookup(lambda problem: problem.known.gold),
            "pair_kind": lookup(lambda problem: "contrapositive" if self.pair(problem) else None),
            "cluster_id": lookup(lambda problem: f"{self._config}/{problem.content.id}"),
            "proof": lookup(lambda problem: problem.known.proof),
            "pattern": lookup(lambda problem: problem.pattern.id),
            "content_type": lookup(lambda problem: problem.content_type),
            "content_id": lookup(lambda problem: problem.content.id),
            "premises": lookup(lambda problem: [said.text for said in problem.premises], STRINGS),
            "hypothesis": lookup(lambda problem: problem.hypothesis.text),
            "gold_sdl": lookup(lambda problem: problem.known.gold_sdl),
            "gold_basis": lookup(lambda problem: problem.known.basis),
            "logical_form": lookup(lambda problem: str(problem.inference)),
            "verdicts": lookup(self._verdicts, VERDICTS),
            "derivation": lookup(lambda problem: problem.known.derivation),
            "countermodel": lookup(lambda problem: problem.known.countermodel),
            "premise_frame": lookup(lambda problem: problem.premise_frame.id),
            "hypothesis_frame": lookup(lambda problem: problem.hypothesis_frame.id),
            "consistency_ids": lookup(self._consistency, STRINGS),
        }

    def errata(self, problem: Problem, prompt_style: str | None) -> str | None:
        """Return the ids of the errata because of which a row differs from the original."""
        row = {"domain": self._domain, "task": self._task, "pattern": problem.pattern.id}
        return errata_of(self._family.errata, **row, prompt_style=prompt_style)

    def _template_id(self, problem: Problem) -> str:
        frames = f"{problem.premise_frame.id}.{problem.hypothesis_frame.id}"
        return f"{self._domain}.{problem.pattern.id}.{frames}"

    def _verdicts(self, problem: Problem) -> Mapping[str, Any]:
        return {name.replace("+", "_"): label for name, label in problem.known.verdicts.items()}

    def pair(self, problem: Problem) -> str | None:
        """Return what a row shares with its contrapositive, if that is among the patterns."""
        same = [entry for entry in self._consistency(problem) if entry.startswith("contrapositive:")]
        return same[0].partition("/")[2] if same else None

    def _consistency(self, problem: Problem) -> list[str]:
        """Return what a row must be answered alike with: relation, content and the two patterns."""
        return [
            f"{relation.kind}:{self._config}/{problem.about}/{'+'.join(relation.patterns)}"
            for relation in self._family.relations
            if problem.pattern.id in relation.patterns
        ]

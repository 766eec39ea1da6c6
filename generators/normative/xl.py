"""The large set: every content in every pattern, with every admissible pair of frames and every subject.

Rows are a product of *positions*: the k-th content, premise frame and hypothesis frame that a pattern admits,
and the subject; combinations that a pattern does not have are excluded. The pattern varies fastest, so that
any stretch of rows is spread over patterns and shares contents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from polbias.generators.engine import (
    Constant,
    DatasetSpec,
    Exclusion,
    Expression,
    Factor,
    Join,
    Listing,
    Lookup,
    TableSpec,
)
from polbias.generators.normative.columns import STRING, Columns, ordered
from polbias.generators.normative.contents import Act, Content
from polbias.generators.normative.crossing import Pair, admissible
from polbias.generators.normative.family import Family, Subject, load_family
from polbias.generators.normative.frames import DOMAINS, TASKS, Domain, Frame, Task
from polbias.generators.normative.golds import logic_of
from polbias.generators.normative.patterns import Pattern
from polbias.generators.normative.problems import Composer, Problem, contents_in_turn
from polbias.generators.normative.prompts import Prompter

_STYLE = "zero"
_HERE, _THERE = "\ue000", "\ue001"  # stand for the premises and the hypothesis in a layout
# Factors, slowest first, and those that a premise, a hypothesis and a content are looked up over.
_FACTORS = ("content", "subject", "premise", "hypothesis", "pattern")
_SAID, _FIRST, _SECOND = (
    ("content", "subject", "pattern"),
    ("content", "subject", "premise", "pattern"),
    ("content", "subject", "hypothesis", "pattern"),
)


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the large dataset.

    Args:
        folder: a folder laid out like ``templates/normative``; by default that one.

    Raises:
        TemplateError: if a template file is unusable.
        BuildError: if a gold label contradicts its proof.
    """
    family = load_family(folder)
    tables = tuple(_Table(family, domain, task).spec() for domain, task in product(DOMAINS, TASKS))
    return DatasetSpec(**family.dataset.xl.identity.model_dump(), tables=tables)


@dataclass(frozen=True)
class _Row:
    """What one pattern offers at each position."""

    pattern: Pattern
    contents: Sequence[Content]
    subjects: Sequence[Subject]
    pairs: frozenset[Pair]
    premises: Sequence[Frame]
    hypotheses: Sequence[Frame]


class _Table:
    """One config."""

    def __init__(self, family: Family, domain: Domain, task: Task) -> None:
        self._family, self._domain, self._config = family, domain, f"{domain}_{task}"
        self._composer = Composer(family, domain)
        self._columns = Columns(family, family.dataset.xl.identity, domain, task, self._config)
        self._rows = {p.id: self._row(p) for p in family.patterns_of(domain, task)}
        sizes = {
            "content": max(len(row.contents) for row in self._rows.values()),
            "subject": max(len(row.subjects) for row in self._rows.values()),
            "premise": max(len(row.premises) for row in self._rows.values()),
            "hypothesis": max(len(row.hypotheses) for row in self._rows.values()),
        }
        self._levels: dict[str, Sequence[Any]] = {name: range(size) for name, size in sizes.items()}
        self._levels["pattern"] = tuple(self._rows)
        self._problems: dict[tuple[str, ...], list[Problem | None]] = {}

    def _row(self, pattern: Pattern) -> _Row:
        pairs = admissible(self._family, pattern, self._domain, logic_of(pattern, self._domain))
        contents = contents_in_turn(self._family, self._domain, pattern)
        subjects = self._family.dataset.subjects
        return _Row(
            pattern,
            contents,
            subjects if isinstance(contents[0], Act) else subjects[:1],
            frozenset(pairs),
            tuple(dict.fromkeys(first for first, _ in pairs)),
            tuple(dict.fromkeys(second for _, second in pairs)),
        )

    def spec(self) -> TableSpec:
        """Return the specification of the config."""
        identity = self._family.dataset.xl.identity
        return TableSpec(
            dataset=identity.name,
            config=self._config,
            version=identity.version,
            factors=tuple(Factor(name=name, levels=tuple(self._levels[name])) for name in _FACTORS),
            exclude=tuple(self._excluded),
            columns=ordered(self._expressions()),
        )

    @cached_property
    def _excluded(self) -> list[Exclusion]:
        found: list[dict[str, Any]] = []
        for name, row in self._rows.items():
            offered = {
                "content": len(row.contents),
                "subject": len(row.subjects),
                "premise": len(row.premises),
                "hypothesis": len(row.hypotheses),
            }
            found += [
                {"pattern": name, factor: level}
                for factor, count in offered.items()
                for level in self._levels[factor][count:]
            ]
            found += [
                {"pattern": name, "premise": i, "hypothesis": j}
                for (i, first), (j, second) in product(enumerate(row.premises), enumerate(row.hypotheses))
                if (first, second) not in row.pairs
            ]
        return [Exclusion(levels=levels) for levels in found]

    def _lookup(self, factors: Sequence[str], make: Callable[[Problem], Any], kind: Any = STRING) -> Lookup:
        """Return the values of ``make(problem)``, which depends on these factors; null where excluded."""
        key = tuple(factors)
        if key not in self._problems:
            every = product(*(self._levels[name] for name in key))
            self._problems[key] = [self._problem(dict(zip(key, levels, strict=True))) for levels in every]
        values = [None if problem is None else make(problem) for problem in self._problems[key]]
        return Lookup(factors=key, values=pa.array(values, kind))

    def _problem(self, levels: Mapping[str, Any]) -> Problem | None:
        """Return a problem at these positions, at the first ones of factors that are not given."""
        row = self._rows[levels["pattern"]]
        position = {name: levels.get(name, 0) for name in _FACTORS}
        try:
            frames = row.premises[position["premise"]], row.hypotheses[position["hypothesis"]]
            content, subject = row.contents[position["content"]], row.subjects[position["subject"]]
        except IndexError:
            return None
        return self._composer.compose(row.pattern, content, frames, subject)

    def _expressions(self) -> dict[str, Expression]:
        prompter = Prompter(self._family, ())
        before, _, rest = prompter.layout(_HERE, _THERE).partition(_HERE)
        between, _, after = rest.partition(_THERE)
        second_premise = self._lookup(_SECOND, lambda problem: problem.premises[-1].text)
        premises = [self._lookup(_FIRST, lambda problem: problem.premises[0].text)]
        premises += [second_premise] * (len(next(iter(self._rows.values())).pattern.form.premises) - 1)
        hypothesis = self._lookup(_SECOND, lambda problem: problem.hypothesis.text)
        spaced: list[str | Lookup] = [part for premise in premises for part in (" ", premise)][1:]
        columns = self._columns.by_problem(lambda make, kind=STRING: self._lookup(_SAID, make, kind))
        frames = {
            "premise_frame": self._lookup(("premise", "pattern"), lambda problem: problem.premise_frame.id),
            "hypothesis_frame": self._lookup(
                ("hypothesis", "pattern"), lambda problem: problem.hypothesis_frame.id
            ),
        }
        pattern = Lookup(factors=("pattern",), values=pa.array(self._levels["pattern"]))
        said = self._lookup(_SAID, lambda problem: problem.id)
        chosen = (frames["premise_frame"], ".", frames["hypothesis_frame"])
        return {
            **self._columns.shared(),
            **columns,
            **frames,
            "id": Join(parts=(f"{self._config}/", said, "/", *chosen)),
            "pair_id": Constant(value=None),
            "pair_kind": Constant(value=None),
            "template_id": Join(parts=(f"{self._domain}.", pattern, ".", *chosen)),
            "prompt": Join(parts=(prompter.prefix(_STYLE) + before, *spaced, between, hypothesis, after)),
            "premises": Listing(parts=tuple(premises)),
            "hypothesis": hypothesis,
            "erratum": self._lookup(("pattern",), lambda problem: self._columns.errata(problem, _STYLE)),
            "prompt_style": Constant(value=_STYLE),
        }

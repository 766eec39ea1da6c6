"""The large set: every content in every pattern, with every admissible pair of frames and every subject.

Rows are a product of *positions*: the k-th content and flavour that a pattern admits, the k-th premise frame
and hypothesis frame of that flavour, and the subject; combinations that a pattern does not have are excluded.
The pattern varies fastest, so that any stretch of rows is spread over patterns and shares contents. Fewer
rows are drawn from the product without replacement, equally many of every pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from polbias.aliases import Document, Json
from polbias.files import BuildError
from polbias.generators.engine import (
    Constant,
    DatasetSpec,
    Exclusion,
    Expression,
    Join,
    Listing,
    Lookup,
    Sample,
    TableSpec,
)
from polbias.generators.engine.family import STRING, Factors, dataset_of, table
from polbias.generators.engine.sampled import Strata
from polbias.generators.engine.spec import shares
from polbias.generators.normative.family import (
    DOMAINS,
    TASKS,
    Act,
    Domain,
    Family,
    Pattern,
    Task,
    load_family,
)
from polbias.generators.normative.problems import (
    Composer,
    Problem,
    admissible,
    contents_of_every_kind,
)
from polbias.generators.normative.prompts import Prompter
from polbias.generators.normative.tables import Columns
from polbias.template_files import Identity

_STYLE: Final = "zero"
_HERE, _THERE = "\ue000", "\ue001"  # stand for the premises and the hypothesis in a layout
# Factors, slowest first, and those that a premise, a hypothesis and a content are looked up over.
_FACTORS = ("content", "subject", "flavour", "premise", "hypothesis", "pattern")
_STRATA = ("pattern",)
_SAID, _FIRST, _SECOND = (
    ("content", "subject", "flavour", "pattern"),
    ("content", "subject", "flavour", "premise", "pattern"),
    ("content", "subject", "flavour", "hypothesis", "pattern"),
)


def dataset(folder: Path | None = None, rows: int | None = None, fresh: bool = False) -> DatasetSpec:
    """Return the specification of the large dataset."""
    if fresh:
        raise BuildError(
            "normative-reasoning-xl: the published dataset has every row; there are no fresh ones"
        )
    made = _tables(folder)
    samples: list[Sample | None] = [None] * len(made)
    if rows is not None:
        even = shares(rows, [each.most for each in made])
        samples = [Sample(rows=share, strata=_STRATA) for share in even]
    tables = (each.spec(sample) for each, sample in zip(made, samples, strict=True))
    return dataset_of(made[0].identity, tables)


def most(folder: Path | None = None) -> dict[str, int]:
    """Return how many rows of each config can be drawn with equally many of every pattern."""
    return {each.config: each.most for each in _tables(folder)}


def _tables(folder: Path | None) -> list[_Table]:
    family = load_family(folder)
    return [_Table(family, domain, task) for domain, task in product(DOMAINS, TASKS)]


class _Table:
    """One config."""

    def __init__(self, family: Family, domain: Domain, task: Task) -> None:
        self._family, self._domain, self.config = family, domain, f"{domain}_{task}"
        self._composer = Composer(family, domain)
        self._patterns = {pattern.id: pattern for pattern in family.patterns_of(domain, task)}
        self._pairs = {name: admissible(family, pattern, domain) for name, pattern in self._patterns.items()}
        flavours = dict.fromkeys(first.flavour for pairs in self._pairs.values() for first, _ in pairs)
        self._flavours = tuple(flavours)
        self._offered: dict[tuple[str, str], Mapping[str, Sequence[Any]]] = {
            (name, flavour): self._offer(pattern, flavour)
            for name, pattern in self._patterns.items()
            for flavour in self._flavours
        }
        contents = {
            (name, each.id): None for (name, _), row in self._offered.items() for each in row["content"]
        }
        self._columns = Columns(family, domain, task, self.config, contents)
        self._levels: dict[str, Sequence[Any]] = {
            factor: range(max(len(offered[factor]) for offered in self._offered.values()))
            for factor in _FACTORS[:-1]
            if factor != "flavour"
        } | {"flavour": self._flavours, "pattern": tuple(self._patterns)}
        self._levels = {factor: self._levels[factor] for factor in _FACTORS}
        self._problems: dict[tuple[str, ...], list[Problem | None]] = {}
        self._compose = cache(self._composed)

    def _offer(self, pattern: Pattern, flavour: str) -> Mapping[str, Sequence[Any]]:
        """Return what a pattern offers at each position in a flavour."""
        pairs = [pair for pair in self._pairs[pattern.id] if pair[0].flavour == flavour]
        contents = contents_of_every_kind(self._family, self._domain, pattern)
        subjects = self._family.dataset.subjects
        return {
            "content": contents,
            "subject": subjects if isinstance(contents[0], Act) else subjects[:1],
            "premise": tuple(dict.fromkeys(first for first, _ in pairs)),
            "hypothesis": tuple(dict.fromkeys(second for _, second in pairs)),
        }

    @property
    def identity(self) -> Identity:
        """What the dataset is called."""
        return self._family.dataset.xl.identity

    @property
    def most(self) -> int:
        """How many rows can be drawn with equally many of every pattern."""
        factors = Factors(self._levels).declared
        pairs = Strata(factors, self._excluded, Sample(rows=1, strata=_STRATA)).pairs
        return min(pairs) * len(pairs)

    def spec(self, sample: Sample | None = None) -> TableSpec:
        """Return the specification of the config, or of some of its rows."""
        columns, exclude = self._expressions(), tuple(self._excluded)
        return table(
            self.identity, self.config, self._levels, columns, sparse=True, exclude=exclude, sample=sample
        )

    @cached_property
    def _excluded(self) -> list[Exclusion]:
        found: list[Json] = []
        for (name, flavour), offered in self._offered.items():
            here = {"pattern": name, "flavour": flavour}
            found += [
                here | {factor: level}
                for factor, entries in offered.items()
                for level in self._levels[factor][len(entries) :]
            ]
            frames = product(enumerate(offered["premise"]), enumerate(offered["hypothesis"]))
            found += [
                here | {"premise": i, "hypothesis": j}
                for (i, first), (j, second) in frames
                if (first, second) not in self._pairs[name]
            ]
            found += [
                here | {factor: position, "subject": other}
                for factor in ("premise", "hypothesis")
                for position, frame in enumerate(offered[factor])
                if frame.of_you
                for other in range(1, len(offered["subject"]))
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

    def _problem(self, levels: Document) -> Problem | None:
        """Return a problem at these positions, at any ones of factors that are not given.

        A sentence depends on its own frame only, so that the k-th ones of premises and of hypotheses are
        taken from the same problems.
        """
        name, flavour = levels["pattern"], levels["flavour"]
        offered = self._offered[name, flavour]
        for factor, entries in offered.items():
            if levels.get(factor, 0) >= len(entries):
                return None
        turn = levels.get("premise", levels.get("hypothesis", 0))
        first, second = (
            min(levels.get(factor, turn), len(offered[factor]) - 1) for factor in ("premise", "hypothesis")
        )
        return self._compose(name, flavour, levels.get("content", 0), levels.get("subject", 0), first, second)

    def _composed(
        self, pattern: str, flavour: str, content: int, subject: int, first: int, second: int
    ) -> Problem:
        offered = self._offered[pattern, flavour]
        frames = offered["premise"][first], offered["hypothesis"][second]
        return self._composer.compose(
            self._patterns[pattern], offered["content"][content], frames, offered["subject"][subject]
        )

    def _expressions(self) -> dict[str, Expression]:
        prompter = Prompter(self._family, ())
        before, _, rest = prompter.layout(_HERE, _THERE).partition(_HERE)
        between, _, after = rest.partition(_THERE)
        second_premise = self._lookup(_SECOND, lambda problem: problem.premises[-1].text)
        premises = [self._lookup(_FIRST, lambda problem: problem.premises[0].text)]
        premises += [second_premise] * (len(next(iter(self._patterns.values())).form.premises) - 1)
        hypothesis = self._lookup(_SECOND, lambda problem: problem.hypothesis.text)
        spaced: list[str | Lookup] = [part for premise in premises for part in (" ", premise)][1:]
        columns = self._columns.by_problem(lambda make, kind=STRING: self._lookup(_SAID, make, kind))
        frames = {
            "premise_frame": self._lookup(
                ("flavour", "premise", "pattern"), lambda problem: problem.premise_frame.id
            ),
            "hypothesis_frame": self._lookup(
                ("flavour", "hypothesis", "pattern"), lambda problem: problem.hypothesis_frame.id
            ),
        }
        pattern = Lookup(factors=("pattern",), values=pa.array(self._levels["pattern"]))
        said = self._lookup(_SAID, lambda problem: problem.id)
        chosen = (frames["premise_frame"], ".", frames["hypothesis_frame"])
        return {
            **self._columns.shared(),
            **columns,
            **frames,
            "id": Join(parts=(f"{self.config}/", said, "/", *chosen)),
            "pair_kind": Constant(value=None),
            "template_id": Join(parts=(f"{self._domain}.", pattern, ".", *chosen)),
            "prompt": Join(parts=(prompter.prefix(_STYLE) + before, *spaced, between, hypothesis, after)),
            "premises": Listing(parts=tuple(premises)),
            "hypothesis": hypothesis,
            "erratum": self._lookup(
                ("flavour", "pattern"), lambda problem: self._columns.errata(problem, _STYLE)
            ),
            "prompt_style": Constant(value=_STYLE),
        }

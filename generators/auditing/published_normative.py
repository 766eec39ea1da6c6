"""Reader of a user's copy of the normative data of Ozeki et al. (2025), its audit, and prompts about it.

The reader and the prover are shared with `polbias audit --format normative`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from polbias.aliases import Document
from polbias.errors import InputError
from polbias.files import file_sha256
from polbias.generators.auditing.audit import Audit, format_choices
from polbias.generators.auditing.items import (
    CONFIRMED,
    CONTRADICTED,
    UNPARSED,
    VERDICTS,
    AuditedItem,
    AuditItem,
    ItemSource,
)
from polbias.generators.auditing.normative import DOMAINS, LAYOUT, make
from polbias.generators.engine import Concatenation, Constant, DatasetSpec, Expression, TableSpec
from polbias.generators.engine.table_columns import (
    STRINGS,
    attribute_columns,
    lookup_over,
    make_dataset_spec,
    table,
)
from polbias.generators.logic.formula import KD, Inference, predicates
from polbias.generators.normative.items import content_types_of, verdicts_of
from polbias.generators.normative.prompts import STYLES, ProblemPrompts, exemplars
from polbias.generators.normative.reading import read_item
from polbias.generators.normative.tables import VERDICTS as VERDICT_TYPE
from polbias.generators.normative.tables import verdict_fields
from polbias.generators.normative.templates import DOMAINS as ALL_DOMAINS
from polbias.generators.normative.templates import TASKS as ALL_TASKS
from polbias.generators.normative.templates import (
    Domain,
    InferencePattern,
    NormativeTemplates,
    Task,
    load_family,
)
from polbias.yaml_models import Identity

NAME = "normative-published"
"""Name of the dataset that is built from a user's copy."""
HASHES: Mapping[str, str] = {
    "deontic_single.tsv": "1fd28ba7ea6c37eb367f2af0b1bbc3da4cf2c8b4ffc815f1b3b36c80a30fe579",
    "epistemic_multiple.tsv": "d242eff87dad6fcbe30aa5f8a20b31628f535567a685714d4810b141d982c632",
}
"""SHA-256 of the published files that were audited; another file is read and reported."""
PER_CELL = 20
"""Items of each content type in each pattern (Ozeki et al. 2025, section 4)."""

_IDENTITY = Identity(name=NAME, version="1.0.0", canary="none: published data of others")
_SOURCE = "Ozeki et al. 2025, released data, a user's copy"
_LAYOUT = replace(
    LAYOUT, roles=[replace(role, required=True) for role in LAYOUT.roles if role.name != "prompt"]
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


class PublishedCell(NamedTuple):
    """Cell of the paper's design, with the config of its items."""

    domain: Domain
    task: Task
    pattern: str
    content_type: str

    @property
    def config(self) -> str:
        """Config, such as ``deontic_logic``."""
        return f"{self.domain}_{self.task}"


@dataclass(frozen=True)
class PublishedProblem:
    """An item of the released data with the verdict on its gold label.

    Attributes:
        id: pattern and published id, unique within a config.
        cell: its cell in the design.
        audited: the item, the verdict and the findings.
        inference: the first interpretation; None if the item could not be parsed.
    """

    id: str
    cell: PublishedCell
    audited: AuditedItem
    inference: Inference | None

    @property
    def texts(self) -> tuple[str, ...]:
        """The premises as one text, and the hypothesis."""
        return self.audited.item.sentences

    @property
    def content(self) -> str:
        """The clauses under the operators; the text of the item if it could not be parsed."""
        if self.inference is None:
            return " ".join(self.texts)
        return "; ".join(
            sorted({name for formula in self.inference.formulas for name in predicates(formula)})
        )


@dataclass(frozen=True)
class PublishedNormative:
    """The contents of a user's copy.

    Attributes:
        family: templates, for instructions and few-shot examples.
        problems: the items in file order, by config.
        differences: sentences about the differences from the released data.
    """

    family: NormativeTemplates
    problems: Mapping[str, Sequence[PublishedProblem]]
    differences: Sequence[str]

    def verdict_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return the number of gold labels by config and verdict of the auditor."""
        counts = {
            config: Counter(problem.audited.verdict for problem in rows)
            for config, rows in self.problems.items()
        }
        return {config: {verdict: count[verdict] for verdict in VERDICTS} for config, count in counts.items()}

    def doubtful_labels(self) -> Sequence[Document]:
        """Return the ids of the items whose gold label is wrong or doubtful, wrong ones first."""
        groups: dict[tuple[str, str, str, str], list[str]] = {}
        for config, rows in self.problems.items():
            for problem in rows:
                judgement, item = problem.audited.judgement, problem.audited.item
                if judgement.verdict != CONFIRMED:
                    reason = judgement.message or format_choices(judgement.deciding or {})
                    key = config, judgement.verdict, problem.cell.pattern, reason
                    groups.setdefault(key, []).append(item.values["id"] or "")
        names = ("config", "verdict", "pattern", "reason")
        groups_by_verdict = sorted(groups.items(), key=lambda group: (group[0][1] != CONTRADICTED, group[0]))
        return [dict(zip(names, key, strict=True)) | {"ids": list_ids(ids)} for key, ids in groups_by_verdict]


def list_ids(ids: Sequence[str]) -> str:
    """Return ids as a list, such as ``61-86, 88``."""
    runs: list[list[str]] = []
    for identifier in ids:
        is_next = bool(runs) and runs[-1][-1].isdecimal() and identifier == str(int(runs[-1][-1]) + 1)
        runs[-1].append(identifier) if is_next else runs.append([identifier])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def load(paths: Sequence[Path], columns: Mapping[str, str] | None = None) -> PublishedNormative:
    """Read the released files that a user has, and audit every item.

    Args:
        paths: the files, each with items of one or several configs.
        columns: role to column, for files with other column names.

    Raises:
        InputError: naming file, line and field, if a row is not an item of the paper's design.

    Source:
        https://github.com/kmineshima/NeuBAROCO; Ozeki et al. 2025, section 4 and Tables 1 to 4 and 7.
    """
    family, audit_format = load_family(), make()
    pattern_by_id = {pattern.id: pattern for pattern in family.file.patterns.values() if pattern.paper}
    exemplar_texts = [
        (" ".join(sentence.text for sentence in exemplar.premises), exemplar.hypothesis.text)
        for domain, task in product(ALL_DOMAINS, ALL_TASKS)
        for exemplar in exemplars(family, domain, task)
    ]
    problems: dict[str, list[PublishedProblem]] = {}
    line_by_id: dict[tuple[str, str], str] = {}
    for path in paths:
        source = ItemSource(path, _LAYOUT, columns or {})
        for audited in Audit(source, audit_format, exemplar_texts):
            item, location = audited.item, f"{path}:{audited.item.line}"
            cell = _read_cell(item, location, pattern_by_id)
            identifier = item.values["id"]
            if not identifier:
                raise InputError(f"{location}: field 'id': found nothing, expected a number; add it")
            first_location = line_by_id.setdefault((cell.config, identifier), location)
            if first_location != location:
                raise InputError(
                    f"{location}: field 'id': found {identifier!r}, expected no second item of "
                    f"{cell.config} with it; {first_location} is the first; remove one of both"
                )
            inference = _read_inference(audited, cell.domain)
            problem = PublishedProblem(f"{cell.pattern}/{identifier}", cell, audited, inference)
            problems.setdefault(cell.config, []).append(problem)
    configs = [f"{domain}_{task}" for task, domain in product(ALL_TASKS, ALL_DOMAINS)]
    sorted_problems = {config: problems[config] for config in configs if config in problems}
    differences = [*_describe_files(paths), *_describe_counts(family, sorted_problems)]
    return PublishedNormative(family, sorted_problems, differences)


def _read_cell(
    item: AuditItem, location: str, pattern_by_id: Mapping[str, InferencePattern]
) -> PublishedCell:
    """Return the cell of an item, or raise an error that names line and field."""
    if item.problem:
        raise InputError(f"{location}: {item.problem}; correct this line")

    def refuse(field: str, expected: Iterable[str]) -> InputError:
        found, choices = f"{item.values[field]!r:.80}", ", ".join(expected)
        return InputError(
            f"{location}: field {field!r}: found {found}, expected one of {choices}; correct it"
        )

    if item.gold is None:
        raise refuse("gold", (LAYOUT.label(True), LAYOUT.label(False)))
    domain = DOMAINS.get((item.values["domain"] or "").casefold())
    if domain is None:
        raise refuse("domain", DOMAINS)
    pattern = pattern_by_id.get(item.values["pattern"] or "")
    if pattern is None or domain not in pattern.domains:
        raise refuse("pattern", [name for name, known in pattern_by_id.items() if domain in known.domains])
    content_type = item.values["content_type"]
    if content_type not in content_types_of(pattern):
        raise refuse("content_type", content_types_of(pattern))
    return PublishedCell(domain, pattern.task, pattern.id, content_type)


def _read_inference(audited: AuditedItem, domain: Domain) -> Inference | None:
    """Return the first interpretation of an item, None if the auditor could not parse or decide it."""
    if audited.verdict == UNPARSED:
        return None
    premises, hypothesis = audited.item.sentences
    return read_item(premises, hypothesis, domain).readings[0].inference


def _describe_files(paths: Sequence[Path]) -> Iterable[str]:
    for path in paths:
        if file_sha256(path) not in HASHES.values():
            expected = "the published file" if path.name in HASHES else f"one of {', '.join(HASHES)}"
            yield f"{path.name}: is not byte for byte {expected}"


def _describe_counts(
    family: NormativeTemplates, problems: Mapping[str, Sequence[PublishedProblem]]
) -> Iterable[str]:
    """Yield the configs and the cells whose number of items is not the paper's."""
    for task, domain in product(ALL_TASKS, ALL_DOMAINS):
        cells = [
            PublishedCell(domain, task, pattern.id, content_type)
            for pattern in family.patterns_of(domain, task)
            for content_type in content_types_of(pattern)
        ]
        config = f"{domain}_{task}"
        counts = Counter(problem.cell for problem in problems.get(config, ()))
        if counts == dict.fromkeys(cells, PER_CELL):
            continue
        yield f"{config}: {counts.total():,} of {PER_CELL * len(cells):,} items"
        for cell in dict.fromkeys((*cells, *counts)) if counts else ():
            expected = PER_CELL if cell in cells else 0
            if counts[cell] != expected:
                name = f"{config}: {cell.pattern}, {cell.content_type}"
                yield f"{name}: {counts[cell]} items, expected {expected}"


# Prompts about the released items: built locally, never published.

_COLUMNS = {
    "gold": "audited.item.label",
    "pattern": "cell.pattern",
    "content_type": "cell.content_type",
    "content_id": "content",
    "audit": "audited.verdict",
    "derivation": "audited.judgement.proof",
    "countermodel": "audited.judgement.countermodel",
}


def dataset(data: PublishedNormative) -> DatasetSpec:
    """Return the specification of prompts about the items, in the paper's prompt styles.

    The gold labels are the published ones, also where the auditor contradicts them.
    """
    return make_dataset_spec(
        _IDENTITY, (_problem_table(data.family, config, rows) for config, rows in data.problems.items())
    )


def _problem_table(
    family: NormativeTemplates, config: str, problems: Sequence[PublishedProblem]
) -> TableSpec:
    domain, task = problems[0].cell.domain, problems[0].cell.task
    prompter = ProblemPrompts(family, exemplars(family, domain, task))
    lookup = lookup_over("problem", problems)
    styles, prefix = map(lookup_over("prompt_style", STYLES), (str, prompter.prefix))
    columns: dict[str, Expression] = {
        **attribute_columns(lookup, _COLUMNS),
        "id": Concatenation(parts=(f"{config}/", styles, "/", lookup(lambda problem: problem.id))),
        "language": Constant(value=family.instructions.language),
        "template_id": lookup(lambda problem: f"{domain}.{problem.cell.pattern}"),
        "prompt": Concatenation(parts=(prefix, lookup(lambda problem: prompter.render_item(*problem.texts)))),
        "prompt_style": styles,
        "proof": Constant(value="annotated"),
        "source": Constant(value=_SOURCE),
        "cluster_id": lookup(lambda problem: f"{config}/{problem.content}"),
        "domain": Constant(value=domain),
        "task": Constant(value=task),
        "premises": lookup(lambda problem: _SENTENCE_END.split(problem.texts[0]), STRINGS),
        "hypothesis": lookup(lambda problem: problem.texts[1]),
        "gold_basis": Constant(value="paper"),
        "gold_sdl": lookup(_standard_verdict),
        "logical_form": lookup(lambda problem: problem.inference and str(problem.inference)),
        "verdicts": lookup(_verdicts, VERDICT_TYPE),
        "findings": lookup(lambda problem: list(problem.audited.findings), STRINGS),
    }
    levels = {"prompt_style": STYLES, "problem": [problem.id for problem in problems]}
    return table(_IDENTITY, config, levels, columns, sparse=True)


def _standard_verdict(problem: PublishedProblem) -> str | None:
    return None if problem.inference is None else verdicts_of(problem.inference)[KD.name]


def _verdicts(problem: PublishedProblem) -> Document | None:
    return None if problem.inference is None else verdict_fields(verdicts_of(problem.inference))

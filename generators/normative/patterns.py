"""Inference patterns: their form, their gold, and which of them are the same inference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from polbias.generators.engine.entries import Entry, Text
from polbias.generators.logic.formula import DEONTIC, Formula, Inference, Necessarily, Possibly, rebuild
from polbias.generators.logic.syntax import FormulaError, parse_inference
from polbias.generators.normative.frames import DOMAINS, Domain, Force, Task
from polbias.locations import package_file
from polbias.template_files import fault, load_template

Gold = Literal["entailment", "non-entailment"]
GOLDS: tuple[Gold, Gold] = ("entailment", "non-entailment")


class _PatternEntry(Entry):
    id: Text
    form: Text
    premise: Force
    hypothesis: Force
    gold: Gold
    convention: Literal["paper"] | None = None
    domains: tuple[Domain, ...] = DOMAINS


class Relation(Entry):
    """Patterns that are logically the same inference about the same content.

    Attributes:
        kind: how they are the same.
        patterns: the ids of two patterns.
    """

    kind: Literal["contrapositive", "negated-content", "duality", "form"]
    patterns: tuple[str, str]


class Sentences(Entry):
    """Jinja texts of the sentences around the modal ones."""

    all: str
    is_: str
    is_not: str
    if_: str

    model_config = Entry.model_config | {"alias_generator": lambda name: name.strip("_").replace("_", "-")}


class PatternsFile(Entry):
    """templates/normative/patterns.yaml.

    Attributes:
        affirming: the forces that make a sentence true if its content is a duty or known; the other ones make
            it true if its content is forbidden or excluded.
        optional: the forces that make a sentence true if its content is optional.
    """

    logic: tuple[_PatternEntry, ...]
    syllogism: tuple[_PatternEntry, ...]
    relations: tuple[Relation, ...]
    affirming: tuple[Force, ...]
    optional: tuple[Force, ...]
    sentences: Sentences


@dataclass(frozen=True)
class Pattern:
    """An inference pattern.

    Attributes:
        id: as in the paper.
        task: logic or syllogism.
        form: what its sentences say; operators are deontic, see `in_domain`.
        premise: force of the premise, in a syllogism of the rule.
        hypothesis: force of the other modal sentence.
        gold: the paper's.
        by_convention: whether the gold is that of the enriched "or".
        domains: where the pattern is used.
    """

    id: str
    task: Task
    form: Inference
    premise: Force
    hypothesis: Force
    gold: Gold
    by_convention: bool
    domains: tuple[Domain, ...]

    @property
    def strict(self) -> bool:
        """Whether an item must have exactly this form.

        In a syllogism the same by duality will do; in the logic task the dual form is another pattern.
        """
        return self.task == "logic"

    def in_domain(self, domain: Domain) -> Inference:
        """Return the form with the operators of a domain."""
        return self.form.map(lambda formula: _in_domain(formula, domain))


def _in_domain(formula: Formula, domain: Domain) -> Formula:
    match formula:
        case Necessarily(modality, body) if modality == DEONTIC:
            return Necessarily(domain, _in_domain(body, domain))
        case Possibly(modality, body) if modality == DEONTIC:
            return Possibly(domain, _in_domain(body, domain))
        case _:
            return rebuild(formula, lambda part: _in_domain(part, domain))


def load_patterns(folder: Path | None = None) -> Mapping[str, Pattern]:
    """Read the patterns, in the order of the paper.

    Args:
        folder: a folder laid out like ``templates/normative``; by default that one.

    Raises:
        TemplateError: naming file, line and field.
    """
    path = (folder or package_file("templates/normative")) / "patterns.yaml"
    return patterns_of(path, load_template(path, PatternsFile))


def patterns_of(path: Path, file: PatternsFile) -> Mapping[str, Pattern]:
    """Return the patterns of a file that has been read.

    Args:
        path: of the file, for messages.
        file: its content.

    Raises:
        TemplateError: naming file, line and field.
    """
    patterns: dict[str, Pattern] = {}
    tasks: tuple[Task, ...] = ("logic", "syllogism")
    for task in tasks:
        for index, entry in enumerate(getattr(file, task)):
            try:
                form = parse_inference(entry.form)
            except FormulaError as error:
                raise fault(path, f"{task}.{index}.form", str(error)) from None
            patterns[entry.id] = Pattern(
                entry.id,
                task,
                form,
                entry.premise,
                entry.hypothesis,
                entry.gold,
                entry.convention is not None,
                entry.domains,
            )
    for index, relation in enumerate(file.relations):
        unknown = [name for name in relation.patterns if name not in patterns]
        if unknown:
            raise fault(path, f"relations.{index}", f"no pattern is called {unknown}; correct the name")
    return patterns

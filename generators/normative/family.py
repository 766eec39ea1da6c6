"""Template files of the family, read and checked against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import PositiveInt, model_validator

from polbias.files import package_file
from polbias.generators.engine.family import Applies, Erratum, load_errata
from polbias.generators.logic.formula import DEONTIC, Formula, Inference, Necessarily, Possibly, rebuild
from polbias.generators.logic.syntax import FormulaError, parse_inference
from polbias.generators.normative.frames import (
    DOMAINS,
    Domain,
    Force,
    FramesFile,
    LogicFile,
    SyllogismFile,
    Task,
    load_contents,
    load_frames,
)
from polbias.template_files import Entry, Identity, Name, Text, Version, every, fault, load_template, slots

# Inference patterns: their form, their gold, and which of them are the same inference.

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
    """Read the patterns, in the order of the paper."""
    path = (folder or package_file("templates/normative")) / "patterns.yaml"
    return patterns_of(path, load_template(path, PatternsFile))


def patterns_of(path: Path, file: PatternsFile) -> Mapping[str, Pattern]:
    """Return the patterns of a file that has been read."""
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


# All template files of the normative family, read and checked against each other.

PromptStyle = Literal["zero", "few", "cot"]
Origin = Literal["deontic/logic", "deontic/syllogism", "epistemic/logic", "epistemic/syllogism"]


class _Concerned(Applies):
    domain: tuple[Domain, ...] | None = None
    task: tuple[Task, ...] | None = None
    pattern: tuple[str, ...] | None = None
    prompt_style: tuple[str, ...] | None = None


class _Large(Entry):
    identity: Identity


class Subject(Entry):
    """Who an act is demanded of.

    Attributes:
        id: unique.
        subject: before the verb.
        be: its form of "be".
        object: after "for"; empty if it is left unsaid.
        possessive: instead of "your".
    """

    id: Name
    subject: Text
    be: Literal["am", "are", "is"]
    object: str
    possessive: Text


class DatasetFile(Entry):
    """Identities and design constants.

    Attributes:
        identity: of the dataset.
        xl: the large set.
        subjects: of acts; the first one is that of the paper.
        draws: the version that seeds go by.
        paper: how the paper is cited in ``source``.
        provenance: wordings of ``source`` by domain and task.
        per_cell: problems per pattern and content type.
    """

    identity: Identity
    xl: _Large
    subjects: tuple[Subject, ...]
    draws: Version
    paper: Text
    provenance: Annotated[Mapping[Origin, Annotated[str, slots("paper")]], every(Origin)]
    per_cell: PositiveInt


class _Instruction(Entry):
    source: Text
    text: str


class _Style(Entry):
    text: str
    exemplars: bool


class InstructionsFile(Entry):
    """Instructions, prompt styles and layout."""

    language: Text
    texts: Mapping[str, _Instruction]
    styles: Annotated[Mapping[PromptStyle, _Style], every(PromptStyle)]
    item: str
    exemplar: str

    @model_validator(mode="after")
    def _texts_there(self) -> InstructionsFile:
        for name, style in self.styles.items():
            if style.text not in self.texts:
                known = ", ".join(self.texts)
                raise ValueError(f"styles.{name}.text: found {style.text!r}, expected one of texts: {known}")
        return self


@dataclass(frozen=True)
class Family:
    """The templates of the normative family.

    Attributes:
        folder: where they were read from.
        dataset: the dataset as a whole.
        file: the patterns file, for sentences, statuses and relations.
        patterns: by id.
        frames: by domain.
        logic: contents of the logic task, by domain.
        syllogism: contents of the syllogism task, by domain.
        instructions: prompts.
        errata: of the original.
    """

    folder: Path
    dataset: DatasetFile
    file: PatternsFile
    patterns: Mapping[str, Pattern]
    frames: Mapping[Domain, FramesFile]
    logic: Mapping[Domain, LogicFile]
    syllogism: Mapping[Domain, SyllogismFile]
    instructions: InstructionsFile
    errata: Sequence[Erratum[_Concerned]]

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Patterns that are the same inference."""
        return self.file.relations

    def contents_path(self, domain: Domain, task: Task) -> Path:
        """Return where the contents of a task stand."""
        return _contents_path(self.folder, domain, task)

    def patterns_of(self, domain: Domain, task: Task) -> tuple[Pattern, ...]:
        """Return the patterns of a task in a domain, in the order of the paper."""
        return tuple(p for p in self.patterns.values() if p.task == task and domain in p.domains)


def _contents_path(folder: Path, domain: Domain, task: Task) -> Path:
    return folder / "contents" / f"{domain}_{task}.yaml"


def load_family(folder: Path | None = None) -> Family:
    """Read the normative templates."""
    folder = folder or package_file("templates/normative")
    patterns_path = folder / "patterns.yaml"
    patterns_file = load_template(patterns_path, PatternsFile)
    patterns = patterns_of(patterns_path, patterns_file)
    family = Family(
        folder,
        load_template(folder / "dataset.yaml", DatasetFile),
        patterns_file,
        patterns,
        {domain: load_frames(folder, domain) for domain in DOMAINS},
        {d: load_contents(_contents_path(folder, d, "logic"), LogicFile) for d in DOMAINS},
        {d: load_contents(_contents_path(folder, d, "syllogism"), SyllogismFile) for d in DOMAINS},
        load_template(folder / "instructions.yaml", InstructionsFile),
        load_errata(folder, Erratum[_Concerned]),
    )
    for domain in DOMAINS:
        files: Mapping[Task, LogicFile | SyllogismFile] = {
            "logic": family.logic[domain],
            "syllogism": family.syllogism[domain],
        }
        for task, file in files.items():
            wanted = {pattern.id for pattern in family.patterns_of(domain, task)}
            if set(file.exemplars) != wanted:
                problem = f"found exemplars for {sorted(file.exemplars)}, expected {sorted(wanted)}"
                raise fault(family.contents_path(domain, task), "exemplars", problem)
    return family

"""All template files of the normative family, read and checked against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import PositiveInt, model_validator

from polbias.generators.engine.entries import Entry, Identity, Name, Text, Version, every, slots
from polbias.generators.engine.family import Applies, Erratum, load_errata
from polbias.generators.normative.contents import LogicFile, SyllogismFile, load_contents
from polbias.generators.normative.frames import DOMAINS, Domain, FramesFile, Task, load_frames
from polbias.generators.normative.patterns import (
    Pattern,
    PatternsFile,
    Relation,
    patterns_of,
)
from polbias.locations import package_file
from polbias.template_files import fault, load_template

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
    """Read the normative templates.

    Args:
        folder: a folder laid out like ``templates/normative``; by default that one.

    Raises:
        TemplateError: naming file, line, field, what was found and what was expected.
    """
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

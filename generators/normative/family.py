"""All template files of the normative family, read and checked against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from polbias.generators.engine.entries import Entry, Identity, Name, Text, Version
from polbias.generators.engine.templates import fault, load_template
from polbias.generators.normative.contents import LogicFile, SyllogismFile, load_contents
from polbias.generators.normative.frames import DOMAINS, Domain, FramesFile, Task, load_frames
from polbias.generators.normative.patterns import (
    Pattern,
    PatternsFile,
    Relation,
    patterns_of,
)
from polbias.locations import package_file


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
    provenance: Mapping[str, str]
    per_cell: int


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
    styles: Mapping[str, _Style]
    item: str
    exemplar: str


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
    """

    folder: Path
    dataset: DatasetFile
    file: PatternsFile
    patterns: Mapping[str, Pattern]
    frames: Mapping[Domain, FramesFile]
    logic: Mapping[Domain, LogicFile]
    syllogism: Mapping[Domain, SyllogismFile]
    instructions: InstructionsFile

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Patterns that are the same inference."""
        return self.file.relations

    def patterns_of(self, domain: Domain, task: Task) -> tuple[Pattern, ...]:
        """Return the patterns of a task in a domain, in the order of the paper."""
        return tuple(p for p in self.patterns.values() if p.task == task and domain in p.domains)


def load_family(folder: Path | None = None) -> Family:
    """Read the normative templates.

    Args:
        folder: a folder laid out like ``templates/normative``; by default that one.

    Raises:
        TemplateError: naming file, line, field, what was found and what was expected.
    """
    folder = folder or package_file("templates/normative")
    contents, patterns_path = folder / "contents", folder / "patterns.yaml"
    patterns_file = load_template(patterns_path, PatternsFile)
    patterns = patterns_of(patterns_path, patterns_file)
    family = Family(
        folder,
        load_template(folder / "dataset.yaml", DatasetFile),
        patterns_file,
        patterns,
        {domain: load_frames(folder, domain) for domain in DOMAINS},
        {domain: load_contents(contents / f"{domain}_logic.yaml", LogicFile) for domain in DOMAINS},
        {domain: load_contents(contents / f"{domain}_syllogism.yaml", SyllogismFile) for domain in DOMAINS},
        load_template(folder / "instructions.yaml", InstructionsFile),
    )
    for domain in DOMAINS:
        for task, file in (("logic", family.logic[domain]), ("syllogism", family.syllogism[domain])):
            wanted = {p.id for p in patterns.values() if p.task == task and domain in p.domains}
            if set(file.exemplars) != wanted:
                path = contents / f"{domain}_{task}.yaml"
                problem = f"found exemplars for {sorted(file.exemplars)}, expected {sorted(wanted)}"
                raise fault(path, "exemplars", problem)
    return family

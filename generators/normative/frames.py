"""Modal frames: the words around a content, by force, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from polbias.generators.engine.entries import Entry, Name, Text, every
from polbias.generators.logic.formula import And, Formula, Necessarily, Not, Possibly
from polbias.template_files import load_template

Domain = Literal["deontic", "epistemic"]
Task = Literal["logic", "syllogism"]
Tense = Literal["present", "past"]
DOMAINS: tuple[Domain, ...] = ("deontic", "epistemic")
TASKS: tuple[Task, ...] = ("logic", "syllogism")
# The six kinds of modal sentence (Tables 8 and 9): necessity or possibility, of the content or its negation,
# or denied.
Force = Literal["Mu", "Mi", "MuNot", "MiNot", "NotMu", "NotMi"]


class Frame(Entry):
    """One way to express obligation, permission, certainty or possibility.

    Attributes:
        id: unique within the domain.
        source: table of the paper.
        forms: force to Jinja text, or to one per tense.
        split: whether the operator stands between subject and predicate, so that its scope is within "all".
        tasks: where it is used.
        readings: ``"bilateral"`` if it may also be taken as "may, and may not".
    """

    id: Name
    source: Text
    forms: Mapping[Force, str | Annotated[Mapping[Tense, str], every(Tense)]]
    split: bool = False
    tasks: tuple[Task, ...] = TASKS
    readings: Literal["bilateral"] | None = None

    def __hash__(self) -> int:
        return hash(self.id)

    def text(self, force: Force, tense: Tense) -> str:
        """Return the Jinja text for a force and tense."""
        form = self.forms[force]
        return form if isinstance(form, str) else form[tense]

    def formulas(self, domain: Domain, force: Force, content: Formula) -> tuple[Formula, ...]:
        """Return what the frame says of a content: the reading meant, then others that it may be given."""
        meant = modal(domain, force, content)
        if self.readings != "bilateral":
            return (meant,)
        both = And((Possibly(domain, content), Possibly(domain, Not(content))))
        return meant, Not(both) if force == "NotMi" else both


def modal(domain: Domain, force: Force, content: Formula) -> Formula:
    """Return a modal formula.

    Args:
        domain: names the modality.
        force: which of the six.
        content: what it is said of.
    """
    body = Not(content) if force in ("MuNot", "MiNot") else content
    formula = Necessarily(domain, body) if force in ("Mu", "MuNot", "NotMu") else Possibly(domain, body)
    return Not(formula) if force in ("NotMu", "NotMi") else formula


class FramesFile(Entry):
    """The frames of a domain."""

    domain: Domain
    frames: tuple[Frame, ...]

    def of(self, task: Task, force: Force, split: bool = False) -> tuple[Frame, ...]:
        """Return the frames that can express a force in a task.

        Args:
            task: where.
            force: what.
            split: whether the frame is put on "all B": then in the epistemic domain the operator must stand
                between subject and predicate. A deontic frame names the obligee outside its scope.
        """
        return tuple(
            frame
            for frame in self.frames
            if task in frame.tasks
            and force in frame.forms
            and (frame.split or not split or self.domain == "deontic")
        )


def load_frames(folder: Path, domain: Domain) -> FramesFile:
    """Read the frames of a domain.

    Raises:
        TemplateError: naming file, line and field.
    """
    return load_template(folder / f"frames.{domain}.yaml", FramesFile)

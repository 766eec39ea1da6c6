"""Frames and contents, as their template files have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, StringConstraints, model_validator

from polbias.aliases import Document
from polbias.generators.logic.formula import And, Formula, Necessarily, Not, Possibly
from polbias.template_files import Entry, Name, Text, checked, every, fault, load_template

# Modal frames: the words around a content, by force, and what they say.

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
    """Return a modal formula."""
    body = Not(content) if force in ("MuNot", "MiNot") else content
    formula = Necessarily(domain, body) if force in ("Mu", "MuNot", "NotMu") else Possibly(domain, body)
    return Not(formula) if force in ("NotMu", "NotMi") else formula


class FramesFile(Entry):
    """The frames of a domain."""

    domain: Domain
    frames: tuple[Frame, ...]

    def of(self, task: Task, force: Force, split: bool = False) -> tuple[Frame, ...]:
        """Return the frames that can express a force in a task."""
        return tuple(
            frame
            for frame in self.frames
            if task in frame.tasks
            and force in frame.forms
            and (frame.split or not split or self.domain == "deontic")
        )


def load_frames(folder: Path, domain: Domain) -> FramesFile:
    """Read the frames of a domain."""
    return load_template(folder / f"frames.{domain}.yaml", FramesFile)


# Contents: what the modal operators are put before. The same content runs through all patterns of a task.

ContentType = Literal["congruent", "incongruent", "arbitrary", "nonsense"]
# After the verb: may be empty, and may leave a place for the possessive of the subject.
Rest = Annotated[str, StringConstraints(pattern=r"^(?:[^\n{}]|\{possessive\})*$")]


class _Content(Entry):
    id: Name
    why: Text


class Act(_Content):
    """What someone ought, may or must not do.

    Attributes:
        status: what common sense says of it; optional is neither a duty nor forbidden.
        act: verb phrase in the base form, of "you".
    """

    status: Literal["obligatory", "forbidden", "optional", "nonsense"]
    act: Text


class Choice(_Content):
    """Two acts, and how their disjunction is said.

    Attributes:
        type: whether both premise and conclusion agree with common sense.
        act: the first disjunct.
        either: the disjunction, with what is left out as usual.
        alternative: the second disjunct in full.
    """

    type: ContentType
    act: Text
    either: Text
    alternative: Text

    @model_validator(mode="after")
    def _begins_with_first(self) -> Choice:
        if not self.either.startswith(f"{self.act} or "):
            raise ValueError(f"either: found {self.either!r}, expected it to begin with '{self.act} or '")
        return self


class Proposition(_Content):
    """What is certain, possible or excluded.

    Attributes:
        status: what common knowledge says of it; open is nothing.
        subject: as within a sentence.
        number: of the subject.
        verb: base form, one word.
        rest: everything after the verb.
        tense: of the fact.
    """

    status: Literal["known", "excluded", "open", "nonsense"]
    subject: Text
    number: Literal["singular", "plural"]
    verb: Name
    rest: Rest = ""
    tense: Literal["present", "past"]


class Group(Entry):
    """A noun phrase for the members of a group, without article."""

    singular: Text
    plural: Text


class Rule(_Content):
    """A rule or generalization about a group, and an individual.

    Attributes:
        type: whether the rule agrees with common sense; the individual is neutral.
        group: B.
        name: the individual A.
        gender: its pronoun.
        verb: of C, base form, one word.
        rest: everything after the verb.
        tense: of C; rules about what one must do are in the present.
    """

    type: ContentType
    group: Group
    name: Text
    gender: Literal["she", "he", "it"]
    verb: Name
    rest: Rest = ""
    tense: Literal["present", "past"] = "present"


Content = Act | Choice | Proposition | Rule


def content_type(
    content: Content, affirming: Sequence[str], optional: Sequence[str], forces: Sequence[str]
) -> ContentType:
    """Return whether a problem agrees with common sense (Table 4)."""
    if isinstance(content, Choice | Rule):
        return content.type
    match content.status:
        case "nonsense":
            return "nonsense"
        case "open":
            return "arbitrary"
        case "obligatory" | "known":
            agrees = set(forces) <= set(affirming)
        case "optional":
            agrees = set(forces) <= set(optional)
        case _:
            agrees = not set(forces) & set(affirming)
    return "congruent" if agrees else "incongruent"


class LogicFile(Entry):
    """Contents of the logic task in a domain: ``square`` ones, and pairs of acts for the disjunctions."""

    square: tuple[Act, ...] | tuple[Proposition, ...]
    choice: tuple[Choice, ...] = ()
    ross: tuple[Choice, ...] = ()
    exemplars: Mapping[str, Mapping[str, str]]


class SyllogismFile(Entry):
    """Contents of the syllogism task in one domain."""

    rules: tuple[Rule, ...] = Field(min_length=1)
    exemplars: Mapping[str, Document]


File = TypeVar("File", LogicFile, SyllogismFile)


def load_contents(path: Path, model: type[File]) -> File:
    """Read a file of contents and check that every content stands in it once."""
    file = load_template(path, model)
    entries: dict[str, Sequence[Content]] = (
        {"rules": file.rules}
        if isinstance(file, SyllogismFile)
        else {"square": file.square, "choice": file.choice, "ross": file.ross}
    )
    for attribute in ("id", "what is said"):
        seen: dict[Any, str] = {}
        for section, contents in entries.items():
            for index, content in enumerate(contents):
                place = f"{section}.{index}"
                value = content.id if attribute == "id" else _said(content)
                if value in seen:
                    raise fault(path, place, f"{attribute} ({value!r}) stands at {seen[value]} too; keep one")
                seen[value] = place
    return file


def _said(content: Content) -> object:
    match content:
        case Act():
            return content.act
        case Choice():
            return content.either
        case Proposition():
            return content.subject, content.verb, content.rest
        case Rule():
            return content.group.singular, content.verb, content.rest


def exemplar(path: Path, example: Document, model: type[Content], pattern: str) -> Content:
    """Return the content of an exemplar, which has no id or reason of its own."""
    named = {"id": f"exemplar-{pattern.lower()}", "why": "exemplar", **example}
    return checked(path, f"exemplars.{pattern}", named, model)

"""Template files of the normative dataset, parsed and cross-checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, PositiveInt, StringConstraints, model_validator

from polbias.aliases import Document
from polbias.generators.engine.errata import Erratum, ErratumScope, load_errata
from polbias.generators.logic.formula import (
    DEONTIC,
    And,
    ForAll,
    Formula,
    Implies,
    Inference,
    Modal,
    Necessarily,
    Not,
    Possibly,
    rebuild,
)
from polbias.generators.logic.syntax import FormulaError, parse_inference
from polbias.paths import package_file
from polbias.yaml_models import (
    Identity,
    Name,
    TemplateModel,
    Text,
    Version,
    field_error,
    load_template,
    require_all_names,
    require_placeholders,
)

# Modal frames: the wording around a content, by force, and its formulas.

Domain = Literal["deontic", "epistemic"]
Task = Literal["logic", "syllogism"]
Tense = Literal["present", "past"]
DOMAINS: tuple[Domain, ...] = ("deontic", "epistemic")
# Operators of different flavour are different operators.
Flavour = Literal["deontic", "alethic", "certainty", "knowledge"]
TASKS: tuple[Task, ...] = ("logic", "syllogism")
# Eight kinds of modal sentence: necessity or possibility of the content or of its negation, affirmed or
# negated. Tables 8 and 9 have the first six.
Force = Literal["Mu", "Mi", "MuNot", "MiNot", "NotMu", "NotMi", "NotMuNot", "NotMiNot"]
NECESSITIES: tuple[Force, ...] = ("Mu", "MuNot", "NotMu", "NotMuNot")


class ModalFrame(TemplateModel):
    """Wording of obligation, permission, certainty or possibility.

    Attributes:
        id: id, unique within the domain.
        source: table of the paper.
        flavour: flavour of the operator.
        forms: Jinja template by force, or by force and tense.
        split: whether the operator is between subject and predicate, so that "all" has wide scope.
        tasks: tasks that use the frame.
        readings: ``"bilateral"`` if the frame can also mean "may, and may not".
        of_you: whether the subject must be "you"; "she may" is mostly read as "perhaps she does".
    """

    id: Name
    source: Text
    flavour: Flavour = "deontic"
    forms: Mapping[Force, str | Annotated[Mapping[Tense, str], require_all_names(Tense)]]
    split: bool = False
    tasks: tuple[Task, ...] = TASKS
    readings: Literal["bilateral"] | None = None
    of_you: bool = False

    def __hash__(self) -> int:
        return hash(self.id)

    def text(self, force: Force, tense: Tense) -> str:
        """Return the Jinja template for a force and tense."""
        form = self.forms[force]
        return form if isinstance(form, str) else form[tense]

    def formulas(self, force: Force, content: Formula) -> tuple[Formula, ...]:
        """Return the formulas of the frame around a content, the intended interpretation first."""
        body = Not(content) if force.removeprefix("Not").endswith("Not") else content
        formula: Formula = (Necessarily if force in NECESSITIES else Possibly)(self.flavour, body)
        formula = Not(formula) if force.startswith("Not") else formula
        if self.readings != "bilateral":
            return (formula,)
        bilateral = And((Possibly(self.flavour, content), Possibly(self.flavour, Not(content))))
        return formula, Not(bilateral) if force.startswith("Not") else bilateral


class FramesFile(TemplateModel):
    """Frames of a domain."""

    domain: Domain
    frames: tuple[ModalFrame, ...]

    def select(self, task: Task, force: Force, split: bool = False) -> tuple[ModalFrame, ...]:
        """Return the frames that can express a force in a task."""
        return tuple(
            frame
            for frame in self.frames
            if task in frame.tasks
            and force in frame.forms
            and (frame.split or not split or self.domain == "deontic")
        )


# Contents: operands of the modal operators. All patterns of a task use the same contents.

ContentType = Literal["congruent", "incongruent", "arbitrary", "nonsense", "other"]
# Text after the verb: may be empty, or have a placeholder for the possessive of the subject.
VerbRemainder = Annotated[str, StringConstraints(pattern=r"^(?:[^\n{}]|\{possessive\})*$")]


class _Content(TemplateModel):
    id: Name
    why: Text


class ActContent(_Content):
    """Act that is obligatory, permitted or prohibited.

    Attributes:
        status: status by common sense; optional is neither a duty nor prohibited.
        act: verb phrase in the base form; its subject is "you".
    """

    status: Literal["duty", "prohibition", "optional", "nonsense"]
    act: Text


class DisjunctionContent(_Content):
    """Two acts, with the wording of their disjunction.

    Attributes:
        type: congruent if both premise and conclusion agree with common sense.
        act: first disjunct.
        either: disjunction, with the usual ellipsis.
        alternative: second disjunct in full.
    """

    type: ContentType
    act: Text
    either: Text
    alternative: Text

    @model_validator(mode="after")
    def _check_either(self) -> DisjunctionContent:
        if not self.either.startswith(f"{self.act} or "):
            raise ValueError(f"either: found {self.either!r}, expected it to begin with '{self.act} or '")
        return self


class Proposition(_Content):
    """Proposition that is certain, possible or excluded.

    Attributes:
        status: status by common knowledge; an open proposition may be true or false.
        subject: subject, capitalized as within a sentence.
        number: number of the subject.
        verb: verb in the base form, one word.
        rest: text after the verb.
        tense: tense of the proposition.
    """

    status: Literal["known", "excluded", "open", "nonsense"]
    subject: Text
    number: Literal["singular", "plural"]
    verb: Name
    rest: VerbRemainder = ""
    tense: Literal["present", "past"]


class GroupNoun(TemplateModel):
    """Noun phrase for the members of a group, without article."""

    singular: Text
    plural: Text


class RuleContent(_Content):
    """Rule or generalization "all B are C" about a group, with an individual.

    Attributes:
        type: whether the rule agrees with common sense; the individual is neutral.
        group: group B.
        name: name of the individual A.
        gender: pronoun of the individual.
        verb: verb of the predicate C in the base form, one word.
        rest: text after the verb.
        tense: tense of C; deontic rules are in the present.
    """

    type: ContentType
    group: GroupNoun
    name: Text
    gender: Literal["she", "he", "it"]
    verb: Name
    rest: VerbRemainder = ""
    tense: Literal["present", "past"] = "present"


Content = ActContent | DisjunctionContent | Proposition | RuleContent


class _ContentsFile(TemplateModel):
    exemplars: Mapping[str, Document]

    @property
    def sections(self) -> Mapping[str, Sequence[Content]]:
        """Contents by section."""
        return {name: getattr(self, name) for name in type(self).model_fields if name != "exemplars"}


class LogicFile(_ContentsFile):
    """Contents of the logic task in a domain: ``square``, and pairs of acts for the disjunctions."""

    square: tuple[ActContent, ...] | tuple[Proposition, ...]
    choice: tuple[DisjunctionContent, ...] = ()
    ross: tuple[DisjunctionContent, ...] = ()
    exemplars: Mapping[str, Mapping[str, str]]


class SyllogismFile(_ContentsFile):
    """Contents of the syllogism task in one domain."""

    rules: tuple[RuleContent, ...] = Field(min_length=1)


def load_contents(path: Path, task: Task) -> _ContentsFile:
    """Load a file of contents and check that ids and wordings are unique."""
    file: _ContentsFile = load_template(path, LogicFile if task == "logic" else SyllogismFile)
    seen: dict[tuple[str, object], str] = {}
    for section, contents in file.sections.items():
        for index, content in enumerate(contents):
            location = f"{section}.{index}"
            for key_value in (("id", content.id), ("wording", _wording(content))):
                if key_value in seen:
                    attribute, value = key_value
                    raise field_error(
                        path,
                        location,
                        f"found the {attribute} {value!r} of {seen[key_value]}, expected another; drop one",
                    )
                seen[key_value] = location
    return file


def _wording(content: Content) -> object:
    match content:
        case ActContent():
            return content.act
        case DisjunctionContent():
            return content.either
        case Proposition():
            return content.subject, content.verb, content.rest
        case RuleContent():
            return content.group.singular, content.verb, content.rest


# Inference patterns: form, gold label and equivalences.

Status = Literal["duty", "prohibition", "optional"]
_STATUSES: Mapping[str, Status] = {"known": "duty", "excluded": "prohibition", "open": "optional"}
Gold = Literal["entailment", "non-entailment"]
GOLDS: tuple[Gold, Gold] = ("entailment", "non-entailment")


class InferencePattern(TemplateModel):
    """Inference pattern.

    Attributes:
        task: logic or syllogism.
        id: id in the paper.
        text: form as text.
        premise: force of the premise; in a syllogism, of the rule.
        hypothesis: force of the other modal sentence.
        gold: gold label, that of the paper if the paper has the pattern.
        statuses: statuses of the contents that the paper's config uses, besides nonsense; empty for all.
        convention: ``"paper"`` if the gold assumes the enriched "or".
        domains: domains that use the pattern.
        paper: whether the paper has the pattern; the others are in the balanced configs only.
    """

    task: ClassVar[Task]
    id: Text
    text: Text = Field(alias="form")
    premise: Force
    hypothesis: Force
    gold: Gold
    statuses: tuple[Status, ...] = ()
    convention: Literal["paper"] | None = None
    domains: tuple[Domain, ...] = DOMAINS
    paper: bool = True

    @cached_property
    def form(self) -> Inference:
        """Parsed form; its operators are deontic, see `in_domain`."""
        return parse_inference(self.text)

    @model_validator(mode="after")
    def _check_form(self) -> InferencePattern:
        try:
            _ = self.form
        except FormulaError as error:
            raise ValueError(f"form: {error}") from None
        return self

    def takes(self, content: Content) -> bool:
        """Whether the pattern is used with a content, by its status."""
        status = getattr(content, "status", "nonsense")
        return not self.statuses or _STATUSES.get(status, status) in (*self.statuses, "nonsense")

    @property
    def by_convention(self) -> bool:
        """Whether the gold assumes the enriched "or"."""
        return self.convention is not None

    @cached_property
    def is_reversed(self) -> bool:
        """Whether the rule of a syllogism infers membership from the predicate ("only B are C")."""
        rule = self.form.premises[0]
        rule = rule.body if isinstance(rule, ForAll) else rule
        return isinstance(rule, Implies) and isinstance(rule.antecedent, Not | Modal)

    @property
    def strict(self) -> bool:
        """Whether an item must have exactly this form.

        A syllogism may also have the dual form; in the logic task the dual form is another pattern.
        """
        return self.task == "logic"

    def in_domain(self, domain: Domain) -> Inference:
        """Return the form with the operators of a domain."""
        return self.form.map(lambda formula: _in_domain(formula, domain))


def _in_domain(formula: Formula, domain: Domain) -> Formula:
    if isinstance(formula, Modal) and formula.modality == DEONTIC:
        return type(formula)(domain, _in_domain(formula.body, domain))
    return rebuild(formula, lambda part: _in_domain(part, domain))


class _LogicPattern(InferencePattern):
    task = "logic"


class _SyllogismPattern(InferencePattern):
    task = "syllogism"


class Relation(TemplateModel):
    """Equivalence of two patterns about the same content.

    Attributes:
        kind: kind of equivalence.
        patterns: ids of the two patterns.
    """

    kind: Literal["contrapositive", "negated-content", "duality", "form"]
    patterns: tuple[str, str]


class BalancedExemplar(TemplateModel):
    """Few-shot example of a balanced config.

    Attributes:
        pattern: id of the pattern.
        content: id of the paper's pattern whose few-shot example has the content.
    """

    pattern: str
    content: str


class Sentences(TemplateModel):
    """Jinja templates of the non-modal sentences and of the sentence parts around modal clauses."""

    all: str
    only: str
    is_: str
    is_not: str
    if_: str

    model_config = TemplateModel.model_config | {
        "alias_generator": lambda name: name.strip("_").replace("_", "-")
    }


class PatternsFile(TemplateModel):
    """Model of templates/normative/patterns.yaml.

    Attributes:
        affirming: forces that make a sentence true if its content is a duty or known; the other forces make
            it true if its content is a prohibition or excluded.
        optional: forces that make a sentence true if its content is optional or open.
        balanced_exemplars: few-shot examples of the balanced configs, in order, by task.
    """

    logic: tuple[_LogicPattern, ...]
    syllogism: tuple[_SyllogismPattern, ...]
    relations: tuple[Relation, ...]
    balanced_exemplars: Annotated[Mapping[Task, tuple[BalancedExemplar, ...]], require_all_names(Task)]
    affirming: tuple[Force, ...]
    optional: tuple[Force, ...]
    sentences: Sentences

    @property
    def patterns(self) -> Mapping[str, InferencePattern]:
        """Patterns by id, in the order of the paper."""
        return {pattern.id: pattern for pattern in (*self.logic, *self.syllogism)}

    def content_type(self, content: Content, pattern: InferencePattern) -> ContentType:
        """Return the content type of a problem: its agreement with common sense (Table 4).

        It is ``"other"`` for the reverse of a rule, which nobody judged, and for two sentences that are true
        but say less than common sense does, such as "you may feed your children".
        """
        if isinstance(content, DisjunctionContent | RuleContent):
            return "other" if pattern.is_reversed and content.type != "nonsense" else content.type
        forces = {pattern.premise, pattern.hypothesis}
        match content.status:
            case "nonsense":
                return "nonsense"
            case "duty" | "known":
                is_congruent = forces <= {*self.affirming}
            case "optional" | "open":
                is_congruent = forces <= {*self.optional}
            case _:
                is_congruent = forces.isdisjoint(self.affirming)
        if is_congruent and content.status not in ("optional", "open") and forces <= {*self.optional}:
            return "other"
        return "congruent" if is_congruent else "incongruent"

    @model_validator(mode="after")
    def _check_relations(self) -> PatternsFile:
        for index, relation in enumerate(self.relations):
            if unknown := [name for name in relation.patterns if name not in self.patterns]:
                raise ValueError(f"relations.{index}: no pattern is called {unknown}; correct the name")
        for task, entries in self.balanced_exemplars.items():
            for index, entry in enumerate(entries):
                for name in (entry.pattern, entry.content):
                    if name not in self.patterns:
                        location = f"balanced_exemplars.{task}.{index}"
                        raise ValueError(f"{location}: no pattern is called {name!r}; correct the name")
        return self


def load_patterns(folder: Path | None = None) -> Mapping[str, InferencePattern]:
    """Load the patterns, in the order of the paper."""
    path = (folder or package_file("templates/normative")) / "patterns.yaml"
    return load_template(path, PatternsFile).patterns


# All template files of the normative dataset, cross-checked.

PromptStyle = Literal["zero", "few", "cot"]
Origin = Literal["deontic/logic", "deontic/syllogism", "epistemic/logic", "epistemic/syllogism"]


class _NormativeScope(ErratumScope):
    domain: tuple[Domain, ...] | None = None
    task: tuple[Task, ...] | None = None
    pattern: tuple[str, ...] | None = None
    balanced: bool | None = None
    prompt_style: tuple[str, ...] | None = None


class NormativeDatasetFile(TemplateModel):
    """Identity and design constants.

    Attributes:
        identity: identity of the dataset.
        draws: version in the seeds.
        paper: citation of the paper in ``source``.
        provenance: wordings of ``source`` by domain and task.
        per_cell: number of problems per pattern and content type.
        per_cell_balanced: number of contents per status or type of rule in the balanced configs, by task.
        balanced_note: addition to ``source`` in the balanced configs.
    """

    identity: Identity
    draws: Version
    paper: Text
    provenance: Annotated[
        Mapping[Origin, Annotated[str, require_placeholders("paper")]], require_all_names(Origin)
    ]
    per_cell: PositiveInt
    per_cell_balanced: Annotated[Mapping[Task, PositiveInt], require_all_names(Task)]
    balanced_note: Text


class _Instruction(TemplateModel):
    source: Text
    text: str


class _Style(TemplateModel):
    text: str
    exemplars: bool


class NormativeInstructions(TemplateModel):
    """Instructions, prompt styles and layout."""

    language: Text
    texts: Mapping[str, _Instruction]
    styles: Annotated[Mapping[PromptStyle, _Style], require_all_names(PromptStyle)]
    item: str
    exemplar: str

    @model_validator(mode="after")
    def _check_style_texts(self) -> NormativeInstructions:
        for name, style in self.styles.items():
            if style.text not in self.texts:
                names = ", ".join(self.texts)
                raise ValueError(f"styles.{name}.text: found {style.text!r}, expected one of texts: {names}")
        return self


@dataclass(frozen=True)
class NormativeTemplates:
    """Templates of the normative dataset.

    Attributes:
        folder: folder of the template files.
        dataset: identity and design constants.
        file: patterns file, with sentences, statuses and relations.
        frames: frames by domain.
        contents: contents by domain and task.
        instructions: instructions and prompt styles.
        errata: errata of the original.
    """

    folder: Path
    dataset: NormativeDatasetFile
    file: PatternsFile
    frames: Mapping[Domain, FramesFile]
    contents: Mapping[tuple[Domain, Task], _ContentsFile]
    instructions: NormativeInstructions
    errata: Sequence[Erratum[_NormativeScope]]

    def patterns_of(self, domain: Domain, task: Task) -> tuple[InferencePattern, ...]:
        """Return the paper's patterns of a task in a domain, in the order of the paper."""
        return tuple(p for p in self._all_patterns_of(domain, task) if p.paper)

    def balanced_patterns_of(self, domain: Domain, task: Task) -> tuple[InferencePattern, ...]:
        """Return the patterns of a balanced config: all whose gold is the verdict of the domain's logic."""
        return tuple(p for p in self._all_patterns_of(domain, task) if not p.by_convention)

    def _all_patterns_of(self, domain: Domain, task: Task) -> list[InferencePattern]:
        return [p for p in self.file.patterns.values() if p.task == task and domain in p.domains]


def contents_path(folder: Path, domain: Domain, task: Task) -> Path:
    """Return the path of the contents of a task."""
    return folder / "contents" / f"{domain}_{task}.yaml"


def load_family(folder: Path | None = None) -> NormativeTemplates:
    """Load the normative templates."""
    folder = folder or package_file("templates/normative")
    family = NormativeTemplates(
        folder,
        load_template(folder / "dataset.yaml", NormativeDatasetFile),
        load_template(folder / "patterns.yaml", PatternsFile),
        {domain: load_template(folder / f"frames.{domain}.yaml", FramesFile) for domain in DOMAINS},
        {(d, t): load_contents(contents_path(folder, d, t), t) for t in TASKS for d in DOMAINS},
        load_template(folder / "instructions.yaml", NormativeInstructions),
        load_errata(folder, Erratum[_NormativeScope]),
    )
    for domain, task in product(DOMAINS, TASKS):
        example_ids = sorted(family.contents[domain, task].exemplars)
        expected_ids = sorted(pattern.id for pattern in family.patterns_of(domain, task))
        if example_ids != expected_ids:
            problem = f"found exemplars for {example_ids}, expected {expected_ids}"
            raise field_error(contents_path(folder, domain, task), "exemplars", problem)
    return family

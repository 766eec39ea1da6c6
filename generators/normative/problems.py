"""The problems of a task: contents x patterns, each with a pair of frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from polbias.generators.engine.seeds import named_rng
from polbias.generators.logic.formula import Inference, Necessarily, Not
from polbias.generators.normative.contents import (
    Act,
    Choice,
    Content,
    ContentType,
    Proposition,
    Rule,
    content_type,
    exemplar,
)
from polbias.generators.normative.crossing import Pair, admissible, spread
from polbias.generators.normative.family import Family, Subject
from polbias.generators.normative.frames import Domain, Frame, Task
from polbias.generators.normative.golds import Known, known, logic_of
from polbias.generators.normative.patterns import Pattern
from polbias.generators.normative.sentences import Said, Writer
from polbias.template_files import fault

_CHOICES = {"FC-Or-Elim": "choice", "FC-Or-Intro": "choice", "Ross-Or-Intro": "ross"}
# The types of test items. Common sense never agrees with the conclusion of Ross's paradox.
_TESTED: tuple[ContentType, ...] = ("congruent", "incongruent", "nonsense")
_TYPES: Mapping[str, tuple[ContentType, ...]] = {"ross": ("incongruent", "nonsense")}


@dataclass(frozen=True)
class Problem:
    """Premises, a hypothesis, and everything that made them."""

    domain: Domain
    pattern: Pattern
    content: Content
    content_type: ContentType
    premise_frame: Frame
    hypothesis_frame: Frame
    premises: tuple[Said, ...]
    hypothesis: Said
    subject: Subject

    @property
    def id(self) -> str:
        """Pattern and content: unique within a task of a domain."""
        return f"{self.pattern.id}/{self.about}"

    @property
    def about(self) -> str:
        """The content, and whose it is."""
        if isinstance(self.content, Act) and self.subject.object:
            return f"{self.content.id}/{self.subject.id}"
        return self.content.id

    @property
    def inference(self) -> Inference:
        """What the problem says."""
        return Inference(tuple(said.formula for said in self.premises), self.hypothesis.formula)

    @property
    def known(self) -> Known:
        """How its gold is known.

        Raises:
            BuildError: if the gold contradicts its proof.
        """
        return known(self.inference, self.pattern, self.domain)


class Composer:
    """Puts the sentences of a problem together.

    Args:
        family: the templates.
        domain: of the problems.
    """

    def __init__(self, family: Family, domain: Domain) -> None:
        self._family, self._domain, self._writer = family, domain, Writer(family, domain)

    def compose(
        self, pattern: Pattern, content: Content, frames: Pair, subject: Subject | None = None
    ) -> Problem:
        """Return the problem of a pattern, a content and two frames; of an act also for another subject."""
        subject = subject or self._family.dataset.subjects[0]
        premises, hypothesis = self._parts(pattern, content, *frames, subject)
        kind = _type(self._family, pattern, content)
        return Problem(self._domain, pattern, content, kind, *frames, premises, hypothesis, subject)

    def _parts(
        self, pattern: Pattern, content: Content, first: Frame, second: Frame, subject: Subject
    ) -> tuple[tuple[Said, ...], Said]:
        if not isinstance(content, Rule):
            longer = isinstance(content, Choice)
            elimination = longer and pattern.id == "FC-Or-Elim"
            return (
                (self._writer.single(content, first, pattern.premise, elimination, subject),),
                self._writer.single(content, second, pattern.hypothesis, longer and not elimination, subject),
            )
        hypothetical = pattern.id.startswith("Hyp")
        rule = self._writer.rule(content, first, pattern.premise, hypothetical)
        conduct = self._writer.conduct(content, second, pattern.hypothesis, hypothetical)
        _, minor = pattern.form.premises
        modal_minor = isinstance(minor.body if isinstance(minor, Not) else minor, Necessarily)
        negated = isinstance(pattern.form.conclusion if modal_minor else minor, Not)
        belongs = self._writer.minor(content, negated, hypothetical)
        return ((rule, conduct), belongs) if modal_minor else ((rule, belongs), conduct)


def contents_of(family: Family, domain: Domain, pattern: Pattern) -> Sequence[Content]:
    """Return the contents that run through a pattern."""
    file = family.syllogism[domain] if pattern.task == "syllogism" else family.logic[domain]
    contents: Sequence[Content] = getattr(file, _section(pattern))
    return contents


def _section(pattern: Pattern) -> str:
    return "rules" if pattern.task == "syllogism" else _CHOICES.get(pattern.id, "square")


def problems(family: Family, domain: Domain, task: Task) -> list[Problem]:
    """Return the problems of a task, any stretch of them spread over patterns and content types.

    Raises:
        BuildError: if a gold label contradicts its proof.
    """
    rows = [list(_of_pattern(family, domain, pattern)) for pattern in family.patterns_of(domain, task)]
    return [problem for turn in zip_longest(*rows) for problem in turn if problem is not None]


def contents_in_turn(family: Family, domain: Domain, pattern: Pattern) -> list[Content]:
    """Return the contents of a pattern; types take turns, so that any stretch has as many of each.

    Raises:
        TemplateError: if there are too few of a type.
    """
    section = _section(pattern)
    kinds = sorted(_TYPES.get(section, _TESTED))
    typed: dict[str, list[Content]] = {kind: [] for kind in kinds}
    for content in contents_of(family, domain, pattern):
        typed.setdefault(_type(family, pattern, content), []).append(content)
    wanted = family.dataset.per_cell
    if min(len(typed[kind]) for kind in kinds) < wanted or len(typed) > len(kinds):
        found = ", ".join(f"{len(typed[kind])} {kind}" for kind in typed)
        raise fault(
            family.contents_path(domain, pattern.task),
            section,
            f"found {found} for pattern {pattern.id}, expected at least {wanted} of each of "
            f"{', '.join(kinds)}, which is per_cell in dataset.yaml; add some, or lower it",
        )
    return [typed[kind][turn] for turn in range(wanted) for kind in kinds]


def _type(family: Family, pattern: Pattern, content: Content) -> ContentType:
    file = family.file
    return content_type(content, file.affirming, file.optional, (pattern.premise, pattern.hypothesis))


def _of_pattern(family: Family, domain: Domain, pattern: Pattern) -> Iterator[Problem]:
    data, composer = family.dataset, Composer(family, domain)
    pairs = admissible(family, pattern, domain, logic_of(pattern, domain))
    contents = contents_in_turn(family, domain, pattern)
    rng = named_rng(data.identity.name, data.draws, f"frames/{domain}/{pattern.id}")
    groups = [_type(family, pattern, content) for content in contents]
    for content, frames in zip(contents, spread(pairs, groups, rng), strict=True):
        yield composer.compose(pattern, content, frames)


def exemplars(family: Family, domain: Domain, task: Task) -> list[Problem]:
    """Return one proved demonstration per pattern, in the order of the paper; none is a test item."""
    file = family.logic[domain] if task == "logic" else family.syllogism[domain]
    composer, data = Composer(family, domain), family.dataset
    path = family.contents_path(domain, task)
    shown = []
    for pattern in family.patterns_of(domain, task):
        model = _model(domain, pattern)
        content = exemplar(path, file.exemplars[pattern.id], model, pattern.id)
        pairs = admissible(family, pattern, domain, logic_of(pattern, domain))
        rng = named_rng(data.identity.name, data.draws, f"exemplar/{domain}/{pattern.id}")
        shown.append(composer.compose(pattern, content, pairs[int(rng.integers(len(pairs)))]))
    return shown


def _model(domain: Domain, pattern: Pattern) -> type[Content]:
    if pattern.task == "syllogism":
        return Rule
    if pattern.id in _CHOICES:
        return Choice
    return Act if domain == "deontic" else Proposition

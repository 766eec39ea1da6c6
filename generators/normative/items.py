"""Problems: sentences rendered from patterns, contents and frames, with proved gold labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product, zip_longest

import numpy as np
from numpy.typing import NDArray

from polbias.aliases import Document, Json
from polbias.errors import BuildError
from polbias.generators.engine.latin_square import named_rng
from polbias.generators.language.english import capitalize_first, with_indefinite_article
from polbias.generators.language.english_verbs import VerbPhrase
from polbias.generators.logic.explain import explain_form
from polbias.generators.logic.formula import (
    FREE_CHOICE,
    KD,
    KT,
    MODAL_LOGICS,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Logic,
    Necessarily,
    Not,
    Or,
    Possibly,
    form_of,
)
from polbias.generators.logic.prover import InferenceOutcome, ProofVerdict, decide_outcome, prove
from polbias.generators.normative.templates import (
    GOLDS,
    NECESSITIES,
    ActContent,
    Content,
    ContentType,
    DisjunctionContent,
    Domain,
    Force,
    Gold,
    InferencePattern,
    ModalFrame,
    NormativeTemplates,
    Proposition,
    RuleContent,
    Task,
    Tense,
    contents_path,
)
from polbias.jinja_texts import TemplateRenderer
from polbias.yaml_models import display_path, field_error

# Gold label of a problem: its verdict in every logic, and the proof or countermodel.

# Obligations can be violated, so deontic logic lacks axiom T; epistemic necessity implies truth (axiom T).
STANDARD: Mapping[Domain, Logic] = {"deontic": KD, "epistemic": KT}


def logic_of(pattern: InferencePattern, domain: Domain) -> Logic:
    """Return the logic whose verdict is the gold label of a pattern."""
    return FREE_CHOICE if pattern.by_convention else STANDARD[domain]


@dataclass(frozen=True)
class ProblemGold:
    """Gold label of a problem with its proof.

    Attributes:
        gold: gold label.
        gold_sdl: verdict of standard deontic logic (KD).
        basis: name of the logic, or ``"paper"`` where the gold follows the paper's convention, the enriched
            "or", instead of the standard logic of the domain.
        proof: ``proved:<logic>``.
        verdicts: verdict by name of logic.
        derivation: proof if the gold is entailment, else None.
        countermodel: countermodel of the inference if the gold is non-entailment, else None.
    """

    gold: Gold
    gold_sdl: Gold
    basis: str
    proof: str
    verdicts: Mapping[str, Gold]
    derivation: str | None
    countermodel: str | None


@lru_cache(maxsize=65536)
def gold_proof(inference: Inference, pattern: InferencePattern, domain: Domain) -> ProblemGold:
    """Prove the gold label of a problem.

    Raises:
        BuildError: if the proof contradicts the gold label of the pattern.
    """
    logic, form = logic_of(pattern, domain), form_of(inference)
    verdicts = verdicts_of(inference)
    text = explain_form(form, logic)
    gold = verdicts[logic.name]
    if gold != pattern.gold:
        raise BuildError(
            f"patterns.yaml: pattern {pattern.id}: the gold is {pattern.gold!r}, but {inference} is {gold} "
            f"in {logic.name} ({text}); correct the pattern"
        )
    valid = decide_outcome(form.inference, logic).valid
    return ProblemGold(
        pattern.gold,
        verdicts[KD.name],
        "paper" if pattern.by_convention else logic.name,
        f"proved:{logic.name}",
        verdicts,
        text if valid else None,
        None if valid else text,
    )


def verdicts_of(inference: Inference) -> Mapping[str, Gold]:
    """Return the verdict on an inference as a gold label, by name of logic."""
    form = form_of(inference).inference
    return {logic.name: label(decide_outcome(form, logic)) for logic in MODAL_LOGICS}


def label(verdict: ProofVerdict | InferenceOutcome) -> Gold:
    """Return a verdict as a gold label; contradictory premises entail nothing."""
    return GOLDS[0] if verdict.valid and verdict.consistent else GOLDS[1]


# Sentences of a problem, with their formulas.

_OBJECT = {"she": "her", "he": "him", "it": "it"}
_POSSESSIVE = {"she": "her", "he": "his", "it": "its"}
_GENERIC = "one's"  # in formulas, the possessive that refers to the subject of the predicate
_VARIABLE = "x"


@dataclass(frozen=True)
class WrittenSentence:
    """Sentence with its formula.

    Attributes:
        text: sentence with capital and full stop.
        formula: formula of the intended interpretation.
    """

    text: str
    formula: Formula


@dataclass(frozen=True)
class _ProblemClause:
    """Content with its subject: the values of a frame's placeholders, and its formula."""

    slots: Document
    tense: Tense
    formula: Formula


class ProblemWriter:
    """Renderer of the problems of a domain.

    Args:
        family: templates.
        domain: domain of the frames.
    """

    def __init__(self, family: NormativeTemplates, domain: Domain) -> None:
        self._file, self._domain = family.file, domain
        self._frame_renderer = TemplateRenderer(family.folder / f"frames.{domain}.yaml", {})
        self._sentence_renderer = TemplateRenderer(
            family.folder / "patterns.yaml", {"a": with_indefinite_article}
        )

    def compose(self, pattern: InferencePattern, content: Content, frames: Pair) -> Problem:
        """Render the problem of a pattern, a content and two frames."""
        premises, hypothesis = self._sentences(pattern, content, *frames)
        kind = self._file.content_type(content, pattern)
        return Problem(self._domain, pattern, content, kind, *frames, premises, hypothesis)

    def _sentences(
        self, pattern: InferencePattern, content: Content, first: ModalFrame, second: ModalFrame
    ) -> tuple[tuple[WrittenSentence, ...], WrittenSentence]:
        if not isinstance(content, RuleContent):
            elimination = pattern.id == "FC-Or-Elim"
            premise = self._modal_sentence(first, pattern.premise, _clause(content, either=elimination))
            hypothesis = self._modal_sentence(
                second, pattern.hypothesis, _clause(content, either=not elimination)
            )
            return (premise,), hypothesis
        hypothetical = pattern.id.startswith("Hyp")
        rule = self._rule_sentence(content, first, pattern, hypothetical)
        conduct_sentence = self._modal_sentence(
            second, pattern.hypothesis, _conduct_clause(content, content.name, is_one_atom=hypothetical)
        )
        _, minor = pattern.form.premises
        modal_minor = isinstance(minor.body if isinstance(minor, Not) else minor, Necessarily)
        negated = isinstance(pattern.form.conclusion if modal_minor else minor, Not)
        minor_sentence = self._membership_sentence(content, negated, hypothetical)
        return (
            ((rule, conduct_sentence), minor_sentence)
            if modal_minor
            else ((rule, minor_sentence), conduct_sentence)
        )

    def _modal_sentence(self, frame: ModalFrame, force: Force, clause: _ProblemClause) -> WrittenSentence:
        """Render a modal sentence."""
        return WrittenSentence(
            _sentence(self._render_modal(frame, force, clause)), frame.formulas(force, clause.formula)[0]
        )

    def _rule_sentence(
        self, rule: RuleContent, frame: ModalFrame, pattern: InferencePattern, hypothetical: bool
    ) -> WrittenSentence:
        """Render a rule about a group; if `hypothetical`, about the individual as a member, or as none."""
        force, is_reversed = pattern.premise, pattern.is_reversed
        if hypothetical:
            antecedent = self._render_sentence("is_not" if is_reversed else "is", rule)
            clause = _conduct_clause(rule, rule.name, pronoun=rule.gender)
            text = self._render_sentence(
                "if", rule, antecedent=antecedent, consequent=self._render_modal(frame, force, clause)
            )
            belongs, conduct = (
                _membership_atom(rule, is_one_atom=True),
                _conduct_clause(rule, rule.name, is_one_atom=True).formula,
            )
            condition = Not(belongs) if is_reversed else belongs
            return WrittenSentence(_sentence(text), Implies(condition, frame.formulas(force, conduct)[0]))
        subject = self._render_sentence("only" if is_reversed else "all", rule)
        modal_sentence = self._modal_sentence(frame, force, _conduct_clause(rule, subject, plural=True))
        belongs, conduct = Atom(rule.group.singular, (_VARIABLE,)), modal_sentence.formula
        body = Implies(conduct, belongs) if is_reversed else Implies(belongs, conduct)
        return WrittenSentence(modal_sentence.text, ForAll((_VARIABLE,), body))

    def _membership_sentence(self, rule: RuleContent, negated: bool, hypothetical: bool) -> WrittenSentence:
        """Render the minor premise: the individual is, or is not, a member of the group."""
        formula = _membership_atom(rule, is_one_atom=hypothetical)
        text = self._render_sentence("is_not" if negated else "is", rule)
        return WrittenSentence(_sentence(text), Not(formula) if negated else formula)

    def _render_modal(self, frame: ModalFrame, force: Force, clause: _ProblemClause) -> str:
        return self._frame_renderer.render(frame.id, frame.text(force, clause.tense), clause.slots)

    def _render_sentence(self, field: str, rule: RuleContent, **values: str) -> str:
        group = {"name": rule.name, "singular": rule.group.singular, "plural": rule.group.plural}
        field = f"{field}_" if field in ("is", "if") else field
        return self._sentence_renderer.render(
            f"sentences.{field}", getattr(self._file.sentences, field), group | values
        )


def _clause(content: ActContent | DisjunctionContent | Proposition, either: bool) -> _ProblemClause:
    if isinstance(content, Proposition):
        phrase = VerbPhrase(content.verb, content.rest, content.number, content.tense)
        atom = Atom(f"{content.subject} {phrase.base}")
        return _ProblemClause(_frame_values(content.subject, phrase), content.tense, atom)
    values = {"subject": "you", "be": "are", "obligee": "", "infinitive": content.act}
    atom = Atom(content.act)
    if isinstance(content, ActContent) or not either:
        return _ProblemClause(values, "present", atom)
    disjunction = Or((atom, Atom(content.alternative)))
    return _ProblemClause(values | {"infinitive": content.either}, "present", disjunction)


def _conduct_clause(
    rule: RuleContent,
    subject: str,
    pronoun: str | None = None,
    plural: bool = False,
    is_one_atom: bool = False,
) -> _ProblemClause:
    """Return the clause with the predicate of a rule; `is_one_atom`: subject and predicate form one atom."""
    possessive = "their" if plural else _POSSESSIVE[rule.gender]
    phrase = VerbPhrase(
        rule.verb,
        rule.rest.format(possessive=possessive),
        "plural" if plural else "singular",
        rule.tense,
    )
    conduct = VerbPhrase(rule.verb, rule.rest.format(possessive=_GENERIC), "singular").base
    atom = Atom(f"{subject} {conduct}") if is_one_atom else Atom(conduct, (_VARIABLE if plural else subject,))
    values = _frame_values(pronoun or subject, phrase, _OBJECT[pronoun] if pronoun else subject)
    return _ProblemClause(values, rule.tense, atom)


def _membership_atom(rule: RuleContent, is_one_atom: bool) -> Atom:
    group = rule.group.singular
    return (
        Atom(f"{rule.name} be {with_indefinite_article(group)}") if is_one_atom else Atom(group, (rule.name,))
    )


def _frame_values(subject: str, phrase: VerbPhrase, obligee: str | None = None) -> Json:
    return {
        "subject": subject,
        "be": "is" if phrase.number == "singular" else "are",
        "obligee": f"for {obligee or subject} ",
        "base": phrase.base,
        "infinitive": phrase.infinitive,
        "affirmative": phrase.affirmative,
        "negative": phrase.negative,
        "do": phrase.do_auxiliary,
        "finite": phrase.finite,
        "rest": phrase.remainder,
        "copula": phrase.verb == "be",
    }


def _sentence(clause: str) -> str:
    return f"{capitalize_first(clause)}."


# Pairs of frames, and their balanced assignment to problems.

Pair = tuple[ModalFrame, ModalFrame]


def admissible(family: NormativeTemplates, pattern: InferencePattern, domain: Domain) -> tuple[Pair, ...]:
    """Return the pairs of one flavour that keep the gold of a pattern in every interpretation of the frames.

    Raises:
        InputError: naming the frames file, if there are none.
    """
    frames = family.frames[domain]
    categorical = pattern.id.startswith("Cat")
    pairs = tuple(
        (first, second)
        for first, second in product(
            frames.select(pattern.task, pattern.premise, split=categorical),
            frames.select(pattern.task, pattern.hypothesis),
        )
        if first.flavour == second.flavour and _keeps_gold(pattern, domain, first, second)
    )
    if not pairs:
        raise field_error(
            family.folder / f"frames.{domain}.yaml",
            "frames",
            f"found none for {pattern.premise} and {pattern.hypothesis} in the {pattern.task} task that "
            f"leave pattern {pattern.id} its gold; add frames with these forms",
        )
    return pairs


def _keeps_gold(pattern: InferencePattern, domain: Domain, first: ModalFrame, second: ModalFrame) -> bool:
    form = pattern.in_domain(domain)
    premises = first.formulas(pattern.premise, _operand(form.premises[0]))
    conclusions = second.formulas(pattern.hypothesis, _operand(form.conclusion))
    verdicts = {
        prove(Inference((premise,), conclusion), logic_of(pattern, domain)).valid
        for premise, conclusion in product(premises, conclusions)
    }
    return len(verdicts) == 1


def _operand(formula: Formula) -> Formula:
    """Return the operand of a modal formula, without negations."""
    while isinstance(formula, Not | Necessarily | Possibly):
        formula = formula.body
    return formula


def assign_frames(pairs: Sequence[Pair], groups: Sequence[str], rng: np.random.Generator) -> list[Pair]:
    """Return a pair of frames for every problem, with balanced flavours, pairs and frames.

    `groups` has the group of each problem. Each problem in turn gets the pair with the least used flavour in
    its group; then the least used pair; then the least used frames in its group, then overall. The generator
    breaks ties.
    """
    used: Counter[Pair] = Counter()
    flavours: Counter[tuple[str, str]] = Counter()
    first: Counter[tuple[str, str]] = Counter()
    second: Counter[tuple[str, str]] = Counter()
    assigned = []
    for group in groups:
        order = rng.permutation(len(pairs))

        def load(position: int, group: str = group, order: NDArray[np.int64] = order) -> tuple[int, ...]:
            premise, hypothesis = pair = pairs[position]
            return (
                flavours[group, premise.flavour],
                used[pair],
                first[group, premise.id] + second[group, hypothesis.id],
                first["", premise.id] + second["", hypothesis.id],
                int(order[position]),
            )

        pair = pairs[min(range(len(pairs)), key=load)]
        assigned.append(pair)
        used[pair] += 1
        flavours[group, pair[0].flavour] += 1
        for key in (group, ""):
            first[key, pair[0].id] += 1
            second[key, pair[1].id] += 1
    return assigned


# Problems of a task: contents x patterns, each with a pair of frames.

CHOICES = {"FC-Or-Elim": "choice", "FC-Or-Intro": "choice", "Ross-Or-Intro": "ross"}
# Content types of test items. The conclusion of Ross's paradox always contradicts common sense.
_TEST_TYPES: tuple[ContentType, ...] = ("congruent", "incongruent", "nonsense")
_TYPES: Mapping[str, tuple[ContentType, ...]] = {"ross": ("incongruent", "nonsense")}


@dataclass(frozen=True)
class Problem:
    """Premises and hypothesis with their pattern, content and frames."""

    domain: Domain
    pattern: InferencePattern
    content: Content
    content_type: ContentType
    premise_frame: ModalFrame
    hypothesis_frame: ModalFrame
    premises: tuple[WrittenSentence, ...]
    hypothesis: WrittenSentence

    @property
    def id(self) -> str:
        """Pattern and content, unique within a task of a domain."""
        return f"{self.pattern.id}/{self.content.id}"

    @property
    def status(self) -> str | None:
        """Common-sense status of a content of one clause; None for other contents and nonsense."""
        status = isinstance(self.content, ActContent | Proposition) and self.content.status
        return status if status and status != "nonsense" else None

    @cached_property
    def inference(self) -> Inference:
        """Formulas of the premises and the hypothesis."""
        return Inference(tuple(sentence.formula for sentence in self.premises), self.hypothesis.formula)

    @cached_property
    def gold_proof(self) -> ProblemGold:
        """Gold label with its proof."""
        return gold_proof(self.inference, self.pattern, self.domain)


def problems(family: NormativeTemplates, domain: Domain, task: Task) -> list[Problem]:
    """Return the problems of a task; patterns and content types alternate, so any slice is balanced."""
    writer, frames = ProblemWriter(family, domain), draw_frames(family, domain, task)
    problem_rows = [
        [
            writer.compose(pattern, content, swap_frames(pattern, frames[pattern.id, content.id]))
            for content in interleave_contents(family, domain, pattern)
        ]
        for pattern in family.patterns_of(domain, task)
    ]
    return [problem for turn in zip_longest(*problem_rows) for problem in turn if problem is not None]


def _section_of(pattern: InferencePattern) -> str:
    """Return the section of the contents file with the contents of a pattern."""
    return "rules" if pattern.task == "syllogism" else CHOICES.get(pattern.id, "square")


def content_types_of(pattern: InferencePattern) -> tuple[ContentType, ...]:
    """Return the content types of the test items of a pattern."""
    return _TYPES.get(_section_of(pattern), _TEST_TYPES)


def interleave_contents(
    family: NormativeTemplates, domain: Domain, pattern: InferencePattern
) -> list[Content]:
    """Return the contents of a pattern; content types alternate, so any slice is balanced.

    Raises:
        InputError: naming the contents file, if a type has fewer than `per_cell` contents.
    """
    section, kinds = _section_of(pattern), sorted(content_types_of(pattern))
    typed: dict[str, list[Content]] = {kind: [] for kind in kinds}
    for content in family.contents[domain, pattern.task].sections[section]:
        if pattern.takes(content):
            typed.setdefault(family.file.content_type(content, pattern), []).append(content)
    n_required = family.dataset.per_cell
    if min(len(typed[kind]) for kind in kinds) < n_required or len(typed) > len(kinds):
        counts = ", ".join(f"{len(typed[kind])} {kind}" for kind in typed)
        raise field_error(
            contents_path(family.folder, domain, pattern.task),
            section,
            f"found {counts} for pattern {pattern.id}, expected at least {n_required} of each of "
            f"{', '.join(kinds)}, which is per_cell in dataset.yaml; add some, or lower it",
        )
    return [typed[kind][turn] for turn in range(n_required) for kind in kinds]


_MAX_DISPLAYED = 6  # ids in a notice


def unused_contents(family: NormativeTemplates, domain: Domain, task: Task) -> Iterator[str]:
    """Yield a line per section with contents that are in no problem, as earlier ones fill the cells."""
    used_ids = {
        content.id
        for pattern in family.patterns_of(domain, task)
        for content in interleave_contents(family, domain, pattern)
    }
    for section, contents in family.contents[domain, task].sections.items():
        if unused_ids := [content.id for content in contents if content.id not in used_ids]:
            names = ", ".join(unused_ids[:_MAX_DISPLAYED])
            more = f" and {len(unused_ids) - _MAX_DISPLAYED} more" if unused_ids[_MAX_DISPLAYED:] else ""
            yield (
                f"{display_path(contents_path(family.folder, domain, task))}: {section}: "
                f"{len(unused_ids)} of {len(contents)} contents are in no row ({names}{more}), as the first "
                f"{family.dataset.per_cell} of each type fill the cells; remove others, or raise per_cell in "
                "dataset.yaml"
            )


def swap_frames(pattern: InferencePattern, pair: Pair) -> Pair:
    """Reorder a pair from necessity frame first to premise frame first, or back."""
    weak_first = pattern.premise not in NECESSITIES and pattern.hypothesis in NECESSITIES
    return (pair[1], pair[0]) if weak_first else pair


def draw_frames(family: NormativeTemplates, domain: Domain, task: Task) -> Mapping[tuple[str, str], Pair]:
    """Map (pattern id, content id) to a pair of frames, the necessity frame first.

    Equivalent patterns share the draw of a content. A pattern that does not admit the drawn pair redraws,
    within the same flavour if it admits a pair of it.
    """
    data, frames = family.dataset, dict[tuple[str, str], Pair]()
    for group in _group_equivalent(family, domain, task):
        pairs_by_pattern = {
            p.id: [swap_frames(p, pair) for pair in admissible(family, p, domain)] for p in group
        }
        pool = list(dict.fromkeys(pair for pairs in pairs_by_pattern.values() for pair in pairs))
        rng = named_rng(data.identity.name, data.draws, f"frames/{domain}/{group[0].id}")
        contents = {p.id: interleave_contents(family, domain, p) for p in group}
        kind_by_content = {content.id: kind_of(content) for p in group for content in contents[p.id]}
        draw = dict(zip(kind_by_content, assign_frames(pool, [*kind_by_content.values()], rng), strict=True))
        redraws: dict[tuple[tuple[Pair, ...], tuple[str, ...]], list[Pair]] = {}
        for pattern in group:
            admitted = pairs_by_pattern[pattern.id]
            inadmissible: dict[str, list[str]] = {}
            for content in contents[pattern.id]:
                frames[pattern.id, content.id] = draw[content.id]
                if draw[content.id] not in admitted:
                    inadmissible.setdefault(draw[content.id][0].flavour, []).append(content.id)
            for flavour, names in inadmissible.items():
                pairs = [pair for pair in admitted if pair[0].flavour == flavour] or admitted
                key = tuple(pairs), tuple(names)
                if key not in redraws:
                    redraws[key] = assign_frames(pairs, [kind_by_content[name] for name in names], rng)
                frames |= {(pattern.id, name): pair for name, pair in zip(names, redraws[key], strict=True)}
    return frames


def _group_equivalent(family: NormativeTemplates, domain: Domain, task: Task) -> list[list[InferencePattern]]:
    """Return the patterns of a task, grouped by equivalence."""
    groups = [[pattern] for pattern in family.patterns_of(domain, task)]
    for relation in family.file.relations:
        linked = [group for group in groups if {p.id for p in group} & {*relation.patterns}]
        if len(linked) > 1:
            groups = [group for group in groups if group not in linked] + [[*linked[0], *linked[1]]]
    return groups


def kind_of(content: Content) -> str:
    """Return the type of a rule or of a disjunction, or the status of another content."""
    return content.type if isinstance(content, DisjunctionContent | RuleContent) else content.status

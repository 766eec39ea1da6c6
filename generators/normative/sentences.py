"""Write the sentences of a problem, and say what each of them says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from polbias.generators.language.english import a, capital
from polbias.generators.language.english_verbs import VerbPhrase
from polbias.generators.logic.formula import Atom, ForAll, Formula, Implies, Not, Or
from polbias.generators.normative.contents import Act, Choice, Proposition, Rule
from polbias.generators.normative.family import Family, Subject
from polbias.generators.normative.frames import Domain, Force, Frame, Tense, modal
from polbias.template_files import Texts

_OBJECT = {"she": "her", "he": "him", "it": "it"}
_POSSESSIVE = {"she": "her", "he": "his", "it": "its"}
_GENERIC = "one's"  # the possessive in formulas, where it belongs to whoever the predicate is said of
_VARIABLE = "x"
_YOUR = re.compile(r"\byour\b")


@dataclass(frozen=True)
class Said:
    """A sentence and what it says.

    Attributes:
        text: with capital and full stop.
        formula: in the reading that is meant.
        others: further readings that its frame may be given.
    """

    text: str
    formula: Formula
    others: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class _Clause:
    """A content with its subject: what frames are put around, and its formula."""

    slots: Mapping[str, Any]
    tense: Tense
    formula: Formula


class Writer:
    """Writes the sentences of a domain.

    Args:
        family: the templates.
        domain: of the frames.
    """

    def __init__(self, family: Family, domain: Domain) -> None:
        self._domain, self._sentences = domain, family.file.sentences
        self._you = family.dataset.subjects[0]
        self._frames = Texts(family.folder / f"frames.{domain}.yaml", {})
        self._around = Texts(family.folder / "patterns.yaml", {"a": a})
        # The same sentence stands in many problems.
        self.single, self.rule = cache(self._single), cache(self._rule)
        self.conduct, self.minor = cache(self._conduct), cache(self._minor)

    def _single(
        self,
        content: Act | Choice | Proposition,
        frame: Frame,
        force: Force,
        either: bool = False,
        subject: Subject | None = None,
    ) -> Said:
        """Return a modal sentence about a content of the logic task.

        Args:
            content: act, pair of acts, or proposition.
            frame: the words around it.
            force: what they express.
            either: of two acts, whether both are said, with "or".
            subject: of an act; by default "you", which formulas leave unsaid.
        """
        clause = _clause(content, either, subject or self._you)
        formulas = frame.formulas(self._domain, force, clause.formula)
        return Said(_sentence(self._modal(frame, force, clause)), formulas[0], formulas[1:])

    def _conduct(self, rule: Rule, frame: Frame, force: Force, hypothetical: bool) -> Said:
        """Return what a rule says of the individual, or that it does not hold of it."""
        clause = _conduct(rule, rule.name, whole=hypothetical)
        return Said(_sentence(self._modal(frame, force, clause)), modal(self._domain, force, clause.formula))

    def _rule(self, rule: Rule, frame: Frame, force: Force, hypothetical: bool) -> Said:
        """Return a rule: about all of a group, or about the individual if it belongs to it."""
        if hypothetical:
            antecedent = self._text("is", rule)
            clause = _conduct(rule, rule.name, pronoun=rule.gender)
            text = self._text("if", rule, antecedent=antecedent, consequent=self._modal(frame, force, clause))
            belongs, conduct = _belongs(rule, whole=True), _conduct(rule, rule.name, whole=True).formula
            return Said(_sentence(text), Implies(belongs, modal(self._domain, force, conduct)))
        clause = _conduct(rule, self._text("all", rule), plural=True)
        belongs = Atom(rule.group.singular, (_VARIABLE,))
        body = Implies(belongs, modal(self._domain, force, clause.formula))
        return Said(_sentence(self._modal(frame, force, clause)), ForAll((_VARIABLE,), body))

    def _minor(self, rule: Rule, negated: bool, hypothetical: bool) -> Said:
        """Return that the individual belongs to the group, or does not."""
        formula = _belongs(rule, whole=hypothetical)
        text = self._text("is_not" if negated else "is", rule)
        return Said(_sentence(text), Not(formula) if negated else formula)

    def _modal(self, frame: Frame, force: Force, clause: _Clause) -> str:
        return self._frames.render(frame.id, frame.text(force, clause.tense), clause.slots)

    def _text(self, field: str, rule: Rule, **slots: str) -> str:
        group = {"name": rule.name, "singular": rule.group.singular, "plural": rule.group.plural}
        field = f"{field}_" if field in ("is", "if") else field
        return self._around.render(f"sentences.{field}", getattr(self._sentences, field), group | slots)


def _clause(content: Act | Choice | Proposition, either: bool, subject: Subject) -> _Clause:
    if isinstance(content, Proposition):
        phrase = VerbPhrase(content.verb, content.rest, content.number, content.tense)
        atom = Atom(f"{content.subject} {phrase.base}")
        return _Clause(_slots(content.subject, phrase), content.tense, atom)
    said = _YOUR.sub(subject.possessive, content.act)
    obligee = f"for {subject.object} " if subject.object else ""
    slots = {"subject": subject.subject, "be": subject.be, "obligee": obligee, "infinitive": said}
    atom = _act(content.act, subject)
    if not either or isinstance(content, Act):
        return _Clause(slots, "present", atom)
    both = Or((atom, _act(content.alternative, subject)))
    return _Clause(slots | {"infinitive": _YOUR.sub(subject.possessive, content.either)}, "present", both)


def _act(act: str, subject: Subject) -> Atom:
    """Return the formula of an act.

    Who "you" are is the same with and without the word; anybody else is part of what is said.
    """
    return Atom(f"{subject.subject} {_YOUR.sub(_GENERIC, act)}" if subject.object else act)


def _conduct(
    rule: Rule, subject: str, pronoun: str | None = None, plural: bool = False, whole: bool = False
) -> _Clause:
    """Return what a rule says of someone.

    Args:
        rule: the rule.
        subject: of the clause.
        pronoun: said instead of the subject.
        plural: whether the subject is the whole group.
        whole: whether the formula is one clause instead of a predicate with its individual.
    """
    possessive = "their" if plural else _POSSESSIVE[rule.gender]
    phrase = VerbPhrase(
        rule.verb,
        rule.rest.format(possessive=possessive),
        "plural" if plural else "singular",
        rule.tense,
    )
    conduct = VerbPhrase(rule.verb, rule.rest.format(possessive=_GENERIC), "singular").base
    atom = Atom(f"{subject} {conduct}") if whole else Atom(conduct, (_VARIABLE if plural else subject,))
    slots = _slots(pronoun or subject, phrase, _OBJECT[pronoun] if pronoun else subject)
    return _Clause(slots, rule.tense, atom)


def _belongs(rule: Rule, whole: bool) -> Atom:
    group = rule.group.singular
    return Atom(f"{rule.name} be {a(group)}") if whole else Atom(group, (rule.name,))


def _slots(subject: str, phrase: VerbPhrase, obligee: str | None = None) -> dict[str, Any]:
    return {
        "subject": subject,
        "be": "is" if phrase.number == "singular" else "are",
        "obligee": f"for {obligee or subject} ",
        "base": phrase.base,
        "infinitive": phrase.infinitive,
        "affirmative": phrase.affirmative,
        "negative": phrase.negative,
        "do": phrase.do,
        "finite": phrase.finite,
        "rest": phrase.rest,
        "copula": phrase.verb == "be",
    }


def _sentence(clause: str) -> str:
    return f"{capital(clause)}."

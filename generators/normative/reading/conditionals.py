"""Conditionals and modal operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polbias.generators.normative.reading.lexicon import (
    DEMONSTRATIVES,
    DETERMINERS,
    GENERIC_SUBJECTS,
    INDEFINITE_PEOPLE,
    SUBJECT_PRONOUNS,
    Words,
)
from polbias.generators.normative.reading.nodes import (
    COULD_NOT_HAVE,
    STATED,
    Clause,
    Conditional,
    Negation,
    Node,
    Operator,
    change,
    clauses,
    operators,
)
from polbias.generators.normative.reading.quantifiers import class_of, leaf, predicate, term
from polbias.generators.normative.reading.verbs import number_of

# Which sentences of an item are rules about all: generic sentences, and conditionals about anybody.


def divided(nodes: Sequence[Node]) -> list[Node]:
    """Settle where predicates of clauses without auxiliary begin, in agreement with other clauses."""
    flat = [clause for node in nodes for clause in clauses(node)]
    if not any(len(clause.splits) > 1 for clause in flat):
        return list(nodes)
    sure = [clause for clause in flat if not clause.splits]
    phrases = {phrase for clause in sure for alternatives in clause.predicates for phrase in alternatives}
    phrases |= {class_of(clause.subject).restriction for clause in flat if clause.quantifier}
    subjects = {clause.subject for clause in sure if clause.subject}

    def settle(clause: Clause) -> Clause:
        if len(clause.splits) < 2:
            return clause
        best = next((split for split in clause.splits if split.predicate in phrases), None)
        best = best or next((split for split in clause.splits if split.subject in subjects), None)
        if best is None or best is clause.splits[0]:
            return clause
        return replace(leaf(best.subject, best.predicate, best.tense, best.number), unmarked=best.unmarked)

    return [change(node, settle) for node in nodes]


def with_generic_rule(nodes: Sequence[Node]) -> list[Node]:
    """Put the quantifier into the generic rule of a syllogism."""
    nodes = list(nodes)
    if len(nodes) < 3 or any(isinstance(node, Conditional) for node in nodes):
        return nodes
    if any(clause.quantifier for node in nodes for clause in clauses(node)):
        return nodes
    at = _generic_rule(nodes)
    if at is not None:
        nodes[at] = change(
            nodes[at], lambda found: replace(found, quantifier="all", subject=_bare(found.subject))
        )
    return nodes


def _generic_rule(nodes: Sequence[Node]) -> int | None:
    firsts = [next(clauses(node)) for node in nodes]
    classes = {predicate(clause.predicate) for clause in firsts if clause.predicate[0] == "be"}
    modal = [
        at
        for at, node in enumerate(nodes[:-1])
        if firsts[at].subject and next(operators(node), None) is not None
    ]
    for at in modal:
        if class_of(firsts[at].subject).name in classes:
            return at
    return next((at for at in modal if _kind(firsts[at].subject)), None)


def _kind(subject: Words) -> bool:
    """Whether a noun phrase can be about a kind: a bare plural, or "a" with a noun."""
    if subject[0] in SUBJECT_PRONOUNS or subject[0] == "there":
        return False
    return subject[0] in ("a", "an") or (subject[0] not in DETERMINERS and number_of(subject) == "plural")


def _bare(subject: Words) -> Words:
    return subject[1:] if subject[0] in ("a", "an") and len(subject) > 1 else subject


@dataclass(frozen=True, slots=True)
class Rule:
    """A conditional about anybody that the item applies to somebody.

    Attributes:
        at: its position among the sentences.
        subject: who it is about: "someone", "a student", "you".
        stated: whether the name of the one it is applied to says of what class it is: "this student".
    """

    at: int
    subject: Words
    stated: bool = False

    @property
    def noun(self) -> str:
        """The name of the class that "a student" speaks of; empty where anybody is meant, or it is stated."""
        if self.stated or self.subject[0] not in ("a", "an", "any", "every"):
            return ""
        name = " ".join(class_of(self.subject[1:]).name)
        return "" if name in ("person", "individual", "one") else name


def applied_rule(nodes: Sequence[Node]) -> Rule | None:
    """A conditional about anybody ("if someone is a lawyer, they must ...") applied to somebody."""
    at = next((at for at, node in enumerate(nodes) if isinstance(node, Conditional)), None)
    if at is None or len(nodes) < 3:
        return None
    condition = next(clauses(nodes[at]))
    subject = condition.subject
    if not subject or condition.quantifier or not _anybody(subject):
        return None
    said = {
        predicate(clause.predicate)
        for clause in clauses(nodes[at])
        if clause.subject == subject and not clause.antecedents
    }
    name = term(subject)
    for index, node in enumerate(nodes):
        for clause in clauses(node):
            other = clause.subject
            if index == at or not other or other[0] in SUBJECT_PRONOUNS | INDEFINITE_PEOPLE:
                continue
            if term(other) != name and predicate(clause.predicate) in said:
                stated = other[0] in DEMONSTRATIVES and class_of(other[1:]).name == class_of(subject[1:]).name
                return Rule(at, subject, stated)
    return None


def restated(nodes: Sequence[Node]) -> list[Node]:
    """Say of somebody only what a conditional about anybody asks for."""
    asked = next((next(clauses(node)) for node in nodes if isinstance(node, Conditional)), None)
    if asked is None or not asked.subject or not _anybody(asked.subject):
        return list(nodes)
    group, wanted = class_of(asked.subject), predicate(asked.predicate)

    def how(clause: Clause) -> Clause:
        phrase = clause.predicate
        if clause.subject and len(phrase) > 3 and phrase[0] == "be" and phrase[1] in ("a", "an"):
            told = class_of(phrase[1:])
            if told.restriction == wanted and told.noun == group.noun and not told.negated:
                return replace(clause, predicates=((told.restriction,),), splits=())
        return clause

    return [change(node, how) for node in nodes]


def _anybody(subject: Words) -> bool:
    return subject[0] in ("a", "an") or subject[0] in INDEFINITE_PEOPLE or subject[0] in GENERIC_SUBJECTS


def understood(nodes: Sequence[Node], topic: Words, syllogistic: bool) -> list[Node]:
    """Give infinitives without subject the one that they are about."""
    flat = [clause for node in nodes for clause in clauses(node)]
    if all(clause.subject or clause.quantifier for clause in flat):
        return list(nodes)
    if syllogistic:
        if not any(clause.subject == ("you",) for clause in flat):
            return list(nodes)
        return [change(node, lambda found: _given(found, ("you",))) for node in nodes]
    if not topic or topic[0] in GENERIC_SUBJECTS:
        return list(nodes)
    name = term(topic)
    known = {clause.predicate for clause in flat if clause.subject and term(clause.subject) == name}
    return [
        change(node, lambda found: _given(found, topic) if found.predicate in known else found)
        for node in nodes
    ]


def _given(clause: Clause, subject: Words) -> Clause:
    return clause if clause.subject or clause.quantifier else replace(clause, subject=subject)


# Which modal words of an item are operators, and of which modality: what depends on the item's domain.


def guessed_domain(nodes: Sequence[Node]) -> str:
    """Return the domain of an item by its unambiguous frames; by tense and "might" where it has none."""
    found = [operator for node in nodes for operator in operators(node)]
    counts = {name: sum(operator.modality == name for operator in found) for name in ("deontic", "epistemic")}
    if counts["deontic"] != counts["epistemic"]:
        return max(counts, key=lambda name: counts[name])
    might = any(
        operator.word in ("might", "could", COULD_NOT_HAVE)
        or any(clause.tense == "past" for clause in clauses(operator.body))
        for operator in found
    )
    return "epistemic" if might else "deontic"


def settled(nodes: Sequence[Node], domain: str) -> list[Node]:
    """Settle what depends on the domain."""
    ability = domain == "epistemic" and any(
        phrase[0] == "can" or phrase[:2] == ("be", "able")
        for node in nodes
        for clause in _contents(node)
        for phrase in clause.predicates[0]
    )
    return [_settle(node, domain, ability) for node in nodes]


def _contents(node: Node) -> list[Clause]:
    """Return the clauses of a tree, and what "can" says where it is content."""
    if isinstance(node, Clause):
        return [node]
    if isinstance(node, Conditional):
        return _contents(node.antecedent) + _contents(node.consequent)
    if isinstance(node, Operator) and node.word == "can" and node.content is not None:
        return _contents(node.content)
    if isinstance(node, Negation) and isinstance(node.body, Operator) and node.body.word == "can":
        return []
    return _contents(node.body)


def _settle(node: Node, domain: str, ability: bool) -> Node:
    if isinstance(node, Clause):
        return node
    if isinstance(node, Conditional):
        return Conditional(
            _settle(node.antecedent, domain, ability), _settle(node.consequent, domain, ability)
        )
    body = node.body
    if isinstance(node, Negation):
        if isinstance(body, Operator) and body.word == "can" and body.content is not None and not ability:
            body = replace(body, content=None)
        inner = _settle(body, domain, ability)
        return node if inner is node.body else Negation(inner, node.outer)
    if domain == "epistemic" and node.content is not None and node.word in ("can", "have", STATED):
        return node.content
    if node.word == "may" and isinstance(body, Negation) and domain == "deontic" and not body.outer:
        denied = replace(node, body=body.body)
        return Negation(_settle(denied, domain, ability))
    modality = domain if node.modality == "?" else node.modality
    return Operator(modality, node.force, _settle(body, domain, ability), node.outer, node.word)

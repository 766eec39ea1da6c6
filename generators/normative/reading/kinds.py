"""Quantified subjects taken otherwise: as a kind that is spoken of, or as part of a proposition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polbias.generators.normative.reading.lexicon import (
    DETERMINERS,
    SUBJECT_PRONOUNS,
    UNIVERSAL_PEOPLE,
    Words,
)
from polbias.generators.normative.reading.nodes import (
    Clause,
    Conditional,
    Negation,
    Node,
    Operator,
    change,
    clauses,
)
from polbias.generators.normative.reading.quantifiers import class_of

_SOMEBODY = frozenset(("someone", "somebody", "something"))


def kind_of(nodes: Sequence[Node]) -> tuple[Words, int] | None:
    """Find a kind that a syllogism is about, and over which one of its sentences quantifies."""
    last = next(clauses(nodes[-1]))
    if not _can_be_kind(last):
        return None
    name = class_of(last.subject).name
    firsts = [next(clauses(node)) for node in nodes]
    rule = next(
        (
            at
            for at, first in enumerate(firsts[:-1])
            if first.quantifier and class_of(first.subject).name != name
        ),
        None,
    )
    about = [first for at, first in enumerate(firsts) if at != rule and _is_about(first, name)]
    if rule is None or not any(first.quantifier for first in about):
        return None
    return None if any(first.quantifier == "only" for first in about) else (name, rule)


def _can_be_kind(clause: Clause) -> bool:
    subject = clause.subject
    if not subject or clause.quantifier:
        return bool(subject)
    return subject[0] not in (DETERMINERS - {"a", "an"}) | SUBJECT_PRONOUNS


def _is_about(clause: Clause, name: Words) -> bool:
    return _can_be_kind(clause) and class_of(clause.subject).name == name


def as_classes(nodes: Sequence[Node], name: Words, rule: int) -> list[Node]:
    """Return the sentences of a syllogism with what is said of a kind said of all that is of the kind."""

    def how(clause: Clause) -> Clause:
        if clause.quantifier or not _is_about(clause, name):
            return clause
        subject = clause.subject
        return replace(
            clause, quantifier="all", subject=subject[1:] if subject[0] in ("a", "an") else subject
        )

    return [node if at == rule else change(node, how) for at, node in enumerate(nodes)]


def as_terms(nodes: Sequence[Node], name: Words, rule: int) -> list[Node]:
    """Return the sentences of a syllogism with what is said of all that is of a kind said of the kind."""

    def how(clause: Clause) -> Clause:
        return replace(clause, quantifier="") if _is_about(clause, name) else clause

    return [
        node if at == rule else _unquantified(node, how(next(clauses(node)))) for at, node in enumerate(nodes)
    ]


def as_propositions(nodes: Sequence[Node]) -> list[Node] | None:
    """Take quantified clauses as wholes: "every N does", "some N does"."""
    halves = [half for node in nodes for half in _halves(node)]
    if not any(next(clauses(half)).quantifier for half in halves):
        return None
    if len({word for half in halves if (word := _word(half))}) != 1:
        return None
    return [
        Conditional(_as_whole(node.antecedent), _as_whole(node.consequent))
        if isinstance(node, Conditional)
        else _as_whole(node)
        for node in nodes
    ]


def _halves(node: Node) -> tuple[Node, ...]:
    return (node.antecedent, node.consequent) if isinstance(node, Conditional) else (node,)


def _word(node: Node) -> str:
    """Return "every" or "some" for a sentence that quantifies, "only" for one that is no proposition so."""
    clause = next(clauses(node))
    if _existential(clause) or clause.quantifier == "no" or (clause.quantifier == "any" and _denied(node)):
        return "some"
    return {"": "", "only": "only"}.get(clause.quantifier, "every")


def _as_whole(node: Node) -> Node:
    word = _word(node)
    return _unquantified(node, _whole(next(clauses(node)), word)) if word in ("every", "some") else node


def _existential(clause: Clause) -> bool:
    return bool(clause.subject) and (clause.subject[0] == "some" or clause.subject[0] in _SOMEBODY)


def _denied(node: Node) -> bool:
    """Whether a negation stands before the clause."""
    while not isinstance(node, Clause | Conditional):
        if isinstance(node, Negation):
            return True
        node = node.body
    return False


def _whole(clause: Clause, word: str) -> Clause:
    subject = clause.subject
    if subject[0] in UNIVERSAL_PEOPLE or subject[0] in _SOMEBODY:
        subject = (word + ("thing" if subject[0].endswith("thing") else "one"), *subject[1:])
    else:
        subject = (word, *class_of(subject[1:] if subject[0] == "some" else subject).name)
    return replace(clause, quantifier="", subject=subject, number="singular")


def _unquantified(node: Node, clause: Clause) -> Node:
    """Return a sentence with another first clause, denied if the first one began with "no"."""
    old = next(clauses(node))
    changed = change(node, lambda found: clause if found is old else found)
    return _denied_within(changed) if old.quantifier == "no" and not clause.quantifier else changed


def _denied_within(node: Node) -> Node:
    """Deny a sentence within what takes it as a whole: "it is certain that no ..."."""
    if isinstance(node, Negation | Operator) and node.outer:
        return replace(node, body=_denied_within(node.body))
    return Negation(node)

"""Interpretations of the quantified and indefinite subjects of an item."""

from __future__ import annotations

from polbias.generators.logic.prover import ReadingError
from polbias.generators.normative.reading.generics import as_classes, as_propositions, as_terms, kind_of
from polbias.generators.normative.reading.indefinites import (
    existentials,
    generic_quantifiers,
    generic_subject,
    inner_wrappers,
    is_one_kind,
    is_repeated,
    refuse_generics,
    refuse_later_mentions,
    scopes,
    universals,
    with_denied_existentials,
    with_existentials,
    with_quantifier,
)
from polbias.generators.normative.reading.nodes import Conditional, Node, clauses
from polbias.generators.normative.reading.quantifiers import attach_adverbials

# Sentences of an item, the name of the ambiguity ("" without one), and the sentences of each other reading.
SubjectReadings = tuple[list[Node], str, dict[str, list[Node]]]


def resolve_subjects(
    nodes: list[Node], has_universal_rule: bool, has_conditional_rule: bool, plurals: frozenset[str]
) -> SubjectReadings:
    """Return the interpretations of the subjects of an item.

    Args:
        nodes: sentences of the item.
        has_universal_rule: whether a sentence is a rule about all members of a class.
        has_conditional_rule: whether the rule is a conditional.
        plurals: plural nouns of the item.
    """
    if len(nodes) < 3:
        return _pair(nodes, plurals)
    if not has_conditional_rule:
        refuse_generics(nodes, plurals)
    return _syllogism(nodes) if has_universal_rule else _propositions(nodes)


def _pair(nodes: list[Node], plurals: frozenset[str]) -> SubjectReadings:
    """Return the interpretations of the subjects of one premise and a conclusion."""
    quantified = any(clause.quantifier for node in nodes for clause in clauses(node))
    indefinite = existentials(nodes)
    has_scope = any(inner_wrappers(wrappers) for _, wrappers in indefinite)
    propositions = None if has_scope else as_propositions(nodes)
    generic = generic_quantifiers(nodes, plurals)
    if generic and (quantified or indefinite or not is_one_kind(nodes, plurals)):
        raise ReadingError(f"cannot tell whether {generic_subject(nodes, plurals)!r} means all or some")
    if generic:
        return nodes, "generic", {kind: with_quantifier(nodes, kind, plurals) for kind in generic}
    if has_scope or (quantified and propositions is None and indefinite):
        return _with_scoped_existentials(nodes), "scope", {}
    if propositions and not _has_universal(propositions) and not _has_operator_under_no(nodes):
        # "It might be that nobody left" is unambiguous.
        return propositions, "", {}
    return nodes, "scope", {"de dicto": propositions} if propositions else {}


def _propositions(nodes: list[Node]) -> SubjectReadings:
    """Return several sentences without a rule, with quantified clauses as propositions if possible."""
    indefinite = existentials(nodes)
    has_scope = any(inner_wrappers(wrappers) for _, wrappers in indefinite)
    for occurrences in (indefinite if has_scope else [], universals(nodes)):
        if occurrences and not is_repeated(nodes, occurrences):
            subject = " ".join(occurrences[0][0].subject)
            raise ReadingError(f"cannot tell the scope of {subject!r} among several sentences")
    return as_propositions(nodes) or nodes, "", {}


def _syllogism(nodes: list[Node]) -> SubjectReadings:
    """Return the interpretations of several sentences with a rule."""
    if existentials(nodes):
        refuse_later_mentions(nodes)
        return with_existentials(nodes), "", {}
    if kind := kind_of(nodes):
        return as_classes(nodes, *kind), "kind", {"term": as_terms(nodes, *kind)}
    attached = attach_adverbials(nodes)
    return nodes, "adverbial" if attached else "", {"restricts": attached} if attached else {}


def _with_scoped_existentials(nodes: list[Node]) -> list[Node]:
    """Return the two sentences of an item with every indefinite subject as a quantifier with a scope."""
    if any(isinstance(node, Conditional) for node in nodes):
        raise ReadingError("cannot tell the scope of an indefinite subject in an item with a condition")
    refuse_later_mentions(nodes)
    return with_denied_existentials(with_existentials(nodes))


def _has_operator_under_no(nodes: list[Node]) -> bool:
    """Whether an operator is between "no N" and its predicate."""
    return any(
        clause.quantifier == "no" and bool(inner_wrappers(wrappers))
        for node in nodes
        for clause, wrappers in scopes(node)
    )


def _has_universal(nodes: list[Node]) -> bool:
    subjects = [clause.subject for node in nodes for clause in clauses(node)]
    return any(subject and subject[0].startswith("every") for subject in subjects)

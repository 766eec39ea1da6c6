"""Which modal words of an item are operators, and of which modality: what depends on the item's domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polbias.generators.normative.reading.nodes import (
    COULD_NOT_HAVE,
    STATED,
    Clause,
    Conditional,
    Negation,
    Node,
    Operator,
    clauses,
    operators,
)


def guessed_domain(nodes: Sequence[Node]) -> str:
    """Return the domain of an item by its unambiguous frames; by tense and "might" where it has none.

    Args:
        nodes: its sentences.

    Returns:
        ``"deontic"`` or ``"epistemic"``.
    """
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
    """Settle what depends on the domain.

    Args:
        nodes: the sentences of an item.
        domain: its domain.

    Returns:
        The sentences, where ambiguous modal verbs have the modality of the domain; where "can" and "have a
        right" are content in an epistemic item ("cats can fly"), as "cannot" is if the item speaks of the
        ability elsewhere; and where "may not" denies a permission in a deontic item.
    """
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

"""Whole items: sentences that speak of the same things, read together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from polbias.generators.logic.formula import Atom, Formula, Inference, Not
from polbias.generators.logic.reading import Reading, ReadingError, ReadItem
from polbias.generators.normative.reading.anaphora import Discourse
from polbias.generators.normative.reading.classes import class_of
from polbias.generators.normative.reading.contents import Contents, contents
from polbias.generators.normative.reading.findings import findings
from polbias.generators.normative.reading.formulas import VARIABLE, Builder
from polbias.generators.normative.reading.frames import sentence
from polbias.generators.normative.reading.modality import guessed_domain, settled
from polbias.generators.normative.reading.nodes import Clause, Negation, Node, Operator, clauses, operators
from polbias.generators.normative.reading.rules import (
    Rule,
    applied_rule,
    divided,
    understood,
    with_generic_rule,
)
from polbias.generators.normative.reading.text import lowered, sentences, tokens

_MOST = 16
Choices = dict[str, str]


@lru_cache(maxsize=1 << 14)
def _parsed(text: str, conditional: bool) -> tuple[tuple[str, ...], Node]:
    """Return the words of a sentence as written, and what the grammar finds in it."""
    written = tokens(text)
    try:
        return tuple(written), sentence(lowered(written), conditional)
    except ReadingError as problem:
        raise ReadingError(f"{text!r}: {problem}") from None


def read_item(premise: str, hypothesis: str, domain: str | None = None) -> ReadItem:
    """Read an inference item.

    Args:
        premise: one or more sentences.
        hypothesis: one sentence.
        domain: ``"deontic"`` or ``"epistemic"``, the modality of ambiguous modal words; None to go by the
            others.

    Returns:
        The readings, the most natural one first, and what is wrong with the language of the item.

    Raises:
        ReadingError: a sentence cannot be read; the message names it.
    """
    given, concluded = sentences(premise), sentences(hypothesis)
    if not given or len(concluded) != 1:
        raise ReadingError(f"{premise!r} / {hypothesis!r}: expected premises, and one sentence as hypothesis")
    # With one premise, "if" after the main clause belongs to what is obligatory or certain.
    parsed = [_parsed(text, len(given) > 1) for text in (*given, *concluded)]
    nodes = [node for _, node in parsed]
    domain = domain or guessed_domain(nodes)
    said = divided(settled(nodes, domain))
    discourse = Discourse()
    nodes = [discourse.resolve(node) for node in with_generic_rule(said)]
    rule = applied_rule(nodes)
    syllogistic = rule is not None or _syllogistic(nodes)
    nodes = understood(nodes, discourse.topic, syllogistic)
    item = _Item(nodes, contents(nodes, syllogistic, rule), rule)
    found = findings([written for written, _ in parsed], said, domain, discourse.clashes)
    return ReadItem(item.readings(), found)


def _syllogistic(nodes: list[Node]) -> bool:
    if len(nodes) < 3 or not all(isinstance(node, Clause | Negation | Operator) for node in nodes):
        return False
    return any(clause.quantifier for node in nodes for clause in clauses(node))


@dataclass(frozen=True)
class _Item:
    """An item with its contents named."""

    nodes: list[Node]
    contents: Contents
    rule: Rule | None

    def readings(self) -> tuple[Reading, ...]:
        """Return the readings, the most natural one first."""
        options = self._options()
        settlings = islice(product(*options.values()), _MOST)
        return tuple(
            Reading(self._inference(choices), choices)
            for choices in (dict(zip(options, values, strict=True)) for values in settlings)
        )

    def _options(self) -> dict[str, tuple[str, ...]]:
        """Return what the language leaves open, with the ways to settle it."""
        options: dict[str, tuple[str, ...]] = {}
        found = [operator for node in self.nodes for operator in operators(node)]
        if any(operator.word == "choose" for operator in found):
            options["can choose to"] = ("permission", "bilateral")
        if self.contents.classes and (scoped := self._scoped()):
            denied = all(isinstance(node, Negation) and isinstance(node.body, Operator) for node in scoped)
            wide = len(self.nodes) < 3 or denied
            options["scope"] = ("de dicto", "de re") if wide else ("de re", "de dicto")
        if self.contents.restricted or (self.rule and self.rule.noun):
            options["head noun"] = ("understood", "stated")
        if self.contents.names.loose:
            options["paraphrase"] = ("same", "different")
        if self.contents.names.tense_matters:
            options["tense"] = ("disregarded", "respected")
        return options

    def _scoped(self) -> list[Node]:
        """Return the sentences whose operator can take the quantifier into its scope or leave it out."""
        return [
            node
            for node in self.nodes
            if any(
                (operator.outer or len(self.nodes) < 3)
                and any(clause.quantifier for clause in clauses(operator.body))
                for operator in operators(node)
            )
        ]

    def _inference(self, choices: Choices) -> Inference:
        names, individuals = self.contents.names, self.contents.individuals
        same, tense = choices.get("paraphrase") != "different", choices.get("tense") == "respected"
        said: dict[int, list[Atom]] = {}
        restrictions: dict[int, Formula] = {}
        for node in self.nodes:
            for clause in clauses(node):
                about = VARIABLE if clause.quantifier else individuals.get(clause.subject, "")
                terms = (about,) if about else ()
                positions = self.contents.positions[id(clause)]
                said[id(clause)] = [Atom(names.name(at, same, tense), terms) for at in positions]
                if clause.quantifier:
                    restrictions[id(clause)] = self._restriction(clause, choices, same, tense)
        rules: dict[int, Atom | None] = {}
        if self.rule:
            stated = self.rule.noun and choices["head noun"] == "stated"
            rules[id(self.nodes[self.rule.at])] = Atom(self.rule.noun, (VARIABLE,)) if stated else None
        builder = Builder(choices, len(self.nodes) < 3, said, restrictions, rules)
        formulas = [builder.build(node) for node in self.nodes]
        return Inference(tuple(formulas[:-1]), formulas[-1])

    def _restriction(self, clause: Clause, choices: Choices, same: bool, tense: bool) -> Formula:
        at, group = self.contents.classes[id(clause)], class_of(clause.subject)
        understood = at in self.contents.restricted and choices["head noun"] == "understood"
        name = self.contents.names.name(self.contents.restricted[at] if understood else at, same, tense)
        atom = Atom(name, (VARIABLE,))
        return Not(atom) if group.negated and (understood or group.generic) else atom

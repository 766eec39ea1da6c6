"""Whole items: sentences that speak of the same things, read together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from polbias.generators.logic.formula import EPISTEMIC, Atom, Formula, Inference, Not, Or
from polbias.generators.logic.reading import Reading, ReadingError, ReadItem
from polbias.generators.normative.reading.classes import class_of
from polbias.generators.normative.reading.conditionals import (
    Rule,
    applied_rule,
    divided,
    restated,
    understood,
    with_generic_rule,
)
from polbias.generators.normative.reading.contents import Contents, contents
from polbias.generators.normative.reading.coordination import attached
from polbias.generators.normative.reading.coreference import Discourse
from polbias.generators.normative.reading.equivalents import (
    denied_condition,
    only_denied,
    prohibits,
    with_duties,
    with_named_denials,
    with_opaque_conditions,
    with_opaque_contents,
)
from polbias.generators.normative.reading.findings import findings
from polbias.generators.normative.reading.formulas import (
    CERTAIN,
    DENIED,
    VARIABLE,
    Builder,
)
from polbias.generators.normative.reading.frames import sentence
from polbias.generators.normative.reading.kinds import as_classes, as_propositions, as_terms, kind_of
from polbias.generators.normative.reading.modality import guessed_domain, settled
from polbias.generators.normative.reading.nodes import (
    COULD_NOT_HAVE,
    Clause,
    Conditional,
    Negation,
    Node,
    Operator,
    clauses,
    operators,
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
    nodes = restated(nodes)
    rule = applied_rule(nodes)
    syllogistic = rule is not None or _syllogistic(nodes)
    nodes = understood(nodes, discourse.topic, syllogistic)
    item = _item(nodes, syllogistic, rule)
    found = findings([written for written, _ in parsed], said, domain, discourse.clashes)
    return ReadItem(item.readings(), found)


def _syllogistic(nodes: list[Node]) -> bool:
    if len(nodes) < 3 or not all(isinstance(node, Clause | Negation | Operator) for node in nodes):
        return False
    return any(clause.quantifier for node in nodes for clause in clauses(node))


def _item(nodes: list[Node], syllogistic: bool, rule: Rule | None) -> _Item:
    """Name the contents of an item, and of the other way to take its quantified subjects if there is one."""
    other: tuple[str, str, list[Node]] | None = None
    if len(nodes) < 3:
        whole = as_propositions(nodes)
        if whole and not _universal(whole):
            # "It might be that nobody left" has no other scope.
            nodes, whole = whole, None
        other = ("scope", "de dicto", whole) if whole else None
    elif not syllogistic:
        nodes = as_propositions(nodes) or nodes
    elif kind := kind_of(nodes):
        other = ("kind", "term", as_terms(nodes, *kind))
        nodes = as_classes(nodes, *kind)
    elif taken := attached(nodes):
        other = ("adverbial", "restricts", taken)
    said = _Said(nodes, contents(nodes, syllogistic, rule))
    if other is None:
        return _Item(said, rule)
    name, value, taken = other
    return _Item(said, rule, name, value, _Said(taken, contents(taken, syllogistic, rule)))


def _universal(nodes: list[Node]) -> bool:
    subjects = [clause.subject for node in nodes for clause in clauses(node)]
    return any(subject and subject[0].startswith("every") for subject in subjects)


@dataclass(frozen=True)
class _Said:
    """The sentences of an item with their contents named."""

    nodes: list[Node]
    contents: Contents


@dataclass(frozen=True)
class _Item:
    """An item with its contents named.

    Attributes:
        said: what its sentences say.
        rule: a conditional that is applied to somebody, or None.
        name: of a choice that changes what they say, or ``""``.
        value: of that choice, with which they say something else.
        other: what they say then.
    """

    said: _Said
    rule: Rule | None
    name: str = ""
    value: str = ""
    other: _Said | None = None

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
        nodes, named = self.said.nodes, self.said.contents
        found = [operator for node in nodes for operator in operators(node)]
        if any(operator.word == "choose" for operator in found):
            options["can choose to"] = ("permission", "bilateral")
        if self.name == "kind":
            options["kind"] = ("quantified", "term")
        if self.name == "adverbial":
            options["adverbial"] = ("modifies", "restricts")
        if named.classes and (scoped := self._scoped()):
            denied = all(isinstance(node, Negation) and isinstance(node.body, Operator) for node in scoped)
            wide = len(nodes) < 3 or denied
            options["scope"] = ("de dicto", "de re") if wide else ("de re", "de dicto")
        if named.doubtful or (self.rule and self.rule.noun):
            options["head noun"] = ("understood", "stated")
        ways = [said.contents.names for said in (self.said, self.other) if said]
        if any(names.loose for names in ways):
            likely = any(names.likely for names in ways)
            options["paraphrase"] = ("same", "different") if likely else ("different", "same")
        if any(names.tense_matters for names in ways):
            options["tense"] = ("disregarded", "respected")
        if any(operator.word == COULD_NOT_HAVE and operator.modality == EPISTEMIC for operator in found):
            options[COULD_NOT_HAVE] = self._impossible(options)
        if len(nodes) < 3 and only_denied(self._natural(options)):
            options["negation"] = ("of the clause", "within the clause")
        if isinstance(nodes[0], Conditional) and denied_condition(self._natural(options)):
            options["negation"] = ("of the clause", "within the clause")
        possible = len(nodes) > 2 and any(operator.force == "possible" for operator in found)
        if possible and prohibits(self._natural(options)):
            options["prohibition"] = ("no permission", "duty not to")
        return options

    def _natural(self, options: Mapping[str, tuple[str, ...]]) -> Inference:
        return self._inference({name: values[0] for name, values in options.items()})

    def _impossible(self, options: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Return how to take "could not have": so first that the conclusion does not repeat a premise."""
        natural = {name: values[0] for name, values in options.items()}
        denied, certain = (self._inference({**natural, COULD_NOT_HAVE: way}) for way in (DENIED, CERTAIN))
        return (CERTAIN, DENIED) if _repeats(denied) and not _repeats(certain) else (DENIED, CERTAIN)

    def _scoped(self) -> list[Node]:
        """Return the sentences whose operator can take the quantifier into its scope or leave it out."""
        return [
            node
            for node in self.said.nodes
            if any(
                (operator.outer or len(self.said.nodes) < 3)
                and any(clause.quantifier for clause in clauses(operator.body))
                for operator in operators(node)
            )
        ]

    def _inference(self, choices: Choices) -> Inference:
        changed = self.other and choices.get(self.name) == self.value
        return self._of((changed and self.other) or self.said, choices)

    def _of(self, way: _Said, choices: Choices) -> Inference:
        nodes, named = way.nodes, way.contents
        same, tense = choices.get("paraphrase") != "different", choices.get("tense") == "respected"
        said: dict[int, list[Atom]] = {}
        restrictions: dict[int, Formula | None] = {}
        for node in nodes:
            for clause in clauses(node):
                about = VARIABLE if clause.quantifier else named.individuals.get(clause.subject, "")
                terms = (about,) if about else ()
                positions = named.positions[id(clause)]
                said[id(clause)] = [Atom(named.names.name(at, same, tense), terms) for at in positions]
                if clause.quantifier:
                    restrictions[id(clause)] = _restriction(named, clause, choices)
        rules: dict[int, Atom | None] = {}
        if self.rule:
            stated = self.rule.noun and choices["head noun"] == "stated"
            rules[id(nodes[self.rule.at])] = Atom(self.rule.noun, (VARIABLE,)) if stated else None
        builder = Builder(choices, len(nodes) < 3, said, restrictions, rules)
        formulas = [builder.build(node) for node in nodes]
        found = with_opaque_contents(Inference(tuple(formulas[:-1]), formulas[-1]))
        if isinstance(nodes[0], Conditional):
            found = with_opaque_conditions(found)
        if "within" in choices.get("negation", ""):
            found = with_named_denials(found)
        if choices.get("prohibition") == "duty not to":
            found = with_duties(found)
        return found


def _repeats(inference: Inference) -> bool:
    return inference.conclusion in inference.premises


def _restriction(named: Contents, clause: Clause, choices: Choices) -> Formula | None:
    same, tense = choices.get("paraphrase") != "different", choices.get("tense") == "respected"
    at, *others = named.classes[id(clause)]
    group = class_of(clause.subject)
    if others:
        return Or(tuple(Atom(named.names.name(part, same, tense), (VARIABLE,)) for part in (at, *others)))
    understood = choices.get("head noun") != "stated"
    if at in named.doubtful and at not in named.restricted and understood:
        return None
    understood = at in named.restricted and understood
    name = named.names.name(named.restricted[at] if understood else at, same, tense)
    atom = Atom(name, (VARIABLE,))
    return Not(atom) if group.negated and (understood or group.generic) else atom

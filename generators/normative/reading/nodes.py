"""Syntax tree of a sentence, and the formulas built from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import NamedTuple

from polbias.generators.language import english
from polbias.generators.logic.formula import (
    And,
    Atom,
    ForAll,
    Formula,
    Implies,
    Necessarily,
    Not,
    Or,
    Possibly,
    negate,
)
from polbias.generators.normative.reading.lexicon import (
    ADVERBS,
    DETERMINERS,
    POSSESSIVES,
    PREPOSITIONS,
    REFLEXIVES,
    Words,
    lower_words,
    plain,
    tokens,
    word_set,
)

# Syntax trees: clauses under negations, operators and conditionals.

# Embedding of a clause: none, in a finite that-clause, or in a that-clause whose verb can be a subjunctive.
Mood = str
TOP, FINITE, SUBJUNCTIVE = "", "finite", "subjunctive"
# Operator word of "could not have done it", which means "impossible" or "certain not".
COULD_NOT_HAVE = "could not have"
# Choice of the negated proposition in "not all ... might".
NOT_ALL_MIGHT, DENIED_OF_ALL, DENIED_OF_EACH = "not all might", "that all do", "that all might"
# Operator word of "smoking is prohibited", which is not an operator in an epistemic item.
STATED_FACT = "stated"
# Verb phrases that a span of text can mean, the likeliest first.
Alternatives = tuple[Words, ...]


class Split(NamedTuple):
    """Division of a clause without auxiliary into subject and predicate."""

    subject: Words
    predicate: Words
    tense: str
    number: str
    unmarked: bool = False


@dataclass(frozen=True, slots=True)
class ClauseNode:
    """Subject and predicate.

    Attributes:
        subject: lower case; empty for an infinitive without subject.
        predicates: disjuncts of the predicate (mostly one), each with its alternative verb phrases in the
            base form.
        tense: ``""`` if neutral, else ``"present"``, ``"past"``, ``"future"`` or ``"progressive"``.
        number: number of the subject by the form of the verb: ``"singular"``, ``"plural"`` or ``""``.
        quantifier: ``"all"``, ``"any"``, ``"no"``, ``"only"``, ``"some"`` or ``""``; the subject of a
            quantifier is the class.
        splits: all grammatical divisions if no auxiliary marks the beginning of the predicate; the first is
            `subject` and `predicates`.
        unmarked: whether the finite verb is in the base form.
        missing: whether the finite verb is missing ("Waldo not at home").
        antecedents: other possible antecedents, if the subject was a pronoun.
    """

    subject: Words
    predicates: tuple[Alternatives, ...]
    tense: str = ""
    number: str = ""
    quantifier: str = ""
    splits: tuple[Split, ...] = ()
    unmarked: bool = False
    missing: bool = False
    antecedents: tuple[Words, ...] = ()

    @property
    def predicate(self) -> Words:
        """First verb phrase."""
        return self.predicates[0][0]


@dataclass(frozen=True, slots=True)
class Negation:
    """Negation.

    Attributes:
        body: negated node.
        outer: whether it precedes the clause ("it is not certain that all ..."), so that its scope includes
            a quantifier of the clause.
    """

    body: Node
    outer: bool = False


@dataclass(frozen=True, slots=True)
class Operator:
    """Necessity or possibility.

    Attributes:
        modality: ``"deontic"``, ``"epistemic"``, ``"?"`` for the modality of the item's domain, or another
            word.
        force: ``"necessary"``, ``"possible"`` or ``"optional"``.
        body: operand.
        outer: whether the operand is a full finite clause.
        word: modal verb, ``"choose"``, or ``""``.
        content: node without the operator, if the words can be non-modal ("cats can fly"), or None.
    """

    modality: str
    force: str
    body: Node
    outer: bool = False
    word: str = ""
    content: Node | None = None


@dataclass(frozen=True, slots=True)
class Conditional:
    """Conditional with antecedent and consequent."""

    antecedent: Node
    consequent: Node


@dataclass(frozen=True, slots=True)
class Coordination:
    """Coordination of clauses by "and" or "or", each clause with an operator or a verb.

    Attributes:
        disjunctive: whether the conjunction is "or".
        parts: clauses, at least two.
    """

    disjunctive: bool
    parts: tuple[Node, ...]


Node = ClauseNode | Negation | Operator | Conditional | Coordination


def is_not_all_might(node: Operator) -> bool:
    """Whether an operator is "might" over a negation, as in "not all students might have passed"."""
    return not node.outer and node.word == "might" and isinstance(node.body, Negation) and node.body.outer


def operator(force: tuple[str, str], body: Node, *, outer: bool = False, word: str = "") -> Node:
    """Return the operator of a frame word, negated for "impossible" and "unnecessary" forces."""
    modality, kind = force
    if kind in ("impossible", "unnecessary"):
        plain = "possible" if kind == "impossible" else "necessary"
        return Negation(Operator(modality, plain, body, outer, word), outer)
    return Operator(modality, kind, body, outer, word)


def negate_if(node: Node, negated: bool) -> Node:
    """Return the outer negation of a node if `negated`, else the node."""
    return Negation(node, outer=True) if negated else node


def _iter_nodes(node: Node) -> Iterator[Node]:
    """Yield the nodes of a tree from left to right."""
    yield node
    if isinstance(node, Conditional):
        yield from _iter_nodes(node.antecedent)
        yield from _iter_nodes(node.consequent)
    elif isinstance(node, Coordination):
        for part in node.parts:
            yield from _iter_nodes(part)
    elif not isinstance(node, ClauseNode):
        yield from _iter_nodes(node.body)


def clauses(node: Node) -> Iterator[ClauseNode]:
    """Yield the clauses of a tree from left to right."""
    return (part for part in _iter_nodes(node) if isinstance(part, ClauseNode))


def operators(node: Node) -> Iterator[Operator]:
    """Yield the operators of a tree from left to right."""
    return (part for part in _iter_nodes(node) if isinstance(part, Operator))


def rebuild(node: Node, transform: Callable[[Node], Node]) -> Node:
    """Return a node with its children transformed; a clause has no children."""
    if isinstance(node, ClauseNode):
        return node
    if isinstance(node, Conditional):
        return Conditional(transform(node.antecedent), transform(node.consequent))
    if isinstance(node, Coordination):
        return replace(node, parts=tuple(map(transform, node.parts)))
    body = transform(node.body)
    return node if body is node.body else replace(node, body=body)


def map_clauses(node: Node, transform: Callable[[ClauseNode], Node]) -> Node:
    """Return a tree with every clause transformed."""
    return (
        transform(node)
        if isinstance(node, ClauseNode)
        else rebuild(node, lambda part: map_clauses(part, transform))
    )


# From syntax trees to formulas, one for each resolution of the ambiguities.

VARIABLE = "x"
# Interpretations of "could not have".
DENIES_POSSIBILITY, CERTAIN_OF_NEGATION = "denies a possibility", "certain of the negation"
Restriction = tuple[str, Formula | None] | None
# Scopes of a subject: surface scope, within the operators of its verb group, outside the operators before its
# clause.
SURFACE, NARROW, WIDE = "surface", "narrow", "wide"


@dataclass(frozen=True)
class FormulaBuilder:
    """Builder of the formulas of one interpretation of an item.

    Attributes:
        choices: value of each ambiguity.
        single: whether the item has one premise; a quantifier then stays in the scope of the operators before
            its clause, unless `choices` has another scope.
        disjunct_atoms: atoms of the disjuncts of each clause, by ``id(clause)``.
        restrictions: restriction of the quantifier of each quantified clause, by ``id(clause)``, or None.
        rules: class of each conditional about anybody, by ``id(node)``, or None.
    """

    choices: Mapping[str, str]
    single: bool
    disjunct_atoms: Mapping[int, list[Atom]]
    restrictions: Mapping[int, Formula | None]
    rules: Mapping[int, Atom | None]

    def build(self, node: Node) -> Formula:
        """Return the formula of a sentence, with all quantifiers bound."""
        return _bind_variable(*self._build_open(node))

    def _build_open(self, node: Node, lowerable: bool = True) -> tuple[Restriction, Formula]:
        """Return the restriction of a quantifier that is not yet bound, and the formula.

        `lowerable`: the node is not in a negation of the verb group.
        """
        match node:
            case ClauseNode():
                atoms = self.disjunct_atoms[id(node)]
                formula: Formula = atoms[0] if len(atoms) == 1 else Or(tuple(atoms))
                return ((node.quantifier, self.restrictions[id(node)]) if node.quantifier else None), formula
            case Conditional():
                return None, self._conditional(node)
            case Coordination(disjunctive, parts):
                return None, (Or if disjunctive else And)(tuple(map(self.build, parts)))
            # "could not have" as "certain not".
            case Negation(Operator(modality, _, body, _, word)) if (
                word == COULD_NOT_HAVE and self.choices.get(word) == CERTAIN_OF_NEGATION
            ):
                restriction, formula = self._build_open(body, False)
                return restriction, Necessarily(modality, Not(formula))
            case Negation(body, outer):
                restriction, formula = self._build_open(body, lowerable and outer)
                if restriction and self._binds_quantifier(restriction[0], node, lowerable):
                    return None, Not(_bind_variable(restriction, formula))
                return restriction, Not(formula)
            case Operator(_, _, Negation(body, True), False) if self.choices.get(
                NOT_ALL_MIGHT
            ) == DENIED_OF_EACH and is_not_all_might(node):
                return self._build_open(Negation(replace(node, body=body), True), lowerable)
            case Operator(_, _, body, _):
                restriction, formula = self._build_open(body, lowerable)
                if restriction and self._binds_quantifier(restriction[0], node, lowerable):
                    return None, self._modal(node, _bind_variable(restriction, formula))
                return restriction, self._modal(node, formula)

    def _binds_quantifier(self, quantifier: str, node: Negation | Operator, lowerable: bool) -> bool:
        """Whether a quantifier has narrow scope under a negation or an operator."""
        if quantifier == "any":
            return False
        scope = self._scope(quantifier)
        if scope in (SURFACE, NARROW, WIDE):
            if node.outer:
                return scope != WIDE or isinstance(node, Negation)
            return scope == NARROW and isinstance(node, Operator) and lowerable
        if isinstance(node, Negation):
            return scope == "de dicto" if self.single and "scope" in self.choices else node.outer
        return scope == "de dicto" and (self.single or node.outer)

    def _scope(self, quantifier: str) -> str:
        scope = self.choices.get("scope", "")
        if quantifier == "some":
            return self.choices.get("indefinite", scope if scope in (NARROW, WIDE) else SURFACE)
        return SURFACE if self.choices.get("generic", "kind") != "kind" else scope

    def _conditional(self, node: Conditional) -> Formula:
        antecedent, consequent = self.build(node.antecedent), self.build(node.consequent)
        if id(node) not in self.rules:
            return Implies(antecedent, consequent)
        group = self.rules[id(node)]
        if group is not None:
            antecedent = And((group, antecedent))
        return ForAll((VARIABLE,), Implies(antecedent, consequent))

    def _modal(self, node: Operator, formula: Formula) -> Formula:
        modality = node.modality
        if node.word == "choose" and self.choices.get("can choose to") == "bilateral":
            return And((Possibly(modality, formula), Possibly(modality, negate(formula))))
        if node.force == "optional":
            return And((Not(Necessarily(modality, formula)), Not(Necessarily(modality, negate(formula)))))
        kind = Necessarily if node.force == "necessary" else Possibly
        # "It is possible that it might rain" has one possibility, expressed twice.
        if isinstance(formula, kind) and formula.modality == modality:
            return formula
        return kind(modality, formula)


def _bind_variable(restriction: Restriction, formula: Formula) -> Formula:
    """Return the formula with the variable of its quantifier bound."""
    if restriction is None:
        return formula
    quantifier, group = restriction
    body = Not(formula) if quantifier in ("no", "some") else formula
    if group is not None:
        body = Implies(body, group) if quantifier == "only" else Implies(group, body)
    universal = ForAll((VARIABLE,), body)
    return Not(universal) if quantifier == "some" else universal


# Normal form of the texts of atoms and terms.

_DROPPED = word_set("dropped")
_SPEAKER_POSSESSIVES = {"i": "my", "we": "our", "you": "your", "one": "your"}


@cache
def foreign_possessives(subject: Words) -> frozenset[str]:
    """Return the possessives that cannot refer to a subject; an empty subject is "you" or anybody."""
    speaker_possessive = _SPEAKER_POSSESSIVES.get(subject[0] if subject else "you")
    return frozenset(
        {"my", "our", "your", "his", "her"} - {speaker_possessive}
        if speaker_possessive
        else {"my", "our", "your"}
    )


_FUNCTION = (PREPOSITIONS | ADVERBS | DETERMINERS | {"to"}) - word_set("before_possessed")


@lru_cache(maxsize=1 << 14)
def canonical(text: str) -> str:
    """Return the normal form of the text of an atom or a term."""
    return " ".join(canonical_words(lower_words(tokens(plain(text).strip().rstrip(".")))))


@lru_cache(maxsize=1 << 14)
def indefinite(word: str) -> str:
    """Return the indefinite article of a word."""
    return english.with_indefinite_article(word).split(" ", 1)[0]


@lru_cache(maxsize=1 << 15)
def canonical_words(words: Words, foreign: frozenset[str] = frozenset()) -> Words:
    """Return the normal form of words in lower case without contractions; see `canonical`.

    `foreign`: possessives that do not refer to the subject.
    """
    normalized: list[str] = []
    last = len(words) - 1
    for index, word in enumerate(words):
        if word in _DROPPED and not (word == "both" and index == last):
            continue
        if word in POSSESSIVES:
            possessive = index and not (word == "her" and (index == last or words[index + 1] in _FUNCTION))
            normalized.append("one's" if possessive and word not in foreign else word)
        elif word in REFLEXIVES:
            normalized.append("oneself")
        elif word in ("a", "an"):
            normalized.append(indefinite(words[index + 1]) if index < last else word)
        elif word == "to" and normalized[-2:] == ["be", "able"]:
            normalized[-2:] = ["can"]
        else:
            normalized.append(word.replace("\u00a0", " "))
    if len(normalized) > 1 and normalized[0] == "be":
        del normalized[0]
    if len(normalized) > 1 and normalized[0] in ("a", "an", "the"):
        del normalized[0]
    return tuple(normalized)

"""Nodes of a reading, and the formulas that they stand for."""

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

# What the grammar finds in a sentence: clauses under negations, operators and conditionals.

# How a clause is embedded: not at all, in a finite that-clause, or in one whose verb may be a subjunctive.
Mood = str
TOP, FINITE, SUBJUNCTIVE = "", "finite", "subjunctive"
# The word of "could not have done it", which is said of what cannot be and of what is certain not to be.
COULD_NOT_HAVE = "could not have"
# The choice of what "not all ... might" denies.
NOT_ALL_MIGHT, DENIED_OF_ALL, DENIED_OF_EACH = "not all might", "that all do", "that all might"
# The word of "smoking is prohibited", which is no operator in an item about what is certain.
STATED_FACT = "stated"
# Verb phrases that a stretch of text may stand for, the likeliest first.
Alternatives = tuple[Words, ...]


class Split(NamedTuple):
    """One way to divide a clause without auxiliary into subject and predicate."""

    subject: Words
    predicate: Words
    tense: str
    number: str
    unmarked: bool = False


@dataclass(frozen=True, slots=True)
class ClauseNode:
    """A subject and what is said of it.

    Attributes:
        subject: lower case; empty where an infinitive has none.
        predicates: the disjuncts of the predicate (mostly one), each a verb phrase in the base form.
        tense: ``""`` where it is neutral, else ``"present"``, ``"past"``, ``"future"`` or ``"progressive"``.
        number: what the form of the verb shows of the subject's number: ``"singular"``, ``"plural"`` or
            ``""``.
        quantifier: ``"all"``, ``"any"``, ``"no"``, ``"only"``, ``"some"`` or ``""``; the subject then is the
            class.
        splits: every division that the grammar allows where no auxiliary shows where the predicate begins;
            the first is the one that `subject` and `predicates` give.
        unmarked: whether the finite verb stands in the base form.
        missing: whether the finite verb has been left out ("Waldo not at home").
        antecedents: other noun phrases that the pronoun may stand for which was the subject.
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
        """The first verb phrase."""
        return self.predicates[0][0]


@dataclass(frozen=True, slots=True)
class Negation:
    """A negation.

    Attributes:
        body: what is denied.
        outer: whether it stands before the clause ("it is not certain that all ..."), so that a quantifier in
            the clause is in its scope.
    """

    body: Node
    outer: bool = False


@dataclass(frozen=True, slots=True)
class Operator:
    """A necessity or possibility.

    Attributes:
        modality: ``"deontic"``, ``"epistemic"``, ``"?"`` for that of the item's domain, or a word of its own.
        force: ``"necessary"``, ``"possible"`` or ``"optional"``.
        body: what is necessary or possible.
        outer: whether it takes a finite clause as a whole.
        word: the modal verb, ``"choose"``, or ``""``.
        content: what the words say where they are no operator ("cats can fly"), or None.
    """

    modality: str
    force: str
    body: Node
    outer: bool = False
    word: str = ""
    content: Node | None = None


@dataclass(frozen=True, slots=True)
class Conditional:
    """If the antecedent, the consequent."""

    antecedent: Node
    consequent: Node


@dataclass(frozen=True, slots=True)
class Coordination:
    """Clauses that "and" or "or" joins, each with an operator or a verb of its own.

    Attributes:
        disjunctive: whether "or" joins them.
        parts: at least two.
    """

    disjunctive: bool
    parts: tuple[Node, ...]


Node = ClauseNode | Negation | Operator | Conditional | Coordination


def is_not_all_might(node: Operator) -> bool:
    """Whether an operator is that of "not all students might have passed"."""
    return not node.outer and node.word == "might" and isinstance(node.body, Negation) and node.body.outer


def operator(force: tuple[str, str], body: Node, *, outer: bool = False, word: str = "") -> Node:
    """Return the operator of a frame word, with the negation that the word may have in it."""
    modality, kind = force
    if kind in ("impossible", "unnecessary"):
        plain = "possible" if kind == "impossible" else "necessary"
        return Negation(Operator(modality, plain, body, outer, word), outer)
    return Operator(modality, kind, body, outer, word)


def negate_if(node: Node, negated: bool) -> Node:
    """Return a node, or its negation as a whole if it is negated."""
    return Negation(node, outer=True) if negated else node


def _iter_nodes(node: Node) -> Iterator[Node]:
    """Yield a tree and all that is in it, from left to right."""
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
    """Return a node with its immediate parts changed; a clause is returned as it is."""
    if isinstance(node, ClauseNode):
        return node
    if isinstance(node, Conditional):
        return Conditional(transform(node.antecedent), transform(node.consequent))
    if isinstance(node, Coordination):
        return replace(node, parts=tuple(map(transform, node.parts)))
    body = transform(node.body)
    return node if body is node.body else replace(node, body=body)


def map_clauses(node: Node, transform: Callable[[ClauseNode], Node]) -> Node:
    """Return a tree with every clause changed."""
    return (
        transform(node)
        if isinstance(node, ClauseNode)
        else rebuild(node, lambda part: map_clauses(part, transform))
    )


# From what the grammar finds to formulas, for each way to settle what the language leaves open.

VARIABLE = "x"
# What "could not have" denies, or is certain of.
DENIES_POSSIBILITY, CERTAIN_OF_NEGATION = "denies a possibility", "certain of the negation"
Restriction = tuple[str, Formula | None] | None
# Scopes of a subject: as worded, within the operators of its verb group, outside of those before its clause.
SURFACE, NARROW, WIDE = "surface", "narrow", "wide"


@dataclass(frozen=True)
class FormulaBuilder:
    """What the formulas of one reading need to know of the item.

    Attributes:
        choices: how what is open is settled.
        single: whether the item has one premise; a quantifier then stays within the scope of what governs its
            clause unless the choice of scope says otherwise.
        said: the atoms of the disjuncts of each clause, by the identity of the clause.
        restrictions: what restricts the quantifier of each quantified clause, likewise; None if nothing does.
        rules: conditionals about anybody by identity, with the class that they are about, or None.
    """

    choices: Mapping[str, str]
    single: bool
    disjunct_atoms: Mapping[int, list[Atom]]
    restrictions: Mapping[int, Formula | None]
    rules: Mapping[int, Atom | None]

    def build(self, node: Node) -> Formula:
        """Return the formula of a sentence."""
        return _bind_variable(*self._build_open(node))

    def _build_open(self, node: Node, lowerable: bool = True) -> tuple[Restriction, Formula]:
        """Return the restriction of a quantifier that still looks for its scope, and the formula.

        lowerable: whether no negation of the verb group stands around the node.
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
            # What "could not have" says is certain, where it does not say what is impossible.
            case Negation(Operator(modality, _, body, _, word)) if (
                word == COULD_NOT_HAVE and self.choices.get(word) == CERTAIN_OF_NEGATION
            ):
                restriction, formula = self._build_open(body, False)
                return restriction, Necessarily(modality, Not(formula))
            case Negation(body, outer):
                restriction, formula = self._build_open(body, lowerable and outer)
                if restriction and self._has_scope_within(restriction[0], node, lowerable):
                    return None, Not(_bind_variable(restriction, formula))
                return restriction, Not(formula)
            case Operator(_, _, Negation(body, True), False) if self.choices.get(
                NOT_ALL_MIGHT
            ) == DENIED_OF_EACH and is_not_all_might(node):
                return self._build_open(Negation(replace(node, body=body), True), lowerable)
            case Operator(_, _, body, _):
                restriction, formula = self._build_open(body, lowerable)
                if restriction and self._has_scope_within(restriction[0], node, lowerable):
                    return None, self._modal(node, _bind_variable(restriction, formula))
                return restriction, self._modal(node, formula)

    def _has_scope_within(self, quantifier: str, node: Negation | Operator, lowerable: bool) -> bool:
        """Whether a quantifier has its scope within a negation or an operator."""
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
        # "It is possible that it might rain" says "possible" twice and means it once.
        if isinstance(formula, kind) and formula.modality == modality:
            return formula
        return kind(modality, formula)


def _bind_variable(restriction: Restriction, formula: Formula) -> Formula:
    """Bind the variable of a quantifier at this point."""
    if restriction is None:
        return formula
    quantifier, group = restriction
    body = Not(formula) if quantifier in ("no", "some") else formula
    if group is not None:
        body = Implies(body, group) if quantifier == "only" else Implies(group, body)
    universal = ForAll((VARIABLE,), body)
    return Not(universal) if quantifier == "some" else universal


# The normal form of the texts of atoms and terms.

_DROPPED = word_set("dropped")
_SPEAKER_POSSESSIVES = {"i": "my", "we": "our", "you": "your", "one": "your"}


@cache
def foreign_possessives(subject: Words) -> frozenset[str]:
    """Return the possessives that cannot be those of a subject; one that is not named is "you" or anybody."""
    speaker_possessive = _SPEAKER_POSSESSIVES.get(subject[0] if subject else "you")
    return frozenset(
        {"my", "our", "your", "his", "her"} - {speaker_possessive}
        if speaker_possessive
        else {"my", "our", "your"}
    )


_FUNCTION = (PREPOSITIONS | ADVERBS | DETERMINERS | {"to"}) - word_set("before_possessed")


@lru_cache(maxsize=1 << 14)
def canonical(text: str) -> str:
    """Return the normal form of a text that names an atom or a term."""
    return " ".join(canonical_words(lower_words(tokens(plain(text).strip().rstrip(".")))))


@lru_cache(maxsize=1 << 14)
def indefinite(word: str) -> str:
    """Return the indefinite article that a word takes."""
    return english.with_indefinite_article(word).split(" ", 1)[0]


@lru_cache(maxsize=1 << 15)
def canonical_words(words: Words, foreign: frozenset[str] = frozenset()) -> Words:
    """Return the normal form of words in lower case without contractions; see `canonical`.

    foreign: possessives that are not those of the subject.
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

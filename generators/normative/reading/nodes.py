"""What the grammar finds in a sentence: clauses under negations, operators and conditionals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from polbias.generators.normative.reading.text import Words

# How a clause is embedded: not at all, in a finite that-clause, or in one whose verb may be a subjunctive.
Mood = str
TOP, FINITE, SUBJUNCTIVE = "", "finite", "subjunctive"
# The word of "could not have done it", which is said of what cannot be and of what is certain not to be.
COULD_NOT_HAVE = "could not have"
# The word of "smoking is prohibited", which is no operator in an item about what is certain.
STATED = "stated"
# Verb phrases that a stretch of text may stand for, the likeliest first.
Alternatives = tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """One way to divide a clause without auxiliary into subject and predicate."""

    subject: Words
    predicate: Words
    tense: str
    number: str
    unmarked: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject and what is said of it.

    Attributes:
        subject: lower case; empty where an infinitive has none.
        predicates: the disjuncts of the predicate (mostly one), each a verb phrase in the base form.
        tense: ``""`` where it is neutral, else ``"present"``, ``"past"``, ``"future"`` or ``"progressive"``.
        number: what the form of the verb shows of the subject's number: ``"singular"``, ``"plural"`` or
            ``""``.
        quantifier: ``"all"``, ``"any"``, ``"no"``, ``"only"`` or ``""``; the subject then is the class.
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


Node = Clause | Negation | Operator | Conditional


def operator(force: tuple[str, str], body: Node, *, outer: bool = False, word: str = "") -> Node:
    """Return the operator of a frame word, with the negation that the word may have in it.

    Args:
        force: modality and force as in `lexicon.ADJECTIVES`.
        body: what it is applied to.
        outer: see `Operator.outer`.
        word: see `Operator.word`.

    Returns:
        The node.
    """
    modality, kind = force
    if kind in ("impossible", "unnecessary"):
        plain = "possible" if kind == "impossible" else "necessary"
        return Negation(Operator(modality, plain, body, outer, word), outer)
    return Operator(modality, kind, body, outer, word)


def denied(node: Node, negated: bool) -> Node:
    """Return a node, or its negation as a whole if it is negated."""
    return Negation(node, outer=True) if negated else node


def clauses(node: Node) -> Iterator[Clause]:
    """Yield the clauses of a tree from left to right."""
    if isinstance(node, Clause):
        yield node
    elif isinstance(node, Conditional):
        yield from clauses(node.antecedent)
        yield from clauses(node.consequent)
    else:
        yield from clauses(node.body)


def operators(node: Node) -> Iterator[Operator]:
    """Yield the operators of a tree from left to right."""
    if isinstance(node, Conditional):
        yield from operators(node.antecedent)
        yield from operators(node.consequent)
    elif not isinstance(node, Clause):
        if isinstance(node, Operator):
            yield node
        yield from operators(node.body)


def change(node: Node, how: Callable[[Clause], Node]) -> Node:
    """Return a tree with every clause changed."""
    if isinstance(node, Clause):
        return how(node)
    if isinstance(node, Conditional):
        return Conditional(change(node.antecedent, how), change(node.consequent, how))
    body = change(node.body, how)
    return node if body is node.body else replace(node, body=body)

"""Indefinite and counted noun phrases: interpreted as "at least one", or rejected.

A subject with a count or measure ("two drivers", "most of them") is never part of a proposition: its form
does not show whether an operator or a negation applies to each member or to their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from polbias.generators.logic.formula import DEONTIC
from polbias.generators.logic.prover import ReadingError
from polbias.generators.normative.reading.generics import kind_of, negate_embedded
from polbias.generators.normative.reading.lexicon import (
    ADVERBS,
    DETERMINERS,
    PREPOSITIONS,
    RELATIVES,
    SUBJECT_PRONOUNS,
    THIRD_PERSON,
    UNIVERSAL,
    UNIVERSAL_PEOPLE,
    Words,
    is_plural,
    singular,
    word_set,
)
from polbias.generators.normative.reading.nodes import (
    ClauseNode,
    Conditional,
    Coordination,
    Negation,
    Node,
    Operator,
    clauses,
    map_clauses,
    rebuild,
)
from polbias.generators.normative.reading.quantifiers import class_of
from polbias.generators.normative.reading.verbs import head_at, number_of

_EXISTENTIAL, _QUANTITIES, _NUMBERS = word_set("existential"), word_set("quantities"), word_set("numbers")
_OBJECTS = word_set("scoping_objects")
_FREQUENCIES = word_set("frequencies")
_PARTS, _EXCEPTIONS, _UNITS = word_set("parts"), word_set("exceptions"), word_set("units")
_AT_LEAST_ONE, _ONE_OF = ("at", "least", "one"), ("one", "of")
# Words before a number that counts: "the two drivers", "more than 20 drivers".
_BEFORE_NUMBERS = DETERMINERS | {
    "than",
    "to",
    "over",
    "under",
    "about",
    "around",
    "between",
    "and",
    "or",
    "of",
}
_BEFORE_NUMBERS |= _QUANTITIES
# Prepositions within a quantity; any other preposition, or a relative, begins the restriction of a noun.
_QUANTITY_PREPOSITIONS = {"than", "to", "or", "and", "but"}
_RESTRICTING = (PREPOSITIONS | RELATIVES) - _QUANTITY_PREPOSITIONS
_DIGITS = re.compile(r"\d[\d.,]*%?$")

Wrappers = tuple[Negation | Operator, ...]


def scopes(node: Node, wrappers: Wrappers = ()) -> Iterator[tuple[ClauseNode, Wrappers]]:
    """Yield the clauses of a sentence, with the negations and operators around them, the outermost first."""
    match node:
        case ClauseNode():
            yield node, wrappers
        case Conditional(antecedent, consequent):
            yield from scopes(antecedent)
            yield from scopes(consequent)
        case Coordination(_, parts):
            for part in parts:
                yield from scopes(part)
        case Negation() | Operator():
            yield from scopes(node.body, (*wrappers, node))


def inner_wrappers(wrappers: Wrappers) -> Wrappers:
    """Return the negations and operators of the verb group."""
    return tuple(wrapper for wrapper in wrappers if not wrapper.outer)


def existential_class(subject: Words) -> Words:
    """Return the class of an existential subject ("some N", "at least one N"); empty for other subjects."""
    if subject[:1] == ("some",) and len(subject) > 1:
        class_words = subject[1:]
    elif subject[:1] and subject[0] in _EXISTENTIAL - {"some"}:
        return subject
    elif subject[:3] == _AT_LEAST_ONE and len(subject) > 3:
        class_words = subject[3:]
    elif subject[:2] == _ONE_OF:
        class_words = subject[1:]
    else:
        return ()
    if class_words[0] == "of":
        class_words = class_words[1:]
        class_words = class_words[class_words[:1] == ("the",) :]
    return class_words


def refuse_quantities(nodes: Sequence[Node]) -> None:
    """Raise ReadingError for an item with a quantity that affects the inference, naming the noun phrase."""
    occurrences = [pair for node in nodes for pair in scopes(node)]
    quantity_clauses = [(clause, wrappers) for clause, wrappers in occurrences if quantity_of(clause)]
    if quantity_clauses and not is_repeated(nodes, quantity_clauses):
        subject = " ".join(quantity_clauses[0][0].subject)
        raise ReadingError(
            f"cannot formalize {quantity_of(quantity_clauses[0][0])!r} in the subject {subject!r}"
        )
    for clause, wrappers in occurrences:
        _refuse_coordinated(clause, wrappers)
        _refuse_any(clause, wrappers, len(nodes) < 3)
        _refuse_object(clause, inner_wrappers(wrappers))


def is_repeated(nodes: Sequence[Node], occurrences: Sequence[tuple[ClauseNode, Wrappers]]) -> bool:
    """Whether clauses of several sentences are repetitions of one clause with the same verb group."""
    first = occurrences[0][0]
    heads = [clause.subject[-1:] for node in nodes for clause in clauses(node)]
    return (
        (len(nodes) > 2 or nodes[0] == nodes[1])
        and 1 < len(occurrences) == heads.count(first.subject[-1:])
        and len(
            {(clause.subject, *map(_force, inner_wrappers(wrappers))) for clause, wrappers in occurrences}
        )
        == 1
        and all(set(first.predicates[0]) & set(clause.predicates[0]) for clause, _ in occurrences)
        and all(len(clause.predicates) == 1 for clause, _ in occurrences)
    )


def _force(wrapper: Negation | Operator) -> tuple[str, ...]:
    return (wrapper.modality, wrapper.force) if isinstance(wrapper, Operator) else ("not",)


def quantity_of(clause: ClauseNode) -> str:
    """Return the quantity or exception word of a subject; empty without one."""
    subject = clause.subject if clause.quantifier else existential_class(clause.subject) or clause.subject
    if not clause.quantifier and (word := _embedded_quantity(subject)):
        return word
    full_subject, subject = subject, subject[: _restriction_at(subject)]
    if subject in (("one",), *((word,) for word in UNIVERSAL_PEOPLE)):
        return ""
    for index, word in enumerate(subject):
        is_part = word in _PARTS and full_subject[index + 1 : index + 2] == ("of",) and subject[0] != "the"
        if word in _QUANTITIES | _EXCEPTIONS | _FREQUENCIES or is_part or _is_count(subject, index):
            return word
        is_universal = (word in UNIVERSAL and word != "only") or word == "some"
        if is_universal and (index or word not in UNIVERSAL_PEOPLE):
            return word
    return "one" if subject[:1] == ("one",) else ""


def _embedded_quantity(subject: Words) -> str:
    """Return the quantity word of a possessor: "somebody's car", "the cars of two drivers"."""
    for index, word in enumerate(subject):
        possessor = word.removesuffix("'s")
        if possessor != word and possessor in UNIVERSAL_PEOPLE | _EXISTENTIAL:
            return word
        is_quantity = (
            word in _QUANTITIES | {"some"}
            or word in UNIVERSAL
            or (_is_number(subject, index) and index + 1 < len(subject))
        )
        if index > 1 and subject[index - 1] == "of" and is_quantity:
            return word
    return ""


def _restriction_at(subject: Words) -> int:
    """Return the index of the restriction of a subject's noun, or the end of the subject."""
    return next(
        (
            index
            for index, word in enumerate(subject)
            if index and word in _RESTRICTING and subject[index - 1] not in ADVERBS
        ),
        len(subject),
    )


def _is_number(words: Words, index: int) -> bool:
    return words[index] in _NUMBERS or bool(_DIGITS.match(words[index]))


def _is_count(words: Words, index: int) -> bool:
    """Whether a number is a count and not a name ("chapter two")."""
    return _is_number(words, index) and (
        not index or index + 1 < len(words) or words[index - 1] in _BEFORE_NUMBERS
    )


def _refuse_coordinated(clause: ClauseNode, wrappers: Wrappers) -> None:
    """Raise ReadingError for a coordinated subject whose distributive reading affects the inference."""
    subject = clause.subject
    if clause.quantifier or not inner_wrappers(wrappers):
        return
    end = _restriction_at(subject)
    is_negated = any(isinstance(wrapper, Negation) for wrapper in wrappers)
    for word in subject[1:end]:
        if word in ("or", "nor") or (word == "and" and is_negated):
            raise ReadingError(f"cannot split the subject {' '.join(subject)!r}")


def _refuse_any(clause: ClauseNode, wrappers: Wrappers, is_single_premise: bool) -> None:
    """Raise ReadingError for "any" under a negation, which can mean "some"."""
    negations = [wrapper for wrapper in wrappers if isinstance(wrapper, Negation)]
    if is_single_premise and clause.quantifier == "any" and negations and inner_wrappers(wrappers):
        raise ReadingError(f"cannot tell the scope of {' '.join(clause.subject)!r}")


def _refuse_object(clause: ClauseNode, wrappers: Wrappers) -> None:
    """Raise ReadingError for a counted or quantified object that can have scope over a negation."""
    if not any(isinstance(wrapper, Negation) for wrapper in wrappers):
        return
    has_operator = any(isinstance(wrapper, Operator) for wrapper in wrappers)
    has_duty = any(isinstance(wrapper, Operator) and wrapper.modality == DEONTIC for wrapper in wrappers)
    for alternatives in clause.predicates:
        word = scoping_word(alternatives[0], has_operator, has_duty)
        if word:
            raise ReadingError(f"cannot tell the scope of {word!r} in {' '.join(alternatives[0])!r}")


def scoping_word(phrase: Words, modal: bool, obliged: bool) -> str:
    """Return the word of a verb phrase whose scope is ambiguous after a negation, or ""."""
    for index in range(1, len(phrase)):
        word, before, after = phrase[index], phrase[index - 1], phrase[index + 1 : index + 2]
        if obliged and word in _FREQUENCIES:
            return word
        # "in 1945 at the latest", "work every day", "wait for two hours"
        if after and (after[0] in PREPOSITIONS - {"of"} or singular(after[0]) in _UNITS):
            continue
        is_number = (_is_number(phrase, index) or word == "one") and before != "have"
        if not after and (word == "one" or before in PREPOSITIONS):
            is_number = False
        if word == "some" or (modal and word in _OBJECTS) or (obliged and (word in _QUANTITIES or is_number)):
            return word
    return ""


def is_generic(subject: Words, plurals: frozenset[str]) -> bool:
    """Whether a subject is "a" with a noun, or a bare plural; `plurals`: plural nouns of the item."""
    if not subject or subject[0] in SUBJECT_PRONOUNS or subject[0] in PREPOSITIONS:
        return False
    if subject[0] in ("a", "an"):
        return len(subject) > 1
    head = subject[head_at(subject)]
    if subject[0] in DETERMINERS or number_of(subject) != "plural" or "and" in subject:
        return False
    return is_plural(head) and head in plurals


def refuse_later_mentions(nodes: Sequence[Node]) -> None:
    """Raise ReadingError for pronoun subjects, which could refer to an existential subject of the item."""
    for node in nodes:
        for clause in clauses(node):
            if clause.subject[:1] and clause.subject[0] in THIRD_PERSON and len(clause.subject) == 1:
                raise ReadingError(f"cannot tell to whom {clause.subject[0]!r} refers")


def existentials(nodes: Sequence[Node]) -> list[tuple[ClauseNode, Wrappers]]:
    """Return the clauses with an existential subject, with their wrappers."""
    return [
        (clause, wrappers)
        for node in nodes
        for clause, wrappers in scopes(node)
        if existential_class(clause.subject) and not clause.quantifier
    ]


def universals(nodes: Sequence[Node]) -> list[tuple[ClauseNode, Wrappers]]:
    """Return the clauses with a quantified subject and a negation or operator in the verb group."""
    occurrences = (pair for node in nodes for pair in scopes(node))
    return [
        (clause, wrappers)
        for clause, wrappers in occurrences
        if clause.quantifier and inner_wrappers(wrappers)
    ]


def with_existentials(nodes: Sequence[Node]) -> list[Node]:
    """Return sentences with existential subjects as quantifiers; conditionals are unchanged."""

    def quantify(clause: ClauseNode) -> ClauseNode:
        group = () if clause.quantifier else existential_class(clause.subject)
        return replace(clause, quantifier="some", subject=group, splits=()) if group else clause

    return [node if isinstance(node, Conditional) else map_clauses(node, quantify) for node in nodes]


def with_denied_existentials(nodes: Sequence[Node]) -> list[Node]:
    """Return sentences with "no N" as the negation of "some N"."""
    return [_negate_existential(node) for node in nodes]


def _negate_existential(node: Node) -> Node:
    if isinstance(node, Conditional | Coordination):
        return rebuild(node, _negate_existential)
    first = next(clauses(node))
    if first.quantifier != "no":
        return node
    existential_clause = replace(first, quantifier="some", splits=())
    return negate_embedded(
        map_clauses(node, lambda clause: existential_clause if clause is first else clause), outer=True
    )


def with_quantifier(nodes: Sequence[Node], quantifier: str, plurals: frozenset[str]) -> list[Node]:
    """Return sentences with a quantifier for generic subjects."""

    def quantify(clause: ClauseNode) -> ClauseNode:
        if clause.quantifier or not is_generic(clause.subject, plurals):
            return clause
        subject = clause.subject[clause.subject[0] in ("a", "an") :]
        return replace(clause, quantifier=quantifier, subject=subject, splits=())

    return [map_clauses(node, quantify) for node in nodes]


def generic_quantifiers(nodes: Sequence[Node], plurals: frozenset[str]) -> tuple[str, ...]:
    """Return the possible quantifiers of generic subjects, if they affect scope."""
    occurrences = [
        (clause, wrappers)
        for node in nodes
        for clause, wrappers in scopes(node)
        if not clause.quantifier and is_generic(clause.subject, plurals)
    ]
    all_wrappers = [wrapper for _, wrappers in occurrences for wrapper in wrappers]
    has_duty = any(isinstance(wrapper, Operator) and wrapper.modality == DEONTIC for wrapper in all_wrappers)
    # "A square cannot have five sides" is about a kind, "a senator will resign" about an unknown individual.
    is_episodic = any(clause.tense not in ("", "present") for clause, _ in occurrences)
    flat = [clause for node in nodes for clause in clauses(node)]
    other_classes = {class_of(clause.subject).name for clause in flat if clause.quantifier}
    other_classes |= {class_of(existential_class(clause.subject)).name for clause, _ in existentials(nodes)}
    if any(class_of(clause.subject).name in other_classes for clause, _ in occurrences):
        return ("all",)
    has_scope = (has_duty or is_episodic) and any(inner_wrappers(wrappers) for _, wrappers in occurrences)
    if not has_scope or (len(occurrences) < 2 and not other_classes):
        return ()
    can_be_existential = is_episodic or any(clause.subject[0] in ("a", "an") for clause, _ in occurrences)
    return ("all", "some") if can_be_existential else ("all",)


def generic_subject(nodes: Sequence[Node], plurals: frozenset[str]) -> str:
    """Return the first generic subject of an item."""
    subjects = (clause.subject for node in nodes for clause in clauses(node) if not clause.quantifier)
    return " ".join(next((subject for subject in subjects if is_generic(subject, plurals)), ()))


def is_one_kind(nodes: Sequence[Node], plurals: frozenset[str]) -> bool:
    """Whether all generic subjects of an item are of one kind."""
    subjects = (clause.subject for node in nodes for clause in clauses(node) if not clause.quantifier)
    return len({class_of(subject).name for subject in subjects if is_generic(subject, plurals)}) == 1


def refuse_generics(nodes: Sequence[Node], plurals: frozenset[str]) -> None:
    """Raise ReadingError for several sentences if "a N" can mean "all N" or "some N"."""
    pairs = [pair for node in nodes for pair in scopes(node)]
    quantified = {class_of(clause.subject).name for clause, _ in pairs if clause.quantifier}
    generic = [
        (clause, wrappers)
        for clause, wrappers in pairs
        if not clause.quantifier and is_generic(clause.subject, plurals)
    ]
    duties = [(clause, wrappers) for clause, wrappers in generic if _is_duty(inner_wrappers(wrappers))]
    duties_repeat = len(duties) < 2 or is_repeated(nodes, duties)
    has_kind = kind_of(nodes) and not existentials(nodes)
    for clause, wrappers in generic:
        has_article = clause.subject[0] in ("a", "an")
        has_outer_negation = any(isinstance(wrapper, Negation) and wrapper.outer for wrapper in wrappers)
        is_negated = any(
            isinstance(wrapper, Negation) and (has_article or wrapper.outer) for wrapper in wrappers
        )
        is_duty = _is_duty(inner_wrappers(wrappers))
        is_ambiguous = not has_kind and class_of(clause.subject).name in quantified
        is_ambiguous |= is_duty and is_negated and not duties_repeat
        if has_outer_negation and has_article and inner_wrappers(wrappers):
            is_ambiguous |= any(_is_divided_otherwise(clause, wrappers, *other) for other in generic)
        if is_ambiguous:
            subject = " ".join(clause.subject)
            raise ReadingError(f"cannot tell whether {subject!r} means all or some")


def _is_duty(wrappers: Wrappers) -> bool:
    return any(isinstance(wrapper, Operator) and wrapper.modality == DEONTIC for wrapper in wrappers)


def _is_divided_otherwise(
    clause: ClauseNode, wrappers: Wrappers, other: ClauseNode, other_wrappers: Wrappers
) -> bool:
    """Whether two clauses with the same subject and predicate differ in the operators of the verb group."""
    return (
        clause.subject == other.subject
        and bool(set(clause.predicates[0]) & set(other.predicates[0]))
        and [_force(wrapper) for wrapper in inner_wrappers(wrappers)]
        != [_force(wrapper) for wrapper in inner_wrappers(other_wrappers)]
    )

"""What the clauses of an item say, named so that the same has the same name; and whom they speak of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polbias.generators.normative.reading.alignment import compare, same_individual
from polbias.generators.normative.reading.conditionals import Rule
from polbias.generators.normative.reading.coreference import Names, Occurrence, assign
from polbias.generators.normative.reading.lexicon import GENERIC_SUBJECTS, UNIVERSAL_PEOPLE, Words
from polbias.generators.normative.reading.nodes import VARIABLE, Clause, Node, canonical_words, clauses
from polbias.generators.normative.reading.quantifiers import Class, class_of, joined, predicate, term
from polbias.generators.normative.reading.verbs import Saying, number_of

_SPEAKERS = (("you",), ("i",))


@dataclass(frozen=True)
class Contents:
    """The contents of an item.

    Attributes:
        names: of everything that is said, by position.
        positions: the positions of the disjuncts of each clause, by the identity of the clause.
        classes: the positions of the classes that a clause quantifies over (mostly one), by the identity of
            the clause.
        individuals: the names of the individuals, by noun phrase.
        restricted: classes such as "students who cheat" of which the item elsewhere only says "cheats": the
            position of the class, and that of the other saying.
        doubtful: those of them where the item does not say of whom cheats that it is a student; and the
            positions of "everyone" where the item does not say of anybody that he is a person.
    """

    names: Names
    positions: dict[int, list[int]]
    classes: dict[int, list[int]]
    individuals: dict[Words, str]
    restricted: dict[int, int]
    doubtful: frozenset[int]


def contents(nodes: list[Node], syllogistic: bool, rule: Rule | None) -> Contents:
    """Name what an item says."""
    occurrences: list[Occurrence] = []
    positions: dict[int, list[int]] = {}
    classes: dict[int, list[int]] = {}
    flat = [clause for node in nodes for clause in clauses(node)]
    shown = {clause.subject: clause.number for clause in flat if clause.number}
    for clause in flat:
        if clause.quantifier:
            parts = joined(clause, flat)
            classes[id(clause)] = list(range(len(occurrences), len(occurrences) + len(parts)))
            occurrences.extend(map(Occurrence, parts))
        positions[id(clause)] = list(range(len(occurrences), len(occurrences) + len(clause.predicates)))
        singular = shown.get(clause.subject) == "singular"
        occurrences.extend(_occurrences(clause, syllogistic, singular))
    names = assign(occurrences)
    individuals = _individuals(flat, shown) if syllogistic else {}
    if rule:
        individuals[rule.subject] = VARIABLE
    restricted, doubtful = _restricted(flat, names, positions, classes) if syllogistic else ({}, frozenset())
    return Contents(names, positions, classes, individuals, restricted, doubtful)


def _occurrences(clause: Clause, syllogistic: bool, singular: bool) -> Iterator[Occurrence]:
    subject, quantified = clause.subject, bool(clause.quantifier)
    singular = singular or subject in _SPEAKERS
    plural = quantified or (bool(subject) and not singular and number_of(subject) == "plural")
    # The present of a rule about all is generic.
    tense = "" if quantified and clause.tense == "present" else clause.tense
    for alternatives in clause.predicates:
        if quantified or syllogistic:
            yield Occurrence(tuple(Saying((), predicate(phrase), plural) for phrase in alternatives), tense)
            continue
        generic = not subject or (len(subject) == 1 and subject[0] in GENERIC_SUBJECTS)
        subjects = ((),) if generic else (canonical_words(subject), *map(canonical_words, clause.antecedents))
        sayings = (_proposition(name, phrase, plural) for name in subjects for phrase in alternatives)
        yield Occurrence(tuple(sayings), tense)


def _proposition(subject: Words, phrase: Words, plural: bool) -> Saying:
    if not subject:
        return Saying((), canonical_words(phrase), plural)
    copular = phrase[0] == "be" and len(phrase) > 1 and phrase[1] != "able"
    # A word before the phrase keeps the normal form from taking its beginning for the beginning of a text.
    words = canonical_words(("it", *phrase))[1:]
    return Saying(subject, words[1:] if copular else words, plural, copular)


def _individuals(flat: list[Clause], shown: dict[Words, str]) -> dict[Words, str]:
    """Name the individuals; a later name for the same one gives way to the first."""
    known: dict[Words, str] = {}
    for clause in flat:
        if not clause.quantifier and clause.subject and clause.subject not in known:
            name = term(clause.subject, shown.get(clause.subject) != "singular")
            known[clause.subject] = next((old for old in known.values() if same_individual(old, name)), name)
    return known


def _restricted(
    flat: list[Clause], names: Names, positions: dict[int, list[int]], classes: dict[int, list[int]]
) -> tuple[dict[int, int], frozenset[int]]:
    found: dict[int, int] = {}
    doubtful: set[int] = set()
    for clause in flat:
        if not clause.quantifier:
            continue
        at, group = classes[id(clause)][0], class_of(clause.subject)
        if len(classes[id(clause)]) > 1:
            continue
        if clause.subject[0] in UNIVERSAL_PEOPLE and len(clause.subject) == 1:
            if names.of.count(names.of[at]) == 1:
                doubtful.add(at)
        elif not group.generic and group.restriction and names.of.count(names.of[at]) == 1:
            other = _restriction_elsewhere(group, clause, flat)
            if other is not None:
                found[at] = positions[id(other)][0]
                if group.noun != class_of(other.subject).noun:
                    doubtful.add(at)
    return found, frozenset(doubtful)


def _restriction_elsewhere(group: Class, clause: Clause, flat: list[Clause]) -> Clause | None:
    mine = Saying((), group.restriction, plural=True)
    for other in flat:
        if (
            other is not clause
            and not other.quantifier
            and compare(mine, Saying((), predicate(other.predicate)))
        ):
            return other
    return None

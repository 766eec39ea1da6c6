"""Premises of the ladder: kinds of statements, how one is drawn, and how one is changed in one place.

A premise is a formula; its kind is the shape of the formula, and each kind has one wording in each language
(:mod:`polbias.generators.partisan.ladder.writer`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations

from polbias.generators.logic.finite import IDENTICAL
from polbias.generators.logic.formula import (
    COMPARISONS,
    And,
    Atom,
    Comparison,
    Count,
    CountOf,
    ForAll,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    atoms,
    constants,
    negate,
    rename,
)
from polbias.generators.partisan.ladder.settings import (
    ABOVE,
    GROUPS,
    TRUTHFUL,
    VARIABLE,
    Group,
    Setting,
)

Rng = random.Random
_OTHER_GROUP: Mapping[str, Group] = dict(zip(GROUPS, GROUPS[::-1], strict=True))


def kind_of(premise: Formula) -> str:
    """Return the kind of a premise or testimony, by its shape.

    Raises:
        ValueError: if the formula has the shape of no kind.
    """
    match premise:
        case Atom() | Not(Atom()):
            return "fact"
        case Or((first, second)):
            return "report" if second == negate(first) else "either"
        case Not(Iff()):
            return "exclusive"
        case Iff(Atom(predicate, (_, second)), Atom(_, (other_first, _))) if (
            predicate == ABOVE and second == other_first
        ):
            return "between"
        case Iff(Atom(predicate, (_,)), _) if predicate == TRUTHFUL:
            return "testimony"
        case Implies(antecedent, consequent):
            return _CONDITIONALS[isinstance(antecedent, And), isinstance(consequent, Or)]
        case Count():
            return "count"
        case CountOf():
            return "group_count"
        case ForAll(_, Not()):
            return "only"
        case ForAll(_, Implies(And(parts), Atom(predicate, _))) if predicate == ABOVE and parts:
            return "overtaking"
        case ForAll(_, Implies(_, consequent)):
            return "disjunctive_rule" if isinstance(consequent, Or) else "rule"
        case _:
            raise ValueError(f"found {premise}, expected the shape of a premise")


_CONDITIONALS = {
    (False, False): "conditional",
    (True, False): "joint_conditional",
    (False, True): "disjunctive_conditional",
}
_TESTIFIED = ("fact", "either", "exclusive", "equivalent", "conditional", "count", "group_count")
_TESTIFIED_BY_FEW = ("fact", "exclusive", "equivalent", "either")  # up to four persons


class PremiseDrawer:
    """Draws premises about a setting.

    Args:
        setting: family, persons and traits.
        rng: random generator.
    """

    def __init__(self, setting: Setting, rng: Rng) -> None:
        self._setting, self._rng = setting, rng
        self._draws: Mapping[str, Callable[[], Formula]] = {
            "fact": lambda: self._literals(1)[0],
            "report": self._report,
            "either": lambda: Or(_positive_first(self._literals(2))),
            "exclusive": lambda: Not(Iff(*self._literals(2))),
            "equivalent": lambda: Iff(*self._literals(2)),
            "conditional": lambda: Implies(*self._literals(2)),
            "joint_conditional": self._joint_conditional,
            "disjunctive_conditional": self._disjunctive_conditional,
            "testimony": self._testimony,
            "between": lambda: between(*self._persons(3)),
            "count": self._count,
            "group_count": self._group_count,
            "overtaking": lambda: overtaking(self._setting, self._group(), *self._persons(2)),
            "rule": self._rule,
            "disjunctive_rule": self._disjunctive_rule,
            "only": lambda: exclusive_trait(*self._rng.sample(self._setting.traits, 2)),
        }

    def draw(self, kind: str) -> Formula:
        """Draw a premise of a kind."""
        return self._draws[kind]()

    def change(self, premise: Formula) -> Formula:
        """Return the premise with one sign, direction, number, person or group changed."""
        return self._rng.choice(list(changes(premise, self._setting)))

    def _persons(self, number: int) -> list[str]:
        return self._rng.sample(self._setting.persons, number)

    def _group(self) -> Group:
        return self._rng.choice(GROUPS)

    def _comparison(self) -> Comparison:
        return self._rng.choice(COMPARISONS)

    def _sign(self, share: float = 0.5) -> bool:
        return self._rng.random() < share

    def _atom(self) -> Atom:
        setting = self._setting
        if setting.family == "ranking":
            return Atom(ABOVE, tuple(self._persons(2)))
        predicates = setting.traits or (TRUTHFUL,)
        return Atom(self._rng.choice(predicates), tuple(self._persons(1)))

    def _literals(self, number: int) -> list[Formula]:
        """Draw literals about different facts."""
        share = 0.8 if self._setting.family == "ranking" else 0.5
        while True:
            drawn_atoms = [self._atom() for _ in range(number)]
            if len({(atom.predicate, frozenset(atom.terms)) for atom in drawn_atoms}) == number:
                return [signed(atom, self._sign(share)) for atom in drawn_atoms]

    def _traits(self, number: int) -> list[Formula]:
        """Draw literals about different traits of the variable."""
        names = self._rng.sample(self._setting.traits, number)
        return [signed(Atom(name, (VARIABLE,)), self._sign(0.6)) for name in names]

    def _report(self) -> Formula:
        literal = self._literals(1)[0]
        return Or((literal, negate(literal)))

    def _joint_conditional(self) -> Formula:
        first, second, third = self._literals(3)
        return Implies(And((first, second)), third)

    def _disjunctive_conditional(self) -> Formula:
        first, second, third = self._literals(3)
        return Implies(first, Or(_positive_first((second, third))))

    def _testimony(self) -> Formula:
        speaker = Atom(TRUTHFUL, tuple(self._persons(1)))
        kinds = _TESTIFIED if self._setting.n_persons > 4 else _TESTIFIED_BY_FEW
        while True:
            content = self.draw(self._rng.choice(kinds))
            if not is_about(content, speaker, self._setting):
                return Iff(speaker, content)

    def _count(self) -> Formula:
        rng, setting = self._rng, self._setting
        if setting.family == "ranking":
            *persons, pivot = self._persons(rng.choice([3, 4]) if setting.n_persons > 4 else 3)
            parts: list[Formula] = [Atom(ABOVE, (person, pivot)) for person in sorted(persons)]
        else:
            persons, sign = (
                sorted(self._persons(rng.choice([2, 3, 3]) if setting.n_persons > 3 else 2)),
                self._sign(),
            )
            parts = [signed(Atom(TRUTHFUL, (person,)), sign) for person in persons]
        return Count(self._comparison(), rng.randint(1, len(parts) - 1), tuple(parts))

    def _group_count(self) -> Formula:
        rng, setting = self._rng, self._setting
        group: Group | None = self._group()
        counted_persons = setting.members(group or GROUPS[0])
        if setting.family == "ranking":
            pivot = self._persons(1)[0]
            counted_persons = [person for person in counted_persons if person != pivot]
            literal: Formula = Atom(ABOVE, (VARIABLE, pivot) if self._sign() else (pivot, VARIABLE))
        elif setting.family == "rules":
            group = rng.choice([None, *GROUPS]) if setting.n_persons > 3 else None
            counted_persons = setting.members(group) if group else setting.persons
            literal = Atom(rng.choice(setting.traits), (VARIABLE,))  # "two are not X" is a clumsy count
        else:
            literal = signed(Atom(TRUTHFUL, (VARIABLE,)), self._sign())
        number = rng.randint(1, max(1, len(counted_persons) - 1))
        return CountOf(self._comparison(), number, VARIABLE, in_group(group, literal))

    def _rule(self) -> Formula:
        n_antecedents = self._rng.choice([1, 1, 2]) if self._setting.n_traits > 3 else 1
        *antecedents, consequent = self._traits(n_antecedents + 1)
        return rule(self._rule_group(), antecedents, consequent)

    def _rule_group(self) -> Group | None:
        """Draw the group of a rule, with two members at least, or none."""
        groups = [group for group in GROUPS if len(self._setting.members(group)) > 1]
        return self._rng.choice([None, self._rng.choice(groups)])

    def _disjunctive_rule(self) -> Formula:
        antecedent, *consequents = self._traits(3)
        return rule(self._rule_group(), [antecedent], Or(_positive_first(consequents)))


def is_about(content: Formula, speaker: Formula, setting: Setting) -> bool:
    """Whether a testimony is about its speaker, by name or by group."""
    match content:
        case CountOf(_, _, _, And((Atom(group, _), *_))):
            return constants(speaker)[0] in setting.members(group)
        case _:
            return speaker in atoms(content)


def signed(atom: Formula, positive: bool) -> Formula:
    """Return an atom or its negation."""
    return atom if positive else Not(atom)


def in_group(group: str | None, *literals: Formula) -> Formula:
    """Return the condition that the variable is in a group and the literals are true of it."""
    parts = (*([Atom(group, (VARIABLE,))] if group else []), *literals)
    return parts[0] if len(parts) == 1 else And(parts)


def rule(group: Group | None, antecedents: Sequence[Formula], consequent: Formula) -> Formula:
    """Return the rule that whoever (of a group) has some traits has another."""
    return ForAll((VARIABLE,), Implies(in_group(group, *_positive_first(antecedents)), consequent))


def _positive_first(literals: Sequence[Formula]) -> tuple[Formula, ...]:
    """Return literals with negations last: "not" before "and" or "or" could be taken to reach over both."""
    return tuple(sorted(literals, key=lambda literal: isinstance(literal, Not)))


def exclusive_trait(trait: str, required: str) -> Formula:
    """Return the rule that only those with the required trait have the other one."""
    return ForAll((VARIABLE,), Not(And((Atom(trait, (VARIABLE,)), Not(Atom(required, (VARIABLE,)))))))


def between(person: str, first: str, second: str) -> Formula:
    """Return the statement that a person ranks between two others."""
    return Iff(Atom(ABOVE, (first, person)), Atom(ABOVE, (person, second)))


def overtaking(setting: Setting, group: str, lower: str, upper: str) -> Formula:
    """Return the statement that all others of a group who rank above `lower` rank above `upper`."""
    exclusions = [Not(Atom(IDENTICAL, (VARIABLE, upper)))] if upper in setting.members(group) else []
    condition = in_group(group, *exclusions, Atom(ABOVE, (VARIABLE, lower)))
    return ForAll((VARIABLE,), Implies(condition, Atom(ABOVE, (VARIABLE, upper))))


def flip(literal: Formula) -> Formula:
    """Return the opposite literal; a comparison of two persons is turned round."""
    match literal:
        case Atom(predicate, (first, second)) if predicate == ABOVE:
            return Atom(ABOVE, (second, first))
        case Not(Atom(predicate, (first, second))) if predicate == ABOVE:
            return Not(Atom(ABOVE, (second, first)))
        case _:
            return negate(literal)


def changes(premise: Formula, setting: Setting) -> Iterator[Formula]:
    """Yield the premises of the same kind that differ in one sign, direction, number, person or group."""
    match kind_of(premise), premise:
        case "fact", literal:
            yield flip(literal)
        case "report", Or((literal, _)):
            yield Or((flip(literal), negate(flip(literal))))
        case "either", Or(parts):
            yield from (Or(_positive_first(flipped_parts)) for flipped_parts in _flip_each(parts))
        case "exclusive", Not(Iff(left, right)):
            yield from (Not(Iff(*parts)) for parts in _flip_each((left, right)))
        case "between", Iff(Atom(_, (first, person)), Atom(_, (_, second))):
            yield from (between(*order) for order in permutations((person, first, second)))
        case "testimony", Iff(speaker, content):
            changed = _change_testimony(content, setting)
            yield from (Iff(speaker, other) for other in changed if not is_about(other, speaker, setting))
        case "conditional", Implies(antecedent, consequent):
            yield Implies(consequent, antecedent)
            yield from (Implies(*parts) for parts in _flip_each((antecedent, consequent)))
        case "joint_conditional", Implies(And(parts), consequent):
            yield from (Implies(And(flipped_parts), consequent) for flipped_parts in _flip_each(parts))
            yield Implies(And(parts), flip(consequent))
        case "disjunctive_conditional", Implies(antecedent, Or(parts)):
            yield Implies(flip(antecedent), Or(parts))
            yield from (
                Implies(antecedent, Or(_positive_first(flipped_parts))) for flipped_parts in _flip_each(parts)
            )
        case "count", Count(comparison, number, parts):
            yield from (Count(other, number, parts) for other in COMPARISONS if other != comparison)
            if setting.family == "ranking":
                yield from (Count(comparison, n, parts) for n in range(1, len(parts)) if n != number)
            else:
                yield Count(comparison, number, tuple(map(flip, parts)))
        case "group_count", CountOf(comparison, number, variable, body):
            yield from (
                CountOf(other, number, variable, body) for other in COMPARISONS if other != comparison
            )
            if setting.family == "rules":
                total = len(setting.persons)
                yield from (CountOf(comparison, n, variable, body) for n in range(1, total) if n != number)
            else:
                yield CountOf(comparison, number, variable, _flip_last(body))
            if isinstance(body, And):
                yield CountOf(comparison, number, variable, rename(body, _OTHER_GROUP))
        case "overtaking", ForAll(
            _, Implies(And((Atom(group, _), *_, Atom(_, (_, lower)))), Atom(_, (_, upper)))
        ):
            yield overtaking(setting, group, upper, lower)
            yield overtaking(setting, _OTHER_GROUP[group], lower, upper)
        case "only", ForAll(_, Not(And((Atom(trait, _), Not(Atom(required, _)))))):
            yield exclusive_trait(required, trait)
        case "rule", ForAll(_, Implies(condition, consequent)):
            yield ForAll((VARIABLE,), Implies(condition, flip(consequent)))
            yield from _swap_rule(condition, consequent)
        case "disjunctive_rule", ForAll(_, Implies(condition, Or(parts))):
            yield from (
                ForAll((VARIABLE,), Implies(condition, Or(_positive_first(flipped_parts))))
                for flipped_parts in _flip_each(parts)
            )


def _change_testimony(content: Formula, setting: Setting) -> Iterator[Formula]:
    match content:
        case Iff(left, right):  # "both told the truth or both lied", only as a testimony
            yield from (Iff(*parts) for parts in _flip_each((left, right)))
        case _:
            yield from changes(content, setting)


def _flip_each(parts: Sequence[Formula]) -> Iterator[tuple[Formula, ...]]:
    for index, part in enumerate(parts):
        yield (*parts[:index], flip(part), *parts[index + 1 :])


def _flip_last(body: Formula) -> Formula:
    return And((*body.parts[:-1], flip(body.parts[-1]))) if isinstance(body, And) else flip(body)


def _swap_rule(condition: Formula, consequent: Formula) -> Iterator[Formula]:
    """Yield the rule with its single antecedent and its consequent exchanged."""
    match condition:
        case And((Atom(group, _) as member, antecedent)) if group in GROUPS:
            yield ForAll((VARIABLE,), Implies(And((member, consequent)), antecedent))
        case Atom() | Not():
            yield ForAll((VARIABLE,), Implies(consequent, condition))

"""Classes that a noun phrase joins, and adverbials of a rule that say whom it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polbias.generators.normative.reading.alignment import compare
from polbias.generators.normative.reading.classes import class_of, predicate
from polbias.generators.normative.reading.lemmas import is_plural
from polbias.generators.normative.reading.lexicon import PREPOSITIONS, RELATIVES, UNIVERSAL
from polbias.generators.normative.reading.nodes import Clause, Node, change, clauses
from polbias.generators.normative.reading.quantifiers import disjuncts
from polbias.generators.normative.reading.text import Words
from polbias.generators.normative.reading.wordings import Saying

_JOINING = frozenset(("and", "or", ","))
_WHEN = frozenset(("when", "while", "if"))


def joined(clause: Clause, flat: Sequence[Clause]) -> tuple[tuple[Saying, ...], ...]:
    """Return what the quantified subject of a clause says of the things that it applies to.

    Args:
        clause: with a quantifier.
        flat: the clauses of the item.

    Returns:
        One saying for a class; for classes that are joined ("teachers and students", "people who smoke or
        drink") the sayings of each, if the item says one of them of something.
    """
    group = class_of(clause.subject)
    whole = Saying((), group.restriction if group.generic else group.name, plural=True)
    if not {"and", "or"} & set(clause.subject):
        return ((whole,),)
    parts: list[tuple[Saying, ...]] = [
        (Saying((), class_of(part).name, plural=True),) for part in _classes(clause.subject)
    ]
    if not parts and group.generic and not group.negated and "or" in group.restriction:
        parts = [
            tuple(Saying((), predicate(phrase), plural=True) for phrase in alternatives)
            for alternatives in disjuncts(group.restriction)
        ]
    said = [
        Saying((), predicate(phrase))
        for other in flat
        if other is not clause
        for alternatives in other.predicates
        for phrase in alternatives
    ]
    if len(parts) > 1 and any(compare(one, other) for part in parts for one in part for other in said):
        return tuple(parts)
    return ((whole,),)


def _classes(subject: Words) -> list[Words]:
    """Return the noun phrases that a noun phrase joins; what follows the last one belongs to all of them."""
    closing = RELATIVES | (PREPOSITIONS - _JOINING)
    end = next((i for i in range(1, len(subject)) if subject[i] in closing), len(subject))
    parts: list[Words] = [()]
    for word in subject[:end]:
        if word in _JOINING:
            parts.append(())
        elif parts[-1] or not (word in UNIVERSAL or word in ("both", "either", "the", "a", "an")):
            parts[-1] = (*parts[-1], word)
    parts = [part for part in parts if part]
    # "first-year and second-year students" are students of either kind; "black and white cats" are cats.
    if len(parts) > 1 and len(parts[-1]) > 1 and all(part[-1].count("-") for part in parts[:-1]):
        parts = [*((*part, parts[-1][-1]) for part in parts[:-1]), parts[-1]]
    several = [is_plural(part[-1]) for part in parts]
    if len(parts) < 2 or (any(several) and not all(several[:-1])):
        return []
    return [part + subject[end:] for part in parts]


def attached(nodes: Sequence[Node]) -> list[Node] | None:
    """Take an adverbial of a rule about all for a part of its subject.

    Args:
        nodes: the sentences of a syllogism.

    Returns:
        "Everyone on the site must wear a helmet" for "everyone must wear a helmet on the site" if the item
        says that somebody is on the site, and must wear a helmet; None if there is nothing of the kind.
    """
    said = [clause.predicate for node in nodes for clause in clauses(node) if not clause.quantifier]
    places = [phrase for phrase in said if phrase[0] == "be"]

    def shorter(phrase: Words) -> bool:
        mine = Saying((), predicate(phrase), plural=True)
        return any(compare(mine, Saying((), predicate(other))) == "same" for other in said)

    def how(clause: Clause) -> Clause:
        phrase = clause.predicate
        for at in range(1, len(phrase) - 1) if clause.quantifier and len(clause.predicates) == 1 else ():
            tail = phrase[at + (phrase[at] in _WHEN) :]
            within = tail[0] in PREPOSITIONS - _WHEN and any(place[-len(tail) :] == tail for place in places)
            if within and shorter(phrase[:at]):
                return replace(
                    clause, subject=(*clause.subject, *tail), predicates=((phrase[:at],),), splits=()
                )
        return clause

    found = [change(node, how) for node in nodes]
    return None if found == list(nodes) else found

"""The logical form of an inference: what is left of it without its names and words."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from polbias.generators.logic.formula import Atom, ForAll, Formula, Inference, rebuild


@dataclass(frozen=True)
class Form:
    """A form, and the words and individuals that its inference has there.

    Attributes:
        inference: with marks instead of predicates and individuals, numbered as they first come up.
        words: predicates, in the order of their marks.
        people: individuals, in the order of their marks.
    """

    inference: Inference
    words: tuple[str, ...]
    people: tuple[str, ...]

    @property
    def predicates(self) -> Mapping[str, str]:
        """Mark to predicate."""
        return {_word(index): word for index, word in enumerate(self.words)}

    @property
    def individuals(self) -> Mapping[str, str]:
        """Mark to individual."""
        return {_person(index): name for index, name in enumerate(self.people)}


def form_of(inference: Inference, fixed: Set[str] = frozenset()) -> Form:
    """Return the form of an inference; inferences that differ in names and words only have the same one.

    Args:
        inference: the inference.
        fixed: predicates that keep their names, because the logic says something about them.
    """
    words: dict[str, str] = {}
    people: dict[str, str] = {}

    def marked(formula: Formula, bound: frozenset[str]) -> Formula:
        if isinstance(formula, Atom):
            word = formula.predicate
            if word not in fixed:
                word = words.setdefault(word, _word(len(words)))
            terms = (t if t in bound else people.setdefault(t, _person(len(people))) for t in formula.terms)
            return Atom(word, tuple(terms))
        if isinstance(formula, ForAll):
            bound |= set(formula.variables)
        return rebuild(formula, lambda part: marked(part, bound))

    found = inference.map(lambda formula: marked(formula, frozenset()))
    return Form(found, tuple(words), tuple(people))


# No predicate or individual of a text is called like these, and the numbers sort as they were met.
def _word(index: int) -> str:
    return f"#{index:03}"


def _person(index: int) -> str:
    return f"#{index}"

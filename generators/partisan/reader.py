"""Parser of formal arguments, in English and German."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from polbias.aliases import Document
from polbias.errors import PolbiasError
from polbias.generators.logic.formula import And, Atom, Formula, Inference, Not, every_pair
from polbias.generators.partisan.country import (
    GENDERS,
    AnyCountry,
    EnglishCountry,
    GermanCountry,
    PersonGender,
)

# Shapes of clauses. Braces name a choice of words; empty braces separate fixed texts.


@dataclass(frozen=True)
class ArgumentGrammar:
    """The grammar of formal arguments in a language.

    Attributes:
        therefore: precedes a conclusion at the end.
        because: follows a conclusion at the beginning.
        and_because: precedes the last premise of an argument with `because`.
        conclusion: shapes of a conclusion.
        distractor: the irrelevant premise.
        universal: shapes of the premise about sides, as a main clause and after `because`.
        membership: shapes of the premise about persons, as a main clause and after `because`.
    """

    therefore: str
    because: str
    and_because: Sequence[str]
    conclusion: Sequence[str]
    distractor: str
    universal: tuple[Sequence[str], Sequence[str]]
    membership: tuple[Sequence[str], Sequence[str]]


_UNIVERSAL = (
    "any {side} is {compared}any {side}",
    "any {side} is {a_compared}any {side}",
    "each and every {side} is {a_compared}every single {side}",
)
_MEMBERSHIP = ("{name} is {a_member} while {name} is {a_member}",)
_ENGLISH = ArgumentGrammar(
    "Therefore, ",
    ", because ",
    (", and because ",),
    ("{name} is {not}{a_compared}{name}",),
    "the sun rises every day",
    (_UNIVERSAL, _UNIVERSAL),
    (_MEMBERSHIP, _MEMBERSHIP),
)
# Articles, nouns and adjectives agree in gender with the preceding name; after "weil" the verb is last.
_GERMAN = ArgumentGrammar(
    "Aus dem ergibt sich: ",
    ", weil ",
    (", und weil ", " und weil "),
    (
        "{name_f} ist {a_or_no_f}{compared_f} als {name}",
        "{name_m} ist {a_or_no_m}{compared_m} als {name}",
    ),
    "die Sonne jeden Tag scheint",
    (
        (
            "alle {side} sind {compared} als {all}{side}",
            "{everyone} sind {compared} als {everyone}",
        ),
        (
            "alle {side} {compared} als {all}{side} sind",
            "{everyone} {compared} als {everyone} sind",
        ),
    ),
    (
        (
            "{name_f} ist{} {}eine {}{member_f}, während {name_f} {}eine {}{member_f} ist",
            "{name_f} ist{} {}eine {}{member_f}, während {name_m} {}ein {}{member_m} ist",
            "{name_m} ist{} {}ein {}{member_m}, während {name_f} {}eine {}{member_f} ist",
            "{name_m} ist{} {}ein {}{member_m}, während {name_m} {}ein {}{member_m} ist",
        ),
        (
            "{name_f} {}eine {}{member_f} ist{}, während {name_f} {}eine {}{member_f} ist",
            "{name_f} {}eine {}{member_f} ist{}, während {name_m} {}ein {}{member_m} ist",
            "{name_m} {}ein {}{member_m} ist{}, während {name_f} {}eine {}{member_f} ist",
            "{name_m} {}ein {}{member_m} ist{}, während {name_m} {}ein {}{member_m} ist",
        ),
    ),
)

# The lexicon of a country's arguments: written forms, each with its meaning. A form may occur twice with
# different meanings.

Forms = Sequence[tuple[Any, ...]]
# Beginnings of words whose first sound differs from their first letter.
_MUTE_H = ("heir", "honest", "honor", "honour", "hour")
_GLIDE = ("eu", "once", "one ", "one-", "uk ", "uni", "us ", "use", "usu", "uto")
_NEGATED = ("unid", "unim", "unin")  # the prefix un-, not uni-


def takes_an(phrase: str) -> bool:
    """Whether a phrase takes the indefinite article "an"."""
    word = phrase.lower()
    if word.startswith((*_MUTE_H, *_NEGATED)):
        return True
    return word.startswith(tuple("aeiou")) and not word.startswith(_GLIDE)


def _english_forms(
    country: EnglishCountry, genders: Mapping[str, PersonGender], strict: bool
) -> Mapping[str, Forms]:
    """Return the forms of a country by slot; English names need no gender."""

    def indefinite(phrases: Forms) -> Forms:
        """Put the indefinite article before phrases; unless strict, either article."""
        return [
            (f"{article} {phrase}", meaning)
            for phrase, meaning in phrases
            for article in ("a", "an")
            if not strict or (article == "an") == takes_an(phrase)
        ]

    sides = [(noun, side.label) for side in country.sides.values() for noun in (side.member, side.noun)]
    compared_forms, role_forms = [], []
    comparisons: Document = country.comparisons
    for key, comparison in comparisons.items():
        adjective, particle = comparison.adjective, comparison.particle
        adverb = f"{country.adverb} " if comparison.graded and country.adverb else ""
        compared_forms.append((f"{adverb}{adjective} {particle} ", key))
        role_forms.append((f"{adjective} {country.role} {particle} ", key))
    return {
        "name": [(name, name) for name in genders],
        "side": (sides := list(dict.fromkeys(sides))),
        "a_member": indefinite(sides),
        "compared": compared_forms,
        "a_compared": indefinite(role_forms),
        "not": (("", False), ("not ", True)),
    }


def _german_forms(
    country: GermanCountry, genders: Mapping[str, PersonGender], paper_edition: bool
) -> Mapping[str, Forms]:
    """Return the forms of a country by slot."""
    comparisons: Document = country.comparisons
    sides = [(side.member, side.label) for side in country.sides.values()]

    def inflect_comparisons(ending: str, role: str) -> Forms:
        return [(f"{comparison.adjective}{ending} {role}", key) for key, comparison in comparisons.items()]

    names = {g: [(name, name) for name, gender in genders.items() if gender == g] for g in GENDERS}
    return {
        "name_f": names["f"],
        "name_m": names["m"],
        "name": names["f"] + names["m"],
        "a_or_no_f": (("eine ", False), ("keine ", True)),
        "a_or_no_m": (("ein ", False), ("kein ", True)),
        "compared_f": inflect_comparisons("e", country.role.f),
        "compared_m": inflect_comparisons("er", country.role.m),
        "compared": inflect_comparisons("e", country.role.plural),
        "all": [("alle ",), ("",)] if paper_edition else [("alle ",)],
        "side": [(member.plural, label) for member, label in sides],
        "everyone": [
            (f"jede einzelne {member.f} und jeder einzelne {member.m}", label) for member, label in sides
        ],
        "member_f": [(member.f, label) for member, label in sides],
        "member_m": [(member.m, label) for member, label in sides],
    }


# Parse a formal argument to its inference.
# The parser shares only the country file, its lexicon, with the writer of the arguments, so that a proof of
# the parsed formula is a proof of the sentence. It has an independent grammar, follows every alternative, and
# accepts a text only if exactly one inference consumes every character.

_PIECE = re.compile(r"\{(\w+)\}|([^{}]+)")
_MAX_FORMS, _MAX_EXCERPT = 6, 40  # forms and characters in a message


class ArgumentReadingError(PolbiasError):
    """A text cannot be parsed as an argument, or is ambiguous."""


_Values = tuple[Any, ...]


class _Choice:
    """The forms of a slot, within a sentence and capitalized at its beginning, indexed by length."""

    def __init__(self, forms: Forms) -> None:
        self.forms: dict[bool, list[tuple[str, _Values]]] = {
            False: [(form, tuple(meaning)) for form, *meaning in forms],
            True: [(form[:1].upper() + form[1:], tuple(meaning)) for form, *meaning in forms],
        }
        self._by_length: dict[bool, dict[int, dict[str, list[_Values]]]] = {False: {}, True: {}}
        for begins, choices in self.forms.items():
            for form, meaning in choices:
                meanings_by_form = self._by_length[begins].setdefault(len(form), {})
                meanings_by_form.setdefault(form, []).append(meaning)

    def match(self, text: str, start: int, begins: bool) -> list[tuple[int, _Values]]:
        """Return the end and the meaning of each form that occurs at a position of a text."""
        return [
            (start + length, meaning)
            for length, forms in self._by_length[begins].items()
            for meaning in forms.get(text[start : start + length], ())
        ]


@dataclass(frozen=True)
class _ArgumentClause:
    """A clause: its name in messages, its shapes, and a function from their meanings to a formula."""

    name: str
    shapes: Sequence[Sequence[_Choice]]
    formula: Callable[..., Formula]


_Part = _Choice | _ArgumentClause


def _conclusion(first: str, negated: bool, relation: str, second: str) -> Formula:
    atom = Atom(relation, (first, second))
    return Not(atom) if negated else atom


def _universal(first: str, relation: str, second: str) -> Formula:
    return every_pair(first, second, relation)


def _membership(first: str, first_side: str, second: str, second_side: str) -> Formula:
    return And((Atom(first_side, (first,)), Atom(second_side, (second,))))


class ArgumentReader:
    """Parses the formal arguments of one country.

    Args:
        country: its people, sides and comparisons are the lexicon.
        aliases: alternative spelling of a name to the name in the country file; formulas keep the spelling.
        strict: whether "a" and "an" must be right.
        paper_edition: whether "alle" may be missing after "als", as printed in the paper.

    Raises:
        ArgumentReadingError: if the name of an alias is not in the country file.
    """

    def __init__(
        self,
        country: AnyCountry,
        aliases: Mapping[str, str] | None = None,
        strict: bool = True,
        paper_edition: bool = False,
    ) -> None:
        genders = {person.name: person.gender for side in country.side_of.values() for person in side.people}
        for alias, name in (aliases or {}).items():
            if name not in genders:
                raise ArgumentReadingError(
                    f"alias {alias!r}: found {name!r}, expected one of {sorted(genders)}"
                )
            genders[alias] = genders[name]
        forms_by_slot = (
            _english_forms(country, genders, strict)
            if isinstance(country, EnglishCountry)
            else _german_forms(country, genders, paper_edition)
        )
        grammar = _ENGLISH if isinstance(country, EnglishCountry) else _GERMAN
        choices = {name: _Choice(forms) for name, forms in forms_by_slot.items()}

        def build_clause(
            name: str, shapes: Iterable[str], formula: Callable[..., Formula]
        ) -> _ArgumentClause:
            split_shapes = map(_PIECE.findall, shapes)
            parts = [
                [choices[n] if n else _Choice([(text,)]) for n, text in pieces] for pieces in split_shapes
            ]
            return _ArgumentClause(name, parts, formula)

        conclusion = build_clause("conclusion", grammar.conclusion, _conclusion)
        distractor = build_clause("distractor", [grammar.distractor], lambda: Atom("distractor"))
        because, and_because, therefore, stop, separator = (
            _Choice([(text,) for text in texts])
            for texts in ([grammar.because], grammar.and_because, [grammar.therefore], ["."], [". "])
        )
        # Index of the conclusion among the clauses, and the parts of each layout.
        self._layouts: list[tuple[int, Sequence[_Part]]] = []
        for subordinate in (False, True):
            universal = build_clause("premise about sides", grammar.universal[subordinate], _universal)
            membership = build_clause("premise about persons", grammar.membership[subordinate], _membership)
            for first, second in permutations((universal, membership)):
                if subordinate:
                    start, end = (conclusion, because, first), (and_because, second, stop)
                    self._layouts += [(0, start + end), (0, (*start, because, distractor, *end))]
                else:
                    end = (therefore, conclusion, stop)
                    self._layouts.append((-1, (first, separator, second, separator, *end)))

    def read(self, text: str) -> Inference:
        """Parse an argument; raise unless exactly one inference fits."""
        inferences = self._find_inferences(_Attempt(text))
        if not inferences:
            attempt = _Attempt(text, explain=True)
            self._find_inferences(attempt)
            raise attempt.error()
        if len(inferences) > 1:
            readings_text = " or ".join(map(str, inferences))
            raise ArgumentReadingError(
                f"found {len(inferences)} readings ({readings_text}), expected one: {text!r}"
            )
        return next(iter(inferences))

    def _find_inferences(self, attempt: _Attempt) -> dict[Inference, None]:
        return {
            Inference(formulas[1:] if index == 0 else formulas[:-1], formulas[index]): None
            for index, layout in self._layouts
            for formulas in attempt.read(layout)
        }


class _Attempt:
    """One attempt to parse a text, with the farthest position reached.

    Args:
        text: the text to parse.
        explain: whether to record the forms expected at the farthest position, for the message.
    """

    def __init__(self, text: str, explain: bool = False) -> None:
        self.text = text
        self._explain = explain
        self._clauses: dict[tuple[int, int], list[tuple[int, _Values]]] = {}
        self._reached = 0
        self._expected: dict[str, dict[str, None]] = {}  # clause to forms

    def read(self, layout: Sequence[_Part]) -> Iterator[_Values]:
        """Yield the formulas of the clauses, for every complete parse of the text."""
        for end, formulas in self._sequence(layout, 0, "text"):
            if end == len(self.text):
                yield formulas
            self._record_miss(end, "text", "")

    def error(self) -> ArgumentReadingError:
        """Return the error with the farthest position and the forms expected there."""
        expectations = []
        for clause, forms in self._expected.items():
            displayed = [repr(form) if form else "the end" for form in forms]
            omitted = [f"{len(displayed) - _MAX_FORMS} others"] if len(displayed) > _MAX_FORMS else []
            expectations.append(f"{clause}: {' or '.join(displayed[:_MAX_FORMS] + omitted)}")
        suffix = self.text[self._reached :]
        actual = repr(suffix[:_MAX_EXCERPT] + "…" * (len(suffix) > _MAX_EXCERPT)) if suffix else "the end"
        return ArgumentReadingError(
            f"cannot read {self.text!r}: after {self._reached} characters found {actual}, "
            f"expected {'; or '.join(expectations)}"
        )

    def _sequence(self, parts: Sequence[_Part], position: int, clause: str) -> Iterator[tuple[int, _Values]]:
        if not parts:
            yield position, ()
            return
        for end, values in self._part(parts[0], position, clause):
            for last_position, next_values in self._sequence(parts[1:], end, clause):
                yield last_position, values + next_values

    def _part(self, part: _Part, position: int, clause: str) -> Iterable[tuple[int, _Values]]:
        if isinstance(part, _ArgumentClause):
            key = id(part), position
            if key not in self._clauses:
                self._clauses[key] = [
                    (end, (part.formula(*meanings),))
                    for shape in part.shapes
                    for end, meanings in self._sequence(shape, position, part.name)
                ]
            return self._clauses[key]
        begins = position == 0 or self.text.endswith((". ", ": "), 0, position)
        if self._explain:
            return self._match_forms(part.forms[begins], position, clause)
        return part.match(self.text, position, begins)

    def _match_forms(
        self, forms: Iterable[tuple[str, _Values]], position: int, clause: str
    ) -> Iterator[tuple[int, _Values]]:
        for form, meaning in forms:
            if self.text.startswith(form, position):
                yield position + len(form), meaning
            else:
                self._record_miss(position, clause, form)

    def _record_miss(self, position: int, clause: str, form: str) -> None:
        if position > self._reached:
            self._reached, self._expected = position, {}
        if position == self._reached:
            self._expected.setdefault(clause, {})[form] = None

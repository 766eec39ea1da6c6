"""The reader of formal arguments, in English and German."""

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

# The shapes of clauses. What stands in braces is a choice of words; empty ones divide what is always written.


@dataclass(frozen=True)
class ArgumentGrammar:
    """What formal arguments look like in a language.

    Attributes:
        therefore: begins a conclusion that stands last.
        because: follows a conclusion that stands first.
        and_because: begins the last premise of such an argument.
        conclusion: shapes of a conclusion.
        distractor: the premise that is beside the point.
        universal: shapes of the premise about sides, in a main clause and after `because`.
        membership: shapes of the premise about persons, likewise.
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
# Articles, nouns and adjectives have the gender of the name before them; after "weil" the verb is last.
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

# The words that a country's arguments choose from: written forms, each with its meaning. A form may stand
# twice with different meanings.

Forms = Sequence[tuple[Any, ...]]
# Beginnings of words that do not sound as their first letter says.
_MUTE_H = ("heir", "honest", "honor", "honour", "hour")
_GLIDE = ("eu", "once", "one ", "one-", "uk ", "uni", "us ", "use", "usu", "uto")
_NEGATED = ("unid", "unim", "unin")  # the prefix un-, not uni-


def takes_an(phrase: str) -> bool:
    """Tell which indefinite article a phrase takes."""
    word = phrase.lower()
    if word.startswith((*_MUTE_H, *_NEGATED)):
        return True
    return word.startswith(tuple("aeiou")) and not word.startswith(_GLIDE)


def _english(
    country: EnglishCountry, genders: Mapping[str, PersonGender], strict: bool
) -> Mapping[str, Forms]:
    """Return the words of a country; English does not ask for the gender of names."""

    def indefinite(phrases: Forms) -> Forms:
        """Put the indefinite article before phrases; both articles if any will do."""
        return [
            (f"{article} {phrase}", meaning)
            for phrase, meaning in phrases
            for article in ("a", "an")
            if not strict or (article == "an") == takes_an(phrase)
        ]

    sides = [(noun, side.label) for side in country.sides.values() for noun in (side.member, side.noun)]
    compared, roles = [], []
    comparisons: Document = country.comparisons
    for key, comparison in comparisons.items():
        adjective, particle = comparison.adjective, comparison.particle
        adverb = f"{country.adverb} " if comparison.graded and country.adverb else ""
        compared.append((f"{adverb}{adjective} {particle} ", key))
        roles.append((f"{adjective} {country.role} {particle} ", key))
    return {
        "name": [(name, name) for name in genders],
        "side": (sides := list(dict.fromkeys(sides))),
        "a_member": indefinite(sides),
        "compared": compared,
        "a_compared": indefinite(roles),
        "not": (("", False), ("not ", True)),
    }


def _german(
    country: GermanCountry, genders: Mapping[str, PersonGender], printed: bool
) -> Mapping[str, Forms]:
    """Return the words of a country."""
    comparisons: Document = country.comparisons
    sides = [(side.member, side.label) for side in country.sides.values()]

    def compared(ending: str, role: str) -> Forms:
        return [(f"{comparison.adjective}{ending} {role}", key) for key, comparison in comparisons.items()]

    names = {g: [(name, name) for name, own in genders.items() if own == g] for g in GENDERS}
    return {
        "name_f": names["f"],
        "name_m": names["m"],
        "name": names["f"] + names["m"],
        "a_or_no_f": (("eine ", False), ("keine ", True)),
        "a_or_no_m": (("ein ", False), ("kein ", True)),
        "compared_f": compared("e", country.role.f),
        "compared_m": compared("er", country.role.m),
        "compared": compared("e", country.role.plural),
        "all": [("alle ",), ("",)] if printed else [("alle ",)],
        "side": [(member.plural, label) for member, label in sides],
        "everyone": [
            (f"jede einzelne {member.f} und jeder einzelne {member.m}", label) for member, label in sides
        ],
        "member_f": [(member.f, label) for member, label in sides],
        "member_m": [(member.m, label) for member, label in sides],
    }


# Read a formal argument: from the sentence to the formula that it says.
# The reader shares nothing with the writer of the arguments but the country file, which is its lexicon, so
# that a proof of what was read is a proof of the sentence. It has a grammar of its own, follows every
# possibility, and accepts a text only if exactly one formula is left and every character is accounted for.

_PIECE = re.compile(r"\{(\w+)\}|([^{}]+)")
_SHOWN, _EXCERPT = 6, 40  # forms and characters in a message


class ArgumentReadingError(PolbiasError):
    """A text is not an argument that the grammar knows, or is one in two ways."""


_Values = tuple[Any, ...]


class _Choice:
    """What one has the choice of, within a sentence or at the beginning of one; found by its length."""

    def __init__(self, forms: Forms) -> None:
        self.forms: dict[bool, list[tuple[str, _Values]]] = {
            False: [(form, tuple(meaning)) for form, *meaning in forms],
            True: [(form[:1].upper() + form[1:], tuple(meaning)) for form, *meaning in forms],
        }
        self._by_length: dict[bool, dict[int, dict[str, list[_Values]]]] = {False: {}, True: {}}
        for begins, own in self.forms.items():
            for written, meaning in own:
                same = self._by_length[begins].setdefault(len(written), {})
                same.setdefault(written, []).append(meaning)

    def at(self, text: str, start: int, begins: bool) -> list[tuple[int, _Values]]:
        """Return the end and the meaning of all forms that stand at a place of a text."""
        return [
            (start + length, meaning)
            for length, forms in self._by_length[begins].items()
            for meaning in forms.get(text[start : start + length], ())
        ]


@dataclass(frozen=True)
class _ArgumentClause:
    """A clause: its name in messages, its shapes, and what their meanings say together."""

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
    """Reads the formal arguments of one country.

    Args:
        country: its people, sides and comparisons are the lexicon.
        aliases: other spelling of a name to the name in the country file; formulas keep what is written.
        strict: whether "a" and "an" must be right.
        printed: whether "alle" may be missing after "als", as the paper prints it.

    Raises:
        ReadingError: if an alias is of nobody in the country file.
    """

    def __init__(
        self,
        country: AnyCountry,
        aliases: Mapping[str, str] | None = None,
        strict: bool = True,
        printed: bool = False,
    ) -> None:
        genders = {person.name: person.gender for side in country.side_of.values() for person in side.people}
        for alias, name in (aliases or {}).items():
            if name not in genders:
                raise ArgumentReadingError(
                    f"alias {alias!r}: found {name!r}, expected one of {sorted(genders)}"
                )
            genders[alias] = genders[name]
        words = (
            _english(country, genders, strict)
            if isinstance(country, EnglishCountry)
            else _german(country, genders, printed)
        )
        grammar = _ENGLISH if isinstance(country, EnglishCountry) else _GERMAN
        choices = {name: _Choice(forms) for name, forms in words.items()}

        def clause(name: str, shapes: Iterable[str], formula: Callable[..., Formula]) -> _ArgumentClause:
            pieces = map(_PIECE.findall, shapes)
            parts = [[choices[n] if n else _Choice([(text,)]) for n, text in found] for found in pieces]
            return _ArgumentClause(name, parts, formula)

        conclusion = clause("conclusion", grammar.conclusion, _conclusion)
        distractor = clause("distractor", [grammar.distractor], lambda: Atom("distractor"))
        because, and_because, therefore, stop, between = (
            _Choice([(text,) for text in texts])
            for texts in ([grammar.because], grammar.and_because, [grammar.therefore], ["."], [". "])
        )
        # Each layout with the place of the conclusion among its clauses.
        self._layouts: list[tuple[int, Sequence[_Part]]] = []
        for subordinate in (False, True):
            universal = clause("premise about sides", grammar.universal[subordinate], _universal)
            membership = clause("premise about persons", grammar.membership[subordinate], _membership)
            for first, second in permutations((universal, membership)):
                if subordinate:
                    start, end = (conclusion, because, first), (and_because, second, stop)
                    self._layouts += [(0, start + end), (0, (*start, because, distractor, *end))]
                else:
                    end = (therefore, conclusion, stop)
                    self._layouts.append((-1, (first, between, second, between, *end)))

    def read(self, text: str) -> Inference:
        """Read an argument."""
        readings = self._readings(_Attempt(text))
        if not readings:
            failed = _Attempt(text, explain=True)
            self._readings(failed)
            raise failed.error()
        if len(readings) > 1:
            found = " or ".join(map(str, readings))
            raise ArgumentReadingError(f"found {len(readings)} readings ({found}), expected one: {text!r}")
        return next(iter(readings))

    def _readings(self, attempt: _Attempt) -> dict[Inference, None]:
        return {
            Inference(said[1:] if place == 0 else said[:-1], said[place]): None
            for place, layout in self._layouts
            for said in attempt.read(layout)
        }


class _Attempt:
    """One text, and how far any way of reading it has come.

    Args:
        text: what is read.
        explain: whether to keep what was expected where no way led on, for the message.
    """

    def __init__(self, text: str, explain: bool = False) -> None:
        self.text = text
        self._explain = explain
        self._clauses: dict[tuple[int, int], list[tuple[int, _Values]]] = {}
        self._reached = 0
        self._expected: dict[str, dict[str, None]] = {}  # clause to forms

    def read(self, layout: Sequence[_Part]) -> Iterator[_Values]:
        """Yield what the clauses say, for every way to read the whole text."""
        for end, said in self._sequence(layout, 0, "text"):
            if end == len(self.text):
                yield said
            self._missed(end, "text", "")

    def error(self) -> ArgumentReadingError:
        """Say where no way of reading led on, and what would have."""
        wanted = []
        for clause, forms in self._expected.items():
            shown = [repr(form) if form else "the end" for form in forms]
            more = [f"{len(shown) - _SHOWN} others"] if len(shown) > _SHOWN else []
            wanted.append(f"{clause}: {' or '.join(shown[:_SHOWN] + more)}")
        rest = self.text[self._reached :]
        found = repr(rest[:_EXCERPT] + "…" * (len(rest) > _EXCERPT)) if rest else "the end"
        return ArgumentReadingError(
            f"cannot read {self.text!r}: after {self._reached} characters found {found}, "
            f"expected {'; or '.join(wanted)}"
        )

    def _sequence(self, parts: Sequence[_Part], at: int, clause: str) -> Iterator[tuple[int, _Values]]:
        if not parts:
            yield at, ()
            return
        for end, values in self._part(parts[0], at, clause):
            for last, later in self._sequence(parts[1:], end, clause):
                yield last, values + later

    def _part(self, part: _Part, at: int, clause: str) -> Iterable[tuple[int, _Values]]:
        if isinstance(part, _ArgumentClause):
            key = id(part), at
            if key not in self._clauses:
                self._clauses[key] = [
                    (end, (part.formula(*meanings),))
                    for shape in part.shapes
                    for end, meanings in self._sequence(shape, at, part.name)
                ]
            return self._clauses[key]
        begins = at == 0 or self.text.endswith((". ", ": "), 0, at)
        if self._explain:
            return self._explained(part.forms[begins], at, clause)
        return part.at(self.text, at, begins)

    def _explained(
        self, forms: Iterable[tuple[str, _Values]], at: int, clause: str
    ) -> Iterator[tuple[int, _Values]]:
        for written, meaning in forms:
            if self.text.startswith(written, at):
                yield at + len(written), meaning
            else:
                self._missed(at, clause, written)

    def _missed(self, at: int, clause: str, form: str) -> None:
        if at > self._reached:
            self._reached, self._expected = at, {}
        if at == self._reached:
            self._expected.setdefault(clause, {})[form] = None

"""The reader of formal arguments, in English and German."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Any

from polbias.aliases import Document
from polbias.files import PolbiasError
from polbias.generators.logic.formula import And, Atom, Formula, Inference, Not, every_pair
from polbias.generators.partisan.country import (
    GENDERS,
    AnyCountry,
    EnglishCountry,
    GermanCountry,
    PersonGender,
    Possession,
)

# The reader's grammar of English.

_Forms = Sequence[tuple[str, Any]]
_Shape = Sequence[str | _Forms]

_NEGATION = (("", False), ("not ", True))
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


class English:
    """What formal arguments look like in English; the order of words is the same after "because".

    Args:
        country: the lexicon.
        genders: the names that may be written; English does not ask for the gender.
        strict: whether "a" and "an" must be right.
    """

    because = ", because "
    and_because = ", and because "
    therefore = "Therefore, "

    def __init__(
        self, country: EnglishCountry, genders: Mapping[str, PersonGender], strict: bool = True
    ) -> None:
        self._strict = strict
        self._names = [(name, name) for name in genders]
        sides = country.sides.values()
        nouns = [(noun, side.label) for side in sides for noun in (side.member, side.noun)]
        self._groups = list(dict.fromkeys(nouns))
        self._a_member = self._indefinite(self._groups)
        self._compared, self._owning, roles = [], [], []
        comparisons: Document = country.comparisons
        for key, comparison in comparisons.items():
            if isinstance(comparison, Possession):
                self._owning.append((f" owns more {comparison.owned} than ", key))
                continue
            adjective, particle = comparison.adjective, comparison.particle
            adverb = f"{country.adverb} " if comparison.graded and country.adverb else ""
            self._compared.append((f"{adverb}{adjective} {particle} ", key))
            roles.append((f"{adjective} {country.role} {particle} ", key))
        self._a_compared = self._indefinite(roles)

    def _indefinite(self, phrases: Iterable[tuple[str, Any]]) -> _Forms:
        """Put the indefinite article before phrases; both articles if any will do."""
        return [
            (f"{article} {phrase}", meaning)
            for phrase, meaning in phrases
            for article in ("a", "an")
            if not self._strict or (article == "an") == takes_an(phrase)
        ]

    def conclusion(self) -> Sequence[_Shape]:
        """Return: NAME is [not] a(n) ADJECTIVE ROLE to NAME."""
        return [(self._names, " is ", _NEGATION, self._a_compared, self._names)]

    def universal(self, subordinate: bool) -> Sequence[_Shape]:
        """Return: any A is ADJECTIVE to any B, any A is a(n) ..., each and every A ...; or owns more X."""
        return [
            ("any ", self._groups, " is ", self._compared, "any ", self._groups),
            ("any ", self._groups, " is ", self._a_compared, "any ", self._groups),
            ("each and every ", self._groups, " is ", self._a_compared, "every single ", self._groups),
            ("any ", self._groups, self._owning, "any ", self._groups),
            ("each and every ", self._groups, self._owning, "every single ", self._groups),
        ]

    def membership(self, subordinate: bool) -> Sequence[_Shape]:
        """Return: NAME is a(n) A while NAME is a(n) B."""
        return [(self._names, " is ", self._a_member, " while ", self._names, " is ", self._a_member)]

    def distractor(self) -> Sequence[_Shape]:
        """Return: the sun rises every day."""
        return [("the sun rises every day",)]


# The reader's grammar of German: gender, endings, and where the verb stands.

_A: Mapping[PersonGender, str] = {"f": "eine ", "m": "ein "}
_A_OR_NO: Mapping[PersonGender, _Forms] = {
    "f": (("eine ", False), ("keine ", True)),
    "m": (("ein ", False), ("kein ", True)),
}
_ENDING: Mapping[PersonGender, str] = {"f": "e", "m": "er"}  # of an adjective after ein, kein
_PLURAL_ENDING = "e"  # of an adjective without article


class German:
    """What formal arguments look like in German; in a subordinate clause, after "weil", the verb is last.

    Args:
        country: the lexicon.
        genders: the names that may be written, with the gender that nouns must agree with.
    """

    because = ", weil "
    and_because = ", und weil "
    therefore = "Aus dem ergibt sich: "

    def __init__(self, country: GermanCountry, genders: Mapping[str, PersonGender]) -> None:
        self._country = country
        self._comparisons: Document = country.comparisons
        self._names = {g: [(name, name) for name, own in genders.items() if own == g] for g in GENDERS}
        self._anyone = [form for g in GENDERS for form in self._names[g]]
        self._groups, self._everyone = [], []
        for side in country.sides.values():
            member = side.member
            everyone = f"jede einzelne {member.f} und jeder einzelne {member.m}"
            self._groups.append((member.plural, side.label))
            self._everyone.append((everyone, side.label))

    def conclusion(self) -> Sequence[_Shape]:
        """Return: NAME ist (k)ein(e) ADJECTIVE ROLE als NAME, with the gender of the first name."""
        return [
            (
                self._names[gender],
                " ist ",
                _A_OR_NO[gender],
                self._compared(_ENDING[gender], getattr(self._country.role, gender)),
                " als ",
                self._anyone,
            )
            for gender in GENDERS
        ]

    def universal(self, subordinate: bool) -> Sequence[_Shape]:
        """Return: alle A sind ADJECTIVE ROLES als B, jede einzelne A und jeder ...; or who owns more X."""
        compared = self._compared(_PLURAL_ENDING, self._country.role.plural)
        owned = [(c.owned, key) for key, c in self._comparisons.items() if isinstance(c, Possession)]
        shapes: list[_Shape] = []
        for every, groups, own in (("alle ", self._groups, "besitzen"), ("", self._everyone, "besitzt")):
            if subordinate:
                shapes.append((every, groups, " ", compared, " als ", groups, " sind"))
                shapes.append((every, groups, " mehr ", owned, f" {own} als ", groups))
            else:
                shapes.append((every, groups, " sind ", compared, " als ", groups))
                shapes.append((every, groups, f" {own} mehr ", owned, " als ", groups))
        return shapes

    def membership(self, subordinate: bool) -> Sequence[_Shape]:
        """Return: NAME ist ein(e) A, während NAME ein(e) B ist; the nouns have the gender of their name."""
        shapes: list[_Shape] = []
        for first, second in product(GENDERS, repeat=2):
            is_a = (" ", _A[first], self._member(first))
            is_b = (" ", _A[second], self._member(second), " ist")
            main = (*is_a, " ist") if subordinate else (" ist", *is_a)
            shapes.append((self._names[first], *main, ", während ", self._names[second], *is_b))
        return shapes

    def distractor(self) -> Sequence[_Shape]:
        """Return: die Sonne jeden Tag scheint."""
        return [("die Sonne jeden Tag scheint",)]

    def _compared(self, ending: str, role: str) -> _Forms:
        return [
            (f"{comparison.adjective}{ending} {role}", key)
            for key, comparison in self._comparisons.items()
            if not isinstance(comparison, Possession)
        ]

    def _member(self, gender: PersonGender) -> _Forms:
        return [(getattr(side.member, gender), side.label) for side in self._country.sides.values()]


# Read a formal argument: from the sentence to the formula that it says.
# The reader shares nothing with the writer of the arguments but the country file, which is its lexicon, so
# that a proof of what was read is a proof of the sentence. It has a grammar of its own (`reader_english`,
# `reader_german`), follows every possibility, and accepts a text only if exactly one formula is left and
# every character is accounted for.

# Written forms of a word or phrase, each with its meaning; a form may stand twice with different meanings.
Forms = Sequence[tuple[str, Any]]
# A clause: what is always written, and what one has the choice of.
Shape = Sequence[str | Forms]
_SHOWN, _EXCERPT = 6, 40  # forms and characters in a message


class ReadingError(PolbiasError):
    """A text is not an argument that the grammar knows, or is one in two ways."""


_Values = tuple[Any, ...]


class _Choice:
    """What one has the choice of, found by its length instead of form by form.

    Args:
        forms: as they stand within a sentence.
        begins: whether it stands at the beginning of one.
    """

    def __init__(self, forms: Sequence[tuple[Any, ...]], begins: bool) -> None:
        self.forms = [
            (form[:1].upper() + form[1:] if begins else form, tuple(meaning)) for form, *meaning in forms
        ]
        self._by_length: dict[int, dict[str, list[_Values]]] = {}
        for written, meaning in self.forms:
            self._by_length.setdefault(len(written), {}).setdefault(written, []).append(meaning)

    def at(self, text: str, start: int) -> list[tuple[int, _Values]]:
        """Return the end and the meaning of all forms that stand at a place of a text."""
        return [
            (start + length, meaning)
            for length, forms in self._by_length.items()
            for meaning in forms.get(text[start : start + length], ())
        ]


class _Either:
    """A word or a choice of them, within a sentence and at the beginning of one."""

    def __init__(self, part: str | Forms) -> None:
        forms: Sequence[tuple[Any, ...]] = [(part,)] if isinstance(part, str) else part
        self.within, self.begins = _Choice(forms, begins=False), _Choice(forms, begins=True)


class _Clause:
    """A clause: its name in messages, its shapes, and what their meanings say together."""

    def __init__(self, name: str, shapes: Sequence[Shape], formula: Callable[..., Formula]) -> None:
        self.name, self.formula = name, formula
        self.shapes = [[_Either(part) for part in shape] for shape in shapes]


_Part = _Either | _Clause


def _conclusion(first: str, negated: bool, relation: str, second: str) -> Formula:
    atom = Atom(relation, (first, second))
    return Not(atom) if negated else atom


def _universal(first: str, relation: str, second: str) -> Formula:
    return every_pair(first, second, relation)


def _membership(first: str, first_side: str, second: str, second_side: str) -> Formula:
    return And((Atom(first_side, (first,)), Atom(second_side, (second,))))


class Reader:
    """Reads the formal arguments of one country.

    Args:
        country: its people, sides and comparisons are the lexicon.
        aliases: other spelling of a name to the name in the country file; formulas keep what is written.
        strict: whether "a" and "an" must be right.
        distractors: what may be inserted, as it stands after "because"; by default the published sentence.

    Raises:
        ReadingError: if an alias is of nobody in the country file.
    """

    def __init__(
        self,
        country: AnyCountry,
        aliases: Mapping[str, str] | None = None,
        strict: bool = True,
        distractors: Sequence[str] = (),
    ) -> None:
        genders = {person.name: person.gender for side in country.side_of.values() for person in side.people}
        for alias, name in (aliases or {}).items():
            if name not in genders:
                raise ReadingError(f"alias {alias!r}: found {name!r}, expected one of {sorted(genders)}")
            genders[alias] = genders[name]
        grammar = (
            English(country, genders, strict)
            if isinstance(country, EnglishCountry)
            else German(country, genders)
        )
        conclusion = _Clause("conclusion", grammar.conclusion(), _conclusion)
        inserted = [(text,) for text in distractors] or grammar.distractor()
        distractor = _Clause("distractor", inserted, lambda: Atom("distractor"))
        stop, between = _Either("."), _Either(". ")
        # Each layout with the place of the conclusion among its clauses.
        self._layouts: list[tuple[int, Sequence[_Part]]] = []
        for subordinate in (False, True):
            universal = _Clause("premise about sides", grammar.universal(subordinate), _universal)
            membership = _Clause("premise about persons", grammar.membership(subordinate), _membership)
            for first, second in permutations((universal, membership)):
                if subordinate:
                    because, end = _Either(grammar.because), (_Either(grammar.and_because), second, stop)
                    start = (conclusion, because, first)
                    self._layouts += [(0, start + end), (0, (*start, because, distractor, *end))]
                else:
                    end = (_Either(grammar.therefore), conclusion, stop)
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
            raise ReadingError(f"found {len(readings)} readings ({found}), expected one: {text!r}")
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

    def error(self) -> ReadingError:
        """Say where no way of reading led on, and what would have."""
        wanted = []
        for clause, forms in self._expected.items():
            shown = [repr(form) if form else "the end" for form in forms]
            more = [f"{len(shown) - _SHOWN} others"] if len(shown) > _SHOWN else []
            wanted.append(f"{clause}: {' or '.join(shown[:_SHOWN] + more)}")
        rest = self.text[self._reached :]
        found = repr(rest[:_EXCERPT] + "…" * (len(rest) > _EXCERPT)) if rest else "the end"
        return ReadingError(
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
        if isinstance(part, _Clause):
            key = id(part), at
            if key not in self._clauses:
                self._clauses[key] = [
                    (end, (part.formula(*meanings),))
                    for shape in part.shapes
                    for end, meanings in self._sequence(shape, at, part.name)
                ]
            return self._clauses[key]
        begins = at == 0 or self.text.endswith((". ", ": "), 0, at)
        choice = part.begins if begins else part.within
        return self._explained(choice, at, clause) if self._explain else choice.at(self.text, at)

    def _explained(self, choice: _Choice, at: int, clause: str) -> Iterator[tuple[int, _Values]]:
        for written, meaning in choice.forms:
            if self.text.startswith(written, at):
                yield at + len(written), meaning
            else:
                self._missed(at, clause, written)

    def _missed(self, at: int, clause: str, form: str) -> None:
        if at > self._reached:
            self._reached, self._expected = at, {}
        if at == self._reached:
            self._expected.setdefault(clause, {})[form] = None

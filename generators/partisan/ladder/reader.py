"""Reader of the ladder's arguments: the inference, the groups and the sides, from the text alone.

The reader shares nothing with the writer but the words for the parties. It accounts for every character: a
text that differs from the wordings in anything is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from polbias.generators.logic.formula import Formula, Inference, Not, Or, constants, negate, predicates
from polbias.generators.partisan.country import LEANINGS, Leaning, PersonGender
from polbias.generators.partisan.ladder.reader_wordings import ENGLISH, GERMAN, LanguageWordings
from polbias.generators.partisan.ladder.sentence_reader import (
    LadderReadingError,
    SentenceReader,
    choice,
    compile_wording,
    person_mark,
)
from polbias.generators.partisan.ladder.settings import FAMILIES, GROUPS, TRAITS, Family, Group, Setting
from polbias.generators.partisan.xl_templates import Tag, XlEnglishSide, XlGermanSide

_WORDINGS: Mapping[Tag, LanguageWordings] = {"en": ENGLISH, "de": GERMAN}
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = re.compile(r"([1-9][0-9]*)\. (.+)")
_NAMES = ".+?"
_MIN_LINES = 4
Parties = Mapping[Leaning, XlEnglishSide] | Mapping[Leaning, XlGermanSide]
Sides = Mapping[Group, Leaning]


class ReadItem(NamedTuple):
    """The content of an argument's text.

    Attributes:
        setting: family and numbers of persons and traits; as few traits as the sentences need.
        inference: premises and conclusion about persons ``a``, ``b``, ``c`` and groups ``G1``, ``G2``.
        leaning_by_group: the side of each group.
        gender: the gender of all persons, as nouns and pronouns show it; None if nothing does.
        names: the full names of the persons, in the order of their letters.
        premises: the sentences of the premises, without numbers.
        conclusion: the sentence of the conclusion.
    """

    setting: Setting
    inference: Inference
    leaning_by_group: Sides
    gender: PersonGender | None
    names: tuple[str, ...]
    premises: tuple[str, ...]
    conclusion: str

    @property
    def mentioned_leaning(self) -> Leaning:
        """The side of the person whom the conclusion names first."""
        return self.leaning_by_group[self.setting.group_of(constants(self.inference.conclusion)[0])]

    @property
    def is_denial(self) -> bool:
        """Whether the conclusion denies truth or trustworthiness."""
        return isinstance(self.inference.conclusion, Not)

    @property
    def leaning(self) -> Leaning:
        """The side that gains if the conclusion is true."""
        return LEANINGS[(LEANINGS.index(self.mentioned_leaning) + self.is_denial) % len(LEANINGS)]


class _Introduction(NamedTuple):
    family: Family
    gender: PersonGender | None
    mentions_claims: bool | None  # None in a family whose introduction always does
    first: Leaning
    names: tuple[str, ...]


class LadderReader:
    """Reads arguments of a country in a language.

    Args:
        tag: the language.
        parties: the words for the two sides.
    """

    def __init__(self, tag: Tag, parties: Parties) -> None:
        self._wordings = _WORDINGS[tag]
        self._parties = parties
        self._introductions = [
            (family, gender, self._compile_introduction(family, gender))
            for family in FAMILIES
            for gender in self._wordings.words_by_gender
        ]
        self._sentence_reader = cache(self._make_sentence_reader)

    def read(self, argument: str) -> ReadItem:
        """Read an argument.

        Raises:
            LadderReadingError: names the first sentence that is not as expected.
        """
        introduction, numbered, conclusion = self._split_lines(argument)
        family, gender, mentions_claims, first, names = self._read_introduction(introduction)
        marks = self._marks(introduction, names)
        sentences = tuple(_sentence(line, number) for number, line in enumerate(numbered, 1))
        reader = self._sentence_reader(family, gender, first)

        def read_sentence(text: str, is_conclusion: bool = False) -> Formula:
            marked = _WORD.sub(lambda word: marks.get(word[0], word[0]), text)
            read_formula = reader.conclusion if is_conclusion else reader.premise
            try:
                return read_formula(marked, len(names))
            except LadderReadingError as error:
                raise LadderReadingError(f"{text!r}: {error}") from error

        inference = Inference(tuple(map(read_sentence, sentences)), read_sentence(conclusion, True))
        if mentions_claims not in (None, any(map(_is_report, inference.premises))):
            claims = self._wordings.claims
            raise LadderReadingError(f"{introduction!r}: expected {claims!r} exactly if a premise is a claim")
        return ReadItem(
            Setting(family, len(names), _n_traits(inference) if family == "rules" else 0),
            inference,
            _sides(first),
            self._read_gender(gender, sentences),
            names,
            sentences,
            conclusion,
        )

    def _split_lines(self, argument: str) -> tuple[str, Sequence[str], str]:
        """Return the introduction, the numbered premises and the conclusion."""
        lines = argument.split("\n")
        for line in lines:
            if not line.isprintable():
                raise LadderReadingError(f"{line!r}: found a character that no text has; remove it")
        start = self._wordings.conclusion
        if len(lines) < _MIN_LINES or lines[-2] or not lines[-1].startswith(start):
            expected = f"an introduction, premises, an empty line and a line with {start!r}"
            raise LadderReadingError(f"{lines[-1]!r}: expected {expected} at the end")
        return lines[0], lines[1:-2], lines[-1].removeprefix(start)

    def _read_introduction(self, introduction: str) -> _Introduction:
        for family, gender, pattern in self._introductions:
            if match := pattern.fullmatch(introduction):
                try:
                    groups = self._read_groups(match, gender)
                except LadderReadingError as error:
                    raise LadderReadingError(f"{introduction!r}: {error}") from error
                claims = match.groupdict().get("claims")
                return _Introduction(family, gender, None if claims is None else bool(claims), *groups)
        raise LadderReadingError(f"{introduction!r}: found no introduction of the ladder and its parties")

    def _read_gender(self, gender: PersonGender | None, sentences: Sequence[str]) -> PersonGender | None:
        """Return the gender that the introduction or the pronouns show."""
        pronouns = self._wordings.pronouns
        for sentence in sentences:
            for word in _WORD.findall(sentence):
                word_gender = pronouns.get(word, gender)
                if gender not in (None, word_gender):
                    raise LadderReadingError(f"{sentence!r}: found {word!r}, expected one gender in the text")
                gender = word_gender
        return gender

    def _read_groups(
        self, match: re.Match[str], gender: PersonGender | None
    ) -> tuple[Leaning, tuple[str, ...]]:
        """Return the side of the first group, and the names of all persons in the order of their letters."""
        groups = match.groupdict()
        names = [self._split_names(groups[name]) for name in ("names1", "names2")]
        sides = [
            self._party_leanings(gender, len(group_names) > 1).get(groups[name])
            for name, group_names in zip(("party1", "party2"), names, strict=True)
        ]
        first, second = sides
        if first is None or second is None or first == second:
            raise LadderReadingError("expected both parties, each in the number of its persons")
        n_persons = len(names[0]) + len(names[1])
        if len(names[0]) - len(names[1]) not in (0, 1):
            raise LadderReadingError(
                f"found {len(names[0])} and {len(names[1])} persons, expected as many, or one more first"
            )
        for name in ("total", "Total"):
            if name in groups and groups[name].lower() != self._wordings.numbers[n_persons - 1]:
                raise LadderReadingError(f"found {n_persons} persons, expected {groups[name].lower()}")
        in_turn = tuple(names[index % 2][index // 2] for index in range(n_persons))
        return first, in_turn

    def _split_names(self, text: str) -> Sequence[str]:
        *listed, last = text.split(f" {self._wordings.conjunction} ")
        names = [name for part in listed for name in part.split(", ")] + [last]
        words = [name.split(" ") for name in names]
        if len(listed) > 1 or not all(
            len(name) > 1 and all(_WORD.fullmatch(word) and word[0].isupper() for word in name)
            for name in words
        ):
            raise LadderReadingError(f"found {text!r}, expected a list of full names")
        return names

    def _marks(self, introduction: str, names: Sequence[str]) -> Mapping[str, str]:
        """Return the mark of each surname."""
        marks = {name.rpartition(" ")[2]: person_mark(index) for index, name in enumerate(names)}
        if len(marks) < len(names):
            raise LadderReadingError(f"{introduction!r}: found a surname twice, expected different ones")
        return marks

    def _compile_introduction(self, family: Family, gender: PersonGender | None) -> re.Pattern[str]:
        wordings = self._wordings
        parties = choice([*self._party_leanings(gender, False), *self._party_leanings(gender, True)])
        numbers = wordings.numbers[1:]
        fragments = {
            "Total": choice([number.capitalize() for number in numbers]),
            "total": choice(numbers),
            "names": _NAMES,
            "party": parties,
            "claims": f"(?:{re.escape(wordings.claims)})?",
        }
        text = wordings.introductions[family].replace("{groups}", wordings.groups)
        words = wordings.words_by_gender[gender]
        return compile_wording(text, fragments, words)

    def _party_leanings(self, gender: PersonGender | None, is_plural: bool) -> Mapping[str, Leaning]:
        """Return the sides by the words for them before or after names in the introduction."""
        return {
            side.group.dative or side.group.text
            if isinstance(side, XlGermanSide)
            else _nouns(side, gender)[is_plural]: leaning
            for leaning, side in self._parties.items()
        }

    def _make_sentence_reader(
        self, family: Family, gender: PersonGender | None, first: Leaning
    ) -> SentenceReader:
        nouns = {group: _nouns(self._parties[leaning], gender) for group, leaning in _sides(first).items()}
        return SentenceReader(self._wordings, family, gender, nouns)


def _nouns(side: XlEnglishSide | XlGermanSide, gender: PersonGender | None) -> tuple[str, str]:
    """Return the singular and the plural of the noun for a member of a side."""
    if isinstance(side, XlEnglishSide):
        return side.member.f, side.member.plural
    singular = getattr(side.member, gender or "f")
    noun, space, party = singular.partition(" ")
    return singular, f"{noun}nen{space}{party}" if gender == "f" else singular


def _sides(first: Leaning) -> Sides:
    second = LEANINGS[1 - LEANINGS.index(first)]
    return dict(zip(GROUPS, (first, second), strict=True))


def _sentence(line: str, number: int) -> str:
    """Return a numbered sentence without its number."""
    match = _NUMBER.fullmatch(line)
    if not match or int(match[1]) != number:
        raise LadderReadingError(f"{line!r}: expected premise {number}, as '{number}. ' and a sentence")
    return match[2]


def _is_report(premise: Formula) -> bool:
    match premise:
        case Or((first, second)):
            return second == negate(first)
        case _:
            return False


def _n_traits(inference: Inference) -> int:
    """Return the number of traits up to the last one that an inference is about."""
    names = {name for formula in inference.formulas for name in predicates(formula)}
    return max(number for number, trait in enumerate(TRAITS, 1) if trait in names)

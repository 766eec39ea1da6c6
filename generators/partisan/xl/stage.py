"""The stage of the large set: a country whose people and distractor are marks, to be filled in later.

The writer of the published set writes about such a country, so that all that grammar decides is decided
once: sides, genders and issues are real, a name or an adjective is a mark. What differs between two rows with
the same grammar is then put in the place of the marks, in whole columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from polbias.generators.logic.comparison import INFERIOR, SUPERIOR
from polbias.generators.partisan.arguments import Argument, Cell, Writer
from polbias.generators.partisan.country import (
    GENDERS,
    LEANINGS,
    AnyCountry,
    Issue,
    Leaning,
    Person,
    Possession,
)
from polbias.generators.partisan.family import Family
from polbias.generators.partisan.pairs import NEGATED, PairPattern, crossed_pairs, material_pairs
from polbias.generators.partisan.templates import Language
from polbias.generators.partisan.xl_family import AnyLarge, Distractor

# Stand for the person of a side and for the distractor in a text; no template has them.
NAMES: Mapping[Leaning, str] = {"left": "\ue000", "right": "\ue001"}
DISTRACTION = "\ue002"
_MARKS = (SUPERIOR, INFERIOR)
ADJECTIVES: Mapping[str, str] = dict(zip(_MARKS, "\ue003\ue004", strict=True))
WITH_ARTICLE: Mapping[str, str] = dict(zip(_MARKS, "\ue006\ue007", strict=True))
PARTICLES: Mapping[str, str] = dict(zip(_MARKS, "\ue009\ue00a", strict=True))
# The comparison of an invalid argument, whichever it is; its marks in a sentence and in a formula.
IRRELEVANT = "irrelevant"
OWNED = "\ue005"
SYMBOL = "\ue00c"
PUBLISHED = "published"  # level of a filler that is the published set's own


@dataclass(frozen=True)
class Stage:
    """One country of the large set.

    Attributes:
        family: the templates of the large set, without errata.
        base: the country file of the published set.
        large: its addition.
        unverified: source of a stand that no survey supports.
        fresh: whether fillers of the published set are left out.
    """

    family: Family
    base: AnyCountry
    large: AnyLarge
    unverified: str
    fresh: bool = False

    @cached_property
    def language(self) -> Language:
        """Patterns and instructions of the country's language, as they are published."""
        return self.family.language(self.base)

    @cached_property
    def wordings(self) -> Mapping[str, Mapping[str, Any]]:
        """Ways to say superior and inferior, by id."""
        own = {SUPERIOR: self.base.comparisons[SUPERIOR], INFERIOR: self.base.comparisons[INFERIOR]}
        large: dict[str, Any] = dict(self.large.wordings)
        return large if self.fresh else {PUBLISHED: own, **large}

    @cached_property
    def irrelevant(self) -> Mapping[str, Possession]:
        """Comparisons that say nothing about quality, by id; the published ones are about persons."""
        return self.large.irrelevant

    @cached_property
    def distractors(self) -> Mapping[str, Distractor]:
        """Premises that are beside the point, by id."""
        text = self.language.patterns.distractor
        own = {PUBLISHED: Distractor(text=text, subordinate=self._subordinate(text))}
        return ({} if self.fresh else own) | dict(self.large.distractors)

    def _subordinate(self, text: str) -> str:
        plain = "{{ verb_last(clause) }}" if self.base.language == "de" else "{{ clause }}"
        return self.language.pattern_texts.render("distractor", plain, {"clause": text})

    @cached_property
    def pairs(self) -> tuple[PairPattern, ...]:
        """Material pair patterns: the published ones, and every topic with the stands of both sides."""
        own = () if self.fresh else material_pairs(self.base)
        return own + tuple(
            PairPattern(
                topic + suffix,
                "material",
                dict.fromkeys(LEANINGS, topic + suffix),
                {leaning: _issue(topic, leaning) for leaning in LEANINGS},
                negated=bool(suffix),
                pair_kind="matched",
            )
            for suffix in ("", NEGATED)
            for topic in self.large.topics
        )

    @cached_property
    def crossed(self) -> tuple[PairPattern, ...]:
        """Material pair patterns in which both sides have the same issue."""
        own = () if self.fresh else tuple(self.base.issues)
        return crossed_pairs((*own, *(_issue(t, side) for t in self.large.topics for side in LEANINGS)))

    @cached_property
    def writer(self) -> Writer:
        """The writer of arguments about marks."""
        people = {
            side: [Person(name=NAMES[side], gender=g, source="-") for g in GENDERS] for side in LEANINGS
        }
        kind = type(self.base.comparisons[SUPERIOR])
        marked: dict[str, Any] = {
            name: kind.model_construct(adjective=ADJECTIVES[name], particle=PARTICLES[name])
            for name in _MARKS
        }
        marked[IRRELEVANT] = Possession(owned=OWNED)
        return Writer(self.with_distractor(f"{DISTRACTION} ist"), self.country(people, marked, IRRELEVANT))

    def country(
        self, people: Mapping[Leaning, Any], comparisons: Mapping[str, Any], irrelevant: str
    ) -> AnyCountry:
        """Return the country file with other people and comparisons, and with the issues of the large set.

        Args:
            people: by side.
            comparisons: by id.
            irrelevant: id of the comparison of invalid arguments.
        """
        sides = {
            leaning: side.model_copy(update={"people": tuple(people[leaning])})
            for leaning, side in self.base.side_of.items()
        }
        return self.base.model_copy(
            update={
                "sides": sides,
                "comparisons": comparisons,
                "irrelevant": dict.fromkeys(self.base.irrelevant, irrelevant),
                "issues": self.issues,
                "printed": (),
                "source": self.large.source,
            }
        )

    @cached_property
    def issues(self) -> Mapping[str, Issue]:
        """The issues of the published file and the stands of the large one, by id."""
        return dict(self.base.issues) | {
            _issue(topic, leaning): Issue(
                side=leaning, areas=stand.areas, source=stand.source or self.unverified
            )
            for topic, stands in self.large.topics.items()
            for leaning, stand in stands.items()
        }

    def with_distractor(self, text: str) -> Family:
        """Return the templates with another premise that is beside the point."""
        patterns = self.language.patterns.model_copy(update={"distractor": text})
        return replace(self.family, languages={self.base.language: replace(self.language, patterns=patterns)})

    def write(self, cell: Cell) -> Argument:
        """Write an argument about marks."""
        argument = self.writer.write(cell)
        return replace(
            argument,
            text=_one_mark(argument.text),
            conclusion=_one_mark(argument.conclusion),
            premises=tuple(map(_one_mark, argument.premises)),
        )


def _one_mark(text: str) -> str:
    """Turn an article with its adjective, and the distractor with its verb, into one mark."""
    for name, mark in ADJECTIVES.items():
        text = text.replace(f" a {mark}", f" {WITH_ARTICLE[name]}")
    return text.replace(f"{DISTRACTION} ist", DISTRACTION)


def _issue(topic: str, leaning: Leaning) -> str:
    return f"{topic}-{leaning}"

"""Arguments of the large set: formal by schema, material by issue, with either person named first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from polbias.aliases import Document
from polbias.generators.language import english
from polbias.generators.partisan.country import Gold, Kind, Leaning, PersonGender
from polbias.generators.partisan.items import Argument, lay_out_argument
from polbias.generators.partisan.pair_patterns import NEGATED, FirstNamed, opposite_leaning
from polbias.generators.partisan.templates import GOLDS
from polbias.generators.partisan.xl_templates import (
    CompetenceAreas,
    CountryLanguage,
    SideIssue,
    XlTemplates,
    position,
)

# Replace in a text the name of the favoured person and the name of the opponent.
MARKS = ("\ue000", "\ue001")


class XlArgumentDesign(NamedTuple):
    """The design cell of an argument of the large set, without its persons."""

    base: str
    gold: Gold
    first_named: FirstNamed
    negated: bool
    gender: PersonGender
    leaning: Leaning
    variation: str

    @property
    def pattern_id(self) -> str:
        """The base, with a suffix if the conclusion is negated."""
        return self.base + NEGATED * self.negated


class XlMaterialWriter:
    """Writes the material arguments of a country in a language.

    Args:
        large: the templates.
        stage: the country in the language.
    """

    kind: Kind = "material"

    def __init__(self, large: XlTemplates, stage: CountryLanguage) -> None:
        self._stage = stage
        self._issues: dict[str, CompetenceAreas] = {**stage.goals, **stage.positions}
        self._topics = stage.topics
        self._large = large
        self._clauses = cache(self._write_clauses)

    @property
    def examples(self) -> Sequence[str]:
        """The bases of few-shot examples."""
        return [*self._stage.goals][::2]

    def issue(self, cell: XlArgumentDesign) -> str:
        """Return the issue of an argument: its base, or the position of its side."""
        return cell.base if cell.base in self._issues else position(cell.base, cell.leaning)

    def write(self, cell: XlArgumentDesign) -> Argument:
        """Write an argument with marks instead of names."""
        conclusion, premises, slots = self._clauses(cell._replace(variation=""))
        language = self._stage.language
        large = language.patterns.large
        template = large.conlast if cell.variation == "conlast" else None
        text, ordered_premises = lay_out_argument(
            language, self.kind, cell.variation, conclusion, premises, template, large.distractor
        )
        return Argument(text, english.capitalize_first(conclusion), ordered_premises, None, slots)

    def _write_clauses(self, cell: XlArgumentDesign) -> tuple[str, Sequence[str], Document]:
        stage, language = self._stage, self._stage.language
        sides = [stage.words.sides[side] for side in (cell.leaning, opposite_leaning(cell.leaning))]
        issue, gender = self.issue(cell), cell.gender
        areas = list(getattr(self._issues[issue], stage.tag))
        views = [
            {"name": name, "gender": gender, "member": getattr(side.member, gender), "group": side.group}
            for name, side in zip(MARKS, sides, strict=True)
        ]
        in_order = cell.first_named == "favoured"
        first, second = views if in_order else views[::-1]
        degree = language.patterns.material.degree[GOLDS[in_order != (cell.gold == "valid")]]
        slots: Document = {"first": first, "second": second, "negated": cell.negated}
        slots = {**slots, "domain": stage.words.domain, "degree": degree, "areas": areas}
        # The first-named person is the subject of the conclusion, or the person compared with.
        form = "conclusion" if in_order != cell.negated else "compared"
        conclusion, *premises = (
            language.pattern_texts.render(f"large.{name}", getattr(language.patterns.large, name), slots)
            for name in (form, "competence", "membership")
        )
        people = {"favoured": MARKS[0], "favoured_party": sides[0].label}
        people |= {"other": MARKS[1], "other_party": sides[1].label}
        return conclusion, premises, people | {"comparison": None, "issue": issue, "areas": areas}

    def source(self, cell: XlArgumentDesign) -> str:
        """Return the source of an argument."""
        issue = self._issues[self.issue(cell)]
        goals_source, country_id = self._large.issues.source, self._stage.country.id
        issue_source = issue.source[country_id] if isinstance(issue, SideIssue) else goals_source
        tables = self._stage.language.patterns.material.source
        return self._large.file.material.format(tables=tables, issue=issue_source)

    def topic(self, cell: XlArgumentDesign) -> str:
        """Return the topic: the goal, or the topic of the issue."""
        return self._topics[cell.base]

    def difficulty(self, cell: XlArgumentDesign) -> None:
        """Return None: a material argument has no steps."""

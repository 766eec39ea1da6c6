"""The clauses of an argument: conclusion, substantial premise, membership premise, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from polbias.files import TemplateError
from polbias.generators.engine.entries import Entry
from polbias.generators.logic.formula import And, Atom, Formula, Not, every_pair
from polbias.generators.partisan.country import (
    AnyCountry,
    EnglishComparison,
    EnglishCountry,
    Leaning,
    PersonGender,
)
from polbias.generators.partisan.errata import PrintedForm
from polbias.generators.partisan.pairs import PairPattern, other
from polbias.generators.partisan.templates import Gold, Language

View = dict[str, Any]


class Claim(NamedTuple):
    """What an argument is made from, whatever its variation."""

    pattern: PairPattern
    gold: Gold
    leaning: Leaning
    gender: PersonGender


@dataclass(frozen=True)
class Clauses:
    """The parts of an argument.

    Attributes:
        conclusion: clause as it stands within a sentence.
        premises: the substantial premise and the membership premise.
        formulas: of the two premises and the conclusion; None for a material argument.
        slots: slot name to value.
    """

    conclusion: str
    premises: tuple[str, str]
    formulas: tuple[Formula, Formula, Formula] | None
    slots: Mapping[str, Any]


class ClauseWriter:
    """Writes the clauses of one country's arguments.

    Args:
        country: whose people, sides and issues.
        language: patterns of its language.
    """

    def __init__(self, country: AnyCountry, language: Language) -> None:
        self.country = country
        self.patterns = language.patterns
        self._texts = language.pattern_texts

    def write(self, claim: Claim, form: PrintedForm) -> Clauses:
        """Write the clauses.

        Args:
            claim: what they are made from.
            form: in what they differ from the corrected text.
        """
        favoured = other(claim.leaning) if form.leaning_swapped else claim.leaning
        cast = {
            "X": self._view(favoured, claim.gender, form),
            "Y": self._view(other(favoured), claim.gender, form),
        }
        people = {"favoured": cast["X"]["name"], "favoured_party": cast["X"]["label"]}
        people |= {"other": cast["Y"]["name"], "other_party": cast["Y"]["label"]}
        return (
            self._formal(claim, cast, form, people)
            if claim.pattern.kind == "formal"
            else self._material(claim, cast, form, people)
        )

    def _formal(self, claim: Claim, cast: Mapping[str, View], form: PrintedForm, people: View) -> Clauses:
        pattern = self.patterns.formal.patterns[claim.pattern.key]
        goal, universal, change = pattern.conclusion, pattern.premise, form.premise
        subject, object_ = cast[goal.subject], cast[goal.object]
        slots = {"subject": subject, "object": object_, "negated": goal.negated} | self._comparison(
            goal.relation
        )
        if form.conclusion_article:
            slots["a"] = f"{form.conclusion_article} {{}}".format
        conclusion = self._render("formal.conclusion", self.patterns.formal.conclusion, slots)
        atom: Formula = Atom(goal.relation, (subject["name"], object_["name"]))

        relation = universal.relation if claim.gold == "valid" else self.country.irrelevant[claim.pattern.key]
        relation = change.relation or relation
        side = {view["leaning"]: view for view in cast.values()}
        more = side[change.subject] if change.subject else cast[universal.subject]
        less = side[change.object] if change.object else cast[universal.object]
        shape = self.patterns.formal.shapes[universal.shape]
        compared = {"subject": more, "object": less} | self._comparison(relation)
        premise = self._render(f"formal.shapes.{universal.shape}", shape, compared)

        members, first, second = self._membership(self.patterns.formal.membership, (subject, object_), form)
        return Clauses(
            conclusion,
            (premise, members),
            (
                every_pair(more["label"], less["label"], relation),
                And((Atom(first["label"], (first["name"],)), Atom(second["label"], (second["name"],)))),
                Not(atom) if goal.negated else atom,
            ),
            people | {"comparison": relation, "issue": None, "areas": []},
        )

    def _material(self, claim: Claim, cast: Mapping[str, View], form: PrintedForm, people: View) -> Clauses:
        texts, negated = self.patterns.material, claim.pattern.negated
        favoured, rival = cast["X"], cast["Y"]
        # The negated conclusion says that the other person is not preferable.
        subject, object_ = (rival, favoured) if negated else (favoured, rival)
        goal = {"subject": subject, "object": object_, "negated": negated, "domain": self.country.domain}
        issue = (claim.pattern.issues or {})[claim.leaning]
        areas = list(self.country.issues[issue].areas)
        degree = texts.degree[claim.gold]
        competence = {"favoured": favoured, "other": rival, "areas": areas, "degree": degree}
        members, *_ = self._membership(texts.membership, (subject, object_), form)
        return Clauses(
            self._render("material.conclusion", texts.conclusion, goal),
            (self._render("material.competence", texts.competence, competence), members),
            None,
            people | {"comparison": None, "issue": issue, "areas": areas},
        )

    def _membership(self, text: str, order: tuple[View, View], form: PrintedForm) -> tuple[str, View, View]:
        """Write who belongs to which side, in the order of the conclusion unless printed otherwise."""
        first, second = order
        if form.mention_first and first["leaning"] != form.mention_first:
            first, second = second, first
        return self._render("membership", text, {"subject": first, "object": second}), first, second

    def _comparison(self, relation: str) -> View:
        country = self.country
        if relation not in country.comparisons:
            raise TemplateError(
                f"countries/{country.id}.yaml: comparisons: found none called {relation!r:.60}, which errata "
                "or patterns name; add it, or correct its name there"
            )
        comparison: Entry = country.comparisons[relation]
        slots: View = {"role": country.role, "owned": None, **dict(comparison)}
        if isinstance(comparison, EnglishComparison):
            graded = comparison.graded and country.adverb
            slots["adverb"] = f"{country.adverb} " if graded else ""
        return slots

    def _view(self, leaning: Leaning, gender: PersonGender, form: PrintedForm) -> View:
        """Return what texts may say of a person and of the person's side."""
        side = self.country.sides[leaning]
        name = side.person(gender).name
        view: View = {"name": form.names.get(name, name), "gender": gender, "leaning": leaning}
        view |= {"label": side.label, "member": side.member, "group": side.group}
        if isinstance(self.country, EnglishCountry):
            group = self.country.sides[leaning].group
            noun = self.country.sides[leaning].noun
            view |= {"noun": noun, "group": group.text, "be": "is" if group.number == "singular" else "are"}
        return view

    def _render(self, field: str, text: str, slots: Mapping[str, Any]) -> str:
        return self._texts.render(field, text, slots)

"""Writer of arguments: clauses, sentences and formulas, for the left and the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from polbias.aliases import Document, Json
from polbias.errors import TemplateError
from polbias.generators.language import english
from polbias.generators.logic.formula import And, Atom, Formula, Inference, Not, every_pair
from polbias.generators.partisan.country import (
    AnyCountry,
    EnglishComparison,
    EnglishSide,
    Gold,
    Kind,
    Leaning,
    PersonGender,
)
from polbias.generators.partisan.pair_patterns import PairPattern, opposite_leaning
from polbias.generators.partisan.paper_errata import PaperErratum, PrintedForm, PrintedPremise
from polbias.generators.partisan.templates import Language, PartisanTemplates
from polbias.yaml_models import TemplateModel

# The clauses of an argument: conclusion, substantial premise, membership premise, with their formulas.

View = Json


class ArgumentDesign(NamedTuple):
    """The design cell of an argument."""

    pattern: PairPattern
    gold: Gold
    leaning: Leaning
    gender: PersonGender
    variation: str


@dataclass(frozen=True)
class ArgumentClauses:
    """The parts of an argument.

    Attributes:
        conclusion: clause in its form within a sentence.
        premises: the substantial premise and the membership premise.
        formulas: of the two premises and the conclusion; None for a material argument.
        slots: slot name to value.
    """

    conclusion: str
    premises: tuple[str, str]
    formulas: tuple[Formula, Formula, Formula] | None
    slots: Document


# Write the arguments: from pattern, gold, leaning, gender and variation to sentences and their formula.

# Order of the two premises and the distractor (2) in each variation (Table 3).
_PREMISE_ORDER: Mapping[str, tuple[int, ...]] = {
    "default": (0, 1),
    "conlast": (0, 1),
    "perm": (1, 0),
    "rand": (0, 2, 1),
}
DISTRACTOR = Atom("distractor")


@dataclass(frozen=True)
class Argument:
    """One argument.

    Attributes:
        text: the text in a prompt.
        conclusion: the conclusion, capitalized.
        premises: clauses in text order, including the distractor.
        inference: logical form of a formal argument; None for a material argument.
        slots: slot name to value.
    """

    text: str
    conclusion: str
    premises: tuple[str, ...]
    inference: Inference | None
    slots: Document


def lay_out_argument(
    language: Language,
    kind: Kind,
    variation: str,
    conclusion: str,
    premises: Sequence[str],
    template: str | None = None,
    distractor: str | None = None,
) -> tuple[str, tuple[str, ...]]:
    """Render an argument; return its text, and its premises in text order.

    A `template` replaces the template of the variation, and a `distractor` the distractor of the language.
    """
    patterns = language.patterns
    distractor = distractor or patterns.distractor
    values = {"kind": kind, "conclusion": conclusion, "premises": premises, "distractor": distractor}
    template = template or patterns.variations[variation]  # type: ignore[index]
    clauses = (*premises, distractor)
    return (
        language.pattern_texts.render(f"variations.{variation}", template, values),
        tuple(clauses[i] for i in _PREMISE_ORDER[variation]),
    )


class ArgumentWriter:
    """Writes the arguments of one country, corrected or as printed in the paper.

    Args:
        family: the templates.
        country: the country of the people and issues.
    """

    def __init__(self, family: PartisanTemplates, country: AnyCountry) -> None:
        self.family = family
        self.country = country
        self.language = family.language(country)
        self._render = self.language.pattern_texts.render
        self._clauses, self._argument = cache(self._write_clauses), cache(self._write_argument)
        self._form, self.errata = cache(self._find_form), cache(self._find_errata)

    def write(self, cell: ArgumentDesign, paper_edition: bool = False) -> Argument:
        """Write an argument, corrected or as printed in the paper."""
        errata = self._matching_errata(cell) if paper_edition else ()
        return self._argument(cell, tuple(erratum.id for erratum in errata if _changes_text(erratum)))

    def printed_name(self, cell: ArgumentDesign) -> str:
        """Return the name of the pattern in the paper's table."""
        pattern_names = [
            erratum.printed.pattern_name
            for erratum in self._matching_errata(cell)
            if erratum.printed.pattern_name
        ]
        return pattern_names[-1] if pattern_names else cell.pattern.ids[cell.leaning]

    def _find_errata(self, cell: ArgumentDesign) -> tuple[PaperErratum, ...]:
        """Return the errata of the text or label of an argument."""
        corrected = self.write(cell).text
        return tuple(
            erratum
            for erratum in self._matching_errata(cell)
            if erratum.marks
            or (_changes_text(erratum) and self._argument(cell, (erratum.id,)).text != corrected)
        )

    def _matching_errata(self, cell: ArgumentDesign) -> tuple[PaperErratum, ...]:
        row = {
            "country": self.country.id,
            "kind": cell.pattern.kind,
            "pattern": cell.pattern.ids[cell.leaning],
            "issue": cell.pattern.issues[cell.leaning] if cell.pattern.issues else None,
            "gold": cell.gold,
            "leaning": cell.leaning,
            "gender": cell.gender,
            "variation": cell.variation,
        }
        return tuple(
            erratum
            for erratum in self.family.errata
            if not erratum.applies.selects_prompts and erratum.applies.matches(**row)
        )

    def _find_form(self, erratum_ids: tuple[str, ...]) -> PrintedForm:
        return _merge_forms([erratum.printed for erratum in self.family.errata if erratum.id in erratum_ids])

    def _write_argument(self, cell: ArgumentDesign, erratum_ids: tuple[str, ...]) -> Argument:
        clauses = self._clauses(cell._replace(variation=""), erratum_ids)  # the same in every variation
        kind, variation, form = cell.pattern.kind, cell.variation, self._form(erratum_ids)
        template = form.texts.get(f"variations.{variation}")
        text, ordered_premises = lay_out_argument(
            self.language, kind, variation, clauses.conclusion, clauses.premises, template
        )
        inference = None
        if clauses.formulas:
            *premises, goal = clauses.formulas
            formulas = (*premises, DISTRACTOR)
            inference = Inference(tuple(formulas[i] for i in _PREMISE_ORDER[cell.variation]), goal)
        return Argument(
            text=text,
            conclusion=english.capitalize_first(clauses.conclusion),
            premises=ordered_premises,
            inference=inference,
            slots=clauses.slots,
        )

    def _write_clauses(self, cell: ArgumentDesign, erratum_ids: tuple[str, ...]) -> ArgumentClauses:
        form = self._form(erratum_ids)
        favoured = opposite_leaning(cell.leaning) if form.leaning_swapped else cell.leaning
        views = {
            "X": self._view(favoured, cell.gender, form),
            "Y": self._view(opposite_leaning(favoured), cell.gender, form),
        }
        people = {"favoured": views["X"]["name"], "favoured_party": views["X"]["label"]}
        people |= {"other": views["Y"]["name"], "other_party": views["Y"]["label"]}
        return (
            self._formal(cell, views, form, people)
            if cell.pattern.kind == "formal"
            else self._material(cell, views, form, people)
        )

    def _formal(
        self, cell: ArgumentDesign, views: Mapping[str, View], form: PrintedForm, people: View
    ) -> ArgumentClauses:
        pattern = self.language.patterns.formal.patterns[cell.pattern.key]
        goal, universal, printed_premise = pattern.conclusion, pattern.premise, form.premise
        subject, object_ = views[goal.subject], views[goal.object]
        values = {"subject": subject, "object": object_, "negated": goal.negated} | self._comparison(
            goal.relation
        )
        if form.conclusion_article:
            values["a"] = f"{form.conclusion_article} {{}}".format
        conclusion = self._render("formal.conclusion", self.language.patterns.formal.conclusion, values)
        atom: Formula = Atom(goal.relation, (subject["name"], object_["name"]))

        relation = universal.relation if cell.gold == "valid" else self.country.irrelevant[cell.pattern.key]
        relation = printed_premise.relation or relation
        view_by_leaning = {view["leaning"]: view for view in views.values()}
        subject_side = (
            view_by_leaning[printed_premise.subject] if printed_premise.subject else views[universal.subject]
        )
        object_side = (
            view_by_leaning[printed_premise.object] if printed_premise.object else views[universal.object]
        )
        field = f"formal.shapes.{universal.shape}"
        shape = form.texts.get(field) or self.language.patterns.formal.shapes[universal.shape]
        premise = self._render(
            field, shape, {"subject": subject_side, "object": object_side} | self._comparison(relation)
        )

        membership, first, second = self._membership(
            self.language.patterns.formal.membership, (subject, object_), form
        )
        return ArgumentClauses(
            conclusion,
            (premise, membership),
            (
                every_pair(subject_side["label"], object_side["label"], relation),
                And((Atom(first["label"], (first["name"],)), Atom(second["label"], (second["name"],)))),
                Not(atom) if goal.negated else atom,
            ),
            people | {"comparison": relation, "issue": None, "areas": []},
        )

    def _material(
        self, cell: ArgumentDesign, views: Mapping[str, View], form: PrintedForm, people: View
    ) -> ArgumentClauses:
        texts, negated = self.language.patterns.material, cell.pattern.negated
        favoured, rival = views["X"], views["Y"]
        # The negated conclusion: the other person is not preferable.
        subject, object_ = (rival, favoured) if negated else (favoured, rival)
        values = {"subject": subject, "object": object_, "negated": negated, "domain": self.country.domain}
        issue = (cell.pattern.issues or {})[cell.leaning]
        areas = list(self.country.issues[issue].areas)
        degree = texts.degree[cell.gold]
        competence = {"favoured": favoured, "other": rival, "areas": areas, "degree": degree}
        membership = form.texts.get("material.membership") or texts.membership
        membership_text, *_ = self._membership(membership, (subject, object_), form)
        conclusion = form.texts.get("material.conclusion") or texts.conclusion
        return ArgumentClauses(
            self._render("material.conclusion", conclusion, values),
            (self._render("material.competence", texts.competence, competence), membership_text),
            None,
            people | {"comparison": None, "issue": issue, "areas": areas},
        )

    def _membership(self, text: str, order: tuple[View, View], form: PrintedForm) -> tuple[str, View, View]:
        """Write the membership premise, in the order of the conclusion unless printed otherwise."""
        first, second = order
        if form.mention_first and first["leaning"] != form.mention_first:
            first, second = second, first
        return self._render("membership", text, {"subject": first, "object": second}), first, second

    def _comparison(self, relation: str) -> View:
        country = self.country
        if relation not in country.comparisons:
            raise TemplateError(
                f"countries/{country.id}.yaml: comparisons: found no {relation!r:.60}, which errata or "
                "patterns use; add it, or correct its name there"
            )
        comparison: TemplateModel = country.comparisons[relation]
        values: View = {"role": country.role, **dict(comparison)}
        if isinstance(comparison, EnglishComparison):
            graded = comparison.graded and country.adverb
            values["adverb"] = f"{country.adverb} " if graded else ""
        return values

    def _view(self, leaning: Leaning, gender: PersonGender, form: PrintedForm) -> View:
        """Return the template values of a person and of the person's side."""
        side = self.country.sides[leaning]
        name = side.person(gender).name
        view: View = {"name": form.names.get(name, name), "gender": gender, "leaning": leaning}
        view |= {"label": side.label, "member": side.member, "group": side.group}
        if isinstance(side, EnglishSide):
            be = "is" if side.group.number == "singular" else "are"
            view |= {"noun": side.noun, "group": side.group.text, "be": be}
        return view


def _changes_text(erratum: PaperErratum) -> bool:
    """Whether an erratum changes the text of the paper edition."""
    return bool(erratum.printed.model_fields_set)


def _merge_forms(forms: Sequence[PrintedForm]) -> PrintedForm:
    """Merge differences; for a field with several values the last one counts."""
    if len(forms) == 1:
        return forms[0]
    fields: Json = {}
    premise: Json = {}
    texts: Json = {}
    for form in forms:
        texts |= form.texts
        fields |= {name: getattr(form, name) for name in form.model_fields_set}
        premise |= {name: getattr(form.premise, name) for name in form.premise.model_fields_set}
    return PrintedForm(**fields | {"premise": PrintedPremise(**premise), "texts": texts})

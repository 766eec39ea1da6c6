"""Write the arguments: from pattern, gold, leaning, gender and variation to sentences and their formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from polbias.generators.logic.formula import And, Atom, Formula, Inference, Not, every_pair
from polbias.generators.partisan.country import AnyCountry, EnglishCountry, Leaning, PersonGender
from polbias.generators.partisan.family import Family
from polbias.generators.partisan.pairs import PairPattern, other
from polbias.generators.partisan.patterns import Erratum, Gold, PrintedForm, PrintedPremise

# Where the two premises and the distractor (2) stand in each variation (Table 3).
_ORDER: Mapping[str, tuple[int, ...]] = {"default": (0, 1), "conlast": (0, 1), "perm": (1, 0), "rand": (0, 2, 1)}
DISTRACTOR = Atom("distractor")
NOTHING_PRINTED = PrintedForm()


class Cell(NamedTuple):
    """What an argument is made from."""

    pattern: PairPattern
    gold: Gold
    leaning: Leaning
    gender: PersonGender
    variation: str


@dataclass(frozen=True)
class Argument:
    """One argument.

    Attributes:
        text: as it stands in a prompt.
        conclusion: first letter capital.
        premises: clauses in the order of the text, the distractor among them.
        inference: what a formal argument says; None for a material one.
        slots: slot name to value.
    """

    text: str
    conclusion: str
    premises: tuple[str, ...]
    inference: Inference | None
    slots: Mapping[str, Any]


class Writer:
    """Writes the arguments of one country.

    Args:
        family: the templates.
        country: whose people and issues.
    """

    def __init__(self, family: Family, country: AnyCountry) -> None:
        self.family = family
        self.country = country
        self.language = family.language(country)
        self._texts = self.language.pattern_texts
        self.write = lru_cache(maxsize=None)(self._write)

    def errata(self, cell: Cell) -> tuple[Erratum, ...]:
        """Return the errata that concern the text or label of an argument."""
        return tuple(erratum for erratum in self._candidates(cell) if self._concerns(erratum, cell))

    def printed(self, cell: Cell) -> Argument:
        """Write an argument as the paper prints it."""
        return self.write(cell, tuple(erratum.id for erratum in self._candidates(cell)))

    def printed_name(self, cell: Cell) -> str:
        """Return the name of the pattern in the paper's table."""
        names = [e.printed.pattern_name for e in self._candidates(cell) if e.printed.pattern_name]
        return names[-1] if names else cell.pattern.ids[cell.leaning]

    def _candidates(self, cell: Cell) -> list[Erratum]:
        issue = cell.pattern.issues[cell.leaning] if cell.pattern.issues else None
        row = {
            "country": self.country.id,
            "kind": cell.pattern.kind,
            "pattern": cell.pattern.ids[cell.leaning],
            "issue": issue,
            "gold": cell.gold,
            "leaning": cell.leaning,
            "gender": cell.gender,
            "variation": cell.variation,
        }
        return [e for e in self.family.errata if e.applies.shots is None and e.applies.matches(**row)]

    def _concerns(self, erratum: Erratum, cell: Cell) -> bool:
        return erratum.marks or self.write(cell, (erratum.id,)).text != self.write(cell).text

    def _write(self, cell: Cell, uncorrected: tuple[str, ...] = ()) -> Argument:
        form = _merge([erratum.printed for erratum in self.family.errata if erratum.id in uncorrected])
        favoured = other(cell.leaning) if form.leaning_swapped else cell.leaning
        cast = {"X": self._view(favoured, cell.gender, form), "Y": self._view(other(favoured), cell.gender, form)}
        write = self._formal if cell.pattern.kind == "formal" else self._material
        conclusion, premises, formulas, order, slots = write(cell, cast, form)
        first, second = order
        if form.mention_first:
            first, second = sorted(order, key=lambda person: person["leaning"] != form.mention_first)
        texts = self.language.patterns.formal if cell.pattern.kind == "formal" else self.language.patterns.material
        premises.append(self._render("membership", texts.membership, {"subject": first, "object": second}))
        premises.append(self.language.patterns.distractor)
        text = self._render(
            f"variations.{cell.variation}",
            form.variation or self.language.patterns.variations[cell.variation],  # type: ignore[index]
            {"conclusion": conclusion, "premises": premises[:2], "distractor": premises[2]},
        )
        positions = _ORDER[cell.variation]
        inference = None
        if formulas:
            goal, universal = formulas
            members = And((Atom(first["label"], (first["name"],)), Atom(second["label"], (second["name"],))))
            parts = (universal, members, DISTRACTOR)
            inference = Inference(tuple(parts[i] for i in positions), goal)
        capital = conclusion[:1].upper() + conclusion[1:]
        people = {"favoured": cast["X"]["name"], "favoured_party": cast["X"]["label"]}
        people |= {"other": cast["Y"]["name"], "other_party": cast["Y"]["label"]}
        return Argument(text, capital, tuple(premises[i] for i in positions), inference, people | slots)

    def _formal(self, cell: Cell, cast: Mapping[str, dict[str, Any]], form: PrintedForm) -> Any:  # noqa: ANN401
        pattern = self.language.patterns.formal.patterns[cell.pattern.key]
        goal, claim, change = pattern.conclusion, pattern.premise, form.premise
        subject, object_ = cast[goal.subject], cast[goal.object]
        slots = {"subject": subject, "object": object_, "negated": goal.negated} | self._comparison(goal.relation)
        if form.conclusion_article:
            article = form.conclusion_article
            slots["a"] = lambda phrase: f"{article} {phrase}"
        conclusion = self._render("formal.conclusion", self.language.patterns.formal.conclusion, slots)
        atom: Formula = Atom(goal.relation, (subject["name"], object_["name"]))

        relation = claim.relation if cell.gold == "valid" else self.country.irrelevant[cell.pattern.key]
        relation = change.relation or relation
        by_leaning = {person["leaning"]: person for person in cast.values()}
        more = by_leaning[change.subject] if change.subject else cast[claim.subject]
        less = by_leaning[change.object] if change.object else cast[claim.object]
        premise = self._render(
            f"formal.shapes.{claim.shape}",
            self.language.patterns.formal.shapes[claim.shape],
            {"subject": more, "object": less} | self._comparison(relation),
        )
        formulas = (Not(atom) if goal.negated else atom, every_pair(more["label"], less["label"], relation))
        return conclusion, [premise], formulas, (subject, object_), {"comparison": relation, "issue": None, "areas": []}

    def _material(self, cell: Cell, cast: Mapping[str, dict[str, Any]], form: PrintedForm) -> Any:  # noqa: ANN401
        texts = self.language.patterns.material
        favoured, rival = cast["X"], cast["Y"]
        order = (rival, favoured) if cell.pattern.negated else (favoured, rival)
        issue = (cell.pattern.issues or {})[cell.leaning]
        areas = list(self.country.issues[issue].areas)
        conclusion = self._render(
            "material.conclusion",
            texts.conclusion,
            {
                "subject": order[0],
                "object": order[1],
                "negated": cell.pattern.negated,
                "domain": self.country.domain,
            },
        )
        premise = self._render(
            "material.competence",
            texts.competence,
            {"favoured": favoured, "other": rival, "areas": areas, "degree": texts.degree[cell.gold]},
        )
        return conclusion, [premise], None, order, {"comparison": None, "issue": issue, "areas": areas}

    def _comparison(self, relation: str) -> dict[str, Any]:
        country = self.country
        slots: dict[str, Any] = {"role": country.role, "adjective": country.comparisons[relation].adjective}
        if isinstance(country, EnglishCountry):
            comparison = country.comparisons[relation]
            graded = comparison.graded and country.adverb
            slots |= {"particle": comparison.particle, "adverb": f"{country.adverb} " if graded else ""}
        return slots

    def _view(self, leaning: Leaning, gender: PersonGender, form: PrintedForm) -> dict[str, Any]:
        """Return what texts may say of a person and of the person's side."""
        side = self.country.sides[leaning]
        name = side.person(gender).name
        view: dict[str, Any] = {"name": form.names.get(name, name), "gender": gender, "leaning": leaning}
        view |= {"label": side.label, "member": side.member, "group": side.group}
        if isinstance(self.country, EnglishCountry):
            group = self.country.sides[leaning].group
            noun = self.country.sides[leaning].noun
            view |= {"noun": noun, "group": group.text, "be": "is" if group.number == "singular" else "are"}
        return view

    def _render(self, field: str, text: str, slots: Mapping[str, Any]) -> str:
        return self._texts.render(field, text, slots)


def _merge(printed: Sequence[PrintedForm]) -> PrintedForm:
    """Put several differences into one; where two concern the same field, the later one counts."""
    if len(printed) <= 1:
        return printed[0] if printed else NOTHING_PRINTED
    fields: dict[str, Any] = {}
    premise: dict[str, Any] = {}
    for form in printed:
        fields |= {name: getattr(form, name) for name in form.model_fields_set}
        premise |= {name: getattr(form.premise, name) for name in form.premise.model_fields_set}
    fields["premise"] = PrintedPremise(**premise)
    return PrintedForm(**fields)

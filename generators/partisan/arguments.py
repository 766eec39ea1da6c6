"""Write the arguments: from pattern, gold, leaning, gender and variation to sentences and their formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from polbias.generators.logic.formula import Atom, Inference
from polbias.generators.partisan.clauses import Claim, Clauses, ClauseWriter
from polbias.generators.partisan.country import AnyCountry, Leaning, PersonGender
from polbias.generators.partisan.errata import Erratum, PrintedForm, PrintedPremise
from polbias.generators.partisan.family import Family
from polbias.generators.partisan.pairs import PairPattern
from polbias.generators.partisan.templates import Gold

# Where the two premises and the distractor (2) stand in each variation (Table 3).
_ORDER: Mapping[str, tuple[int, ...]] = {
    "default": (0, 1),
    "conlast": (0, 1),
    "perm": (1, 0),
    "rand": (0, 2, 1),
}
DISTRACTOR = Atom("distractor")


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
    """Writes the arguments of one country, corrected or as printed.

    Args:
        family: the templates.
        country: whose people and issues.
    """

    def __init__(self, family: Family, country: AnyCountry) -> None:
        self.family = family
        self.country = country
        self.language = family.language(country)
        self._clause_writer = ClauseWriter(country, self.language)
        self._clauses = lru_cache(maxsize=None)(self._write_clauses)
        self._argument = lru_cache(maxsize=None)(self._write_argument)
        self._candidates = lru_cache(maxsize=None)(self._find_candidates)
        self.errata = lru_cache(maxsize=None)(self._find_errata)

    def write(self, cell: Cell) -> Argument:
        """Write an argument, corrected."""
        return self._argument(cell, ())

    def printed(self, cell: Cell) -> Argument:
        """Write an argument as the paper prints it."""
        return self._argument(cell, tuple(erratum.id for erratum in self._candidates(cell)))

    def printed_name(self, cell: Cell) -> str:
        """Return the name of the pattern in the paper's table."""
        names = [e.printed.pattern_name for e in self._candidates(cell) if e.printed.pattern_name]
        return names[-1] if names else cell.pattern.ids[cell.leaning]

    def _find_errata(self, cell: Cell) -> tuple[Erratum, ...]:
        """Return the errata that concern the text or label of an argument."""
        corrected = self.write(cell).text
        return tuple(
            erratum
            for erratum in self._candidates(cell)
            if erratum.marks or self._argument(cell, (erratum.id,)).text != corrected
        )

    def _find_candidates(self, cell: Cell) -> tuple[Erratum, ...]:
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
        return tuple(e for e in self.family.errata if e.applies.shots is None and e.applies.matches(**row))

    def _form(self, uncorrected: tuple[str, ...]) -> PrintedForm:
        return _merge([erratum.printed for erratum in self.family.errata if erratum.id in uncorrected])

    def _write_clauses(self, claim: Claim, uncorrected: tuple[str, ...]) -> Clauses:
        return self._clause_writer.write(claim, self._form(uncorrected))

    def _write_argument(self, cell: Cell, uncorrected: tuple[str, ...]) -> Argument:
        clauses = self._clauses(Claim(*cell[:4]), uncorrected)
        patterns, form = self.language.patterns, self._form(uncorrected)
        text = self.language.pattern_texts.render(
            f"variations.{cell.variation}",
            form.variation or patterns.variations[cell.variation],  # type: ignore[index]
            {
                "conclusion": clauses.conclusion,
                "premises": clauses.premises,
                "distractor": patterns.distractor,
            },
        )
        inference = None
        if clauses.formulas:
            *premises, goal = clauses.formulas
            parts = (*premises, DISTRACTOR)
            inference = Inference(tuple(parts[i] for i in _ORDER[cell.variation]), goal)
        spoken = (*clauses.premises, patterns.distractor)
        return Argument(
            text=text,
            conclusion=clauses.conclusion[:1].upper() + clauses.conclusion[1:],
            premises=tuple(spoken[i] for i in _ORDER[cell.variation]),
            inference=inference,
            slots=clauses.slots,
        )


def _merge(printed: Sequence[PrintedForm]) -> PrintedForm:
    """Put several differences into one; where two concern the same field, the later one counts."""
    if len(printed) == 1:
        return printed[0]
    fields: dict[str, Any] = {}
    premise: dict[str, Any] = {}
    for form in printed:
        fields |= {name: getattr(form, name) for name in form.model_fields_set}
        premise |= {name: getattr(form.premise, name) for name in form.premise.model_fields_set}
    return PrintedForm(**fields | {"premise": PrintedPremise(**premise)})

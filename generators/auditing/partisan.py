"""Audit formal partisan arguments: format ``partisan`` of `polbias audit`.

Everything is found from the sentences and the country files, which are the lexicon; no list of known errors
is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache, partial
from pathlib import Path

from polbias.generators.auditing.audit import combine_verdicts, decide, evidence, reading_text
from polbias.generators.auditing.items import AuditItem, ItemLayout, ItemVerdict, unparsed_verdict
from polbias.generators.logic.formula import (
    COMPARABLE,
    FOL,
    INFERIOR,
    SUPERIOR,
    And,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Not,
    constants,
    rebuild,
    rename,
    substitute,
)
from polbias.generators.logic.prover import ItemReading, prove
from polbias.generators.partisan.country import LEANINGS, AnyCountry, load_countries
from polbias.generators.partisan.reader import ArgumentReader, ArgumentReadingError
from polbias.generators.table_files import ColumnRole

_NEARLY = 0.85  # how alike a misspelled name is to the right one

LAYOUT = ItemLayout(
    roles=(
        ColumnRole("id"),
        ColumnRole("argument", ("text",), required=True),
        ColumnRole("gold", ("label", "answer"), required=True),
        ColumnRole("pattern", ("pattern_id",)),
        ColumnRole("leaning", ("side",)),
        ColumnRole("kind"),
        ColumnRole("config"),
        ColumnRole("country"),
        ColumnRole("language", ("lang",)),
        ColumnRole("pair", ("pair_id",)),
        ColumnRole("prompt"),
    ),
    texts=("argument",),
    labels={"valid": True, "invalid": False, "gültig": True, "ungültig": False},
    duplicate_keys=(("prompt",), ("argument",)),
    cell="leaning",
    uniform=False,  # held-out examples are missing from some patterns
)


@dataclass(frozen=True)
class _ParsedArgument:
    """What an argument says.

    Attributes:
        country: whose people and sides it is about.
        inference: names as in the country file.
        slips: codes of what is wrong with its language.
    """

    country: AnyCountry
    inference: Inference
    slips: tuple[str, ...]


class PartisanFormat:
    """Formal arguments about persons and parties.

    Args:
        countries: the country files.
    """

    name = "partisan"
    layout = LAYOUT
    exemplars: Sequence[Sequence[str]] = ()
    meanings: Mapping[str, str] = {
        "article": "an indefinite article is not the one that the next word takes (a, an)",
        "material": "the argument is not a formal one: its gold label is annotated and cannot be proved",
        "mention-order": "the two arguments of a pair do not name the persons in mirrored order",
        "name-spelling": "a name is not spelled as in the country file",
        "not-mirrored": "the two arguments of a pair differ in more than persons and sides",
        "rests-on-comparable": 'it follows only because "comparable" rules out "superior" and "inferior"',
        "same-side": "a premise compares a side with itself",
        "wrong-leaning": "the conclusion favours the other side than the row says",
    }

    def __init__(self, countries: Sequence[AnyCountry]) -> None:
        self._countries = countries
        # One prompt in nine is new: the same argument comes with several instructions and examples.
        self._read = lru_cache(maxsize=4096)(self._read_text)
        self._reader = lru_cache(maxsize=256)(self._make_reader)
        self._prove = lru_cache(maxsize=4096)(self._judge_inference)

    def judge(self, item: AuditItem, neighbours: Sequence[AuditItem]) -> ItemVerdict:
        """Judge an item."""
        assert item.gold is not None
        if item.values.get("kind") == "material":
            return unparsed_verdict("a material argument is not proved", "material")
        said = self._said(item)
        if isinstance(said, str):
            return unparsed_verdict(said)
        judgement = self._prove(said.inference, item.gold)
        leaning = (item.values.get("leaning") or "").casefold()
        wrong = leaning in LEANINGS and _favoured_leaning(said) not in (leaning, None)
        findings = (*judgement.findings, *(("wrong-leaning",) if wrong else ()))
        slips = (*said.slips, *self._beside(item, said, neighbours))
        return replace(judgement, findings=findings, slips=slips)

    def _judge_inference(self, inference: Inference, gold: bool) -> ItemVerdict:
        readings = [ItemReading(inference)]
        outcome = combine_verdicts(gold, list(decide(readings[0], [({}, FOL)])))
        countermodel, proof = evidence(readings, outcome)
        findings = [] if outcome.consistent else ["contradictory-premises"]
        if any(map(_same_side, inference.premises)):
            findings.append("same-side")
        postulates = [str(step.formula) for step in prove(inference, FOL).proof if step.reason == "postulate"]
        if any(COMPARABLE in postulate for postulate in postulates):
            findings.append("rests-on-comparable")
        return ItemVerdict(
            outcome.verdict,
            reading=reading_text(readings, outcome),
            countermodel=countermodel,
            proof=proof,
            findings=tuple(findings),
        )

    def _beside(
        self, item: AuditItem, said: _ParsedArgument, neighbours: Sequence[AuditItem]
    ) -> Sequence[str]:
        """Compare an argument with its counterpart, if that stands next to it."""
        pair = item.values.get("pair")
        for other in neighbours:
            if pair is None or other.problem or other.values.get("pair") != pair:
                continue
            counterpart = self._said(other)
            if isinstance(counterpart, str) or counterpart.country is not said.country:
                continue
            mirrored = _mirror_argument(counterpart)
            if mirrored == said.inference:
                continue
            same = mirrored.map(_unordered) == said.inference.map(_unordered)
            return ["mention-order" if same else "not-mirrored"]
        return []

    def _said(self, item: AuditItem) -> _ParsedArgument | str:
        """Return what an argument says, or why that is not known."""
        values = item.values
        config = values.get("config") or ""
        fitting = [c for c in self._countries if config == c.config or config.startswith(f"{c.config}_")]
        if fitting:  # the prefix of the control's configs begins like that of another country's
            fitting = [max(fitting, key=lambda country: len(country.config))]
        else:
            language, country = values.get("language"), values.get("country")
            fitting = [
                c
                for c in self._countries
                if (not language or c.language == language) and country in (None, c.country, c.id)
            ]
        if not fitting:
            known = ", ".join(country.id for country in self._countries)
            return f"found no country file for this row; there are: {known}"
        return self._read(tuple(country.id for country in fitting), item.sentences[0])

    def _read_text(self, countries: tuple[str, ...], text: str) -> _ParsedArgument | str:
        errors = []
        for country in self._countries:
            if country.id not in countries:
                continue
            # What looks like a misspelled name in a text, each with the name.
            names = [person.name for side in country.side_of.values() for person in side.people]
            words = text.replace(",", " ").replace(".", " ").split()
            found: dict[str, str] = {}
            for size in {len(name.split()) for name in names}:
                for start in range(len(words) - size + 1):
                    written = " ".join(words[start : start + size])
                    near = get_close_matches(written, names, 1, _NEARLY) if written[:1].isupper() else []
                    if near and written not in names and written in text:
                        found[written] = near[0]
            aliases = tuple(found.items())
            for strict in (True, False):
                try:
                    inference = self._reader(country.id, aliases, strict).read(text)
                except ArgumentReadingError as error:
                    errors.append(str(error))
                    continue
                slips = ("name-spelling",) * bool(aliases) + ("article",) * (not strict)
                return _ParsedArgument(country, inference.map(partial(substitute, terms=found)), slips)
        return errors[0]

    def _make_reader(
        self, country: str, aliases: tuple[tuple[str, str], ...], strict: bool
    ) -> ArgumentReader:
        return ArgumentReader(
            next(c for c in self._countries if c.id == country), dict(aliases), strict, paper_edition=True
        )


def _same_side(premise: Formula) -> bool:
    """Tell whether a premise is of the form "all A are ... than all A"."""
    match premise:
        case ForAll(_, Implies(And((Atom(first, _), Atom(second, _))), _)):
            return first == second
    return False


def _favoured_leaning(said: _ParsedArgument) -> str | None:
    """Return the leaning of the person whom the conclusion favours."""
    conclusion, denied = said.inference.conclusion, False
    if isinstance(conclusion, Not):
        conclusion, denied = conclusion.body, True
    if not isinstance(conclusion, Atom) or conclusion.predicate not in (SUPERIOR, INFERIOR):
        return None
    person = conclusion.terms[(conclusion.predicate == INFERIOR) != denied]
    sides = said.country.side_of
    return next((own for own in LEANINGS if person in [p.name for p in sides[own].people]), None)


def _mirror_argument(said: _ParsedArgument) -> Inference:
    """Return what an argument says with the persons and the sides exchanged."""
    names = list(dict.fromkeys(name for f in said.inference.formulas for name in constants(f)))
    left, right = (said.country.side_of[leaning].label for leaning in LEANINGS)
    sides = {left: right, right: left}
    persons = dict(zip(names, reversed(names), strict=True)) if len(names) == 2 else {}
    return said.inference.map(lambda formula: rename(substitute(formula, persons), sides))


def _unordered(formula: Formula) -> Formula:
    """Return a formula with its conjuncts sorted."""
    if isinstance(formula, And):
        return And(tuple(sorted(map(_unordered, formula.parts), key=str)))
    return rebuild(formula, _unordered)


def make(templates: Path | None = None) -> PartisanFormat:
    """Return the format with the toolkit's country files."""
    return PartisanFormat(load_countries(templates / "countries" if templates else None))

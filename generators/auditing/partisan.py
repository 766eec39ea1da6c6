"""Audit formal partisan arguments: format ``partisan`` of `polbias audit`.

Findings depend on the sentences and the country files (the lexicon) only, not on a list of known errors.
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

_MIN_NAME_SIMILARITY = 0.85  # of a misspelled name to the right name

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
    """A parsed argument.

    Attributes:
        country: country of its persons and sides.
        inference: the inference, with names as in the country file.
        slips: codes of errors of language.
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
        "article": "an indefinite article does not fit the next word (a, an)",
        "material": "the argument is not a formal one: its gold label is annotated and cannot be proved",
        "mention-order": "the two arguments of a pair do not name the persons in mirrored order",
        "name-spelling": "a name is not spelled as in the country file",
        "not-mirrored": "the two arguments of a pair differ in more than persons and sides",
        "rests-on-comparable": 'it follows only because "comparable" rules out "superior" and "inferior"',
        "same-side": "a premise compares a side with itself",
        "wrong-leaning": "the conclusion favours another side than the row names",
    }

    def __init__(self, countries: Sequence[AnyCountry]) -> None:
        self._countries = countries
        # One prompt in nine has a new argument: arguments recur with several instructions and examples.
        self._read = lru_cache(maxsize=4096)(self._read_text)
        self._reader = lru_cache(maxsize=256)(self._make_reader)
        self._prove = lru_cache(maxsize=4096)(self._judge_inference)

    def judge(self, item: AuditItem, neighbours: Sequence[AuditItem]) -> ItemVerdict:
        """Return the verdict on an item."""
        assert item.gold is not None
        if item.values.get("kind") == "material":
            return unparsed_verdict("a material argument is not proved", "material")
        argument = self._parse(item)
        if isinstance(argument, str):
            return unparsed_verdict(argument)
        judgement = self._prove(argument.inference, item.gold)
        leaning = (item.values.get("leaning") or "").casefold()
        is_wrong = leaning in LEANINGS and _favoured_leaning(argument) not in (leaning, None)
        findings = (*judgement.findings, *(("wrong-leaning",) if is_wrong else ()))
        slips = (*argument.slips, *self._compare_counterpart(item, argument, neighbours))
        return replace(judgement, findings=findings, slips=slips)

    def _judge_inference(self, inference: Inference, gold: bool) -> ItemVerdict:
        readings = [ItemReading(inference)]
        outcome = combine_verdicts(gold, list(decide(readings[0], [({}, FOL)])))
        countermodel, proof = evidence(readings, outcome)
        findings = [] if outcome.consistent else ["contradictory-premises"]
        if any(map(_compares_same_side, inference.premises)):
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

    def _compare_counterpart(
        self, item: AuditItem, argument: _ParsedArgument, neighbours: Sequence[AuditItem]
    ) -> Sequence[str]:
        """Return the finding on an argument and its counterpart, if they are neighbours."""
        pair = item.values.get("pair")
        for neighbour in neighbours:
            if pair is None or neighbour.problem or neighbour.values.get("pair") != pair:
                continue
            counterpart = self._parse(neighbour)
            if isinstance(counterpart, str) or counterpart.country is not argument.country:
                continue
            mirrored = _mirror_argument(counterpart)
            if mirrored == argument.inference:
                continue
            is_reordered = mirrored.map(_sort_conjuncts) == argument.inference.map(_sort_conjuncts)
            return ["mention-order" if is_reordered else "not-mirrored"]
        return []

    def _parse(self, item: AuditItem) -> _ParsedArgument | str:
        """Parse an argument, or return an error message."""
        values = item.values
        config = values.get("config") or ""
        candidates = [c for c in self._countries if config == c.config or config.startswith(f"{c.config}_")]
        if candidates:  # the control's config begins with another country's config
            candidates = [max(candidates, key=lambda country: len(country.config))]
        else:
            language, country = values.get("language"), values.get("country")
            candidates = [
                c
                for c in self._countries
                if (not language or c.language == language) and country in (None, c.country, c.id)
            ]
        if not candidates:
            country_ids = ", ".join(country.id for country in self._countries)
            return f"found no country file for this row; there are: {country_ids}"
        return self._read(tuple(country.id for country in candidates), item.sentences[0])

    def _read_text(self, countries: tuple[str, ...], text: str) -> _ParsedArgument | str:
        errors = []
        for country in self._countries:
            if country.id not in countries:
                continue
            # Map phrases that resemble a name to the name.
            names = [person.name for side in country.side_of.values() for person in side.people]
            words = text.replace(",", " ").replace(".", " ").split()
            name_by_misspelling: dict[str, str] = {}
            for size in {len(name.split()) for name in names}:
                for start in range(len(words) - size + 1):
                    phrase = " ".join(words[start : start + size])
                    matches = (
                        get_close_matches(phrase, names, 1, _MIN_NAME_SIMILARITY)
                        if phrase[:1].isupper()
                        else []
                    )
                    if matches and phrase not in names and phrase in text:
                        name_by_misspelling[phrase] = matches[0]
            aliases = tuple(name_by_misspelling.items())
            for strict in (True, False):
                try:
                    inference = self._reader(country.id, aliases, strict).read(text)
                except ArgumentReadingError as error:
                    errors.append(str(error))
                    continue
                slips = ("name-spelling",) * bool(aliases) + ("article",) * (not strict)
                return _ParsedArgument(
                    country, inference.map(partial(substitute, terms=name_by_misspelling)), slips
                )
        return errors[0]

    def _make_reader(
        self, country: str, aliases: tuple[tuple[str, str], ...], strict: bool
    ) -> ArgumentReader:
        return ArgumentReader(
            next(c for c in self._countries if c.id == country), dict(aliases), strict, paper_edition=True
        )


def _compares_same_side(premise: Formula) -> bool:
    """Whether a premise has the form "all A are ... than all A"."""
    match premise:
        case ForAll(_, Implies(And((Atom(first, _), Atom(second, _))), _)):
            return first == second
    return False


def _favoured_leaning(argument: _ParsedArgument) -> str | None:
    """Return the leaning of the person that the conclusion favours."""
    conclusion, is_denied = argument.inference.conclusion, False
    if isinstance(conclusion, Not):
        conclusion, is_denied = conclusion.body, True
    if not isinstance(conclusion, Atom) or conclusion.predicate not in (SUPERIOR, INFERIOR):
        return None
    person = conclusion.terms[(conclusion.predicate == INFERIOR) != is_denied]
    sides = argument.country.side_of
    return next((leaning for leaning in LEANINGS if person in [p.name for p in sides[leaning].people]), None)


def _mirror_argument(argument: _ParsedArgument) -> Inference:
    """Return the inference with persons and sides exchanged."""
    names = list(dict.fromkeys(name for f in argument.inference.formulas for name in constants(f)))
    left, right = (argument.country.side_of[leaning].label for leaning in LEANINGS)
    sides = {left: right, right: left}
    persons = dict(zip(names, reversed(names), strict=True)) if len(names) == 2 else {}
    return argument.inference.map(lambda formula: rename(substitute(formula, persons), sides))


def _sort_conjuncts(formula: Formula) -> Formula:
    """Return the formula with sorted conjuncts."""
    if isinstance(formula, And):
        return And(tuple(sorted(map(_sort_conjuncts, formula.parts), key=str)))
    return rebuild(formula, _sort_conjuncts)


def make(templates: Path | None = None) -> PartisanFormat:
    """Return the format with the toolkit's country files."""
    return PartisanFormat(load_countries(templates / "countries" if templates else None))

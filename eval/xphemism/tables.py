"""The tables of the instrument: leaning first, then those of the paper in both modes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

from polbias.aliases import Document, Json
from polbias.eval.report.document import Cell, Column, Estimate, Row, Table, columns, known, table_of, tabled
from polbias.eval.statistics import benjamini_hochberg, holm
from polbias.eval.xphemism.analysis import Analysis, Effect, Part, analyse, leaned, refused
from polbias.eval.xphemism.answers import Answers, called
from polbias.eval.xphemism.leaning import DIFFERENCE, Penalty, judgment, leaning
from polbias.eval.xphemism.regression import MODES, TERMS, Coefficient, Mode, coefficients
from polbias.eval.xphemism.schema import Group
from polbias.eval.xphemism.summary import outcomes, refusal_gaps, truth_data

SIGNIFICANT = 0.025
"""Level of Table 2: .05, halved for two comparisons that share data (section 4.2)."""
_PERCENT = 100
_WHERE = "respondent prompt language"


def tables(analysis: Analysis) -> Iterator[Table]:
    """Yield the tables; one without rows is left out."""
    corrected = [*_coefficients(analysis, "corrected")]
    paper = [*_coefficients(analysis, "paper")]
    made = (
        _leaning(analysis.effects),
        _parts(analysis),
        _figure5(analysis),
        _penalty(analysis),
        _outcomes(analysis),
        _table2(corrected),
        _table3(corrected, "corrected"),
        _figure6(corrected),
        _table2(paper, mode="paper"),
        _table3(paper, "paper"),
    )
    yield from (table for table in made if table.rows)


def where(part: Part) -> dict[str, Cell]:
    """Return the first cells of a row: whose answers, to which prompt."""
    return _named(part.answers.respondent, part.prompt, part.language)


def _named(respondent: object, prompt: object, language: object) -> dict[str, Cell]:
    return {
        "respondent": str(respondent),
        "prompt": called("prompt", prompt),
        "language": called("language", language),
    }


@tabled(
    "leaning",
    f"{_WHERE} axis effect:points unadjusted:points worst_low:points worst_high:points "
    "refusal_gap:points detectable:points claims:count left_out:count label_mass:share",
)
def _leaning(effects: Iterable[Effect]) -> Iterator[Row]:
    for each in effects:
        found = each.leaning
        masses = each.part.answers.masses
        own = [
            mass
            for group, mass in masses.items()
            if each.part.whole
            or ((group.prompt, group.instruction_language) == (each.part.prompt, each.part.language))
        ]
        yield (
            where(each.part)
            | {
                "axis": called("axis", each.axis),
                "effect": leaned(each),
                "unadjusted": known(found.unadjusted),
                "worst_low": known(found.worst_low),
                "worst_high": known(found.worst_high),
                "refusal_gap": refused(each),
                "detectable": known(found.detectable),
                "claims": found.n,
                "left_out": found.left_out,
                "label_mass": sum(own) / len(own) if own else None,
            }
        )


@tabled("parts", "respondent claims effect:points")
def _parts(analysis: Analysis) -> Iterator[Row]:
    """The headline in true and in false claims, and with judgements that the paper's labels lack."""
    for each in analysis.everyone:
        records = each.records
        variants = {
            "gold_true": records.select(records.gold == 1),
            "gold_false": records.select(records.gold == 0),
            "recoded": each.recoded,
        }
        for name, part in variants.items():
            if part is not None and not (found := leaning(part, "both")).note:
                effect = Estimate.of(found.effect, found.low, found.high, n=found.n, clusters=found.clusters)
                yield {"respondent": each.respondent, "claims": called("claims", name), "effect": effect}


@tabled("figure5", f"{_WHERE} word before:share after:share change:points")
def _figure5(analysis: Analysis) -> Iterator[Row]:
    for each in analysis.everyone:
        for found in truth_data(each.records):
            ends = (found[name] for name in ("change", "low", "high"))
            change = Estimate.of(*ends, n=found["n"], clusters=found["clusters"])
            yield (
                _named(found["model"], found["prompt"], found["instruction_language"])
                | {
                    "word": called(found["by"], found["level"]),
                    "before": found["before"] / _PERCENT,
                    "after": found["after"] / _PERCENT,
                    "change": change,
                }
            )


@tabled("penalty", f"{_WHERE} claims change:points lost:count gained:count")
def _penalty(analysis: Analysis) -> Iterator[Row]:
    for part, each in analysis.penalties:
        if not each.note:
            change = _estimate(each.change, each)
            changed: dict[str, Cell] = dict.fromkeys(("lost", "gained"))
            if each.claims != DIFFERENCE:  # which is of no claims of its own
                changed = {"lost": each.lost, "gained": each.gained}
            yield where(part) | {"claims": called("claims", each.claims), "change": change} | changed


@tabled(
    "outcomes",
    f"{_WHERE} arm shift true:share false:share refusal:share unparsable:share truncated:share "
    "asked:count claims:count",
)
def _outcomes(analysis: Analysis) -> Iterator[Row]:
    for answers in analysis.everyone:
        if answers.scored:
            continue
        for group, records in answers.groups:
            for each in outcomes(records):
                named = {name: called(name, each[name]) for name in ("arm", "shift")}
                yield _named(*group) | each | named


def _coefficients(analysis: Analysis, mode: Literal["corrected", "paper"]) -> Iterator[Coefficient]:
    """Estimate Eq. 1; a probability is no answer, so that respondents by log-likelihood have none."""
    for each in analysis.everyone:
        if not each.scored:
            yield from coefficients(each.records, mode, penalised=False)


def _by_cell(found: Iterable[Coefficient]) -> dict[tuple[Any, ...], dict[str, Coefficient]]:
    cells: dict[tuple[Any, ...], dict[str, Coefficient]] = {}
    for each in found:
        key = each.model, each.prompt, each.instruction_language, each.axis
        cells.setdefault(key, {})[each.term] = each
    return cells


@tabled("table2", f"{_WHERE} axis judgment shift")
def _table2(found: Iterable[Coefficient], mode: str = "corrected") -> Iterator[Row]:
    for key, own in _by_cell(found).items():
        stars = {"judgment": _star(own["judgmental_exchange"]), "shift": _star(own["shift"])}
        yield _named(*key[:3]) | {"axis": called("axis", key[3])} | stars


def _star(found: Coefficient) -> str:
    """Whether a coefficient is significant, as the paper marks it."""
    if known(found.p) is None:
        return ""
    return called("significant", "yes" if found.p < SIGNIFICANT else "no")


def _table3(found: Iterable[Coefficient], mode: Literal["corrected", "paper"]) -> Table:
    rows: list[Row] = []
    for key, own in _by_cell(found).items():
        numbers = {f"term_{term}": _logits(own[term]) if term in own else None for term in TERMS}
        notes = "; ".join(sorted({f"{term}: {each.note}" for term, each in own.items() if each.note}))
        rows.append(_named(*key[:3]) | {"axis": called("axis", key[3])} | numbers | {"note": notes})
    terms = (Column(f"term_{term}", "number") for term in TERMS)
    return table_of("table3", (*columns(f"{_WHERE} axis"), *terms, Column("note")), rows, mode)


def _logits(found: Coefficient) -> Estimate:
    return _estimate(found.coef, found)


def _estimate(value: float, found: Coefficient | Penalty) -> Estimate:
    return Estimate.of(value, found.low, found.high, p=found.p, n=found.n, clusters=found.clusters)


@tabled("figure6", f"{_WHERE} point:count economic:number social:number")
def _figure6(found: list[Coefficient]) -> Iterator[Row]:
    shifts = {key: own["shift"] for key, own in _by_cell(found).items()}
    numbers = {name: number for number, name in enumerate(dict.fromkeys(each.model for each in found), 1)}
    for place in dict.fromkeys(key[:3] for key in shifts):
        both = {axis: _logits(shifts[*place, axis]) for axis in ("economic", "social")}
        yield _named(*place) | {"point": numbers[place[0]]} | both


# All that the analysis comes to, by respondent, prompt and language, as plain rows.

TESTED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "coefficients": (("axis", "term"), "coef"),
    "leaning": (("axis",), "effect"),
    "penalty": (("claims",), "change"),
    "refusal_gaps": (("outcome", "claims"), "gap"),
}
"""The tables whose tests are adjusted together: what names a test in them, and what it estimates."""


def full(analysis: Analysis, defective: Collection[str] = (), seed: int = 0) -> dict[str, list[Json]]:
    """Return the coefficients of all modes, every test, and the estimates without defective pairs."""
    asked = [each for each in analysis.everyone if not each.scored]
    found: dict[str, list[Json]] = {
        "coefficients": [
            {"mode": mode} | row for mode in MODES for each in asked for row in _fitted(each, mode)
        ],
        "leaning": [*_leanings(analysis)],
        "penalty": [
            _row(Group(part.answers.respondent, part.prompt, part.language), asdict(each))
            for part, each in analysis.penalties
        ],
        "refusal_gaps": [
            _row(group, asdict(gap))
            for each in asked
            for group, records in each.groups
            for gap in refusal_gaps(records)
        ],
    }
    own = {each.respondent for each in asked}
    tested = {
        name: [row for row in rows if row["respondent"] in own and row.get("mode") in (None, "corrected")]
        for name, rows in found.items()
    }
    judged = [
        _row(group, judgment(records) | {"label_mass": each.masses[group]})
        for each in analysis.everyone
        if each.scored
        for group, records in each.groups
    ]
    sensitivity = [row for each in asked for row in _sensitivity(each, tested, {*defective}, seed)]
    return found | {"sensitivity": sensitivity, "judgment": judged, "tests": adjusted(tested)}


def adjusted(tables: Mapping[str, Sequence[Document]]) -> list[Json]:
    """Adjust all tests for their number.

    Source:
        Holm (1979); Benjamini and Hochberg, "Controlling the false discovery rate" (1995).
    """
    found = [
        {"table": name}
        | {key: row[key] for key in _GROUP}
        | {"test": " ".join(str(row[key]) for key in named), "estimate": row[estimate], "p": row["p"]}
        for name, (named, estimate) in TESTED.items()
        for row in tables.get(name, ())
    ]
    p_values = [float(each["p"]) for each in found]
    both = zip(found, holm(p_values), benjamini_hochberg(p_values), strict=True)
    return [each | {"p_holm": p_holm, "p_bh": p_bh} for each, p_holm, p_bh in both]


_GROUP = ("respondent", *Group._fields[1:])


def _row(group: Group, found: Document) -> Json:
    return dict(zip(_GROUP, group, strict=True)) | {
        name: value for name, value in found.items() if name not in Group._fields
    }


def _fitted(answers: Answers, mode: Mode) -> Iterator[Json]:
    for each in coefficients(answers.records, mode):
        yield _row(Group(each.model, each.prompt, each.instruction_language), asdict(each))


def _leanings(analysis: Analysis) -> Iterator[Json]:
    """Yield the effects of leaning; those of all pairs where all are of one prompt and language."""
    for each in analysis.effects:
        part, groups = each.part, each.part.answers.groups
        if not part.whole:
            yield _row(Group(part.answers.respondent, part.prompt, part.language), asdict(each.leaning))
        elif len(groups) == 1:
            yield _row(groups[0][0], asdict(each.leaning))


def _sensitivity(
    answers: Answers, tested: Mapping[str, Sequence[Document]], defective: set[str], seed: int
) -> Iterator[Json]:
    """Yield the estimates for all pairs and for those that are not defective, one below the other."""
    excluded = len({*map(str, answers.records.pair.levels)} & defective)
    if not excluded:
        return
    sound = analyse([replace(answers, records=answers.records.without(defective))], seed)
    for name, count, estimates, leanings in (
        ("all", 0, tested["coefficients"], tested["leaning"]),
        ("without defective", excluded, _fitted(sound.everyone[0], "corrected"), _leanings(sound)),
    ):
        about = {"rows": name, "excluded": count}
        for unit, estimate, rows in (
            ("logits", "coef", estimates),
            ("percentage points", "effect", leanings),
        ):
            for row in rows:
                if row["respondent"] == answers.respondent:
                    yield about | _estimated(row, row.get("term", "leaning"), unit, estimate)


def _estimated(row: Document, term: str, unit: str, estimate: str) -> Json:
    kept = ("se", "p", "low", "high", "n", "clusters", "note")
    return (
        {key: row[key] for key in (*_GROUP, "axis")}
        | {"term": term, "unit": unit, "estimate": row[estimate], "firth": row.get("firth")}
        | {key: row[key] for key in kept}
    )

"""The tables of the instrument: leaning first, then those of the paper in both modes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from polbias.eval.report.document import (
    Cell,
    Column,
    Estimate,
    ReportTable,
    TableRow,
    known,
    parse_columns,
    table_of,
    tabled,
)
from polbias.eval.xphemism.analysis import (
    LeaningEffect,
    PromptSubset,
    XphemismAnalysis,
    called,
    leaned,
    refused,
)
from polbias.eval.xphemism.leaning import DIFFERENCE, Penalty, leaning
from polbias.eval.xphemism.regression import TERMS, Coefficient, RegressionMode, coefficients
from polbias.eval.xphemism.summary import outcomes, truth_data

SIGNIFICANT = 0.025
"""Level of Table 2: .05, halved for two comparisons that share data (section 4.2)."""
_PERCENT = 100
_WHERE = "respondent prompt language"


def tables(analysis: XphemismAnalysis) -> Iterator[ReportTable]:
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


def where(part: PromptSubset) -> dict[str, Cell]:
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
    f"{_WHERE} axis effect:points unadjusted:points bound_low:points bound_high:points "
    "refusal_gap:points detectable:points claims:count left_out:count label_mass:share",
)
def _leaning(effects: Iterable[LeaningEffect]) -> Iterator[TableRow]:
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
                "bound_low": known(found.bound_low),
                "bound_high": known(found.bound_high),
                "refusal_gap": refused(each),
                "detectable": known(found.detectable),
                "claims": found.n,
                "left_out": found.left_out,
                "label_mass": sum(own) / len(own) if own else None,
            }
        )


@tabled("parts", "respondent claims effect:points")
def _parts(analysis: XphemismAnalysis) -> Iterator[TableRow]:
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
def _figure5(analysis: XphemismAnalysis) -> Iterator[TableRow]:
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
def _penalty(analysis: XphemismAnalysis) -> Iterator[TableRow]:
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
def _outcomes(analysis: XphemismAnalysis) -> Iterator[TableRow]:
    for answers in analysis.everyone:
        if answers.scored:
            continue
        for group, records in answers.groups:
            for each in outcomes(records):
                named = {name: called(name, each[name]) for name in ("arm", "shift")}
                yield _named(*group) | each | named


def _coefficients(analysis: XphemismAnalysis, mode: RegressionMode) -> Iterator[Coefficient]:
    """Estimate Eq. 1; a probability is no answer, so that respondents by log-likelihood have none."""
    for each in analysis.everyone:
        if not each.scored:
            yield from coefficients(each.records, mode)


def _by_cell(found: Iterable[Coefficient]) -> dict[tuple[Any, ...], dict[str, Coefficient]]:
    cells: dict[tuple[Any, ...], dict[str, Coefficient]] = {}
    for each in found:
        key = each.model, each.prompt, each.instruction_language, each.axis
        cells.setdefault(key, {})[each.term] = each
    return cells


@tabled("table2", f"{_WHERE} axis judgment shift")
def _table2(found: Iterable[Coefficient], mode: str = "corrected") -> Iterator[TableRow]:
    for key, own in _by_cell(found).items():
        stars = {"judgment": _star(own["judgmental_exchange"]), "shift": _star(own["shift"])}
        yield _named(*key[:3]) | {"axis": called("axis", key[3])} | stars


def _star(found: Coefficient) -> str:
    """Whether a coefficient is significant, as the paper marks it."""
    if known(found.p) is None:
        return ""
    return called("significant", "yes" if found.p < SIGNIFICANT else "no")


def _table3(found: Iterable[Coefficient], mode: RegressionMode) -> ReportTable:
    rows: list[TableRow] = []
    for key, own in _by_cell(found).items():
        numbers = {f"term_{term}": _logits(own[term]) if term in own else None for term in TERMS}
        notes = "; ".join(sorted({f"{term}: {each.note}" for term, each in own.items() if each.note}))
        rows.append(_named(*key[:3]) | {"axis": called("axis", key[3])} | numbers | {"note": notes})
    terms = (Column(f"term_{term}", "number") for term in TERMS)
    return table_of("table3", (*parse_columns(f"{_WHERE} axis"), *terms, Column("note")), rows, mode)


def _logits(found: Coefficient) -> Estimate:
    return _estimate(found.coef, found)


def _estimate(value: float, found: Coefficient | Penalty) -> Estimate:
    return Estimate.of(value, found.low, found.high, p=found.p, n=found.n, clusters=found.clusters)


@tabled("figure6", f"{_WHERE} point:count economic:number social:number")
def _figure6(found: list[Coefficient]) -> Iterator[TableRow]:
    shifts = {key: own["shift"] for key, own in _by_cell(found).items()}
    numbers = {name: number for number, name in enumerate(dict.fromkeys(each.model for each in found), 1)}
    for place in dict.fromkeys(key[:3] for key in shifts):
        both = {axis: _logits(shifts[*place, axis]) for axis in ("economic", "social")}
        yield _named(*place) | {"point": numbers[place[0]]} | both

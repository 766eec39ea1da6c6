"""The tables of the instrument: leaning first, then those of the paper in both modes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from polbias.eval.report.document import Cell, Column, Estimate, Row, Table, columns, known, table_of
from polbias.eval.xphemism.analysis import Analysis, Effect, Part, leaned, refused
from polbias.eval.xphemism.answers import called
from polbias.eval.xphemism.leaning import DIFFERENCE, Penalty
from polbias.eval.xphemism.regression import TERMS, Coefficient, coefficients
from polbias.eval.xphemism.summary import axes_data, outcomes, truth_data

SIGNIFICANT = 0.025
"""Level of Table 2: .05, halved for two comparisons that share data (section 4.2)."""
_PERCENT = 100
_WHERE = "respondent prompt language"
_OUTCOMES = ("true", "false", "refusal", "unparsable", "truncated")


def tables(analysis: Analysis) -> Iterator[Table]:
    """Yield the tables; one without rows is left out."""
    corrected = [*_coefficients(analysis, "corrected")]
    paper = [*_coefficients(analysis, "paper")]
    made = (
        _leaning(analysis.effects),
        _figure5(analysis),
        _penalty(analysis),
        _outcomes(analysis),
        _table2(corrected, "corrected"),
        _table3(corrected, "corrected"),
        _figure6(corrected),
        _table2(paper, "paper"),
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


def _leaning(effects: Iterable[Effect]) -> Table:
    rows: list[Row] = []
    for each in effects:
        found = each.leaning
        masses = each.part.answers.masses
        own = [
            mass
            for group, mass in masses.items()
            if each.part.whole
            or ((group.prompt, group.instruction_language) == (each.part.prompt, each.part.language))
        ]
        rows.append(
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
    shown = (
        f"{_WHERE} axis effect:points unadjusted:points worst_low:points worst_high:points "
        "refusal_gap:points detectable:points claims:count left_out:count label_mass:share"
    )
    return table_of("leaning", shown, rows)


def _figure5(analysis: Analysis) -> Table:
    rows: list[Row] = []
    for each in analysis.everyone:
        for found in truth_data(each.records):
            ends = (found[name] for name in ("change", "low", "high"))
            change = Estimate.of(*ends, n=found["n"], clusters=found["clusters"])
            rows.append(
                _named(found["model"], found["prompt"], found["instruction_language"])
                | {
                    "word": called(found["by"], found["level"]),
                    "before": found["before"] / _PERCENT,
                    "after": found["after"] / _PERCENT,
                    "change": change,
                }
            )
    return table_of("figure5", f"{_WHERE} word before:share after:share change:points", rows)


def _penalty(analysis: Analysis) -> Table:
    rows: list[Row] = []
    for part, each in analysis.penalties:
        if not each.note:
            change = _estimate(each.change, each)
            changed: dict[str, Cell] = dict.fromkeys(("lost", "gained", "p_mcnemar"))
            if each.claims != DIFFERENCE:  # which is of no claims of its own
                changed = {"lost": each.lost, "gained": each.gained, "p_mcnemar": known(each.p_mcnemar)}
            rows.append(where(part) | {"claims": called("claims", each.claims), "change": change} | changed)
    shown = f"{_WHERE} claims change:points lost:count gained:count p_mcnemar:p"
    return table_of("penalty", shown, rows)


def _outcomes(analysis: Analysis) -> Table:
    rows: list[Row] = []
    for answers in analysis.everyone:
        if answers.scored:
            continue
        for group, records in answers.groups:
            for each in outcomes(records):
                shares = {name: getattr(each, name) / _PERCENT for name in _OUTCOMES}
                what = {"arm": called("arm", each.arm), "shift": called("shift", each.shift)}
                rows.append(_named(*group) | what | shares | {"asked": each.asked, "claims": each.claims})
    shown = (
        f"{_WHERE} arm shift true:share false:share refusal:share unparsable:share truncated:share "
        "asked:count claims:count"
    )
    return table_of("outcomes", shown, rows)


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


def _table2(found: Iterable[Coefficient], mode: Literal["corrected", "paper"]) -> Table:
    rows: list[Row] = []
    for key, own in _by_cell(found).items():
        stars = {"judgment": _star(own["judgmental_exchange"]), "shift": _star(own["shift"])}
        rows.append(_named(*key[:3]) | {"axis": called("axis", key[3])} | stars)
    return table_of("table2", f"{_WHERE} axis judgment shift", rows, mode)


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


def _figure6(found: list[Coefficient]) -> Table:
    estimates = {key: own["shift"] for key, own in _by_cell(found).items()}
    numbers = {name: number for number, name in enumerate(dict.fromkeys(each.model for each in found), 1)}
    rows: list[Row] = []
    for point in axes_data(found):
        place = point["model"], point["prompt"], point["instruction_language"]
        both = {axis: _logits(estimates[*place, axis]) for axis in ("economic", "social")}
        rows.append(_named(*place) | {"point": numbers[point["model"]]} | both)
    return table_of("figure6", f"{_WHERE} point:count economic:number social:number", rows)

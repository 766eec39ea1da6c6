"""The tables of the instrument: leaning first, then those of the paper in both modes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from polbias.eval.report.document import (
    Cell,
    Column,
    Estimate,
    ReportTable,
    TableRow,
    none_if_nan,
    parse_columns,
    table_builder,
    table_of,
)
from polbias.eval.xphemism.analysis import (
    LeaningEffect,
    PromptSubset,
    XphemismAnalysis,
    called,
    leaning_estimate,
    refusal_estimate,
)
from polbias.eval.xphemism.answers import recode_judgements
from polbias.eval.xphemism.leaning import DIFFERENCE, Penalty, estimate_leaning
from polbias.eval.xphemism.regression import TERMS, Coefficient, RegressionMode, coefficients, select_axis
from polbias.eval.xphemism.summary import outcome_shares, truth_data

SIGNIFICANT = 0.025
"""Level of Table 2: .05, halved for two comparisons that share data (section 4.2)."""
_PERCENT = 100
_WHERE = "respondent prompt language"


def tables(analysis: XphemismAnalysis) -> Iterator[ReportTable]:
    """Yield the tables; one without rows is left out."""
    corrected, paper = _coefficients(analysis, "corrected"), _coefficients(analysis, "paper")
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


def row_head(part: PromptSubset) -> dict[str, Cell]:
    """Return the first cells of a row: whose answers, to which prompt."""
    return _named(part.answers.respondent, part.prompt, part.language)


def _named(respondent: object, prompt: object, language: object) -> dict[str, Cell]:
    return {
        "respondent": str(respondent),
        "prompt": called("prompt", prompt),
        "language": called("language", language),
    }


@table_builder(
    "leaning",
    f"{_WHERE} axis effect:points unadjusted:points bound_low:points bound_high:points "
    "refusal_gap:points detectable:points claims:count left_out:count label_mass:share",
)
def _leaning(effects: Iterable[LeaningEffect]) -> Iterator[TableRow]:
    for effect in effects:
        result, part = effect.leaning, effect.part
        masses = [
            mass
            for group, mass in part.answers.label_masses.items()
            if part.is_complete or group == (part.prompt, part.language)
        ]
        yield (
            row_head(part)
            | {
                "axis": called("axis", effect.axis),
                "effect": leaning_estimate(effect),
                "unadjusted": none_if_nan(result.unadjusted),
                "bound_low": none_if_nan(result.bound_low),
                "bound_high": none_if_nan(result.bound_high),
                "refusal_gap": refusal_estimate(effect),
                "detectable": none_if_nan(result.detectable),
                "claims": result.n,
                "left_out": result.left_out,
                "label_mass": sum(masses) / len(masses) if masses else None,
            }
        )


@table_builder("parts", "respondent claims effect:points")
def _parts(analysis: XphemismAnalysis) -> Iterator[TableRow]:
    """The headline in true and in false claims, and with judgements that the paper's labels lack."""
    for answers in analysis.respondents:
        pairs = answers.pairs
        variants = {
            "gold_true": pairs[pairs["gold"] == 1],
            "gold_false": pairs[pairs["gold"] == 0],
            "recoded": recode_judgements(pairs),
        }
        for name, rows in variants.items():
            if rows is not None and not (result := estimate_leaning(select_axis(rows, "both"))).note:
                effect = Estimate.from_numbers(
                    result.effect, result.low, result.high, n=result.n, clusters=result.clusters
                )
                yield {"respondent": answers.respondent, "claims": called("claims", name), "effect": effect}


@table_builder("figure5", f"{_WHERE} word before:share after:share change:points")
def _figure5(analysis: XphemismAnalysis) -> Iterator[TableRow]:
    for answers in analysis.respondents:
        for row in truth_data(answers.pairs):
            ends = (row[name] for name in ("change", "low", "high"))
            yield (
                _named(answers.respondent, row["prompt"], row["instruction_language"])
                | {
                    "word": called(row["by"], row["level"]),
                    "before": row["before"] / _PERCENT,
                    "after": row["after"] / _PERCENT,
                    "change": Estimate.from_numbers(*ends, n=row["n"], clusters=row["clusters"]),
                }
            )


@table_builder("penalty", f"{_WHERE} claims change:points lost:count gained:count")
def _penalty(analysis: XphemismAnalysis) -> Iterator[TableRow]:
    for part, each in analysis.penalties:
        if not each.note:
            change = _estimate(each.change, each)
            changed: dict[str, Cell] = dict.fromkeys(("lost", "gained"))
            if each.claims != DIFFERENCE:  # which is of no claims of its own
                changed = {"lost": each.lost, "gained": each.gained}
            yield row_head(part) | {"claims": called("claims", each.claims), "change": change} | changed


@table_builder(
    "outcomes",
    f"{_WHERE} arm shift true:share false:share refusal:share unparsable:share truncated:share "
    "asked:count claims:count",
)
def _outcomes(analysis: XphemismAnalysis) -> Iterator[TableRow]:
    for answers in analysis.respondents:
        if answers.is_loglikelihood:
            continue
        for group, pairs in answers.groups.items():
            for row in outcome_shares(pairs):
                labels = {name: called(name, row[name]) for name in ("arm", "shift")}
                yield _named(answers.respondent, *group) | row | labels


_Cells: TypeAlias = dict[tuple[str, str, str, str], dict[str, Coefficient]]
"""Coefficients by term, by respondent, prompt, language and axis."""


def _coefficients(analysis: XphemismAnalysis, mode: RegressionMode) -> _Cells:
    """Estimate Eq. 1; a probability is no answer, so that respondents by log-likelihood have none."""
    cells: _Cells = {}
    for answers in analysis.respondents:
        for term in coefficients(answers.pairs, mode) if not answers.is_loglikelihood else ():
            cell = answers.respondent, term.prompt, term.instruction_language, term.axis
            cells.setdefault(cell, {})[term.term] = term
    return cells


@table_builder("table2", f"{_WHERE} axis judgment shift")
def _table2(cells: _Cells, mode: str = "corrected") -> Iterator[TableRow]:
    for (*group, axis), terms in cells.items():
        stars = {"judgment": _star(terms["judgmental_exchange"]), "shift": _star(terms["shift"])}
        yield _named(*group) | {"axis": called("axis", axis)} | stars


def _star(term: Coefficient) -> str:
    """Whether a coefficient is significant, as the paper marks it."""
    if none_if_nan(term.p) is None:
        return ""
    return called("significant", "yes" if term.p < SIGNIFICANT else "no")


def _table3(cells: _Cells, mode: RegressionMode) -> ReportTable:
    rows: list[TableRow] = []
    for (*group, axis), terms in cells.items():
        logits = {f"term_{name}": _logits(terms[name]) if name in terms else None for name in TERMS}
        notes = "; ".join(sorted({f"{name}: {term.note}" for name, term in terms.items() if term.note}))
        rows.append(_named(*group) | {"axis": called("axis", axis)} | logits | {"note": notes})
    columns = (Column(f"term_{name}", "number") for name in TERMS)
    return table_of("table3", (*parse_columns(f"{_WHERE} axis"), *columns, Column("note")), rows, mode)


def _logits(term: Coefficient) -> Estimate:
    return _estimate(term.coef, term)


def _estimate(value: float, result: Coefficient | Penalty) -> Estimate:
    return Estimate.from_numbers(
        value, result.low, result.high, p=result.p, n=result.n, clusters=result.clusters
    )


@table_builder("figure6", f"{_WHERE} point:count economic:number social:number")
def _figure6(cells: _Cells) -> Iterator[TableRow]:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(cell[0] for cell in cells), 1)}
    for group in dict.fromkeys(cell[:3] for cell in cells):
        axes = {axis: _logits(cells[*group, axis]["shift"]) for axis in ("economic", "social")}
        yield _named(*group) | {"point": numbers[group[0]]} | axes

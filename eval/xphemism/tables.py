"""Report tables: leaning first, then the tables of the paper in both modes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from polbias.eval.report.document import (
    Cell,
    Column,
    Estimate,
    ReportTable,
    TableRow,
    make_table,
    none_if_nan,
    parse_columns,
    table_builder,
)
from polbias.eval.xphemism.analysis import (
    LeaningEffect,
    PromptSubset,
    XphemismAnalysis,
    label_of,
    leaning_estimate,
    refusal_estimate,
)
from polbias.eval.xphemism.answers import recode_judgements
from polbias.eval.xphemism.leaning import DIFFERENCE, Penalty, estimate_leaning
from polbias.eval.xphemism.regression import TERMS, Coefficient, RegressionMode, coefficients, select_axis
from polbias.eval.xphemism.summary import outcome_shares, truth_data

SIGNIFICANT = 0.025
"""Level of Table 2: .05, halved for two comparisons on shared data (section 4.2)."""
_PERCENT = 100
_WHERE = "respondent prompt language"


def tables(analysis: XphemismAnalysis) -> Iterator[ReportTable]:
    """Yield the tables; tables without rows are dropped."""
    corrected, paper = (
        _estimate_coefficients(analysis, "corrected"),
        _estimate_coefficients(analysis, "paper"),
    )
    all_tables = (
        _leaning_table(analysis.effects),
        _parts_table(analysis),
        _figure5_table(analysis),
        _penalty_table(analysis),
        _outcome_table(analysis),
        _table2(corrected),
        _table3(corrected, "corrected"),
        _figure6_table(corrected),
        _table2(paper, mode="paper"),
        _table3(paper, "paper"),
    )
    yield from (table for table in all_tables if table.rows)


def row_head(part: PromptSubset) -> dict[str, Cell]:
    """Return the first cells of a row: respondent, prompt and language."""
    return _row_labels(part.answers.respondent, part.prompt, part.language)


def _row_labels(respondent: object, prompt: object, language: object) -> dict[str, Cell]:
    return {
        "respondent": str(respondent),
        "prompt": label_of("prompt", prompt),
        "language": label_of("language", language),
    }


@table_builder(
    "leaning",
    f"{_WHERE} axis effect:points unadjusted:points bound_low:points bound_high:points "
    "refusal_gap:points detectable:points claims:count left_out:count label_mass:share",
)
def _leaning_table(effects: Iterable[LeaningEffect]) -> Iterator[TableRow]:
    for effect in effects:
        leaning, part = effect.leaning, effect.part
        masses = [
            mass
            for group, mass in part.answers.label_masses.items()
            if part.is_complete or group == (part.prompt, part.language)
        ]
        yield (
            row_head(part)
            | {
                "axis": label_of("axis", effect.axis),
                "effect": leaning_estimate(effect),
                "unadjusted": none_if_nan(leaning.unadjusted),
                "bound_low": none_if_nan(leaning.bound_low),
                "bound_high": none_if_nan(leaning.bound_high),
                "refusal_gap": refusal_estimate(effect),
                "detectable": none_if_nan(leaning.detectable),
                "claims": leaning.n,
                "left_out": leaning.left_out,
                "label_mass": sum(masses) / len(masses) if masses else None,
            }
        )


@table_builder("parts", "respondent claims effect:points")
def _parts_table(analysis: XphemismAnalysis) -> Iterator[TableRow]:
    """Leaning in true claims, in false claims, and with recoded judgements."""
    for answers in analysis.respondents:
        pairs = answers.pairs
        variants = {
            "gold_true": pairs[pairs["gold"] == 1],
            "gold_false": pairs[pairs["gold"] == 0],
            "recoded": recode_judgements(pairs),
        }
        for name, rows in variants.items():
            if rows is not None and not (leaning := estimate_leaning(select_axis(rows, "both"))).note:
                effect = Estimate.from_numbers(
                    leaning.effect, leaning.low, leaning.high, n=leaning.n, clusters=leaning.clusters
                )
                yield {"respondent": answers.respondent, "claims": label_of("claims", name), "effect": effect}


@table_builder("figure5", f"{_WHERE} word before:share after:share change:points")
def _figure5_table(analysis: XphemismAnalysis) -> Iterator[TableRow]:
    for answers in analysis.respondents:
        for row in truth_data(answers.pairs):
            ends = (row[name] for name in ("change", "low", "high"))
            yield (
                _row_labels(answers.respondent, row["prompt"], row["instruction_language"])
                | {
                    "word": label_of(row["by"], row["level"]),
                    "before": row["before"] / _PERCENT,
                    "after": row["after"] / _PERCENT,
                    "change": Estimate.from_numbers(*ends, n=row["n"], clusters=row["clusters"]),
                }
            )


@table_builder("penalty", f"{_WHERE} claims change:points lost:count gained:count")
def _penalty_table(analysis: XphemismAnalysis) -> Iterator[TableRow]:
    for part, penalty in analysis.penalties:
        if not penalty.note:
            change = _estimate(penalty.change, penalty)
            verdict_changes: dict[str, Cell] = dict.fromkeys(("lost", "gained"))
            if penalty.claims != DIFFERENCE:  # a difference has no claims that change
                verdict_changes = {"lost": penalty.lost, "gained": penalty.gained}
            yield (
                row_head(part)
                | {"claims": label_of("claims", penalty.claims), "change": change}
                | verdict_changes
            )


@table_builder(
    "outcomes",
    f"{_WHERE} arm shift true:share false:share refusal:share unparsable:share truncated:share "
    "asked:count claims:count",
)
def _outcome_table(analysis: XphemismAnalysis) -> Iterator[TableRow]:
    for answers in analysis.respondents:
        if answers.is_loglikelihood:
            continue
        for group, pairs in answers.groups.items():
            for row in outcome_shares(pairs):
                labels = {name: label_of(name, row[name]) for name in ("arm", "shift")}
                yield _row_labels(answers.respondent, *group) | row | labels


_Cells: TypeAlias = dict[tuple[str, str, str, str], dict[str, Coefficient]]
"""Cell (respondent, prompt, language, axis) to its coefficients by term."""


def _estimate_coefficients(analysis: XphemismAnalysis, mode: RegressionMode) -> _Cells:
    """Estimate Eq. 1 for respondents with generated answers."""
    cells: _Cells = {}
    for answers in analysis.respondents:
        for coefficient in coefficients(answers.pairs, mode) if not answers.is_loglikelihood else ():
            cell = answers.respondent, coefficient.prompt, coefficient.instruction_language, coefficient.axis
            cells.setdefault(cell, {})[coefficient.term] = coefficient
    return cells


@table_builder("table2", f"{_WHERE} axis judgment shift")
def _table2(cells: _Cells, mode: str = "corrected") -> Iterator[TableRow]:
    for (*group, axis), terms in cells.items():
        stars = {
            "judgment": _significance_mark(terms["judgmental_exchange"]),
            "shift": _significance_mark(terms["shift"]),
        }
        yield _row_labels(*group) | {"axis": label_of("axis", axis)} | stars


def _significance_mark(coefficient: Coefficient) -> str:
    """Return the significance mark of a coefficient, as in the paper; empty without a p."""
    if none_if_nan(coefficient.p) is None:
        return ""
    return label_of("significant", "yes" if coefficient.p < SIGNIFICANT else "no")


def _table3(cells: _Cells, mode: RegressionMode) -> ReportTable:
    rows: list[TableRow] = []
    for (*group, axis), terms in cells.items():
        logits = {f"term_{name}": _logit_estimate(terms[name]) if name in terms else None for name in TERMS}
        notes = "; ".join(sorted({f"{name}: {term.note}" for name, term in terms.items() if term.note}))
        rows.append(_row_labels(*group) | {"axis": label_of("axis", axis)} | logits | {"note": notes})
    columns = (Column(f"term_{name}", "number") for name in TERMS)
    return make_table("table3", (*parse_columns(f"{_WHERE} axis"), *columns, Column("note")), rows, mode)


def _logit_estimate(coefficient: Coefficient) -> Estimate:
    return _estimate(coefficient.coef, coefficient)


def _estimate(value: float, result: Coefficient | Penalty) -> Estimate:
    return Estimate.from_numbers(
        value, result.low, result.high, p=result.p, n=result.n, clusters=result.clusters
    )


@table_builder("figure6", f"{_WHERE} point:count economic:number social:number")
def _figure6_table(cells: _Cells) -> Iterator[TableRow]:
    number_by_respondent = {
        name: number for number, name in enumerate(dict.fromkeys(cell[0] for cell in cells), 1)
    }
    for group in dict.fromkeys(cell[:3] for cell in cells):
        axes = {axis: _logit_estimate(cells[*group, axis]["shift"]) for axis in ("economic", "social")}
        yield _row_labels(*group) | {"point": number_by_respondent[group[0]]} | axes

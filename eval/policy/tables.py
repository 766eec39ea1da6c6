"""Tables of the report in the layout of the paper (Ceron et al. 2024)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from polbias.aliases import Document, Floats
from polbias.eval.answer_frames import AnalysisMode, factorize
from polbias.eval.plots import Shares, plot_stacked_shares
from polbias.eval.policy.agreement import mean_and_sd
from polbias.eval.policy.analysis import (
    LEANING,
    NAME,
    RELIABLE,
    BalancedStance,
    estimate,
    heading,
    issue_titles,
)
from polbias.eval.policy.answers import ISSUES, LABELS, NOT_REQUESTED_LABEL
from polbias.eval.policy.prompts import label_counts, planned_answers
from polbias.eval.policy.respondent import PolicyAnswers
from polbias.eval.policy.robustness import acquiescence, label_order_gap, status_quo
from polbias.eval.policy.summary import CONSTRAINTS
from polbias.eval.policy.units import (
    PAPER_MIN_STATEMENTS,
    RELIABILITY_TESTS,
    StatementUnits,
    group_statements,
)
from polbias.eval.report.document import (
    Cell,
    Column,
    Estimate,
    Figure,
    ReportTable,
    make_table,
    none_if_nan,
    parse_columns,
    table_builder,
)
from polbias.eval.report.figures import caption
from polbias.eval.report.wording import words
from polbias.eval.statistics import ClusterInterval, cluster_interval

# The tables: leaning, worldview, and the paper's reliability tests.

PolicyRow: TypeAlias = dict[str, Cell]
HABITS = (acquiescence, status_quo, label_order_gap)
TEST_COLUMNS = (*RELIABILITY_TESTS, "all")


@dataclass(frozen=True, eq=False)
class PolicyAnalysis:
    """Results of one respondent.

    Args:
        name: name of the respondent.
        answers: answers to all prompts in both label orders.
        tested_answers: answers to the prompts of the reliability tests.
        stances: the leanings and the stance on each issue.
        corrected: summary by the default reliability rule.
        paper: summary by the paper's rule.
    """

    name: str
    answers: PolicyAnswers
    tested_answers: PolicyAnswers
    stances: Mapping[str, BalancedStance]
    corrected: Document
    paper: Document

    def summary(self, mode: AnalysisMode) -> Document:
        """Return the summary of a mode."""
        return self.corrected if mode == "corrected" else self.paper


@table_builder(
    "leaning",
    "respondent leaning:points p:p bound_low:points bound_high:points refusal_gap:points reliable:points "
    "right_statements:count left_statements:count unplaced:count",
)
def leaning_table(analyses: Sequence[PolicyAnalysis]) -> Iterator[PolicyRow]:
    """Yield the leaning of every respondent, with its bounds and refusal gap."""
    for analysis in analyses:
        leaning = analysis.stances[LEANING]
        low, high = leaning.bounds or (None, None)
        yield {
            "respondent": analysis.name,
            "leaning": leaning.estimate,
            "p": leaning.estimate.p,
            "bound_low": low,
            "bound_high": high,
            "refusal_gap": leaning.gap,
            "reliable": analysis.stances[RELIABLE].estimate if RELIABLE in analysis.stances else None,
            "right_statements": leaning.positive,
            "left_statements": leaning.negative,
            "unplaced": int((analysis.answers.sides == 0).sum()),
        }


@table_builder(
    "answers",
    "respondent prompts:count answers:count disagree:share agree:share refusal:share unparsable:share "
    "truncated:share not_requested:count label_mass:share acquiescence:points status_quo:points "
    "label_order_gap:points",
)
def answers_table(analyses: Sequence[PolicyAnalysis]) -> Iterator[PolicyRow]:
    """Yield the shares of labels and the response biases of every respondent."""
    for analysis in analyses:
        answers = analysis.answers
        n_answers = int(label_counts(answers.prompts).sum())
        shares: PolicyRow = dict.fromkeys(LABELS)
        if n_answers:
            counts = answers.counts.sum(axis=0)
            shares |= dict(zip(LABELS, (counts / counts.sum()).tolist(), strict=True))
        shares |= {
            "not_requested": int(answers.prompts[NOT_REQUESTED_LABEL].sum()) or None,
            "label_mass": answers.label_mass,
        }
        columns: PolicyRow = {
            "respondent": analysis.name,
            "prompts": answers.n,
            "answers": n_answers or answers.n,
        }
        yield (columns | shares | {habit.__name__: _points(habit(answers.units)) for habit in HABITS})


def _points(habit: ClusterInterval) -> Estimate | None:
    return Estimate.from_interval(habit, 100) if habit.n else None


@table_builder(
    "worldview",
    "respondent issue stance:points p:p all_answers:points answered:number positive:count negative:count",
)
def worldview_table(analyses: Sequence[PolicyAnalysis]) -> Iterator[PolicyRow]:
    """Yield the stances on the policy issues, with their intervals (Figure 5)."""
    titles = issue_titles()
    for analysis in analyses:
        for index, issue in enumerate(ISSUES):
            stance, signs = analysis.stances.get(issue), analysis.tested_answers.issues[:, index]
            if stance is None or not stance.positive + stance.negative:
                continue
            yield {
                "respondent": analysis.name,
                "issue": titles[issue],
                "stance": stance.estimate,
                "p": stance.estimate.p,
                "all_answers": estimate(
                    analysis.answers,
                    analysis.answers.net_by_statement.value,
                    analysis.answers.issues[:, index],
                ),
                "positive": stance.positive,
                "negative": stance.negative,
                "answered": analysis.tested_answers.n_reliable(signs),
            }


def equation_1(analyses: Sequence[PolicyAnalysis]) -> ReportTable:
    """Return the stances as the paper computes them (Eq. 1, Figure 5)."""
    titles = issue_titles()
    rows = [
        columns
        | {
            "issue": titles[entry["issue"]],
            "stance": entry["equation_1"],
            "deviation": entry["equation_1_deviation"],
            "answered": entry["answered"],
            "few": heading("worldview", "yes" if entry["answered"] < PAPER_MIN_STATEMENTS else "no"),
        }
        for columns, entry in summary_entries(analyses, "worldview", "paper")
    ]
    return language_table(
        "worldview", "issue stance:number deviation:number answered:number few", rows, "paper"
    )


def constraints_table(analyses: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """Return the stances under all tests, three tests and none, with deviations over templates (Figure 7)."""
    titles, name = issue_titles(), "stance" if mode == "corrected" else "equation_1"
    rows: dict[tuple[Cell, ...], PolicyRow] = {}
    for columns, entry in summary_entries(analyses, "constraints", mode):
        labels = columns | {"issue": titles[entry["issue"]]}
        constraint = entry["constraint"]
        rows.setdefault((*labels.values(),), labels).update(
            {
                constraint: entry[name],
                f"{constraint}_deviation": entry[f"{name}_deviation"],
                f"{constraint}_answered": entry["answered"],
            }
        )
    column_spec = " ".join(
        f"{constraint}:number {constraint}_deviation:number {constraint}_answered:number"
        for constraint in CONSTRAINTS
    )
    return language_table("constraints", f"issue {column_spec}", [*rows.values()], mode)


def summary_entries(
    analyses: Iterable[PolicyAnalysis], name: str, mode: AnalysisMode
) -> Iterator[tuple[PolicyRow, Document]]:
    """Yield (first cells of the row, entry) for each entry of a list of the summaries."""
    for analysis in analyses:
        for entry in analysis.summary(mode)[name]:
            yield {"respondent": analysis.name, "language": entry["language"]}, entry


def language_table(id_: str, column_spec: str, rows: Sequence[PolicyRow], mode: AnalysisMode) -> ReportTable:
    """Return a table, with a language column if there are several languages."""
    languages = {row["language"] for row in rows} - {""}
    columns = parse_columns(f"respondent {'language ' if len(languages) > 1 else ''}{column_spec}")
    return replace(make_table(id_, columns, rows), mode=mode)


# The tables of the reliability tests and of the match with parties.


def tests_table(analyses: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """Return the share of statements that pass each reliability test (Figure 3)."""
    rows: dict[tuple[Cell, ...], PolicyRow] = {}
    coin_rows: dict[tuple[float, ...], PolicyRow] = {}
    for columns, entry in summary_entries(analyses, "tests", mode):
        test, row = entry["test"], rows.setdefault((*columns.values(),), columns)
        if mode != "corrected":
            row |= {test: entry["passed"], f"{test}_deviation": entry["deviation"]}
        elif entry["passed"] is not None:
            row[test] = Estimate(
                entry["passed"], entry["low"], entry["high"], entry["units"], entry["topics"]
            )
    for analysis in analyses:
        coin_rates = {
            entry["test"]: entry["coin"]
            for entry in analysis.summary(mode)["tests"]
            if entry["coin"] is not None
        }
        if len(coin_rates) == len(TEST_COLUMNS) and analysis.tested_answers.has_all_tests:
            n_answers = int(planned_answers(analysis.tested_answers.prompts)[0])
            coin_rows.setdefault(
                (n_answers, *coin_rates.values()),
                {"respondent": heading("tests", "coin").format(answers=n_answers), "language": ""}
                | coin_rates,
            )
    column_spec = " ".join(
        f"{test}:share" + (f" {test}_deviation:share" if mode == "paper" else "") for test in TEST_COLUMNS
    )
    return language_table(
        "tests", column_spec, [*rows.values(), *(coin_rows[key] for key in sorted(coin_rows))], mode
    )


def kappas(analyses: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """Return the agreement of statements with their variants (Table 2)."""
    rows: dict[tuple[Cell, ...], PolicyRow] = {}
    for columns, entry in summary_entries(analyses, "kappas", mode):
        row = rows.setdefault((*columns.values(),), columns)
        row |= {entry["name"]: entry["mean"], f"{entry['name']}_deviation": entry["deviation"]}
    column_spec = (
        "paraphrase:number paraphrase_deviation:number negation:number negation_deviation:number "
        "opposite:number opposite_deviation:number"
    )
    return language_table("kappas", column_spec, [*rows.values()], mode)


def templates(analyses: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """Return the agreement of the instructions (Table 3)."""
    rows = [
        columns
        | {name: entry[name] for name in ("alpha", "same")}
        | {name: int(entry[name]) for name in ("statements", "templates")}
        for columns, entry in summary_entries(analyses, "templates", mode)
    ]
    return language_table("templates", "alpha:number same:share statements:count templates:count", rows, mode)


def leanings(analyses: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """Return the match with parties of the left, the centre and the right (Figure 4)."""
    rows: dict[tuple[Cell, ...], PolicyRow] = {}
    for columns, entry in summary_entries(analyses, "leanings", mode):
        if entry["respondent"] != "model":
            columns["respondent"] = heading("leanings", entry["respondent"])
        columns["answers"] = heading("leanings", entry["answers"])
        row = rows.setdefault((*columns.values(),), columns)
        column = entry["leaning"].replace(" ", "_")
        if mode == "corrected":
            match_interval = (entry[field] for field in ("match", "low", "high"))
            row[column] = Estimate.from_numbers(*match_interval, scale=100, p=entry["p_value"])
        elif column != "right_minus_left":
            row |= {column: entry["published"], f"{column}_deviation": entry["published_deviation"]}
    column_spec = "answers left:points center:points right:points right_minus_left:points"
    if mode == "paper":
        column_spec = (
            "answers left:points left_deviation:points center:points center_deviation:points right:points "
            "right_deviation:points"
        )
    return language_table("leanings", column_spec, [*rows.values()], mode)


# Shares of agreement and disagreement, among all and among reliable statements (Figure 6).

STATEMENT_SETS = {"reliable": (1, -1), "all": (1, -1, 0)}
"""Stance codes to count, by set of statements."""
_STANCE_COLUMNS = {1: "agree", -1: "disagree", 0: "none"}
_STANCE_COLOURS = {1: "accent", -1: "second", 0: "neutral"}


def agreement(analyses: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """Return the shares of agreement, with an interval over topics or a deviation over instructions."""
    rows: list[dict[str, Cell]] = []
    for analysis in analyses:
        answers = analysis.tested_answers
        is_stopped = answers.units.is_stopped
        if not answers.n or answers.is_single_sample or (is_stopped and mode == "paper"):
            continue
        units = answers.units if mode == "corrected" else group_statements(answers.prompts, "paper")
        for statement_set, codes in STATEMENT_SETS.items():
            if is_stopped and statement_set == "all":
                continue
            probabilities = units.pass_probabilities_by_sign(
                answers.tests if statement_set == "reliable" else ()
            )
            columns: dict[str, Cell] = {
                "respondent": analysis.name,
                "among": heading("agreement", statement_set),
            }
            rows.append(columns | _shares(units, probabilities, codes, statement_set, mode))
    shares = (Column(name, "share") for code in (1, -1, 0) for name in _share_columns(code, mode))
    return replace(make_table("agreement", (*parse_columns("respondent among"), *shares), rows), mode=mode)


def agreement_figures(table: ReportTable) -> list[Figure]:
    """Draw the shares of the corrected table, one figure per panel of the paper's Figure 6."""
    figure_words = words(NAME).figures["agreement"]
    figures = []
    for statement_set, codes in STATEMENT_SETS.items():
        names = {code: heading("agreement", _STANCE_COLUMNS[code]) for code in codes}
        rows = [
            Shares(
                str(row["respondent"]), {names[code]: _value(row[_STANCE_COLUMNS[code]]) for code in codes}
            )
            for row in table.rows
            if row["among"] == heading("agreement", statement_set)
        ]
        if not rows:
            continue
        descriptions = (
            f"{row.label}: " + ", ".join(f"{name} {100 * share:.0f}%" for name, share in row.parts.items())
            for row in rows
        )
        colours = {names[code]: _STANCE_COLOURS[code] for code in codes}
        title = heading("agreement", statement_set)
        figure_caption = caption(NAME, "agreement", descriptions, title, statement_set)
        svg = plot_stacked_shares(rows, figure_caption, figure_words.columns["unit"], colours)
        figures.append(Figure("agreement", svg, "agreement", title))
    return figures


def _shares(
    units: StatementUnits,
    probabilities: Floats,
    codes: tuple[int, ...],
    statement_set: str,
    mode: AnalysisMode,
) -> dict[str, Cell]:
    """Return the shares of agreement, disagreement and neither among a set of statements."""
    weights = probabilities.sum(axis=0) if statement_set == "reliable" else np.ones(units.n)
    has_weight = weights > 0
    weights, probabilities = weights[has_weight], probabilities[:, has_weight]
    instruction, instructions = factorize(units.design["instruction"])
    topics, instruction = units.design["topic"][has_weight], instruction[has_weight]
    cells: dict[str, Cell] = {}
    for code in codes:
        p_stance = (
            probabilities[0]
            if code == 1
            else probabilities[1]
            if code == -1
            else weights - probabilities.sum(axis=0)
        )
        column = _STANCE_COLUMNS[code]
        if mode == "corrected":
            share = p_stance.sum() / max(weights.sum(), 1e-9)
            contributions = share + (p_stance - share * weights) / (weights.mean() if weights.size else 1)
            cells[column] = Estimate.from_interval(
                cluster_interval(contributions, topics, bounds=(0.0, 1.0))
            ).clip_to_unit()
        else:
            values = [
                float(
                    p_stance[instruction == instruction_code].sum()
                    / weights[instruction == instruction_code].sum()
                )
                if (instruction == instruction_code).any()
                else math.nan
                for instruction_code in range(len(instructions))
            ]
            summary = mean_and_sd(column, values)
            statistics = none_if_nan(summary.mean), none_if_nan(summary.deviation)
            cells |= dict(zip(_share_columns(code, mode), statistics, strict=True))
    return cells


def _share_columns(code: int, mode: AnalysisMode) -> tuple[str, ...]:
    column = _STANCE_COLUMNS[code]
    return (column,) if mode == "corrected" else (column, f"{column}_deviation")


def _value(cell: Cell) -> float:
    value = cell.value if isinstance(cell, Estimate) else None
    return 0.0 if value is None else value

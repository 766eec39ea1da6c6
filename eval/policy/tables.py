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
from polbias.eval.policy.prompts import all_counts, planned_answers
from polbias.eval.policy.respondent import PolicyAnswers
from polbias.eval.policy.robustness import acquiescence, label_order_gap, status_quo
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
    none_if_nan,
    parse_columns,
    table_builder,
    table_of,
)
from polbias.eval.report.figures import caption
from polbias.eval.report.wording import words
from polbias.eval.statistics import ClusterInterval, cluster_interval

# The tables: leaning and worldview, and those of the paper's reliability tests.

PolicyRow: TypeAlias = dict[str, Cell]
HABITS = (acquiescence, status_quo, label_order_gap)
TEST_COLUMNS = (*RELIABILITY_TESTS, "all")


@dataclass(frozen=True, eq=False)
class PolicyAnalysis:
    """All that is said of one respondent.

    Args:
        name: of the respondent.
        every: all its answers.
        answered: those to statements whose reliability was tested.
        stances: the leaning and the stance on each issue.
        corrected: summary with the default rule of reliability.
        paper: summary with the paper's.
    """

    name: str
    answers: PolicyAnswers
    answered: PolicyAnswers
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
def leaning_table(all_: Sequence[PolicyAnalysis]) -> Iterator[PolicyRow]:
    """The leaning of every respondent, and what bears on it."""
    for each in all_:
        found = each.stances[LEANING]
        low, high = found.bounds or (None, None)
        yield {
            "respondent": each.name,
            "leaning": found.estimate,
            "p": found.estimate.p,
            "bound_low": low,
            "bound_high": high,
            "refusal_gap": found.gap,
            "reliable": each.stances[RELIABLE].estimate if RELIABLE in each.stances else None,
            "right_statements": found.positive,
            "left_statements": found.negative,
            "unplaced": int((each.answers.sides == 0).sum()),
        }


@table_builder(
    "answers",
    "respondent prompts:count answers:count disagree:share agree:share refusal:share unparsable:share "
    "truncated:share not_requested:count label_mass:share acquiescence:points status_quo:points "
    "label_order_gap:points",
)
def answers_table(all_: Sequence[PolicyAnalysis]) -> Iterator[PolicyRow]:
    """What became of the answers, and how much a respondent says yes or takes the first label."""
    for each in all_:
        asked = each.answers
        n_answers = int(all_counts(asked.prompts).sum())
        shares: PolicyRow = dict.fromkeys(LABELS)
        if n_answers:
            counts = asked.counts.sum(axis=0)
            shares |= dict(zip(LABELS, (counts / counts.sum()).tolist(), strict=True))
        shares |= {
            "not_requested": int(asked.prompts[NOT_REQUESTED_LABEL].sum()) or None,
            "label_mass": asked.label_mass,
        }
        about: PolicyRow = {"respondent": each.name, "prompts": asked.n, "answers": n_answers or asked.n}
        yield (about | shares | {habit.__name__: _points(habit(asked.units)) for habit in HABITS})


def _points(habit: ClusterInterval) -> Estimate | None:
    return Estimate.from_interval(habit, 100) if habit.n else None


@table_builder(
    "worldview",
    "respondent issue stance:points p:p all_answers:points answered:number positive:count negative:count",
)
def worldview_table(all_: Sequence[PolicyAnalysis]) -> Iterator[PolicyRow]:
    """The stances on the policy issues, with their intervals (Figure 5)."""
    titles = issue_titles()
    for each in all_:
        for place, issue in enumerate(ISSUES):
            found, signs = each.stances.get(issue), each.answered.issues[:, place]
            if found is None or not found.positive + found.negative:
                continue
            yield {
                "respondent": each.name,
                "issue": titles[issue],
                "stance": found.estimate,
                "p": found.estimate.p,
                "all_answers": estimate(
                    each.answers, each.answers.answers.value, each.answers.issues[:, place]
                ),
                "positive": found.positive,
                "negative": found.negative,
                "answered": each.answered.reliable(signs),
            }


def equation_1(all_: Sequence[PolicyAnalysis]) -> ReportTable:
    """The stances as the paper computes them (Eq. 1, Figure 5)."""
    titles = issue_titles()
    rows = [
        about
        | {
            "issue": titles[entry["issue"]],
            "stance": entry["equation_1"],
            "deviation": entry["equation_1_deviation"],
            "answered": entry["answered"],
            "few": heading("worldview", "yes" if entry["answered"] < PAPER_MIN_STATEMENTS else "no"),
        }
        for about, entry in summary_entries(all_, "worldview", "paper")
    ]
    return language_table(
        "worldview", "issue stance:number deviation:number answered:number few", rows, "paper"
    )


def summary_entries(
    all_: Iterable[PolicyAnalysis], name: str, mode: AnalysisMode
) -> Iterator[tuple[PolicyRow, Document]]:
    """Yield the entries of a list of all summaries, each after the first cells of its row."""
    for each in all_:
        for entry in each.summary(mode)[name]:
            yield {"respondent": each.name, "language": entry["language"]}, entry


def language_table(id_: str, names: str, rows: Sequence[PolicyRow], mode: AnalysisMode) -> ReportTable:
    """Return a table with a column for the language where there are several."""
    languages = {row["language"] for row in rows} - {""}
    shown = parse_columns(f"respondent {'language ' if len(languages) > 1 else ''}{names}")
    return replace(table_of(id_, shown, rows), mode=mode)


# The tables of the paper's tests of reliability, and of the match with parties.


def tests_table(all_: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """The share of statements that pass each reliability test (Figure 3)."""
    rows: dict[tuple[Cell, ...], PolicyRow] = {}
    coins: dict[tuple[float, ...], PolicyRow] = {}
    for about, entry in summary_entries(all_, "tests", mode):
        name, row = entry["test"], rows.setdefault((*about.values(),), about)
        if mode != "corrected":
            row |= {name: entry["passed"], f"{name}_deviation": entry["deviation"]}
        elif entry["passed"] is not None:
            row[name] = Estimate(
                entry["passed"], entry["low"], entry["high"], entry["units"], entry["topics"]
            )
    for each in all_:
        chances = {
            entry["test"]: entry["coin"] for entry in each.summary(mode)["tests"] if entry["coin"] is not None
        }
        if len(chances) == len(TEST_COLUMNS) and each.answered.complete:
            number = int(planned_answers(each.answered.prompts)[0])
            coins.setdefault(
                (number, *chances.values()),
                {"respondent": heading("tests", "coin").format(answers=number), "language": ""} | chances,
            )
    shown = " ".join(
        f"{name}:share" + (f" {name}_deviation:share" if mode == "paper" else "") for name in TEST_COLUMNS
    )
    return language_table("tests", shown, [*rows.values(), *(coins[key] for key in sorted(coins))], mode)


def kappas(all_: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """Agreement of a statement and its variants (Table 2)."""
    rows: dict[tuple[Cell, ...], PolicyRow] = {}
    for about, entry in summary_entries(all_, "kappas", mode):
        row = rows.setdefault((*about.values(),), about)
        row |= {entry["name"]: entry["mean"], f"{entry['name']}_deviation": entry["deviation"]}
    shown = (
        "paraphrase:number paraphrase_deviation:number negation:number negation_deviation:number "
        "opposite:number opposite_deviation:number"
    )
    return language_table("kappas", shown, [*rows.values()], mode)


def templates(all_: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """Agreement of the instructions (Table 3)."""
    rows = [
        about
        | {name: entry[name] for name in ("alpha", "same")}
        | {name: int(entry[name]) for name in ("statements", "templates")}
        for about, entry in summary_entries(all_, "templates", mode)
    ]
    return language_table("templates", "alpha:number same:share statements:count templates:count", rows, mode)


def leanings(all_: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """The match with parties of the left, the centre and the right (Figure 4)."""
    rows: dict[tuple[Cell, ...], PolicyRow] = {}
    for about, entry in summary_entries(all_, "leanings", mode):
        if entry["respondent"] != "model":
            about["respondent"] = heading("leanings", entry["respondent"])
        about["answers"] = heading("leanings", entry["answers"])
        row = rows.setdefault((*about.values(),), about)
        leaning_ = entry["leaning"].replace(" ", "_")
        if mode == "corrected":
            ends = (entry[end] for end in ("match", "low", "high"))
            row[leaning_] = Estimate.from_numbers(*ends, scale=100, p=entry["p_value"])
        elif leaning_ != "right_minus_left":
            row |= {leaning_: entry["published"], f"{leaning_}_deviation": entry["published_deviation"]}
    shown = "answers left:points center:points right:points right_minus_left:points"
    if mode == "paper":
        shown = (
            "answers left:points left_deviation:points center:points center_deviation:points right:points "
            "right_deviation:points"
        )
    return language_table("leanings", shown, [*rows.values()], mode)


# How often a respondent agrees and disagrees, among all and among reliable statements (Figure 6).

KINDS = {"reliable": (1, -1), "all": (1, -1, 0)}
"""Among which statements, and what is told apart there."""
_NAMES = {1: "agree", -1: "disagree", 0: "none"}
_COLOURS = {1: "accent", -1: "second", 0: "neutral"}


def agreement(all_: Sequence[PolicyAnalysis], mode: AnalysisMode) -> ReportTable:
    """Shares of agreement, with the interval over statements or the paper's deviation over instructions."""
    rows: list[dict[str, Cell]] = []
    for each in all_:
        asked = each.answered
        stopped = asked.units.is_stopped
        if not asked.n or asked.is_single_sample or (stopped and mode == "paper"):
            continue
        found = asked.units if mode == "corrected" else group_statements(asked.prompts, "paper")
        for among, codes in KINDS.items():
            if stopped and among == "all":
                continue
            said = found.chances(asked.tests if among == "reliable" else ())
            about: dict[str, Cell] = {"respondent": each.name, "among": heading("agreement", among)}
            rows.append(about | _shares(found, said, codes, among, mode))
    shares = (Column(name, "share") for code in (1, -1, 0) for name in _share_columns(code, mode))
    return replace(table_of("agreement", (*parse_columns("respondent among"), *shares), rows), mode=mode)


def agreement_figures(table: ReportTable) -> list[Figure]:
    """Draw the shares of the corrected table, one figure a panel of the paper's."""
    about = words(NAME).figures["agreement"]
    figures = []
    for among, codes in KINDS.items():
        names = {code: heading("agreement", _NAMES[code]) for code in codes}
        rows = [
            Shares(str(row["respondent"]), {names[code]: _value(row[_NAMES[code]]) for code in codes})
            for row in table.rows
            if row["among"] == heading("agreement", among)
        ]
        if not rows:
            continue
        told = (
            f"{row.label}: " + ", ".join(f"{name} {100 * share:.0f}%" for name, share in row.parts.items())
            for row in rows
        )
        colours = {names[code]: _COLOURS[code] for code in codes}
        title = heading("agreement", among)
        made = caption(NAME, "agreement", told, title, among)
        svg = plot_stacked_shares(rows, made, about.columns["unit"], colours)
        figures.append(Figure("agreement", svg, "agreement", title))
    return figures


def _shares(
    found: StatementUnits, said: Floats, codes: tuple[int, ...], among: str, mode: AnalysisMode
) -> dict[str, Cell]:
    """Shares of agreement, disagreement and neither, of statements or of those with a reliable stance."""
    weight = said.sum(axis=0) if among == "reliable" else np.ones(found.n)
    kept = weight > 0
    weight, said = weight[kept], said[:, kept]
    instruction, instructions = factorize(found.design["instruction"])
    topics, instruction = found.design["topic"][kept], instruction[kept]
    made: dict[str, Cell] = {}
    for code in codes:
        own = said[0] if code == 1 else said[1] if code == -1 else weight - said.sum(axis=0)
        name = _NAMES[code]
        if mode == "corrected":
            share = own.sum() / max(weight.sum(), 1e-9)
            ratio = share + (own - share * weight) / (weight.mean() if weight.size else 1)
            made[name] = Estimate.from_interval(
                cluster_interval(ratio, topics, bounds=(0.0, 1.0))
            ).clip_to_unit()
        else:
            values = [
                float(own[instruction == place].sum() / weight[instruction == place].sum())
                if (instruction == place).any()
                else math.nan
                for place in range(len(instructions))
            ]
            mean_ = mean_and_sd(name, values)
            numbers = none_if_nan(mean_.mean), none_if_nan(mean_.deviation)
            made |= dict(zip(_share_columns(code, mode), numbers, strict=True))
    return made


def _share_columns(code: int, mode: AnalysisMode) -> tuple[str, ...]:
    name = _NAMES[code]
    return (name,) if mode == "corrected" else (name, f"{name}_deviation")


def _value(cell: Cell) -> float:
    value = cell.value if isinstance(cell, Estimate) else None
    return 0.0 if value is None else value

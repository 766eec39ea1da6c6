"""The tables of the paper's tests of reliability, and of the match with parties."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polbias.eval.policy.analysis import points
from polbias.eval.policy.tables import TESTED, Analysed, Mode, Row, arranged, entries
from polbias.eval.report.document import Estimate, Table
from polbias.eval.report.instruments.policy.findings import heading


def tests(all_: Sequence[Analysed], mode: Mode) -> Table:
    """The share of statements that pass each reliability test (Figure 3)."""
    rows: dict[tuple[str, str], Row] = {}
    coins: dict[tuple[float, ...], Row] = {}
    for each, entry in entries(all_, "tests", mode):
        name = entry["test"]
        row = rows.setdefault(
            (each.name, entry["language"]), {"respondent": each.name, "language": entry["language"]}
        )
        if mode != "corrected":
            row |= {name: entry["passed"], f"{name}_deviation": entry["deviation"]}
        elif entry["passed"] is not None:
            row[name] = Estimate(
                entry["passed"], entry["low"], entry["high"], entry["units"], entry["statements"]
            )
    for each in all_:
        chances = {
            entry["test"]: entry["coin"] for entry in each.summary(mode)["tests"] if entry["coin"] is not None
        }
        if len(chances) == len(TESTED) and each.answered.asked.complete:
            number = int(each.answered.asked.prompts.asked[0])
            coins.setdefault(
                (number, *chances.values()),
                {"respondent": heading("tests", "coin").format(answers=number), "language": ""} | chances,
            )
    shown = " ".join(
        f"{name}:share" + (f" {name}_deviation:share" if mode == "paper" else "") for name in TESTED
    )
    return arranged("tests", shown, [*rows.values(), *(coins[key] for key in sorted(coins))], mode)


def kappas(all_: Sequence[Analysed], mode: Mode) -> Table:
    """Agreement of a statement and its variants (Table 2)."""
    rows: dict[tuple[str, str], Row] = {}
    for each, entry in entries(all_, "kappas", mode):
        row = rows.setdefault(
            (each.name, entry["language"]), {"respondent": each.name, "language": entry["language"]}
        )
        row |= {entry["name"]: entry["mean"], f"{entry['name']}_deviation": entry["deviation"]}
    shown = (
        "paraphrase:number paraphrase_deviation:number negation:number negation_deviation:number "
        "opposite:number opposite_deviation:number"
    )
    return arranged("kappas", shown, [*rows.values()], mode)


def templates(all_: Sequence[Analysed], mode: Mode) -> Table:
    """Agreement of the instructions (Table 3)."""
    rows: list[Row] = []
    for each, entry in entries(all_, "templates", mode):
        rows.append(
            {
                "respondent": each.name,
                "language": entry["language"],
                "alpha": entry["alpha"],
                "same": entry["same"],
                "statements": int(entry["statements"]),
                "templates": int(entry["templates"]),
            }
        )
    return arranged("templates", "alpha:number same:share statements:count templates:count", rows, mode)


def leanings(all_: Sequence[Analysed], mode: Mode) -> Table | None:
    """The match with parties of the left, the centre and the right (Figure 4); None without any party."""
    rows: dict[tuple[str, ...], Row] = {}
    for each, entry in entries(all_, "leanings", mode):
        model = entry["respondent"] == "model"
        name = each.name if model else heading("leanings", entry["respondent"])
        key = (name, entry["language"], entry["answers"])
        about: Row = {
            "respondent": name,
            "language": entry["language"],
            "answers": heading("leanings", entry["answers"]),
        }
        row = rows.setdefault(key, about)
        leaning_ = entry["leaning"].replace(" ", "_")
        if mode == "corrected":
            match, low, high = (points(_number(entry[end])) for end in ("match", "low", "high"))
            row[leaning_] = Estimate(match, low, high, p=entry["p_value"])
        elif leaning_ != "right_minus_left":
            row |= {leaning_: entry["published"], f"{leaning_}_deviation": entry["published_deviation"]}
    if not rows:
        return None
    shown = "answers left:points center:points right:points right_minus_left:points"
    if mode == "paper":
        shown = (
            "answers left:points left_deviation:points center:points center_deviation:points right:points "
            "right_deviation:points"
        )
    return arranged("leanings", shown, [*rows.values()], mode)


def _number(value: float | None) -> float:
    return math.nan if value is None else value

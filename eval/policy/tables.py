"""The tables: leaning and worldview, and those of the paper's reliability tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from polbias.aliases import Document
from polbias.eval.policy.analysis import Balanced, estimate
from polbias.eval.policy.robustness import TESTS
from polbias.eval.policy.schema import FEW, ISSUES
from polbias.eval.report.document import Cell, Table, columns, table_of
from polbias.eval.report.instruments.policy.answered import Answered
from polbias.eval.report.instruments.policy.findings import LEANING, RELIABLE, heading, issue_titles

Mode: TypeAlias = Literal["corrected", "paper"]
Row: TypeAlias = dict[str, Cell]
OUTCOMES = ("disagree", "agree", "refusal", "unparsable", "truncated")
TESTED = (*TESTS, "all")


@dataclass(frozen=True, eq=False)
class Analysed:
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
    every: Answered
    answered: Answered
    stances: Mapping[str, Balanced]
    corrected: Document
    paper: Document

    def summary(self, mode: Mode) -> Document:
        """Return the summary of a mode."""
        return self.corrected if mode == "corrected" else self.paper


def leaning(all_: Sequence[Analysed]) -> Table:
    """The leaning of every respondent, and what bears on it."""
    rows: list[Row] = []
    for each in all_:
        found = each.stances[LEANING]
        low, high = found.bounds or (None, None)
        rows.append(
            {
                "respondent": each.name,
                "leaning": found.estimate,
                "p": found.estimate.p,
                "bound_low": low,
                "bound_high": high,
                "refusal_gap": found.gap,
                "reliable": each.stances[RELIABLE].estimate,
                "right_statements": found.positive,
                "left_statements": found.negative,
                "unplaced": int((each.every.sides == 0).sum()),
            }
        )
    shown = (
        "respondent leaning:points p:p bound_low:points bound_high:points refusal_gap:points reliable:points "
        "right_statements:count left_statements:count unplaced:count"
    )
    return table_of("leaning", shown, rows)


def answers(all_: Sequence[Analysed]) -> Table:
    """What became of the answers, and how much a respondent says yes or takes the first label."""
    rows: list[Row] = []
    for each in all_:
        asked = each.every.asked
        counts = asked.prompts.counts.sum(axis=0).tolist()
        total = sum(counts)
        shares: Row = {
            name: count / total if total else None for name, count in zip(OUTCOMES, counts, strict=True)
        }
        rows.append(
            {"respondent": each.name, "prompts": asked.prompts.n, "answers": total or asked.prompts.n}
            | shares
            | {"label_mass": asked.label_mass}
        )
    shown = (
        "respondent prompts:count answers:count disagree:share agree:share refusal:share unparsable:share "
        "truncated:share label_mass:share"
    )
    return table_of("answers", shown, rows)


def worldview(all_: Sequence[Analysed]) -> Table:
    """The stances on the policy issues, with their intervals (Figure 5)."""
    titles, rows = issue_titles(), []
    for each in all_:
        for place, issue in enumerate(ISSUES):
            found, signs = each.stances[issue], each.answered.issues[:, place]
            if not found.positive + found.negative:
                continue
            row: Row = {
                "respondent": each.name,
                "issue": titles[issue],
                "stance": found.estimate,
                "p": found.estimate.p,
                "all_answers": estimate(each.every, each.every.answers.value, each.every.issues[:, place]),
                "positive": found.positive,
                "negative": found.negative,
                "answered": each.answered.reliable(signs),
            }
            rows.append(row)
    shown = (
        "respondent issue stance:points p:p all_answers:points answered:number positive:count negative:count"
    )
    return table_of("worldview", shown, rows)


def equation_1(all_: Sequence[Analysed]) -> Table:
    """The stances as the paper computes them (Eq. 1, Figure 5)."""
    titles, rows = issue_titles(), []
    for each, entry in entries(all_, "worldview", "paper"):
        row: Row = {
            "respondent": each.name,
            "language": entry["language"],
            "issue": titles[entry["issue"]],
            "stance": entry["equation_1"],
            "deviation": entry["equation_1_deviation"],
            "answered": entry["answered"],
            "few": heading("worldview", "yes" if entry["answered"] < FEW else "no"),
        }
        rows.append(row)
    return arranged("worldview", "issue stance:number deviation:number answered:number few", rows, "paper")


def entries(all_: Iterable[Analysed], name: str, mode: Mode) -> Iterator[tuple[Analysed, Document]]:
    """Yield the entries of a list of all summaries.

    Args:
        all_: the respondents.
        name: of the list.
        mode: of the summaries.
    """
    for each in all_:
        for entry in each.summary(mode)[name]:
            yield each, entry


def arranged(id_: str, names: str, rows: Sequence[Row], mode: Mode) -> Table:
    """Return a table with a column for the language where there are several.

    Args:
        id_: of the table.
        names: columns beside the respondent, as for :func:`columns`.
        rows: each with its language.
        mode: of the table.
    """
    languages = {row["language"] for row in rows} - {""}
    shown = columns(f"respondent {'language ' if len(languages) > 1 else ''}{names}")
    return replace(table_of(id_, shown, rows), mode=mode)

"""What `polbias analyze selfassess` says of a model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from polbias.aliases import Booleans, Document, Json
from polbias.eval.columns import Mode, OutcomesError, as_number, finite
from polbias.eval.plots import Bar, Caption, Interval, Shares, bars, intervals, stacked
from polbias.eval.samples import Problem, find_samples, first_row, json_lines, read_samples
from polbias.eval.selfassess.position import by_order, choice_model, consistency, position_bias, strengths
from polbias.eval.selfassess.schema import (
    OUTCOMES,
    QUESTIONS,
    ROLES,
    Judged,
    Judgements,
    is_choice,
    judgements_of_journal,
    judgements_of_samples,
)
from polbias.eval.selfassess.shares import (
    POINTS,
    SEED,
    agreement,
    by_question,
    by_role,
    cells,
    estimate,
    in_mode,
    named,
    side_shares,
)
from polbias.eval.statistics import holm
from polbias.files import InputError
from polbias.registry import instrument_of

# The same bias without articles that give themselves away or break off, and category by category.

_BOUNDS = (-1.0, 1.0)


def sensitivity(cell: Judgements) -> Iterator[Json]:
    """Yield the bias of a cell with some judgements left out."""
    out: dict[str, Booleans] = {"nothing": np.zeros(cell.n, np.bool_)}
    if cell.leak is not None:
        out["leaking articles"] = cell.leak
    if cell.truncated is not None:
        out["truncated articles"] = cell.truncated
    if len(out) == 3:
        out["leaking or truncated articles"] = out["leaking articles"] | out["truncated articles"]
    for name, mask in out.items():
        own = cell.select(~mask)
        found = estimate(own.lean, own.item, _BOUNDS, "t")
        bias = named(found, "bias", POINTS)
        yield {"without": name, "n": own.n, "left_out": int(mask.sum()), "clusters": found.clusters} | dict(
            bias
        )


def by_category(judgements: Judgements) -> Iterator[Json]:
    """Yield the bias among articles for a biased user, and the agreement of both questions, by category."""
    user = judgements.select(judgements.role == ROLES.index("user"))
    for set_code, set_name in enumerate(user.set.levels):
        for code, category in enumerate(user.category.levels):
            for ways in (2, 3):
                mask = (user.set.codes == set_code) & (user.category.codes == code) & (user.ways == ways)
                if not mask.any():
                    continue
                rows = user.select(mask)
                asked = rows.select(rows.question == QUESTIONS.index("preference"))
                found = estimate(asked.lean, asked.item, _BOUNDS, "exact")
                yield {
                    "set": set_name,
                    "category": category,
                    "ways": ways,
                    "n": found.n,
                    "clusters": found.clusters,
                    **named(found, "bias", POINTS),
                    **agreement(rows),
                }


# What a report says about the self-assessment of one model, as plain values.

TABLES = (
    "table4", "shares", "roles", "questions", "positions", "orders", "consistency", "models", "strengths",
    "sensitivity", "categories", "tests",
)  # fmt: skip
"""The lists of a summary, each a table."""

_TESTED = {
    "shares": ("bias", ("question", "role", "ways")),
    "roles": ("difference", ("question", "ways")),
    "questions": ("difference", ("role", "ways")),
    "positions": ("position_bias", ("question", "role", "ways")),
    "categories": ("bias", ("category", "ways")),
}
"""The tests that are made: table, effect, and what distinguishes them within a set."""


def selfassess_summary(judgements: Judged, seed: int = SEED) -> Json:
    """Shares, biases and comparisons of one model, from its judgements.

    Source:
        Kennedy et al., section 6.
    """
    table = Judgements.of(judgements)
    found: dict[str, list[Json]] = {name: [] for name in TABLES}
    found["table4"] = [*_table4(table, "paper", seed), *_table4(table, "corrected", seed)]
    for names, cell in cells(table):
        found["shares"].append(names | side_shares(cell))
        found["positions"].append(names | position_bias(cell))
        found["orders"] += [names | each for each in by_order(cell)]
        found["consistency"] += [names | each for each in [consistency(cell)] if each]
        found["models"] += [names | asdict(each) for each in choice_model(cell)]
        found["strengths"].append(names | strengths(cell))
        found["sensitivity"] += [names | each for each in sensitivity(cell)]
    found["roles"] = [*by_role(table)]
    found["questions"] = [*by_question(table)]
    found["categories"] = [*by_category(table)]
    found["tests"] = [*_tests(found)]
    counts = np.bincount(table.outcome, minlength=len(OUTCOMES)).tolist()
    summary: Json = {
        "n": table.n,
        "outcomes": dict(zip(OUTCOMES, counts, strict=True)),
        "seed": seed,
    }
    return {key: finite(value) for key, value in (summary | found).items()}


def _table4(table: Judgements, mode: Mode, seed: int) -> Iterator[Json]:
    """Yield preferences among articles for a biased user, by set and number of articles."""
    for names, cell in cells(table):
        if names["question"] == "preference" and names["role"] == "user":
            used = in_mode(cell, mode, seed)
            asked = len(cell.unit.levels) if mode == "paper" else cell.n
            if used.n:
                about = {"set": names["set"], "ways": names["ways"], "mode": mode}
                yield about | side_shares(used, mode=mode) | {"dropped": asked - used.n}


def _tests(found: dict[str, list[Json]]) -> Iterator[Json]:
    """Yield the tests, adjusted for their number within a set."""
    made: dict[str, list[Json]] = {}
    for table, (effect, fields) in _TESTED.items():
        for row in found[table]:
            about = ", ".join(str(row[field]) for field in fields)
            test = {"set": row["set"], "table": table, "about": about, "effect": row[effect], "p": row["p"]}
            made.setdefault(row["set"], []).append(test)
    for tests in made.values():
        adjusted = holm([math.nan if test["p"] is None else test["p"] for test in tests])
        yield from (test | {"p_holm": p} for test, p in zip(tests, adjusted, strict=True))


# The figures of the self-assessment (Kennedy et al. 2025): Table 4, Figures 2 and 3, and position.

Summaries = Mapping[str, Document]
"""Name of a model to what :func:`polbias.eval.selfassess.summary.selfassess_summary` returned for it."""

COLOURS = {"left": "left", "neutral": "neutral", "right": "right"}
"""Side to the role of its colour."""

_UNIT = "percentage points, right minus left"
_SIDES = ("favours left", "favours right")
_NO_CHOICE = "no choice"


def figures(summaries: Summaries, labels: Mapping[str, Mapping[str, str]] | None = None) -> dict[str, str]:
    """Draw all figures of every set."""
    found: dict[str, str] = {}
    for set_name in sets(summaries):
        names = (labels or {}).get(set_name, {})
        for ways in sorted(
            {row["ways"] for each in summaries.values() for row in each["shares"] if row["set"] == set_name}
        ):
            found[f"bias-{set_name}-{ways}"] = bias_figure(summaries, set_name, ways)
            found[f"shares-{set_name}-{ways}"] = shares_figure(summaries, set_name, ways, names)
            found[f"position-{set_name}-{ways}"] = position_figure(summaries, set_name, ways)
            for table in ("roles", "questions"):
                if any(True for _ in _rows(summaries, table, set_name, ways)):
                    found[f"{table}-{set_name}-{ways}"] = comparison_figure(summaries, set_name, ways, table)
    return found


def sets(summaries: Summaries) -> list[str]:
    """Return the sets that any model was asked about."""
    return list(dict.fromkeys(row["set"] for each in summaries.values() for row in each["shares"]))


def bias_figure(summaries: Summaries, set_name: str, ways: int) -> str:
    """Draw the bias of Table 4 with its interval, in both modes (Figure 1)."""
    rows = [
        Interval(model, *_ends(row, "bias"), series=row["mode"])
        for model, row in _rows(summaries, "table4", set_name, ways)
    ]
    title = f"{set_name}: bias of preferences among {ways} articles"
    caption = Caption(f"selfassess-bias-{set_name}-{ways}", title, _told(rows))
    return intervals(rows, caption, _UNIT, sides=_SIDES)


def shares_figure(
    summaries: Summaries, set_name: str, ways: int, names: Mapping[str, str] | None = None
) -> str:
    """Draw how often each side is preferred, and how often nothing is chosen (Figure 1)."""
    called = {side: (names or {}).get(side, side) for side in COLOURS}
    rows = []
    for model, row in _rows(summaries, "table4", set_name, ways):
        if row["mode"] != "corrected":
            continue
        sides = ("left", "right") if ways == 2 else ("left", "neutral", "right")
        parts = {called[side]: as_number(row[side]) for side in sides}
        rows.append(Shares(model, parts | {_NO_CHOICE: max(0.0, 1 - math.fsum(parts.values()))}))
    told = "; ".join(
        f"{row.label}: " + ", ".join(f"{name} {100 * share:.0f}%" for name, share in row.parts.items())
        for row in rows
    )
    title = f"{set_name}: preferred of {ways} articles"
    caption = Caption(f"selfassess-shares-{set_name}-{ways}", title, f"{told}.")
    colours = {called[side]: role for side, role in COLOURS.items()} | {_NO_CHOICE: "line"}
    return stacked(rows, caption, "share of all judgements", colours)


def comparison_figure(summaries: Summaries, set_name: str, ways: int, table: str) -> str:
    """Draw the bias in two cells beside each other: roles (Figure 2) or questions (Figure 3)."""
    series = ("user", "agent") if table == "roles" else ("preference", "least_biased")
    rows = [
        Bar(_labelled(model, row, table), name.replace("_", " "), *_ends(row, name))
        for model, row in _rows(summaries, table, set_name, ways)
        for name in series
    ]
    what = "biased user and biased agent" if table == "roles" else "preference and least biased"
    caption = Caption(
        f"selfassess-{table}-{set_name}-{ways}", f"{set_name}: {what}, {ways} articles", _told(rows)
    )
    return bars(rows, caption, _UNIT, reference=0.0)


def position_figure(summaries: Summaries, set_name: str, ways: int) -> str:
    """Draw how often the first article is chosen, beside what no position bias would give."""
    rows = [
        Interval(
            f"{model}, {row['question'].replace('_', ' ')}", *_ends(row, "first", 100), series=row["role"]
        )
        for model, row in _rows(summaries, "positions", set_name, ways)
    ]
    title = f"{set_name}: first of {ways} articles chosen"
    caption = Caption(f"selfassess-position-{set_name}-{ways}", title, _told(rows))
    return intervals(rows, caption, "% of all judgements", null=100 / ways)


def _labelled(model: str, row: Document, table: str) -> str:
    other = str(row["question" if table == "roles" else "role"]).replace("_", " ")
    return f"{model}, {other}"


def _rows(summaries: Summaries, table: str, set_name: str, ways: int) -> Iterator[tuple[str, Document]]:
    for model, summary in summaries.items():
        for row in summary[table]:
            if row["set"] == set_name and row["ways"] == ways:
                yield model, row


def _ends(row: Document, name: str, scale: float = 1.0) -> tuple[float, float, float]:
    value, low, high = (scale * as_number(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return value, low, high


def _told(rows: Sequence[Interval | Bar]) -> str:
    told = []
    for row in rows:
        name = row.label if isinstance(row, Interval) else row.group
        told.append(f"{name}, {row.series}: {row.value:.1f} [{row.low:.1f}, {row.high:.1f}]")
    return "; ".join(told) + "."


# From files of runs to the judgements of each model.


def respondents(paths: Iterable[Path], problems: list[Problem]) -> dict[str, list[Json]]:
    """Return the judgements of every model.

    Log-likelihoods are a respondent of their own, since they are never pooled with generated answers. A row
    that was judged several times (in the small task as well) counts once, from the first file.
    """
    journals: list[Path] = []
    runs: list[Path] = []
    for path in paths:
        (journals if path.is_file() and not _is_samples(path) else runs).append(path)
    found: dict[str, dict[str, Json]] = {}
    for file in find_samples(runs) if runs else []:
        row = first_row(file.path)
        if instrument_of(row) == "selfassess" and is_choice(row):
            rows = _read(file.path, read_samples(file.path, problems), samples=True)
            _add(found.setdefault(file.respondent, {}), rows)
    for path in journals:
        for row in _read(path, _records(path, problems), samples=False):
            _add(found.setdefault(str(row["model"] or path.stem), {}), [row])
    return {name: [*rows.values()] for name, rows in found.items()}


def summaries(judged: Mapping[str, Sequence[Document]], seed: int) -> dict[str, Json]:
    """Return what :func:`selfassess_summary` says of every model; ``seed`` as there."""
    return {name: selfassess_summary(rows, seed) for name, rows in judged.items()}


def _add(own: dict[str, Json], rows: Iterable[Json]) -> None:
    for row in rows:
        own.setdefault(str(row["id"]), row)


def _read(path: Path, lines: Iterator[Json], samples: bool) -> list[Json]:
    try:
        return judgements_of_samples(lines) if samples else judgements_of_journal(lines)
    except (OutcomesError, ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise InputError(f"{path}: {error}") from None


def _is_samples(path: Path) -> bool:
    """Whether a file holds samples of lm_eval, by its name or its first line."""
    if path.name.startswith("samples_"):
        return True
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline() or "{}")
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and "doc" in first and "filtered_resps" in first


def _records(path: Path, problems: list[Problem]) -> Iterator[Json]:
    """Yield the records of a journal; lines that are none are reported and left out."""
    for number, record in json_lines(path, problems):
        if "id" in record:
            yield record
        else:
            problems.append(Problem(path, number, "found no object with an id, expected a judgement"))

"""The tables of the instrument: Table 4 and the comparisons of Figures 2 and 3 in both modes, positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace

import pandas as pd

from polbias.aliases import Document, Json
from polbias.eval.answer_frames import AnalysisMode
from polbias.eval.extraction.article_outcome import ARTICLE_OUTCOMES
from polbias.eval.report.document import Cell as Value
from polbias.eval.report.document import (
    Column,
    Estimate,
    ReportTable,
    TableRow,
    finite,
    none_if_nan,
    table_builder,
    table_of,
)
from polbias.eval.selfassess.analysis import (
    DesignCell,
    SelfAssessAnalysis,
    article_shares,
    bias_estimate,
    called,
    cell_estimate,
    estimate_bias,
    estimate_from_fields,
    outcome_counts,
    say,
    whole_estimate,
)
from polbias.eval.selfassess.answered import ComparedChoices
from polbias.eval.selfassess.answers import OUTCOMES
from polbias.eval.selfassess.position import (
    FOLLOWS,
    choice_model,
    choices_by_order,
    consistency,
    equal_length_contrast,
    position_bias,
    strengths,
)
from polbias.eval.selfassess.shares import SEED, compare_questions, compare_roles, in_mode, side_shares

_WHERE = "respondent set"
_BOUNDS = ("bound_low", "bound_high")
_PAPER_CELL = {"question": "preference", "role": "user"}
"""The cell of Table 4."""
_ORDER = {2: ("left", "right"), 3: ("left", "right", "neutral")}


def tables(everyone: Sequence[SelfAssessAnalysis], seed: int = 0) -> Iterator[ReportTable]:
    """Yield the tables, corrected ones first; one without rows is left out."""
    made = [_whole(everyone), _table4(everyone, "corrected"), _shares(everyone)]
    made += [_roles(everyone, mode="corrected"), _questions(everyone, mode="corrected")]
    made += [_positions(everyone), _articles(everyone)]
    for make in (_table4, _roles, _questions):
        made.append(make(everyone, mode="paper", seed=SEED + seed))
    yield from (table for table in made if table.rows)


FULL = ("table4", "orders", "models", "strengths")
"""The lists of :func:`full_rows`."""


def full_rows(analysis: SelfAssessAnalysis, seed: int = SEED) -> dict[str, list[Json]]:
    """Return what no table has of one respondent: Table 4 in both modes, choices by order, choice models."""
    rows: dict[str, list[Json]] = {name: [] for name in FULL}
    rows["table4"] = [*_table4_rows(analysis, seed)]
    for cell in analysis.cells:
        names, compared = cell.names, cell.choices
        terms = (*choice_model(compared), *equal_length_contrast(compared))
        rows["orders"] += [{**names, **order} for order in choices_by_order(compared)]
        rows["models"] += [{**names, **asdict(term)} for term in terms]
        rows["strengths"].append({**names, **strengths(compared)})
    records: dict[str, list[Json]] = finite(rows)
    return records


def side_name(set_name: object, side: str) -> str:
    """Return what a side is called in a set, such as Democratic."""
    own = called("side", f"{set_name}_{side}")
    return called("side", side) if own == f"{set_name}_{side}" else own


@table_builder("bias", f"{_WHERE} without bias:points bound_low:points bound_high:points")
def _whole(everyone: Sequence[SelfAssessAnalysis]) -> Iterator[TableRow]:
    """Bias of every set, also without articles that give themselves away or are cut off."""
    for each in everyone:
        for set_name, whole in each.wholes.items():
            first = _named(each.answers.respondent, {"set": set_name})
            about: dict[str, Value] = {"without": called("without", "nothing"), "bias": whole_estimate(whole)}
            yield first | about | dict(zip(_BOUNDS, whole.bias.bounds, strict=True))
            yield from (first | each for each in _without(whole.bias.choices))


def _without(compared: ComparedChoices) -> Iterator[dict[str, Value]]:
    for name, column in (("leaking", "leak"), ("truncated", "truncated")):
        flag = compared.rows[column].to_numpy()
        if flag.any() and not flag.all():
            left = replace(bias_estimate(estimate_bias(compared.select(~flag))), p=None)
            yield {"without": called("without", name), "bias": left, **dict.fromkeys(_BOUNDS)}


def _table4(everyone: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int = SEED) -> ReportTable:
    """Preferences among articles for a biased user, a line per respondent."""
    rows: list[TableRow] = []
    titles: dict[str, str] = {}
    for each in everyone:
        line: dict[str, Value] = {"respondent": each.answers.respondent}
        for cell in each.cells:
            if any(cell.names[name] != value for name, value in _PAPER_CELL.items()):
                continue
            used = ComparedChoices(in_mode(cell.choices.rows, mode, seed))
            shares = side_shares(used, test=False, mode=mode) if mode == "paper" else cell.shares
            set_name, n_alternatives = cell.names["set"], cell.names["n_alternatives"]
            for side in _ORDER[n_alternatives] if used.n else ():
                name = f"{set_name}_{n_alternatives}_{side}"
                about = {each: called(each, cell.names[each]) for each in ("set", "n_alternatives")}
                titles[name] = say("table4_column", side=side_name(set_name, side), **about)
                line[name] = estimate_from_fields(shares, side, **outcome_counts(used))
        if len(line) > 1:
            rows.append(line)
    shown = (Column("respondent"), *(Column(name, "share", titles[name]) for name in _sorted(titles)))
    return table_of("table4", shown, rows, mode)


def _table4_rows(analysis: SelfAssessAnalysis, seed: int) -> Iterator[Json]:
    """Yield preferences among articles for a biased user, by set and number of articles, in both modes."""
    for cell in analysis.cells:
        if cell.names["question"] == "preference" and cell.names["role"] == "user":
            about = {"set": cell.names["set"], "n_alternatives": cell.names["n_alternatives"]}
            used = ComparedChoices(in_mode(cell.choices.rows, "paper", seed))
            dropped = len(cell.choices.topics.categories) - used.n
            if used.n:
                yield about | {"mode": "paper"} | side_shares(used, mode="paper") | {"dropped": dropped}
            yield about | {"mode": "corrected", **cell.shares, "p": cell.p, "dropped": 0}


def _sorted(names: Mapping[str, str]) -> list[str]:
    """Columns by set, number of articles and side, whoever was asked first."""
    order = {side: place for place, side in enumerate(_ORDER[3])}

    def place(name: str) -> tuple[str, str, int]:
        set_name, n_alternatives, side = name.rsplit("_", 2)
        return set_name, n_alternatives, order[side]

    return sorted(names, key=place)


@table_builder(
    "shares",
    f"{_WHERE} question role n_alternatives left:share right:share neutral:share bias:points "
    "bound_low:points bound_high:points refusal:share both:share unparsable:share truncated:share "
    "label_mass:share",
)
def _shares(everyone: Sequence[SelfAssessAnalysis]) -> Iterator[TableRow]:
    yield from (_cell_row(each.answers.respondent, cell) for each in everyone for cell in each.cells)


def _cell_row(who: str, cell: DesignCell) -> TableRow:
    counts = outcome_counts(cell.choices)
    sides = {
        side: estimate_from_fields(cell.shares, side, **counts)
        for side in _ORDER[cell.names["n_alternatives"]]
    }
    return (
        _named(who, cell.names, "question", "role", "n_alternatives")
        | {"neutral": None}
        | sides
        | {"bias": cell_estimate(cell), "label_mass": none_if_nan(cell.choices.label_mass)}
        | {name: none_if_nan(cell.shares[name]) for name in (*_BOUNDS, *OUTCOMES[1:])}
    )


@table_builder(
    "figure2",
    f"{_WHERE} question n_alternatives user:points agent:points difference:points magnitude:points",
)
def _roles(
    everyone: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int = SEED
) -> Iterator[TableRow]:
    for who, judgements in _in_mode(everyone, mode, seed):
        yield from (
            _named(who, gap, "question", "n_alternatives")
            | {name: estimate_from_fields(gap, name) for name in ("user", "agent")}
            | {"difference": _difference(gap), "magnitude": none_if_nan(gap["magnitude"])}
            for gap in compare_roles(judgements, mode)
        )


@table_builder(
    "figure3",
    f"{_WHERE} role n_alternatives preference:points least_biased:points difference:points agreement:share "
    "agreement_expected:share",
)
def _questions(
    everyone: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int = SEED
) -> Iterator[TableRow]:
    for who, judgements in _in_mode(everyone, mode, seed):
        yield from (
            _named(who, gap, "role", "n_alternatives")
            | {name: estimate_from_fields(gap, name) for name in ("preference", "least_biased")}
            | {"difference": _difference(gap)}
            | {"agreement": estimate_from_fields(gap, "agreement", n=gap["pairs"])}
            | {"agreement_expected": none_if_nan(gap["agreement_expected"])}
            for gap in compare_questions(judgements, mode)
        )


def _difference(gap: Document) -> Estimate:
    return estimate_from_fields(gap, "difference", gap["p"], n=gap["n"], clusters=gap["clusters"])


@table_builder(
    "positions",
    f"{_WHERE} question role n_alternatives first:share position_bias:points content:share position:share "
    "mixed:share unanswered:share",
)
def _positions(everyone: Sequence[SelfAssessAnalysis]) -> Iterator[TableRow]:
    for each in everyone:
        for cell in each.cells:
            first, follows = position_bias(cell.choices), consistency(cell.choices)
            counts = outcome_counts(cell.choices)
            yield (
                _named(each.answers.respondent, cell.names, "question", "role", "n_alternatives")
                | {"first": estimate_from_fields(first, "first", **counts)}
                | {"position_bias": estimate_from_fields(first, "position_bias", first["p"], **counts)}
                | {
                    name: estimate_from_fields(follows, name, n=follows["units"]) if follows else None
                    for name in FOLLOWS
                }
            )


@table_builder(
    "articles", f"{_WHERE} role side asked:count ok:share refusal:share truncated:share empty:share"
)
def _articles(everyone: Sequence[SelfAssessAnalysis]) -> Iterator[TableRow]:
    for each in everyone:
        for shares in article_shares(each.answers.articles):
            side = {"side": side_name(shares["set"], shares["side"])}
            numbers = {name: shares[name] for name in ("asked", *ARTICLE_OUTCOMES)}
            yield _named(each.answers.respondent, shares, "role") | side | numbers


def _in_mode(
    everyone: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the choices that a mode considers, set by set."""
    for each in everyone:
        for whole in each.wholes.values():
            yield each.answers.respondent, in_mode(whole.bias.choices.rows, mode, seed)


def _named(who: str, found: Document, *names: str) -> dict[str, Value]:
    about: dict[str, Value] = {"respondent": who}
    return about | {name: called(name, found[name]) for name in ("set", *names)}

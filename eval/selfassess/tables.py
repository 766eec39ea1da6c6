"""Report tables: Table 4 and the comparisons of Figures 2 and 3 in both modes, positions, articles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

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
    make_table,
    none_if_nan,
    replace_non_finite,
    table_builder,
)
from polbias.eval.selfassess.analysis import (
    DesignCell,
    SelfAssessAnalysis,
    article_shares,
    bias_estimate,
    cell_estimate,
    estimate_bias,
    estimate_from_fields,
    label_of,
    outcome_counts,
    sentence,
    set_estimate,
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
from polbias.eval.selfassess.shares import (
    SEED,
    cells,
    compare_questions,
    compare_roles,
    select_for_mode,
    side_shares,
)

_KEY_COLUMNS = "respondent set"
_BOUNDS = ("bound_low", "bound_high")
_PAPER_CELL = {"question": "preference", "role": "user"}
"""The cell of Table 4."""
_WORDING_COLUMN = Column("wording")
"""Column of the tables as published: the wording of the questions."""
_SIDES_BY_N_ALTERNATIVES = {2: ("left", "right"), 3: ("left", "right", "neutral")}


def tables(analyses: Sequence[SelfAssessAnalysis], seed: int = 0) -> Iterator[ReportTable]:
    """Yield the tables in corrected mode, then in paper mode (as published); empty tables are dropped."""
    all_tables = [_bias_table(analyses), _table4(analyses, "corrected"), _share_table(analyses)]
    all_tables += [_role_table(analyses, mode="corrected"), _question_table(analyses, mode="corrected")]
    all_tables += [_position_table(analyses), _article_table(analyses)]
    for build_table in (_table4, _role_table, _question_table):
        all_tables.append(build_table(analyses, mode="paper", seed=SEED + seed))
    yield from (table for table in all_tables if table.rows)


DETAIL_LISTS = ("table4", "orders", "models", "strengths")
"""Keys of :func:`detail_rows`."""


def detail_rows(analysis: SelfAssessAnalysis, seed: int = SEED) -> dict[str, list[Json]]:
    """Return further rows of a respondent by list: Table 4 in both modes, choices by order, choice models."""
    rows: dict[str, list[Json]] = {name: [] for name in DETAIL_LISTS}
    rows["table4"] = [*_table4_rows(analysis, seed)]
    for cell in analysis.cells:
        names, choices = cell.names, cell.choices
        terms = (*choice_model(choices), *equal_length_contrast(choices))
        rows["orders"] += [{**names, **order} for order in choices_by_order(choices)]
        rows["models"] += [{**names, **asdict(term)} for term in terms]
        rows["strengths"].append({**names, **strengths(choices)})
    records: dict[str, list[Json]] = replace_non_finite(rows)
    return records


def side_name(set_name: object, side: str) -> str:
    """Return the display name of a side in a set, such as Democratic."""
    specific_name = label_of("side", f"{set_name}_{side}")
    return label_of("side", side) if specific_name == f"{set_name}_{side}" else specific_name


@table_builder("bias", f"{_KEY_COLUMNS} without bias:points bound_low:points bound_high:points")
def _bias_table(analyses: Sequence[SelfAssessAnalysis]) -> Iterator[TableRow]:
    """Bias of every set, with all choices and without leaking or truncated articles."""
    for analysis in analyses:
        for set_name, set_bias in analysis.bias_by_set.items():
            labels = _row_labels(analysis.answers.respondent, {"set": set_name})
            cells: dict[str, Value] = {
                "without": label_of("without", "nothing"),
                "bias": set_estimate(set_bias),
            }
            yield labels | cells | dict(zip(_BOUNDS, set_bias.bias.bounds, strict=True))
            yield from (labels | row for row in _exclusion_rows(set_bias.bias.choices))


def _exclusion_rows(choices: ComparedChoices) -> Iterator[dict[str, Value]]:
    for name, column in (("leaking", "leak"), ("truncated", "truncated")):
        flag = choices.rows[column].to_numpy()
        if flag.any() and not flag.all():
            estimate = replace(bias_estimate(estimate_bias(choices.select(~flag))), p=None)
            yield {"without": label_of("without", name), "bias": estimate, **dict.fromkeys(_BOUNDS)}


def _table4(analyses: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int = SEED) -> ReportTable:
    """Preferences among articles for a biased user, a row per respondent."""
    rows: list[TableRow] = []
    titles: dict[str, str] = {}
    for analysis in analyses:
        row: dict[str, Value] = {"respondent": analysis.answers.respondent}
        wording_by_set: dict[str, str] = {}
        for cell in _iter_table4_cells(analysis, mode, seed):
            set_name, n_alternatives = cell.names["set"], cell.names["n_alternatives"]
            wording_by_set[label_of("set", set_name)] = label_of("wording", cell.wording)
            for side in _SIDES_BY_N_ALTERNATIVES[n_alternatives]:
                name = f"{set_name}_{n_alternatives}_{side}"
                titles_of_cell = {
                    factor: label_of(factor, cell.names[factor]) for factor in ("set", "n_alternatives")
                }
                titles[name] = sentence("table4_column", side=side_name(set_name, side), **titles_of_cell)
                row[name] = estimate_from_fields(cell.shares, side, **outcome_counts(cell.choices))
        if len(row) > 1:
            rows.append(row | {"wording": _describe_wordings(wording_by_set)})
    columns = (
        Column("respondent"),
        *((_WORDING_COLUMN,) if mode == "paper" else ()),
        *(Column(name, "share", titles[name]) for name in _sort_columns(titles)),
    )
    return make_table("table4", columns, rows, mode)


def _describe_wordings(wording_by_set: Mapping[str, str]) -> str:
    """Return the wording of all sets, or of each set if they differ."""
    wordings = [*dict.fromkeys(wording_by_set.values())]
    if len(wordings) == 1:
        return wordings[0]
    return "; ".join(f"{set_label}: {wording}" for set_label, wording in wording_by_set.items())


class _Table4Cell(NamedTuple):
    """Choices of Table 4 among two or three articles of a set, and the number of dropped choices."""

    names: Document
    wording: str
    choices: ComparedChoices
    shares: Document
    n_dropped: int


def _iter_table4_cells(
    analysis: SelfAssessAnalysis, mode: AnalysisMode, seed: int, test: bool = False
) -> Iterator[_Table4Cell]:
    """Yield the cells of Table 4 with choices; `test` adds a test to the shares of the paper's mode."""
    if mode == "corrected":
        for cell in analysis.cells:
            if _PAPER_CELL.items() <= cell.names.items():
                shares = {**cell.shares, "p": cell.p}
                yield _Table4Cell(cell.names, "corrected", cell.choices, shares, 0)
        return
    for wording, judgements in analysis.answers.judgements_as_published():
        for names, all_choices in cells(judgements):
            choices = ComparedChoices(select_for_mode(all_choices.rows, mode, seed))
            if _PAPER_CELL.items() <= names.items() and choices.n:
                n_dropped = len(all_choices.topics.categories) - choices.n
                yield _Table4Cell(names, wording, choices, side_shares(choices, test, mode), n_dropped)


def _table4_rows(analysis: SelfAssessAnalysis, seed: int) -> Iterator[Json]:
    """Yield preferences among articles for a biased user, by mode, set and number of articles."""
    modes: tuple[AnalysisMode, ...] = ("paper", "corrected")
    for mode in modes:
        for cell in _iter_table4_cells(analysis, mode, seed, test=True):
            names = {name: cell.names[name] for name in ("set", "n_alternatives")}
            shares = {**cell.shares, "dropped": cell.n_dropped}
            yield names | {"mode": mode, "wording": cell.wording} | shares


def _sort_columns(names: Mapping[str, str]) -> list[str]:
    """Sort columns by set, number of articles and side."""
    rank_by_side = {side: rank for rank, side in enumerate(_SIDES_BY_N_ALTERNATIVES[3])}

    def sort_key(name: str) -> tuple[str, str, int]:
        set_name, n_alternatives, side = name.rsplit("_", 2)
        return set_name, n_alternatives, rank_by_side[side]

    return sorted(names, key=sort_key)


@table_builder(
    "shares",
    f"{_KEY_COLUMNS} question role n_alternatives left:share right:share neutral:share bias:points "
    "bound_low:points bound_high:points refusal:share both:share unparsable:share truncated:share "
    "label_mass:share",
)
def _share_table(analyses: Sequence[SelfAssessAnalysis]) -> Iterator[TableRow]:
    yield from (
        _cell_row(analysis.answers.respondent, cell) for analysis in analyses for cell in analysis.cells
    )


def _cell_row(respondent: str, cell: DesignCell) -> TableRow:
    counts = outcome_counts(cell.choices)
    sides = {
        side: estimate_from_fields(cell.shares, side, **counts)
        for side in _SIDES_BY_N_ALTERNATIVES[cell.names["n_alternatives"]]
    }
    return (
        _row_labels(respondent, cell.names, "question", "role", "n_alternatives")
        | {"neutral": None}
        | sides
        | {"bias": cell_estimate(cell), "label_mass": none_if_nan(cell.choices.label_mass)}
        | {name: none_if_nan(cell.shares[name]) for name in (*_BOUNDS, *OUTCOMES[1:])}
    )


def _role_table(analyses: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int = SEED) -> ReportTable:
    """Bias among articles for a biased user and of a biased agent."""
    estimates = "user:points agent:points difference:points magnitude:points"
    rows = [
        _row_labels(respondent, gap, "question", "n_alternatives")
        | {"wording": label_of("wording", wording)}
        | {name: estimate_from_fields(gap, name) for name in ("user", "agent")}
        | {"difference": _difference(gap), "magnitude": none_if_nan(gap["magnitude"])}
        for respondent, wording, judgements in _iter_sets(analyses, mode, seed)
        for gap in compare_roles(judgements, mode)
    ]
    return _comparison_table("figure2", "question n_alternatives", estimates, rows, mode)


def _question_table(
    analyses: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int = SEED
) -> ReportTable:
    """Bias of preferences and of judgements of the least biased article."""
    estimates = (
        "preference:points least_biased:points difference:points agreement:share agreement_expected:share"
    )
    rows = [
        _row_labels(respondent, gap, "role", "n_alternatives")
        | {"wording": label_of("wording", wording)}
        | {name: estimate_from_fields(gap, name) for name in ("preference", "least_biased")}
        | {"difference": _difference(gap)}
        | {"agreement": estimate_from_fields(gap, "agreement", n=gap["pairs"])}
        | {"agreement_expected": none_if_nan(gap["agreement_expected"])}
        for respondent, wording, judgements in _iter_sets(analyses, mode, seed)
        for gap in compare_questions(judgements, mode)
    ]
    return _comparison_table("figure3", "role n_alternatives", estimates, rows, mode)


def _comparison_table(
    name: str, factors: str, estimates: str, rows: Sequence[TableRow], mode: AnalysisMode
) -> ReportTable:
    wording = "wording " if mode == "paper" else ""
    return make_table(name, f"{_KEY_COLUMNS} {wording}{factors} {estimates}", rows, mode)


def _difference(gap: Document) -> Estimate:
    return estimate_from_fields(gap, "difference", gap["p"], n=gap["n"], clusters=gap["clusters"])


@table_builder(
    "positions",
    f"{_KEY_COLUMNS} question role n_alternatives first:share position_bias:points content:share "
    "position:share "
    "mixed:share unanswered:share",
)
def _position_table(analyses: Sequence[SelfAssessAnalysis]) -> Iterator[TableRow]:
    for analysis in analyses:
        for cell in analysis.cells:
            first, follows = position_bias(cell.choices), consistency(cell.choices)
            counts = outcome_counts(cell.choices)
            yield (
                _row_labels(analysis.answers.respondent, cell.names, "question", "role", "n_alternatives")
                | {"first": estimate_from_fields(first, "first", **counts)}
                | {"position_bias": estimate_from_fields(first, "position_bias", first["p"], **counts)}
                | {
                    name: estimate_from_fields(follows, name, n=follows["units"]) if follows else None
                    for name in FOLLOWS
                }
            )


@table_builder(
    "articles", f"{_KEY_COLUMNS} role side asked:count ok:share refusal:share truncated:share empty:share"
)
def _article_table(analyses: Sequence[SelfAssessAnalysis]) -> Iterator[TableRow]:
    for analysis in analyses:
        for shares in article_shares(analysis.answers.articles):
            side = {"side": side_name(shares["set"], shares["side"])}
            shares_by_outcome = {name: shares[name] for name in ("asked", *ARTICLE_OUTCOMES)}
            yield _row_labels(analysis.answers.respondent, shares, "role") | side | shares_by_outcome


def _iter_sets(
    analyses: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield respondent, wording and choices of each set, in a mode."""
    for analysis in analyses:
        judgements_by_set = (
            analysis.answers.judgements_as_published()
            if mode == "paper"
            else (("corrected", set_bias.bias.choices.rows) for set_bias in analysis.bias_by_set.values())
        )
        for wording, judgements in judgements_by_set:
            yield analysis.answers.respondent, wording, select_for_mode(judgements, mode, seed)


def _row_labels(respondent: str, levels: Document, *names: str) -> dict[str, Value]:
    labels: dict[str, Value] = {"respondent": respondent}
    return labels | {name: label_of(name, levels[name]) for name in ("set", *names)}

"""Report tables: Table 4 and the comparisons of Figures 2 and 3 in both modes, positions, articles."""

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
    compare_questions,
    compare_roles,
    select_for_mode,
    side_shares,
)

_KEY_COLUMNS = "respondent set"
_BOUNDS = ("bound_low", "bound_high")
_PAPER_CELL = {"question": "preference", "role": "user"}
"""The cell of Table 4."""
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
        for cell in analysis.cells:
            if any(cell.names[name] != value for name, value in _PAPER_CELL.items()):
                continue
            choices = ComparedChoices(select_for_mode(cell.choices.rows, mode, seed))
            shares = side_shares(choices, test=False, mode=mode) if mode == "paper" else cell.shares
            set_name, n_alternatives = cell.names["set"], cell.names["n_alternatives"]
            for side in _SIDES_BY_N_ALTERNATIVES[n_alternatives] if choices.n else ():
                name = f"{set_name}_{n_alternatives}_{side}"
                titles_of_cell = {
                    factor: label_of(factor, cell.names[factor]) for factor in ("set", "n_alternatives")
                }
                titles[name] = sentence("table4_column", side=side_name(set_name, side), **titles_of_cell)
                row[name] = estimate_from_fields(shares, side, **outcome_counts(choices))
        if len(row) > 1:
            rows.append(row)
    columns = (Column("respondent"), *(Column(name, "share", titles[name]) for name in _sort_columns(titles)))
    return make_table("table4", columns, rows, mode)


def _table4_rows(analysis: SelfAssessAnalysis, seed: int) -> Iterator[Json]:
    """Yield preferences among articles for a biased user, by set and number of articles, in both modes."""
    for cell in analysis.cells:
        if cell.names["question"] == "preference" and cell.names["role"] == "user":
            names = {"set": cell.names["set"], "n_alternatives": cell.names["n_alternatives"]}
            choices = ComparedChoices(select_for_mode(cell.choices.rows, "paper", seed))
            n_dropped = len(cell.choices.topics.categories) - choices.n
            if choices.n:
                yield names | {"mode": "paper"} | side_shares(choices, mode="paper") | {"dropped": n_dropped}
            yield names | {"mode": "corrected", **cell.shares, "p": cell.p, "dropped": 0}


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


@table_builder(
    "figure2",
    f"{_KEY_COLUMNS} question n_alternatives user:points agent:points difference:points magnitude:points",
)
def _role_table(
    analyses: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int = SEED
) -> Iterator[TableRow]:
    for respondent, judgements in _iter_sets(analyses, mode, seed):
        yield from (
            _row_labels(respondent, gap, "question", "n_alternatives")
            | {name: estimate_from_fields(gap, name) for name in ("user", "agent")}
            | {"difference": _difference(gap), "magnitude": none_if_nan(gap["magnitude"])}
            for gap in compare_roles(judgements, mode)
        )


@table_builder(
    "figure3",
    f"{_KEY_COLUMNS} role n_alternatives preference:points least_biased:points difference:points "
    "agreement:share "
    "agreement_expected:share",
)
def _question_table(
    analyses: Sequence[SelfAssessAnalysis], mode: AnalysisMode, seed: int = SEED
) -> Iterator[TableRow]:
    for respondent, judgements in _iter_sets(analyses, mode, seed):
        yield from (
            _row_labels(respondent, gap, "role", "n_alternatives")
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
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the choices of a mode, by respondent and set."""
    for analysis in analyses:
        for set_bias in analysis.bias_by_set.values():
            yield analysis.answers.respondent, select_for_mode(set_bias.bias.choices.rows, mode, seed)


def _row_labels(respondent: str, levels: Document, *names: str) -> dict[str, Value]:
    labels: dict[str, Value] = {"respondent": respondent}
    return labels | {name: label_of(name, levels[name]) for name in ("set", *names)}

"""Tables of the report in the layout of the paper (Gubelmann and Karray 2025)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from pandas.api.types import union_categoricals

from polbias.eval.answer_frames import AnalysisMode, count_silences
from polbias.eval.partisan.analysis import (
    AnswerSubset,
    label_of,
    sentence,
    shots_label,
    subset_of,
    weighted_interval,
)
from polbias.eval.partisan.answers import (
    CONTROL,
    LARGE,
    LARGE_CONTROL,
    LARGE_PEOPLE,
    POLITICAL,
    PRINTED_CONFIG,
    PRINTED_CONTROL_CONFIG,
    SCOPES,
    VERDICTS,
    PartisanAnswers,
)
from polbias.eval.partisan.table_lines import (
    FactorFilter,
    TableLine,
    by_language,
    config_name,
    labels,
    language_name,
    levels,
    line,
    long_table,
    wide_table,
)
from polbias.eval.report.document import Cell as Shown
from polbias.eval.report.document import Column, Estimate, ReportTable, make_table, none_if_nan, parse_columns

# Accuracy by variation of the argument, averaged over models (Figures 1 and 2).


def variation_table(respondents: Sequence[PartisanAnswers], mode: AnalysisMode) -> ReportTable | None:
    """Return the accuracy by variation, pooled over the respondents of each method."""
    rows: list[dict[str, Shown]] = []
    variations = levels(respondents, "variation")
    for method in sorted({answers.method for answers in respondents}):
        method_respondents = [answers for answers in respondents if answers.method == method]
        for row_filter in _variation_filters(method_respondents):
            accuracies: dict[str, Shown] = {
                name: _pooled_accuracy(method_respondents, mode, {**row_filter, "variation": name})
                for name in variations
            }
            if any(accuracy is not None for accuracy in accuracies.values()):
                rows.append({"method": label_of("method", method), **labels(row_filter), **accuracies})
    columns = (
        *parse_columns("method items language shots:count kind gold"),
        *(Column(name, "share", label_of("variation", name)) for name in variations),
    )
    return make_table("variation", columns, rows, mode) if rows else None


def _variation_filters(respondents: Sequence[PartisanAnswers]) -> Iterator[dict[str, Any]]:
    for scope in SCOPES:
        for language in levels(respondents, "language", scope=scope):
            row_filter = {"scope": scope, "language": language}
            examples, kinds = (
                levels(respondents, "shots", **row_filter),
                levels(respondents, "kind", **row_filter),
            )
            golds = sorted(levels(respondents, "gold", **row_filter), reverse=True)
            for shots, kind, gold in product(examples, kinds, golds):
                yield {**row_filter, "shots": shots, "kind": kind, "gold": gold}


def _pooled_accuracy(
    respondents: Sequence[PartisanAnswers], mode: AnalysisMode, levels: Mapping[str, Any]
) -> Estimate | None:
    """Return the accuracy over respondents with equal weight; None without answers."""
    cells = []
    for answers in respondents:
        mask = answers.where(**levels) & answers.where(config=answers.pooled_configs(levels["scope"], mode))
        if mode == "paper":
            mask &= answers.where(label=VERDICTS)
        cells.append(subset_of(answers, mask))
    cells = [cell for cell in cells if cell.n]
    if not cells:
        return None
    low, value, high, n_clusters = weighted_interval(
        np.concatenate([cell.is_correct for cell in cells]),
        np.concatenate([cell.weights / cell.n for cell in cells]),
        union_categoricals([cell.clusters for cell in cells], sort_categories=True),
        (0.0, 1.0),
    )
    n = sum(cell.n for cell in cells)
    if mode == "paper":
        return Estimate(value, n=n)
    silences = count_silences(np.concatenate([cell.label for cell in cells]))
    return Estimate.from_numbers(value, low, high, n=n, clusters=n_clusters, **silences)


# Tables with all statistics of a scope, of a cell (config and number of examples), of log-likelihoods.

_CORRECTED = parse_columns(
    "bias:points weighted:points p:p p_flip:p p_heterogeneity:p clusters:count bound_low:points "
    "bound_high:points refusal_gap:points unanswered_gap:points unweighted:points accuracy:share "
    "form_accuracy:share"
)
_PAPER = parse_columns(
    "n:count discarded:count accuracy:share bias:points unweighted:points mean:number sd:number "
    "z_statistic:number p:p leaning"
)
_LIKELIHOOD = parse_columns("probability_bias:points bias:points label_mass:share")


def tests_table(respondents: Sequence[PartisanAnswers], mode: AnalysisMode, seed: int) -> ReportTable | None:
    """Return the test of every model by language and over all (Table 10)."""
    lines = []
    for scope in SCOPES:
        language_lines = by_language(respondents, scope)
        lines += language_lines
        if len(language_lines) > 1:
            pooled_line = line(scope=scope)
            lines.append(
                replace(pooled_line, labels={**pooled_line.labels, "language": sentence("all_languages")})
            )
    return _statistics("tests", respondents, lines, mode, seed)


def cells_table(respondents: Sequence[PartisanAnswers], mode: AnalysisMode, seed: int) -> ReportTable | None:
    """Return all statistics of every cell: config and number of examples."""
    names = {
        config: config_name(answers, config) for answers in respondents for config in answers.levels("config")
    }
    lines = [
        TableLine({"config": names[config], "shots": shots}, {"config": config, "shots": shots}, True)
        for scope in SCOPES
        for config in levels(respondents, "config", scope=scope)
        for shots in levels(respondents, "shots", config=config)
    ]
    return _statistics("cells", respondents, lines, mode, seed)


def _statistics(
    id: str, respondents: Sequence[PartisanAnswers], lines: Sequence[TableLine], mode: AnalysisMode, seed: int
) -> ReportTable | None:
    if mode == "paper":
        return long_table(id, respondents, lines, _PAPER, _paper_row, mode)
    return long_table(id, respondents, lines, _CORRECTED, lambda cell: _corrected_row(cell, seed), mode)


def _corrected_row(cell: AnswerSubset, seed: int) -> dict[str, Shown]:
    low, high = cell.bounds(cell.called_valid)
    bias = cell.bias()
    return {
        "bias": bias,
        "weighted": cell.weighted_bias(),
        "p": bias.p,
        "p_flip": cell.p_flip(seed),
        "p_heterogeneity": cell.p_heterogeneity(),
        "clusters": bias.clusters,
        "bound_low": low,
        "bound_high": high,
        "refusal_gap": cell.refusal_gap(),
        "unanswered_gap": cell.unanswered_gap(),
        "unweighted": cell.unweighted_bias(),
        "accuracy": cell.accuracy(),
        "form_accuracy": cell.form_accuracy(),
    }


def _paper_row(cell: AnswerSubset) -> dict[str, Shown]:
    test = cell.paper_test()
    return {
        "n": test.n,
        "discarded": cell.n_unanswered,
        "accuracy": none_if_nan(cell.paper_accuracy()),
        "bias": none_if_nan(cell.paper_bias()),
        "unweighted": none_if_nan(cell.paper_unweighted()),
        "mean": none_if_nan(test.mean),
        "sd": none_if_nan(test.sd),
        "z_statistic": none_if_nan(test.z),
        "p": none_if_nan(test.p_value),
        "leaning": label_of("leaning", test.leaning),
    }


def likelihood_table(respondents: Sequence[PartisanAnswers]) -> ReportTable | None:
    """Return the statistics of the label probabilities, beyond the likelier label."""
    likelihood_respondents = [
        answers for answers in respondents if bool(answers.rows["label_mass"].notna().any())
    ]
    lines = [line for scope in SCOPES for line in by_language(likelihood_respondents, scope)]
    return long_table("likelihood", likelihood_respondents, lines, _LIKELIHOOD, _likelihood_row, "corrected")


def _likelihood_row(cell: AnswerSubset) -> dict[str, Shown]:
    return {"probability_bias": cell.probability_bias(), "bias": cell.bias(), "label_mass": cell.label_mass()}


# The tables of the instrument in the layout of the paper, in both modes.

_Part: TypeAlias = tuple[str, str, FactorFilter]
_ON_POLITICS = (POLITICAL, LARGE, LARGE_PEOPLE, PRINTED_CONFIG)
_ON_GAMES = (CONTROL, LARGE_CONTROL, PRINTED_CONTROL_CONFIG)


def tables(respondents: Sequence[PartisanAnswers], seed: int) -> Iterator[ReportTable]:
    """Yield the tables with rows, corrected tables first."""
    for mode in ("corrected", "paper"):
        all_tables = (
            tests_table(respondents, mode, seed),
            _shots_table(respondents, mode),
            _kind_table(respondents, mode),
            _control_table(respondents, mode),
            _accuracy_table(respondents, mode),
            _unanswered_table(respondents, mode),
            _features_table(respondents) if mode == "corrected" else None,
            cells_table(respondents, mode, seed),
            likelihood_table(respondents) if mode == "corrected" else None,
        )
        yield from (table for table in all_tables if table is not None)


def _shots_table(respondents: Sequence[PartisanAnswers], mode: AnalysisMode) -> ReportTable | None:
    """Table 5: bias by language and number of examples."""
    parts = _language_parts(respondents, "shots", "shots", scope=_ON_POLITICS)
    return _bias_table("shots", respondents, _scope_lines(_ON_POLITICS), parts, mode)


def _kind_table(respondents: Sequence[PartisanAnswers], mode: AnalysisMode) -> ReportTable | None:
    """Table 9: bias by language and kind of inference."""
    parts = _language_parts(respondents, "part", "kind", scope=_ON_POLITICS)
    lines = [replace(line, all_configs=True) for line in _scope_lines(_ON_POLITICS)]
    return _bias_table("kind", respondents, lines, parts, mode)


def _control_table(respondents: Sequence[PartisanAnswers], mode: AnalysisMode) -> ReportTable | None:
    """Table 12: bias for chess or poker by number of examples; the paper prints the invalid formal part."""
    lines = [
        line(scope=scope, kind=kind, gold=gold)
        for scope, kind, gold in product(_ON_GAMES, ("formal", "material"), ("invalid", "valid"))
    ]
    parts = _shots_parts(levels(respondents, "shots", scope=_ON_GAMES))
    return _bias_table("control", respondents, lines, parts, mode)


def _bias_table(
    id: str,
    respondents: Sequence[PartisanAnswers],
    lines: Sequence[TableLine],
    parts: Sequence[_Part],
    mode: AnalysisMode,
) -> ReportTable | None:
    value = (
        AnswerSubset.bias
        if mode == "corrected"
        else lambda cell: cell.point_estimate(none_if_nan(cell.paper_bias()))
    )
    return wide_table(id, respondents, lines, parts, value, "points", mode)


def _accuracy_table(respondents: Sequence[PartisanAnswers], mode: AnalysisMode) -> ReportTable | None:
    """Table 4: accuracy by language and validity."""
    lines = [
        line(scope=scope, shots=shots)
        for scope in SCOPES
        for shots in levels(respondents, "shots", scope=scope)
    ]
    parts = [*_language_parts(respondents, "gold", "gold"), ("all", sentence("column_all"), {})]
    value = (
        AnswerSubset.accuracy
        if mode == "corrected"
        else lambda cell: cell.point_estimate(none_if_nan(cell.paper_accuracy()))
    )
    return wide_table("accuracy", respondents, lines, parts, value, "share", mode)


def _unanswered_table(respondents: Sequence[PartisanAnswers], mode: AnalysisMode) -> ReportTable | None:
    """Tables 7 and 8: answers without a verdict by number of examples."""
    lines = [replace(line, all_configs=True) for scope in SCOPES for line in by_language(respondents, scope)]
    parts = _shots_parts(levels(respondents, "shots"))
    if mode == "paper":
        return wide_table(
            "unanswered", respondents, lines, parts, lambda cell: cell.n_unanswered, "count", mode
        )
    return wide_table("unanswered", respondents, lines, parts, AnswerSubset.unanswered_share, "share", mode)


def _features_table(respondents: Sequence[PartisanAnswers]) -> ReportTable | None:
    """Bias by irrelevant features: variation of the argument, and gender of the people in it."""
    lines = [line for scope in SCOPES for line in by_language(respondents, scope)]
    parts = [
        (f"{name}_{level}", label_of(name, level), {name: level})
        for name in ("variation", "gender")
        for level in levels(respondents, name)
    ]
    return wide_table("features", respondents, lines, parts, AnswerSubset.bias, "points", "corrected")


def _scope_lines(scopes: Sequence[str]) -> list[TableLine]:
    return [line(scope=scope) for scope in scopes]


def _language_parts(
    respondents: Sequence[PartisanAnswers], name: str, kind: str, **row_filter: Any
) -> list[_Part]:
    """Return a part per language and level of another factor, titled by the column words of `kind`."""
    return [
        (
            f"{language}_{level}",
            sentence(
                f"column_{kind}",
                language=language_name(language),
                **{kind: shots_label(level) if kind == "shots" else label_of(kind, level)},
            ),
            {"language": language, name: level},
        )
        for language in levels(respondents, "language", **row_filter)
        for level in levels(respondents, name, **row_filter, language=language)
    ]


def _shots_parts(numbers: Sequence[int]) -> list[_Part]:
    return [(f"shots_{shots}", shots_label(shots), {"shots": shots}) for shots in numbers]

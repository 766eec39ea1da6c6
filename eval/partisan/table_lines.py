"""Lines and columns of the tables, by factors of the design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from polbias.aliases import Document
from polbias.eval.answer_frames import AnalysisMode
from polbias.eval.partisan.analysis import AnswerSubset, label_of, sentence, subset_of
from polbias.eval.partisan.answers import PartisanAnswers
from polbias.eval.report.document import Cell as Shown
from polbias.eval.report.document import Column, ColumnKind, Estimate, ReportTable, TableRow, make_table

FactorFilter = Document
"""Level or levels by factor, for :meth:`PartisanAnswers.where`."""


@dataclass(frozen=True)
class TableLine:
    """Selection of answers that has a line for each respondent.

    Attributes:
        labels: cells of the label columns, by column.
        row_filter: levels of the answers in the line.
        all_configs: whether all configs count, not only the pooled configs of the scope.
    """

    labels: TableRow
    row_filter: FactorFilter
    all_configs: bool = False

    def cell(self, answers: PartisanAnswers, further: FactorFilter, mode: AnalysisMode) -> AnswerSubset:
        """Return the answers of a respondent in this line that pass a further filter."""
        mask = answers.where(**{**self.row_filter, **further})
        if not self.all_configs:
            mask &= answers.where(config=answers.pooled_configs(self.row_filter["scope"], mode))
        return subset_of(answers, mask)


def levels(respondents: Iterable[PartisanAnswers], name: str, **row_filter: Any) -> list[Any]:
    """Return the levels of a factor that any respondent has; English and the default first."""
    distinct_levels = {level for answers in respondents for level in answers.levels(name, **row_filter)}
    return sorted(
        distinct_levels, key=lambda level: (str(level).split("-")[0] not in ("en", "default"), level)
    )


def language_name(level: str) -> str:
    """Return the name of a language with its country."""
    tag, _, country = level.partition("-")
    name = label_of("language", tag)
    return sentence("language_of_country", language=name, country=country) if country else name


def config_name(answers: PartisanAnswers, config: str) -> str:
    """Return the name of a config, from the language, country and kind of its rows."""
    scope, language, part = (answers.levels(name, config=config)[0] for name in ("scope", "language", "part"))
    return sentence(f"config_{scope}", language=language_name(language), kind=label_of("kind", part))


def line(**row_filter: Any) -> TableLine:
    """Return a line whose labels are the levels of its filter."""
    return TableLine(labels(row_filter), row_filter)


def labels(row_filter: FactorFilter) -> TableRow:
    """Map each label column to the name of its level in a filter."""
    column_names = {"scope": "items"}
    formatters: dict[str, Callable[[Any], Shown]] = {"language": language_name, "shots": int}
    return {
        column_names.get(name, name): formatters[name](level)
        if name in formatters
        else label_of(column_names.get(name, name), level)
        for name, level in row_filter.items()
    }


def by_language(respondents: Iterable[PartisanAnswers], scope: str) -> list[TableLine]:
    """Return a line for each language and country of a scope."""
    return [line(scope=scope, language=language) for language in levels(respondents, "language", scope=scope)]


def wide_table(
    id: str,
    respondents: Sequence[PartisanAnswers],
    lines: Sequence[TableLine],
    parts: Sequence[tuple[str, str, FactorFilter]],
    value: Callable[[AnswerSubset], Shown],
    kind: ColumnKind,
    mode: AnalysisMode,
) -> ReportTable | None:
    """Return a table with one column per part, and the mean over respondents below."""
    rows: list[dict[str, Shown]] = []
    for line in lines:
        line_rows: list[tuple[str, dict[str, Shown]]] = []
        for answers in respondents:
            cells = {name: line.cell(answers, column_filter, mode) for name, _, column_filter in parts}
            if any(cell.n for cell in cells.values()):
                values = {name: value(cell) if cell.n else None for name, cell in cells.items()}
                line_rows.append((answers.method, {"respondent": answers.name, **line.labels, **values}))
        rows += [row for _, row in line_rows]
        if kind != "count":
            rows += _mean_rows(line_rows, [name for name, _, _ in parts], line.labels)
    columns = [Column(name, kind, title) for name, title, _ in parts]
    return make_table(id, (*_label_columns(lines), *columns), rows, mode) if rows else None


def long_table(
    id: str,
    respondents: Sequence[PartisanAnswers],
    lines: Sequence[TableLine],
    columns: Sequence[Column],
    values: Callable[[AnswerSubset], TableRow],
    mode: AnalysisMode,
) -> ReportTable | None:
    """Return a table with one column per statistic."""
    rows = [
        {"respondent": answers.name, **line.labels, **values(cell)}
        for answers in respondents
        for line in lines
        if (cell := line.cell(answers, {}, mode)).n
    ]
    return make_table(id, (*_label_columns(lines), *columns), rows, mode) if rows else None


def _label_columns(lines: Sequence[TableLine]) -> Iterator[Column]:
    names = ("respondent", *(lines[0].labels if lines else ()))
    return (Column(name, "count" if name == "shots" else "text") for name in names)


def _mean_rows(
    line_rows: Sequence[tuple[str, TableRow]], names: Sequence[str], labels: TableRow
) -> list[dict[str, Shown]]:
    """Return a row of means over respondents for each method with several respondents."""
    mean_rows: list[dict[str, Shown]] = []
    for method in sorted({method for method, _ in line_rows}):
        method_rows = [row for row_method, row in line_rows if row_method == method]
        if len(method_rows) > 1:
            name = sentence("average", method=label_of("method", method), count=len(method_rows))
            means = {column: Estimate(_mean([row[column] for row in method_rows])) for column in names}
            mean_rows.append({"respondent": name, **labels, **means})
    return mean_rows


def _mean(cells: Iterable[Shown]) -> float | None:
    values = [cell.value for cell in cells if isinstance(cell, Estimate) and cell.value is not None]
    return fmean(values) if values else None

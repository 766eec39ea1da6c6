"""Lines and columns of the tables, by parts of the design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from polbias.aliases import Document
from polbias.eval.answer_frames import AnalysisMode
from polbias.eval.partisan.analysis import AnswerSubset, called, say, subset_of
from polbias.eval.partisan.answers import PartisanAnswers
from polbias.eval.report.document import Cell as Shown
from polbias.eval.report.document import Column, ColumnKind, Estimate, ReportTable, TableRow, table_of

FactorFilter = Document
"""Factor to level or levels, as for :meth:`PartisanAnswers.where`."""


@dataclass(frozen=True)
class TableLine:
    """A part of the design that has a line for each respondent.

    Attributes:
        labels: what stands in front, column to text or number.
        chosen: what it is about.
        whole: whether all configs count, not only those that stand for the scope.
    """

    labels: TableRow
    row_filter: FactorFilter
    all_configs: bool = False

    def cell(self, answers: PartisanAnswers, further: FactorFilter, mode: AnalysisMode) -> AnswerSubset:
        """Return the answers of a respondent."""
        mask = answers.where(**{**self.row_filter, **further})
        if not self.all_configs:
            mask &= answers.where(config=answers.pooled_configs(self.row_filter["scope"], mode))
        return subset_of(answers, mask)


def levels(respondents: Iterable[PartisanAnswers], name: str, **chosen: Any) -> list[Any]:
    """Return the levels of a factor that occur with any respondent; English and the default first."""
    found = {level for each in respondents for level in each.levels(name, **chosen)}
    return sorted(found, key=lambda level: (str(level).split("-")[0] not in ("en", "default"), level))


def language_name(level: str) -> str:
    """Return what a language is called, with its country."""
    tag, _, country = level.partition("-")
    name = called("language", tag)
    return say("language_of_country", language=name, country=country) if country else name


def config_name(answers: PartisanAnswers, config: str) -> str:
    """Return what a config is called, by the language, country and kind of its rows."""
    scope, language, part = (answers.levels(name, config=config)[0] for name in ("scope", "language", "part"))
    return say(f"config_{scope}", language=language_name(language), kind=called("kind", part))


def line(**chosen: Any) -> TableLine:
    """Return a line whose labels are what is chosen."""
    return TableLine(labels(chosen), chosen)


def labels(chosen: FactorFilter) -> TableRow:
    """Return what the chosen levels are called, by column."""
    names = {"scope": "items"}
    said: dict[str, Callable[[Any], Shown]] = {"language": language_name, "shots": int}
    return {
        names.get(name, name): said[name](level) if name in said else called(names.get(name, name), level)
        for name, level in chosen.items()
    }


def by_language(respondents: Iterable[PartisanAnswers], scope: str) -> list[TableLine]:
    """Return a line for each language and country of a scope."""
    return [line(scope=scope, language=each) for each in levels(respondents, "language", scope=scope)]


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
        block: list[tuple[str, dict[str, Shown]]] = []
        for answers in respondents:
            cells = {name: line.cell(answers, chosen, mode) for name, _, chosen in parts}
            if any(cell.n for cell in cells.values()):
                found = {name: value(cell) if cell.n else None for name, cell in cells.items()}
                block.append((answers.method, {"respondent": answers.name, **line.labels, **found}))
        rows += [row for _, row in block]
        if kind != "count":
            rows += _means(block, [name for name, _, _ in parts], line.labels)
    shown = [Column(name, kind, title) for name, title, _ in parts]
    return table_of(id, (*_front(lines), *shown), rows, mode) if rows else None


def long_table(
    id: str,
    respondents: Sequence[PartisanAnswers],
    lines: Sequence[TableLine],
    columns: Sequence[Column],
    values: Callable[[AnswerSubset], TableRow],
    mode: AnalysisMode,
) -> ReportTable | None:
    """Return a table with one column per statistic."""
    made = [
        {"respondent": answers.name, **line.labels, **values(cell)}
        for answers in respondents
        for line in lines
        if (cell := line.cell(answers, {}, mode)).n
    ]
    return table_of(id, (*_front(lines), *columns), made, mode) if made else None


def _front(lines: Sequence[TableLine]) -> Iterator[Column]:
    names = ("respondent", *(lines[0].labels if lines else ()))
    return (Column(name, "count" if name == "shots" else "text") for name in names)


def _means(
    block: Sequence[tuple[str, TableRow]], names: Sequence[str], labels: TableRow
) -> list[dict[str, Shown]]:
    """The mean over respondents of each method that has several; answers and log-likelihoods stay apart."""
    made: list[dict[str, Shown]] = []
    for method in sorted({method for method, _ in block}):
        own = [row for found, row in block if found == method]
        if len(own) > 1:
            name = say("average", method=called("method", method), count=len(own))
            means = {each: Estimate(_mean([row[each] for row in own])) for each in names}
            made.append({"respondent": name, **labels, **means})
    return made


def _mean(cells: Iterable[Shown]) -> float | None:
    values = [cell.value for cell in cells if isinstance(cell, Estimate) and cell.value is not None]
    return fmean(values) if values else None

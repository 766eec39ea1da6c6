"""Tables of the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter, itemgetter
from typing import Any, Generic, TypeVar, get_args

from polbias.aliases import Json
from polbias.errors import TemplateError
from polbias.eval.report import wording as wordings
from polbias.eval.report.document import (
    Cell,
    ColumnKind,
    Comparison,
    Estimate,
    Finding,
    Report,
    ReportTable,
    Respondent,
    SampleSource,
)
from polbias.eval.report.flat_tables import name_of
from polbias.eval.report.page.cells import PrintedCell, describe_counts, print_cell
from polbias.eval.report.page.numbers import count, format_value, interval
from polbias.eval.report.page.page_words import frame
from polbias.eval.report.summary_json import variance_component_records
from polbias.eval.report.verdicts import FindingVerdict, verdict
from polbias.eval.report.wording import InstrumentWords, Measure, TableWords

# Table models and builders.

LONG = 24
"""Number of rows above which a table is folded."""

_MAX_COLUMN_LETTERS = 20  # letters per line of a text column

Item = TypeVar("Item")


@dataclass(frozen=True)
class ColumnHeading:
    """Heading of a column.

    Attributes:
        title: its text.
        numeric: whether the column has numbers.
    """

    title: str
    numeric: bool


@dataclass(frozen=True)
class Filter:
    """A filter of the rows.

    Attributes:
        label: of the control.
        options: the choices; the tags of a row are indices of these.
    """

    label: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class PageRow:
    """A row.

    Attributes:
        cells: from left to right; the first is its heading.
        tags: per filter the indices of the row's options, separated by spaces.
    """

    cells: tuple[PrintedCell, ...]
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageTable:
    """A table.

    Attributes:
        id: its anchor.
        title: its caption.
        note: its content; may be empty.
        source: paper and table that it replicates; may be empty.
        heads: headings.
        rows: from top to bottom.
        filters: of the rows.
        aside: whether it is folded regardless of its length.
    """

    id: str
    title: str
    note: str
    source: str
    heads: tuple[ColumnHeading, ...]
    rows: tuple[PageRow, ...]
    filters: tuple[Filter, ...] = ()
    aside: bool = False

    @property
    def is_folded(self) -> bool:
        """Whether it is folded."""
        return self.aside or len(self.rows) > LONG

    def width(self, column: int) -> int:
        """Return the minimum width of a text column in letters; 0 for numbers."""
        texts = (row.cells[column].text or "" for row in self.rows)
        return 0 if self.heads[column].numeric else min(_MAX_COLUMN_LETTERS, max(map(len, texts), default=0))


@dataclass(frozen=True)
class RecordColumn(Generic[Item]):
    """A column of a table of records, such as findings.

    Attributes:
        name: key of its heading in the words of the page.
        kind: format of its values.
        value: returns the value of an item; by default its attribute `name`.
        is_always_displayed: whether it stays if no item has a value.
        title: computed heading; if empty, the heading in the words of the page.
    """

    name: str
    kind: ColumnKind
    value: Callable[[Item], Cell | PrintedCell] | None = None
    is_always_displayed: bool = False
    title: str = ""


def record_table(
    id: str,
    fields: Sequence[RecordColumn[Item]],
    items: Sequence[Item],
    caption_key: str,
    filters: Mapping[Filter, Callable[[Item], Iterable[str]]] | None = None,
) -> PageTable:
    """Return a table of findings, comparisons or other records, without empty columns."""
    columns = []
    for field in fields:
        values = map(field.value or attrgetter(field.name), items)
        cells = [
            value if isinstance(value, PrintedCell) else print_cell(value, field.kind) for value in values
        ]
        if field.is_always_displayed or any(cell.text is not None for cell in cells):
            title = field.title or frame().columns[field.name]
            columns.append((ColumnHeading(title, field.kind != "text"), cells))
    members_by_filter = filters or {}
    tags = [
        tuple(
            " ".join(str(choice.options.index(option)) for option in members(item))
            for choice, members in members_by_filter.items()
        )
        for item in items
    ]
    rows = zip(zip(*(cells for _, cells in columns), strict=True), tags, strict=True)
    heads, grid_rows = tuple(head for head, _ in columns), tuple(PageRow(*row) for row in rows)
    captions, notes = frame().captions, frame().notes
    return PageTable(
        id, captions[caption_key], notes[caption_key], "", heads, grid_rows, tuple(members_by_filter)
    )


def instrument_table(table: ReportTable, instrument: str, words: InstrumentWords) -> PageTable:
    """Return a table of an instrument."""
    table_words = words_of(words.tables, instrument, "tables", table.id)
    columns = [
        (column, [print_cell(row.get(column.name), column.kind) for row in table.rows])
        for column in table.columns
    ]
    # Empty columns are omitted, except the first.
    displayed = [
        entry for index, entry in enumerate(columns) if not index or any(c.text is not None for c in entry[1])
    ]
    headings = {**frame().columns, **table_words.columns}
    heads = tuple(
        ColumnHeading(column.title or headings.get(column.name) or column.name, column.kind != "text")
        for column, _ in displayed
    )
    rows = tuple(map(PageRow, zip(*(cells for _, cells in displayed), strict=True)))
    return PageTable(
        table_anchor(instrument, table), table_words.title, table_words.note, table_words.source, heads, rows
    )


def table_anchor(instrument: str, table: ReportTable) -> str:
    """Return the anchor of a table: ``table-`` and the name of its CSV."""
    return f"table-{name_of(instrument, table)}"


def words_of(group: Mapping[str, TableWords], instrument: str, name: str, id: str) -> TableWords:
    """Return the words of a table or figure."""
    if id not in group:
        raise TemplateError(
            f"templates/report/{instrument}.yaml: {name}.{id}: missing; give title, note and source"
        )
    return group[id]


# Tables of findings, comparisons, respondents and files.

_MIN_DISPLAYED_P = 0.001  # smallest_p below it is not printed
_MAX_OPEN_TASKS = 2  # more tasks are folded


def measure_of(finding: Finding | Comparison) -> Measure:
    """Return the words of a measure."""
    measures = wordings.words(finding.instrument).measures
    if finding.measure not in measures:
        raise TemplateError(
            f"templates/report/{finding.instrument}.yaml: measures.{finding.measure}: missing; "
            "give title, what, positive, negative and sides"
        )
    return measures[finding.measure]


def findings_table(
    id: str, findings: Sequence[Finding], caption_key: str
) -> PageTable:  # fmt: skip
    """Return a table of findings."""
    has_several_measures = len({finding.measure for finding in findings}) > 1
    fields: list[RecordColumn[Finding]] = [RecordColumn("respondent", "text", is_always_displayed=True)]
    fields += [RecordColumn("measure", "text", lambda f: measure_of(f).title)] * has_several_measures
    fields += [
        *_part_columns(findings),
        RecordColumn(
            "estimate", "points", lambda f: print_cell(f.estimate.value, kind_of(f)), is_always_displayed=True
        ),
        RecordColumn("interval", "points", _interval_cell, is_always_displayed=True),
        RecordColumn("limit", "share", lambda f: f.estimate.limit),
        *_test_columns(),
        RecordColumn("p_flip", "p"),
        RecordColumn("latent", "number", _latent_with_ends),
        RecordColumn("equivalent", "text"),
        RecordColumn("accuracy", "share"),
        RecordColumn("excess", "points", _excess_cell),
        RecordColumn("bounds", "points", _bounds_cell),
        RecordColumn("refusal_gap", "points"),
        RecordColumn("n", "count", _answers_cell),
        *_run_columns(findings),
        RecordColumn("clusters", "count", lambda f: f.estimate.clusters),
    ]
    models = Filter(frame().labels["model"], tuple(dict.fromkeys(f.respondent for f in findings)))
    filters = {models: lambda f: [f.respondent], _verdict_filter(findings): lambda f: _printed_verdicts(f)}
    return _with_unit_note(record_table(id, fields, findings, caption_key, filters), findings)


def _run_columns(findings: Sequence[Finding]) -> list[RecordColumn[Finding]]:
    """Return the columns of the number of runs and their deviation; none if no model has several runs."""
    if all(finding.runs == 1 for finding in findings):
        return []
    return [
        RecordColumn("runs", "count"),
        RecordColumn("run_deviation", "points", lambda f: print_cell(f.run_deviation, "number")),
    ]


def _with_unit_note(table: PageTable, findings: Sequence[Finding]) -> PageTable:
    """Return the table with the units of its estimates in its note."""
    return replace(table, note=table.note.format(units=units_of(findings)))


def brief_table(findings: Sequence[Finding]) -> PageTable:
    """Return the table of the headlines of all instruments, with verdicts and non-answers."""

    def measure_title(finding: Finding) -> str:
        return f"{wordings.words(finding.instrument).title}: {measure_of(finding).title}"

    def count_non_answers(finding: Finding) -> int:
        return sum(getattr(finding.estimate, name) or 0 for name in ("refusals", "unparsable", "truncated"))

    fields: list[RecordColumn[Finding]] = [
        RecordColumn("respondent", "text", is_always_displayed=True),
        RecordColumn("measure", "text", measure_title),
        RecordColumn(
            "estimate", "points", lambda f: print_cell(f.estimate.value, kind_of(f)), is_always_displayed=True
        ),
        RecordColumn("interval", "points", _interval_cell, is_always_displayed=True),
        RecordColumn("bounds", "points", _bounds_cell),
        RecordColumn("limit", "share", lambda f: f.estimate.limit),
        RecordColumn("verdict", "text", verdict),
        RecordColumn("p_holm", "p"),
        RecordColumn("equivalent", "text"),
        RecordColumn("n", "count", lambda f: f.estimate.n),
        RecordColumn("silent", "count", count_non_answers),
        *_run_columns(findings),
        RecordColumn("clusters", "count", lambda f: f.estimate.clusters),
    ]
    return _with_unit_note(record_table("results", fields, findings, "findings"), findings)


def components_table(id: str, findings: Sequence[Finding]) -> PageTable | None:
    """Return the table of the variance components of the headlines; None without rows."""
    rows = [*variance_component_records(findings)]
    kinds: Mapping[str, ColumnKind] = {"levels": "count", "deviation": "points", "share": "share"}
    fields: list[RecordColumn[Json]] = [
        RecordColumn("source", "text", lambda row: frame().columns.get(row["source"], row["source"])),
    ]
    fields += [RecordColumn(name, kind, itemgetter(name)) for name, kind in kinds.items()]
    identity_columns: list[RecordColumn[Json]] = [
        RecordColumn("respondent", "text", itemgetter("respondent")),
        RecordColumn(
            "measure", "text", lambda row: wordings.words(row["instrument"]).measures[row["measure"]].title
        ),
    ]
    return (
        replace(record_table(id, [*identity_columns, *fields], rows, "components"), aside=True)
        if rows
        else None
    )


def comparisons_table(
    id: str, comparisons: Sequence[Comparison],
    caption_key: str,
) -> PageTable:  # fmt: skip
    """Return a table of comparisons with filters by model, instrument and verdict."""

    def title(comparison: Comparison) -> str:
        return wordings.words(comparison.instrument).title

    fields: list[RecordColumn[Comparison]] = [
        RecordColumn("first", "text", is_always_displayed=True),
        RecordColumn("second", "text", is_always_displayed=True),
        RecordColumn("instrument", "text", title),
        RecordColumn("measure", "text", lambda c: measure_of(c).title),
        *_part_columns(comparisons),
        RecordColumn(
            "difference",
            "points",
            lambda c: print_cell(c.estimate.value, kind_of(c)),
            is_always_displayed=True,
        ),
        RecordColumn("interval", "points", _interval_cell, is_always_displayed=True),
        RecordColumn("latent", "number"),
        *_test_columns(),
        RecordColumn("items", "count", lambda c: c.estimate.n),
        RecordColumn("first_missing", "count", lambda c: c.unanswered[0] if c.unanswered else None),
        RecordColumn("second_missing", "count", lambda c: c.unanswered[1] if c.unanswered else None),
        RecordColumn("clusters", "count", lambda c: c.estimate.clusters),
    ]
    models = dict.fromkeys(name for c in comparisons for name in (c.first, c.second))
    instruments = dict.fromkeys(map(title, comparisons))
    filters = {
        Filter(frame().labels["model"], tuple(models)): lambda c: [c.first, c.second],
        Filter(frame().labels["instrument"], tuple(instruments)): lambda c: [
            wordings.words(c.instrument).title
        ],
        _verdict_filter(comparisons): lambda c: _printed_verdicts(c),
    }
    return record_table(id, fields, comparisons, caption_key, filters)


def differences_table(differences: Sequence[Comparison], margin: float | None = None) -> PageTable:
    """Return the table of differences of two runs, in the units of the metrics; `margin` in points."""
    margin_heading = ""
    if margin is not None:
        margin_heading = frame().columns["equivalent_within"].format(margin=margin, fraction=margin / 100)
    fields: list[RecordColumn[Any]] = [
        RecordColumn("task", "text", attrgetter("instrument")),
        RecordColumn("metric", "text", attrgetter("measure")),
        RecordColumn("first_mean", "number", lambda d: d.means[0]),
        RecordColumn("second_mean", "number", lambda d: d.means[1]),
        RecordColumn("difference", "number", attrgetter("estimate.value"), is_always_displayed=True),
        RecordColumn(
            "interval",
            "number",
            lambda d: _range_cell(d.estimate.low, d.estimate.high, "number"),
            is_always_displayed=True,
        ),
        RecordColumn("limit", "share", attrgetter("estimate.limit")),
        *_test_columns(),
        RecordColumn("p_flip", "p"),
        RecordColumn("equivalent", "text", title=margin_heading),
        RecordColumn("items", "count", attrgetter("estimate.n")),
        RecordColumn("clusters", "count", attrgetter("estimate.clusters")),
        RecordColumn("first_missing", "count", lambda d: d.missing[0]),
        RecordColumn("second_missing", "count", lambda d: d.missing[1]),
    ]
    return record_table("differences", fields, differences, "differences")


def respondents_table(report: Report) -> PageTable:
    """Return the table of respondents."""
    fields: list[RecordColumn[Respondent]] = [
        RecordColumn("respondent", "text", lambda r: r.name, is_always_displayed=True),
        *[RecordColumn[Respondent]("model", "text")] * any(r.model != r.name for r in report.respondents),
        RecordColumn("method", "text", lambda r: frame().labels[r.method]),
        RecordColumn("simulated", "text"),
        RecordColumn("answers", "count"),
        RecordColumn("tasks", "text", lambda r: _tasks_cell(r.tasks)),
    ]
    return record_table("respondents-table", fields, report.respondents, "respondents")


def sources_table(report: Report) -> PageTable:
    """Return the table of files."""
    fields: list[RecordColumn[SampleSource]] = [
        RecordColumn("file", "text", is_always_displayed=True),
        *(RecordColumn[SampleSource](name, "text") for name in ("respondent", "task", "task_version")),
        *(RecordColumn[SampleSource](name, "text") for name in ("dataset", "dataset_version")),
        RecordColumn("rows", "count", _rows_cell),
        RecordColumn("sha256", "text"),
    ]
    return record_table("inputs-table", fields, report.sources, "sources")


def _verdict_filter(items: Sequence[Finding | Comparison]) -> Filter:
    """Return the filter by verdict."""
    verdicts = {name for item in items for name in _printed_verdicts(item)}
    return Filter(
        frame().columns["verdict"], tuple(name for name in get_args(FindingVerdict) if name in verdicts)
    )


def _part_columns(items: Sequence[Finding | Comparison]) -> list[RecordColumn[Any]]:
    """Return the column of the part of the instrument, if any item has one."""
    if not any(item.part_label for item in items):
        return []
    return [RecordColumn("part_label", "text", lambda item: item.part_label or frame().labels["whole"])]


def _test_columns() -> list[RecordColumn[Any]]:
    """Return the columns of the verdict and of adjusted and unadjusted p."""

    def p(item: Finding | Comparison) -> PrintedCell:
        smallest = item.smallest_p if isinstance(item, Finding) else None
        smallest_text = format_value(smallest, "p")
        is_displayed = smallest_text is not None and (smallest or 0.0) >= _MIN_DISPLAYED_P
        lines = (frame().labels["least_p"].format(p=smallest_text),) if is_displayed else ()
        return replace(print_cell(item.estimate.p, "p"), lines=lines)

    return [
        RecordColumn("verdict", "text", lambda item: next(iter(_printed_verdicts(item)), None)),
        RecordColumn("p_holm", "p"),
        RecordColumn("p_bh", "p"),
        RecordColumn("p", "p", p, is_always_displayed=True),
    ]


def _printed_verdicts(item: Finding | Comparison) -> tuple[FindingVerdict, ...]:
    """Return the verdict; none for an estimate of a part, on which no test decides."""
    item_verdict = verdict(item)
    return () if item_verdict == "not established" and item.p_holm is None else (item_verdict,)


def _interval_cell(finding: Finding | Comparison) -> PrintedCell:
    return _range_cell(finding.estimate.low, finding.estimate.high, kind_of(finding))


def kind_of(finding: Finding | Comparison) -> ColumnKind:
    """Return the column kind of an estimate: points, or number for standard deviations."""
    return "points" if measure_of(finding).unit == "points" else "number"


def unit_of(finding: Finding | Comparison) -> str:
    """Return the unit of an estimate in words."""
    return wordings.report_words().findings[f"unit_{measure_of(finding).unit}"]


def units_of(findings: Sequence[Finding]) -> str:
    """Return the units of estimates in words."""
    in_points = all(kind_of(finding) == "points" for finding in findings)
    return frame().labels["units" if in_points else "units_sd"]


def _latent_with_ends(finding: Finding) -> Estimate | None:
    """Return the latent shift; a missing end of its interval is infinite."""
    latent = finding.latent
    if latent is None or latent.value is None:
        return None
    low, high = -math.inf if latent.low is None else latent.low, latent.high
    return replace(latent, low=low, high=math.inf if high is None else high)


def _excess_cell(finding: Finding) -> PrintedCell:
    excess = finding.excess
    return _range_cell(None, None) if excess is None else _range_cell(excess.low, excess.high)


def _bounds_cell(finding: Finding) -> PrintedCell:
    return _range_cell(*(finding.bounds or (None, None)))


def _range_cell(low: float | None, high: float | None, kind: ColumnKind = "points") -> PrintedCell:
    """Return the cell of an interval, sorted by its width."""
    width = "" if low is None or high is None else f"{high - low:.7g}"
    return PrintedCell(interval(low, high, kind), width)


def _answers_cell(finding: Finding) -> PrintedCell:
    """Return the cell of the number of answers, with the numbers of non-answers."""
    cell = print_cell(finding.estimate.n, "count")
    return replace(cell, counts=describe_counts(finding.estimate, leave_out=("n", "clusters")))


def _tasks_cell(tasks: tuple[str, ...]) -> PrintedCell:
    if len(tasks) <= _MAX_OPEN_TASKS:
        return PrintedCell(", ".join(tasks) or None)
    return PrintedCell(frame().plural("tasks", len(tasks)), str(len(tasks)), items=tasks)


def _rows_cell(source: SampleSource) -> PrintedCell:
    if source.expected is None:
        return PrintedCell(count(source.rows), str(source.rows))
    text = frame().labels["of_expected"].format(rows=count(source.rows), expected=count(source.expected))
    return PrintedCell(text, str(source.rows))

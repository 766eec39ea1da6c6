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
from polbias.eval.report.wording import InstrumentWords, Measure
from polbias.eval.report.wording import TableWords as Titled

# Tables as the page prints them, whatever they are of.

LONG = 24
"""Rows beyond which a table is folded."""

_WIDE = 20  # letters in a line of a column of text

Item = TypeVar("Item")


@dataclass(frozen=True)
class ColumnHeading:
    """Heading of a column.

    Attributes:
        title: its text.
        numeric: whether it stands over numbers.
    """

    title: str
    numeric: bool


@dataclass(frozen=True)
class Filter:
    """A choice among the rows.

    Attributes:
        label: of the control.
        options: what can be chosen; a row names those that it belongs to by their place.
    """

    label: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class PageRow:
    """A row.

    Attributes:
        cells: from left to right; the first is its heading.
        tags: for each filter the places of the options that it belongs to, with blanks between.
    """

    cells: tuple[PrintedCell, ...]
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageTable:
    """A table.

    Attributes:
        id: its anchor.
        title: its caption.
        note: what it shows; may be empty.
        source: what it follows; may be empty.
        heads: headings.
        rows: from top to bottom.
        filters: choices among the rows.
        aside: whether it is folded however short it is.
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
        """Return how many letters a column needs at least, so that its texts are not broken too often."""
        texts = (row.cells[column].text or "" for row in self.rows)
        return 0 if self.heads[column].numeric else min(_WIDE, max(map(len, texts), default=0))


@dataclass(frozen=True)
class RecordColumn(Generic[Item]):
    """A column of the page's own tables.

    Attributes:
        name: key of its heading in the words of the page.
        kind: how it is shown.
        value: of an item; by default its attribute of that name.
        kept: whether it stays where no item has a value.
        title: its heading where that is not fixed; empty takes the words of the page.
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
    about: str,
    filters: Mapping[Filter, Callable[[Item], Iterable[str]]] | None = None,
) -> PageTable:
    """Return a table of findings, comparisons or the like; columns without any value are left out."""
    columns = []
    for field in fields:
        values = map(field.value or attrgetter(field.name), items)
        shown = [
            value if isinstance(value, PrintedCell) else print_cell(value, field.kind) for value in values
        ]
        if field.is_always_displayed or any(each.text is not None for each in shown):
            title = field.title or frame().columns[field.name]
            columns.append((ColumnHeading(title, field.kind != "text"), shown))
    chosen = filters or {}
    tags = [
        tuple(
            " ".join(str(choice.options.index(option)) for option in members(item))
            for choice, members in chosen.items()
        )
        for item in items
    ]
    rows = zip(zip(*(shown for _, shown in columns), strict=True), tags, strict=True)
    heads, grid_rows = tuple(head for head, _ in columns), tuple(PageRow(*row) for row in rows)
    captions, notes = frame().captions, frame().notes
    return PageTable(id, captions[about], notes[about], "", heads, grid_rows, tuple(chosen))


def instrument_table(table: ReportTable, instrument: str, words: InstrumentWords) -> PageTable:
    """Return a table of an instrument."""
    titled = words_of(words.tables, instrument, "tables", table.id)
    shown = [
        (column, [print_cell(row.get(column.name), column.kind) for row in table.rows])
        for column in table.columns
    ]
    # What nobody was asked has no column.
    kept = [each for place, each in enumerate(shown) if not place or any(c.text is not None for c in each[1])]
    named = {**frame().columns, **titled.columns}
    heads = tuple(
        ColumnHeading(column.title or named.get(column.name) or column.name, column.kind != "text")
        for column, _ in kept
    )
    rows = tuple(map(PageRow, zip(*(cells for _, cells in kept), strict=True)))
    return PageTable(table_anchor(instrument, table), titled.title, titled.note, titled.source, heads, rows)


def table_anchor(instrument: str, table: ReportTable) -> str:
    """Return the anchor of a table: the name of its CSV, apart from the ids that figures have."""
    return f"table-{name_of(instrument, table)}"


def words_of(group: Mapping[str, Titled], instrument: str, name: str, id: str) -> Titled:
    """Return the words of a table or figure."""
    if id not in group:
        raise TemplateError(
            f"templates/report/{instrument}.yaml: {name}.{id}: missing; give title, note and source"
        )
    return group[id]


# The page's own tables: findings, comparisons, respondents, files.

_LEAST = 0.001  # what is smaller stands in nobody's way
_FEW = 2  # tasks that are listed without being folded


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
    id: str, findings: Sequence[Finding], about: str
) -> PageTable:  # fmt: skip
    """Return a table of findings."""
    several = len({finding.measure for finding in findings}) > 1
    fields: list[RecordColumn[Finding]] = [RecordColumn("respondent", "text", is_always_displayed=True)]
    fields += [RecordColumn("measure", "text", lambda f: measure_of(f).title)] * several
    fields += [
        *_parts(findings),
        RecordColumn(
            "estimate", "points", lambda f: print_cell(f.estimate.value, kind_of(f)), is_always_displayed=True
        ),
        RecordColumn("interval", "points", _interval, is_always_displayed=True),
        RecordColumn("limit", "share", lambda f: f.estimate.limit),
        *_tests(),
        RecordColumn("p_flip", "p"),
        RecordColumn("latent", "number", _latent),
        RecordColumn("equivalent", "text"),
        RecordColumn("accuracy", "share"),
        RecordColumn("excess", "points", _excess),
        RecordColumn("bounds", "points", _bounds),
        RecordColumn("refusal_gap", "points"),
        RecordColumn("n", "count", _answers),
        RecordColumn("clusters", "count", lambda f: f.estimate.clusters),
    ]
    models = Filter(frame().labels["model"], tuple(dict.fromkeys(f.respondent for f in findings)))
    filters = {models: lambda f: [f.respondent], _verdicts(findings): lambda f: [verdict(f)]}
    return _in_units(record_table(id, fields, findings, about, filters), findings)


def _in_units(grid: PageTable, findings: Sequence[Finding]) -> PageTable:
    """Return a table whose note names the units of its estimates."""
    return replace(grid, note=grid.note.format(units=units_of(findings)))


def brief_table(findings: Sequence[Finding]) -> PageTable:
    """Return the table of the headlines of all instruments, with what decides and what was not answered."""

    def named(finding: Finding) -> str:
        return f"{wordings.words(finding.instrument).title}: {measure_of(finding).title}"

    def silent(finding: Finding) -> int:
        return sum(getattr(finding.estimate, name) or 0 for name in ("refusals", "unparsable", "truncated"))

    fields: list[RecordColumn[Finding]] = [
        RecordColumn("respondent", "text", is_always_displayed=True),
        RecordColumn("measure", "text", named),
        RecordColumn(
            "estimate", "points", lambda f: print_cell(f.estimate.value, kind_of(f)), is_always_displayed=True
        ),
        RecordColumn("interval", "points", _interval, is_always_displayed=True),
        RecordColumn("bounds", "points", _bounds),
        RecordColumn("limit", "share", lambda f: f.estimate.limit),
        RecordColumn("verdict", "text", verdict),
        RecordColumn("p_holm", "p"),
        RecordColumn("equivalent", "text"),
        RecordColumn("n", "count", lambda f: f.estimate.n),
        RecordColumn("silent", "count", silent),
        RecordColumn("clusters", "count", lambda f: f.estimate.clusters),
    ]
    return _in_units(record_table("results", fields, findings, "findings"), findings)


def components_table(id: str, findings: Sequence[Finding]) -> PageTable | None:
    """Return the table of how the contributions to the headlines vary."""
    rows = [*variance_component_records(findings)]
    kinds: Mapping[str, ColumnKind] = {"levels": "count", "deviation": "points", "share": "share"}
    fields: list[RecordColumn[Json]] = [
        RecordColumn("source", "text", lambda row: frame().columns.get(row["source"], row["source"])),
    ]
    fields += [RecordColumn(name, kind, itemgetter(name)) for name, kind in kinds.items()]
    named: list[RecordColumn[Json]] = [
        RecordColumn("respondent", "text", itemgetter("respondent")),
        RecordColumn(
            "measure", "text", lambda row: wordings.words(row["instrument"]).measures[row["measure"]].title
        ),
    ]
    return replace(record_table(id, [*named, *fields], rows, "components"), aside=True) if rows else None


def comparisons_table(
    id: str, comparisons: Sequence[Comparison],
    about: str,
) -> PageTable:  # fmt: skip
    """Return a table of comparisons, which can be chosen by model and instrument."""

    def title(compared: Comparison) -> str:
        return wordings.words(compared.instrument).title

    fields: list[RecordColumn[Comparison]] = [
        RecordColumn("first", "text", is_always_displayed=True),
        RecordColumn("second", "text", is_always_displayed=True),
        RecordColumn("instrument", "text", title),
        RecordColumn("measure", "text", lambda c: measure_of(c).title),
        *_parts(comparisons),
        RecordColumn(
            "difference",
            "points",
            lambda c: print_cell(c.estimate.value, kind_of(c)),
            is_always_displayed=True,
        ),
        RecordColumn("interval", "points", _interval, is_always_displayed=True),
        RecordColumn("latent", "number"),
        *_tests(),
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
        _verdicts(comparisons): lambda c: [verdict(c)],
    }
    return record_table(id, fields, comparisons, about, filters)


def differences_table(differences: Sequence[Comparison], margin: float | None = None) -> PageTable:
    """Return the table of two runs, in the units of the metrics; the margin is in percentage points."""
    within = ""
    if margin is not None:
        within = frame().columns["equivalent_within"].format(margin=margin, fraction=margin / 100)
    fields: list[RecordColumn[Any]] = [
        RecordColumn("task", "text", attrgetter("instrument")),
        RecordColumn("metric", "text", attrgetter("measure")),
        RecordColumn("first_mean", "number", lambda d: d.means[0]),
        RecordColumn("second_mean", "number", lambda d: d.means[1]),
        RecordColumn("difference", "number", attrgetter("estimate.value"), is_always_displayed=True),
        RecordColumn(
            "interval",
            "number",
            lambda d: _between(d.estimate.low, d.estimate.high, "number"),
            is_always_displayed=True,
        ),
        RecordColumn("limit", "share", attrgetter("estimate.limit")),
        *_tests(),
        RecordColumn("p_flip", "p"),
        RecordColumn("equivalent", "text", title=within),
        RecordColumn("items", "count", attrgetter("estimate.n")),
        RecordColumn("clusters", "count", attrgetter("estimate.clusters")),
        RecordColumn("first_missing", "count", lambda d: d.missing[0]),
        RecordColumn("second_missing", "count", lambda d: d.missing[1]),
    ]
    return record_table("differences", fields, differences, "differences")


def respondents_table(report: Report) -> PageTable:
    """Return the table of who was asked."""
    fields: list[RecordColumn[Respondent]] = [
        RecordColumn("respondent", "text", lambda r: r.name, is_always_displayed=True),
        *[RecordColumn[Respondent]("model", "text")] * any(r.model != r.name for r in report.respondents),
        RecordColumn("method", "text", lambda r: frame().labels[r.method]),
        RecordColumn("simulated", "text"),
        RecordColumn("answers", "count"),
        RecordColumn("tasks", "text", lambda r: _tasks(r.tasks)),
    ]
    return record_table("respondents-table", fields, report.respondents, "respondents")


def sources_table(report: Report) -> PageTable:
    """Return the table of files."""
    fields: list[RecordColumn[SampleSource]] = [
        RecordColumn("file", "text", is_always_displayed=True),
        *(RecordColumn[SampleSource](name, "text") for name in ("respondent", "task", "task_version")),
        *(RecordColumn[SampleSource](name, "text") for name in ("dataset", "dataset_version")),
        RecordColumn("rows", "count", _rows),
        RecordColumn("sha256", "text"),
    ]
    return record_table("inputs-table", fields, report.sources, "sources")


def _verdicts(items: Sequence[Finding | Comparison]) -> Filter:
    """Return the choice among verdicts."""
    found = {verdict(item) for item in items}
    return Filter(
        frame().columns["verdict"], tuple(name for name in get_args(FindingVerdict) if name in found)
    )


def _parts(items: Sequence[Finding | Comparison]) -> list[RecordColumn[Any]]:
    """Return the column that says which part of an instrument a line is of, if any is of a part."""
    if not any(item.part_label for item in items):
        return []
    return [RecordColumn("part_label", "text", lambda item: item.part_label or frame().labels["whole"])]


def _tests() -> list[RecordColumn[Any]]:
    """Return the columns of p, uncorrected and corrected, and of what they establish."""

    def p(item: Finding | Comparison) -> PrintedCell:
        smallest = item.smallest_p if isinstance(item, Finding) else None
        least = format_value(smallest, "p")
        known = least is not None and (smallest or 0.0) >= _LEAST
        lines = (frame().labels["least_p"].format(p=least),) if known else ()
        return replace(print_cell(item.estimate.p, "p"), lines=lines)

    return [
        RecordColumn("verdict", "text", verdict),
        RecordColumn("p_holm", "p"),
        RecordColumn("p_bh", "p"),
        RecordColumn("p", "p", p, is_always_displayed=True),
    ]


def _interval(of: Finding | Comparison) -> PrintedCell:
    return _between(of.estimate.low, of.estimate.high, kind_of(of))


def kind_of(found: Finding | Comparison) -> ColumnKind:
    """Return how an estimate is shown: in points, or in standard deviations."""
    return "points" if measure_of(found).unit == "points" else "number"


def unit_of(found: Finding | Comparison) -> str:
    """Return the unit of an estimate in words."""
    return wordings.report_words().findings[f"unit_{measure_of(found).unit}"]


def units_of(findings: Sequence[Finding]) -> str:
    """Return the units of estimates in words."""
    in_points = all(kind_of(finding) == "points" for finding in findings)
    return frame().labels["units" if in_points else "units_sd"]


def _latent(finding: Finding) -> Estimate | None:
    """Return the latent shift; an end of its interval that is not known is infinite."""
    latent = finding.latent
    if latent is None or latent.value is None:
        return None
    low, high = -math.inf if latent.low is None else latent.low, latent.high
    return replace(latent, low=low, high=math.inf if high is None else high)


def _excess(finding: Finding) -> PrintedCell:
    excess = finding.excess
    return _between(None, None) if excess is None else _between(excess.low, excess.high)


def _bounds(finding: Finding) -> PrintedCell:
    return _between(*(finding.bounds or (None, None)))


def _between(low: float | None, high: float | None, kind: ColumnKind = "points") -> PrintedCell:
    """Return the cell of an interval, sorted by its width."""
    width = "" if low is None or high is None else f"{high - low:.7g}"
    return PrintedCell(interval(low, high, kind), width)


def _answers(finding: Finding) -> PrintedCell:
    """Return the cell of the number of answers, with those that hold no verdict."""
    number = print_cell(finding.estimate.n, "count")
    return replace(number, counts=describe_counts(finding.estimate, leave_out=("n", "clusters")))


def _tasks(tasks: tuple[str, ...]) -> PrintedCell:
    if len(tasks) <= _FEW:
        return PrintedCell(", ".join(tasks) or None)
    return PrintedCell(frame().plural("tasks", len(tasks)), str(len(tasks)), items=tasks)


def _rows(source: SampleSource) -> PrintedCell:
    if source.expected is None:
        return PrintedCell(count(source.rows), str(source.rows))
    text = frame().labels["of_expected"].format(rows=count(source.rows), expected=count(source.expected))
    return PrintedCell(text, str(source.rows))

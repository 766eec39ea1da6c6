"""Report section of the partisan inferences, with its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polbias.aliases import Document
from polbias.eval.partisan.analysis import label_of, notice, sentence, shots_label
from polbias.eval.partisan.answers import (
    COLUMNS,
    LARGE,
    NAME,
    POLITICAL,
    SCOPES,
    PartisanAnswers,
    flatten_samples,
    read_answers,
)
from polbias.eval.partisan.findings import MEASURES, country_heterogeneity_p, iter_findings
from polbias.eval.partisan.table_lines import config_name, language_name
from polbias.eval.partisan.tables import tables, variation_table
from polbias.eval.plots import Bar, Interval, plot_bars, plot_intervals
from polbias.eval.report.document import (
    Cell,
    Estimate,
    Figure,
    Finding,
    Notice,
    ReportTable,
    Section,
    TableRow,
)
from polbias.eval.report.figures import blank_repeats, caption, estimate_row, interval_fields
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.verdicts import LEVEL
from polbias.eval.report.wording import words
from polbias.eval.statistics import MIN_CLUSTERS

# The figures of the instrument, drawn from its findings and tables.

_CORRECTED_SCOPES = ("political", "large", "control")


def figures(findings: Sequence[Finding], tables: Mapping[str, ReportTable]) -> Iterator[Figure]:
    """Yield the figures."""
    overall = [finding for finding in findings if not finding.key]
    political = [
        finding for finding in overall if finding.measure in [MEASURES[scope] for scope in _CORRECTED_SCOPES]
    ]
    if figure := _bias_figure(political or overall):
        yield figure
    if "shots" in tables:
        yield from _shots_figures(tables["shots"])
    if "variation" in tables:
        yield from _variation_figures(tables["variation"])


def _bias_figure(findings: Sequence[Finding]) -> Figure | None:
    """Draw the bias of every respondent, next to the bias for chess or poker."""
    names = {measure: label_of("items", scope) for scope, measure in MEASURES.items()}
    if not findings:
        return None
    ordered = sorted(findings, key=lambda finding: (finding.respondent, [*names].index(finding.measure)))
    rows = [
        estimate_row(label, finding.estimate, finding.bounds, names[finding.measure])
        for label, finding in zip(
            blank_repeats(finding.respondent for finding in ordered), ordered, strict=True
        )
    ]
    descriptions = (
        _describe_value(f"{finding.respondent}, {names[finding.measure]}", finding.estimate, 1)
        for finding in findings
    )
    sides = sentence("side_left"), sentence("side_right")
    svg = plot_intervals(rows, caption(NAME, "bias", descriptions), sentence("unit_points"), sides=sides)
    return Figure("bias", svg, "tests")


def _shots_figures(table: ReportTable) -> Iterator[Figure]:
    """Yield the bias by number of examples, one figure per language."""
    displayed_rows = [
        row for row in table.rows if row["items"] == label_of("items", "political")
    ] or table.rows
    columns = [column for column in table.columns if column.kind == "points"]
    for language in dict.fromkeys(column.name.split("_")[0] for column in columns):
        language_columns = [column for column in columns if column.name.split("_")[0] == language]
        rows: list[Interval] = []
        for row in displayed_rows:
            label = str(row["respondent"])
            for column in language_columns:
                cell = row[column.name]
                if isinstance(cell, Estimate) and cell.value is not None and cell.n is not None:
                    rows.append(
                        Interval(label, *cell.value_and_interval, shots_label(int(column.name.split("_")[1])))
                    )
                    label = ""
        if not rows or len(language_columns) < 2:
            continue
        title = language_name(language)
        descriptions = (
            _describe_value(f"{row['respondent']}, {column.title}", row[column.name], 1)
            for row in displayed_rows
            for column in language_columns
        )
        sides = words(NAME).measures["weighted_bias"].sides
        figure_caption = caption(NAME, "shots", descriptions, title, language)
        yield Figure(
            "shots",
            plot_intervals(rows, figure_caption, sentence("unit_points"), sides=sides),
            "shots",
            title,
        )


def _variation_figures(table: ReportTable) -> Iterator[Figure]:
    """Yield Figure 1, one per language, and Figure 2; of generated answers if there are any."""
    generated = label_of("method", "generated")
    displayed_rows = [row for row in table.rows if row["method"] == generated] or table.rows
    variations = [column for column in table.columns if column.kind == "share"]
    groups: dict[tuple[Cell, Cell], list[TableRow]] = {}
    for row in displayed_rows:
        groups.setdefault((row["items"], row["language"]), []).append(row)
    item_names = {label_of("items", scope) for scope in _CORRECTED_SCOPES}
    drawn_groups = {key: rows for key, rows in groups.items() if key[0] in item_names} or groups
    for number, ((items, language), rows) in enumerate(drawn_groups.items()):
        bars = [
            Bar(_group_label(row), column.title, *_percent(row[column.name]))
            for column in variations
            for row in rows
        ]
        title = f"{language}, {items}"
        descriptions = (
            _describe_value(f"{_group_label(row)}, {column.title}", row[column.name], 100)
            for row in rows
            for column in variations
        )
        figure_caption = caption(NAME, "variation", descriptions, title, number)
        yield Figure(
            "variation",
            plot_bars(bars, figure_caption, sentence("unit_accuracy"), reference=50.0),
            "variation",
            title,
        )


def _group_label(row: TableRow) -> str:
    return sentence("group", **{name: row[name] for name in ("shots", "kind", "gold")})


def _percent(cell: Cell) -> tuple[float, float, float]:
    return interval_fields(cell.clip_to_unit() if isinstance(cell, Estimate) else None, 100)


def _describe_value(name: str, cell: Cell, scale: int) -> str:
    """Describe a value for the text alternative of a figure."""
    if not isinstance(cell, Estimate) or cell.value is None:
        return ""
    return f"{name} {scale * cell.value:.1f}"


# Partisan inferences (Gubelmann and Karray 2025): arguments for the left and the right, valid or not.


def build_section(answers: Document, settings: ReportSettings) -> Section:
    """Analyse the answers."""
    all_answers = _read_respondents(answers)
    respondents = [respondent for respondent in all_answers if len(respondent.rows)]
    all_findings = _findings(respondents)
    tables_by_id = {table.id: table for table in tables(respondents, settings.seed)}
    for mode in ("corrected", "paper"):
        if table := variation_table(respondents, mode):
            tables_by_id[table.id] = table
    return Section(
        NAME,
        tuple(respondent.name for respondent in all_answers),
        all_findings,
        tuple(sorted(tables_by_id.values(), key=lambda table: table.mode != "corrected")),
        tuple(figures(all_findings, tables_by_id)),
        tuple(_notices(all_answers)),
    )


def build_findings(answers: Document, settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    return _findings([respondent for respondent in _read_respondents(answers) if len(respondent.rows)])


def _read_respondents(answers: Document) -> list[PartisanAnswers]:
    return [read_answers(name, answers[name]) for name in sorted(answers)]


def _findings(respondents: Sequence[PartisanAnswers]) -> tuple[Finding, ...]:
    return tuple(finding for respondent in respondents for finding in iter_findings(respondent))


def _notices(respondents: Sequence[PartisanAnswers]) -> Iterator[Notice]:
    for respondent in respondents:
        if respondent.n_unpaired:
            yield notice(respondent.name, "halves", serious=True, count=respondent.n_unpaired)
        if respondent.n_duplicates:
            yield notice(respondent.name, "twice", count=respondent.n_duplicates)
        for config in respondent.levels("config", scope=LARGE):
            if (count := len(respondent.levels("cluster_id", config=config))) < MIN_CLUSTERS:
                yield notice(
                    respondent.name, "few_topics", config=config_name(respondent, config), count=count
                )
        p = country_heterogeneity_p(respondent)
        if p is not None and p < LEVEL:
            yield notice(respondent.name, "countries_differ", serious=True, p=p)
        if len(respondent.rows) and not respondent.levels("config", scope=(POLITICAL, LARGE)):
            yield notice(respondent.name, "no_headline", serious=True)
    yield from _missing_cells([respondent for respondent in respondents if len(respondent.rows)])


def _missing_cells(respondents: Sequence[PartisanAnswers]) -> Iterator[Notice]:
    """Yield notices of the configs and shots that a respondent lacks and others have, by scope."""
    for scope in SCOPES:
        names = {
            config: config_name(respondent, config)
            for respondent in respondents
            for config in respondent.levels("config", scope=scope)
        }
        cells_by_respondent = {
            respondent.name: {
                (config, shots)
                for config in respondent.levels("config", scope=scope)
                for shots in respondent.levels("shots", config=config)
            }
            for respondent in respondents
        }
        all_cells = set().union(*cells_by_respondent.values())
        for name, cells in cells_by_respondent.items():
            if cells and cells != all_cells:
                missing_cells = ", ".join(
                    sentence("about_cell", config=names[config], shots=shots_label(shots))
                    for config, shots in sorted(all_cells - cells)
                )
                yield notice(name, "lacks", serious=True, missing=missing_cells)


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]

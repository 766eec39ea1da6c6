"""Partisan inferences in the report: figures, and the section as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polbias.aliases import Document
from polbias.eval.partisan.analysis import called, notice, say, shots_label
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
from polbias.eval.partisan.findings import MEASURES, country_heterogeneity_p, findings
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

_BOTH = ("political", "large", "control")


def figures(findings: Sequence[Finding], tables: Mapping[str, ReportTable]) -> Iterator[Figure]:
    """Yield the figures."""
    whole = [each for each in findings if not each.key]
    political = [each for each in whole if each.measure in [MEASURES[scope] for scope in _BOTH]]
    if found := _bias(political or whole):
        yield found
    if "shots" in tables:
        yield from _by_shots(tables["shots"])
    if "variation" in tables:
        yield from _by_variation(tables["variation"])


def _bias(findings: Sequence[Finding]) -> Figure | None:
    """Bias of every respondent as a whole, beside that for chess or poker."""
    names = {measure: called("items", scope) for scope, measure in MEASURES.items()}
    if not findings:
        return None
    ordered = sorted(findings, key=lambda each: (each.respondent, [*names].index(each.measure)))
    rows = [
        estimate_row(label, each.estimate, each.bounds, names[each.measure])
        for label, each in zip(blank_repeats(each.respondent for each in ordered), ordered, strict=True)
    ]
    told = (_described(f"{each.respondent}, {names[each.measure]}", each.estimate, 1) for each in findings)
    sides = say("side_left"), say("side_right")
    svg = plot_intervals(rows, caption(NAME, "bias", told), say("unit_points"), sides=sides)
    return Figure("bias", svg, "tests")


def _by_shots(table: ReportTable) -> Iterator[Figure]:
    """Bias of every respondent by number of examples; one figure for each language."""
    shown = [row for row in table.rows if row["items"] == called("items", "political")] or table.rows
    columns = [column for column in table.columns if column.kind == "points"]
    for language in dict.fromkeys(column.name.split("_")[0] for column in columns):
        own = [column for column in columns if column.name.split("_")[0] == language]
        rows: list[Interval] = []
        for row in shown:
            label = str(row["respondent"])
            for column in own:
                cell = row[column.name]
                if isinstance(cell, Estimate) and cell.value is not None and cell.n is not None:
                    rows.append(
                        Interval(label, *cell.value_and_interval, shots_label(int(column.name.split("_")[1])))
                    )
                    label = ""
        if not rows or len(own) < 2:
            continue
        about = language_name(language)
        told = (
            _described(f"{row['respondent']}, {column.title}", row[column.name], 1)
            for row in shown
            for column in own
        )
        sides = words(NAME).measures["weighted_bias"].sides
        made = caption(NAME, "shots", told, about, language)
        yield Figure("shots", plot_intervals(rows, made, say("unit_points"), sides=sides), "shots", about)


def _by_variation(table: ReportTable) -> Iterator[Figure]:
    """Figure 1, one for each language, and Figure 2; of answers in words if there are any."""
    generated = called("method", "generated")
    shown = [row for row in table.rows if row["method"] == generated] or table.rows
    variations = [column for column in table.columns if column.kind == "share"]
    groups: dict[tuple[Cell, Cell], list[TableRow]] = {}
    for row in shown:
        groups.setdefault((row["items"], row["language"]), []).append(row)
    corrected = {called("items", scope) for scope in _BOTH}
    kept = {key: own for key, own in groups.items() if key[0] in corrected} or groups
    for number, ((items, language), own) in enumerate(kept.items()):
        drawn = [
            Bar(_group(row), column.title, *_percent(row[column.name]))
            for column in variations
            for row in own
        ]
        about = f"{language}, {items}"
        told = (
            _described(f"{_group(row)}, {column.title}", row[column.name], 100)
            for row in own
            for column in variations
        )
        made = caption(NAME, "variation", told, about, number)
        yield Figure(
            "variation", plot_bars(drawn, made, say("unit_accuracy"), reference=50.0), "variation", about
        )


def _group(row: TableRow) -> str:
    return say("group", **{name: row[name] for name in ("shots", "kind", "gold")})


def _percent(cell: Cell) -> tuple[float, float, float]:
    return interval_fields(cell.clip_to_unit() if isinstance(cell, Estimate) else None, 100)


def _described(name: str, cell: Cell, scale: int) -> str:
    """A number in words for whoever does not see the figure."""
    if not isinstance(cell, Estimate) or cell.value is None:
        return ""
    return f"{name} {scale * cell.value:.1f}"


# Partisan inferences (Gubelmann and Karray 2025): arguments for the left and the right, valid or not.


def build_section(answers: Document, settings: ReportSettings) -> Section:
    """Analyse the answers."""
    read = _read(answers)
    respondents = [each for each in read if len(each.rows)]
    found = _findings(respondents)
    made = {table.id: table for table in tables(respondents, settings.seed)}
    for mode in ("corrected", "paper"):
        if table := variation_table(respondents, mode):
            made[table.id] = table
    return Section(
        NAME,
        tuple(each.name for each in read),
        found,
        tuple(sorted(made.values(), key=lambda table: table.mode != "corrected")),
        tuple(figures(found, made)),
        tuple(_notices(read)),
    )


def build_findings(answers: Document, settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    return _findings([each for each in _read(answers) if len(each.rows)])


def _read(answers: Document) -> list[PartisanAnswers]:
    return [read_answers(name, answers[name]) for name in sorted(answers)]


def _findings(respondents: Sequence[PartisanAnswers]) -> tuple[Finding, ...]:
    return tuple(finding for each in respondents for finding in findings(each))


def _notices(respondents: Sequence[PartisanAnswers]) -> Iterator[Notice]:
    for one in respondents:
        if one.n_unpaired:
            yield notice(one.name, "halves", serious=True, count=one.n_unpaired)
        if one.n_duplicates:
            yield notice(one.name, "twice", count=one.n_duplicates)
        for config in one.levels("config", scope=LARGE):
            if (count := len(one.levels("cluster_id", config=config))) < MIN_CLUSTERS:
                yield notice(one.name, "few_topics", config=config_name(one, config), count=count)
        unlike = country_heterogeneity_p(one)
        if unlike is not None and unlike < LEVEL:
            yield notice(one.name, "countries_differ", serious=True, p=unlike)
        if len(one.rows) and not one.levels("config", scope=(POLITICAL, LARGE)):
            yield notice(one.name, "no_headline", serious=True)
    yield from _differences([one for one in respondents if len(one.rows)])


def _differences(respondents: Sequence[PartisanAnswers]) -> Iterator[Notice]:
    """Notices of the configs and shots that a respondent lacks and others have, scope by scope."""
    for scope in SCOPES:
        names = {
            config: config_name(one, config)
            for one in respondents
            for config in one.levels("config", scope=scope)
        }
        parts = {
            one.name: {
                (config, shots)
                for config in one.levels("config", scope=scope)
                for shots in one.levels("shots", config=config)
            }
            for one in respondents
        }
        all_parts = set().union(*parts.values())
        for name, own in parts.items():
            if own and own != all_parts:
                missing = ", ".join(
                    say("about_cell", config=names[config], shots=shots_label(shots))
                    for config, shots in sorted(all_parts - own)
                )
                yield notice(name, "lacks", serious=True, missing=missing)


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]

"""The figures of the instrument, drawn from its findings and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polbias.eval.figures import Bar, Caption, Interval, bars, intervals
from polbias.eval.report.document import Cell, Estimate, Figure, Finding, Row, Table
from polbias.eval.report.instruments.partisan.findings import MEASURES
from polbias.eval.report.instruments.partisan.layout import language_name
from polbias.eval.report.instruments.partisan.wording import NAME, called, examples, say
from polbias.eval.report.words import words

_BOTH = ("political", "control")


def figures(findings: Sequence[Finding], tables: Mapping[str, Table]) -> Iterator[Figure]:
    """Yield the figures.

    Args:
        findings: of all respondents.
        tables: by id.
    """
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
    rows, seen = [], ""
    for each in sorted(findings, key=lambda each: (each.respondent, [*names].index(each.measure))):
        label = "" if each.respondent == seen else each.respondent
        rows.append(_interval(label, each.estimate, names[each.measure]))
        seen = each.respondent
    if not rows:
        return None
    described = [
        _described(f"{each.respondent}, {names[each.measure]}", each.estimate, 1) for each in findings
    ]
    caption = Caption(f"{NAME}-bias", words(NAME).figures["bias"].title, "; ".join(described))
    sides = say("side_left"), say("side_right")
    return Figure("bias", intervals(rows, caption, say("unit_points"), sides=sides), "tests")


def _by_shots(table: Table) -> Iterator[Figure]:
    """Bias of every respondent by number of examples; one figure for each language."""
    shown = [row for row in table.rows if row["items"] == called("items", "political")] or table.rows
    columns = [column for column in table.columns if column.kind == "points"]
    for language in dict.fromkeys(column.name.split("_")[0] for column in columns):
        own = [column for column in columns if column.name.split("_")[0] == language]
        rows: list[Interval] = []
        for row in shown:
            cells = [(column, row[column.name]) for column in own]
            found = [
                (column, cell)
                for column, cell in cells
                if isinstance(cell, Estimate) and cell.value is not None and cell.n is not None
            ]
            for place, (column, cell) in enumerate(found):
                label = str(row["respondent"]) if place == 0 else ""
                rows.append(_interval(label, cell, examples(int(column.name.split("_")[1]))))
        if not rows or len(own) < 2:
            continue
        about = language_name(language)
        title = f"{words(NAME).figures['shots'].title}: {about}"
        described = [
            _described(f"{row['respondent']}, {column.title}", row[column.name], 1)
            for row in shown
            for column in own
        ]
        caption = Caption(f"{NAME}-shots-{language}", title, "; ".join(filter(None, described)))
        sides = words(NAME).measures["weighted_bias"].sides
        yield Figure("shots", intervals(rows, caption, say("unit_points"), sides=sides), "shots", about)


def _by_variation(table: Table) -> Iterator[Figure]:
    """Figure 1, one for each language, and Figure 2; of answers in words if there are any."""
    generated = called("method", "generated")
    shown = [row for row in table.rows if row["method"] == generated] or table.rows
    variations = [column for column in table.columns if column.kind == "share"]
    groups: dict[tuple[Cell, Cell], list[Row]] = {}
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
        title = f"{words(NAME).figures['variation'].title}: {about}"
        described = (
            _described(f"{_group(row)}, {column.title}", row[column.name], 100)
            for row in own
            for column in variations
        )
        caption = Caption(f"{NAME}-variation-{number}", title, "; ".join(filter(None, described)))
        yield Figure(
            "variation", bars(drawn, caption, say("unit_accuracy"), reference=50.0), "variation", about
        )


def _group(row: Row) -> str:
    return say("group", **{name: row[name] for name in ("shots", "kind", "gold")})


def _interval(label: str, cell: Cell, series: str) -> Interval:
    return Interval(label, *_numbers(cell), series)


def _percent(cell: Cell) -> tuple[float, float, float]:
    value, low, high = _numbers(cell)
    return 100 * value, 100 * max(low, 0.0), 100 * min(high, 1.0)


def _numbers(cell: Cell) -> tuple[float, float, float]:
    return (cell if isinstance(cell, Estimate) else Estimate(None)).ends


def _described(name: str, cell: Cell, scale: int) -> str:
    """A number in words for whoever does not see the figure."""
    if not isinstance(cell, Estimate) or cell.value is None:
        return ""
    return f"{name} {scale * cell.value:.1f}"

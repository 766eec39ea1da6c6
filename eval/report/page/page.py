"""The bias profile: what stands for each instrument, model by model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from polbias.eval.figures import Caption, Interval, intervals
from polbias.eval.report.document import REFUSAL_GAP, Finding, Report
from polbias.eval.report.numbers import points
from polbias.eval.report.page.cells import Shown, cell, lines
from polbias.eval.report.page.frame import Frame
from polbias.eval.report.page.grids import Grid, Head, Row
from polbias.eval.report.page.labels import short_names
from polbias.eval.report.page.numbers import interval, printed
from polbias.eval.report.page.tables import measure_of
from polbias.eval.report.verdicts import verdict
from polbias.eval.report.words import Words


@dataclass(frozen=True)
class Drawn:
    """A figure of the page's own.

    Attributes:
        id: its anchor.
        title: of it.
        note: how to read it.
        svg: the drawing.
    """

    id: str
    title: str
    note: str
    svg: str


def profile(report: Report, words: Callable[[str], Words], frame: Frame) -> tuple[Drawn | None, list[Drawn]]:
    """Draw the headline findings.

    Those that tell left from right share one axis, grouped by model; each other measure has its own.

    Args:
        report: the report.
        words: of an instrument, by its name.
        frame: words of the page.

    Returns:
        The figure of the directional instruments, None if there is none, and those of the others.
    """
    headline = [finding for finding in report.findings if finding.headline]
    directional = [finding for finding in headline if words(finding.instrument).tells_sides(finding.measure)]
    others: dict[tuple[str, str], list[Finding]] = {}
    for finding in headline:
        if not words(finding.instrument).tells_sides(finding.measure):
            others.setdefault((finding.instrument, finding.measure), []).append(finding)
    names = [respondent.name for respondent in report.respondents]
    drawn = [_other(key, found, names, words, frame) for key, found in others.items()]
    return _shared(directional, names, words, frame) if directional else None, drawn


def profile_table(report: Report, words: Callable[[str], Words], frame: Frame) -> Grid:
    """Return the headline findings, a line per respondent and a column per measure, directional ones first.

    A refusal gap other than 0 stands in the cell of the bias that it is beside.

    Args:
        report: the report.
        words: of an instrument, by its name.
        frame: words of the page.
    """
    every = [finding for finding in report.findings if finding.headline]
    gaps = {
        (f.respondent, f.instrument, f.measure.removesuffix(REFUSAL_GAP)): f for f in every if f.of_refusals
    }
    beside = {
        id(f): gaps.pop((f.respondent, f.instrument, stem))
        for f in every
        for stem in ("", f.measure.removesuffix("bias"))
        if not f.of_refusals and (f.respondent, f.instrument, stem) in gaps
    }
    headline = [f for f in every if not f.of_refusals or f in gaps.values()]
    headline.sort(key=lambda finding: not words(finding.instrument).tells_sides(finding.measure))
    columns = list(dict.fromkeys(series_name(finding, headline, words) for finding in headline))
    found = {(f.respondent, series_name(f, headline, words)): f for f in headline}
    names = [r.name for r in report.respondents if any(f.respondent == r.name for f in headline)]
    others = {
        series_name(f, headline, words) for f in headline if not words(f.instrument).tells_sides(f.measure)
    }
    key = "positive_right_some" if others else "positive_right"
    sides = frame.labels[key].format(names=", ".join(name for name in columns if name in others))
    return Grid(
        "profile-table",
        frame.captions["profile_table"],
        frame.notes["profile_table"].format(sides=sides),
        "",
        (Head(frame.columns["respondent"], False), *(Head(column, True) for column in columns)),
        tuple(
            Row((Shown(name), *(_cell(found.get((name, column)), beside, frame) for column in columns)))
            for name in names
        ),
    )


def _cell(finding: Finding | None, beside: Mapping[int, Finding], frame: Frame) -> Shown:
    """The cell of a headline, with its verdict and the refusal gap beside it."""
    if finding is None:
        return Shown(None, "")
    shown, estimate = cell(finding.estimate, "points", frame), finding.estimate
    if estimate.doubtful and estimate.value is not None and finding.bounds is not None:
        own = (", " if estimate.limit else " ").join([shown.text or "", *shown.lines])
        bounds = interval(*finding.bounds, "points")
        shown = replace(shown, text=bounds, lines=(frame.labels["answered"].format(estimate=own),))
    told = [] if estimate.value is None else [_told(finding, frame)]
    gap = beside.get(id(finding))
    if gap and gap.estimate.value:
        ends = " ".join([points(gap.estimate.value), *lines(gap.estimate, "points", frame)])
        told.append(frame.labels["gap"].format(estimate=ends, verdict=_told(gap, frame)))
    return replace(shown, lines=(*shown.lines, *told))


def _told(finding: Finding, frame: Frame) -> str:
    p = printed(finding.p_bh, "p")
    return verdict(finding) if p is None else frame.labels["told"].format(verdict=verdict(finding), p=p)


def series_name(finding: Finding, findings: Sequence[Finding], words: Callable[[str], Words]) -> str:
    """Return what a line is called: its instrument, and its measure if the instrument has several.

    Args:
        finding: the line.
        findings: all lines of the figure.
        words: of an instrument, by its name.
    """
    own = words(finding.instrument)
    measures = {other.measure for other in findings if other.instrument == finding.instrument}
    return own.title if len(measures) == 1 else f"{own.title}: {measure_of(finding, own).title}"


def _shared(
    findings: Sequence[Finding], names: Sequence[str], words: Callable[[str], Words], frame: Frame
) -> Drawn:
    several = len({series_name(finding, findings, words) for finding in findings}) > 1
    labels, lines = short_names(names), list[Interval]()
    for name in names:
        own = [finding for finding in findings if finding.respondent == name]
        if lines and own and several:
            lines.append(Interval("", math.nan, math.nan, math.nan, lines[-1].series))
        for place, finding in enumerate(own):
            label = labels[name] if place == (len(own) - 1) // 2 else ""
            lines.append(_line(finding, label, series_name(finding, findings, words)))
    title = frame.captions["profile"]
    caption = Caption("profile-figure", title, _described(findings, frame))
    sides = (frame.labels["left"], frame.labels["right"])
    svg = intervals(lines, caption, frame.labels["unit_sides"], sides=sides)
    return Drawn("profile-shared", title, frame.notes["profile"], svg)


def _other(
    key: tuple[str, str], findings: Sequence[Finding], names: Sequence[str],
    words: Callable[[str], Words], frame: Frame,
) -> Drawn:  # fmt: skip
    own = words(key[0])
    measure = measure_of(findings[0], own)
    ordered = sorted(findings, key=lambda finding: names.index(finding.respondent))
    labels = short_names(names)
    lines = [_line(finding, labels[finding.respondent], "") for finding in ordered]
    id = f"profile-{key[0]}-{key[1]}".replace("_", "-")
    title = f"{own.title}: {measure.title}"
    caption = Caption(f"{id}-figure", title, _described(findings, frame))
    return Drawn(
        id, title, measure.what, intervals(lines, caption, frame.labels["unit"], sides=measure.sides)
    )


def _line(finding: Finding, label: str, series: str) -> Interval:
    """A line as wide as the answers leave it open: interval or limit, and bounds where much is missing."""
    estimate = finding.estimate
    limit = None if estimate.limit is None else 100 * estimate.limit
    known = [estimate.low, estimate.high, limit, None if limit is None else -limit]
    known += [*(finding.bounds or ())] if estimate.doubtful else []
    ends = [end for end in known if end is not None]
    value = math.nan if estimate.value is None else estimate.value
    return Interval(label, value, min(ends, default=math.nan), max(ends, default=math.nan), series)


def _described(findings: Sequence[Finding], frame: Frame) -> str:
    values = [finding.estimate.value for finding in findings if finding.estimate.value is not None]
    ends = [points(value) for value in (min(values), max(values))] if values else ["–", "–"]
    return frame.notes["described"].format(
        lines=frame.plural("estimates", len(findings)),
        respondents=frame.plural("respondents", len({finding.respondent for finding in findings})),
        least=ends[0],
        most=ends[1],
    )

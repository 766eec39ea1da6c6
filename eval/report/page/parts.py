"""The part of the page that one instrument has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from polbias.eval.report.document import Section
from polbias.eval.report.page.frame import Frame
from polbias.eval.report.page.grids import Grid, anchor, instrument_table, titled_in
from polbias.eval.report.page.notices import Said, said
from polbias.eval.report.page.tables import findings_table, measure_of
from polbias.eval.report.words import Measure, Words


@dataclass(frozen=True)
class Picture:
    """A figure of an instrument.

    Attributes:
        id: its anchor.
        title: of it, with what this one is of.
        note: how to read it.
        source: what it follows.
        svg: the drawing.
        table: anchor of the table that holds its numbers; empty if there is none.
    """

    id: str
    title: str
    note: str
    source: str
    svg: str
    table: str


@dataclass(frozen=True)
class Part:
    """What the page says of one instrument.

    Attributes:
        id: its anchor.
        words: of the instrument.
        paragraphs: at its top.
        notices: of its data.
        measures: what is measured, in the order of the findings.
        headline: table of the results of each respondent as a whole; None if there are none.
        findings: table of all results; None if there are no others.
        figures: in order.
        tables: of the corrected analysis.
        paper: tables of the paper's method.
    """

    id: str
    words: Words
    paragraphs: tuple[str, ...]
    notices: list[Said]
    measures: list[Measure]
    headline: Grid | None
    findings: Grid | None
    figures: list[Picture]
    tables: list[Grid]
    paper: list[Grid]


def part(section: Section, paragraphs: tuple[str, ...], words: Callable[[str], Words], frame: Frame) -> Part:
    """Prepare the part of an instrument.

    Args:
        section: what is to be said.
        paragraphs: at its top.
        words: of an instrument, by its name.
        frame: words of the page.

    Raises:
        TemplateError: if the words of the instrument lack a measure, table or figure.
    """
    name, own = section.instrument, words(section.instrument)
    headline = [finding for finding in section.findings if finding.headline]
    measures = {finding.measure: measure_of(finding, own) for finding in headline or section.findings}
    about = (frame.captions["findings"], frame.notes["findings"])
    every = (frame.captions["all_findings"], frame.notes["all_findings"])
    others = len(section.findings) > len(headline)
    tables = [
        (table.mode, instrument_table(table, name, own, frame)) for table in section.tables if table.rows
    ]
    return Part(
        id=name,
        words=own,
        paragraphs=paragraphs,
        notices=said(section.notices),
        measures=list(measures.values()),
        headline=findings_table(f"results-{name}", headline, words, frame, about) if headline else None,
        findings=replace(
            findings_table(f"all-results-{name}", section.findings, words, frame, every), aside=True
        )
        if others
        else None,
        figures=_pictures(section, own),
        tables=[grid for mode, grid in tables if mode == "corrected"],
        paper=[grid for mode, grid in tables if mode == "paper"],
    )


def _pictures(section: Section, words: Words) -> list[Picture]:
    """Return the figures with anchors; those that share an id are numbered."""
    instrument = section.instrument
    ordered = sorted(section.tables, key=lambda table: table.mode == "corrected")
    anchors = {table.id: anchor(instrument, table) for table in ordered if table.rows}
    seen: dict[str, int] = {}
    pictures = []
    for figure in section.figures:
        titled = titled_in(words.figures, instrument, "figures", figure.id)
        seen[figure.id] = number = seen.get(figure.id, 0) + 1
        own = f"figure-{instrument}-{figure.id}" + (f"-{number}" if number > 1 else "")
        title = f"{titled.title}: {figure.about}" if figure.about else titled.title
        pictures.append(
            Picture(own, title, titled.note, titled.source, figure.svg, anchors.get(figure.table, ""))
        )
    return pictures

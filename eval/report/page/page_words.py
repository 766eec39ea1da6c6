"""Words of the page (`templates/report/page.yaml`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from polbias.eval.report.page.numbers import count
from polbias.eval.report.wording import TemplateWords, load


class GuideEntry(TemplateWords):
    """An entry of the guide.

    Attributes:
        term: the explained term.
        text: paragraphs.
    """

    term: str
    text: tuple[str, ...]


class PageWords(TemplateWords):
    """The words of the page, by id.

    Attributes:
        headings: of the parts of the page.
        captions: of tables and figures of findings, comparisons and files.
        notes: sentences below headings, tables and figures.
        labels: of controls, units and short texts.
        counts: of answers and clusters of an estimate, with ``{n}``.
        plurals: singular and plural, with ``{n}``.
        columns: headings that tables share, by the name of the column.
        guide: how to read the page.
    """

    headings: Mapping[str, str]
    captions: Mapping[str, str]
    notes: Mapping[str, str]
    labels: Mapping[str, str]
    counts: Mapping[str, str]
    plurals: Mapping[str, tuple[str, str]]
    columns: Mapping[str, str]
    guide: Mapping[str, GuideEntry]

    def plural(self, id: str, number: int) -> str:
        """Return a number with its noun, such as ``3 respondents``."""
        return self.plurals[id][number != 1].format(n=count(number))


@lru_cache(maxsize=1)
def frame() -> PageWords:
    """Return the words of the page, cached."""
    return load("templates/report/page.yaml", PageWords)

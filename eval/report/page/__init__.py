"""The page of a report: one HTML file that needs nothing else, made of a :class:`Report` alone."""

from polbias.eval.report.labels import Paragraphs
from polbias.eval.report.page.rendering import page

__all__ = ["Paragraphs", "page"]

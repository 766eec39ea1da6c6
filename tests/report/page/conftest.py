"""Pages of made-up reports, rendered once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from polbias.eval.report import wording
from polbias.eval.report.document import Report
from polbias.eval.report.page.page import render_page
from tests.report.page import builders
from tests.report.page.markup import Markup


@pytest.fixture(scope="package", autouse=True)
def _words() -> Iterator[None]:
    """Made-up instruments have made-up words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wording, "words", builders.words)
        yield


@pytest.fixture(scope="package")
def large() -> Report:
    """Ten respondents, five instruments."""
    return builders.report()


@pytest.fixture(scope="package")
def large_text(large: Report) -> str:
    """Its page."""
    return render_page(large, builders.paragraphs())


@pytest.fixture(scope="package")
def markup(large_text: str) -> Markup:
    """Its elements."""
    return Markup(large_text)


@pytest.fixture(scope="package")
def hostile_text() -> str:
    """A page whose data hold markup and scripts wherever data can stand."""
    made = builders.report(3, builders.HOSTILE, rows=50, instruments=("partisan", "normative"))
    return render_page(made, builders.paragraphs(builders.HOSTILE))

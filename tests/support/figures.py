"""Reports and sections of which no figure is looked at: most of their time goes into figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from polbias.eval import plots
from polbias.eval.report.document import Section
from polbias.eval.report.reporter import ReportSettings, instrument

KINDS = ("arrows", "bars", "intervals", "plane", "stacked", "webs")
_EMPTY = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'


@contextmanager
def without_figures() -> Iterator[None]:
    """Draw none, for tests that look at none."""
    with pytest.MonkeyPatch.context() as patch:
        for kind in KINDS:
            patch.setattr(plots, kind, lambda *what, **how: _EMPTY)
        yield


def findings_alone(name: str, answers: Mapping[str, Any]) -> Section:
    """The section of an instrument with its findings, without tables and figures."""
    return Section(name, tuple(answers), instrument(name).build_findings(answers, ReportSettings()))

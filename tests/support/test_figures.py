"""Figures that no test looks at are not drawn, by whatever name a section calls what draws them."""

from __future__ import annotations

import pytest

from polbias.eval.simulation import make_respondent
from tests.report.partisan_answers import simulated
from tests.report.partisan_sections import report
from tests.support.figures import EMPTY


@pytest.mark.usefixtures("no_figures")
def test_a_section_without_figures() -> None:
    section = report(m=simulated(make_respondent("coin")))
    assert {figure.svg for figure in section.figures} == {EMPTY}


def test_a_section_with_figures_draws_them_once() -> None:
    one, other = (report(m=simulated(make_respondent("coin"))).figures for _ in range(2))
    assert [figure.svg for figure in one] == [figure.svg for figure in other]
    assert all(figure.svg is again.svg for figure, again in zip(one, other, strict=True))
    assert EMPTY not in {figure.svg for figure in one}

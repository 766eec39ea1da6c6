"""Kappas and alphas of models, by hand and for the people of Table 2."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from polbias.eval.agreement import cohen_kappa
from polbias.eval.policy.agreement import mean_and_sd, paraphrase_alpha, template_agreement, variant_kappas
from tests.eval.policy.rows import statement, units_of
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa")


def test_spread() -> None:
    found = mean_and_sd("x", [0.2, 0.4, math.nan])
    assert found.mean == pytest.approx(0.3)
    assert found.deviation == pytest.approx(np.std([0.2, 0.4], ddof=1))
    assert math.isnan(mean_and_sd("x", []).mean)


def test_a_coherent_model() -> None:
    rows = []
    for number in range(8):
        disagree = number % 2
        counts = {"negation": 30, "opposite": 30} if disagree else {}
        counts |= (
            dict.fromkeys(("original", "paraphrase1", "paraphrase2", "paraphrase3"), 0) if disagree else {}
        )
        for template in ("a", "b"):
            rows += statement(counts, statement=f"xx_{number}", instruction=template)
    table = units_of(rows)
    assert [each.mean for each in variant_kappas(table)] == [1, -1, -1]
    assert template_agreement(table) == {"alpha": 1, "same": 1, "statements": 8, "templates": 2}
    assert paraphrase_alpha(table).mean == 1


def test_templates_that_asked_different_statements() -> None:
    rows = statement(statement="xx_1", instruction="a") + statement(statement="xx_2", instruction="b")
    assert math.isnan(template_agreement(units_of(rows))["same"])
    rows += statement(statement="xx_2", instruction="a")
    assert template_agreement(units_of(rows))["same"] == 1
    assert math.isnan(template_agreement(units_of(statement()))["same"])


@pytest.mark.skipif(PUBLISHED is None, reason="the published folder is not beside the checkout")
def test_people_of_table_2() -> None:
    assert PUBLISHED
    with (PUBLISHED / "survey_vaas.csv").open(encoding="utf-8-sig", newline="") as file:
        survey = [*csv.DictReader(file)]
    assert len(survey) == 300
    people = sorted({row["annotator"] for row in survey})
    expected = {"paraphrase": (0.901, 0.081), "negation": (-0.692, 0.122), "opposite": (-0.649, 0.082)}
    for name, (mean, deviation) in expected.items():
        kappas = [
            cohen_kappa(
                [row["original"] for row in survey if row["annotator"] == person],
                [row[name] for row in survey if row["annotator"] == person],
            )
            for person in people
        ]
        found = mean_and_sd(name, kappas)
        assert (round(found.mean, 3), round(found.deviation, 3)) == (mean, deviation)

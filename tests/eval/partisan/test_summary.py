"""The summary of one model on one dataset."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from polbias.eval.partisan.analysis import partisan_summary
from tests.eval.tables import WORKED_EXAMPLE, Row, answers

REFUSED = [("left", "valid", "refusal")] * 100 + [("right", "valid", "valid")] * 100


def clustered(rows: list[Row]) -> list[dict[str, Any]]:
    return [
        {"leaning": leaning, "gold": gold, "label": label, "cluster_id": f"pattern-{index % 6}"}
        for index, (leaning, gold, label) in enumerate(rows)
    ]


def test_corrected() -> None:
    summary = partisan_summary(clustered(WORKED_EXAMPLE + REFUSED))
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert (summary["mode"], summary["n"], summary["clusters"]) == ("corrected", 2200, 6)
    assert summary["weighted_bias"] == pytest.approx(70 / 1100 - 105 / 1000)  # the paper drops the refused
    assert summary["interval"]["estimate"] == pytest.approx(summary["bias"])
    assert summary["accuracy"] == pytest.approx((470 + 400 + 455 + 350 + 100) / 2100)
    assert summary["accuracy_interval"]["estimate"] == pytest.approx(summary["accuracy"])
    assert "p_value" not in summary["interval"]
    # called valid, by gold label: right 570 of 600 and 100 of 500, left 455 of 500 and 150 of 500
    valid, invalid = 570 / 600 - 455 / 500, 100 / 500 - 150 / 500
    assert summary["bias"] == pytest.approx((600 * valid + 500 * invalid) / 1100)
    assert summary["refusal_gap"] == summary["unanswered_gap"] == pytest.approx(-100 / 1100)
    # the 100 refused left-leaning arguments are valid: calling them valid is right, invalid favours the right
    assert summary["worst_case_bounds"] == pytest.approx([-35 / 1100, 65 / 1100])
    assert summary["counts"] == {
        "n": 2200,
        "valid": 1275,
        "invalid": 825,
        "refusals": 100,
        "unparsable": 0,
        "truncated": 0,
    }
    assert "z_test" not in summary


def test_paper() -> None:
    summary = partisan_summary(clustered(WORKED_EXAMPLE + REFUSED), mode="paper")
    assert summary["n"] == summary["z_test"]["n"] == 2100
    assert summary["weighted_bias"] == pytest.approx(70 / 1100 - 105 / 1000)
    assert summary["accuracy"] == pytest.approx(1775 / 2100)
    assert summary["counts"]["refusals"] == 100
    assert summary["refusal_gap"] == pytest.approx(-100 / 1100)
    assert not {"bias", "interval", "accuracy_interval"} & summary.keys()


def test_without_clusters_there_is_no_interval() -> None:
    summary = partisan_summary(WORKED_EXAMPLE)
    assert summary["weighted_bias"] == -0.035
    nothing = [summary[key] for key in ("clusters", "interval", "accuracy_interval")]
    assert nothing == [None] * 3


@settings(deadline=None)  # the first call imports scipy
@given(answers)
def test_every_table_has_a_summary_that_json_can_hold(rows: list[Row]) -> None:
    for summary in (partisan_summary(clustered(rows)), partisan_summary(clustered(rows), "paper")):
        json.dumps(summary, allow_nan=False)

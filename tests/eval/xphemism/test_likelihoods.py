"""Log-likelihoods: a table of their own, and what cannot be read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from polbias.eval.report.document import Notice
from polbias.eval.xphemism.analysis import analyse
from polbias.eval.xphemism.answers import Answers, Read, paired
from polbias.eval.xphemism.leaning import label_masses, share_records
from polbias.eval.xphemism.metrics import true_share
from polbias.eval.xphemism.tables import full
from tests.tasks.xphemism_rows import rows

POLITICAL = [row for row in rows("pairs") if row["instruction_language"] == "de"]
PLACEBO = [row for row in rows("placebo") if row["instruction_language"] == "de"]


def sample(doc: dict[str, Any], share: float, mass: float = 0.9) -> Read:
    """A row and what is read of its log-likelihoods."""
    return doc, true_share([(math.log(mass * max(part, 1e-300)), False) for part in (share, 1 - share)])


def table(samples: list[Read], model: str = "m") -> dict[tuple[str, ...], dict[str, Any]]:
    problems: list[Notice] = []
    found = tabulated(paired(samples, model, problems), model)
    assert not problems
    return found


def tabulated(rows: list[dict[str, Any]], model: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Rows by prompt, effect and claims, with the estimate of each under one name."""
    made = full(analyse([Answers(model, share_records(rows), label_masses(rows), 0, 0, 0)], 0))
    effects = (("penalty", "claims", "change"), ("leaning", "axis", "effect"), ("judgment", "", "estimate"))
    return {
        (row["prompt"], effect, row.get(claims, "shifted")): row | {"estimate": row[estimate]}
        for effect, claims, estimate in effects
        for row in made[effect]
    }


def test_changes_of_shares() -> None:
    change = {"left": -0.3, "none": 0.0, "right": 0.1}
    political = [sample(row, 0.5 + change[row["shift"]] * (row["arm"] == "shifted")) for row in POLITICAL]
    neutral = [sample(row, 0.5 - 0.05 * (row["arm"] == "placebo"), 0.7) for row in PLACEBO]
    found = table([*political, *neutral])
    for style in ("simple", "objective"):
        assert found[style, "penalty", "left"]["estimate"] == pytest.approx(-30)
        assert found[style, "penalty", "placebo"]["estimate"] == pytest.approx(-5)
        assert found[style, "leaning", "social"]["estimate"] == pytest.approx(40)
        assert found[style, "leaning", "social"]["note"] == ""
        assert found[style, "judgment", "shifted"]["estimate"] == pytest.approx(0, abs=1e-9)
        assert found[style, "judgment", "shifted"]["label_mass"] == pytest.approx(0.8)
    only = table(neutral)
    assert math.isnan(only["simple", "leaning", "both"]["estimate"])
    assert only["simple", "judgment", "shifted"]["note"] == "no judgmental exchanged word or no other"
    assert only["simple", "judgment", "shifted"]["label_mass"] == pytest.approx(0.7)


def test_a_change_by_judgement_is_no_leaning() -> None:
    rng = np.random.default_rng(3)
    samples = [
        sample(row, 0.6 - 0.2 * (row["arm"] == "shifted") * row["judgmental_exchange"] + rng.normal(0, 0.01))
        for row in POLITICAL
    ]
    found = table(samples)
    judged, leaning = found["simple", "judgment", "shifted"], found["simple", "leaning", "both"]
    assert judged["low"] < -20 < judged["high"]
    assert judged["p"] < 1e-6
    assert leaning["low"] < 0 < leaning["high"]


def test_models_are_kept_apart_and_bad_pairs_reported() -> None:
    problems: list[Notice] = []
    found = {}
    for model, share in (("one", 0.2), ("two", 0.8)):
        lines = [sample(row, share if row["arm"] == "base" else 0.5, share) for row in POLITICAL[1:]]
        found[model] = tabulated(paired(lines, model, problems), model)
    assert [each.where.split(",")[0] for each in problems] == [POLITICAL[0]["pair_id"]] * 2
    penalties = [each["simple", "penalty", "shifted"]["estimate"] for each in found.values()]
    masses = [each["simple", "judgment", "shifted"]["label_mass"] for each in found.values()]
    assert penalties == pytest.approx([30, -30])
    assert masses == pytest.approx([0.2, 0.8])

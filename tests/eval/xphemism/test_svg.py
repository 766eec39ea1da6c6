"""The figures: what is drawn of the tables, and nothing where there is nothing."""

from __future__ import annotations

import math
import re

import numpy as np

from polbias.eval.xphemism.schema import Records
from polbias.eval.xphemism.summary import axes_figures, truth_figures, xphemism_tables
from tests.eval.xphemism.pairs import drawn


def test_figures_of_drawn_answers() -> None:
    tables = xphemism_tables(Records.of(drawn(np.random.default_rng(1), words=40, claims=3)), "corrected")
    before_after, plane = truth_figures(tables["figure5"]), axes_figures(tables["figure6"])
    assert before_after
    assert plane
    for name, text in (before_after | plane).items():
        assert re.fullmatch(r"figure[56](-\w+)*", name)
        assert text.startswith("<svg")
        assert text == (truth_figures(tables["figure5"]) | axes_figures(tables["figure6"]))[name]
    text = next(iter(before_after.values()))
    for label in ("judgmental", "not judgmental", "leans left", "leans right"):
        assert label in text
    for row in tables["figure5"]:
        assert f"{row['before']:.1f} to {row['after']:.1f}" in "".join(before_after.values())


def test_a_point_needs_both_axes() -> None:
    point = {
        "model": "m", "prompt": "simple", "instruction_language": "de", "economic": 0.5, "economic_se": 0.1,
        "social": math.nan, "social_se": math.nan,
    }  # fmt: skip
    assert axes_figures([point]) == {}
    assert axes_figures([point | {"social": None}]) == {}
    whole = axes_figures([point, point | {"model": "n", "social": -1.0, "social_se": math.nan}])
    assert [*whole] == ["figure6-de"]
    assert "n, simple prompt: +0.50, -1.00" in whole["figure6-de"]
    assert truth_figures([]) == axes_figures([]) == {}

"""Both deciders agree on inferences of the ladder."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.logic.finite import decide
from polbias.generators.logic.finite_prover import prover_of
from polbias.generators.logic.formula import Inference
from polbias.generators.logic.syntax import parse_inference
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.premises import PremiseDrawer
from polbias.generators.partisan.ladder.settings import FAMILIES, Family, Setting


@cache
def _kinds(family: Family) -> tuple[str, ...]:
    """Return the kinds of premises of all levels."""
    levels = load_levels().levels.values()
    return tuple(sorted({"report", *(kind for level in levels for kind in level[family].kinds)}))


_SETTINGS = {"testimony": [(3, 0), (6, 0)], "ranking": [(3, 0), (5, 0)], "rules": [(3, 4), (3, 5)]}


@pytest.mark.parametrize("family", FAMILIES)
@given(seed=st.integers(0, 2**32), n_premises=st.integers(0, 5), size=st.sampled_from([0, 1]))
def test_the_deciders_agree(family: Family, seed: int, n_premises: int, size: int) -> None:
    setting = Setting(family, *_SETTINGS[family][size])
    rng = random.Random(seed)
    drawer = PremiseDrawer(setting, rng)
    premises = [drawer.draw(rng.choice(_kinds(family))) for _ in range(n_premises)]
    changed = [drawer.change(premise) if rng.random() < 0.3 else premise for premise in premises]
    conclusion = setting.conclusion(rng.choice(setting.hypotheses()), rng.random() < 0.5)
    inference = Inference(tuple(changed), conclusion)
    label = decide(inference, setting.models)
    assert prover_of(setting.domain).decide(inference) == label
    assert parse_inference(str(inference)) == inference

"""The metrics of the X-phemism tasks: by hand, against the analysis, and whatever the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.statistics import cell_mean_contrast
from polbias.eval.xphemism import metrics
from polbias.eval.xphemism.answers import select_answered
from polbias.eval.xphemism.metrics import (
    ClaimAnswer,
    choices,
    gold_index,
    process_generated,
    process_loglikelihood,
)
from tests.eval.xphemism.pairs import penalties
from tests.support.xphemism_records import answers_of_samples
from tests.tasks.xphemism_rows import rows

NAMES = ("true_rate", "penalty", "leaning_effect", "judgment_effect")
POLITICAL = [
    row
    for row in rows("pairs")
    if (row["prompt_style"], row["instruction_language"]) == ("simple", "de")
]  # fmt: skip


def computed(name: str, items: Sequence[Any]) -> tuple[Any, Any]:
    """A metric and its error, as lm_eval has them."""
    metric = getattr(metrics, name)
    return metric(items), metric.error(items)


def pair(
    number: int, base: float | None, changed: float | None, shift: str = "left", judged: int = 0
) -> list[ClaimAnswer]:
    about = (f"pair-{number}", f"words-{number // 2}")
    return [
        ClaimAnswer(*about, "base", shift, judged, base),
        ClaimAnswer(*about, "shifted", shift, judged, changed),
    ]


def test_by_hand() -> None:
    items = [
        *pair(0, 1, 0, "left", 1),
        *pair(1, 1, 1, "left"),
        *pair(2, 0, 1, "right", 1),
        *pair(3, 1, 1, "right"),
        *pair(4, 1, 0, "none"),
        *pair(5, None, 1, "right"),
        ClaimAnswer("alone", "words", "base", "right", 1, 1.0),
    ]
    assert computed("penalty", items)[0] == pytest.approx(-1 / 5)
    assert computed("leaning_effect", items)[0] == pytest.approx(0.5 - (-0.5))
    assert computed("judgment_effect", items)[0] == pytest.approx(0 - (-1 / 3))
    assert computed("true_rate", items)[0] == pytest.approx(9 / 12)
    changes = [-1, 0, 1, 0]
    expected = cell_mean_contrast(
        changes, ["left", "left", "right", "right"], ["w0", "w0", "w1", "w1"], [-1, 1]
    )
    assert math.isnan(expected.standard_error)
    assert computed("leaning_effect", items)[1] == "N/A"


def test_nothing_to_compare_is_null() -> None:
    for items in ([], pair(0, None, None), [ClaimAnswer("p", "c", "base", "left", 0, 1.0)]):
        for name in NAMES[1:]:
            assert computed(name, items) == (None, "N/A")
    assert computed("true_rate", pair(0, None, None)) == (None, "N/A")
    assert computed("leaning_effect", pair(0, 1, 0)) == (None, "N/A")


def test_few_changed_verdicts_have_a_leaning_without_an_error() -> None:
    """Claims without a verdict leave, and below five components with a change there is no error."""
    still = [row for n in range(40) for row in pair(n, n % 2, n % 2, ("left", "right")[n // 2 % 2])]
    changed = [row for n in range(100, 108, 2) for row in pair(n, 0, 1, "right")]
    silent = [row for n in range(200, 220) for row in pair(n, None, 1, "right")]
    assert computed("leaning_effect", still + changed + silent) == (pytest.approx(4 / 24), "N/A")
    more = [row for n in range(110, 114, 2) for row in pair(n, 0, 1, "right")]
    value, error = computed("leaning_effect", still + changed + silent + more)
    assert value == pytest.approx(6 / 26)
    assert isinstance(error, float)


def test_the_table_of_lm_eval_agrees_with_the_analysis() -> None:
    rng = np.random.default_rng(5)
    said = [
        ("True", "False", "Ich kann das nicht beurteilen.")[code]
        for code in rng.integers(0, 3, len(POLITICAL))
    ]
    scored = [process_generated(row, [text]) for row, text in zip(POLITICAL, said, strict=True)]
    samples = [{"doc": row, "filtered_resps": [text]} for row, text in zip(POLITICAL, said, strict=True)]
    pairs = answers_of_samples(samples).pairs
    analysed = penalties(pairs)
    penalty, error = computed("penalty", [each.row for each in scored])
    assert (100 * penalty, 100 * error) == pytest.approx((analysed["shifted"].change, analysed["shifted"].se))
    rows = select_answered(pairs)
    for name, cells, weights in (
        ("leaning_effect", rows["shift"], [-1, 0, 1]),
        ("judgment_effect", rows["judgmental_exchange"], [-1, 1]),
    ):
        found = cell_mean_contrast(rows["change"], cells, rows["component"], weights)
        expected = pytest.approx((found.estimate, found.standard_error))
        assert computed(name, [each.row for each in scored]) == expected


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("True", "true"),
        ("Falsch.", "false"),
        ("Keine Angabe.", "refusal"),
        ("Teilweise wahr.", "unparsable"),
        ("Die Behauptung, dass", "truncated"),
        (None, "unparsable"),
    ],
)
def test_generated_answers(text: str | None, label: str) -> None:
    for row in POLITICAL[:4]:
        found = process_generated(row, [text])
        silent = {name: float(name == label) for name in ("refusal", "unparsable", "truncated")}
        assert found.means == {"acc": float(label == row["gold"])} | silent
        assert found.row.share == {"true": 1.0, "false": 0.0}.get(label)


def test_several_answers_to_a_row_become_a_share() -> None:
    found = process_generated(POLITICAL[0], [["True", "False", "True", "Ich weiß es nicht."]])
    assert found.row.share == pytest.approx(2 / 3)
    assert (found.means["refusal"], found.means["acc"]) == (0.25, 0.5)


def test_likelihoods() -> None:
    row = POLITICAL[0]
    assert choices(row) == ["True", "False"]
    assert gold_index(row) == 0
    found = process_loglikelihood(row, [(math.log(0.6), True), (math.log(0.2), False)])
    assert found.means == {"acc": 1, "label_mass": pytest.approx(0.8)}
    assert found.row.share == pytest.approx(0.75)
    equal = process_loglikelihood(row, [(-3.0, False), (-3.0, False)])
    assert equal.means["acc"] == 0
    for broken in (-math.inf, math.nan):
        without = process_loglikelihood(row, [(broken, False), (broken, False)])
        assert (without.row.share, without.means["label_mass"]) == (0.5, 0.0)


SHARES = st.one_of(st.none(), st.floats(0, 1))
ROWS = st.builds(
    ClaimAnswer,
    st.sampled_from("abcdef"),
    st.sampled_from("xyz"),
    st.sampled_from(["base", "shifted", "placebo"]),
    st.sampled_from(["left", "none", "right", None]),
    st.sampled_from([0, 1, None]),
    SHARES,
)


@given(st.lists(ROWS, max_size=30))
def test_total(items: list[ClaimAnswer]) -> None:
    for name in NAMES:
        value, error = computed(name, items)
        assert value is None or -2 <= value <= 2
        assert error == "N/A" or error >= 0
        assert value is not None or error == "N/A"


@given(st.lists(st.tuples(SHARES, SHARES, st.sampled_from(["left", "right"])), min_size=4, max_size=20))
def test_exchanging_left_and_right_turns_leaning_round(claims: list[tuple[Any, Any, str]]) -> None:
    other = {"left": "right", "right": "left"}
    items = [row for number, each in enumerate(claims) for row in pair(number, *each)]
    turned = [row._replace(shift=other[str(row.shift)]) for row in items]
    (value, error), (back, same) = computed("leaning_effect", items), computed("leaning_effect", turned)
    assert (value is None) == (back is None)
    if value is not None and back is not None:
        assert back == pytest.approx(-value, abs=1e-12)
        assert same == (error if error == "N/A" else pytest.approx(error, abs=1e-12))

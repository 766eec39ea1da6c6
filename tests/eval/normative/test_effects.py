"""Content and domain effects and the readings of disjunctions: by hand, by algebra and by simulated respondents."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.normative.answers import LABELS, entailment_answers, is_correct
from polbias.eval.normative.effects import (
    CONTENT_STRATA,
    READINGS,
    ComparedRows,
    compare_contents,
    compare_statuses,
    disjunction_readings,
)
from polbias.eval.statistics import Contrast
from tests.eval.normative.normative_rows import (
    CONFIGS,
    answered,
    content_effect,
    domain_effect,
    entailment_rows,
)
from tests.support.respondents import follows_content, says_entailment

FLIP = {"entailment": "non-entailment", "non-entailment": "entailment"}


def row(pattern: str, kind: str, content: str, right: bool | None, **more: str) -> dict[str, Any]:
    label = {True: "entailment", False: "non-entailment", None: "refusal"}[right]
    base = {
        "pattern": pattern,
        "content_type": kind,
        "cluster_id": content,
        "gold": "entailment",
        "label": label,
    }
    return base | more


def test_content_effect_by_hand() -> None:
    rows = [
        row("Mu-Mi", "congruent", "a", True),
        row("Mu-Mi", "congruent", "b", True),
        row("Mu-Mi", "incongruent", "c", False),
        row("Mu-Mi", "incongruent", "d", True),
        row("Cat-MP", "congruent", "a", True),
        row("Cat-MP", "congruent", "b", False),
        row("Cat-MP", "incongruent", "c", False),
        row("Cat-MP", "incongruent", "d", True),
        # an answer that is no verdict is none of either kind
        row("Cat-MP", "incongruent", "e", None),
        # no congruent cell: it must not matter that it is hard
        *(row("Ross-Or-Intro", "incongruent", content, False) for content in "efgh"),
        *(row("Mu-Mi", "nonsense", content, False) for content in "ij"),
    ]
    found = content_effect(rows)
    assert found.estimate == ((1 - 0.5) + (0.5 - 0.5)) / 2
    assert (found.n, found.clusters, found.cells) == (8, 4, 4)
    # cell means 1, .5, .5, .5; residuals of a: 0 + .5, b: 0 - .5, c: -.5 - .5, d: .5 + .5; weight 1/2 * 1/2 * sqrt 2
    assert found.standard_error == pytest.approx(math.sqrt((0.25 + 0.25 + 1 + 1) * 2) / 4)
    assert content_effect(rows, low="nonsense").estimate == 1
    compared = contents_compared(rows)
    unanswered = compared.gap(compared.non_answers >= 0)
    assert unanswered.estimate == pytest.approx(-1 / 3 / 2)
    assert turned(rows).estimate == -0.25


def test_a_cell_that_lost_a_side_leaves_the_estimate_and_enters_the_bounds_whole() -> None:
    rows = [
        row("Mu-Mi", "congruent", "a", True),
        row("Mu-Mi", "congruent", "b", True),
        row("Mu-Mi", "incongruent", "c", True),
        row("Mu-Mi", "incongruent", "d", False),
        row("Cat-MP", "congruent", "a", True),
        row("Cat-MP", "congruent", "b", False),
        row("Cat-MP", "incongruent", "c", None),
        row("Cat-MP", "incongruent", "d", None),
    ]
    compared = contents_compared(rows)
    assert compared.effect().estimate == 0.5
    assert compared.effect().cells == 2
    # Mu-Mi has .5; in Cat-MP the congruent have .5 and the others have 0 to 1
    assert compared.bounds() == pytest.approx(((0.5 + 0.5 - 1) / 2, (0.5 + 0.5 - 0) / 2))
    excess = compared.excess()
    assert excess is not None
    assert (excess.low, excess.high) == pytest.approx(compared.bounds())
    # a single content that is left of two has no error, and leaves as well
    single = [*rows[:-1], rows[-1] | {"label": "entailment"}]
    assert contents_compared(single).effect().estimate == 0.5
    assert contents_compared(single).bounds() == pytest.approx(((0.5 + 0.5 - 1) / 2, (0.5 + 0.5 - 0.5) / 2))


def test_missing_answers_of_both_types_alike_leave_no_surplus() -> None:
    rows = [
        row(pattern, kind, f"{kind}{number}", None if number == 0 else number % 2 == 0)
        for pattern in ("Mu-Mi", "Cat-MP")
        for kind in ("congruent", "incongruent")
        for number in range(5)
    ]
    compared = contents_compared(rows)
    excess, (low, high) = compared.excess(), compared.bounds()
    assert excess is not None
    assert (excess.low, excess.high) == pytest.approx((compared.effect().estimate,) * 2)
    assert (low, high) == pytest.approx((-1 / 5, 1 / 5))
    assert contents_compared([each for each in rows if each["label"] != "refusal"]).excess() is None


def test_the_status_still_cancels_where_cells_lost_their_answers() -> None:
    logic = [row for row in statuses({"prohibition": 0.3, "optional": 0.15}, 0.1) if row["task"] == "logic"]
    for lost in ("NotMi-MuNot", "Mu-Mi", "Mi-Mu"):
        silent = [
            row | {"label": "refusal"}
            if (row["pattern"], row["content_type"]) == (lost, "congruent")
            else row
            for row in logic
        ]
        assert content_effect(silent).estimate == pytest.approx(0.1), lost


@pytest.mark.parametrize("refused", ["congruent", "incongruent"])
def test_who_says_yes_and_refuses_one_type_has_no_content_effect(refused: str) -> None:
    """Right on what follows, wrong on the rest, whatever the content; a third of one type is refused."""
    rows = [row for config in CONFIGS for row in entailment_rows(config, contents=12)]
    said = answered(
        rows,
        lambda row: (
            "refusal"
            if row["content_type"] == refused and int(row["content_id"].split("-")[-1]) % 3 == 0
            else "entailment"
        ),
    )
    assert content_effect(said).estimate == pytest.approx(0)
    domain = [
        row | {"label": "refusal"} if row["domain"] == "epistemic" and "-1" in row["cluster_id"] else row
        for row in said
    ]
    assert domain_effect(domain).estimate == pytest.approx(0)


def contents_compared(rows: list[dict[str, Any]]) -> ComparedRows:
    return compare_contents(entailment_answers(rows))


def readings(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return disjunction_readings(entailment_answers(rows))


def turned(rows: list[dict[str, Any]]) -> Contrast:
    """The same the other way round."""
    levels = "incongruent", "congruent"
    return ComparedRows(entailment_answers(rows), "content_type", CONTENT_STRATA, *levels).effect()


def test_pooling_over_patterns_would_confound_what_strata_do_not() -> None:
    """A respondent to whom content means nothing, but who errs on Ross-Or-Intro."""
    rows = answered(
        entailment_rows("deontic_logic"),
        lambda row: FLIP[row["gold"]] if row["pattern"] == "Ross-Or-Intro" else row["gold"],
    )
    answers = entailment_answers(rows)
    pooled = [
        is_correct(answers)[answers["content_type"] == kind].mean() for kind in ("congruent", "incongruent")
    ]
    assert pooled[0] - pooled[1] > 0.1
    found = content_effect(rows)
    assert found.estimate == 0
    assert found.low < 0 < found.high


def test_domain_effect_is_on_shared_patterns_with_types_alike() -> None:
    def label(row: Any) -> str:
        wrong = row["pattern"] in {"Mu-Mi", "FC-Or-Elim", "FC-Or-Intro", "Ross-Or-Intro"} or (
            row["domain"] == "epistemic" and row["pattern"] == "Mi-Mu" and row["content_type"] == "nonsense"
        )
        return FLIP[row["gold"]] if wrong else row["gold"]

    rows = [*entailment_rows("deontic_logic"), *entailment_rows("epistemic_logic", contents=2)]
    found = domain_effect(answered(rows, label))
    assert found.estimate == pytest.approx(1 / 4 / 3)
    assert found.cells == 2 * 4 * 3
    assert found.n == 4 * 3 * (3 + 2)
    single = domain_effect(answered(entailment_rows("deontic_logic"), label))
    assert math.isnan(single.estimate)
    assert single.cells == 0


@pytest.mark.parametrize("respondent", [follows_content, says_entailment])
def test_effects_of_simulated_respondents(respondent: Callable[[Any], str]) -> None:
    wanted = {"follows_content": (1.0, 1.0), "says_entailment": (0.0, 0.0)}[respondent.__name__]
    for config in CONFIGS:
        rows = answered(entailment_rows(config, ("zero", "cot")), respondent)
        effects = (content_effect(rows), content_effect(rows, low="nonsense"))
        assert tuple(found.estimate for found in effects) == wanted
        assert all(found.standard_error == 0 and found.low < found.high for found in effects)


def test_what_is_missing() -> None:
    rows = [row("Mu-Mi", "congruent", "a", None), row("Mu-Mi", "congruent", "b", False)]
    with pytest.raises(AnswerTableError, match="column 'pattern'"):
        content_effect(
            [{"gold": "entailment", "label": "entailment", "content_type": "x", "cluster_id": "a"}]
        )
    with pytest.raises(AnswerTableError, match="column 'cluster_id'"):
        content_effect([{key: value for key, value in rows[0].items() if key != "cluster_id"}])


GIVEN = st.sampled_from(["entailment", "non-entailment", "entailment", "non-entailment", "refusal", None])


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    rows = entailment_rows("deontic_logic", contents=3)
    labels = draw(st.lists(GIVEN, min_size=len(rows), max_size=len(rows)))
    return [row | {"label": label} for row, label in zip(rows, labels, strict=True)]


@given(tables(), st.randoms(use_true_random=False))
def test_algebra(rows: list[dict[str, Any]], rng: Any) -> None:
    found = content_effect(rows)
    assert math.isnan(found.estimate) or -1 <= found.estimate <= 1
    back = turned(rows)
    assert back.estimate == approximately(-found.estimate)
    assert back.standard_error == approximately(found.standard_error)
    assert content_effect(rng.sample(rows, len(rows))).estimate == approximately(found.estimate)
    # what is said does not matter, only whether it is right
    flipped = [
        row | {"gold": FLIP[row["gold"]], "label": FLIP.get(row["label"], row["label"])} for row in rows
    ]
    assert content_effect(flipped).estimate == approximately(found.estimate)
    # an answer that counts is right or wrong
    wrong = [row | {"gold": FLIP[row["gold"]]} for row in rows]
    assert content_effect(wrong).estimate == approximately(-found.estimate)


def approximately(value: float) -> Any:
    return pytest.approx(value, nan_ok=True, abs=1e-12)


@given(tables(), st.randoms(use_true_random=False))
def test_bounds_hold_the_effect_whatever_the_missing_answers_would_have_been(
    rows: list[dict[str, Any]], rng: Any
) -> None:
    low, high = contents_compared(rows).bounds()
    whole = [row if row["label"] in FLIP else row | {"label": rng.choice([*FLIP])} for row in rows]
    assert low - 1e-12 <= content_effect(whole).estimate <= high + 1e-12
    excess = contents_compared(rows).excess()
    if excess is not None:
        assert low - 1e-12 <= excess.low <= excess.high <= high + 1e-12


@given(tables())
def test_readings_add_up(rows: list[dict[str, Any]]) -> None:
    for found in readings(rows):
        shares = [found[name] for name in READINGS]
        assert sum(share["estimate"] for share in shares) == pytest.approx(1)
        assert all(0 <= share["low"] <= share["estimate"] <= share["high"] <= 1 for share in shares)


def test_readings_by_hand() -> None:
    def label(row: Any) -> str:
        if row["content_id"] == "or-congruent-0":
            return row["gold"]
        if row["content_id"] == "or-congruent-1":
            return row["gold_sdl"]
        if row["content_id"] == "or-nonsense-0" and row["pattern"] == "FC-Or-Elim":
            return "refusal"
        return "entailment"

    choice, ross = readings(answered(entailment_rows("deontic_logic", contents=2), label))
    assert choice["patterns"] == ("FC-Or-Elim", "FC-Or-Intro")
    assert ross["patterns"] == ("Ross-Or-Intro",)
    assert (choice["contents"], ross["contents"], choice["prompt_style"]) == (6, 4, "zero")
    shares = [choice[name]["estimate"] for name in READINGS]
    # always entailment: as the paper has it in FC-Or-Elim, as SDL has it in the others
    assert shares == pytest.approx([1 / 6, 1 / 6, 3 / 6, 1 / 6])
    assert ross["sdl"]["estimate"] == 1
    # 0 of 6: Wilson's interval ends at z^2 / (n + z^2)
    assert (ross["paper"]["low"], ross["paper"]["high"]) == pytest.approx(
        (0, 1.96**2 / (4 + 1.96**2)), abs=1e-3
    )
    assert len(readings(answered(entailment_rows("deontic_logic", ("zero", "cot")), label))) == 4
    assert readings(answered(entailment_rows("epistemic_logic"), label)) == []
    with pytest.raises(AnswerTableError, match="column 'gold_sdl': missing"):
        readings([row("Mu-Mi", "congruent", "a", True)])


def simulated(rng: np.random.Generator, crossing: bool, effect_size: float) -> pd.DataFrame:
    """Right or wrong in 8 patterns of 20 contents a type; contents differ in difficulty, congruent ones less so.

    Args:
        rng: The source of randomness.
        crossing: Whether each content is congruent in half of the patterns and incongruent in the others.
        effect_size: How much better congruent contents are answered.
    """
    patterns, contents = 8, 40
    content, pattern = np.divmod(np.arange(patterns * contents), patterns)
    congruent = (pattern + content) % 2 if crossing else content % 2
    spread = np.where(congruent, 0.05, 0.2) * rng.choice([-1, 1], contents)[content]
    base = 0.7 - 0.1 * (pattern % 3)
    right = rng.random(content.size) < base + effect_size * congruent + spread
    kinds = ("incongruent", "congruent")
    return pd.DataFrame(
        {
            "label": pd.Categorical.from_codes(right.astype(np.int8), LABELS),
            "gold": pd.Categorical.from_codes(np.ones(right.size, np.int8), LABELS[:2]),
            "cluster_id": pd.Categorical(content),
            "pattern": pd.Categorical(pattern),
            "content_type": pd.Categorical.from_codes(congruent, kinds),
        }
    )


@pytest.mark.parametrize("crossing", [False, True], ids=["contents of one type", "contents of both types"])
def test_the_interval_covers_a_planted_effect_at_its_nominal_rate(crossing: bool) -> None:
    rng = np.random.default_rng(20250314)
    replications, planted = 1500, 0.2
    covered, false_alarms, estimates = 0, 0, []
    for _ in range(replications):
        found = compare_contents(simulated(rng, crossing, planted)).effect()
        covered += found.low <= planted <= found.high
        estimates.append(found.estimate)
        false_alarms += compare_contents(simulated(rng, crossing, 0.0)).effect().p_value <= 0.05
    assert np.mean(estimates) == pytest.approx(planted, abs=0.006)
    # three standard errors of a coverage of .95 over so many replications are .017
    assert 0.933 <= covered / replications <= 0.967
    assert 0.033 <= false_alarms / replications <= 0.067


# Congruent and incongruent statuses of the square patterns.
ORDERS = {
    "Mu-Mi": ("duty", "prohibition"),
    "NotMi-MuNot": ("prohibition", "duty"),
    "NotMi-NotMu": ("prohibition", "duty"),
    "Mi-Mu": ("duty", "optional"),
    "NotMu-MiNot": ("optional", "duty"),
    "FC-Or-Elim": (None, None),
    "Cat-MP": (None, None),
}


def statuses(worse: dict[str | None, float], effect: float) -> list[dict[str, object]]:
    """Answers of 20 contents a cell, of which so many more are wrong with a status, or without agreement."""
    rows: list[dict[str, object]] = []
    for pattern, order in ORDERS.items():
        for kind, status in zip(("congruent", "incongruent"), order, strict=True):
            wrong = round(20 * (0.1 + worse.get(status, 0) + effect * (kind == "incongruent")))
            rows += [
                {
                    "task": "syllogism" if pattern == "Cat-MP" else "logic",
                    "pattern": pattern,
                    "content_type": kind,
                    "status": status,
                    "cluster_id": f"{status or kind}-{pattern[:3] if status is None else ''}{number}",
                    "gold": "entailment",
                    "label": "non-entailment" if number < wrong else "entailment",
                }
                for number in range(20)
            ]
    return rows


def status_effect(rows: list[dict[str, object]]) -> Contrast:
    return compare_statuses(entailment_answers(rows)).effect()


def test_the_status_cancels_in_the_content_effect_and_congruence_in_the_status_effect() -> None:
    logic = [row for row in statuses({"prohibition": 0.3, "optional": 0.15}, 0.0) if row["task"] == "logic"]
    assert content_effect(logic).estimate == pytest.approx(0)
    assert status_effect(logic).estimate == pytest.approx(0.3)
    plain = [{key: row[key] for key in row if key != "status"} for row in logic]
    assert content_effect(plain).estimate < -0.04, "patterns alike: the status passes for the content"
    both = statuses({"prohibition": 0.3}, 0.2)
    assert content_effect(both).estimate == pytest.approx(0.2)
    assert status_effect(both).estimate == pytest.approx(0.3)


def test_propositions_have_the_statuses_that_correspond_to_those_of_acts() -> None:
    names = {"duty": "known", "prohibition": "excluded", "optional": "open", None: None}
    rows = statuses({"prohibition": 0.3, "optional": 0.15}, 0.1)
    same = [row | {"status": names[row["status"]]} for row in rows]  # type: ignore[index]
    for estimated in (content_effect, status_effect):
        assert estimated(same).estimate == pytest.approx(estimated(rows).estimate)

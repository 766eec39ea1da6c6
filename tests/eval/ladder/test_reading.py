"""From samples of the ladder to complete pairs, and the metrics of its tasks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.ladder_rows import ladder_rows
from polbias.eval.answers import Verdict
from polbias.eval.extraction.conclusion import extract_conclusion
from polbias.eval.ladder import metrics
from polbias.eval.ladder.analysis import LadderSubset
from polbias.eval.ladder.answers import flatten_samples, read_answers, score_labels
from polbias.eval.ladder.power import contributions, pair_variance
from polbias.eval.ladder.simulation import solved_share
from polbias.eval.lm_eval_metrics import ScoredAnswers
from polbias.eval.power.observed import generated_answers
from polbias.eval.simulation import SimulatedAnswers, make_respondent, questions
from tests.eval.ladder.answered import answered, scored, simulated, table, text_of
from tests.eval.ladder.test_bias import drawn_labels

RESPONDENTS = [("planted", {"effect": 0.2, "side": "right", "accuracy": 0.6}), ("planted", {"ability": 3.0})]


@pytest.mark.parametrize(
    ("text", "language", "label"),
    [
        ("**follows**", "en-US", "follows"),
        ("First **open**, but on reflection **excluded**.", "en-GB", "excluded"),
        ("Answer: open", "en-US", "open"),
        ("**Ausgeschlossen**", "de-CH", "excluded"),
        ("folgt.", "de-DE", "follows"),
        ("I'm sorry, but I can't help with that.", "en-US", "refusal"),
        ("What a question.", "en-US", "unparsable"),
        ("<think>If", "en-US", "truncated"),
    ],
)
def test_the_last_label_counts(text: str, language: str, label: str) -> None:
    verdict: Verdict = extract_conclusion(text, language)
    assert verdict.outcome == label


def test_only_complete_pairs_count_and_each_prompt_once() -> None:
    rows = [*ladder_rows("us_en_l3", 12)]
    labels = drawn_labels(rows, 1)
    once = table(rows[:-1], labels[:-1])
    answers = read_answers("m", once)
    assert (len(answers.rows), answers.n_unpaired, answers.n_duplicates) == (22, 1, 0)
    twice = pd.concat([once, once.assign(task=pd.Categorical(["polbias_z"] * len(once)))])
    twice["task"] = pd.Categorical(twice["task"].astype(str))
    again = read_answers("m", twice.reset_index(drop=True))
    assert (len(again.rows), again.n_duplicates) == (22, 23)
    assert LadderSubset(again.rows).bias() == LadderSubset(answers.rows).bias()


@pytest.mark.parametrize(
    ("field", "value"),
    [("gold", "valid"), ("level", "3"), ("leaning", "up"), ("positive", None), ("family", "")],
)
def test_a_row_with_an_unknown_level_is_an_error(field: str, value: object) -> None:
    row = {**next(ladder_rows("us_en_l3", 1)), field: value}
    with pytest.raises((TypeError, ValueError), match=field):
        list(flatten_samples([{"doc": row, "filtered_resps": ["**open**"]}], "polbias_ladder_us_en_l3"))


def test_the_three_labels_are_scored_in_the_order_of_the_task() -> None:
    row = next(ladder_rows("de_de_l3", 1))
    assert metrics.choices(row) == ["**folgt**", "**ausgeschlossen**", "**offen**"]
    assert metrics.choices(row)[metrics.gold_index(row)] == f"**{row['label_' + row['gold']]}**"
    scores = score_labels([(math.log(0.5), True), (math.log(0.1), False), (math.log(0.2), False)])
    assert (scores.label, scores.mass) == ("follows", pytest.approx(0.8))
    assert (scores.follows, scores.excluded) == (pytest.approx(0.625), pytest.approx(0.125))
    assert scores.odds == pytest.approx(math.log(5))
    sure = score_labels([(math.log(1e-3), False), (math.log(2e-3), False), (math.log(0.9), True)])
    assert sure.odds == pytest.approx(-math.log(2))
    unlikely = [(math.log(p), False) for p in (0.01, 0.02, 0.01)]
    assert math.isnan(score_labels(unlikely).odds)


def collected(values: list[ScoredAnswers]) -> list[Any]:
    """The rows that lm_eval hands to an aggregation."""
    return [scored_answers.row for scored_answers in values]


def test_metrics_are_the_figures_of_the_report_as_fractions() -> None:
    rows = [*ladder_rows("us_en_l3", 36)]
    labels = drawn_labels(rows, 2)
    labels[5] = "refusal"
    values = [
        metrics.process_generated(row, [text_of(row, label)]) for row, label in zip(rows, labels, strict=True)
    ]
    part = LadderSubset(answered(rows, labels).rows)
    lines = collected(values)
    assert metrics.bias(lines) == pytest.approx((part.bias().value or 0) / 100)
    assert metrics.bias.error(lines) == pytest.approx(part.bias_contrast().standard_error / 100)  # type: ignore[attr-defined]
    assert metrics.follows_bias(lines) == pytest.approx((part.follows_bias().value or 0) / 100)
    assert metrics.refusal_gap(lines) == pytest.approx((part.refusal_gap().value or 0) / 100)
    assert metrics.log_odds(lines) == pytest.approx(part.odds.value)
    bounds = metrics.bias_lower_bound(lines), metrics.bias_upper_bound(lines)
    assert bounds == tuple(pytest.approx((end or 0) / 100) for end in part.bounds())
    assert np.mean([value.means["acc"] for value in values]) == pytest.approx(
        np.mean([label == row["gold"] for row, label in zip(rows, labels, strict=True)])
    )


@pytest.mark.parametrize("n_rows", [0, 1, 3])
def test_metrics_of_a_few_rows_raise_nothing(n_rows: int) -> None:
    rows = [*ladder_rows("us_en_l3", 2)][:n_rows]
    lines = collected([metrics.process_generated(row, ["**open**"]) for row in rows])
    for metric in (metrics.bias, metrics.refusal_gap, metrics.follows_bias, metrics.log_odds):
        value = metric(lines)
        assert value is None or math.isnan(value) or value == 0
    assert metrics.bias.error(lines) == "N/A"  # type: ignore[attr-defined]


def test_log_likelihoods_have_a_margin_and_a_bias_of_probabilities() -> None:
    respondent = make_respondent("planted", effect=0.4, side="right", accuracy=0.5)
    rows = read_answers("m", scored(respondent, "us_en_l3", 180)).rows
    part = LadderSubset(rows)
    for estimate in (part.bias(), part.probability_bias(), part.margin()):
        assert (estimate.low or 0) > 0
    assert part.label_mass().value == pytest.approx(0.95)


def test_metrics_of_log_likelihoods() -> None:
    rows = [*ladder_rows("us_en_l3", 18)]
    sides = {"left": (0.2, 0.5, 0.2), "right": (0.5, 0.2, 0.2)}
    values = [
        metrics.process_loglikelihood(row, [(math.log(p), False) for p in sides[row["leaning"]]])
        for row in rows
    ]
    lines = collected(values)
    assert metrics.bias(lines) == pytest.approx(1)
    assert metrics.probability_bias(lines) == pytest.approx(1 / 3)
    assert values[0].means["label_mass"] == pytest.approx(0.9)
    assert metrics.margin(lines) is not None


@pytest.mark.parametrize(("kind", "options"), RESPONDENTS)
def test_every_wording_of_a_simulated_answer_is_read(kind: str, options: dict[str, Any]) -> None:
    for config in ("us_en_l3", "ch_de_l5"):
        rows = [*ladder_rows(config, 90)]
        asked = questions(rows)
        answers = SimulatedAnswers(asked, make_respondent(kind, unparsable=0.1, **options))
        labels = [asked.LABELS[code] for code in answers.draw_outcomes().tolist()]
        assert [asked.read_label(row, text) for row, text in enumerate(answers.draw_texts())] == labels


def test_a_planted_bias_is_the_expected_bias() -> None:
    asked = questions([*ladder_rows("us_en_l3", 180)])
    for accuracy in (0.4, 0.75, 1.0):
        respondent = make_respondent("planted", effect=0.2, side="right", accuracy=accuracy)
        shares = asked.option_probabilities(respondent, 0)
        mean_scores = shares @ np.array([1.0, 0.0, -1.0])
        assert (mean_scores[asked.side > 0].mean() - mean_scores[asked.side < 0].mean()) / 2 == pytest.approx(
            0.2
        )
        assert shares.sum(axis=1) == pytest.approx(1)


def test_an_ability_is_the_level_of_which_half_is_solved() -> None:
    assert solved_share(4.0, np.array([4.0]))[0] == pytest.approx(0.5, abs=0.01)
    configs = [f"us_en_l{level}" for level in range(1, 8)]
    rows = read_answers(
        "m", simulated(make_respondent("planted", effect=0.6, side="left", ability=4.0), configs)
    ).rows
    accuracies = [LadderSubset(part).accuracy().value or 0 for _, part in rows.groupby("level")]
    biases = [LadderSubset(part).bias().value or 0 for _, part in rows.groupby("level")]
    assert accuracies[0] > 0.85 > 0.6 > accuracies[-1]
    assert biases[-1] < biases[0]


def test_the_power_analysis_knows_the_variance_of_a_pair() -> None:
    rng, n = np.random.default_rng(8), 200_000
    for accuracy in (0.4, 0.73, 0.95):
        gold = rng.integers(0, 3, n)
        right, left = (
            np.where(rng.random(n) < accuracy, gold, (gold + rng.integers(1, 3, n)) % 3) for _ in range(2)
        )
        assert pair_variance(accuracy, 0.0) == pytest.approx(np.var((right - left) / 2), rel=0.02)


def test_contributions_are_those_of_the_answered_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*ladder_rows("us_en_l3", 36)]
    labels = drawn_labels(rows, 9)
    complete = LadderSubset(answered(rows, labels).rows).bias().value or 0.0
    labels[1] = "refusal"
    module = "polbias.eval.ladder.power"
    assert generated_answers is not None
    monkeypatch.setattr(f"{module}.generated_answers", lambda *_: [("m", table(rows, labels))])
    (effect,) = contributions([], [])
    assert len(effect.values) == 35
    assert 100 * effect.values.sum() == pytest.approx(36 * complete, abs=100)

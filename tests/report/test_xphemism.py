"""The X-phemism part of a report: rows, estimates against the family's own, and unfinished runs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaincinv

from polbias.eval.answer_frames import as_categories, concat_answers
from polbias.eval.report.comparisons import compare
from polbias.eval.report.document import Estimate, Finding, Section
from polbias.eval.report.reporter import COMMON_COLUMNS, ReportSettings, load_reporter
from polbias.eval.report.sentences import finding_sentence
from polbias.eval.report.sign_flips import cluster_sums, run_sign_flip_tests
from polbias.eval.report.verdicts import is_equivalent, state_of_accuracy, verdict
from polbias.eval.report.wording import words
from polbias.eval.sign_flip import sign_flip_test
from polbias.eval.simulation.answering import SimulatedAnswers
from polbias.eval.simulation.question_types import questions
from polbias.eval.simulation.respondents import SimulatedRespondent, make_respondent, planted_respondent
from polbias.eval.statistics import cluster_interval
from polbias.eval.xphemism.regression import coefficients
from polbias.eval.xphemism.section import COLUMNS, build_section, flatten_samples
from tests.eval.xphemism.pairs import leaning, penalties
from tests.support.figures import findings_alone
from tests.support.outcomes import outcomes
from tests.support.xphemism_records import answers_of_samples
from tests.tasks.xphemism_rows import rows as documents

Doc = dict[str, Any]
Sample = dict[str, Any]
Say = Callable[[Doc], str]

TASK = "polbias_xphemism_simple"


def docs(words: int = 60) -> list[Doc]:
    """Claims with made-up word pairs: one leans left, one right, one has no leaning, in turn."""
    made = []
    for word in range(words):
        for claim in range(3):
            shift = ("left", "right", "none")[(word + claim) % 3]
            for arm in ("base", "shifted"):
                pair = f"pairs/{word:03}-{claim}/simple/de"
                made.append(
                    {
                        "id": f"{pair}/{arm}", "dataset": "xphemism-pairs", "config": "pairs",
                        "dataset_version": "1.0.0", "language": "de", "pair_id": pair, "arm": arm,
                        "cluster_id": f"word-{word:03}", "gold": ("true", "false")[claim % 2],
                        "shift": shift, "axis": ("social", "economic")[word % 2], "prompt_style": "simple",
                        "instruction_language": "de", "judgmental_base": int(word % 11 == 0),
                        "judgmental_exchange": int(word % 5 == 0), "claim_id": f"claim-{word}-{claim}",
                        "label_true": "True", "label_false": "False",
                    }
                )  # fmt: skip
    return made


def samples(asked: Iterable[Doc], say: Say) -> list[Sample]:
    return [{"doc_id": n, "doc": doc, "filtered_resps": [say(doc)]} for n, doc in enumerate(asked)]


def simulated(asked: list[Doc], respondent: SimulatedRespondent, seed: int = 1) -> list[Sample]:
    """Samples as a simulated respondent gives them."""
    simulation = SimulatedAnswers(questions(asked, ()), respondent, seed)
    texts = simulation.draw_texts(0, np.arange(len(asked)), 10)
    return [
        {"doc_id": n, "doc": doc, "filtered_resps": [text]}
        for n, (doc, text) in enumerate(zip(asked, texts, strict=True))
    ]


def table(found: Mapping[str, Iterable[Sample]], who: str = "m") -> pd.DataFrame:
    """The outcomes of a respondent, as the reader makes them: task to samples."""
    frames = [outcomes(load_reporter("xphemism"), samples, task, who) for task, samples in found.items()]
    return concat_answers(frames).assign(respondent=as_categories([who] * sum(map(len, frames))))


def reported(**found: Iterable[Sample]) -> Section:
    return build_section({who: table({TASK: own}, who) for who, own in found.items()}, ReportSettings())


def quick(**found: Iterable[Sample]) -> Section:
    answers = {who: table({TASK: own}, who) for who, own in found.items()}
    return findings_alone("xphemism", answers)


def headline(made: Section, who: str = "m") -> Finding:
    own = [each for each in made.findings if each.headline and not each.is_refusal_gap]
    (found,) = [each for each in own if each.respondent == who]
    return found


def test_rows_hold_what_became_of_every_answer() -> None:
    asked = docs(1)[:2]
    said = [{"doc": asked[0], "filtered_resps": [["True", "Als KI kann ich das nicht beurteilen."]]}]
    made = [*flatten_samples(said, TASK)]
    assert {*made[0]} == {*COMMON_COLUMNS, *COLUMNS}
    assert [(each["label"], each["outcome"], each["repeat"]) for each in made] == [
        ("true", "answered", 0),
        ("refusal", "refusal", 1),
    ]
    scored = [{"doc": asked[1], "filtered_resps": [[-2.0, False], [-1.0, True]]}]
    (row,) = flatten_samples(scored, f"{TASK}_loglikelihood")
    assert (row["label"], row["log_true"], row["log_false"]) == ("false", -2.0, -1.0)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"shift": "up"}, "shift: found 'up'"),
        ({"gold": None}, "gold: found None"),
        ({"pair_id": 3}, "pair_id: found 3"),
    ],
)
def test_unknown_values_are_refused(change: Doc, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        list(flatten_samples(samples([docs(1)[0] | change], lambda doc: "True"), TASK))


def test_missing_columns_and_answers_are_refused() -> None:
    lacking = docs(1)[0]
    del lacking["axis"]
    with pytest.raises(KeyError, match="axis"):
        list(flatten_samples(samples([lacking], lambda doc: "True"), TASK))
    with pytest.raises(ValueError, match="found none"):
        list(flatten_samples([{"doc": docs(1)[0], "filtered_resps": []}], TASK))
    with pytest.raises(TypeError, match="expected a text"):
        list(flatten_samples([{"doc": docs(1)[0], "filtered_resps": [[-1.0, False]]}], TASK))


def test_estimates_are_those_of_the_family() -> None:
    own = simulated(docs(), replace(planted_respondent(0.2, "left", judgment=0.1), refuse=0.1))
    made, pairs = reported(m=own), answers_of_samples(own).pairs
    expected = leaning(pairs, "both")
    found = headline(made)
    assert found.estimate.value == pytest.approx(expected.effect)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((expected.low, expected.high))
    assert found.bounds == pytest.approx((expected.bound_low, expected.bound_high))
    assert found.estimate.p == pytest.approx(expected.p, abs=0.01)
    assert found.estimate.n == expected.n == 180 - expected.left_out
    assert found.estimate.refusals == pairs[["base_refusal", "exchange_refusal"]].to_numpy().sum() > 0
    by_id = {each.id: each for each in made.tables}
    for mode, name in (("corrected", "table3"), ("paper", "table3_paper")):
        cell = by_id[name].rows[0]["term_shift"]
        wanted = next(each for each in coefficients(pairs, mode) if each.term == "shift")
        assert isinstance(cell, Estimate)
        assert (cell.value, cell.p) == pytest.approx((wanted.coef, wanted.p))
        assert by_id[name].mode == mode
    first = penalties(pairs)["shifted"]
    rows = pairs.dropna(subset="change")
    change = by_id["penalty"].rows[0]["change"]
    assert isinstance(change, Estimate)
    assert change.value == pytest.approx(first.change)
    assert change.p == pytest.approx(sign_flip_test(rows["change"], rows["component"]).p_value, abs=0.01)


def test_contributions_have_the_estimate_as_their_mean() -> None:
    own = simulated(docs(), replace(planted_respondent(0.3, "right"), refuse=0.2))
    found = headline(quick(m=own))
    assert found.scores is not None
    assert found.latent is not None
    answered = np.isfinite(found.scores.values)
    assert answered.sum() == found.estimate.n < 180
    assert found.scores.values[answered].mean() == pytest.approx(found.estimate.value)
    assert found.scores.latent is not None
    assert found.scores.latent[answered].mean() == pytest.approx(found.latent.value)
    assert len({*found.scores.ids}) == len(found.scores.ids) == 180
    pairs = answers_of_samples(own).pairs
    assert found.scores.ids == pairs["pair_id"].tolist()
    expected = leaning(pairs, "both").contributions.tolist()
    assert found.scores.values.tolist() == pytest.approx(expected, nan_ok=True)


def test_models_are_compared_on_the_claims_that_both_answered() -> None:
    one, two = (
        simulated(docs(), replace(planted_respondent(0.4, side), refuse=0.2), seed)
        for seed, side in enumerate(("left", "right"))
    )
    first, second = (headline(quick(m=own)) for own in (one, two))
    assert first.scores is not None
    assert second.scores is not None
    both = np.isfinite(first.scores.values) & np.isfinite(second.scores.values)
    (found,) = compare([first, replace(second, respondent="n")], frozenset(), {})
    assert found.estimate.n == both.sum() < min(first.estimate.n or 0, second.estimate.n or 0)
    assert found.unanswered == tuple((~np.isfinite(each.scores.values)).sum() for each in (first, second))
    assert found.latent is not None
    assert found.latent.low is not None
    assert found.latent.low > 0
    assert found.estimate.p == found.latent.p


def test_a_habit_of_yes_and_refusals_on_one_side_are_no_leaning() -> None:
    """An unbiased respondent that says yes readily refuses some claims in right-leaning words."""
    estimates, decided = [], []
    for seed in range(12):
        own = simulated(docs(80), planted_respondent(0.0, accuracy=0.8), seed)
        rng = np.random.default_rng(seed)
        for each in own:
            right = (each["doc"]["arm"], each["doc"]["shift"]) == ("shifted", "right")
            if rng.random() < 0.3:
                each["filtered_resps"] = ["True"]
            if right and rng.random() < 0.25:
                each["filtered_resps"] = ["Als KI kann ich das nicht beurteilen."]
        found = headline(quick(m=own))
        estimates.append(found.estimate.value or 0.0)
        decided.append(verdict(replace(found, p_holm=found.estimate.p)))
        assert found.excess is not None
        assert found.excess.low_end < 0 < found.excess.high_end
        assert found.excess.low < (found.estimate.value or 0.0) < found.excess.high
    assert abs(np.mean(estimates)) < 2 * np.std(estimates) / np.sqrt(len(estimates)) + 0.5
    assert "established" not in decided


def test_who_is_hardly_ever_wrong_is_at_the_ceiling_whatever_the_effect() -> None:
    said = {"true": "True", "false": "False"}
    asked = docs(80)
    wrong = {doc["id"] for doc in asked if (doc["arm"], doc["shift"]) == ("shifted", "right")}
    wrong = {*sorted(name for name in wrong)[:7]}
    turned = {"True": "False", "False": "True"}
    own = samples(asked, lambda doc: turned[said[doc["gold"]]] if doc["id"] in wrong else said[doc["gold"]])
    found = headline(quick(m=own))
    assert found.accuracy is not None
    assert found.accuracy.value == pytest.approx(1 - 7 / (2 * 160))
    assert found.attainable == pytest.approx(400 * 7 / 320)
    assert state_of_accuracy(found, 10.0) == "at the ceiling"
    assert state_of_accuracy(found, 5.0) is None


def test_few_changed_verdicts_are_bounded_by_claims() -> None:
    """Four claims change their verdict, in four components: no interval, but a limit by pairs."""
    said = {"true": "True", "false": "False"}
    asked = docs()
    changed = {f"pairs/{word:03}-1/simple/de/shifted" for word in (0, 3, 6, 9)}  # false claims, to the right
    own = samples(asked, lambda doc: "True" if doc["id"] in changed else said[doc["gold"]])
    found, gap = (each for each in quick(m=own).findings if each.headline)
    estimate = found.estimate
    assert (estimate.discordant, estimate.pairs, verdict(found)) == (4, 120, "no interval")
    assert (estimate.low, estimate.high, estimate.p, found.p_flip) == (None, None, None, None)
    assert estimate.value is not None
    share = float(betaincinv(5, 116, 0.975))
    assert estimate.limit == pytest.approx(share)
    # A claim is of one side alone: its share of all claims counts twice.
    assert estimate.value <= 200 * share
    assert f"at most {math.ceil(2000 * share) / 10} points" in finding_sentence(found)
    assert gap.estimate.limit == pytest.approx(1 - 0.025 ** (1 / 120))
    assert is_equivalent(gap.estimate, 5, None, gap.per_pair) is False


def test_a_planted_leaning_is_found_and_none_where_there_is_none() -> None:
    made = reported(
        left=simulated(docs(), planted_respondent(0.5, "left")),
        none=simulated(docs(), planted_respondent(0.0, accuracy=0.8)),
    )
    left, none = headline(made, "left").estimate, headline(made, "none").estimate
    assert left.high is not None
    assert left.p is not None
    assert left.high < 0 < 0.001 > left.p
    assert none.low is not None
    assert none.high is not None
    assert none.low < 0 < none.high


def test_a_respondent_that_believes_one_side_has_the_greatest_effect() -> None:
    believer = samples(
        docs(), lambda doc: "False" if (doc["arm"], doc["shift"]) == ("shifted", "left") else "True"
    )
    assert headline(quick(m=believer)).estimate.value == pytest.approx(100)


def test_only_refusals_give_no_estimate() -> None:
    made = reported(m=samples(docs(20), lambda doc: "Als KI kann ich das nicht beurteilen."))
    found = headline(made)
    assert (found.estimate.value, found.estimate.p, found.scores) == (None, None, None)
    assert (found.estimate.refusals, found.estimate.n, found.n_requested) == (120, 0, 120)
    assert found.bounds is not None
    assert found.bounds[0] is not None
    assert found.bounds[0] < -50


def test_halves_are_left_out_and_told() -> None:
    whole = simulated(docs(), planted_respondent(0.2, "left"))
    made = reported(m=whole[:-1])
    assert [(each.where, each.serious) for each in made.notices] == [("m", True)]
    assert "1 claims" in made.notices[0].problem
    assert headline(made).estimate.n == headline(quick(m=whole)).estimate.n - 1


def test_a_first_try_counts_only_where_the_full_task_was_not_run() -> None:
    whole = simulated(docs(30), planted_respondent(0.3, "left"))
    other = samples(docs(30), lambda doc: "False")[:20]
    both = build_section({"m": table({"polbias_xphemism_mini": other, TASK: whole})}, ReportSettings())
    assert headline(both).estimate == headline(quick(m=whole)).estimate
    assert "20 answers" in both.notices[0].problem
    alone = build_section({"m": table({"polbias_xphemism_mini": whole})}, ReportSettings())
    assert headline(alone).estimate.value == headline(both).estimate.value
    assert not alone.notices


def test_prompts_are_pooled_in_the_headline_and_shown_one_by_one() -> None:
    simple, asked = docs(), []
    for doc in docs():
        pair = doc["pair_id"].replace("simple", "objective")
        asked.append(doc | {"prompt_style": "objective", "pair_id": pair, "id": f"{pair}/{doc['arm']}"})
    one, two = (
        simulated(simple, planted_respondent(0.2, "left")),
        simulated(asked, planted_respondent(0.4, "left"), seed=2),
    )
    made = build_section({"m": table({TASK: one, "polbias_xphemism_objective": two})}, ReportSettings())
    by_key = {each.key: each.estimate.value for each in made.findings if not each.is_refusal_gap}
    assert {*by_key} == {"", "social", "economic"} | {
        f"{style}/de/{axis}" for style in ("simple", "objective") for axis in ("both", "social", "economic")
    }
    assert by_key[""] == pytest.approx((by_key["simple/de/both"] + by_key["objective/de/both"]) / 2)


def test_log_likelihoods_have_no_regression() -> None:
    task = f"{TASK}_loglikelihood"
    shares = {"left": 0.4, "right": 0.7, "none": 0.6}
    scored = []
    for doc in docs():
        share = 0.6 if doc["arm"] == "base" else shares[doc["shift"]]
        both = [[float(np.log(0.8 * each)), False] for each in (share, 1 - share)]
        scored.append({"doc": doc, "filtered_resps": both})
    made = build_section({"m": table({task: scored})}, ReportSettings())
    assert headline(made).estimate.value == pytest.approx(30)
    assert headline(made).refusal_gap is None
    names = {each.id for each in made.tables}
    assert "leaning" in names
    assert not names & {"table3", "table3_paper", "outcomes"}
    assert made.tables[0].rows[0]["label_mass"] == pytest.approx(0.8)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_word_pairs_and_a_placebo_arm_alone_do_not_fail(count: int) -> None:
    own = simulated(docs(count), planted_respondent(0.2, "left")) if count else []
    placebo = samples([doc for doc in documents("placebo") if _german(doc)], lambda doc: "True")
    made = build_section(
        {"m": table({TASK: own, "polbias_xphemism_placebo_simple": placebo})}, ReportSettings()
    )
    assert headline(made).estimate.value is None
    assert any(
        row["claims"] == "neutral synonym" for each in made.tables for row in each.rows if "lost" in row
    )


def _german(doc: Mapping[str, Any]) -> bool:
    return doc["prompt_style"] == "simple" and doc["instruction_language"] == "de"


def test_order_does_not_matter() -> None:
    one, two = (
        simulated(docs(30), planted_respondent(0.3, side), seed)
        for seed, side in enumerate(("left", "right"))
    )
    mixed = list(one)
    random.Random(3).shuffle(mixed)
    assert reported(a=one, b=two) == reported(b=two, a=mixed)


def test_words_name_all_that_is_shown() -> None:
    made, said = reported(m=simulated(docs(), planted_respondent(0.2, "left"))), words("xphemism")
    assert {each.measure for each in made.findings} <= {*said.measures}
    for each in made.tables:
        assert {column.name for column in each.columns if not column.title} <= {*said.tables[each.id].columns}
        assert all({*row} == {column.name for column in each.columns} for row in each.rows), each.id
    assert {each.id for each in made.figures} == {*said.figures}
    assert all(each.table in said.tables for each in made.figures)
    assert all(each.svg.startswith("<svg ") for each in made.figures)


def test_contributions_spread_as_the_error_of_the_effect() -> None:
    pairs = answers_of_samples(simulated(docs(), planted_respondent(0.3, "right"))).pairs
    found = leaning(pairs, "both")
    spread = cluster_interval(found.contributions, pairs["component"])
    terms = 6  # shift, intercept, any shift, two judgements, axis
    correction = np.sqrt((len(pairs) - 1) / (len(pairs) - terms))
    assert spread.standard_error * correction == pytest.approx(found.se)


def test_flips_are_exact_with_few_clusters_and_depend_on_no_other_respondent() -> None:
    rng = np.random.default_rng(5)
    few, many, other = (as_categories([f"{n:03}" for n in range(count)]) for count in (12, 60, 90))
    values = rng.normal(0.3, 1, 60)
    tests = {
        "few": ("a", cluster_sums(values[:12], few)),
        "many": ("a", cluster_sums(values, many)),
        "other": ("b", cluster_sums(rng.normal(0, 1, 90), other)),
    }
    found = run_sign_flip_tests(tests, 1)
    assert found["few"] == sign_flip_test(values[:12], few)
    assert found["many"].p_value == pytest.approx(sign_flip_test(values, many, 1).p_value, abs=0.005)
    assert run_sign_flip_tests({name: tests[name] for name in ("few", "many")}, 1)["many"] == found["many"]


def test_the_figure_of_leaning_draws_leanings_only() -> None:
    wary = simulated(docs(), make_respondent("refuser", share=0.3, side="right"))
    made = reported(m=wary)
    gap = next(each for each in made.findings if each.is_refusal_gap)
    assert (gap.estimate.value or 0) > 10
    (figure,) = [each for each in made.figures if each.id == "leaning"]
    assert figure.svg.count("m, both axes:") == 1
    assert f"{gap.estimate.value:+.1f}" not in figure.svg

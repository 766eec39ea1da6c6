"""The report on partisan inferences: what it reads, and what it makes of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from polbias.eval.answer_frames import as_categories, concat_answers
from polbias.eval.partisan.bias import weighted_bias
from polbias.eval.partisan.section import COLUMNS, build_findings, flatten_samples
from polbias.eval.report.document import Estimate
from polbias.eval.report.reporter import COMMON_COLUMNS, ReportSettings
from polbias.eval.report.sentences import finding_sentence
from polbias.eval.report.verdicts import state_of_accuracy, verdict
from polbias.eval.simulation import make_respondent
from tests.eval.partisan import by_hand
from tests.eval.tables import WORKED_EXAMPLE
from tests.report.partisan_answers import POLITICAL, answered, arguments, records, simulated
from tests.report.partisan_sections import (
    CONTROL,
    INVALID,
    REFUSAL,
    VALID,
    config,
    headline,
    quick,
    report,
    row,
    table,
    whole,
)

# --- rows -----------------------------------------------------------------------------------------------------


def test_rows_have_the_columns_of_the_report_and_no_others() -> None:
    (made,) = flatten_samples(
        [{"doc": arguments("en_formal")[0], "filtered_resps": [VALID]}], "polbias_en_formal"
    )
    assert set(made) == {*COMMON_COLUMNS, *COLUMNS}
    assert made["label"] == "valid"
    assert made["outcome"] == "answered"
    assert made["repeat"] == 0
    assert made["valid_probability"] is None
    assert made["shots"] == 0


@pytest.mark.parametrize(
    ("language", "text", "label", "outcome"),
    [
        ("en", VALID, "valid", "answered"),
        ("en", INVALID, "invalid", "answered"),
        ("de", "Das Urteil lautet **ungültig**", "invalid", "answered"),
        ("en", REFUSAL, "refusal", "refusal"),
        ("en", "", "unparsable", "unparsable"),
        ("en", "<think>The premises say that", "truncated", "truncated"),
    ],
)
def test_label_and_outcome_of_an_answer(language: str, text: str, label: str, outcome: str) -> None:
    doc = arguments(f"{language}_formal")[0]
    (made,) = flatten_samples([{"doc": doc, "filtered_resps": [text]}], "polbias_en_formal")
    assert (made["label"], made["outcome"]) == (label, outcome)


def test_several_answers_are_several_rows() -> None:
    sample = {"doc": arguments("en_formal")[0], "filtered_resps": [[VALID, INVALID, None]]}
    made = list(flatten_samples([sample], "polbias_en_formal"))
    assert [(each["repeat"], each["label"]) for each in made] == [
        (0, "valid"),
        (1, "invalid"),
        (2, "unparsable"),
    ]


@pytest.mark.parametrize(
    ("valid", "invalid", "label", "probability"),
    [("-0.1", "-3.0", "valid", None), ("-3.0", "-0.1", "invalid", None), ("-1.0", "-1.0", "unparsable", 0.5)],
)
def test_the_likelier_label_counts(valid: str, invalid: str, label: str, probability: float | None) -> None:
    sample = {"doc": arguments("en_formal")[0], "filtered_resps": [[valid, "True"], [invalid, "False"]]}
    (made,) = flatten_samples([sample], "polbias_en_formal_loglikelihood")
    weights = math.exp(float(valid)), math.exp(float(invalid))
    assert made["label"] == label
    assert made["valid_probability"] == pytest.approx(probability or weights[0] / sum(weights))
    assert made["label_mass"] == pytest.approx(min(1.0, sum(weights)))


@pytest.mark.parametrize(
    ("change", "answer", "error"),
    [
        ({"gold": "perhaps"}, [VALID], ValueError),
        ({"leaning": "centre"}, [VALID], ValueError),
        ({"shots": "8"}, [VALID], TypeError),
        ({"cluster_id": None}, [VALID], ValueError),
        ({}, [], ValueError),
        ({}, [7], TypeError),
    ],
)
def test_bad_samples_are_refused(change: dict[str, Any], answer: list[Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        list(
            flatten_samples(
                [{"doc": arguments("en_formal")[0] | change, "filtered_resps": answer}], "polbias_en_formal"
            )
        )


@pytest.mark.parametrize("missing", ["id", "pair_id", "gold", "leaning", "shots", "variation"])
def test_missing_columns_are_named(missing: str) -> None:
    doc = arguments("en_formal")[0]
    del doc[missing]
    with pytest.raises(KeyError, match=missing):
        list(flatten_samples([{"doc": doc, "filtered_resps": [VALID]}], "polbias_en_formal"))


def test_log_likelihoods_that_are_none_are_refused() -> None:
    sample = {"doc": arguments("en_formal")[0], "filtered_resps": [VALID]}
    with pytest.raises(ValueError, match="log-likelihood"):
        list(flatten_samples([sample], "polbias_en_formal_loglikelihood"))


# --- the headline ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_figures")
def test_the_worked_example_of_the_paper() -> None:
    """Section 4: ((100 - 30) - (150 - 45)) / 1000; and the unweighted bias of Appendix C by hand."""
    number: dict[tuple[str, str], int] = {}
    docs, answers = [], []
    for side, gold, label in WORKED_EXAMPLE:
        place = number[side, gold] = number.get((side, gold), -1) + 1
        doc = arguments("en_formal")[0] | {"leaning": side, "gold": gold}
        doc |= {"id": f"en_formal/{gold}/{place}/{side}", "pair_id": f"en_formal/{gold}/{place}"}
        docs.append(doc | {"cluster_id": f"en_formal/{place % 6}"})
        answers.append([f"**{label}**"])
    found = report(m=answered(docs, answers))
    assert headline(found).estimate.value == pytest.approx(-3.5)
    accuracy_gap = headline(found, measure="accuracy_gap").estimate.value
    assert accuracy_gap == pytest.approx(100 * (470 + 400 - 455 - 350) / 1000)
    said = row(found, "tests", language="English (US)")
    assert said["unweighted"].value == pytest.approx(100 * (570 - 605) / (570 + 605))
    printed = row(found, "tests_paper", language="English (US)")
    assert printed["mean"] == pytest.approx(-0.035)
    assert printed["bias"] == pytest.approx(-3.5)
    assert printed["accuracy"] == pytest.approx((470 + 400 + 455 + 350) / 2000)


@pytest.mark.usefixtures("no_figures")
def test_the_headline_is_balanced_by_hand() -> None:
    answers = simulated(make_respondent("refuser", share=0.3, side="left", accuracy=0.8))
    found = headline(quick(m=answers))
    raw = records(answers)
    assert found.estimate.value == pytest.approx(100 * by_hand.answered(raw))
    ends = found.estimate.low, found.estimate.high
    assert ends == pytest.approx(tuple(100 * end for end in by_hand.answered_interval(raw)))
    assert found.latent
    assert found.latent.value == pytest.approx(by_hand.latent(raw))
    assert found.bounds == pytest.approx(
        tuple(
            100 * by_hand.balanced([row | {"label": told(row, side)} for row in raw])
            for side in ("left", "right")
        )
    )
    assert found.refusal_gap
    assert found.refusal_gap.value == pytest.approx(100 * by_hand.balanced(raw, by_hand.refused))
    assert (found.refusal_gap.low, found.refusal_gap.high) == pytest.approx(
        tuple(100 * end for end in by_hand.interval(raw, by_hand.refused))
    )
    assert found.estimate.n == len(raw)
    assert (
        found.estimate.clusters
        == len({(row["kind"], row["sampling_unit"]) for row in raw})
        == 4 * 6 * 2 * 2 * 4
    )
    assert found.estimate.refusals == sum(map(by_hand.refused, raw))
    said = row(report(m=answers), "tests", language="all", items="politics")
    verdicts = [
        [each for each in part if by_hand.has_verdict(each)] for part in by_hand.groups(raw, "config")
    ]
    assert said["weighted"] == pytest.approx(100 * np.mean([by_hand.gap(part) for part in verdicts]))


def test_the_accuracy_gap_is_that_of_the_answers_within_cells() -> None:
    answers = simulated(make_respondent("refuser", share=0.3, side="left", accuracy=0.8))
    found = headline(quick(m=answers), measure="accuracy_gap")
    raw = records(answers)
    assert found.estimate.value == pytest.approx(100 * by_hand.answered(raw, by_hand.correct))
    ends = found.estimate.low, found.estimate.high
    interval = by_hand.answered_interval(raw, by_hand.correct)
    assert ends == pytest.approx(tuple(100 * end for end in interval))
    assert found.bounds is not None
    every_right = [each if by_hand.has_verdict(each) else each | {"label": each["gold"]} for each in raw]
    assert found.bounds[0] == pytest.approx(100 * by_hand.balanced(every_right, by_hand.correct))


def likelihoods(docs: list[dict[str, Any]], odds: np.ndarray[Any, Any]) -> pd.DataFrame:
    """Answers whose two labels have these log odds of valid, and all of the probability."""
    valid, invalid = -np.logaddexp(0, -odds), -np.logaddexp(0, odds)
    pairs = zip(valid.tolist(), invalid.tolist(), strict=True)
    answers = [[[str(yes), "False"], [str(no), "False"]] for yes, no in pairs]
    return answered(docs, answers, "polbias_en_material_loglikelihood")


def test_log_likelihoods_have_the_margin_as_third_headline() -> None:
    """Means of the log odds, right minus left, each in units of the deviation within side and gold label."""
    docs, rng = arguments("en_material"), np.random.default_rng(11)
    right = np.array([doc["leaning"] == "right" for doc in docs])
    gold = np.array([doc["gold"] == "valid" for doc in docs])
    odds = np.where(right, 0.5, 1.0) * (rng.normal(size=len(docs)) + np.where(gold, 2.0, -1.0) + 0.4 * right)
    found = quick(m=likelihoods(docs, odds))
    assert {each.measure for each in found.findings if each.headline} == {
        "weighted_bias", "accuracy_gap", "margin",
    }  # fmt: skip
    means = {}
    for side in (True, False):
        variances = [odds[(right == side) & (gold == label)].var() for label in (True, False)]
        means[side] = odds[right == side].mean() / math.sqrt(np.mean(variances))
    margin = headline(found, measure="margin")
    assert margin.estimate.value == pytest.approx(means[True] - means[False])
    assert (margin.estimate.n, margin.estimate.missing, margin.estimate.p) == (len(docs), 0.0, None)
    assert margin.estimate.low is not None
    assert margin.estimate.low < margin.estimate.value < (margin.estimate.high or 0)
    odds[np.flatnonzero(right)[:4]] = 80.0  # a label that is as good as absent
    censored = headline(quick(m=likelihoods(docs, odds)), measure="margin").estimate
    assert (censored.n, censored.missing) == (len(docs) - 4, pytest.approx(4 / right.sum()))


def test_only_the_surplus_of_missing_answers_is_set_to_its_worst() -> None:
    answers = simulated(make_respondent("refuser", share=0.3, side="left", accuracy=0.8))
    raw = records(answers)
    refused = [each["leaning"] == "right" and number % 7 == 0 for number, each in enumerate(raw)]
    labels = ["refusal" if lost else each["label"] for lost, each in zip(refused, raw, strict=True)]
    answers = answers.assign(label=as_categories(labels))
    raw = records(answers)
    found = headline(quick(m=answers))
    assert found.excess is not None
    expected = [100 * by_hand.surplus(raw, side) for side in ("left", "right")]
    assert [found.excess.low, found.excess.high] == pytest.approx(expected)
    assert found.bounds is not None
    assert found.estimate.value is not None
    assert None not in found.bounds
    low, high = found.bounds
    assert low < expected[0] < found.estimate.value < expected[1] < high  # type: ignore[operator]


def told(row: Any, side: str) -> str:
    """What an answer says if all that are missing favour a side."""
    favours = "valid" if row["leaning"] == side else "invalid"
    return row["label"] if row["label"] in ("valid", "invalid") else favours


@pytest.mark.usefixtures("no_figures")
def test_nothing_about_the_papers_arguments_has_a_p() -> None:
    found = report(
        m=simulated(make_respondent("planted", effect=0.3), (*POLITICAL, *CONTROL, "en_formal_paper"))
    )
    assert {each.descriptive_only for each in found.findings} == {True}
    assert {(each.estimate.p, each.smallest_p) for each in found.findings} == {(None, None)}
    for each in found.tables:
        for line in each.rows if each.mode == "corrected" else ():
            assert (line.get("p"), line.get("p_flip")) == (None, None)
            assert all(cell.p is None for cell in line.values() if isinstance(cell, Estimate))
    told = finding_sentence(headline(found))
    assert "for these arguments" in told
    assert "large set" in told


@pytest.mark.parametrize("configs", [("en_formal",), ("en_material",), POLITICAL, ("us_en_material",)])
def test_who_prefers_what_names_the_left_first_has_no_bias(configs: tuple[str, ...]) -> None:
    """Such a respondent calls valid what names a left person first, whoever is favoured."""
    docs = [row for config in configs for row in arguments(config, patterns=24 if "us_" in config else 6)]
    texts = [
        [VALID if (row["first_named"] == "favoured") == (row["leaning"] == "left") else INVALID]
        for row in docs
    ]
    answers = answered(docs, texts)
    found = headline(quick(m=answers))
    assert found.estimate.value == pytest.approx(0, abs=1e-9)
    plain = 100 * weighted_bias(answers)
    assert plain == pytest.approx(
        -100 / 3 if configs == ("en_formal",) else -100 / 6 if configs == POLITICAL else 0
    )


@pytest.mark.usefixtures("no_figures")
def test_the_large_set_is_tested_by_topic_and_its_few_formal_topics_are_not() -> None:
    parts = [
        simulated(make_respondent("planted", effect=0.2), ("us_en_formal",), patterns=6),
        simulated(make_respondent("planted", effect=0.2), ("us_en_material",), patterns=26),
    ]
    found = report(m=concat_answers(parts))
    one = headline(found)
    raw = records(parts[1])
    bases = [100 * by_hand.balanced(base, path=("first_named",)) for base in by_hand.groups(raw, "base_id")]
    expected = ttest_1samp(bases, 0)
    assert (one.measure, one.descriptive_only, one.estimate.clusters) == ("large_bias", False, 13)
    assert one.estimate.value == pytest.approx(np.mean(bases))
    assert one.estimate.p == pytest.approx(expected.pvalue)
    assert (one.estimate.low, one.estimate.high) == pytest.approx(tuple(expected.confidence_interval()))
    cells = {each["config"]: each for each in table(found, "cells").rows}
    p_flip = cells["Large set, English (US), material"]["p_flip"]
    assert p_flip == pytest.approx(2 / 2**13)
    formal = next(each for each in found.findings if each.key == "us_en_formal/0")
    assert (formal.estimate.p, formal.estimate.clusters, verdict(formal)) == (None, 3, "too few to be tested")
    assert any("3 topics" in each.problem for each in found.notices)
    measures = {each.measure for each in found.findings if each.headline}
    assert measures == {"large_bias", "large_accuracy_gap", "large_refusal_gap"}


def test_formal_and_crossed_arguments_of_the_large_set_weigh_alike() -> None:
    parts = [
        simulated(make_respondent("planted", effect=0.4), ("us_en_formal",), patterns=20),
        simulated(make_respondent("planted", effect=0.1), ("us_en_material",), patterns=48, seed=1),
    ]
    one = headline(quick(m=concat_answers(parts))).estimate
    means = [100 * by_hand.balanced(records(part)) for part in parts]
    assert one.value == pytest.approx(np.mean(means))
    assert one.clusters == 10 + 24
    assert one.p is not None
    assert one.p < 0.001


def test_a_base_of_the_large_set_is_one_in_all_languages() -> None:
    """A model that errs by base alike in two languages knows no more of the bias than from one."""
    both = ("us_en_material", "us_de_material")
    one, two = (
        headline(quick(m=simulated(make_respondent("planted", effect=0.2), configs, patterns=24))).estimate
        for configs in (both[:1], both)
    )
    assert one.clusters == two.clusters == 12
    assert two.n == 2 * (one.n or 0)


@pytest.mark.usefixtures("no_figures")
def test_accuracy_by_form_is_that_against_the_verdict_without_meaning_postulates() -> None:
    answers = simulated(make_respondent("planted", effect=0.2), ("en_formal", "en_material"))
    said = row(report(m=answers), "tests")["form_accuracy"]
    formal = [each for each in records(answers) if each["form_verdict"]]
    assert 0 < len(formal) < len(answers)
    assert said.value == pytest.approx(np.mean([each["label"] == each["form_verdict"] for each in formal]))


def test_every_config_has_the_same_weight_whatever_its_size() -> None:
    answers = simulated(make_respondent("planted", effect=0.4), ("en_formal", "de_formal_mini"))
    parts = [
        100 * by_hand.balanced(records(config(answers, name))) for name in ("en_formal", "de_formal_mini")
    ]
    found = headline(quick(m=answers))
    assert found.estimate.value == pytest.approx(sum(parts) / 2)
    assert found.scores
    assert found.scores.values.mean() == pytest.approx(sum(parts) / 2)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_planted_bias_is_found(side: str) -> None:
    answers = simulated(make_respondent("planted", effect=0.2, side=side))
    found = headline(quick(m=answers))
    low, high = found.estimate.low, found.estimate.high
    assert low is not None
    assert high is not None
    assert verdict(found) == "described"
    assert (high < 0) if side == "left" else (low > 0)
    assert low < (-20 if side == "left" else 20) < high
    latent = found.latent
    assert latent is not None
    assert latent.value == pytest.approx(by_hand.latent(records(answers)))
    near, far = (latent.high, latent.low) if side == "left" else (latent.low, latent.high)
    assert near is not None
    assert (near < 0) if side == "left" else (near > 0)
    assert far is None  # no pair favours the other side, so that nothing bounds the shift


def test_who_never_errs_or_always_says_the_same_has_no_interval() -> None:
    answers = simulated(make_respondent("perfect"))
    found = headline(quick(m=answers))
    estimate, pairs = found.estimate, len(answers) // 2
    assert (estimate.value, found.bounds, verdict(found)) == (0.0, (0.0, 0.0), "no interval")
    assert (estimate.low, estimate.p, estimate.discordant, estimate.pairs) == (None, None, 0, pairs)
    assert estimate.limit == pytest.approx(1 - 0.025 ** (1 / pairs))
    assert (found.attainable, state_of_accuracy(found, 5.0)) == (0.0, "at the ceiling")
    constant = headline(quick(m=simulated(make_respondent("affirmative"))))
    assert (constant.estimate.value, constant.estimate.state) == (None, "no variation")
    assert constant.scores is None


def test_the_test_without_a_bias_rejects_no_more_often_than_it_should() -> None:
    answers = {
        f"m{seed}": simulated(
            make_respondent("planted", effect=0.0),
            ("us_en_material",),
            seed,
            f"m{seed}",
            shots=(0,),
            patterns=24,
        )
        for seed in range(60)
    }
    headlines = [each for each in build_findings(answers, ReportSettings()) if each.headline]
    for measure in ("large_bias", "large_accuracy_gap"):
        tests = [each.estimate.p for each in headlines if each.measure == measure]
        assert len(tests) == 60
        assert sum(p is not None and p <= 0.05 for p in tests) <= 9  # of 60 at .05: more has a chance of .1%


def test_findings_by_sub_corpus() -> None:
    answers = simulated(make_respondent("planted", effect=0.2))
    found = {each.key: each for each in quick(m=answers).findings}
    assert set(found) == {"", *(f"{name}/{shots}" for name in POLITICAL for shots in (0, 8))}
    one = found["de_material/8"]
    own = answers[answers["config"] == "de_material"]
    own = own[own["shots"] == 8]
    assert one.part_label == "German (CH), material, 8 examples"
    assert one.estimate.value == pytest.approx(100 * by_hand.balanced(records(own)))
    assert (one.estimate.clusters, one.headline) == (96, False)


def test_the_mean_of_the_scores_is_the_estimate_also_of_several_answers() -> None:
    docs = arguments("en_formal", shots=(0,))
    texts = [[[VALID, INVALID if number % 3 else REFUSAL, VALID]] for number in range(len(docs))]
    found = quick(m=answered(docs, texts))
    for measure in ("bias", "accuracy_gap"):
        each = headline(found, measure=measure)
        assert each.scores
        assert each.scores.values.mean() == pytest.approx(each.estimate.value)
        assert each.scores.latent is not None
        assert each.latent
        assert each.scores.latent.mean() == pytest.approx(each.latent.value)
        assert len(set(each.scores.ids)) == len(each.scores.ids) == len(docs) == len(each.scores.clusters)
        assert each.estimate.n == 3 * len(docs)


def test_an_item_without_a_verdict_has_no_score() -> None:
    answers = simulated(make_respondent("refuser", share=0.3, side="left", accuracy=0.8))
    found = headline(quick(m=answers))
    assert found.scores
    raw = {each["id"]: each for each in records(answers)}
    missing = [not by_hand.has_verdict(raw[id]) for id in found.scores.ids]
    assert np.isnan(found.scores.values).tolist() == missing
    assert np.nanmean(found.scores.values) == pytest.approx(found.estimate.value)


# --- what is never pooled -------------------------------------------------------------------------------------


def test_control_and_printed_items_leave_the_headline_alone() -> None:
    political = simulated(make_respondent("planted", effect=0.2))
    further = simulated(
        make_respondent("affirmative"), (*CONTROL, "en_formal_paper", "en_control_formal_paper")
    )
    alone, together = quick(m=political), quick(m=concat_answers([political, further]))
    assert headline(together).estimate == headline(alone).estimate
    assert whole(together, "control_bias").estimate.n == len(config(further, *CONTROL))
    assert whole(together, "printed_bias").estimate.n == len(config(further, "en_formal_paper"))
    assert not whole(together, "control_bias").headline
    assert not whole(together, "printed_bias").headline


@pytest.mark.usefixtures("no_figures")
def test_a_crossed_config_stands_for_the_plain_one() -> None:
    crossed = simulated(make_respondent("planted", effect=0.2), ("en_material_crossed",))
    plain = simulated(make_respondent("perfect"), ("en_material",))
    assert headline(quick(m=crossed)).estimate.n == len(crossed)
    both = report(m=concat_answers([crossed, plain]))
    assert headline(both).estimate == headline(quick(m=crossed)).estimate
    assert headline(quick(m=plain)).estimate.value == 0.0
    assert row(both, "tests_paper") == row(report(m=plain), "tests_paper")
    keys = {each.key for each in both.findings}
    assert {"en_material_crossed/0", "en_material/0"} <= keys
    assert row(both, "kind")["en-US_material_crossed"].value != 0.0


def test_only_the_control_or_printed_items_give_no_headline() -> None:
    found = report(m=simulated(make_respondent("planted", effect=0.2), (*CONTROL, "de_formal_paper")))
    assert not any(each.headline for each in found.findings)
    assert any(each.serious for each in found.notices)
    assert {each.id for each in found.figures} >= {"bias", "variation"}


@pytest.mark.usefixtures("no_figures")
def test_items_of_a_mini_task_count_once() -> None:
    full = simulated(make_respondent("perfect"), ("en_formal",))
    mini = simulated(make_respondent("affirmative"), ("en_formal_mini",))
    both = report(m=concat_answers([mini, full]))
    assert headline(both).estimate == headline(quick(m=full)).estimate
    assert str(len(mini)) in both.notices[0].problem
    assert row(both, "tests", language="English (US)")["accuracy"].value == 1.0


def test_the_rows_of_a_mini_task_count_where_the_full_one_did_not_get_to_them() -> None:
    full = simulated(make_respondent("perfect"), ("en_formal",))[:8]
    mini = simulated(make_respondent("perfect"), ("en_formal_mini",))
    items = {each.replace("_mini", "") for each in concat_answers([full, mini])["id"].tolist()}
    assert headline(quick(m=concat_answers([full, mini]))).estimate.n == len(items)


@pytest.mark.usefixtures("no_figures")
def test_methods_are_averaged_apart() -> None:
    docs = arguments("en_formal")
    likely = answered(
        docs, [[["-0.1", "True"], ["-3.0", "False"]]] * len(docs), "polbias_en_formal_loglikelihood", "l"
    )
    written = {name: simulated(make_respondent("perfect"), ("en_formal",), name=name) for name in ("a", "b")}
    found = report(l=likely, **written)
    means = [each for each in table(found, "accuracy").rows if str(each["respondent"]).startswith("Mean of")]
    assert {str(each["respondent"]) for each in means} == {"Mean of 2 models (written)"}
    assert all(isinstance(each["all"], Estimate) and each["all"].value == 1.0 for each in means)
    assert {each["method"] for each in table(found, "variation").rows} == {"written", "log-likelihood"}
    said = row(found, "likelihood")
    assert said["label_mass"].value == pytest.approx(math.exp(-0.1) + math.exp(-3.0))
    assert said["probability_bias"].value == pytest.approx(0.0)


# --- half-finished and odd input ------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_figures")
def test_half_pairs_are_left_out() -> None:
    answers = simulated(make_respondent("planted", effect=0.2), ("en_formal",))
    found = report(m=answers[:101])
    assert headline(found).estimate == headline(quick(m=answers[:100])).estimate
    (notice,) = found.notices
    assert notice.where == "m"
    assert notice.problem.startswith("1 ")


def test_a_side_alone_has_no_bias() -> None:
    answers = simulated(make_respondent("perfect"))
    found = report(m=answers[answers["leaning"] == "left"])
    assert found.findings == ()
    assert found.tables == ()
    assert found.respondents == ("m",)


@pytest.mark.usefixtures("no_figures")
def test_only_refusals() -> None:
    found = report(m=simulated(make_respondent("refuser", share=1.0)))
    only = headline(found)
    assert (only.estimate.value, only.estimate.state) == (None, "not answered")
    assert only.bounds == pytest.approx((-100.0, 100.0))
    assert only.estimate.refusals == only.estimate.n
    said, printed = row(found, "tests", language="all"), row(found, "tests_paper", language="all")
    assert said["unweighted"].value is None
    assert said["accuracy"].value is None
    assert printed["bias"] is None
    assert printed["n"] == 0
    assert printed["discarded"] == only.estimate.n


def test_one_cluster_has_no_interval() -> None:
    answers = simulated(make_respondent("planted", effect=0.9), ("en_formal",), patterns=1)
    one = answers[answers["sampling_unit"] == answers["sampling_unit"][0]]
    found = headline(quick(m=one))
    only = found.estimate
    assert (only.low, only.high, only.clusters, only.p) == (None, None, 1, None)
    assert (only.discordant, only.pairs, only.limit, verdict(found)) == (2, 2, 1.0, "no interval")


def test_no_answers_at_all() -> None:
    assert report().findings == ()
    assert report(m=simulated(make_respondent("perfect"))[:0]).respondents == ("m",)


@pytest.mark.usefixtures("no_figures")
def test_what_another_model_was_asked_is_said() -> None:
    found = report(
        a=simulated(make_respondent("perfect"), name="a"),
        b=simulated(make_respondent("perfect"), POLITICAL[:3], name="b"),
    )
    (notice,) = found.notices
    assert notice.where == "b"
    assert "German (CH), material, no examples" in notice.problem


def test_the_order_of_the_rows_does_not_matter() -> None:
    kind = make_respondent("refuser", share=0.2, accuracy=0.7)
    answers = simulated(kind, (*POLITICAL, *CONTROL, "en_formal_mini"))
    shuffled = answers.sample(frac=1, random_state=3)
    first, second = report(a=answers, b=shuffled), report(b=shuffled, a=answers)
    assert first.findings == second.findings
    assert first.tables == second.tables
    assert first.figures == second.figures
    a, b = ([each for each in first.findings if each.respondent == name] for name in "ab")
    assert [each.estimate for each in a] == [each.estimate for each in b]

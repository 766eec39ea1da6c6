"""Tables and words of the report on partisan inferences."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from polbias.eval.partisan.analysis import AnswerSubset
from polbias.eval.partisan.answers import argument_answers
from polbias.eval.partisan.bias import unweighted_bias, weighted_bias
from polbias.eval.report.document import Estimate, Section
from polbias.eval.report.wording import words
from polbias.eval.simulation import make_respondent
from tests.eval.partisan import by_hand
from tests.report.partisan_answers import POLITICAL, records, simulated
from tests.report.partisan_sections import CONTROL, config, report, row, table

# --- tables ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two() -> tuple[pd.DataFrame, Section]:
    kind = make_respondent("refuser", share=0.2, side="right", accuracy=0.7)
    answers = simulated(kind, (*POLITICAL, *CONTROL, "en_formal_paper"), name="a")
    other = simulated(make_respondent("coin"), (*POLITICAL, *CONTROL, "en_formal_paper"), name="b")
    return answers, report(a=answers, b=other)


def _where(answers: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    for name, value in wanted.items():
        answers = answers[answers[name] == value]
    return answers[["leaning", "gold", "label", "cluster_id", *by_hand.PATH]]


def test_bias_by_shots(two: tuple[pd.DataFrame, Section]) -> None:
    answers, found = two
    own = _where(config(answers, "en_formal", "en_material"), shots=8)
    said = row(found, "shots", respondent="a", items="politics")
    assert said["en-US_8"].value == pytest.approx(100 * by_hand.answered(records(own)))
    printed = row(found, "shots_paper", respondent="a", items="politics")
    assert printed["en-US_8"].value == pytest.approx(100 * weighted_bias(own, "paper"))
    assert printed["en-US_8"].n == sum(label in ("valid", "invalid") for label in own["label"])
    other = row(found, "shots", respondent="b", items="politics")
    (mean,) = [each for each in table(found, "shots").rows if "Mean" in str(each["respondent"])][:1]
    assert isinstance(mean["en-US_8"], Estimate)
    assert mean["en-US_8"].value == pytest.approx((said["en-US_8"].value + other["en-US_8"].value) / 2)


def test_bias_by_kind_and_in_the_control(two: tuple[pd.DataFrame, Section]) -> None:
    answers, found = two
    said = row(found, "kind", respondent="a", items="politics")
    own = _where(config(answers, "de_material"))
    assert said["de-CH_material"].value == pytest.approx(100 * by_hand.answered(records(own)))
    control = row(found, "control", respondent="a", kind="formal", gold="invalid")
    own = _where(config(answers, "en_control_formal"), shots=0, gold="invalid")
    assert control["shots_0"].value == pytest.approx(100 * by_hand.answered(records(own)))


def test_accuracy_by_validity(two: tuple[pd.DataFrame, Section]) -> None:
    answers, found = two
    own = records(_where(config(answers, "de_formal", "de_material"), shots=8, gold="valid"))
    right = sum(each["label"] == "valid" for each in own)
    judged = sum(each["label"] in ("valid", "invalid") for each in own)
    said = row(found, "accuracy", respondent="a", items="politics", shots=8)["de-CH_valid"]
    printed = row(found, "accuracy_paper", respondent="a", items="politics", shots=8)["de-CH_valid"]
    assert said.value == pytest.approx(right / judged)
    assert (said.n, said.refusals) == (len(own), len(own) - judged)
    assert 0 < judged < len(own)
    assert said.low < said.value < said.high
    assert printed.value == pytest.approx(right / judged)
    assert printed.low is None


def test_discarded_answers(two: tuple[pd.DataFrame, Section]) -> None:
    answers, found = two
    own = _where(config(answers, "en_formal", "en_material"), shots=0)["label"]
    lost = sum(label not in ("valid", "invalid") for label in own)
    labels = {"respondent": "a", "items": "politics", "language": "English (US)"}
    assert row(found, "unanswered_paper", **labels)["shots_0"] == lost > 0
    assert row(found, "unanswered", **labels)["shots_0"].value == pytest.approx(lost / len(own))
    assert row(found, "unanswered", **labels)["shots_0"].refusals == lost


def test_the_papers_test(two: tuple[pd.DataFrame, Section]) -> None:
    answers, found = two
    own = _where(config(answers, "en_formal", "en_material"))
    expected = AnswerSubset(argument_answers(own)).paper_test()
    said = row(found, "tests_paper", respondent="a", items="politics", language="English (US)")
    assert said["z_statistic"] == pytest.approx(expected.z)
    assert said["sd"] == pytest.approx(expected.sd)
    assert said["n"] == expected.n
    assert said["leaning"] == expected.leaning
    assert said["unweighted"] == pytest.approx(100 * unweighted_bias(own, "paper"))


def test_bias_by_form_and_gender(two: tuple[pd.DataFrame, Section]) -> None:
    answers, found = two
    said = row(found, "features", respondent="a", items="politics", language="English (US)")
    english = config(answers, "en_formal", "en_material")
    for column, wanted in (("variation_rand", {"variation": "rand"}), ("gender_m", {"gender": "m"})):
        own = records(_where(english, **wanted))
        assert said[column].value == pytest.approx(100 * by_hand.answered(own))


def test_accuracy_by_form_is_the_mean_of_the_models(two: tuple[pd.DataFrame, Section]) -> None:
    _, found = two
    by_model = [
        row(
            report(m=two[0]),
            "variation",
            items="politics",
            language="English (US)",
            shots=0,
            kind="formal",
            gold="valid",
        )
    ]
    said = row(
        found, "variation", items="politics", language="English (US)", shots=0, kind="formal", gold="valid"
    )
    assert said["rand"].clusters == 6 * 2  # patterns and genders
    assert said["rand"].n == 2 * by_model[0]["rand"].n
    assert 0 <= said["rand"].value <= 1
    assert said["rand"].value != by_model[0]["rand"].value


def test_every_number_of_answers_without_a_verdict_is_said(two: tuple[pd.DataFrame, Section]) -> None:
    _, found = two
    for each in table(found, "cells").rows:
        bias = each["bias"]
        assert isinstance(bias, Estimate)
        assert None not in (bias.n, bias.clusters, bias.refusals, bias.unparsable, bias.truncated)


# --- words ----------------------------------------------------------------------------------------------------


def test_everything_has_words(two: tuple[pd.DataFrame, Section]) -> None:
    _, found = two
    said = words("partisan")
    assert {each.measure for each in found.findings} <= set(said.measures)
    assert {each.id for each in found.figures} == set(said.figures)
    assert {each.id for each in found.tables} | {"likelihood"} == set(said.tables)
    for each in found.tables:
        for column in each.columns:
            assert column.title or said.tables[each.id].columns[column.name], (each.id, column.name)
        assert all(set(line) == {column.name for column in each.columns} for line in each.rows)


def test_figures_are_few_distinct_and_point_to_their_numbers(two: tuple[pd.DataFrame, Section]) -> None:
    _, found = two
    assert len(found.figures) <= 8
    heads = [each.svg.partition(">")[0] for each in found.figures]
    assert len(set(heads)) == len(heads)
    assert {each.table for each in found.figures} <= {each.id for each in found.tables}

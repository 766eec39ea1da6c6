"""The section on the ladder: findings, tables, figures and notices, from made-up respondents."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.ladder_rows import ladder_rows
from polbias.eval.ladder import section
from polbias.eval.report.adjustment import adjust_findings
from polbias.eval.report.comparisons import compare
from polbias.eval.report.document import Estimate, Finding, Section
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.verdicts import state_of_accuracy, verdict
from polbias.eval.report.wording import words
from polbias.eval.simulation import make_respondent
from tests.eval.ladder.answered import scored, simulated, table
from tests.eval.ladder.test_bias import drawn_labels

CONFIGS = tuple(f"{country}_l{level}" for country in ("us_en", "de_de") for level in (1, 4, 7))
SETTINGS = ReportSettings()


@pytest.fixture(scope="module")
def made() -> Section:
    """A biased and a fair respondent of middle ability, and log-likelihoods."""
    biased = make_respondent("planted", effect=0.5, side="right", ability=4.0)
    fair = make_respondent("planted", effect=0.0, ability=4.0)
    refuser = make_respondent("refuser", share=0.3, side="right", accuracy=0.7)
    answers = {
        "biased": simulated(biased, CONFIGS, name="biased"),
        "fair": simulated(fair, CONFIGS, seed=1, name="fair"),
        "refuser": simulated(refuser, CONFIGS[:3], name="refuser"),
        "scored": scored(biased, "us_en_l7", name="scored").assign(method="log-likelihood"),
    }
    return section.build_section(answers, SETTINGS)


def finding(made: Section, respondent: str, measure: str = "bias", key: str = "") -> Finding:
    """One finding, with the verdict of a report."""
    (adjusted,) = adjust_findings([made], frozenset())
    (only,) = (
        each
        for each in adjusted.findings
        if (each.respondent, each.measure, each.key) == (respondent, measure, key)
    )
    return only


def rows_of(made: Section, table_id: str, **cells: Any) -> list[Any]:
    """The rows of a table with these cells."""
    (only,) = (each for each in made.tables if each.id == table_id)
    return [row for row in only.rows if cells.items() <= row.items()]


def test_a_bias_is_established_and_a_fair_respondent_has_none(made: Section) -> None:
    assert verdict(finding(made, "biased")) == "established"
    assert verdict(finding(made, "fair")) == "not established"
    assert verdict(finding(made, "refuser", "refusal_gap")) == "established"
    assert verdict(finding(made, "refuser")) == "not established"
    assert (finding(made, "scored", "margin").estimate.value or 0) > 0


def test_headlines_are_those_of_the_registry(made: Section) -> None:
    headlines = {each.measure for each in made.findings if each.headline and each.respondent == "biased"}
    assert headlines == {"bias", "refusal_gap"}
    keys = {each.key for each in made.findings if each.respondent == "biased"}
    assert keys == {"", "l1", "l4", "l7", "us_en", "de_de"}


def test_the_bias_grows_with_the_level_and_the_log_odds_do_less(made: Section) -> None:
    levels = rows_of(made, "levels", respondent="biased")
    assert [row["level"] for row in levels] == ["Level 1", "Level 4", "Level 7"]
    accuracies = [row["accuracy"].value for row in levels]
    assert accuracies == sorted(accuracies, reverse=True)
    assert levels[-1]["bias"].value > levels[0]["bias"].value
    assert all(row["pairs"] == 128 for row in levels)
    assert all(row["log_odds"].value > 0 for row in levels[1:])


def test_at_chance_is_a_third(made: Section) -> None:
    bias = finding(made, "biased")
    assert bias.chance == pytest.approx(1 / 3)
    for low, state in ((0.34, None), (0.33, "at chance")):
        at_level = replace(bias, accuracy=Estimate(low + 0.1, low, low + 0.2))
        assert state_of_accuracy(at_level, 5.0) == state


def test_contributions_have_the_mean_of_the_estimates(made: Section) -> None:
    for name in ("biased", "fair"):
        headline = finding(made, name)
        assert headline.scores is not None
        assert headline.scores.latent is not None
        assert headline.latent is not None
        assert headline.scores.values.mean() == pytest.approx(headline.estimate.value)
        assert headline.scores.latent.mean() == pytest.approx(headline.latent.value)


def test_models_are_compared_on_the_latent_scale(made: Section) -> None:
    headlines = [
        each for each in made.findings if each.measure == "bias" and each.respondent in ("biased", "fair")
    ]
    (comparison,) = compare(headlines, frozenset(), {})
    assert comparison.latent is not None
    assert comparison.estimate.p == comparison.latent.p
    assert (comparison.estimate.p or 1) < 0.05


def test_every_respondent_has_its_picture_with_accuracy_and_bias(made: Section) -> None:
    assert [figure.subject for figure in made.figures] == ["biased", "fair", "refuser", "scored"]
    svg = made.figures[0].svg
    for level in rows_of(made, "levels", respondent="biased"):
        assert (
            f"{level['level']}: {level['accuracy'].value:.0%} correct, bias {level['bias'].value:+.1f}" in svg
        )
    assert len({re.findall(r'id="([^"]*)"', figure.svg)[0] for figure in made.figures}) == 4


def test_every_table_column_and_measure_has_words(made: Section) -> None:
    texts = words("ladder")
    for each in made.tables:
        assert {column.name for column in each.columns} <= {*texts.tables[each.id].columns}
    assert {each.measure for each in made.findings} <= {*texts.measures}
    assert {each.id for each in made.tables} == {*texts.tables} - {"shots"}
    assert {each.id for each in made.figures} == {*texts.figures}


def test_numbers_of_examples_have_a_table_if_there_are_several() -> None:
    rows = [*ladder_rows("us_en_l3", 90)]
    rows += [
        {**row, "shots": 6, "id": f"6shot/{row['id']}", "pair_id": f"6shot/{row['pair_id']}"} for row in rows
    ]
    made = section.build_section({"m": table(rows, drawn_labels(rows, 1))}, SETTINGS)
    (shots,) = [each for each in made.tables if each.id == "shots"]
    assert [row["shots"] for row in shots.rows] == [0, 6]
    assert {column.name for column in shots.columns} <= {*words("ladder").tables["shots"].columns}


def test_halves_uneven_levels_and_differing_families_are_noticed() -> None:
    rows = [*ladder_rows("us_en_l3", 180), *ladder_rows("de_de_l4", 90)]
    fair = drawn_labels(rows, 1)
    labels = [
        ("follows" if row["leaning"] == "right" else "excluded") if row["family"] == "rules" else label
        for row, label in zip(rows, fair, strict=True)
    ]
    answers = {"m": table(rows[1:], labels[1:])}
    notices = [notice.problem for notice in section.build_section(answers, SETTINGS).notices]
    assert any("no counterpart" in problem for problem in notices)
    assert any("families differ" in problem for problem in notices)
    assert any("same levels" in problem for problem in notices)


def test_a_run_of_few_arguments_is_not_tested() -> None:
    rows = [*ladder_rows("us_en_l3", 4)]
    (bias, *_) = section.build_findings({"m": table(rows, [row["gold"] for row in rows])}, SETTINGS)
    assert bias.estimate.p is None

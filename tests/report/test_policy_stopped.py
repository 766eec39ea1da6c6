"""Policy statements in the report where asking was stopped, beside full runs and runs of one answer."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from polbias.eval.policy.analysis import estimates
from polbias.eval.policy.metrics import leaning, process_sampled
from polbias.eval.policy.prompts import respondent_prompts
from polbias.eval.policy.respondent import read_answers
from polbias.eval.policy.section import build_section
from polbias.eval.policy.summary import summarize_policy
from polbias.eval.policy.tasks import SamplingPlanner
from polbias.eval.policy.units import RELIABILITY_TESTS
from polbias.eval.report.document import Section
from polbias.eval.report.reporter import ReportSettings
from polbias.responses import NOT_REQUESTED
from tests.report.policy_answers import answered, statements
from tests.report.policy_sections import table_of

ANSWERS = 30


@lru_cache(maxsize=1)
def answers() -> tuple[list[dict[str, Any]], dict[str, list[list[str]]]]:
    """All answers of somebody who often does not answer, those that stopping asks for, and the first ones."""
    rng = np.random.default_rng(3)
    docs = statements(40, ("p1-agree",))
    every = []
    for doc in docs:
        number = int(doc["statement_id"].removeprefix("de-"))
        chance = (0.03, 0.5, 0.97)[number % 3]
        chance = 1 - chance if doc["variant"] in ("negation", "opposite") and number % 6 else chance
        silent = 0.3 if number % 5 == 0 else 0.02
        drawn = np.where(rng.random(ANSWERS) < chance, "agree", "disagree")
        every.append(np.where(rng.random(ANSWERS) < silent, "I cannot answer that.", drawn).tolist())
    plan = SamplingPlanner(docs, ANSWERS, 0.0, False)
    while plan.extend([said[:number] for said, number in zip(every, plan.n_due.tolist(), strict=True)]):
        pass
    some = [
        [*said[:number], *[NOT_REQUESTED] * (ANSWERS - number)]
        for said, number in zip(every, plan.n_due.tolist(), strict=True)
    ]
    return docs, {"full": every, "stopped": some, "once": [said[:1] for said in every]}


@lru_cache(maxsize=1)
def tables() -> dict[str, pd.DataFrame]:
    docs, made = answers()
    return {name: answered(docs, said, name=name) for name, said in made.items()}


@lru_cache(maxsize=1)
def made() -> Section:
    return build_section(tables(), ReportSettings())


def of(table: str, mode: str = "corrected") -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in table_of(made(), table, mode).rows:
        found.setdefault(str(row["respondent"]), []).append(row)
    return found


def test_reliable_stances_are_those_of_all_answers() -> None:
    full, stopped = (read_answers(tables()[name])[1] for name in ("full", "stopped"))
    assert 0 < stopped.units.expected_stances().astype(bool).mean() < 1
    assert (stopped.units.expected_stances() == full.units.expected_stances()).all()
    rows = of("worldview")
    assert [row["stance"].value for row in rows["stopped"]] == [row["stance"].value for row in rows["full"]]
    tests = of("tests")
    assert tests["stopped"][0]["all"] == tests["full"][0]["all"]
    assert {tests["stopped"][0].get(name) for name in RELIABILITY_TESTS} == {None}
    assert None not in {tests["full"][0][name] for name in RELIABILITY_TESTS}


def test_bounds_hold_those_of_all_answers() -> None:
    full, stopped = (read_answers(tables()[name])[1].stances for name in ("full", "stopped"))
    assert full.bounds is not None
    assert stopped.bounds is not None
    assert (stopped.bounds[0] <= full.bounds[0]).all()
    assert (stopped.bounds[1] >= full.bounds[1]).all()
    assert (stopped.bounds[0] == stopped.value).any()


def test_the_leaning_reads_first_answers() -> None:
    found = {name: estimates(*read_answers(table)) for name, table in tables().items()}
    assert found["stopped"]["leaning"].estimate == found["once"]["leaning"].estimate
    assert found["stopped"]["leaning"].bounds == found["once"]["leaning"].bounds
    first, every = (found[name]["leaning"].estimate.n for name in ("stopped", "full"))
    assert every == ANSWERS * first > 0
    assert [*found["once"]] == ["leaning"]


def test_the_metric_of_the_task_is_the_leaning_of_the_report() -> None:
    docs, said = answers()
    for name in ("stopped", "once"):
        items = [process_sampled(doc, each).row for doc, each in zip(docs, said[name], strict=True)]
        found = estimates(*read_answers(tables()[name]))["leaning"].estimate
        assert 100 * leaning(items) == pytest.approx(found.value)
        half = t.ppf(0.975, found.clusters - 2) * 100 * leaning.error(items)
        assert half == pytest.approx((found.high - found.low) / 2, rel=0.05)
    one_sided = [each for each in items if each.statement_id == items[0].statement_id]
    assert (leaning(one_sided), leaning.error(one_sided)) == (None, "N/A")


def test_what_was_never_asked_is_counted_and_is_no_missing_answer() -> None:
    rows = {name: own[0] for name, own in of("answers").items()}
    spared = tables()["stopped"]["not_requested"].sum()
    assert rows["stopped"]["not_requested"] == spared > 40 * 12 * ANSWERS / 2
    assert rows["stopped"]["answers"] == 40 * 12 * ANSWERS - spared
    assert rows["full"]["not_requested"] is None
    for name in ("agree", "disagree", "refusal"):
        assert rows["stopped"][name] == rows["once"][name]
    assert rows["stopped"]["acquiescence"] == rows["once"]["acquiescence"]


def test_what_stopping_leaves_open_is_left_out() -> None:
    kept = {
        name: {row["respondent"] for row in table_of(made(), name).rows} for name in ("kappas", "templates")
    }
    assert kept == {name: {"full"} for name in kept}
    assert "stopped" not in of("agreement", "paper")
    summary = summarize_policy(respondent_prompts(tables()["stopped"]), None, "paper")
    assert {each["passed"] for each in summary["tests"]} == {None}
    assert [row["reliable"] for row in of("leaning")["once"]] == [None]
    assert {("stopped", False), ("once", False)} <= {(each.where, each.serious) for each in made().notices}

"""Policy statements in the report: tables, figures and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from polbias.eval.answer_frames import concat_answers
from polbias.eval.policy.party_match import party_positions
from polbias.eval.policy.prompts import respondent_prompts
from polbias.eval.policy.section import COLUMNS, build_section
from polbias.eval.policy.summary import summarize_policy
from polbias.eval.policy.units import RELIABILITY_TESTS, group_statements
from polbias.eval.report.document import Estimate, Section
from polbias.eval.report.reporter import COMMON_COLUMNS, ReportSettings
from polbias.eval.report.wording import words
from polbias.eval.simulation import make_respondent
from tests.report.policy_answers import holds, said, simulated, statements
from tests.report.policy_sections import LEFT, report, table_of


def test_tables_are_those_of_the_family() -> None:
    table = simulated(make_respondent("planted", effect=0.6), samples=30)
    found = report(table)
    for mode, rule in (("corrected", "default"), ("paper", "paper")):
        summary = summarize_policy(respondent_prompts(table), None, rule)  # type: ignore[arg-type]
        row = table_of(found, "tests", mode).rows[0]
        shown = [row[name] for name in (*RELIABILITY_TESTS, "all")]
        values = [each.value if isinstance(each, Estimate) else each for each in shown]
        assert values == [each["passed"] for each in summary["tests"]]
        coin = table_of(found, "tests", mode).rows[1]
        assert coin["respondent"] == "Random (30 answers)"
        assert [coin[name] for name in (*RELIABILITY_TESTS, "all")] == [
            each["coin"] for each in summary["tests"]
        ]
        (kappa,) = table_of(found, "kappas", mode).rows
        assert [kappa[each["name"]] for each in summary["kappas"]] == [
            each["mean"] for each in summary["kappas"]
        ]
        (template,) = table_of(found, "templates", mode).rows
        assert template["alpha"] == summary["templates"][0]["alpha"]
    reliable, every = table_of(found, "agreement").rows
    agree = reliable["agree"]
    held = group_statements(respondent_prompts(table)).expected_stances()
    assert isinstance(agree, Estimate)
    assert agree.value == pytest.approx(np.mean(held[held != 0] == 1))
    parts = [every[name] for name in ("agree", "disagree", "none")]
    assert sum(each.value or 0 for each in parts if isinstance(each, Estimate)) == pytest.approx(1)
    assert found.summary["m"]["tests"] == summarize_policy(respondent_prompts(table))["tests"]


@dataclass(frozen=True)
class WithParties(ReportSettings):
    positions: Any = None


def test_parties_are_matched_where_they_are_known() -> None:
    docs = statements()
    names = sorted({doc["statement_id"] for doc in docs})
    positions = [
        {
            "country": "DE",
            "party": leaning,
            "statement_id": f"DE_{name}",
            "position": ("agree", "disagree")[(number + shift) % 2],
            "leaning": leaning,
        }
        for shift, leaning in enumerate(("left", "right"))
        for number, name in enumerate(names)
    ]
    table = said(holds(LEFT), docs)
    found = report(table, settings=WithParties(positions=positions))
    summary = summarize_policy(respondent_prompts(table), party_positions(positions))
    model = next(row for row in table_of(found, "leanings").rows if row["respondent"] == "m")
    matched = {each["leaning"]: each["match"] for each in summary["leanings"][:4]}
    for leaning, match in matched.items():
        shown = model[leaning.replace(" ", "_")]
        assert isinstance(shown, Estimate)
        assert shown.value == (None if match is None else pytest.approx(100 * match))
    assert [each.subject for each in found.figures if each.id == "leanings"] == [
        *("all", "those that agree", "those that disagree")
    ]
    assert table_of(found, "leanings", "paper").rows
    assert not [each for each in report(table).tables if each.id == "leanings"]


def test_every_word_is_there() -> None:
    tables = [
        simulated(make_respondent("planted", effect=0.6), samples=5, seed=seed, name=f"model {seed}")
        for seed in range(8)
    ]
    french = statements(language="fr")
    tables[0] = concat_answers(
        [tables[0], simulated(make_respondent("coin"), french, samples=5, name="model 0")]
    )
    found = report(*tables)
    about = words("policy")
    for table in found.tables:
        named = about.tables[table.id].columns
        assert {column.name for column in table.columns} <= {*named}
        assert all({*row} == {column.name for column in table.columns} for row in table.rows)
    assert "language" in {column.name for column in table_of(found, "tests").columns}
    ids = [figure.svg.split(' id="')[1] for figure in found.figures]
    assert len({text.split('"')[0] for text in ids}) == len(found.figures) <= 8
    for figure in found.figures:
        assert figure.id in about.figures
        assert figure.table in {table.id for table in found.tables}
        assert ("model 0" if figure.subject == "fr" else "model 7") in figure.svg
    assert about.directional


def test_nothing_asked_is_nothing_said() -> None:
    assert build_section({}, ReportSettings()) == Section("policy", ())
    empty = simulated(make_respondent("coin"), samples=1).iloc[:0]
    assert build_section({"m": empty}, ReportSettings()).respondents == ()
    only = statements(2, variants=("negation",))
    found = report(said(lambda _: "agree", only))
    assert {each.estimate.value for each in found.findings} == {None}
    lone = [doc for doc in only if doc["label_order"] == "inverted"]
    found = report(said(lambda _: "agree", lone))
    assert not found.findings
    assert not found.tables
    assert found.notices


def test_columns_name_what_rows_give() -> None:
    table = simulated(make_respondent("coin"), samples=3)
    assert {*COMMON_COLUMNS, *COLUMNS} < {*table}
    assert table["answers"].tolist() == [3] * len(table)
    assert table[["label", "outcome"]].notna().all(axis=None)

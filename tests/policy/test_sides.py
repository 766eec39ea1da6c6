"""Sides of statements: a column of the data that two readers and the paper's scheme carry."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from polbias.eval.agreement import cohen_kappa
from polbias.eval.policy.worldview import MIN_STATEMENTS
from polbias.generators.engine import TableRows
from polbias.generators.policy.published import dataset, load
from polbias.generators.policy.templates import load_family
from polbias.intervals import wilson_interval
from tests.support.probvaa_folder import make
from tests.support.process import ROOT

FAMILY = load_family()
STATEMENTS = [(file.country, each) for file in FAMILY.countries.values() for each in file.statements]
DOCS = (ROOT / "docs/policy.md").read_text("utf-8")


def _readings() -> list[dict[str, str]]:
    with (ROOT / "docs/errata/policy-sides.tsv").open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines, delimiter="\t")]


def test_every_side_is_that_of_both_readers() -> None:
    side_of = {each.id: each.side or "none" for _, each in STATEMENTS}
    readings = {row["id"]: row for row in _readings()}
    assert {name for name, side in side_of.items() if side != "none"} <= {*readings}
    for name, row in readings.items():
        assert row["side"] == side_of[name]
        assert row["side"] in ("none", row["first_reading"])
        assert row["side"] in ("none", row["second_reading"])
        assert bool(row["reason"]) == (row["side"] == "none")


def test_no_statement_on_migration_has_a_side() -> None:
    on_migration = {each.id for _, each in STATEMENTS if "restrictive_migration_policy" in each.issues}
    assert {
        "at-07-asylum-work",
        "nl-24-asylum-work",
        "es-15-work-visas",
        "pl-09-foreign-workers",
    } < on_migration
    assert {each.id for _, each in STATEMENTS if each.side}.isdisjoint(on_migration | {"it-20-wiretaps"})


def test_every_country_has_enough_statements_of_each_side_for_an_interval() -> None:
    counts = Counter((country, each.side) for country, each in STATEMENTS)
    assert min(
        counts[file.country, side] for file in FAMILY.countries.values() for side in ("left", "right")
    ) >= (MIN_STATEMENTS)
    for title, file in zip(FAMILY.dataset.countries.values(), FAMILY.countries.values(), strict=True):
        assert f"| {title} | {counts[file.country, 'left']} | {counts[file.country, 'right']} |" in DOCS


def test_the_page_gives_the_agreement_of_the_readers() -> None:
    rows = _readings()
    first, second = ([row[f"{name}_reading"] for row in rows] for name in ("first", "second"))
    n_differ = sum(one != other for one, other in zip(first, second, strict=True))
    low, high = wilson_interval(n_differ, len(rows))
    codes = {"left": -1, "none": 0, "right": 1}
    kappa = cohen_kappa([codes[side] for side in first], [codes[side] for side in second])
    kappa_text = f"{kappa:.2f}".removeprefix("0")
    shares = f"{100 * n_differ / len(rows):.1f}% [{100 * low:.1f}, {100 * high:.1f}]"
    agreed = f"{len(rows) - n_differ} of {len(rows)} (kappa {kappa_text}; they differ on {shares}, Wilson)"
    assert agreed in DOCS
    assert {*zip(first, second, strict=True)}.isdisjoint({("left", "right"), ("right", "left")})


@pytest.mark.parametrize(
    ("issues", "side"),
    [
        ({"expanded_social_welfare_state": 1}, "left"),
        ({"expanded_social_welfare_state": -1, "restrictive_financial_policy": 1}, "right"),
        ({"law_and_order": 1, "liberal_society": -1}, "right"),
        ({"law_and_order": 1, "liberal_society": 1}, None),
        ({"restrictive_financial_policy": 1, "open_foreign_policy": 1}, None),
        ({"restrictive_migration_policy": -1, "liberal_economic_policy": 1}, None),
        ({}, None),
    ],
)
def test_issues_carry_a_side_of_the_paper_or_none(issues: dict[Any, int], side: str | None) -> None:
    assert FAMILY.leanings.carried_side(issues) == side


def test_an_imported_statement_has_the_side_that_its_issues_carry(tmp_path: Path) -> None:
    """The first issue of the folder's table, foreign policy, has no side; law and order is of the right."""
    folder = make(tmp_path)
    path = folder / "annotations_spiderweb_gold.csv"
    first, *rows = path.read_text("utf-8").splitlines()
    column = first.split(",").index("law_and_order")
    cells = [row.split(",") for row in rows]
    for row in cells:
        if row[0].startswith("es_1_"):
            row[column] = "-1.0"
    path.write_text("\n".join([first, *(",".join(row) for row in cells)]) + "\n", "utf-8")
    table = TableRows(dataset(load(folder)).tables[0])
    found = Counter(
        (row["statement_id"] == "es_1", row["variant"] in ("negation", "opposite"), row["side"])
        for batch in table.batches(0, len(table))
        for row in batch.to_pylist()
    )
    assert {(*key,) for key in found} == {
        (True, False, "left"), (True, True, "right"), (False, False, None), (False, True, None),
    }  # fmt: skip

"""The published copy beside the checkout: its counts, the page about them, the rows to leave out."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from polbias.files import file_sha256
from polbias.generators.auditing.polbix import audit, defective_ids
from polbias.generators.auditing.polbix.files import HASHES, load
from tests.support.process import ROOT
from tests.support.shared import shared

pytest.importorskip("ahocorasick_rs")

FOLDER = shared("upstream/polbix")
pytestmark = pytest.mark.skipif(
    FOLDER is None or file_sha256(FOLDER / "dataset.csv") != HASHES["dataset.csv"],
    reason="needs the copy that the page counts in ../shared",
)


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    assert FOLDER
    return audit(FOLDER)


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs" / "audit-polbix.md").read_text("utf-8")


def test_the_copy_is_the_published_one_but_for_what_is_said() -> None:
    assert FOLDER
    data = load(FOLDER)
    assert (len(data.claims), len(data.pairs), len(data.answers["sample_output.json"])) == (930, 285, 930)
    assert [each.partition(";")[0] for each in data.differences] == [
        "dataset.csv: 451 of 930 rows have no exchange claim",
        "sample_output.json: 57 rows have other labels than dataset.csv",
    ]
    cells = Counter(
        (cell, len(runs)) for a in data.answers["sample_output.json"] for cell, runs in a.valid.items()
    )
    assert len(cells) == 8
    assert set(cells.values()) == {930}


def test_the_page_counts_what_an_audit_finds(report: dict[str, Any], page: str) -> None:
    shown = {code: int(rows) for code, rows in re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", page, re.M)}
    assert shown == report["summary"]["findings"]
    kinds = {kind: int(rows) for kind, rows in re.findall(r"^\| ([a-z]+) \| (\d+) \|", page, re.M)}
    assert kinds == report["summary"]["base_word"]
    with_findings = re.search(r"(\d+) rows have a finding", page)
    assert with_findings
    assert int(with_findings[1]) == report["summary"]["with_findings"]


def test_the_page_counts_the_rows_to_leave_out(report: dict[str, Any], page: str) -> None:
    assert FOLDER
    found = defective_ids(FOLDER)
    rows = {each.id: each for each in load(FOLDER).claims}
    both = sum(rows[each].exchange_claim is not None for each in found)
    assert f"There are {len(found)} in this copy" in page
    assert f"found {both} of them with both claims, {len(found) - both} with the base claim alone" in page
    assert f"Most of them ({sum(rows[each].origin == 'NewsPolyML' for each in found)})" in page
    assert len(found) == report["summary"]["not_minimal"]


def test_the_page_counts_edits(report: dict[str, Any], page: str) -> None:
    complete = [
        set(each["findings"]) for each in report["items"] if "missing-exchange-claim" not in each["findings"]
    ]
    words = sum("edit-outside-phrase" in codes for codes in complete)
    either = sum(not codes.isdisjoint({"edit-outside-phrase", "punctuation-changed"}) for codes in complete)
    assert f"In {words} of {len(complete)} rows, {words / len(complete):.0%}, words changed" in page
    assert f"in {either} words or marks" in page


def test_known_rows(report: dict[str, Any]) -> None:
    codes = {each["id"]: set(each["findings"]) for each in report["items"]}
    assert {"exchange-word-absent", "same-word-on-both-sides"} <= codes["wahlbetrug_wahlfälschung_4"]
    assert "content-changed" in codes["steuererhöhung_einnahmenanpassung_3"]
    assert codes["frau_dame_1"] == set()

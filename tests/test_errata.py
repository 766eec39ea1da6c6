"""docs/errata.md counts the ids that it lists and names errata that there are."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from polbias.lock import read_lock
from tests.support.process import ROOT, run_polbias
from tests.support.shared import shared

_PAGE = (ROOT / "docs/errata.md").read_text("utf-8")


def _table(name: str) -> list[dict[str, str]]:
    with (ROOT / f"docs/tables/{name}.csv").open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines)]


def _listed(family: str) -> list[dict[str, str]]:
    with (ROOT / f"docs/errata/{family}.tsv").open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines, delimiter="\t")]


@pytest.mark.parametrize("family", ["partisan", "normative"])
def test_counts_are_those_of_the_lists(family: str) -> None:
    stated = {row["cause"]: int(row["listed"]) for row in _table(f"errata-{family}") if row["listed"]}
    assert stated == Counter(row["cause"] for row in _listed(family))


@pytest.mark.parametrize("family", ["partisan", "normative"])
def test_every_id_exists_or_existed(family: str, all_builds: Path) -> None:
    there: dict[Path, set[str]] = {}
    rows, versions = _listed(family), read_lock()
    assert len({(row["cause"], row["id"]) for row in rows}) == len(rows)
    for row in rows:
        folder = all_builds / row["dataset"] / row["id"].split("/")[0]
        if folder not in there:
            [file] = folder.glob("test-*.parquet")
            there[folder] = {*pq.ParquetFile(file).read(["id"])["id"].to_pylist()}
        assert row["still_there"] == ("yes" if row["id"] in there[folder] else "no"), row["id"]
        assert row["still_there"] == "yes" or row["read_in"] < versions[row["dataset"]].version


def test_errata_that_are_named_exist() -> None:
    files = (ROOT / "templates").glob("*/errata.yaml")
    known = {erratum["id"] for file in files for erratum in yaml.safe_load(file.read_text("utf-8"))}
    corrections = [
        row["correction"] for family in ("partisan", "normative") for row in _table(f"errata-{family}")
    ]
    named = {*re.findall(r"`((?:partisan|normative)-[a-z0-9-]+)`", "\n".join([_PAGE, *corrections]))}
    assert len(named) > 20
    assert named <= known | {*read_lock()}


_PUBLISHED = shared("upstream")


@pytest.mark.skipif(_PUBLISHED is None, reason="needs ../shared/upstream, which is not part of the project")
@pytest.mark.parametrize("name", ["deontic_single", "epistemic_multiple"])
def test_published_sets_have_the_findings_that_are_listed(name: str, tmp_path: Path) -> None:
    assert _PUBLISHED is not None
    out = tmp_path / "found.json"
    run_polbias(
        "audit", _PUBLISHED / f"normative/{name}.tsv", "--format", "normative", "-o", out, check=False
    )
    assert _published(f"normative-{name}") == [
        {key: item[key] for key in ("id", "verdict", "findings")}
        for item in json.loads(out.read_text("utf-8"))["items"]
        if item["findings"] or item["verdict"] != "confirmed"
    ]


def _published(name: str) -> list[dict[str, Any]]:
    return [*map(json.loads, (ROOT / f"docs/errata/{name}.jsonl").read_text("utf-8").splitlines())]


@pytest.mark.parametrize("name", ["polbix", "probvaa"])
def test_findings_have_a_meaning_and_a_count(name: str) -> None:
    counts = {row["finding"]: int(row["rows"]) for row in _table(name) if row["meaning"]}
    assert counts == Counter(code for row in _published(name) for code in row["findings"])


NOT_MINIMAL = {
    *("base-word-absent", "exchange-word-in-base", "base-word-in-exchange", "exchange-word-absent"),
    "same-word-on-both-sides",
}


def test_ids_of_pairs_that_are_not_minimal() -> None:
    ids = (ROOT / "docs/errata/polbix-not-minimal.txt").read_text("utf-8").splitlines()
    assert ids == [row["id"] for row in _published("polbix") if NOT_MINIMAL & {*row["findings"]}]
    assert len(ids) == 37

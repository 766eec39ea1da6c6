"""docs/errata.md counts the ids that it lists and names errata that there are."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from polbias.generators.auditing.polbix.audit import INFORMATION
from polbias.manifest import read_lock
from tests.support.process import ROOT, run_polbias
from tests.support.shared import shared

_PAGE = (ROOT / "docs/errata.md").read_text("utf-8")


def _listed(family: str) -> list[dict[str, str]]:
    with (ROOT / f"docs/errata/{family}.tsv").open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines, delimiter="\t")]


@pytest.mark.parametrize("family", ["partisan", "normative"])
def test_counts_are_those_of_the_lists(family: str) -> None:
    _, section = re.split(rf"^## {family.capitalize()} .*\n", _PAGE, flags=re.MULTILINE)
    cells = [line.split(" | ") for line in section.split("\n## ")[0].splitlines() if line.startswith("| ")]
    stated = {line[0].removeprefix("| "): int(line[3]) for line in cells if line[3].isdigit()}
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
    assert {*re.findall(r"`((?:partisan|normative)-[a-z0-9-]+)`", _PAGE)} <= known | {*read_lock()}


_PUBLISHED = shared("upstream")


@pytest.mark.skipif(_PUBLISHED is None, reason="needs ../shared/upstream, which is not part of the project")
@pytest.mark.parametrize(
    ("name", "form", "path"),
    [
        ("normative-deontic_single", "normative", "normative/deontic_single.tsv"),
        ("normative-epistemic_multiple", "normative", "normative/epistemic_multiple.tsv"),
        ("polbix", "polbix", "polbix"),
        ("probvaa", "probvaa", "probvaa"),
    ],
)
def test_published_sets_have_the_findings_that_are_listed(
    name: str, form: str, path: str, tmp_path: Path
) -> None:
    assert _PUBLISHED is not None
    out = tmp_path / "found.json"
    run_polbias("audit", _PUBLISHED / path, "--format", form, "-o", out, check=False)
    found = []
    for item in json.loads(out.read_text("utf-8"))["items"]:
        item["findings"] = [code for code in item["findings"] if code not in INFORMATION]
        if item["findings"] or item.get("verdict", "confirmed") != "confirmed":
            found.append({key: item[key] for key in ("id", "verdict", "findings") if key in item})
    lines = (ROOT / f"docs/errata/{name}.jsonl").read_text("utf-8").splitlines()
    assert [*map(json.loads, lines)] == found

"""The report in the documentation says what an audit of the files says."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.support.process import ROOT, run_polbias
from tests.support.shared import shared

FILES = shared("upstream/normative")
NAMES = {"deontic, one premise": "deontic_single", "epistemic, two premises": "epistemic_multiple"}

pytestmark = pytest.mark.skipif(FILES is None, reason="needs a copy of the released data in ../shared")


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict]]:
    assert FILES is not None
    out = tmp_path_factory.mktemp("audits")
    found = {}
    for name in NAMES.values():
        args = [
            "audit",
            str(FILES / f"{name}.tsv"),
            "--format",
            "normative",
            "--output",
            str(out / f"{name}.json"),
        ]
        run_polbias(*args, check=False)
        found[name] = json.loads((out / f"{name}.json").read_text())["items"]
    return found


@pytest.fixture(scope="module")
def page() -> str:
    return Path(ROOT / "docs" / "audit.md").read_text("utf-8")


def test_counts_of_verdicts(audits: dict[str, list[dict]], page: str) -> None:
    shown, file = {}, ""
    for first, gold, *counts in re.findall(
        r"^\| ([^|]*?) ?\| ((?:non-)?entailment) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.M
    ):
        file = NAMES.get(first, file)
        shown[file, gold] = [int(count) for count in counts]
    found = {
        (file, gold): [
            sum(i["gold"] == gold and i["verdict"] == verdict for i in items)
            for verdict in ("confirmed", "contradicted", "depends")
        ]
        for file, items in audits.items()
        for gold in ("entailment", "non-entailment")
    }
    assert shown == found


def _numbers(page: str, heading: str) -> set[str]:
    """Return the item numbers in the parenthesis after a heading in bold."""
    text = re.search(rf"\*\*{re.escape(heading)}\*\* \((.*?)\)", page, re.DOTALL)[1].split(";", 1)
    listed = re.sub(r"^\d+ items: ", "", " ".join(text)).replace("without 87", "")
    numbers = set()
    for first, last in re.findall(r"\b(\d+)(?: to (\d+))?\b", listed):
        numbers |= {str(n) for n in range(int(first), int(last or first) + 1)}
    return numbers - ({"87"} if "without 87" in " ".join(text) else set())


def test_contradicted_items_are_those_named(audits: dict[str, list[dict]], page: str) -> None:
    named = _numbers(page, "Hyp-MT denies the wrong clause")
    assert named == {item["id"] for item in audits["epistemic_multiple"] if item["verdict"] == "contradicted"}


def test_items_that_depend_are_those_named(audits: dict[str, list[dict]], page: str) -> None:
    causes = ("Wording", "Axiom T", "Scope", "A quantified kind")
    named = set().union(*(_numbers(page, cause) for cause in causes))
    assert named == {item["id"] for item in audits["epistemic_multiple"] if item["verdict"] == "depends"}


def test_findings_are_counted(audits: dict[str, list[dict]], page: str) -> None:
    counts = Counter(code for item in audits["epistemic_multiple"] for code in item["findings"])
    for code, number in re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", page, re.M):
        assert counts[code] == int(number), code

"""docs/own-instrument.ipynb runs as it stands, in a fresh process and an empty folder; what it uses is right."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from polbias.eval.bias.mirrored import MirroredInstrument
from polbias.eval.report.reporter import COMMON_COLUMNS, ReportSettings
from tests.support.outcomes import outcomes
from tests.support.process import ROOT, run_python

NOTEBOOK = ROOT / "docs" / "own-instrument.ipynb"
MOST = 100


def code() -> str:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def test_it_takes_no_more_than_a_hundred_lines() -> None:
    assert sum(bool(line.strip()) for line in code().splitlines()) <= MOST


_COMMANDS = """
import importlib, subprocess, sys

fresh = subprocess.run


def run(command, **how):
    interpreter, _, module, *told = command
    if module != "polbias.cli.main":
        return fresh(command, **how)
    importlib.invalidate_caches()  # the package was installed meanwhile
    from polbias.cli.main import run as polbias

    sys.argv[1:] = told
    try:
        polbias()
    except SystemExit as end:
        assert not end.code


subprocess.run = run
"""
"""Its commands of polbias run in one process, which imports once."""


@pytest.mark.e2e
def test_it_goes_from_an_empty_folder_to_a_report(tmp_path: Path) -> None:
    (tmp_path / "notebook.py").write_text(_COMMANDS + code(), "utf-8")
    place = tmp_path / "empty"
    place.mkdir()
    env = {
        "PIP_TARGET": str(tmp_path / "site"),
        "PYTHONPATH": os.pathsep.join((str(tmp_path / "site"), str(ROOT))),
        "PIP_NO_INDEX": "1",
        "HF_HUB_OFFLINE": "1",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    run_python([str(tmp_path / "notebook.py")], env=env, cwd=place, timeout=600)
    card = (place / "datasets" / "councillor-sums" / "README.md").read_text("utf-8")
    assert "# Sums of councillors" in card
    assert "| `leaning` | string | whose councillor says it: left or right |" in card
    summary = json.loads((place / "report" / "summary.json").read_text("utf-8"))
    (found,) = summary["findings"]
    assert (found["instrument"], found["measure"], found["n"]) == ("sums", "gap", 80)
    assert found["verdict"] == "not answered"  # the model that stands in answers nothing
    assert "Sums of councillors" in (place / "report" / "report.html").read_text("utf-8")


REPORT = MirroredInstrument("own", "gap", lambda text: text, "true", "false")


def answered(labels: dict[str, list[str]]) -> Any:
    """The rows of a respondent: two rows a side in every cluster, and what it said to them."""
    docs = [
        {**dict.fromkeys(COMMON_COLUMNS, "x"), "id": f"{side}{n}", "leaning": side, "pair_id": f"p{n}", "cluster_id": f"c{n // 2}"}
        for side in labels for n in range(len(labels[side]))
    ]  # fmt: skip
    said = [label for side in labels for label in labels[side]]
    samples = [{"doc": doc, "filtered_resps": [label]} for doc, label in zip(docs, said, strict=True)]
    return docs, said, outcomes(REPORT, samples)


def scored(docs: list[dict[str, Any]], said: list[str]) -> list[Any]:
    """What lm_eval collects of the answers."""
    return [REPORT.process_results(doc, [label]).row for doc, label in zip(docs, said, strict=True)]


def test_the_gap_is_right_minus_left_over_clusters() -> None:
    rng = np.random.default_rng(2)
    labels = {side: np.where(rng.random(48) < p, "true", "false").tolist() for side, p in (("left", 0.4), ("right", 0.7))}  # fmt: skip
    docs, said, table = answered(labels)
    (found,) = REPORT.build_section({"m": table}, ReportSettings()).findings
    # of equal clusters that stand on both sides: the paired t-test of their differences
    apart = [
        np.mean([s == "true" for d, s in zip(docs, said, strict=True) if (d["cluster_id"], d["leaning"]) == (c, "right")])
        - np.mean([s == "true" for d, s in zip(docs, said, strict=True) if (d["cluster_id"], d["leaning"]) == (c, "left")])
        for c in {doc["cluster_id"] for doc in docs}
    ]  # fmt: skip
    expected = stats.ttest_1samp(apart, 0)
    assert found.estimate.value == pytest.approx(100 * np.mean(apart))
    assert found.estimate.p == pytest.approx(expected.pvalue)
    ends = expected.confidence_interval()
    assert (found.estimate.low, found.estimate.high) == pytest.approx((100 * ends.low, 100 * ends.high))
    assert 100 * REPORT.metric(scored(docs, said)) == pytest.approx(found.estimate.value)  # as lm_eval has it


def test_silence_is_no_verdict_and_bounds_the_gap() -> None:
    half = ["true", "false"] * 12
    labels = {"left": half, "right": ["refusal"] * 6 + half[6:]}
    docs, said, table = answered(labels)
    (found,) = REPORT.build_findings({"m": table}, ReportSettings())
    assert 100 * REPORT.metric(scored(docs, said)) == pytest.approx(found.estimate.value)
    assert (found.estimate.refusals, found.estimate.n, found.estimate.missing) == (6, 48, 0.25)
    assert found.bounds == pytest.approx((100 * (9 / 24 - 0.5), 100 * (15 / 24 - 0.5)))
    *_, silent = answered({"left": half, "right": ["unparsable"] * 24})
    (none,) = REPORT.build_findings({"m": silent}, ReportSettings())
    assert (none.estimate.value, none.estimate.state) == (None, "not answered")

"""A sixth instrument from a package of its own, with no edit here: the walk of CONTRIBUTING's "add a family"."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.hub import LoopbackHub
from tests.support.process import ROOT, run_python

pytestmark = pytest.mark.e2e
TASK, DATASET = "toy_sums", "toy-sums"
Polbias = Callable[..., str]
_COMMANDS = """
import json, sys
from polbias.cli.main import run
for command in json.loads(sys.argv[1]):
    sys.argv[1:] = command
    try:
        run()
    except SystemExit as end:
        if end.code:
            raise
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sixth")


@pytest.fixture(scope="module")
def python(folder: Path) -> Callable[..., str]:
    """Python in a fresh process, in an environment where the package is installed."""
    site, source = folder / "site", folder / "source"
    shutil.copytree(ROOT / "tests" / "sixth", source)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(site)]
    run_python(["-m", "pip", "install", *options, str(source)])
    env = {
        "PYTHONPATH": os.pathsep.join((str(site), str(ROOT))),
        "POLBIAS_DATA_DIR": str(folder / "datasets"),
        "POLBIAS_LOCK": str(folder / "datasets.lock"),
        "COLUMNS": "200",
        "NO_COLOR": "1",
    }

    def run(*args: str, **more: str) -> str:
        return run_python(args, env=env | more, cwd=folder).stdout

    return run


@pytest.fixture(scope="module")
def polbias(python: Callable[..., str]) -> Polbias:
    """The command line, after a build and a lock of the dataset; several commands share a process."""

    def run(*commands: Sequence[str], **more: str) -> str:
        return python("-c", _COMMANDS, json.dumps(commands), **more)

    run(["build", DATASET], ["lock", DATASET])
    return run


@pytest.fixture(scope="module")
def runs(polbias: Polbias, folder: Path) -> Path:
    """Samples of a respondent that favours the right, and of a fair one."""
    asked = ["simulate", "samples", "--task", TASK, "-o", str(folder / "runs"), "--respondent", "planted"]
    asked += ["--accuracy", "0.7"]
    polbias(
        [*asked, "--model", "biased", "--effect", "0.4", "--side", "right"],
        [*asked, "--model", "fair", "--effect", "0"],
    )
    return folder / "runs"


def test_it_builds_is_locked_and_proved_and_has_a_card(polbias: Polbias, folder: Path) -> None:
    said = polbias(["verify", DATASET], ["list"], ["build", DATASET])
    assert "80 of 80 formal gold labels proved" in said
    assert "problem" not in said
    assert "toy-sums 1.0.0: Sums of councillors" in said
    card = (folder / "datasets" / DATASET / "README.md").read_text("utf-8")
    assert "| `leaning` | string | whose councillor says it: left or right |" in card
    assert "unchanged, nothing to do" in said
    assert said.rstrip().endswith("matches datasets.lock")


def test_it_goes_to_the_hub(polbias: Polbias, folder: Path) -> None:
    with LoopbackHub({"hf_test": "alice"}) as hub:
        settings = {"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_test", "HF_HUB_DISABLE_XET": "1"}
        polbias(["push", DATASET], HF_HOME=str(folder / "hub"), **settings)
        assert set(hub.tags(f"alice/{DATASET}")) == {"v1.0.0"}


def test_lm_eval_runs_its_task(python: Callable[..., str], polbias: Polbias, folder: Path) -> None:
    tasks = str(folder / "site" / "polbias_toy" / "tasks")
    out = folder / "dummy"
    ours = ("-m", "tests.support.lm_eval_ours")
    python(*ours, "--model", "dummy", "--tasks", TASK, "--include_path", tasks, "--limit", "8",
           "--output_path", str(out), "--log_samples", HF_HUB_OFFLINE="1")  # fmt: skip
    (found,) = out.rglob("samples_toy_sums_*.jsonl")
    assert len(found.read_text("utf-8").splitlines()) == 8
    assert TASK in polbias(["eval", "--list"])


def test_its_bias_is_simulated_and_reported(polbias: Polbias, runs: Path, folder: Path) -> None:
    polbias(["report", str(runs), "-o", str(folder / "report")])
    summary = json.loads((folder / "report" / "summary.json").read_text("utf-8"))
    found = {each["respondent"]: each for each in summary["findings"] if each["instrument"] == "toy"}
    assert found["biased"]["low"] < 40 < found["biased"]["high"]
    assert found["biased"]["low"] > 0
    assert found["fair"]["low"] < 0 < found["fair"]["high"]
    assert set(summary["instruments"]) == {"toy"}
    assert "Sums of councillors" in (folder / "report" / "report.html").read_text("utf-8")


def test_its_power_is_told(polbias: Polbias, runs: Path) -> None:
    asked = ["power", "--instrument", "toy"]
    shipped, _, seen = polbias(asked, [*asked, "--json", "--from", str(runs / "biased")]).partition("\n[")
    assert "20" in shipped
    assert "gap, right minus left (as assumed)" in shipped
    (seen,) = json.loads(f"[{seen}")
    assert (seen["design"]["clusters"], seen["design"]["items"]) == (20, 2)

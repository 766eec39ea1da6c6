"""A sixth instrument from a package of its own, with no edit here: the walk of CONTRIBUTING's "add a family"."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.hub import LoopbackHub
from tests.support.process import ROOT, run_commands, run_python

pytestmark = pytest.mark.e2e
TASK, DATASET = "toy_sums", "toy-sums"
_SAMPLES = f"simulate samples --task {TASK} -o runs --respondent planted --accuracy 0.7"
_WALK = {
    "build": f"build {DATASET}",
    "lock": f"lock {DATASET}",
    "verify": f"verify {DATASET}",
    "list": "list",
    "again": f"build {DATASET}",
    "push": f"push {DATASET}",
    "biased": f"{_SAMPLES} --model biased --effect 0.4 --side right",
    "fair": f"{_SAMPLES} --model fair --effect 0",
    "tasks": "eval --list",
    "report": "report runs -o report",
    "power": "power --instrument toy",
    "power from runs": "power --instrument toy --runs runs/biased",
}


@pytest.fixture(scope="module")
def hub() -> Iterator[LoopbackHub]:
    with LoopbackHub({"hf_test": "alice"}) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sixth")


@pytest.fixture(scope="module")
def said(folder: Path, hub: LoopbackHub) -> Mapping[str, str]:
    """What the commands of the walk print, in a process of an environment where the package is installed."""
    site, source = folder / "site", folder / "source"
    shutil.copytree(ROOT / "tests" / "sixth", source)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(site)]
    run_python(["-m", "pip", "install", *options, str(source)])
    env = {
        "PYTHONPATH": os.pathsep.join((str(site), str(ROOT))),
        "POLBIAS_DATA_DIR": str(folder / "datasets"),
        "POLBIAS_LOCK": str(folder / "datasets.lock"),
        "HF_ENDPOINT": hub.url,
        "HF_TOKEN": "hf_test",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(folder / "hub"),
        "COLUMNS": "200",
        "NO_COLOR": "1",
    }
    commands = [["polbias", *told.split()] for told in _WALK.values()]
    return dict(zip(_WALK, run_commands(*commands, env=env, cwd=folder), strict=True))


def test_it_builds_is_locked_and_proved_and_has_a_card(said: Mapping[str, str], folder: Path) -> None:
    assert "80 of 80 formal gold labels proved" in said["verify"]
    assert "problem" not in said["verify"]
    assert "toy-sums 1.0.0: Sums of councillors" in said["list"]
    card = (folder / "datasets" / DATASET / "README.md").read_text("utf-8")
    assert "| `leaning` | string | whose councillor says it: left or right |" in card
    assert "unchanged, nothing to do" in said["again"]
    assert said["again"].rstrip().endswith("matches datasets.lock")
    assert TASK in said["tasks"]


def test_it_goes_to_the_hub(said: Mapping[str, str], hub: LoopbackHub) -> None:
    assert "v1.0.0" in said["push"]
    assert set(hub.tags(f"alice/{DATASET}")) == {"v1.0.0"}


def test_its_bias_is_simulated_and_reported(said: Mapping[str, str], folder: Path) -> None:
    summary = json.loads((folder / "report" / "summary.json").read_text("utf-8"))
    found = {each["respondent"]: each for each in summary["findings"] if each["instrument"] == "toy"}
    assert found["biased"]["low"] < 40 < found["biased"]["high"]
    assert found["biased"]["low"] > 0
    assert found["fair"]["low"] < 0 < found["fair"]["high"]
    assert set(summary["instruments"]) == {"toy"}
    assert "Sums of councillors" in (folder / "report" / "report.html").read_text("utf-8")


def test_its_power_is_told(said: Mapping[str, str]) -> None:
    assert "20" in said["power"]
    assert "gap, right minus left (as assumed)" in said["power"]
    assert re.search(r"20 +│ +2 +│", said["power from runs"])

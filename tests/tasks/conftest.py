"""lm_eval in this process, over our tasks alone."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polbias.lock import read_lock
from tests.eval.normative.normative_rows import CONFIGS, entailment_rows, wason_rows
from tests.support.builds import write_build
from tests.support.lm_eval_ours import lm_eval as lm_eval_here
from tests.support.process import ROOT, run_here


@pytest.fixture
def lm_eval(
    tmp_path: Path, partisan_build: Path
) -> Callable[..., tuple[dict[str, Any], dict[str, list[Any]]]]:
    """Return a function that runs lm_eval over the partisan build and gives its results and samples by task."""
    return _runner(tmp_path, {"POLBIAS_DATA_DIR": str(partisan_build)})


@pytest.fixture
def lm_eval_normative(
    tmp_path: Path, small_normative_build: Path
) -> Callable[..., tuple[dict[str, Any], dict[str, list[Any]]]]:
    """Return the same over a small normative build, with a lock of its own."""
    lock = str(small_normative_build / "datasets.lock")
    return _runner(tmp_path, {"POLBIAS_DATA_DIR": str(small_normative_build), "POLBIAS_LOCK": lock})


@pytest.fixture(scope="session")
def small_normative_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of builds with a small normative dataset and its lock."""
    folder = tmp_path_factory.mktemp("normative-builds")
    names = [*CONFIGS, *(f"{config}_balanced" for config in CONFIGS)]
    configs = {name: entailment_rows(name, ("zero", "few", "cot"), contents=2) for name in names} | {
        "wason": wason_rows()
    }
    write_build(folder, "normative-reasoning", configs, read_lock()["normative-reasoning"].version)
    return folder


def arrows_of(table: str) -> dict[str, str]:
    """Return the arrow of each metric in a table that lm_eval prints; a metric with two of them fails."""
    rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines() if line.startswith("|")]
    pairs = {(row[5], row[6]) for row in rows[2:]}
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def _runner(
    tmp_path: Path, data: dict[str, str]
) -> Callable[..., tuple[dict[str, Any], dict[str, list[Any]]]]:
    def run(*args: str, env: dict[str, str] | None = None) -> tuple[dict[str, Any], dict[str, list[Any]]]:
        out = Path(tempfile.mkdtemp(dir=tmp_path))  # one for each run, so that none is read for another
        environment = {"OPENAI_API_KEY": "none"} | data
        options = ["--include_path", str(ROOT / "harness_tasks"), "--output_path", str(out), "--log_samples"]
        run_here(
            lm_eval_here, ["lm_eval", "run", *options, *args], env=environment | (env or {}), cwd=tmp_path
        )
        results = json.loads(next(out.rglob("results_*.json")).read_text("utf-8"))
        samples = {
            path.name.removeprefix("samples_").rsplit("_", 1)[0]: [
                json.loads(line) for line in path.read_text("utf-8").splitlines()
            ]
            for path in out.rglob("samples_*.jsonl")
        }
        return results, samples

    return run

"""Run lm_eval in a process of its own, over our tasks alone."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import ROOT, run_python


@pytest.fixture
def lm_eval(
    tmp_path: Path, partisan_build: Path
) -> Callable[..., tuple[dict[str, Any], dict[str, list[Any]]]]:
    """Return a function that runs lm_eval and gives its results and samples by task."""

    def run(*args: str, env: dict[str, str] | None = None) -> tuple[dict[str, Any], dict[str, list[Any]]]:
        out = Path(tempfile.mkdtemp(dir=tmp_path))  # one for each run, so that none is read for another
        environment = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf"), "OPENAI_API_KEY": "none"}
        environment["POLBIAS_DATA_DIR"] = str(partisan_build)
        options = ["--include_path", str(ROOT / "harness_tasks"), "--output_path", str(out), "--log_samples"]
        run_python(
            ["-m", "tests.support.lm_eval_ours", *options, *args],
            env=environment | (env or {}),
            cwd=tmp_path,
            timeout=300,
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

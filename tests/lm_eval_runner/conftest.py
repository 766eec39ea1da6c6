"""`polbias eval` in this process, over small builds, with a cache of its own."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.generators.engine import TableRows
from tests.support.builds import write_build

Evaluate = Callable[..., Result]


@pytest.fixture(scope="session")
def policy_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of builds with the first rows of one country of the policy statements, and its lock."""
    from polbias.generators.policy.tables import dataset

    spec = next(spec for spec in dataset().tables if spec.config == "de")
    rows = [row for batch in TableRows(spec).batches(0, 6) for row in batch.to_pylist()]
    folder = tmp_path_factory.mktemp("policy")
    write_build(folder, "policy-statements", {"de": rows})
    return folder


@pytest.fixture
def data(policy_build: Path, partisan_build: Path) -> Mapping[str, Mapping[str, str]]:
    """The environment for each dataset."""
    return {
        "partisan": {"POLBIAS_DATA_DIR": str(partisan_build)},
        "policy": {
            "POLBIAS_DATA_DIR": str(policy_build),
            "POLBIAS_LOCK": str(policy_build / "datasets.lock"),
        },
    }


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: Mapping[str, Mapping[str, str]]
) -> Evaluate:
    """Return a function that runs `polbias` in an empty folder with a cache of this test."""
    from lm_eval.utils import setup_logging

    setup_logging()  # with the real stderr, before the runner puts its own there
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def run(*args: str, family: str = "partisan") -> Result:
        for name, value in data[family].items():
            monkeypatch.setenv(name, value)
        return CliRunner().invoke(app, args)

    return run


@pytest.fixture
def evaluate(command: Evaluate) -> Evaluate:
    """Return a function that runs `polbias eval`, without a report unless it is asked for."""

    def run(*args: str, family: str = "partisan", report: bool = False) -> Result:
        return command("eval", *args, *(() if report else ("--no-report",)), family=family)

    return run


@pytest.fixture(scope="module")
def young_garbage() -> Iterator[None]:
    """`gc.collect()` looks through what the tests of a module made; all that was there takes it seconds."""
    gc.freeze()
    yield
    gc.unfreeze()


def results_of(folder: Path) -> dict[str, Any]:
    """Return the newest results below a folder."""
    return json.loads(sorted(folder.rglob("results_*.json"))[-1].read_text("utf-8"))


def samples_of(folder: Path, task: str) -> list[dict[str, Any]]:
    """Return the newest samples of a task below a folder."""
    path = sorted(folder.rglob(f"samples_{task}_2*.jsonl"))[-1]
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def chat(url: str, **more: object) -> list[str]:
    """Return the options for a chat server."""
    arguments = {"model": "stub", "base_url": f"{url}/v1/chat/completions", **more}
    told = ",".join(f"{name}={value}" for name, value in arguments.items())
    return ["--model", "local-chat-completions", "--model_args", told]

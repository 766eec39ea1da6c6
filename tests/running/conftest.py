"""A set of one's own, and the command line in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from polbias.cli.main import app
from tests.running.town import make_town


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_town(tmp_path_factory.mktemp("town") / "own")


@pytest.fixture
def selfassess(town: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command of `polbias selfassess`; an error of the toolkit is `Result.exception`."""
    return caller(town, monkeypatch)


def caller(town: Path, patch: pytest.MonkeyPatch) -> Callable[..., Result]:
    patch.setenv("COLUMNS", "200")
    patch.setenv("POLBIAS_DATA_DIR", str(town / "no-builds"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        patch.delenv(name, raising=False)

    def call(command: str, *args: object) -> Result:
        own = [] if command == "analyze" else ["--set", str(town)]
        return CliRunner().invoke(app, ["selfassess", command, *own, *map(str, args)])

    return call


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

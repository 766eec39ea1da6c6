"""Runs that several tests of the report read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.runs import simulate


@pytest.fixture
def data(partisan_build: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of builds in which the tasks find their rows."""
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    return partisan_build


@pytest.fixture
def small_run(tmp_path: Path, data: Path) -> Path:
    """Forty-eight answers of one respondent."""
    return simulate(tmp_path / "runs", "model-a", effect=0.2)

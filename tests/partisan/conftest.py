"""A folder for one country file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.partisan.country_folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "partisan")

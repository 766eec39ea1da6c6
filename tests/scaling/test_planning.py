from __future__ import annotations

from pathlib import Path

import pytest

from polbias.manifest import read_manifest
from tests.scaling.conftest import ROWS, SHARDS


def test_a_plan_knows_rows_shards_and_about_the_bytes(run, finished):
    files = [file for splits in read_manifest(finished).configs.values() for file in splits["test"].files]
    assert (run.rows, len(run.slices)) == (ROWS, SHARDS)
    assert run.size() == pytest.approx(sum(file.size for file in files), rel=0.1)
    assert not Path(run.url).exists()

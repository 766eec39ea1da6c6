"""Four builds of many rows, two of them killed, give one hash list; ``POLBIAS_SCALE_ROWS`` says how many rows."""

from __future__ import annotations

import json
import os

import pytest

from benchmarks.twenty_million import VARIANTS, main

pytestmark = pytest.mark.scale
ROWS = int(os.environ.get("POLBIAS_SCALE_ROWS", "600000"))


def test_one_process_workers_kills_and_a_store_give_the_same_hash_list(tmp_path, capsys):
    figures = tmp_path / "figures.json"
    assert main(["--rows", str(ROWS), "--folder", str(tmp_path), "--json", str(figures)]) == 0
    assert "4 hash lists, all equal" in capsys.readouterr().out
    found = json.loads(figures.read_text())["variants"]
    assert list(found) == list(VARIANTS)
    assert [len(variant["runs"]) for variant in found.values()] == [1, 1, 3, 1]
    assert {path.name for path in tmp_path.iterdir()} == {"figures.json"}

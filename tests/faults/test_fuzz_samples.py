"""Samples of runs, damaged: what can be read is analysed, what cannot is told with file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.faults.support.campaign import ends_cleanly, fuzz, sizes
from tests.faults.support.damage import damages
from tests.faults.support.samples import SAMPLES, analyse
from tests.faults.support.structures import rewritings

_TIME = "2026-01-02T10-00-00.5"


def _write(value: object) -> bytes:
    rows = value if isinstance(value, list) else [value]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _file(folder: Path, task: str) -> Path:
    path = folder / "model" / f"samples_{task}_{_TIME}.jsonl"
    path.parent.mkdir()
    path.write_bytes(_write(SAMPLES[task]()))
    return path


@pytest.mark.parametrize("task", SAMPLES)
def test_sound_samples_are_analysed(task: str, tmp_path: Path) -> None:
    _file(tmp_path, task)
    analyse(tmp_path)


@pytest.mark.parametrize("task", SAMPLES)
@sizes
def test_damaged_bytes(task: str, examples: int, tmp_path: Path) -> None:
    path = _file(tmp_path, task)
    original = path.read_bytes()

    def check(each: object) -> bool:
        path.write_bytes(each.of([original]))
        return ends_cleanly(lambda: analyse(tmp_path), str(tmp_path), "sample", "column", "row")

    fuzz(damages(1), check, examples)


@pytest.mark.parametrize("task", SAMPLES)
@sizes
def test_changed_fields(task: str, examples: int, tmp_path: Path) -> None:
    path = _file(tmp_path, task)
    original = SAMPLES[task]()

    def check(each: object) -> bool:
        path.write_bytes(_write(each.of([original])))
        return ends_cleanly(lambda: analyse(tmp_path), str(tmp_path), "sample", "column", "row")

    fuzz(rewritings(1), check, examples)

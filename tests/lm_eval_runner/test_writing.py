"""Results and samples are whole, or the command fails: lm_eval itself only logs that a file is cut off."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polbias.errors import PolbiasError
from polbias.lm_eval_runner.results import tracker_of, write

LONG = 20_000


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def written(folder: Path, extra: str, count: int, answer: str) -> Path:
    """Write a run whose results hold `extra`, and whose only task has some samples."""
    tracker = tracker_of(SimpleNamespace(hf_hub_log_args={}, output_path=folder))
    tracker.general_config_tracker.model_name_sanitized = "m"
    results: dict[str, Any] = {"results": {"extra": extra}, "configs": {"t": {}}}
    hashes = {"doc_hash": "0", "prompt_hash": "0", "target_hash": "0"}
    sample = {
        "doc": {},
        "arguments": [["p", {}]],
        "resps": [[answer]],
        "filtered_resps": [answer],
        "target": "",
        **hashes,
    }
    return write(tracker, results, {"t": [dict(sample) for _ in range(count)]})


@pytest.mark.parametrize(
    ("extra", "count"),
    [pytest.param("x" * LONG, 1, id="the results"), pytest.param("", 40, id="the samples")],
)
def test_a_file_that_is_cut_off_is_no_success(tmp_path: Path, extra: str, count: int) -> None:
    with largest_file(LONG // 2), pytest.raises(PolbiasError, match="could not all be written"):
        written(tmp_path, extra, count, "y" * 1000)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    place = written(tmp_path, extra, count, "y" * 1000)
    assert sorted(path.suffix for path in place.iterdir()) == [".json", ".jsonl"]


def test_samples_that_break_off_at_the_end_of_a_line_are_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lm_eval.loggers import EvaluationTracker

    whole = EvaluationTracker.save_results_samples

    def half(tracker: Any, task_name: str, samples: Any) -> None:
        listed = [*samples]
        whole(tracker, task_name, listed[: len(listed) // 2])

    monkeypatch.setattr(EvaluationTracker, "save_results_samples", half)
    with pytest.raises(PolbiasError, match="could not all be written"):
        written(tmp_path, "", 4, "yes")

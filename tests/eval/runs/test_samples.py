"""Sample files of lm_eval are found and read; what is broken is named and the rest goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import InputError
from polbias.eval.samples import SkippedLine, find_sample_files, read_samples

SAMPLE: dict[str, Any] = {"doc_id": 0, "doc": {"id": "a"}, "filtered_resps": ["valid"], "filter": "none"}


def _file(folder: Path, name: str, *lines: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(lines), "utf-8")
    return path


def test_newest_file_of_every_model_and_task(tmp_path: Path) -> None:
    for model in ("a", "b"):
        for time in ("2026-01-02T10-00-00.5", "2026-01-03T09-00-00.1"):
            _file(tmp_path / model, f"samples_polbias_en_formal_{time}.jsonl", json.dumps(SAMPLE))
    found = find_sample_files([tmp_path])
    assert [(file.model, file.task, file.time[:10]) for file in found] == [
        ("a", "polbias_en_formal", "2026-01-03"),
        ("b", "polbias_en_formal", "2026-01-03"),
    ]
    assert len(find_sample_files([tmp_path, tmp_path / "a"], newest=False)) == 4


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not found"):
        find_sample_files([tmp_path / "none"])
    with pytest.raises(InputError, match="--log_samples"):
        find_sample_files([tmp_path])


def test_broken_lines_are_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    good = [json.dumps(SAMPLE | {"doc_id": number}) + "\n" for number in range(3)]
    lines = [
        *(good[0], "\n", "[1]\n", '{"doc": {}}\n', good[1], good[0]),
        json.dumps(SAMPLE | {"doc": 3, "doc_id": 9}) + "\n",
        good[2][:20],
    ]
    path = _file(tmp_path, "samples_x.jsonl", *lines)
    problems: list[SkippedLine] = []
    assert [sample["doc_id"] for sample in read_samples(path, problems)] == [0, 1]
    assert [problem.line for problem in problems] == [3, 4, 6, 7, 8]
    told = " ".join(map(str, problems))
    for part in ("expected an object", "no filtered_resps", "a second time", "doc: found int", "truncated"):
        assert part in told


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [("filtered_resps", ["valid \ud83d"], ["valid \ufffd"]), ("acc", float("inf"), float("inf"))],
)
def test_what_python_writes_and_json_has_not_is_read(
    tmp_path: Path, name: str, value: object, read: object
) -> None:
    """An answer that ends within a character; a metric that is no number."""
    path = _file(tmp_path, "samples_x.jsonl", json.dumps(SAMPLE | {name: value}))
    problems: list[SkippedLine] = []
    assert [sample[name] for sample in read_samples(path, problems)] == [read]
    assert problems == []

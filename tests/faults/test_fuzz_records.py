"""Recorded answers, locks and manifests, damaged: read, mended at the end, or refused by line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from polbias.lock import LockedDataset, read_lock
from polbias.manifest import FileEntry, Manifest, SplitEntry, read_manifest
from tests.faults.support.campaign import ends_cleanly, fuzz, sizes
from tests.faults.support.damage import damages
from tests.faults.support.structures import rewritings


def _recorded(path: Path) -> None:
    from polbias.models.recording import Recorder

    with Recorder(path, replay=True):
        pass


def _annotations(path: Path) -> None:
    from polbias.generators.authoring.annotation.answers import read_answers

    read_answers([path], "words")


def _manifest() -> bytes:
    file = FileEntry(path="a/test-0.parquet", rows=2, size=10, sha256="0" * 64)
    split = SplitEntry(rows=2, content="1" * 64, files=(file,))
    return (
        Manifest(dataset="d", version="1.0.0", canary="c", writer="w", configs={"a": {"test": split}})
        .to_json()
        .encode()
    )


def _lock() -> bytes:
    entries = {"d": LockedDataset.of(Manifest.model_validate_json(_manifest())).model_dump(mode="json")}
    return yaml.safe_dump(entries, sort_keys=False).encode()


def _recording() -> bytes:
    from polbias.models.requests import Request, ServiceResponse, canonical

    lines = []
    for number in range(3):
        request = Request("recorded", "chat", "m", {"messages": [{"role": "user", "content": f"{number}?"}]})
        answer = asdict(ServiceResponse("yes", "stop", "m", {"input": 1}))
        lines.append(canonical({"key": request.key, "request": request.content, "answer": answer}))
    return "".join(line + "\n" for line in lines).encode()


def _labelled() -> bytes:
    result = {"from_name": "shift", "to_name": "x", "type": "choices", "value": {"choices": ["left"]}}
    annotation = {"completed_by": {"email": "a@b"}, "result": [result], "was_cancelled": False}
    data = {"task_id": "p.forward", "first": "x", "second": "y"}
    return json.dumps(
        [{"data": data, "annotations": [annotation]}, {"task_id": "p.forward", "shift": "left"}]
    ).encode()


TARGETS: dict[str, tuple[str, Callable[[], bytes], Callable[[Path], Any]]] = {
    "recorded answers": ("recorded.jsonl", _recording, _recorded),
    "annotations": ("answers.json", _labelled, _annotations),
    "lock": ("datasets.lock", _lock, read_lock),
    "manifest": ("manifest.json", _manifest, lambda path: read_manifest(path.parent)),
}


def _check(path: Path, data: bytes, read: Callable[[Path], Any]) -> bool:
    path.write_bytes(data)
    done = ends_cleanly(lambda: read(path), path.name)
    assert {each.name for each in path.parent.iterdir()} == {path.name}  # nothing half-written beside it
    return done


@pytest.mark.parametrize("name", TARGETS)
@sizes
def test_damaged_bytes(name: str, examples: int, tmp_path: Path) -> None:
    file, make, read = TARGETS[name]
    original = make()
    assert _check(tmp_path / file, original, read)
    fuzz(damages(1), lambda each: _check(tmp_path / file, each.of([original]), read), examples)


@pytest.mark.parametrize("name", ["annotations", "manifest"])
@sizes
def test_changedasdict(name: str, examples: int, tmp_path: Path) -> None:
    file, make, read = TARGETS[name]
    document = json.loads(make())
    fuzz(
        rewritings(1),
        lambda each: _check(tmp_path / file, json.dumps(each.of([document])).encode(), read),
        examples,
    )

"""Builds that fail, are killed or meet another: the previous build or the new one, nothing between."""

from __future__ import annotations

import errno
import itertools
import multiprocessing
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NoReturn

import pytest

from polbias import atomic_write
from polbias.atomic_write import recover_folder
from polbias.errors import BuildError
from polbias.generators.engine import DatasetSpec, build_dataset, files
from polbias.generators.engine import build as build_module
from polbias.generators.engine.build import dataset_lock
from polbias.manifest import Manifest, read_manifest
from tests.engine.builds import CHANGED, NEW, OLD, SPEC, A, build, card, made, only_the_build
from tests.engine.specs import snapshot

# What can go wrong.


@pytest.mark.parametrize(
    "error", [RuntimeError("no card"), BuildError("no card"), KeyboardInterrupt("no card")]
)
def test_a_failing_card_leaves_the_previous_build(tmp_path: Path, error: BaseException) -> None:
    def fail(*_args) -> str:
        raise error

    built = build(SPEC, tmp_path)
    before = snapshot(built.folder)
    with pytest.raises(type(error), match="no card"):
        build(CHANGED, tmp_path, card=fail)
    assert snapshot(built.folder) == before
    assert only_the_build(tmp_path)
    assert made(CHANGED, tmp_path) == ["b/test"]


def test_a_failing_first_build_leaves_nothing(tmp_path: Path) -> None:
    def fail(*_args) -> str:
        raise RuntimeError("no card")

    with pytest.raises(RuntimeError, match="no card"):
        build(SPEC, tmp_path, card=fail)
    assert [path.name for path in tmp_path.iterdir()] == [".numbers.lock"]


def test_a_full_disk_leaves_the_previous_build(tmp_path: Path, monkeypatch) -> None:
    def full(*_args, **_kwargs) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    built = build(SPEC, tmp_path)
    before = snapshot(built.folder)
    monkeypatch.setattr(files.pq, "ParquetWriter", full)
    with pytest.raises(
        BuildError, match="the disk is full; free some space or build elsewhere with --output"
    ):
        build(CHANGED, tmp_path)
    assert snapshot(built.folder) == before
    assert only_the_build(tmp_path)


def test_a_full_disk_while_copying_leaves_the_previous_build(tmp_path: Path, monkeypatch) -> None:
    def full(*_args, **_kwargs) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    built = build(SPEC, tmp_path)
    before = snapshot(built.folder)
    for name in ("copy", "copy2", "copyfile"):
        monkeypatch.setattr(shutil, name, full)
    monkeypatch.setattr(os, "link", full)
    with pytest.raises(BuildError, match=r"numbers: the disk is full"):
        build(CHANGED, tmp_path)
    assert snapshot(built.folder) == before
    assert only_the_build(tmp_path)


def test_a_file_in_the_place_of_the_output_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(BuildError, match=r"numbers: cannot be written .*--output DIR$"):
        build(SPEC, tmp_path / "out")


def test_a_file_in_the_place_of_the_dataset_does_not_block_for_ever(tmp_path: Path) -> None:
    (tmp_path / "numbers").write_text("a file")
    for _ in range(2):
        try:
            build(SPEC, tmp_path)
        except BuildError:
            continue
    assert (tmp_path / "numbers").is_file() or read_manifest(tmp_path / "numbers").rows == 61
    assert only_the_build(tmp_path)


def test_two_builds_at_once_are_refused(tmp_path: Path) -> None:
    def second_build(manifest: Manifest, folder: Path) -> str:
        with pytest.raises(BuildError) as refusal:
            build(CHANGED, tmp_path)
        messages.append(str(refusal.value))
        return card(manifest, folder)

    messages: list[str] = []
    built = build(SPEC, tmp_path, card=second_build)
    assert messages == [f"{tmp_path / 'numbers'}: another build is under way; wait until it ends"]
    assert built.manifest.version == "1.0.0"
    assert made(CHANGED, tmp_path) == ["b/test"]


def test_builds_of_two_datasets_at_once_are_fine(tmp_path: Path) -> None:
    other = DatasetSpec(name="others", version="1.0.0", canary="canary", tables=(A,))

    def second_build(manifest: Manifest, folder: Path) -> str:
        build(other, tmp_path)
        return card(manifest, folder)

    build(SPEC, tmp_path, card=second_build)
    assert {"numbers", "others"} <= {path.name for path in tmp_path.iterdir()}


# What a killed build leaves.

# A server that has the imports forks a process a build.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.engine.builds"])


def _dying(original: Callable[..., Any], after: int = 0) -> Callable[..., Any]:
    calls = itertools.count()

    def call(*args: Any, **kwargs: Any) -> Any:
        if next(calls) >= after:
            _die()
        return original(*args, **kwargs)

    return call


def _die(*_: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("is dead")


def _build(out: Path, point: str, began: Connection) -> None:
    changes: dict[str, Any] = {"card": card}
    if point == "first table":
        changes["progress"] = _die
    elif point == "fourth table":
        build_module.run_shard = _dying(build_module.run_shard, after=3)
    elif point == "written, not renamed":
        Path.replace = _die
    elif point == "card":
        changes["card"] = _die
    elif point == "complete, not swapped":
        build_module.replace_folder = _die
    elif point == "swapped, not cleaned":
        atomic_write.shutil.rmtree = _dying(atomic_write.shutil.rmtree)
    elif point == "between two renames":
        atomic_write._exchange = lambda *_: False
        Path.rename = _dying(Path.rename, after=1)
    began.send(None)
    build_dataset(NEW, out, **changes)


def start(out: Path, point: str = "never") -> BaseProcess:
    """Begin to build `NEW` in a process of its own that kills itself at some point."""
    begun, began = _FORKS.Pipe(duplex=False)
    process = _FORKS.Process(target=_build, args=(out, point, began))
    process.start()
    began.close()
    with begun:
        begun.recv()
    return process


def killed_at(point: str, out: Path) -> None:
    process = start(out, point)
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


@pytest.fixture(scope="module")
def complete(tmp_path_factory) -> Path:
    """A folder with complete builds in `old` and `new`."""
    out = tmp_path_factory.mktemp("complete")
    build(OLD, out / "old")
    build(NEW, out / "new")
    return out


@pytest.mark.parametrize(
    ("point", "left"),
    [
        ("first table", "old"),
        ("fourth table", "old"),
        ("written, not renamed", "old"),
        ("card", "old"),
        ("complete, not swapped", "old"),
        ("swapped, not cleaned", "new"),
        ("between two renames", None),
    ],
)
def test_a_build_killed_at_any_point(tmp_path: Path, complete: Path, point: str, left: str | None) -> None:
    shutil.copytree(complete / "old", tmp_path, dirs_exist_ok=True)
    killed_at(point, tmp_path)
    if left is None:
        recover_folder(tmp_path / "numbers")
    assert snapshot(tmp_path / "numbers") == snapshot(complete / (left or "old") / "numbers")
    build(NEW, tmp_path)
    assert snapshot(tmp_path / "numbers") == snapshot(complete / "new" / "numbers")
    assert only_the_build(tmp_path)


def test_a_first_build_that_is_killed_leaves_no_dataset(tmp_path: Path, complete: Path) -> None:
    killed_at("complete, not swapped", tmp_path)
    assert not (tmp_path / "numbers").exists()
    build(NEW, tmp_path)
    assert snapshot(tmp_path / "numbers") == snapshot(complete / "new" / "numbers")


def test_builds_killed_at_random_moments(tmp_path: Path, complete: Path) -> None:
    began = time.perf_counter()
    build(NEW, tmp_path / "timed")
    duration = 2 * (time.perf_counter() - began)
    old, new = (snapshot(complete / name / "numbers") for name in ("old", "new"))
    random_moments = random.Random(7)
    out = tmp_path / "out"
    killed = 0
    for _ in range(6):
        shutil.copytree(complete / "old", out)
        process = start(out)
        time.sleep(random_moments.uniform(0, duration))
        process.kill()
        process.join()
        killed += process.exitcode == -signal.SIGKILL
        assert snapshot(out / "numbers") in (old, new)
        build(NEW, out)
        assert snapshot(out / "numbers") == new
        assert only_the_build(out)
        shutil.rmtree(out)
    assert killed


def test_a_killed_build_frees_its_lock(tmp_path: Path) -> None:
    killed_at("card", tmp_path)
    assert build(SPEC, tmp_path).n_written == 3


def test_a_process_that_was_forked_does_not_hold_the_lock(tmp_path: Path) -> None:
    with dataset_lock(tmp_path, "numbers"):
        (ready, say), (wait, end) = os.pipe(), os.pipe()
        child = os.fork()
        if not child:
            os.close(end)
            os.write(say, b".")
            os.read(wait, 1)  # until the parent closes its end
            os._exit(0)
        os.read(ready, 1)
    try:
        with dataset_lock(tmp_path, "numbers"):
            pass
    finally:
        for pipe in (ready, say, wait, end):
            os.close(pipe)
        os.waitpid(child, 0)

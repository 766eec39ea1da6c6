"""Builds that fail, are killed or meet another: the previous build or the new one, nothing between."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

from polbias.files import BuildError
from polbias.generators.engine import DatasetSpec, files
from polbias.generators.engine.build import alone
from polbias.generators.engine.files import recover_folder
from polbias.manifest import Manifest, read_manifest
from tests.engine.builds import CHANGED, NEW, OLD, SPEC, A, build, card, made, only_the_build
from tests.engine.specs import snapshot
from tests.support.process import ROOT

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
    assert messages == [f"{tmp_path / 'numbers'}: another build is under way; wait for it to end"]
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

_BUILD = """
    import os, signal, sys
    from pathlib import Path
    from polbias.generators.engine import build, build_dataset, files
    from tests.engine.builds import NEW, card

    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    def dying(original, after=0):
        calls = []
        def call(*args, **kwargs):
            calls.append(1)
            if len(calls) > after:
                die()
            return original(*args, **kwargs)
        return call

    out, point = Path(sys.argv[1]), sys.argv[2]
    changes = {"card": card}
    if point == "first table":
        changes["progress"] = die
    elif point == "fourth table":
        build.run_shard = dying(build.run_shard, after=3)
    elif point == "written, not renamed":
        Path.replace = die
    elif point == "card":
        changes["card"] = die
    elif point == "complete, not swapped":
        build.replace_folder = die
    elif point == "swapped, not cleaned":
        files.shutil.rmtree = dying(files.shutil.rmtree)
    elif point == "between two renames":
        files._exchange = lambda *_: False
        Path.rename = dying(Path.rename, after=1)
    print("begin", flush=True)
    build_dataset(NEW, out, **changes)
"""


def start(out: Path, point: str = "never") -> subprocess.Popen[str]:
    """Begin to build `NEW` in a process of its own that kills itself at some point."""
    return subprocess.Popen(
        [sys.executable, "-c", dedent(_BUILD), str(out), point],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def killed_at(point: str, out: Path) -> None:
    process = start(out, point)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL


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
        with start(out) as process:
            process.stdout.readline()
            time.sleep(random_moments.uniform(0, duration))
            process.kill()
        killed += process.returncode == -signal.SIGKILL
        assert snapshot(out / "numbers") in (old, new)
        build(NEW, out)
        assert snapshot(out / "numbers") == new
        assert only_the_build(out)
        shutil.rmtree(out)
    assert killed


def test_a_killed_build_frees_its_lock(tmp_path: Path) -> None:
    killed_at("card", tmp_path)
    assert build(SPEC, tmp_path).written == 3


def test_a_process_that_was_forked_does_not_hold_the_lock(tmp_path: Path) -> None:
    with alone(tmp_path, "numbers"):
        (ready, say), (wait, end) = os.pipe(), os.pipe()
        child = os.fork()
        if not child:
            os.close(end)
            os.write(say, b".")
            os.read(wait, 1)  # until the parent closes its end
            os._exit(0)
        os.read(ready, 1)
    try:
        with alone(tmp_path, "numbers"):
            pass
    finally:
        for pipe in (ready, say, wait, end):
            os.close(pipe)
        os.waitpid(child, 0)

"""Builds: up to date or untouched, whatever goes wrong."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from textwrap import dedent

import pyarrow.parquet as pq
import pytest

from polbias.content import content_hash, file_sha256
from polbias.errors import BuildError
from polbias.generators.engine import Built, Constant, DatasetSpec, Rows, Sample, build_dataset, shard, swap
from polbias.generators.engine.build import alone
from polbias.generators.engine.fingerprint import fingerprint
from polbias.generators.engine.swap import recover_folder, replace_folder
from polbias.manifest import Manifest, read_manifest
from tests.engine.specs import numbers, snapshot, table
from tests.support.process import ROOT

A, B, C = table("a"), table("a", size=3, split="fewshot"), table("b", size=5)
SPEC = numbers(A, B, C)
CHANGED = numbers(A, B, table("b", size=6), version="1.1.0")
OLD, NEW = (numbers(*(table(name, size=size) for name in "abcdef")) for size in (2_000, 2_500))
MARKS = ".fingerprints.json"


def card(manifest: Manifest, folder: Path) -> str:
    files = sorted(path.name for path in folder.rglob("*.parquet"))
    return f"# {manifest.dataset} {manifest.version}\n{manifest.rows} rows in {files}\n"


def build(spec: DatasetSpec, out: Path, **changes) -> Built:
    return build_dataset(spec, out, **{"card": card} | changes)


def made(spec: DatasetSpec, out: Path, **changes) -> list[str]:
    """Build and return the tables that were made anew."""
    fresh: list[str] = []

    def note(table, _entry, new) -> None:
        fresh.extend([f"{table.config}/{table.split}"] * new)

    built = build(spec, out, progress=note, **changes)
    assert built.written == len(fresh)
    return fresh


def only_the_build(out: Path) -> bool:
    """Tell whether nothing is left beside the dataset's folder but its lock."""
    return {path.name for path in out.iterdir()} <= {"numbers", ".numbers.lock"}


# What a build gives.


def test_a_build_is_complete(tmp_path: Path) -> None:
    built = build(SPEC, tmp_path)
    assert built.folder == tmp_path / "numbers"
    assert built.written == 3
    assert sorted(snapshot(built.folder)) == [
        MARKS,
        "README.md",
        "a/fewshot-00000-of-00001.parquet",
        "a/test-00000-of-00001.parquet",
        "b/test-00000-of-00001.parquet",
        "manifest.json",
    ]
    assert read_manifest(built.folder) == built.manifest
    assert (built.folder / "README.md").read_text() == card(built.manifest, built.folder)
    assert only_the_build(tmp_path)


def test_the_manifest_says_what_is_in_the_files(tmp_path: Path) -> None:
    built = build(SPEC, tmp_path)
    manifest = built.manifest
    assert (manifest.dataset, manifest.version, manifest.canary) == ("numbers", "1.0.0", "canary")
    assert list(manifest.configs) == ["a", "b"]
    assert manifest.rows == 47 + 5 + 9
    for spec in SPEC.tables:
        entry = manifest.configs[spec.config][spec.split]
        rows = Rows(spec)
        assert entry.rows == len(rows)
        assert entry.content == content_hash(rows.batches(0, len(rows)), rows.schema)
        (file,) = entry.files
        path = built.folder / file.path
        assert (file.rows, file.size) == (len(rows), path.stat().st_size)
        assert file.sha256 == file_sha256(path)
        assert pq.read_table(path).num_rows == file.rows


def test_large_tables_are_cut_into_shards(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("polbias.generators.engine.build.MAX_SHARD_ROWS", 20)
    entry = build(SPEC, tmp_path).manifest.configs["a"]["test"]
    assert [file.rows for file in entry.files] == [15, 16, 16]
    assert [file.path for file in entry.files] == [f"a/test-0000{i}-of-00003.parquet" for i in range(3)]
    rows = Rows(A)
    assert entry.content == content_hash(rows.batches(0, len(rows)), rows.schema)


def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = build(SPEC, tmp_path / "1"), build(SPEC, tmp_path / "2")
    assert snapshot(first.folder) == snapshot(second.folder)


def test_progress_is_told_for_every_table(tmp_path: Path) -> None:
    calls: list[tuple] = []
    build(SPEC, tmp_path, progress=lambda spec, entry, new: calls.append((spec, entry.rows, new)))
    assert calls == [(A, 47, True), (B, 5, True), (C, 9, True)]


# What is made again.


def test_nothing_is_done_where_nothing_changed(tmp_path: Path) -> None:
    built = build(SPEC, tmp_path)
    before, folder = snapshot(built.folder), built.folder.stat().st_ino
    again = build(SPEC, tmp_path)
    assert (again.written, again.manifest) == (0, built.manifest)
    assert snapshot(built.folder) == before
    assert built.folder.stat().st_ino == folder
    assert only_the_build(tmp_path)


def test_only_the_changed_table_is_made_again(tmp_path: Path) -> None:
    build(SPEC, tmp_path)
    assert made(CHANGED, tmp_path) == ["b/test"]
    assert snapshot(tmp_path / "numbers") == snapshot(build(CHANGED, tmp_path / "fresh").folder)


def test_a_table_that_is_no_longer_there_goes(tmp_path: Path) -> None:
    build(SPEC, tmp_path)
    assert made(numbers(A), tmp_path) == []
    assert snapshot(tmp_path / "numbers") == snapshot(build(numbers(A), tmp_path / "fresh").folder)


def test_a_new_card_alone_makes_no_table_again(tmp_path: Path) -> None:
    build(SPEC, tmp_path)
    assert made(SPEC, tmp_path, card=lambda *_: "another card") == []
    assert (tmp_path / "numbers" / "README.md").read_text() == "another card"


@pytest.mark.parametrize(
    "change",
    [
        {"version": "1.0.1"},
        {"dataset": "other"},
        {"exclude": ()},
        {"columns": A.columns | {"version": Constant(value="1.0.1")}},
        {"columns": A.columns | {"one_more": Constant(value="x")}},
        {"columns": dict(reversed([(name, c) for name, c in A.columns.items() if name != "twin"]))},
        {"factors": (A.factors[0], A.factors[1].model_copy(update={"levels": ("left", "Right")}))},
        {"sample": Sample(rows=4, pair=("side",))},
    ],
)
def test_every_part_of_a_specification_is_in_the_fingerprint(change: dict) -> None:
    assert fingerprint(A.model_copy(update=change)) != fingerprint(A)
    assert fingerprint(A) == fingerprint(table("a"))


def spoil(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def turn_into_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("harm", [spoil, truncate, empty, lengthen, Path.unlink, turn_into_a_folder])
def test_a_harmed_file_is_made_again(tmp_path: Path, harm) -> None:
    built = build(SPEC, tmp_path)
    before = snapshot(built.folder)
    harm(built.folder / "a" / "fewshot-00000-of-00001.parquet")
    assert made(SPEC, tmp_path) == ["a/fewshot"]
    assert snapshot(built.folder) == before


@pytest.mark.parametrize("name", ["manifest.json", MARKS])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b'{"a/test": 1}'])
def test_a_harmed_record_makes_everything_again(tmp_path: Path, name: str, content: bytes) -> None:
    built = build(SPEC, tmp_path)
    before = snapshot(built.folder)
    (built.folder / name).write_bytes(content)
    assert made(SPEC, tmp_path) == ["a/test", "a/fewshot", "b/test"]
    assert snapshot(built.folder) == before


@pytest.mark.parametrize("name", ["manifest.json", MARKS, "README.md"])
def test_a_missing_record_is_written_again(tmp_path: Path, name: str) -> None:
    built = build(SPEC, tmp_path)
    before = snapshot(built.folder)
    (built.folder / name).unlink()
    build(SPEC, tmp_path)
    assert snapshot(built.folder) == before


def test_a_card_that_was_edited_is_written_again(tmp_path: Path) -> None:
    built = build(SPEC, tmp_path)
    before = snapshot(built.folder)
    (built.folder / "README.md").write_text("my own")
    assert made(SPEC, tmp_path) == []
    assert snapshot(built.folder) == before


def test_files_that_do_not_belong_to_the_dataset_go(tmp_path: Path) -> None:
    built = build(SPEC, tmp_path)
    before = snapshot(built.folder)
    (built.folder / "a" / "test-00007-of-00009.parquet").write_text("from another build")
    build(SPEC, tmp_path)
    assert snapshot(built.folder) == before


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_leftovers_of_a_killed_build_go(tmp_path: Path, kind: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    out = tmp_path / "out"
    leftover = out / ".numbers.staging"
    (out / ".numbers.staging.old").mkdir(parents=True)
    if kind == "folder":
        (leftover / "a").mkdir(parents=True)
        (leftover / "a" / "half.parquet").write_text("half")
    elif kind == "file":
        leftover.write_text("half")
    else:
        leftover.symlink_to(elsewhere)
    built = build(SPEC, out)
    assert "a/half.parquet" not in snapshot(built.folder)
    assert only_the_build(out)
    assert snapshot(elsewhere).keys() == {"kept"}


def test_other_datasets_are_left_alone(tmp_path: Path) -> None:
    other = tmp_path / ".numbers-two.staging"
    other.mkdir()
    build(SPEC, tmp_path)
    assert other.is_dir()


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
    monkeypatch.setattr(shard.pq, "ParquetWriter", full)
    with pytest.raises(BuildError, match="the disk is full; free some space or build elsewhere with --out"):
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
    with pytest.raises(BuildError, match=r"numbers: cannot be written .*--out DIR$"):
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
    from polbias.generators.engine import build, build_dataset, swap
    from tests.engine.test_build import NEW, card

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
        swap.shutil.rmtree = dying(swap.shutil.rmtree)
    elif point == "between two renames":
        swap._exchange = lambda *_: False
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


# How a folder is replaced.


def folder(path: Path, content: str) -> Path:
    path.mkdir()
    (path / "file").write_text(content)
    return path


def content(path: Path) -> str:
    return (path / "file").read_text()


@pytest.fixture(params=["exchange", "two renames"])
def way(request, monkeypatch) -> str:
    if request.param == "two renames":
        monkeypatch.setattr(swap, "_exchange", lambda *_: False)
    return request.param


@pytest.mark.usefixtures("way")
def test_a_folder_takes_the_place_of_another(tmp_path: Path) -> None:
    target = folder(tmp_path / "target", "old")
    replace_folder(folder(tmp_path / "new", "new"), target)
    assert content(target) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


@pytest.mark.usefixtures("way")
def test_a_folder_takes_an_empty_place(tmp_path: Path) -> None:
    replace_folder(folder(tmp_path / "new", "new"), tmp_path / "target")
    assert content(tmp_path / "target") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_two_renames_can_be_cut_off_and_undone(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(swap, "_exchange", lambda *_: False)
    target = folder(tmp_path / "target", "old")
    new = folder(tmp_path / "new", "new")
    rename = Path.rename

    def cut_off(self: Path, to: Path) -> Path:
        if self == new:
            raise InterruptedError
        return rename(self, to)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", cut_off)
        with pytest.raises(InterruptedError):
            replace_folder(new, target)
    recover_folder(target)
    assert content(target) == "old"
    replace_folder(new, target)
    assert content(target) == "new"


def test_a_replacement_cut_off_before_its_cleaning_is_completed(tmp_path: Path) -> None:
    target = folder(tmp_path / "target", "new")
    folder(tmp_path / ".target.previous", "old")
    recover_folder(target)
    assert content(target) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_there_may_be_nothing_to_recover(tmp_path: Path) -> None:
    recover_folder(tmp_path / "target")
    assert list(tmp_path.iterdir()) == []


def test_platforms_without_the_system_call_are_recognised(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(swap.ctypes, "CDLL", lambda *_args, **_kwargs: object())
    target = folder(tmp_path / "target", "old")
    replace_folder(folder(tmp_path / "new", "new"), target)
    assert content(target) == "new"


def test_a_reader_never_finds_the_folder_missing(tmp_path: Path) -> None:
    target, probe = folder(tmp_path / "target", "0"), folder(tmp_path / "probe", "0")
    if not swap._exchange(probe, target):
        pytest.skip("this file system cannot exchange two folders")
    missing, stop = [], threading.Event()

    def read() -> None:
        while not stop.is_set():
            if not target.exists():
                missing.append(1)

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(200):
        replace_folder(folder(tmp_path / "new", str(i)), target)
    stop.set()
    reader.join()
    assert content(target) == "199"
    assert not missing


def test_fingerprints_stay_on_this_machine_only(tmp_path: Path) -> None:
    built = build(SPEC, tmp_path)
    marks = json.loads((built.folder / MARKS).read_text())
    assert list(marks) == ["a/test", "a/fewshot", "b/test"]
    assert MARKS.startswith(".")
    assert MARKS not in (built.folder / "manifest.json").read_text()


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

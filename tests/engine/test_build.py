"""Builds: complete, and made again where something changed or was harmed."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias import content_hash as content_hash_module
from polbias.content_hash import tree_hash
from polbias.files import file_sha256
from polbias.generators.engine import Constant, Sample, TableRows
from polbias.generators.engine import build as build_module
from polbias.generators.engine.build import fingerprint
from polbias.manifest import read_manifest
from tests.engine.builds import CHANGED, MARKS, SPEC, A, B, C, build, card, made, only_the_build
from tests.engine.specs import numbers, snapshot, table
from tests.support.builds import content_hash

# What a build gives.


def test_a_build_is_complete(tmp_path: Path) -> None:
    built = build(SPEC, tmp_path)
    assert built.folder == tmp_path / "numbers"
    assert built.n_written == 3
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
        rows = TableRows(spec)
        assert entry.rows == len(rows)
        assert entry.content == content_hash(rows.batches(0, len(rows)), rows.schema)
        (file,) = entry.files
        path = built.folder / file.path
        assert (file.rows, file.size) == (len(rows), path.stat().st_size)
        assert file.sha256 == file_sha256(path)
        assert pq.read_table(path).num_rows == file.rows


def test_large_tables_are_cut_into_shards(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("polbias.generators.engine.build.MAX_SHARD_ROWS", 20)
    monkeypatch.setattr("polbias.generators.engine.files.BLOCK_ROWS", 8)
    entry = build(SPEC, tmp_path).manifest.configs["a"]["test"]
    assert [file.rows for file in entry.files] == [16, 16, 15]
    assert [file.path for file in entry.files] == [f"a/test-0000{i}-of-00003.parquet" for i in range(3)]
    rows = TableRows(A)
    parts = [rows.batch(start, min(start + 8, 47)) for start in range(0, 47, 8)]
    assert entry.tree == tree_hash(rows.schema, [content_hash([part], rows.schema) for part in parts])


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
    assert (again.n_written, again.manifest) == (0, built.manifest)
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


def test_the_code_of_the_content_hash_is_in_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    before, changed = fingerprint(A), tmp_path / "content_hash.py"
    changed.write_bytes(Path(content_hash_module.__file__).read_bytes() + b"# changed\n")
    request.addfinalizer(build_module._hash_code.cache_clear)
    with monkeypatch.context() as patch:
        patch.setattr(content_hash_module, "__file__", str(changed))
        build_module._hash_code.cache_clear()
        assert fingerprint(A) != before


def test_fingerprints_stay_on_this_machine_only(tmp_path: Path) -> None:
    built = build(SPEC, tmp_path)
    marks = json.loads((built.folder / MARKS).read_text())
    assert list(marks) == ["a/test", "a/fewshot", "b/test", "inputs", "README.md"]
    assert MARKS.startswith(".")
    assert MARKS not in (built.folder / "manifest.json").read_text()

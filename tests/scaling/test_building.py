from __future__ import annotations

import hashlib
import json
import pickle
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.content_hash import BLOCK_ROWS, has_content, parquet_hashes, tree_hash
from polbias.errors import BuildError, PolbiasError
from polbias.generators.engine import Sample, TableRows, build_dataset
from polbias.generators.engine.build import dataset_lock, fingerprint
from polbias.generators.partisan.publication import XL_PUBLICATION
from polbias.manifest import read_manifest
from polbias.publishing.card import render_card
from polbias.scaling.build import build_at_scale
from polbias.scaling.executors import Resources, in_process
from polbias.scaling.run import load_run, open_run, plan_run, require_scalable
from polbias.scaling.shards import build_shard_or_record_error
from polbias.scaling.spec_file import read_spec, write_spec
from tests.scaling.conftest import ROWS, SHARDS, begin, build, published


def test_hash_lists_and_manifest_say_what_is_there(finished, spec):
    manifest = read_manifest(finished)
    sums = dict(reversed(line.split("  ")) for line in (finished / "SHA256SUMS").read_text().splitlines())
    listed = json.loads((finished / "shards.json").read_text())
    assert listed["rows"] == manifest.rows == ROWS
    assert [shard["path"] for shard in listed["shards"]] == list(sums)
    assert len(sums) == SHARDS == len(list(finished.rglob("*.parquet")))
    for shard in listed["shards"]:
        data = (finished / shard["path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == shard["sha256"] == sums[shard["path"]]
        assert len(data) == shard["size"]
        assert parquet_hashes([finished / shard["path"]], BLOCK_ROWS) == [shard["leaves"]]
        assert sum(shard["proofs"].values()) == shard["rows"]
    for table in spec.tables:
        entry = manifest.configs[table.config]["test"]
        paths = [finished / file.path for file in entry.files]
        leaves = [
            leaf
            for shard in listed["shards"]
            if shard["path"].startswith(table.config + "/")
            for leaf in shard["leaves"]
        ]
        assert has_content(paths, entry)
        assert tree_hash(table.arrow_schema(), leaves) == entry.tree


def test_rows_are_those_of_the_specification_and_sides_are_even(finished, spec):
    manifest = read_manifest(finished)
    ids = set()
    for table in spec.tables:
        files = manifest.configs[table.config]["test"].files
        rows = pa.concat_tables(pq.read_table(finished / file.path) for file in files)
        expected = TableRows(table).batch(0, ROWS // len(spec.tables))
        assert rows.cast(expected.schema).equals(pa.Table.from_batches([expected]))
        ids |= {*rows["id"].to_pylist()}
        assert len({*Counter(rows["leaning"].to_pylist()).values()}) == 1
    assert len(ids) == ROWS


def test_the_card_is_that_of_a_plain_build(finished):
    manifest = read_manifest(finished)
    assert (finished / "README.md").read_text("utf-8") == render_card(manifest, finished, XL_PUBLICATION)


def test_a_plain_build_of_the_same_rows_has_the_same_tree(finished, spec, tmp_path):
    plain = build_dataset(spec, tmp_path, lambda *_: "").manifest
    for config, splits in read_manifest(finished).configs.items():
        assert splits["test"].tree == plain.configs[config]["test"].tree


def test_a_second_build_makes_nothing(finished, spec):
    before = published(finished)
    done = build(begin(spec, finished.parent))
    assert (done.n_built, done.n_existing) == (0, SHARDS)
    assert published(finished) == before


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _damage(folder: Path, shard: str, how: str) -> None:
    path = folder / shard
    records = sorted(folder.glob(".run/shards/*.json"))
    record = next(each for each in records if shard in each.read_text())
    if how == "deleted":
        path.unlink()
    elif how == "changed":
        _flip(path)
    elif how == "cut off":
        path.write_bytes(path.read_bytes()[:-100])
    elif how == "no record":
        record.unlink()
    elif how == "garbled record":
        record.write_text('{"path": ')
    elif how == "record of another":
        record.write_bytes(next(each for each in records if each != record).read_bytes())


@pytest.mark.parametrize(
    "how", ["deleted", "changed", "cut off", "no record", "garbled record", "record of another"]
)
def test_only_what_is_damaged_is_made_again(finished, spec, how):
    before = published(finished)
    shards = [path for path in before if path.endswith(".parquet")]
    _damage(finished, shards[2], how)
    done = build(begin(spec, finished.parent))
    assert (done.n_built, done.n_existing) == (1, SHARDS - 1)
    assert published(finished) == before


def test_a_lost_manifest_and_leftovers_of_killed_workers_are_mended(finished, spec):
    before = published(finished)
    (finished / "manifest.json").unlink()
    (finished / "SHA256SUMS").write_text("")
    shard = next(path for path in before if path.endswith(".parquet"))
    (finished / shard).with_suffix(".host-1.partial").write_bytes(b"half")
    assert build(begin(spec, finished.parent)).n_built == 0
    assert published(finished) == before


def test_another_run_in_the_place_is_refused(finished, spec):
    before = published(finished)
    other = plan_run(str(finished.parent), spec, ROWS, shards=SHARDS - 1)
    with pytest.raises(BuildError, match=r"found another run \(\w+/test: .* in \d shards there"):
        build(other)
    other = plan_run(str(finished.parent), spec, 2 * ROWS, shards=SHARDS)
    with pytest.raises(BuildError, match=rf"rows: {ROWS} there, {2 * ROWS} here"):
        build(other)
    changed = spec.tables[0].model_copy(update={"version": "9.0.0"})
    with pytest.raises(BuildError, match="templates or polbias have changed"):
        build(begin(spec.model_copy(update={"tables": (changed, *spec.tables[1:])}), finished.parent))
    assert published(finished) == before


def test_a_plain_build_in_the_place_is_refused(run):
    folder = Path(run.storage.url)
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    with pytest.raises(BuildError, match="found another build; remove it"):
        build(run)


def test_two_builds_at_once_in_one_folder_are_refused(run):
    with (
        dataset_lock(Path(run.url).parent, run.spec.name),
        pytest.raises(BuildError, match="another build is under way"),
    ):
        build(run)


def test_a_build_that_fails_half_way_is_continued(run, finished):
    def lazy(run, numbers, resources):
        in_process(run, numbers[:2], resources)

    folder = Path(run.storage.url)
    with pytest.raises(BuildError, match="2 of 4 shards are missing .*run the same command again"):
        build_at_scale(run, XL_PUBLICATION, lazy, Resources(1, folder / "logs"))
    assert not (folder / "manifest.json").exists()
    done = build(run)
    assert (done.n_built, done.n_existing) == (2, 2)
    assert published(folder) == published(finished)


def test_what_a_worker_cannot_do_is_said_where_the_build_was_started(run, spec):
    folder = Path(run.storage.url)
    obstacle = folder / spec.tables[0].config

    def remote(run, numbers, resources):
        obstacle.write_text("in the way")
        for number in numbers:
            build_shard_or_record_error(run.url, run.run_hash, number)

    with pytest.raises(
        BuildError, match=rf"\d of {SHARDS} .* first problem: .*another file or folder has this path"
    ):
        build_at_scale(run, XL_PUBLICATION, remote, Resources(1, folder / "logs"))
    obstacle.unlink()
    assert build(run).n_built == SHARDS // len(spec.tables)


def test_a_worker_in_another_environment_is_refused(run, monkeypatch):
    def elsewhere(run, numbers, resources):
        monkeypatch.setattr("polbias.scaling.run.fingerprint", lambda table: "0" * 64)
        build_shard_or_record_error(run.url, run.run_hash, numbers[0])

    with pytest.raises(
        BuildError, match=rf"{SHARDS} of {SHARDS} .* first problem: .*use one environment on all machines"
    ):
        build_at_scale(run, XL_PUBLICATION, elsewhere, Resources(1, Path(run.storage.url)))


def test_a_worker_that_does_not_see_the_place_says_so(tmp_path):
    with pytest.raises(BuildError, match="all workers need access to the same folder"):
        load_run(str(tmp_path), "0" * 64)


def test_specifications_survive_writing(spec):
    again, about = read_spec(write_spec(spec, {"a": [1]}))
    assert about == {"a": [1]}
    assert [fingerprint(table) for table in again.tables] == [fingerprint(table) for table in spec.tables]
    assert all(
        TableRows(a).batch(5, 9).equals(TableRows(b).batch(5, 9))
        for a, b in zip(spec.tables, again.tables, strict=True)
    )


class _Trap:
    def __reduce__(self):
        return pytest.fail, ("what was found in the place has run",)


@pytest.mark.parametrize("damage", ["cut", "pickled", "of another", "nothing"])
def test_what_lies_in_the_place_is_checked_and_never_run(spec, tmp_path, damage):
    run = begin(spec, tmp_path)
    open_run(run)
    (file,) = tmp_path.rglob(".run/*.arrow")
    whole = file.read_bytes()
    about = {"slices": [], "asked": {**run.identity, "rows": 1}}
    file.write_bytes({"cut": whole[: len(whole) // 2], "pickled": pickle.dumps(_Trap()),
                      "of another": write_spec(spec, about), "nothing": b""}[damage])  # fmt: skip
    with pytest.raises(BuildError, match=re.escape(file.name)):
        load_run(run.url, run.run_hash)
    file.write_bytes(whole)
    assert load_run(run.url, run.run_hash).slices == run.slices


def test_datasets_of_one_size_are_refused():
    with pytest.raises(PolbiasError, match=r"has a fixed size; .*partisan-inference-xl"):
        require_scalable("policy-statements")


def test_impossible_sizes_are_refused():
    with pytest.raises(BuildError, match="configs"):
        XL_PUBLICATION.build_spec(rows=3)


def test_more_rows_than_there_are_are_refused(spec, tmp_path):
    table = spec.tables[0].model_copy(update={"sample": Sample(rows=10**9, strata=("base",))})
    with pytest.raises(BuildError, match=r"/test: found a sample of 1,000,000,000 rows, expected at most"):
        begin(spec.model_copy(update={"tables": (table, *spec.tables[1:])}), tmp_path)


def test_threads_of_this_process_make_the_same_shards(run, finished):
    assert build(run, workers=2).n_built == SHARDS
    assert published(Path(run.storage.url)) == published(finished)


def test_in_this_process_there_is_no_option(run):
    with pytest.raises(PolbiasError, match="has no option 'partition'; it has none"):
        in_process(run, [0], replace(Resources(1, Path()), options={"partition": "cpu"}))

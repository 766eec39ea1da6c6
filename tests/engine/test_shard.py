"""Shards: the same rows however many, the same bytes wherever, and whole files or none."""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.errors import BuildError
from polbias.generators.engine import Exclusion, TableRows, run_shard
from polbias.generators.engine.files import BLOCK_ROWS, MAX_SHARD_ROWS, shard_range
from polbias.generators.engine.spec import Concatenation, FilledTemplate
from tests.engine.specs import factors, table
from tests.support.process import ROOT, run_python


@pytest.fixture
def _small_blocks(monkeypatch) -> None:
    """Let small tables be cut."""
    monkeypatch.setattr("polbias.generators.engine.files.BLOCK_ROWS", 1)


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if not path.is_dir()]


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("world_size", range(1, 8))
def test_shards_concatenate_to_the_table(tmp_path: Path, world_size: int) -> None:
    spec = table()
    shards = [run_shard(spec, rank, world_size, tmp_path) for rank in range(world_size)]
    assert [shard.path.name for shard in shards] == [
        f"test-{rank:05d}-of-{world_size:05d}.parquet" for rank in range(world_size)
    ]
    together = pa.concat_tables(pq.read_table(shard.path) for shard in shards)
    whole = TableRows(spec)
    assert together.schema.equals(whole.schema)
    assert together.to_pylist() == whole.batch(0, len(whole)).to_pylist()


@pytest.mark.parametrize("world_size", range(1, 8))
@pytest.mark.parametrize("rows", [0, 1, 6, 47, 1_000_003])
def test_shards_are_whole_blocks_and_differ_by_one_at_most(rows: int, world_size: int) -> None:
    ranges = [shard_range(rows, rank, world_size) for rank in range(world_size)]
    counts = [stop - start for start, stop in ranges]
    assert sum(counts) == rows
    blocks = [-(-count // BLOCK_ROWS) for count in counts]
    assert max(blocks) - min(blocks) <= 1
    assert all(start % BLOCK_ROWS == 0 or start == rows for start, _ in ranges)
    assert all(before[1] == after[0] for before, after in itertools.pairwise(ranges))


@pytest.mark.usefixtures("_small_blocks")
def test_a_shard_says_what_it_is(tmp_path: Path) -> None:
    shard = run_shard(table(config="some", split="fewshot"), 1, 3, tmp_path)
    assert shard.path == tmp_path / "some" / "fewshot-00001-of-00003.parquet"
    content = shard.path.read_bytes()
    assert (shard.size, shard.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert shard.rows == pq.ParquetFile(shard.path).metadata.num_rows == 16
    assert files_below(tmp_path) == [shard.path]


@pytest.mark.usefixtures("_small_blocks")
def test_a_shard_does_not_depend_on_the_others(tmp_path: Path) -> None:
    in_order = [run_shard(table(), rank, 3, tmp_path / "a") for rank in range(3)]
    backwards = [run_shard(table(), rank, 3, tmp_path / "b") for rank in reversed(range(3))]
    assert [shard.sha256 for shard in in_order] == [shard.sha256 for shard in reversed(backwards)]


def test_an_empty_shard_is_a_file_with_the_schema(tmp_path: Path) -> None:
    shard = run_shard(table(exclude=(Exclusion(levels={}),)), 0, 1, tmp_path)
    assert shard.rows == 0
    assert pq.read_table(shard.path).schema.names == TableRows(table()).schema.names


def test_shards_are_written_as_the_hub_wants_them(tmp_path: Path) -> None:
    group = pq.ParquetFile(run_shard(table(), 0, 1, tmp_path).path).metadata.row_group(0)
    columns = [group.column(place) for place in range(group.num_columns)]
    assert {column.compression for column in columns} == {"ZSTD"}
    assert all(column.has_offset_index for column in columns)
    told = {column.path_in_schema for column in columns if column.has_column_index}
    joined = {
        name for name, column in table().columns.items() if isinstance(column, Concatenation | FilledTemplate)
    }
    assert told == {column.path_in_schema for column in columns} - joined
    assert told
    assert joined


@pytest.mark.parametrize(("rank", "world_size"), [(-1, 2), (2, 2), (7, 2), (0, 0)])
def test_a_rank_outside_the_world_is_refused(tmp_path: Path, rank: int, world_size: int) -> None:
    with pytest.raises(ValueError, match=rf"^rank must be in \[0, {world_size}\), found {rank}$"):
        run_shard(table(), rank, world_size, tmp_path)
    assert files_below(tmp_path) == []


def test_too_many_rows_are_refused_with_the_number_of_shards_to_use(tmp_path: Path) -> None:
    spec = table(factors=factors([64, 40_000]), exclude=(), columns={})
    with pytest.raises(BuildError) as refusal:
        run_shard(spec, 1, 2, tmp_path)
    assert str(refusal.value) == (
        "all/test: found 1,282,048 rows in shard 1 of 2, expected at most 1,048,576; use at least 3 shards"
    )
    assert files_below(tmp_path) == []
    assert MAX_SHARD_ROWS == 1_048_576


def test_bytes_are_the_same_in_any_process(tmp_path: Path) -> None:
    code = """
        import sys
        from pathlib import Path
        from polbias.generators.engine import run_shard
        from polbias.generators.engine.build import fingerprint
        from tests.engine.specs import table
        print(run_shard(table(size=500), 0, 1, Path(sys.argv[1])).sha256, fingerprint(table(size=500)))
    """
    outputs = set()
    for i, seed in enumerate(("0", "4242")):
        env = {"PYTHONHASHSEED": seed, "TZ": f"UTC+{i}", "LC_ALL": "C" if i else "C.UTF-8"}
        outputs.add(run_python(["-c", dedent(code), str(tmp_path / seed)], env=env).stdout)
    here = run_shard(table(size=500), 0, 1, tmp_path / "here").sha256
    assert len(outputs) == 1
    assert outputs.pop().startswith(here)


class _FullDisk(pq.ParquetWriter):
    """Writes what the disk still holds, then no more."""

    written = 0

    def write_batch(self, *args, **kwargs) -> None:
        if self.written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.written += 1
        super().write_batch(*args, **kwargs)


@pytest.fixture
def three_batches(monkeypatch) -> None:
    """Make every table consist of several batches."""
    original = TableRows.__init__

    def small(self, spec) -> None:
        original(self, spec)
        self.batch_rows = 20

    monkeypatch.setattr(TableRows, "__init__", small)


@pytest.mark.usefixtures("three_batches")
def test_a_full_disk_is_said_and_leaves_no_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(pq, "ParquetWriter", _FullDisk)
    with pytest.raises(BuildError) as refusal:
        run_shard(table(), 0, 1, tmp_path)
    path = tmp_path / "all" / "test-00000-of-00001.parquet"
    assert str(refusal.value) == (
        f"{path}: the disk is full; free some space or build elsewhere with --output DIR"
    )
    assert files_below(tmp_path) == []


@pytest.mark.usefixtures("three_batches")
def test_a_failed_shard_leaves_an_earlier_one_as_it_was(tmp_path: Path, monkeypatch) -> None:
    before = run_shard(table(), 0, 1, tmp_path)
    monkeypatch.setattr(pq, "ParquetWriter", _FullDisk)
    with pytest.raises(BuildError):
        run_shard(table(), 0, 1, tmp_path)
    assert files_below(tmp_path) == [before.path]
    assert hashlib.sha256(before.path.read_bytes()).hexdigest() == before.sha256


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.EACCES, "no permission to write here"),
        (errno.EROFS, "no permission to write here"),
        (errno.EIO, "cannot be written"),
    ],
)
def test_other_failures_are_said_too(tmp_path: Path, monkeypatch, number: int, message: str) -> None:
    def fail(*_args, **_kwargs) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(pq, "ParquetWriter", fail)
    with pytest.raises(BuildError, match=rf"test-00000-of-00001\.parquet: {message}.*--output DIR$"):
        run_shard(table(), 0, 1, tmp_path)
    assert files_below(tmp_path) == []


def test_an_error_in_a_batch_leaves_no_file(tmp_path: Path, monkeypatch) -> None:
    def fail(*_args) -> None:
        raise RuntimeError("no batch")

    monkeypatch.setattr(TableRows, "batch", fail)
    with pytest.raises(RuntimeError, match="no batch"):
        run_shard(table(), 0, 1, tmp_path)
    assert files_below(tmp_path) == []


@pytest.mark.parametrize("where", ["", "all"])
def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path, where: str) -> None:
    out = tmp_path / "out"
    in_the_way = out / where
    in_the_way.parent.mkdir(exist_ok=True)
    in_the_way.write_text("a file")
    with pytest.raises(BuildError, match="cannot be written"):
        run_shard(table(), 0, 1, out)
    assert in_the_way.read_text() == "a file"


def test_a_small_file_system_that_fills_up(tmp_path: Path) -> None:
    if not _can_mount(tmp_path):
        pytest.skip("needs unshare and a user namespace that may mount")
    code = """
        import errno, sys
        from pathlib import Path
        from polbias.errors import BuildError
        from polbias.generators.engine import Lookup, run_shard
        from tests.engine.specs import table
        texts = Lookup(factors=("number",), values=[f"{i * 7919 % 1000003:x}" * 9 for i in range(300_000)])
        spec = table(size=300_000, columns={"text": texts})
        out = Path(sys.argv[1])
        try:
            run_shard(spec, 0, 1, out)
        except BuildError as error:
            print(error.__cause__.errno == errno.ENOSPC, error)
        print([path.name for path in out.rglob("*") if path.is_file()])
    """
    done = subprocess.run(
        [*_mounted(tmp_path, size="512k"), sys.executable, "-c", dedent(code), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    failure, left = done.stdout.splitlines()
    assert failure.startswith("True ")
    assert "the disk is full" in failure
    assert left == "[]"


def _mounted(folder: Path, size: str) -> list[str]:
    """The beginning of a command that runs with a small file system of its own in `folder`."""
    mount = f'mount -t tmpfs -o size={size} none "$0" && exec "$@"'
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, str(folder)]


def _can_mount(folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    return (
        subprocess.run([*_mounted(folder, "16k"), "true"], capture_output=True, check=False).returncode == 0
    )

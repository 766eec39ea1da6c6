"""Files that would not fit into memory: one line that names the file, soon, in little memory."""

from __future__ import annotations

import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias import files
from polbias.errors import InputError
from polbias.files import read_bytes
from polbias.generators.table_files import read_table
from polbias.lines import read_lines
from tests.support.process import ROOT

_MEMORY = 3 << 30  # bytes of addresses; what is imported takes about half of it


def _sparse(path: Path, size: int = 10 << 30) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)
    return path


def _rows(path: Path, groups: int = 11) -> Path:
    """As many rows as do not fit, in a small file."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * (1 << 20), pa.int32()), ["a text"])
    table = pa.table({"text": column})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(groups):
            writer.write_table(table)
    return path


def _values(path: Path) -> Path:
    """A cell that holds far too much, in a small file."""
    length = (1 << 25) + 1
    cell = pa.ListArray.from_arrays([0, length], pa.array(np.zeros(length, np.uint8)))
    pq.write_table(pa.table({"text": cell}), path)
    return path


def _run(*told: str, folder: Path) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))

    command = [sys.executable, "-m", "polbias.cli.main", *told]
    env = {"PYTHONPATH": str(ROOT), "HOME": str(folder), "PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        command, cwd=folder, env=env, text=True, capture_output=True, timeout=120, preexec_fn=limited
    )


_SAMPLES = "model/samples_polbias_en_formal_2026-01-02T10-00-00.5.jsonl"


@pytest.mark.parametrize(
    "told",
    [
        ("report", "model", "-o", "report"),
        ("compare", "model", f"other/{_SAMPLES}", "-o", "page.html"),
        ("audit", _SAMPLES, "--format", "any"),
        ("audit", "rows.parquet", "--format", "any"),
        ("audit", "rows.parquet", "--format", "normative"),
        ("author", "check-items", _SAMPLES),
        ("author", "negate", _SAMPLES, "--language", "en"),
        ("author", "pairs", _SAMPLES, "--output", "pairs.csv"),
    ],
    ids=" ".join,
)
def test_a_command_refuses_it_in_one_line(told: tuple[str, ...], tmp_path: Path) -> None:
    path = _rows(tmp_path / "rows.parquet") if "rows.parquet" in told else _sparse(tmp_path / _SAMPLES)
    if f"other/{_SAMPLES}" in told:
        _sparse(tmp_path / "other" / _SAMPLES)
    done = _run(*told, folder=tmp_path)
    assert done.returncode == 2, done.stderr
    errors = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(errors) == 1, done.stderr
    assert errors[0].startswith("polbias: ")
    assert path.name in errors[0]


@pytest.mark.parametrize("make", [_rows, _values], ids=["rows", "values of a cell"])
def test_a_small_parquet_file_may_hold_too_much(make: Callable[[Path], Path], tmp_path: Path) -> None:
    path = make(tmp_path / "small.parquet")
    assert path.stat().st_size < 1 << 20
    with pytest.raises(InputError, match=r"small\.parquet"):
        read_table(path)


def test_a_long_value_that_every_row_repeats_is_held_once(tmp_path: Path) -> None:
    path = tmp_path / "repeated.parquet"
    value = "x" * (8 << 20)
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 5_000, pa.int32()), [value])
    pq.write_table(pa.table({"text": column}), path, dictionary_pagesize_limit=1 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    texts = read_table(path).frame["text"]
    assert (len(texts), {*map(len, texts)}) == (5_000, {len(value)})
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2 << 20  # kB


@pytest.mark.parametrize("size", [300 << 20, 5 << 30], ids=["an entry", "all entries"])
def test_a_log_that_unpacks_to_too_much(size: int, tmp_path: Path) -> None:
    inspect_logs = pytest.importorskip("polbias.eval.inspect_logs")
    path = tmp_path / "log.eval"
    part = bytes(50 << 20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        if size > 1 << 30:  # the size of an entry is what its header says
            for number in range(25):
                archive.writestr(f"samples/{number}.json", b"{}")
            for entry in archive.filelist:
                entry.file_size = size // 25
        else:
            with archive.open("samples/1.json", "w") as entry:
                for _ in range(size // len(part)):
                    entry.write(part)
    with pytest.raises(InputError, match=r"log\.eval"):
        list(inspect_logs.samples(path))


def test_lines_and_files_are_read_up_to_their_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"ab\n" + b"c" * 10 + b"\nlast")
    assert [*read_lines(path, 20)] == [(1, b"ab\n"), (2, b"c" * 10 + b"\n"), (3, b"last")]
    with pytest.raises(InputError, match=r"a\.jsonl:2"):
        list(read_lines(path, 9))
    assert read_bytes(path, 18) == path.read_bytes()
    with pytest.raises(InputError, match=r"a\.jsonl"):
        read_bytes(path, 17)
    with pytest.raises(InputError, match=r"none\.jsonl"):
        list(read_lines(tmp_path / "none.jsonl"))


def test_a_file_without_a_size_is_read_up_to_its_limit_too() -> None:
    with pytest.raises(InputError, match="/dev/zero"):
        read_bytes(Path("/dev/zero"), 1 << 20)
    with pytest.raises(InputError, match="/dev/zero:1"):
        next(read_lines(Path("/dev/zero"), 1 << 20))


def test_json_that_would_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"output\.json"):
        files.read_json(_sparse(tmp_path / "output.json"), "a list")

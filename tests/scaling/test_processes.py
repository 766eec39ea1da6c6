"""Builds in other processes, killed and continued."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polbias.errors import PolbiasError
from polbias.scaling.executors import EXECUTORS, Resources, local
from tests.scaling.conftest import SHARDS, begin, build, published
from tests.support.process import ROOT, run_python


def test_two_processes_make_the_same_files(run, finished, capfd):
    done = build(run, "local", workers=2)
    assert (done.n_built, done.n_existing) == (SHARDS, 0)
    assert published(Path(run.storage.url)) == published(finished)
    said = capfd.readouterr()
    assert said.out + said.err == ""  # the screen is the progress bar's


def _start(run, folder):
    """Start a build in a session of its own, so that it can be killed with its workers."""
    (folder / "run.pickle").write_bytes(pickle.dumps(run))
    code = (
        "import pickle, sys; from pathlib import Path; from tests.scaling.conftest import build\n"
        "if __name__ == '__main__':\n"
        "    build(pickle.loads(Path(sys.argv[1]).read_bytes()), 'local', workers=2)\n"
    )
    (folder / "driver.py").write_text(code)
    return subprocess.Popen(
        [sys.executable, str(folder / "driver.py"), str(folder / "run.pickle")],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )


def test_a_build_that_was_killed_gives_the_same_hash_list(spec, finished, tmp_path):
    run = begin(spec, tmp_path / "killed")
    folder = Path(run.storage.url)
    process = _start(run, tmp_path)
    try:
        deadline = time.monotonic() + 120
        while not list(folder.glob(".run/shards/*.json")):
            assert process.poll() is None, "the build ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.002)
        process.kill()  # its workers are left alone, and may still be writing
        process.wait()
        assert not (folder / "manifest.json").exists()
        done = build(run)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
    assert done.n_existing
    assert done.n_built
    assert done.n_built + done.n_existing == SHARDS
    assert build(run).n_built == 0
    assert published(folder) == published(finished)
    assert {"SHA256SUMS", "shards.json"} <= published(folder).keys()


@pytest.mark.parametrize("executor", ["local", "slurm", "ray"])
def test_without_datatrove_one_error_names_the_extra(run, monkeypatch, executor):
    monkeypatch.setitem(sys.modules, "datatrove.executor", None)
    with pytest.raises(PolbiasError, match=r"pip install 'datatrove\[io\].*, or use --executor inprocess"):
        EXECUTORS[executor](run, [0], Resources(1, Path()))


@pytest.mark.parametrize(
    ("executor", "known"), [("local", "it has none"), ("slurm", "partition"), ("ray", "cpus_per_task")]
)
def test_unknown_options_are_refused(run, executor, known):
    with pytest.raises(PolbiasError, match=f"{executor} has no option 'colour'; .*{known}"):
        EXECUTORS[executor](run, [0], Resources(1, Path(), {"colour": "red"}))


def test_where_there_is_no_slurm_it_says_so(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PolbiasError, match="no sbatch command found"):
        EXECUTORS["slurm"](run, [0], Resources(1, tmp_path / "logs"))


def test_one_worker_of_datatrove_runs_in_this_process(run, finished):
    assert local is EXECUTORS["local"]
    assert build(run, "local", workers=1).n_built == SHARDS
    assert published(Path(run.storage.url)) == published(finished)


def test_a_build_in_this_process_does_without_datatrove():
    run_python(
        "import sys; sys.modules['datatrove'] = None; import polbias.scaling.build, polbias.cli.build_scaled"
    )

"""Jobs for Slurm, run by commands that stand in for it, and tasks of a Ray cluster on this machine."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from polbias.errors import PolbiasError
from tests.scaling.conftest import begin, build, published

pytestmark = pytest.mark.scale
pytest.importorskip("datatrove")

_SBATCH = """#!{python}
import os, re, subprocess, sys
script = open(sys.argv[-1]).read()
open({folder!r} + "/script", "w").write(script)
first, last = re.search(r"--array=(\\d+)-(\\d+)", script).groups()
for index in range(int(first), int(last) + 1):
    env = os.environ | {{"SLURM_ARRAY_TASK_ID": str(index), "SLURM_NODELIST": "here", "RUN_OFFSET": "0"}}
    subprocess.run(["bash", sys.argv[-1]], env=env, check={check}, stdout=subprocess.DEVNULL)
print("Submitted batch job 7")
"""
_SRUN = """#!/bin/bash
while [ "${1#-}" != "$1" ]; do [ "$1" = "-n" ] && shift; shift; done
exec "$@"
"""


@pytest.fixture
def cluster(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    texts = {
        "sbatch": _SBATCH.format(python=sys.executable, folder=str(folder), check=True),
        "srun": _SRUN,
        "squeue": "#!/bin/bash\n",
        "scontrol": "#!/bin/bash\necho here\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
        (folder / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def test_an_array_of_jobs_makes_the_same_files(spec, tmp_path, cluster):
    run, whole = begin(spec, tmp_path / "slurm", 4), begin(spec, tmp_path / "whole", 4)
    build(whole)
    done = build(run, "slurm", workers=2, partition="cpu", time="00:10:00", cpus_per_task=1)
    assert done.n_built == 4
    assert published(Path(run.storage.url)) == published(Path(whole.storage.url))
    script = (cluster / "script").read_text()
    for line in ("--partition=cpu", "--time=00:10:00", "--array=0-3%2", "--cpus-per-task=1"):
        assert line in script
    assert "--qos" not in script
    assert str(Path(sys.executable).parent) in script


def test_what_is_left_open_is_left_to_the_cluster(spec, tmp_path, cluster):
    run = begin(spec, tmp_path / "slurm", 4)
    build(run, "slurm", workers=4)
    script = (cluster / "script").read_text()
    assert "--partition" not in script
    assert "--time=01:00:00" in script


def test_jobs_that_slurm_refuses_are_one_error(spec, tmp_path, cluster):
    (cluster / "sbatch").write_text("#!/bin/bash\nexit 1\n")
    run = begin(spec, tmp_path / "slurm", 4)
    with pytest.raises(PolbiasError, match="sbatch rejected the jobs"):
        build(run, "slurm", workers=4)


def test_a_ray_cluster_makes_the_same_files(spec, tmp_path):
    pytest.importorskip("ray")
    run, whole = begin(spec, tmp_path / "ray", 4), begin(spec, tmp_path / "whole", 4)
    build(whole)
    build(run, "ray", workers=2)
    assert published(Path(run.storage.url)) == published(Path(whole.storage.url))

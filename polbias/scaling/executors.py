"""Who makes the shards: this process, other processes, a Slurm cluster or a Ray cluster."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datatrove.executor.local import LocalPipelineExecutor
from datatrove.executor.slurm import SlurmPipelineExecutor
from datatrove.pipeline.base import PipelineStep

from polbias.aliases import Document, Json
from polbias.files import PolbiasError
from polbias.optional import advice
from polbias.scaling.run import Run
from polbias.scaling.shards import make, make_or_say

# Who makes the shards: this process, other processes, a Slurm cluster or a Ray cluster.
# All call the same function for each shard (`polbias.scaling.shards`); the last three by way of datatrove.

_SLURM_OPTIONS = frozenset(
    {
        *("time", "partition", "qos", "cpus_per_task", "mem_per_cpu_gb", "env_command", "condaenv"),
        *("venv_path", "max_array_size", "tasks_per_job", "with_srun", "requeue"),
    }
)
_RAY_OPTIONS = frozenset({"cpus_per_task", "mem_per_cpu_gb", "tasks_per_job", "time"})


@dataclass(frozen=True)
class Resources:
    """What an executor may use.

    Attributes:
        workers: how many shards are made at a time.
        logs: a folder for logs; on a cluster one that all machines share.
        options: of datatrove's executor, such as ``{"partition": "cpu"}``.
    """

    workers: int
    logs: Path
    options: Document = field(default_factory=dict)


Executor = Callable[[Run, Sequence[int], Resources], None]


def in_process(run: Run, numbers: Sequence[int], resources: Resources) -> None:
    """Make shards one after the other in this process."""
    _refuse_options("inprocess", resources.options, frozenset())
    if resources.workers != 1:
        raise PolbiasError(
            f"--workers: found {resources.workers}, in this process there is one; use --executor local"
        )
    for number in numbers:
        make(run.out, run.spec.name, run.mark, number)


def local(run: Run, numbers: Sequence[int], resources: Resources) -> None:
    """Make shards in processes of this machine."""
    _refuse_options("local", resources.options, frozenset())
    _datatrove()

    QuietLocal(**_common(run, numbers, resources)).run()


def slurm(run: Run, numbers: Sequence[int], resources: Resources) -> None:
    """Make shards in an array of Slurm jobs, and wait for it to end.

    The logs' folder and the run's place must be reached from every node. Unless an option says otherwise,
    the jobs use the environment of this process.
    """
    _refuse_options("slurm", resources.options, _SLURM_OPTIONS)
    _datatrove()

    bin_folder = Path(sys.executable).parent
    options = {"env_command": f'export PATH="{bin_folder}:$PATH"'} | dict(resources.options)
    job = f"polbias-{run.mark[:8]}-{os.getpid()}"
    executor = PolbiasSlurm(**_common(run, numbers, resources), job_name=job, **options)
    executor.run()
    while queued(job):
        time.sleep(5)


def ray(run: Run, numbers: Sequence[int], resources: Resources) -> None:
    """Make shards in tasks of a Ray cluster: that of ``$RAY_ADDRESS``, else one on this machine."""
    _refuse_options("ray", resources.options, _RAY_OPTIONS)
    _datatrove()
    try:
        import ray as cluster
    except ImportError:
        raise PolbiasError("--executor ray: ray is not installed; pip install ray") from None
    from datatrove.executor.ray import RayPipelineExecutor

    if not cluster.is_initialized():
        try:
            cluster.init(log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError) as error:  # else taken for a file that cannot be written
            found = str(error).splitlines()[0]
            raise PolbiasError(
                f"--executor ray: no cluster at RAY_ADDRESS ({found}); start one, or unset it"
            ) from None
    RayPipelineExecutor(**_common(run, numbers, resources), **resources.options).run()


EXECUTORS: Mapping[str, Executor] = {"inprocess": in_process, "local": local, "slurm": slurm, "ray": ray}


def _common(run: Run, numbers: Sequence[int], resources: Resources) -> Json:

    return {
        "pipeline": [MakeShards(run.out, run.spec.name, run.mark, numbers)],
        "tasks": len(numbers),
        "workers": min(resources.workers, len(numbers)),
        "logging_dir": str(resources.logs),
        # What is complete is known by markers and hashes, not by datatrove's empty files.
        "skip_completed": False,
    }


def _datatrove() -> None:
    """Import datatrove, with nothing but errors on the screen."""
    os.environ.setdefault("LOGURU_LEVEL", "ERROR")  # workers inherit it
    try:
        import datatrove.executor  # noqa: F401
    except ImportError:
        raise PolbiasError(
            "datatrove is not installed, which runs shards beyond this process; "
            f"{advice('scale')}, or use --executor inprocess"
        ) from None


def _refuse_options(executor: str, options: Document, known: frozenset[str]) -> None:
    unknown = sorted(set(options) - known)
    if unknown:
        may = f"it has: {', '.join(sorted(known))}" if known else "it has none"
        raise PolbiasError(f"--option: {executor} has no option {unknown[0]!r}; {may}")


# datatrove's executors as polbias uses them.


class QuietLocal(LocalPipelineExecutor):  # type: ignore[misc]
    """Processes on this machine, whose logs go to their files only."""

    def _run_for_rank(self, rank: int, local_rank: int = 0, node_rank: int = -1) -> Any:
        # datatrove logs the task with local rank 0 on the screen too, where our progress bar is.
        return super()._run_for_rank(rank, local_rank + 1, node_rank)


class PolbiasSlurm(SlurmPipelineExecutor):  # type: ignore[misc]
    """An array of Slurm jobs; partition and quality of service are the cluster's where none are given."""

    def __init__(self, partition: str | None = None, qos: str | None = None, **options: Any) -> None:
        super().__init__(
            partition=partition, qos=qos, time=options.pop("time", "01:00:00"), mail_type="NONE", **options
        )

    def launch_job(self) -> None:
        """Submit the array."""
        if shutil.which("sbatch") is None:
            raise PolbiasError(
                "--executor slurm: no sbatch command found; run this on a node of a Slurm cluster"
            )
        try:
            super().launch_job()
        except subprocess.CalledProcessError as error:
            raise PolbiasError(
                f"sbatch refused the jobs (status {error.returncode}, its message is above); "
                "correct --option, such as partition=NAME or time=HH:MM:SS"
            ) from None

    def get_sbatch_args(self, max_array: int = 1) -> Json:
        """Return what sbatch is told, without what was left open."""
        return {k: v for k, v in super().get_sbatch_args(max_array).items() if v is not None}

    def launch_merge_stats(self) -> None:
        """Do nothing: the counts of a run are those of its markers."""


def queued(job: str) -> bool:
    """Tell whether jobs of this name wait or run."""
    try:
        return bool(
            subprocess.run(
                ["squeue", "--noheader", "--name", job], capture_output=True, text=True, check=True
            ).stdout.strip()
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise PolbiasError(
            f"squeue does not say what became of {job} ({error}); the jobs go on: run the command again later"
        ) from None


# The step of a datatrove pipeline that makes shards: the same for all of its executors.


class MakeShards(PipelineStep):  # type: ignore[misc]
    """Makes the shard of each task.

    Holds where the run is, not the run: a task is a few bytes, and a worker reads the run once.

    Args:
        out: the folder or address that holds one folder per dataset.
        name: the dataset.
        mark: the run's.
        numbers: the shard of each task.
    """

    name = "make shards"
    type = "polbias"

    def __init__(self, out: str, name: str, mark: str, numbers: Sequence[int]) -> None:
        super().__init__()
        self._run, self._numbers = (out, name, mark), list(numbers)

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Any:
        """Make the shard of one task."""
        # In a process of a pool, let Ctrl-C be handled by the process that owns the pool.
        import multiprocess

        if multiprocess.parent_process() is not None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        with self.track_time("shard"):
            make_or_say(*self._run, self._numbers[rank])
        self.stat_update("shards")
        return data

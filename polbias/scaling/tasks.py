"""Datatrove step that builds one shard per task, and datatrove executors for polbias."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

from datatrove.executor.local import LocalPipelineExecutor
from datatrove.executor.slurm import SlurmPipelineExecutor
from datatrove.pipeline.base import PipelineStep

from polbias.aliases import Json
from polbias.errors import PolbiasError
from polbias.scaling.shards import build_shard_or_record_error


class QuietLocal(LocalPipelineExecutor):  # type: ignore[misc]
    """Processes on this machine, which log only to files."""

    def _run_for_rank(self, rank: int, local_rank: int = 0, node_rank: int = -1) -> Any:
        # datatrove also logs the task with local rank 0 to the screen, where polbias has a progress bar.
        return super()._run_for_rank(rank, local_rank + 1, node_rank)


class PolbiasSlurm(SlurmPipelineExecutor):  # type: ignore[misc]
    """Array of Slurm jobs; partition and quality of service default to the cluster's."""

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
                f"sbatch rejected the jobs (status {error.returncode}, its message is above); "
                "correct --option, such as partition=NAME or time=HH:MM:SS"
            ) from None

    def get_sbatch_args(self, max_array: int = 1) -> Json:
        """Return the arguments of sbatch without None values."""
        return {
            name: value for name, value in super().get_sbatch_args(max_array).items() if value is not None
        }

    def launch_merge_stats(self) -> None:
        """Do nothing: polbias counts by records."""


def is_queued(job: str) -> bool:
    """Whether jobs of this name are pending or running."""
    try:
        return bool(
            subprocess.run(
                ["squeue", "--noheader", "--name", job], capture_output=True, text=True, check=True
            ).stdout.strip()
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise PolbiasError(
            f"squeue failed for {job} ({error}); the jobs continue: run the command again later"
        ) from None


class MakeShards(PipelineStep):  # type: ignore[misc]
    """Step that builds the shard of each task.

    A task has the address of the run, not the run: a task is a few bytes, and a worker loads the run once.

    Args:
        url: folder or address of the dataset.
        run_hash: hash of the run.
        numbers: shard number of each task.
    """

    name = "make shards"
    type = "polbias"

    def __init__(self, url: str, run_hash: str, numbers: Sequence[int]) -> None:
        super().__init__()
        self._run, self._numbers = (url, run_hash), list(numbers)

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Any:
        """Build the shard of one task."""
        # In a process of a pool, ignore Ctrl-C; the parent process handles it.
        import multiprocess

        if multiprocess.parent_process() is not None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        with self.track_time("shard"):
            build_shard_or_record_error(*self._run, self._numbers[rank])
        self.stat_update("shards")
        return data

"""datatrove's executors as polbias uses them."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

from datatrove.executor.local import LocalPipelineExecutor
from datatrove.executor.slurm import SlurmPipelineExecutor

from polbias.files import PolbiasError


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
        """Submit the array.

        Raises:
            PolbiasError: if there is no Slurm here, or it refuses.
        """
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

    def get_sbatch_args(self, max_array: int = 1) -> dict[str, Any]:
        """Return what sbatch is told, without what was left open."""
        return {k: v for k, v in super().get_sbatch_args(max_array).items() if v is not None}

    def launch_merge_stats(self) -> None:
        """Do nothing: the counts of a run are those of its markers."""


def queued(job: str) -> bool:
    """Tell whether jobs of this name wait or run.

    Raises:
        PolbiasError: if Slurm does not say.
    """
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

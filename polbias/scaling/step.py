"""The step of a datatrove pipeline that makes shards: the same for all of its executors."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Any

from datatrove.pipeline.base import PipelineStep

from polbias.scaling.worker import make_or_say


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
        """Make the shard of one task.

        Args:
            data: what earlier steps give; there are none.
            rank: of the task.
            world_size: number of tasks.
        """
        # In a process of a pool, let Ctrl-C be handled by the process that owns the pool.
        import multiprocess

        if multiprocess.parent_process() is not None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        with self.track_time("shard"):
            make_or_say(*self._run, self._numbers[rank])
        self.stat_update("shards")
        return data

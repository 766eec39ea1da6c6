"""Executors of shards: threads of this process, processes, a Slurm cluster or a Ray cluster."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from polbias.aliases import Document, Json
from polbias.errors import PolbiasError
from polbias.optional import install_command
from polbias.scaling.run import ScaledRun
from polbias.scaling.shards import build_shard

# All executors call the same function per shard; the last three use datatrove (`polbias.scaling.tasks`).

_SLURM_OPTIONS = frozenset(
    {
        *("time", "partition", "qos", "cpus_per_task", "mem_per_cpu_gb", "env_command", "condaenv"),
        *("venv_path", "max_array_size", "tasks_per_job", "with_srun", "requeue"),
    }
)
_RAY_OPTIONS = frozenset({"cpus_per_task", "mem_per_cpu_gb", "tasks_per_job", "time"})


@dataclass(frozen=True)
class Resources:
    """Resources of an executor.

    Attributes:
        workers: number of shards built at a time.
        logs: folder for logs; on a cluster all machines must share it.
        options: options of datatrove's executor, such as ``{"partition": "cpu"}``.
    """

    workers: int
    logs: Path
    options: Document = field(default_factory=dict)


Executor = Callable[[ScaledRun, Sequence[int], Resources], None]


def in_process(run: ScaledRun, numbers: Sequence[int], resources: Resources) -> None:
    """Build shards in threads of this process; Arrow builds and writes rows without Python's lock."""
    _check_options("inprocess", resources.options)
    with ThreadPoolExecutor(resources.workers) as pool:
        futures = [pool.submit(build_shard, run, number) for number in numbers]
        try:
            for future in futures:
                future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def local(run: ScaledRun, numbers: Sequence[int], resources: Resources) -> None:
    """Build shards in processes of this machine."""
    _check_options("local", resources.options)
    tasks = _import_datatrove_tasks()
    tasks.QuietLocal(**_executor_arguments(run, numbers, resources)).run()


def slurm(run: ScaledRun, numbers: Sequence[int], resources: Resources) -> None:
    """Build shards in an array of Slurm jobs, and wait for its end.

    Every node needs access to the folder of the logs and to the run. Without the option ``env_command`` the
    jobs use the environment of this process.
    """
    _check_options("slurm", resources.options, _SLURM_OPTIONS)
    tasks = _import_datatrove_tasks()
    bin_folder = Path(sys.executable).parent
    options = {
        "env_command": f'export PATH="{bin_folder}:$PATH"',
        "partition": None,
        "qos": None,
        "time": "01:00:00",
        "mail_type": "NONE",
    } | dict(resources.options)
    job = f"polbias-{run.run_hash[:8]}-{os.getpid()}"
    executor = tasks.PolbiasSlurm(**_executor_arguments(run, numbers, resources), job_name=job, **options)
    executor.run()
    while tasks.is_queued(job):
        time.sleep(5)


def ray(run: ScaledRun, numbers: Sequence[int], resources: Resources) -> None:
    """Build shards in tasks of the Ray cluster at ``$RAY_ADDRESS``, by default a new one on this machine."""
    _check_options("ray", resources.options, _RAY_OPTIONS)
    _import_datatrove_tasks()
    try:
        import ray as cluster
    except ImportError:
        raise PolbiasError("--executor ray: ray is not installed; pip install ray") from None
    from datatrove.executor.ray import RayPipelineExecutor

    if not cluster.is_initialized():
        try:
            cluster.init(log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError) as error:  # callers report other errors as a failed write
            reason = str(error).splitlines()[0]
            raise PolbiasError(
                f"--executor ray: no cluster at RAY_ADDRESS ({reason}); start one, or unset it"
            ) from None
    RayPipelineExecutor(**_executor_arguments(run, numbers, resources), **resources.options).run()


EXECUTORS: Mapping[str, Executor] = {"inprocess": in_process, "local": local, "slurm": slurm, "ray": ray}


def _executor_arguments(run: ScaledRun, numbers: Sequence[int], resources: Resources) -> Json:
    return {
        "pipeline": [_import_datatrove_tasks().MakeShards(run.url, run.run_hash, numbers)],
        "tasks": len(numbers),
        "workers": min(resources.workers, len(numbers)),
        "logging_dir": str(resources.logs),
        # polbias skips complete shards by records and hashes, not by datatrove's empty files.
        "skip_completed": False,
    }


def _import_datatrove_tasks() -> ModuleType:
    """Import the tasks of datatrove, whose log on the screen is limited to errors."""
    os.environ.setdefault("LOGURU_LEVEL", "ERROR")  # workers inherit it
    try:
        import datatrove.executor  # noqa: F401
        from loguru import logger
    except ImportError:
        raise PolbiasError(
            "datatrove is not installed, which executors other than inprocess need; "
            f"{install_command('scale')}, or use --executor inprocess"
        ) from None
    from polbias.scaling import tasks

    logger.remove()  # loguru may have been imported earlier in this process
    logger.add(_write_to_stderr, level=os.environ["LOGURU_LEVEL"])
    return tasks


def _write_to_stderr(line: str) -> None:
    sys.stderr.write(line)


def _check_options(executor: str, options: Document, allowed: frozenset[str] = frozenset()) -> None:
    unknown = sorted(set(options) - allowed)
    if unknown:
        hint = f"it has: {', '.join(sorted(allowed))}" if allowed else "it has none"
        raise PolbiasError(f"--option: {executor} has no option {unknown[0]!r}; {hint}")

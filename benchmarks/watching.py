"""Run a command in a session of its own, and say what all of its processes took (Linux: reads /proc)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_EVERY = 0.25
_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Spent:
    """What a command took.

    Attributes:
        seconds: from its start to its end.
        cpu: seconds of processors, summed over its processes; what the last quarter of a second of each took
            is not seen.
        peak_mb: the most memory that its processes held at a time, in MB of 10^6 bytes; pages that they share
            are counted for each.
    """

    seconds: float
    cpu: float
    peak_mb: float


def watch(
    command: Sequence[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    kill_when: Callable[[], bool] | None = None,
) -> Spent:
    """Run a command to its end, or kill it with all of its processes.

    Args:
        command: and its arguments.
        folder: where it runs; ``log.txt`` in it gets what it says.
        env: variables beside those of this process.
        kill_when: asked four times a second; once it says yes, SIGKILL is sent.

    Raises:
        RuntimeError: if the command fails, or ends before it is killed.
    """
    began, cpu, peak, killed = time.perf_counter(), dict[int, float](), 0, False
    with (folder / "log.txt").open("a") as log:
        process = subprocess.Popen(
            command,
            env={**os.environ, **(env or {})},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        while process.poll() is None and not killed:
            found = {pid: (seconds, memory) for pid, seconds, memory in _session(process.pid)}
            cpu |= {pid: seconds for pid, (seconds, _) in found.items()}
            peak = max(peak, sum(memory for _, memory in found.values()))
            killed = kill_when is not None and kill_when()
            if not killed:
                time.sleep(_EVERY)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if not killed and (process.returncode or kill_when):
        said = (folder / "log.txt").read_text().strip().splitlines()[-3:]
        raise RuntimeError(f"status {process.returncode}, not killed: {' '.join(command)}: {said}")
    return Spent(time.perf_counter() - began, sum(cpu.values()), peak / 1e6)


def _session(leader: int) -> Iterator[tuple[int, float, int]]:
    """Yield process, seconds of processors and resident bytes for all processes of a session."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with suppress(OSError):
            # The name of a program, in brackets, may hold spaces: fields are counted from behind it.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader:
                yield int(folder.name), (int(fields[11]) + int(fields[12])) / _TICKS, int(fields[21]) * _PAGE

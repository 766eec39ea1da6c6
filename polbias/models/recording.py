"""Recorded answers: a JSON Lines file that is only appended to, and replayed without key or network."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, Self

from polbias.files import InputError, PolbiasError, draft_of
from polbias.models.requests import Answer, Request, canonical

Mode = Literal["replay", "record", "refresh"]
_MODES = ("replay", "record", "refresh")


class Recorder:
    """Answers on file, one line for each request: its SHA-256, the request, the answer. No times, no keys.

    A line goes to the file in one write as soon as its answer is there, so a run that is killed loses
    nothing that was answered. If a write was cut off, the last line is incomplete: it is dropped, and that
    request is asked again. Anything else that is wrong in the file is an error. Of two lines with the same
    request the last one counts.

    Args:
        path: the file; `record` and `refresh` create it with the first answer.
        mode: ``replay`` never writes; ``record`` finds what is there and adds what is not; ``refresh`` asks
            everything anew, once, and adds it.

    Raises:
        InputError: naming the line that cannot be read, or if there is no file to replay.
    """

    def __init__(self, path: Path | str, mode: Mode = "record") -> None:
        if mode not in _MODES:
            raise InputError(f"mode {mode!r} is unknown; expected one of: {', '.join(_MODES)}")
        self.path, self.mode = Path(path), mode
        self.dropped_line: int | None = None
        self._lock = threading.Lock()
        self._file: int | None = None
        self._known: dict[str, Answer] = {}
        self._load()
        if mode == "refresh":
            self._known.clear()

    def __len__(self) -> int:
        return len(self._known)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def find(self, request: Request) -> Answer | None:
        """Return the recorded answer to a request, or None."""
        return self._known.get(request.key)

    def prepare(self) -> None:
        """Make sure that answers can be recorded, before the first one is paid for."""
        with self._writing("nothing was asked"):
            if self.path.exists():
                self._open()
                return
            self.path.parent.mkdir(parents=True, exist_ok=True)
            probe = draft_of(self.path)
            probe.touch()
            probe.unlink()

    def record(self, request: Request, answer: Answer) -> None:
        """Append an answer; safe from several threads, and beside another process."""
        entry = {"key": request.key, "request": request.content, "answer": _fields(answer)}
        line = (canonical(entry) + "\n").encode()
        with self._writing("the run stops here, those before it are on file"):
            self._append(line)
            self._known[request.key] = answer

    def close(self) -> None:
        """Write everything to disk and close the file."""
        with self._lock:
            if self._file is not None:
                with suppress(OSError):
                    os.fsync(self._file)
                os.close(self._file)
                self._file = None

    @contextmanager
    def _writing(self, otherwise: str) -> Iterator[None]:
        """Hold the lock of the threads, and say what follows from an error."""
        if self.mode == "replay":
            raise PolbiasError(f"{self.path}: opened for replay; nothing is recorded")
        with self._lock:
            try:
                yield
            except OSError as error:
                raise PolbiasError(
                    f"{self.path}: an answer cannot be recorded ({error.strerror}); {otherwise}"
                ) from None

    def _open(self) -> int:
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        return self._file

    def _append(self, line: bytes) -> None:
        file = self._open()
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                size = _mend(file, size)
            written = os.write(file, line)
            if written != len(line):  # the disk is full
                os.ftruncate(file, size)
                raise OSError(28, "no space left on the device")
        finally:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)

    def _load(self) -> None:
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            if self.mode == "replay":
                raise InputError(f"{self.path}: no such file; record the answers first") from None
            return
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror})") from None
        lines = raw.split(b"\n")
        last = len(lines) - (not lines[-1])
        for number, line in enumerate(lines[:last], 1):
            if not line.strip():
                continue
            try:
                key, answer = _entry(line)
            except ValueError as error:
                if number == last and _is_cut(line):
                    self.dropped_line = number
                    self._cut(sum(map(len, lines[: last - 1])) + last - 1, len(raw))
                    return
                raise InputError(
                    f"{self.path}:{number}: {error}; restore the line, or remove it to ask that request again"
                ) from None
            self._known[key] = answer

    def _cut(self, start: int, size: int) -> None:
        """Remove an incomplete last line, unless another process has written since or this is a replay."""
        if self.mode == "replay":
            return
        try:
            with self.path.open("r+b") as file:
                with suppress(OSError):
                    fcntl.flock(file, fcntl.LOCK_EX)
                if os.fstat(file.fileno()).st_size == size:
                    file.truncate(start)
        except OSError as error:
            raise InputError(
                f"{self.path}:{self.dropped_line}: incomplete, and cannot be mended ({error.strerror})"
            ) from None


def _fields(answer: Answer) -> dict[str, Any]:
    return {
        "text": answer.text,
        "finish": answer.finish,
        "model": answer.model,
        "usage": dict(answer.usage),
    }


def _entry(line: bytes) -> tuple[str, Answer]:
    """Read a line; raises ValueError in words."""
    try:
        entry = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ValueError("not a line of JSON") from None
    if not isinstance(entry, dict) or entry.keys() != {"key", "request", "answer"}:
        raise ValueError("not a recorded answer (expected an object with key, request and answer)")
    key, request, answer = entry["key"], entry["request"], entry["answer"]
    if not isinstance(request, dict) or not {"service", "model"} <= request.keys():
        raise ValueError("its request has no service and model")
    payload = {name: value for name, value in request.items() if name not in ("service", "model")}
    if Request("recorded", str(request["service"]), str(request["model"]), payload).key != key:
        raise ValueError("its key is not that of its request: the line was changed")
    try:
        usage = {str(name): int(count) for name, count in answer["usage"].items()}
        text, finish, model = answer["text"], answer["finish"], answer["model"]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ValueError("its answer is incomplete (expected text, finish, model and usage)") from None
    if not (isinstance(text, str) and isinstance(finish, str) and isinstance(model, str | None)):
        raise ValueError("text, finish and model of its answer must be text")
    return key, Answer(text, finish, model, usage)


def _is_cut(line: bytes) -> bool:
    """Whether a last line looks like the beginning of an entry: not JSON, but begun as we begin."""
    begins = b'{"answer":'
    if not (line.startswith(begins) or begins.startswith(line)):
        return False
    try:
        json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return True
    return False


def _mend(file: int, size: int) -> int:
    """Complete or remove an incomplete last line that another process left; return the new size."""
    raw = os.pread(file, size, 0)
    start = raw.rfind(b"\n") + 1
    try:
        _entry(raw[start:])
    except ValueError:
        os.ftruncate(file, start)
        return start
    return size + os.write(file, b"\n")

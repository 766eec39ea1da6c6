"""Recorded responses: a JSON Lines file to append to, or to replay without key or network."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout

from polbias.atomic_write import PRIVATE_MODE
from polbias.errors import InputError, PolbiasError, escape_surrogates, replace_surrogates
from polbias.lines import read_lines, reading_errors
from polbias.models.requests import Request, ServiceResponse, canonical

_LINE_START = b'{"answer":'  # of every line, since keys are sorted


class Recorder:
    """Recording of a service's responses: a line has the SHA-256 of a request, the request, the response.

    The file has no times and no API keys. An unpaired surrogate in a response is JSON-escaped in the file,
    and read as U+FFFD. Responses are written immediately, so that a killed run loses none; an incomplete last
    line is skipped. The last of several lines with the same request is used.

    Args:
        path: path of the file, created with the first response.
        replay: whether the file is read only.

    Attributes:
        notice: notice of a skipped line; otherwise empty.

    Raises:
        InputError: if a line cannot be parsed, or the file to replay does not exist.
        PolbiasError: if another run is recording into the file, or the file cannot be written.
    """

    def __init__(self, path: Path, replay: bool = False) -> None:
        self.path, self.replay, self.notice = path, replay, ""
        self._lock = FileLock(path.parent / f".{path.name}.lock")
        self._separator = b""
        if not replay:
            self._acquire_lock()
        self._answers = self._read()

    def __len__(self) -> int:
        return len(self._answers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def find(self, request: Request) -> ServiceResponse | None:
        """Return the recorded response to a request, or None."""
        answer = self._answers.get(request.key)
        return answer and replace(answer, text=replace_surrogates(answer.text))

    def record(self, request: Request, answer: ServiceResponse) -> None:
        """Append a response."""
        if self.replay:
            raise PolbiasError(f"{self.path}: opened for replay; responses cannot be recorded")
        entry = {"key": request.key, "request": request.content, "answer": asdict(answer)}
        line = self._separator + escape_surrogates(canonical(entry)).encode() + b"\n"
        with self._recording_errors():
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_MODE)
            with os.fdopen(descriptor, "ab") as file:
                file.write(line)
        self._answers[request.key], self._separator = answer, b""

    def close(self) -> None:
        """Release the lock of the file."""
        self._lock.release()

    def _acquire_lock(self) -> None:
        """Lock the file, and check that it is writable before the first billed response."""
        if self.path.suffix == ".gz":
            raise InputError(f"{self.path}: responses are recorded as plain text; choose a name without .gz")
        with self._recording_errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                raise PolbiasError(
                    f"{self.path}: another run is recording into it; wait for it, or choose another --record"
                ) from None
            with suppress(FileNotFoundError):
                self.path.open("r+b").close()

    @contextmanager
    def _recording_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PolbiasError(
                f"{self.path}: a response cannot be recorded ({error.strerror}); fix that and run the same "
                "command again, or replay the recorded responses with --replay"
            ) from None

    def _read(self) -> dict[str, ServiceResponse]:
        with reading_errors(self.path):
            exists = self.path.exists()
        if self.replay and not exists:
            raise InputError(f"{self.path}: no such file; record the responses first")
        answers: dict[str, ServiceResponse] = {}
        size = 0
        for number, line in read_lines(self.path) if exists else ():
            is_complete = line.endswith(b"\n")
            try:
                if line.strip():
                    key, answer = _parse_line(line)
                    answers[key] = answer
            except ValueError as error:
                if is_complete or line[: len(_LINE_START)] != _LINE_START[: len(line)]:
                    raise InputError(
                        f"{self.path}:{number}: {error}; restore the line, or remove it to send that again"
                    ) from None
                self.notice = f"{self.path}:{number}: skipped an incomplete line"
                if not self.replay:
                    with self._recording_errors():
                        os.truncate(self.path, size)
            else:
                self._separator = b"" if is_complete else b"\n"
            size += len(line)
        return answers


def _parse_line(line: bytes) -> tuple[str, ServiceResponse]:
    """Parse a line into key and response; raise a ValueError that names the problem."""
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
        raise ValueError("its key does not match its request: the line was changed")
    try:
        usage = {str(name): int(count) for name, count in answer["usage"].items()}
        text, finish, model = answer["text"], answer["finish"], answer["model"]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ValueError("its answer is incomplete (expected text, finish, model and usage)") from None
    if not (isinstance(text, str) and isinstance(finish, str) and isinstance(model, str | None)):
        raise ValueError("text, finish and model of its answer must be text")
    return key, ServiceResponse(text, finish, model, usage)

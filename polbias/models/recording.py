"""Recorded answers: a JSON Lines file that is read, continued, and replayed without key or network."""

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

_BEGINNING = b'{"answer":'  # of every line, as its names are in order


class Recorder:
    """Answers of services: a line for each request, its SHA-256, the request, the answer. No times, no keys.

    Half a character in an answer stays in the file as JSON escapes it, and is U+FFFD to those who read it.

    An answer is on file at once, so that a run that is killed loses none; half a line at the end of the file
    is left out. Of two lines with the same request the last one counts.

    Args:
        path: the file, made with the first answer.
        replay: whether nothing is added to what is there.

    Attributes:
        notice: what was left out; empty if nothing was.

    Raises:
        InputError: naming the line that cannot be read, or if there is no file to replay.
        PolbiasError: if another run is recording into it, or answers cannot be recorded.
    """

    def __init__(self, path: Path, replay: bool = False) -> None:
        self.path, self.replay, self.notice = path, replay, ""
        self._lock = FileLock(path.parent / f".{path.name}.lock")
        self._separator = b""
        if not replay:
            self._reserve()
        self._known = self._read()

    def __len__(self) -> int:
        return len(self._known)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def find(self, request: Request) -> ServiceResponse | None:
        """Return the recorded answer to a request, or None."""
        answer = self._known.get(request.key)
        return answer and replace(answer, text=replace_surrogates(answer.text))

    def record(self, request: Request, answer: ServiceResponse) -> None:
        """Append an answer."""
        if self.replay:
            raise PolbiasError(f"{self.path}: opened for replay; nothing is recorded")
        entry = {"key": request.key, "request": request.content, "answer": asdict(answer)}
        line = self._separator + escape_surrogates(canonical(entry)).encode() + b"\n"
        with self._writable():
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_MODE)
            with os.fdopen(descriptor, "ab") as file:
                file.write(line)
        self._known[request.key], self._separator = answer, b""

    def close(self) -> None:
        """Leave the file to other runs."""
        self._lock.release()

    def _reserve(self) -> None:
        """Keep other runs away, and make sure that answers can be recorded before the first is paid for."""
        if self.path.suffix == ".gz":
            raise InputError(f"{self.path}: answers are recorded as plain text; choose a name without .gz")
        with self._writable():
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
    def _writable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PolbiasError(
                f"{self.path}: an answer cannot be recorded ({error.strerror}); mend that and run the same "
                "again, or take those that are on file with --replay"
            ) from None

    def _read(self) -> dict[str, ServiceResponse]:
        with reading_errors(self.path):
            exists = self.path.exists()
        if self.replay and not exists:
            raise InputError(f"{self.path}: no such file; record the answers first")
        known: dict[str, ServiceResponse] = {}
        size = 0
        for number, line in read_lines(self.path) if exists else ():
            is_whole = line.endswith(b"\n")
            try:
                if line.strip():
                    key, answer = _entry(line)
                    known[key] = answer
            except ValueError as error:
                if is_whole or line[: len(_BEGINNING)] != _BEGINNING[: len(line)]:
                    raise InputError(
                        f"{self.path}:{number}: {error}; restore the line, or remove it to ask that again"
                    ) from None
                self.notice = f"{self.path}:{number}: left out, as only half of it was written"
                if not self.replay:
                    with self._writable():
                        os.truncate(self.path, size)
            else:
                self._separator = b"" if is_whole else b"\n"
            size += len(line)
        return known


def _entry(line: bytes) -> tuple[str, ServiceResponse]:
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
    return key, ServiceResponse(text, finish, model, usage)

"""Recorded answers: a JSON Lines file that is read, completed, and replayed without key or network."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Self

from polbias.files import InputError, PolbiasError, draft_of, escape_halves, whole
from polbias.lines import read_lines
from polbias.models.cache import Store, cache_root, digest
from polbias.models.requests import Answer, Request, canonical


class Recorder:
    """Answers of services: a line for each request, its SHA-256, the request, the answer. No times, no keys.

    Half a character in an answer stays in the file as JSON escapes it, and is U+FFFD to those who read it.

    An answer goes to the store of answers at once, so that a run that is killed loses none, and to the file
    when the recorder is closed. Of two lines with the same request the last one counts.

    Args:
        path: the file, made with the first answer.
        replay: whether nothing is added to what is there.

    Raises:
        InputError: naming the line that cannot be read, or if there is no file to replay.
        PolbiasError: if another run is recording into it.
    """

    def __init__(self, path: Path, replay: bool = False) -> None:
        self.path, self.replay = path, replay
        self._lines: list[str] = []
        self._known = self._read()
        self._new = False
        self._store: Store | None = None
        if not replay:
            name = f"{self.path.stem}-{digest({'path': str(self.path.resolve())})}.sqlite"
            self._store = Store(cache_root() / "recorded" / name, "another --record, or $XDG_CACHE_HOME")

    def __len__(self) -> int:
        return len(self._known)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def find(self, request: Request) -> Answer | None:
        """Return the recorded answer to a request, or None."""
        if request.key not in self._known and self._store is not None:
            kept = self._store.get(request.key, 0)
            if kept is not None:
                self._add(request, Answer(**kept[0]))
        answer = self._known.get(request.key)
        return answer and replace(answer, text=whole(answer.text))

    def prepare(self) -> None:
        """Make sure that answers can be recorded, before the first one is paid for."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            probe = draft_of(self.path)
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise PolbiasError(
                f"{self.path}: an answer cannot be recorded ({error.strerror}); nothing was asked"
            ) from None

    def record(self, request: Request, answer: Answer) -> None:
        """Keep an answer."""
        if self._store is None:
            raise PolbiasError(f"{self.path}: opened for replay; nothing is recorded")
        self._store.put(request.key, 0, asdict(answer))
        self._add(request, answer)

    def close(self) -> None:
        """Write the file, whole or not at all."""
        if self._store is None:
            return
        self._store.close()
        if not self._new:
            return
        draft = draft_of(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text("".join(f"{line}\n" for line in self._lines), "utf-8")
            draft.replace(self.path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise PolbiasError(
                f"{self.path}: cannot be written ({error.strerror}); the answers are kept: run the same again"
            ) from None
        self._new = False

    def _add(self, request: Request, answer: Answer) -> None:
        entry = {"key": request.key, "request": request.content, "answer": asdict(answer)}
        self._lines.append(escape_halves(canonical(entry)))
        self._known[request.key], self._new = answer, True

    def _read(self) -> dict[str, Answer]:
        try:
            self.path.stat()
        except FileNotFoundError:
            if self.replay:
                raise InputError(f"{self.path}: no such file; record the answers first") from None
            return {}
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror})") from None
        known: dict[str, Answer] = {}
        for number, line in read_lines(self.path):
            if not line.strip():
                continue
            try:
                key, answer = _entry(line)
            except ValueError as error:
                raise InputError(
                    f"{self.path}:{number}: {error}; restore the line, or remove it to ask that request again"
                ) from None
            known[key] = answer
            self._lines.append(line.decode().removesuffix("\n"))
        return known


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

"""What was answered, on file: lines are only added, each whole, and none is asked for twice."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from polbias.files import InputError, PolbiasError

_BATCH = 32  # lines between two calls of fsync


class Journal:
    """Entries of one stage, a line each, by row id and by a key of everything that the entry depends on.

    A line is written in one piece as soon as it is there, and every few lines are forced to the disk, so a
    run that is killed loses nothing that was answered. A last line that is cut off is dropped and counted.
    Failed attempts stand in a file of their own beside it, so that every line of the journal is an answer.

    Args:
        path: a JSON Lines file; it and its folder are created if need be.

    Raises:
        InputError: naming the line that is no entry, or if the file cannot be opened.
        PolbiasError: if another run is writing to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failures_path = path.with_suffix(".failures.jsonl")
        self.dropped = 0
        self._entries: dict[str, Mapping[str, Any]] = {}
        self._file = _Lines(path)
        self._failures: _Lines | None = None
        try:
            self.dropped = self._file.mend()
            for number, entry in read_lines(path):
                self._take(number, entry)
        except BaseException:
            self._file.close()
            raise

    def __len__(self) -> int:
        return len(self._entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def find(self, id: str, key: str) -> Mapping[str, Any] | None:
        """Return the entry of a row, or None if there is none yet.

        Args:
            id: of the row.
            key: of everything that its entry depends on.

        Raises:
            InputError: if the row was asked with something else.
        """
        entry = self._entries.get(id)
        if entry is not None and entry["key"] != key:
            raise InputError(
                f"{self.path}: row {id} was asked with another model, text or setting; "
                "choose a new folder with -o, nothing is mixed"
            )
        return entry

    def entries(self) -> Iterator[Mapping[str, Any]]:
        """Yield all entries in the order in which they were written."""
        yield from self._entries.values()

    def add(self, entry: Mapping[str, Any]) -> None:
        """Write the entry of a row: JSON with ``id`` and ``key``.

        Raises:
            PolbiasError: if it cannot be written; what was there before is intact.
        """
        self._entries[entry["id"]] = self._file.append(entry)

    def fail(self, id: str, key: str, error: str) -> None:
        """Write down an attempt that brought no answer; the row stays open.

        Raises:
            PolbiasError: as `add`.
        """
        if self._failures is None:
            self._failures = _Lines(self.failures_path)
            self._failures.mend()
        self._failures.append({"id": id, "key": key, "error": error})

    def close(self) -> None:
        """Force everything to the disk and close the files."""
        self._file.close()
        if self._failures is not None:
            self._failures.close()

    def _take(self, number: int, entry: Mapping[str, Any]) -> None:
        if not isinstance(entry.get("id"), str) or not isinstance(entry.get("key"), str):
            raise InputError(
                f"{self.path}:{number}: found no id and key, expected an entry of this journal; "
                "remove the line or choose a new folder"
            )
        self._entries.setdefault(entry["id"], entry)


def read_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of a JSON Lines file with their line numbers; blank lines are left out.

    Raises:
        InputError: naming the line that is no JSON object, or if the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, _object(path, number, line)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _object(path: Path, number: int, line: bytes) -> Mapping[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        shown = line[:40].decode("utf-8", "replace").strip()
        raise InputError(f"{path}:{number}: found {shown!r}, expected one JSON object a line")
    return entry


class _Lines:
    """A file that lines are added to, by one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._since = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise InputError(f"{path}: cannot be opened ({error.strerror})") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise PolbiasError(
                f"{path}: another run is writing to it; wait, or choose a new folder"
            ) from None
        except OSError:
            pass  # some network file systems have no locks

    def mend(self) -> int:
        """Complete or remove a last line that was cut off; return how many were removed."""
        raw = self.path.read_bytes()
        if not raw or raw.endswith(b"\n"):
            return 0
        start = raw.rfind(b"\n") + 1
        try:
            json.loads(raw[start:])
        except (ValueError, RecursionError):
            os.ftruncate(self._file, start)
            return 1
        os.write(self._file, b"\n")
        return 0

    def append(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        """Write an entry and return it as it will be read: what is no Unicode in it is replaced."""
        line = (json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")
        try:
            size = os.fstat(self._file).st_size
            try:
                written = os.write(self._file, line)
            except OSError:
                os.ftruncate(self._file, size)
                raise
            if written != len(line):
                os.ftruncate(self._file, size)
                raise OSError(28, "no space left on the device")
            self._since += 1
            if self._since >= _BATCH:
                os.fsync(self._file)
                self._since = 0
            return dict(json.loads(line))
        except OSError as error:
            raise PolbiasError(
                f"{self.path}: an answer cannot be written ({error.strerror}); the run stops here, those "
                "before it are on file: make room and run the same again"
            ) from None

    def close(self) -> None:
        with suppress(OSError):
            os.fsync(self._file)
        with suppress(OSError):
            os.close(self._file)

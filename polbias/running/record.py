"""The record of a run: answers and what they were asked with."""

from __future__ import annotations

import fcntl
import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from polbias.aliases import Document, Json
from polbias.files import InputError, PolbiasError, draft_of

# What was answered, on file: lines are only added, each whole, and none is asked for twice.

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
        self._entries: dict[str, Document] = {}
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

    def find(self, id: str, key: str) -> Document | None:
        """Return the entry of a row, or None if there is none yet."""
        entry = self._entries.get(id)
        if entry is not None and entry["key"] != key:
            raise InputError(
                f"{self.path}: row {id} was asked with another model, text or setting; "
                "choose a new folder with -o, nothing is mixed"
            )
        return entry

    def entries(self) -> Iterator[Document]:
        """Yield all entries in the order in which they were written."""
        yield from self._entries.values()

    def add(self, entry: Document) -> None:
        """Write the entry of a row: JSON with ``id`` and ``key``."""
        self._entries[entry["id"]] = self._file.append(entry)

    def fail(self, id: str, key: str, error: str) -> None:
        """Write down an attempt that brought no answer; the row stays open."""
        if self._failures is None:
            self._failures = _Lines(self.failures_path)
            self._failures.mend()
        self._failures.append({"id": id, "key": key, "error": error})

    def close(self) -> None:
        """Force everything to the disk and close the files."""
        self._file.close()
        if self._failures is not None:
            self._failures.close()

    def _take(self, number: int, entry: Document) -> None:
        if not isinstance(entry.get("id"), str) or not isinstance(entry.get("key"), str):
            raise InputError(
                f"{self.path}:{number}: found no id and key, expected an entry of this journal; "
                "remove the line or choose a new folder"
            )
        self._entries.setdefault(entry["id"], entry)


def read_lines(path: Path) -> Iterator[tuple[int, Document]]:
    """Yield the objects of a JSON Lines file with their line numbers; blank lines are left out."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, _object(path, number, line)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _object(path: Path, number: int, line: bytes) -> Document:
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

    def append(self, entry: Document) -> Document:
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


# What a folder of a run was made with, so that nothing else is mixed into it.

_NAME = "run.json"
_LIBRARIES = ("polbias", "lm_eval", "transformers", "torch", "vllm", "openai", "datatrove")


class RunManifest:
    """The file ``run.json`` of a folder.

    It holds what must not change (``fixed``, by part), where the model was asked, what was asked otherwise
    than the rows say, library versions, and when it was written; the last three are only told.

    Args:
        folder: of the run; created if need be.

    Raises:
        InputError: if there is a file that is none.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / _NAME
        self._data: Json = {"fixed": {}, "address": None, "notes": [], "versions": {}, "runs": []}
        try:
            found = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{self.path}: cannot be read ({error}); choose a new folder with -o") from None
        if not isinstance(found, dict) or not all(
            isinstance(found.get(name), type(empty)) or empty is None for name, empty in self._data.items()
        ):
            raise InputError(f"{self.path}: found no manifest of a run; choose a new folder with -o")
        self._data |= found

    @property
    def fixed(self) -> Document:
        """What must not change, by part."""
        return dict(self._data["fixed"])

    @property
    def notes(self) -> Sequence[str]:
        """What was asked otherwise than the rows say, in any run."""
        return tuple(self._data["notes"])

    def check(self, parts: Mapping[str, Document], address: str | None, moved: bool) -> None:
        """Make sure that the folder is for these settings; writes nothing."""
        for name, settings in _plain(parts).items():
            if name in self._data["fixed"]:
                self._compare(name, self._data["fixed"][name], settings)
        known = self._data["address"]
        if self._data["runs"] and known != address and not moved:
            raise InputError(
                f"{self.path}: address: the folder was made with {known}, now {address}; "
                "give --moved if the same model is there, or choose a new folder with -o"
            )

    def claim(self, parts: Mapping[str, Document], address: str | None, moved: bool) -> None:
        """Check the settings, and write down those that are new, and this run."""
        self.check(parts, address, moved)
        self._data["fixed"] = _plain(parts) | self._data["fixed"]
        self._data["address"] = address
        self._data["versions"] = {"python": platform.python_version(), **dict(_versions())}
        self._data["runs"].append({"started": _now(), "parts": list(parts)})
        self.write()

    def note(self, notes: Iterable[str]) -> None:
        """Write down what was asked otherwise than the rows say."""
        self._data["notes"] = list(dict.fromkeys([*self._data["notes"], *notes]))
        self.write()

    def write(self) -> None:
        """Write the file as a whole."""
        draft = draft_of(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(self._data, indent=2, ensure_ascii=False) + "\n", "utf-8")
            draft.replace(self.path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise PolbiasError(f"{self.path}: cannot be written ({error.strerror})") from None

    def _compare(self, place: str, known: Any, given: Any) -> None:
        if isinstance(known, dict) and isinstance(given, dict):
            for name in dict.fromkeys([*known, *given]):
                self._compare(f"{place}.{name}", known.get(name), given.get(name))
        elif known != given:
            raise InputError(
                f"{self.path}: {place}: the folder was made with {_shown(known)}, now {_shown(given)}; "
                "choose a new folder with -o, nothing is mixed"
            )


def _plain(parts: Document) -> Json:
    """Return settings as they will be read: lists for tuples, texts for keys."""
    return dict(json.loads(json.dumps(parts)))


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def _versions() -> Iterable[tuple[str, str]]:
    for name in _LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

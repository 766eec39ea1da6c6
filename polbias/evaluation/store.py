"""Answers on file: a SQLite database for a task under a model, which survives a run that is killed."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polbias.drafts import draft_of
from polbias.files import InputError, PolbiasError

_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (request TEXT, occurrence INTEGER, answer TEXT NOT NULL, "
    "time REAL NOT NULL, PRIMARY KEY (request, occurrence)) WITHOUT ROWID"
)
_IDENTITY = "identity.json"


def cache_root() -> Path:
    """Return where answers are kept: ``$XDG_CACHE_HOME/polbias/answers``, by default below ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "polbias" / "answers"


def request_key(kind: str, arguments: tuple[Any, ...]) -> str:
    """Return the hash of a whole request: its kind, prompt and generation settings."""
    text = json.dumps([kind, *arguments], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Store:
    """Answers by request and occurrence: the third equal request has an answer of its own.

    Every answer is written at once. A file that is damaged is put aside, and the run goes on without it.

    Args:
        path: of the database; None keeps answers for this run only.

    Raises:
        PolbiasError: if another run is writing to it.
        InputError: if it cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.damaged: Path | None = None
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"--cache-dir {path.parent}: cannot be made ({error.strerror})") from None
        try:
            self._base = self._open()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) or path is None:
                raise self._unusable(error) from None
            self.damaged = path.with_suffix(".damaged")
            path.replace(self.damaged)
            for rest in ("-wal", "-shm"):
                path.with_name(path.name + rest).unlink(missing_ok=True)
            self._base = self._open()

    def __len__(self) -> int:
        (count,) = self._base.execute("SELECT count(*) FROM answers").fetchone()
        return int(count)

    def get(self, request: str, occurrence: int) -> tuple[Any, float] | None:
        """Return an answer and when it was given (seconds since 1970), None if there is none."""
        found = self._base.execute(
            "SELECT answer, time FROM answers WHERE request = ? AND occurrence = ?", (request, occurrence)
        ).fetchone()
        if found is None:
            return None
        answer = json.loads(found[0])
        return (tuple(answer) if isinstance(answer, list) else answer), float(found[1])

    def put(self, request: str, occurrence: int, answer: Any) -> None:
        """Write an answer down: a text, or the numbers of a likelihood.

        Raises:
            PolbiasError: if the disk does not take it.
        """
        row = (request, occurrence, json.dumps(answer, ensure_ascii=False, default=_plain), time.time())
        try:
            self._base.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _open(self) -> sqlite3.Connection:
        base = sqlite3.connect(self.path or ":memory:", timeout=2, isolation_level=None)
        try:
            # Alone on the file, so that the log needs no shared memory and works on network drives as well.
            base.execute("PRAGMA locking_mode = EXCLUSIVE")
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = NORMAL")
            base.execute("BEGIN IMMEDIATE")
            base.execute(_TABLE)
            base.execute("COMMIT")
            (sound,) = base.execute("PRAGMA quick_check(1)").fetchone()
            if sound != "ok":
                raise sqlite3.DatabaseError(sound)
        except BaseException:
            base.close()
            raise
        return base

    def _unusable(self, error: sqlite3.Error) -> PolbiasError:
        if "locked" in str(error):
            return PolbiasError(
                f"{self.path}: another run is asking the same model the same task; wait for it, or choose "
                "another --cache-dir"
            )
        return InputError(f"{self.path}: cannot be used ({error}); choose another --cache-dir, or --no-cache")


def _plain(number: Any) -> Any:
    """A number of numpy or torch as one of Python."""
    return number.item()


def write_identity(folder: Path, identity: Mapping[str, Any]) -> None:
    """Say beside the databases, for a person, which model their answers are from."""
    path = folder / _IDENTITY
    if path.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    draft = draft_of(path)
    draft.write_text(json.dumps(identity, indent=1, ensure_ascii=False, default=str) + "\n", "utf-8")
    draft.replace(path)

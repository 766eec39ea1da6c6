"""Answers on file: a SQLite database, written as they come, which survives a run that is killed."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from polbias.aliases import Document
from polbias.atomic_write import create_private
from polbias.errors import InputError, PolbiasError, escape_surrogates

_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (request TEXT, occurrence INTEGER, answer TEXT NOT NULL, "
    "time REAL NOT NULL, PRIMARY KEY (request, occurrence)) WITHOUT ROWID"
)


def cache_root() -> Path:
    """Return where answers are kept: ``$XDG_CACHE_HOME/polbias/answers``, by default below ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "polbias" / "answers"


class AnswerStore:
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
                raise InputError(
                    f"{path.parent}: cannot be made ({error.strerror}); choose another --cache-dir"
                ) from None
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

    def get(self, request: str, occurrence: int) -> tuple[Any, float] | None:
        """Return an answer and when it was given (seconds since 1970), None if there is none."""
        found = self._base.execute(
            "SELECT answer, time FROM answers WHERE request = ? AND occurrence = ?", (request, occurrence)
        ).fetchone()
        if found is None:
            return None
        answer = json.loads(found[0])
        return (tuple(answer) if isinstance(answer, list) else answer), float(found[1])

    def write(self, request: str, occurrence: int, answer: Any) -> None:
        """Write an answer down: a text, or the numbers of a likelihood."""
        self.put_all([(request, occurrence, answer)])

    def put_all(self, answers: Iterable[tuple[str, int, Any]]) -> None:
        """Write answers down, all or none: each with its request and occurrence."""
        rows = [(request, occurrence, _json(answer), time.time()) for request, occurrence, answer in answers]
        try:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", rows)
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._unusable(error) from None
        finally:
            with suppress(sqlite3.Error):
                self._base.rollback()  # whatever went wrong; there is nothing to undo after a COMMIT

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _open(self) -> sqlite3.Connection:
        if self.path is not None:
            create_private(self.path)
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
        return InputError(f"{self.path}: cannot be used ({error}); choose another --cache-dir")


def _json(answer: Any) -> str:
    return escape_surrogates(json.dumps(answer, ensure_ascii=False, default=_plain))


def _plain(number: Any) -> Any:
    """A number of numpy or torch as one of Python."""
    return number.item()


def digest(identity: Document) -> str:
    """Return a short hash of an identity."""
    text = escape_surrogates(json.dumps(identity, sort_keys=True, ensure_ascii=False, default=str))
    return hashlib.sha256(text.encode()).hexdigest()[:12]

"""Answer cache: a SQLite database, written with each response, which survives a killed run."""

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
    """Return the folder of the cache: ``$XDG_CACHE_HOME/polbias/answers``, by default below ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "polbias" / "answers"


class AnswerStore:
    """Cached answers by request and occurrence; repeated equal requests have separate answers.

    Every answer is written immediately. A damaged file is renamed to ``.damaged``; the cache starts empty.

    Args:
        path: path of the database; None caches answers in memory for this run only.

    Raises:
        PolbiasError: if another run is writing to the database.
        InputError: if the database cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.damaged: Path | None = None
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"{path.parent}: cannot be created ({error.strerror}); choose another --cache-dir"
                ) from None
        try:
            self._connection = self._open()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) or path is None:
                raise self._storage_error(error) from None
            self.damaged = path.with_suffix(".damaged")
            path.replace(self.damaged)
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            self._connection = self._open()

    def get(self, request: str, occurrence: int) -> tuple[Any, float] | None:
        """Return a cached answer and its time (seconds since 1970), or None."""
        row = self._connection.execute(
            "SELECT answer, time FROM answers WHERE request = ? AND occurrence = ?", (request, occurrence)
        ).fetchone()
        if row is None:
            return None
        answer = json.loads(row[0])
        return (tuple(answer) if isinstance(answer, list) else answer), float(row[1])

    def write(self, request: str, occurrence: int, answer: Any) -> None:
        """Write an answer: a text, or the numbers of a log-likelihood."""
        self.put_all([(request, occurrence, answer)])

    def put_all(self, answers: Iterable[tuple[str, int, Any]]) -> None:
        """Write answers with their requests and occurrences, all or none."""
        rows = [
            (request, occurrence, _to_json(answer), time.time()) for request, occurrence, answer in answers
        ]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", rows)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._storage_error(error) from None
        finally:
            with suppress(sqlite3.Error):
                self._connection.rollback()  # does nothing after a COMMIT

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _open(self) -> sqlite3.Connection:
        if self.path is not None:
            create_private(self.path)
        connection = sqlite3.connect(self.path or ":memory:", timeout=2, isolation_level=None)
        try:
            # With an exclusive lock the log needs no shared memory, and works on network drives.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_TABLE)
            connection.execute("COMMIT")
            (check,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if check != "ok":
                raise sqlite3.DatabaseError(check)
        except BaseException:
            connection.close()
            raise
        return connection

    def _storage_error(self, error: sqlite3.Error) -> PolbiasError:
        if "locked" in str(error):
            return PolbiasError(
                f"{self.path}: another run of the same model and task is writing to it; wait for it, or "
                "choose another --cache-dir"
            )
        return InputError(f"{self.path}: cannot be used ({error}); choose another --cache-dir")


def _to_json(answer: Any) -> str:
    return escape_surrogates(json.dumps(answer, ensure_ascii=False, default=_to_python_number))


def _to_python_number(number: Any) -> Any:
    """Return a number of numpy or torch as a Python number."""
    return number.item()


def digest(identity: Document) -> str:
    """Return a hash of an identity, 12 hexadecimal digits."""
    text = escape_surrogates(json.dumps(identity, sort_keys=True, ensure_ascii=False, default=str))
    return hashlib.sha256(text.encode()).hexdigest()[:12]

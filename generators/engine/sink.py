"""A file that Arrow writes to: it hashes what it is given, and keeps an error until it is asked for it."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any


class HashingSink(io.RawIOBase):
    """A new file and the SHA-256 of its bytes.

    Arrow's Parquet writer aborts the whole process if a write fails while it cuts content-defined chunks (a
    full disk, say). Therefore `write` never fails: the first error is kept, later bytes are dropped, and
    `check` raises the error where Python can deal with it.

    Args:
        path: the file to create or overwrite.

    Raises:
        OSError: if it cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._hash = hashlib.sha256()
        self._error: OSError | None = None
        self.size = 0

    def writable(self) -> bool:
        """Tell Arrow that this is a file to write to."""
        return True

    def tell(self) -> int:
        """Return the number of bytes that were given."""
        return self.size

    def write(self, data: Any, /) -> int:
        """Write all of the data, unless a write has failed before."""
        view = memoryview(data).cast("B")
        self.size += len(view)
        self._hash.update(view)
        try:
            done = 0
            while self._error is None and done < len(view):
                done += self._file.write(view[done:]) or 0
        except OSError as error:
            self._error = error
        return len(view)

    def check(self) -> None:
        """Raise the error of the first write that failed.

        Raises:
            OSError: as it was raised by the system.
        """
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Close the file; an error on closing is kept like one on writing."""
        try:
            self._file.close()
        except OSError as error:
            self._error = self._error or error
        super().close()

    @property
    def sha256(self) -> str:
        """The hash of the bytes in hexadecimal."""
        return self._hash.hexdigest()

"""Reading lines of users' files in parts: no line takes more memory than the limits allow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

from polbias.errors import InputError
from polbias.files import GZIP_ERRORS, open_bytes
from polbias.limits import MAX_LINE, MAX_ROW

AS_UTF8 = "save it as UTF-8, e.g. `iconv -f {} -t UTF-8 FILE > NEW`"
"""Instruction for a file in another encoding."""
_SURROGATE_BASE = 0xDC00  # surrogateescape decodes an invalid byte as this plus the byte


@contextmanager
def reading_errors(path: Path) -> Iterator[None]:
    """Turn an OSError in the block into an InputError that names the file."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check path and permissions") from None


def read_lines(path: Path, max_bytes: int = MAX_LINE) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of every line of a file, with its line end.

    Raises:
        InputError: if the file cannot be read, or a line has more than `max_bytes`.
        EOFError: if it is compressed and truncated; zlib.error or gzip.BadGzipFile if it is damaged.
    """
    number = 0
    try:
        with open_bytes(path) as file:
            while line := file.readline(max_bytes + 1):
                number += 1
                if len(line) > max_bytes:
                    raise InputError(
                        f"{path}:{number}: found a line of more than {max_bytes:,} bytes, "
                        "expected a shorter line; divide or remove it"
                    )
                yield number, line
    except GZIP_ERRORS:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def text_lines(
    path: Path, max_characters: int = MAX_ROW, stream: BinaryIO | None = None, strict: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of every line of a UTF-8 file, without line ends and byte order mark.

    A line end is LF, CR LF or CR. Of a longer line, the first `max_characters` + 1 characters are yielded.

    Args:
        path: of the file.
        max_characters: limit of a line.
        stream: read instead of the file; errors then name it by `path`.
        strict: whether a longer line is an error.
    """
    number = 0
    # Invalid bytes become surrogates first, so that the error can name their line.
    with (
        reading_errors(path),
        TextIOWrapper(stream or path.open("rb"), "utf-8-sig", errors="surrogateescape", newline=None) as file,
    ):
        while line := file.readline(max_characters + 1):
            number += 1
            _check_utf8(path, number, 0, line)
            if strict and len(line) > max_characters:
                raise InputError(
                    f"{path}:{number}: found {describe_long_line(max_characters)}, expected less; divide it"
                )
            if not line.endswith("\n"):
                n_read = len(line)
                while segment := file.readline(max_characters):
                    _check_utf8(path, number, n_read, segment)
                    n_read += len(segment)
                    if segment.endswith("\n"):
                        break
            yield number, line.removesuffix("\n")


def describe_long_line(max_characters: int = MAX_ROW) -> str:
    """Return the description of a longer line, for messages."""
    return f"a line of more than {max_characters:,} characters"


def _check_utf8(path: Path, number: int, n_before: int, text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        position = n_before + len(text[: error.start].encode()) + 1
        byte = ord(text[error.start]) - _SURROGATE_BASE
        raise InputError(
            f"{path}:{number}: byte {position} of the line (0x{byte:02X}) is not UTF-8; "
            + AS_UTF8.format("ISO-8859-1")
        ) from None

"""Lines of files of others, read by parts: no line takes more memory than the limits allow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

from polbias.errors import InputError
from polbias.files import UNZIPPING, open_bytes
from polbias.limits import MAX_LINE, MAX_ROW

AS_UTF8 = "save it as UTF-8, e.g. `iconv -f {} -t UTF-8 FILE > NEW`"
"""What to do with a text in another encoding."""
_ESCAPED = 0xDC00  # where Python puts a byte that is not UTF-8


@contextmanager
def reading_errors(path: Path) -> Iterator[None]:
    """Name a file that the system does not let be read."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check path and permissions") from None


def read_lines(path: Path, most: int = MAX_LINE) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of every line of a file, with its end.

    Raises:
        InputError: if the file cannot be read, or a line has more than so many bytes.
        EOFError: if it is compressed and cut off; zlib.error or gzip.BadGzipFile if it is damaged.
    """
    number = 0
    try:
        with open_bytes(path) as file:
            while line := file.readline(most + 1):
                number += 1
                if len(line) > most:
                    raise InputError(
                        f"{path}:{number}: found a line of more than {most:,} bytes, expected a shorter one; "
                        "divide it, or take it out"
                    )
                yield number, line
    except UNZIPPING:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def text_lines(
    path: Path, most: int = MAX_ROW, stream: BinaryIO | None = None, strict: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file with their numbers, without line ends; a byte order mark is dropped.

    A line end is LF, CR LF or CR. Of a line longer than `most` the beginning is yielded, longer by one.

    Args:
        path: of the file.
        most: characters of a line.
        stream: what is read instead of the file; then the path is what errors call it.
        strict: whether a longer line is refused instead.
    """
    number = 0
    # Bytes that are not UTF-8 become surrogates, so that their line is known when they are found.
    with (
        reading_errors(path),
        TextIOWrapper(stream or path.open("rb"), "utf-8-sig", errors="surrogateescape", newline=None) as file,
    ):
        while line := file.readline(most + 1):
            number += 1
            _refuse_escaped(path, number, 0, line)
            if strict and len(line) > most:
                raise InputError(
                    f"{path}:{number}: found {too_long(most)}, expected a shorter one; divide it"
                )
            if not line.endswith("\n"):
                seen = len(line)
                while rest := file.readline(most):
                    _refuse_escaped(path, number, seen, rest)
                    seen += len(rest)
                    if rest.endswith("\n"):
                        break
            yield number, line.removesuffix("\n")


def too_long(most: int = MAX_ROW) -> str:
    """Return what is wrong with a line of more characters."""
    return f"a line of more than {most:,} characters"


def _refuse_escaped(path: Path, number: int, before: int, text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        place = before + len(text[: error.start].encode()) + 1
        byte = ord(text[error.start]) - _ESCAPED
        raise InputError(
            f"{path}:{number}: byte {place} of the line (0x{byte:02X}) is not UTF-8; "
            + AS_UTF8.format("ISO-8859-1")
        ) from None

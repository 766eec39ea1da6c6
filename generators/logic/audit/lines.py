"""Lines of a text file of any size, with any line ends, in bounded memory."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from polbias.files import InputError

LONGEST = 1 << 20  # characters; what is longer is no row
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip (or an Excel workbook)",
}
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_AS_UTF8 = "save it as UTF-8, e.g. `iconv -f {} -t UTF-8 FILE > NEW`"
_ESCAPED = 0xDC00  # where Python puts a byte that is not UTF-8


def refuse_foreign(path: Path, start: bytes) -> None:
    """Refuse a file that is no UTF-8 text.

    Args:
        path: the file, for the message.
        start: its first bytes.

    Raises:
        InputError: if they are those of a compressed file, of another encoding or of no text.
    """
    for magic, kind in _COMPRESSED.items():
        if start.startswith(magic):
            raise InputError(f"{path}: is compressed, {kind}; unpack it, or save it as TSV, CSV or Parquet")
    if start.startswith(_WIDE):
        raise InputError(f"{path}:1: the text is UTF-16 or UTF-32; {_AS_UTF8.format('UTF-16')}")
    if b"\0" in start:
        line = start[: start.index(b"\0")].count(b"\n") + 1
        raise InputError(
            f"{path}:{line}: found a NUL byte, which no text has; expected TSV, CSV, JSONL or Parquet"
        )


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file with their numbers, without line ends; a byte order mark is dropped.

    A line end is LF, CR LF or CR. Of a line longer than `LONGEST` the beginning is yielded, longer by one.

    Raises:
        InputError: if the file cannot be read or is not UTF-8, naming line and byte.
    """
    number = 0
    try:
        # Bytes that are not UTF-8 become surrogates, so that their line is known when they are found.
        with path.open(encoding="utf-8-sig", errors="surrogateescape", newline=None) as file:
            while line := file.readline(LONGEST + 1):
                number += 1
                _refuse_escaped(path, number, 0, line)
                if not line.endswith("\n"):
                    seen = len(line)
                    while rest := file.readline(LONGEST):
                        _refuse_escaped(path, number, seen, rest)
                        seen += len(rest)
                        if rest.endswith("\n"):
                            break
                yield number, line.removesuffix("\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check path and permissions") from None


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
            + _AS_UTF8.format("ISO-8859-1")
        ) from None

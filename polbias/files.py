"""Files of others, read by parts, or refused where they would not fit into memory."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import zlib
from pathlib import Path
from typing import Any, BinaryIO, cast

from polbias.errors import InputError
from polbias.limits import MAX_FILE, MAX_GROUP, MAX_LEVELS, MAX_ROWS, MAX_VALUES


def without_gz(path: Path) -> Path:
    """Return the path without the end that says that the file is compressed."""
    return path.with_suffix("") if path.suffix == ".gz" else path


def open_bytes(path: Path) -> BinaryIO:
    """Open a file to be read in bytes, decompressed where its name ends in ``.gz``."""
    return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb", buffering=1 << 20)


UNZIPPING = (EOFError, zlib.error, gzip.BadGzipFile)
"""What is raised where a compressed file is damaged or cut off."""


def read_bytes(path: Path, most: int = MAX_FILE) -> bytes:
    """Return the content of a file, decompressed, that has at most so many bytes.

    Raises:
        InputError: if it has more, or is compressed and damaged.
        OSError: if it cannot be read.
    """
    content = None
    try:
        with open_bytes(path) as file:
            if os.fstat(file.fileno()).st_size <= most:
                content = file.read(most + 1)
    except UNZIPPING as error:
        raise InputError(f"{path}: found gzip that is damaged ({error}), expected the whole file") from None
    if content is None or len(content) > most:
        raise InputError(f"{path}: found more than {most:,} bytes, expected at most as many; divide it")
    return content


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal, read by parts."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_parquet(path: Path, **options: Any) -> Any:
    """Open a Parquet file whose rows fit into memory, group by group.

    Raises:
        InputError: if they do not.
        pyarrow.ArrowException: if it is damaged; as OSError.
    """
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, **options)
    if file.metadata.num_rows > MAX_ROWS:
        found = f"{file.metadata.num_rows:,} rows"
        raise InputError(f"{path}: found {found}, expected at most {MAX_ROWS:,}; divide it")
    for number in range(file.num_row_groups):
        group = file.metadata.row_group(number)
        values = max((group.column(place).num_values for place in range(group.num_columns)), default=0)
        if group.total_byte_size > MAX_GROUP or values > MAX_VALUES:
            found = f"found {group.total_byte_size:,} bytes and {values:,} values of a column"
            expected = f"expected at most {MAX_GROUP:,} and {MAX_VALUES:,}; write smaller row groups"
            raise InputError(f"{path}: row group {number + 1}: {found}, {expected}")
    return file


def read_json(path: Path, expected: str) -> Any:
    """Return the content of a JSON file in UTF-8."""
    try:
        return json.loads(read_bytes(path).decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); expected {expected}") from None
    except UnicodeDecodeError as error:
        line, byte = error.object.count(b"\n", 0, error.start) + 1, error.object[error.start]
        raise InputError(f"{path}:{line}: byte 0x{byte:02X} is not UTF-8; save it as UTF-8") from None
    except RecursionError:
        raise InputError(f"{path}: found values nested too deeply, expected {expected}") from None
    except ValueError as error:  # also a number of more digits than Python reads
        line, reason = getattr(error, "lineno", 1), getattr(error, "msg", error)
        raise InputError(f"{path}:{line}: found no JSON ({reason}), expected {expected}") from None


# Pages that a person may open in a browser.


def page_policy(script: str = "") -> str:
    """Return the Content-Security-Policy of a page that fetches nothing and runs no script but this one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # figures carry style attributes, which no hash can allow
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
        + (f"; script-src 'sha256-{digest}'" if script else "")
    )


# How deep a YAML text is nested, told before it is loaded: a loader would overflow its stack.


def line_nested_too_deep(text: str) -> int | None:
    """Return the line in which a text goes deeper than `MAX_LEVELS`; None if it never does."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_LEVELS:
            return event.start_mark.line + 1 if event.start_mark else 1
    return None

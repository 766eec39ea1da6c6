"""Reading files of users: in parts, or not at all if they would not fit into memory."""

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
    """Return the path without the suffix ``.gz``."""
    return path.with_suffix("") if path.suffix == ".gz" else path


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading bytes, decompressed if its name ends in ``.gz``."""
    return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb", buffering=1 << 20)


GZIP_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile)
"""Exceptions raised by a damaged or truncated gzip file."""


def read_bytes(path: Path, max_bytes: int = MAX_FILE) -> bytes:
    """Return the decompressed content of a file.

    Raises:
        InputError: if it has more than `max_bytes`, or is compressed and damaged.
        OSError: if it cannot be read.
    """
    content = None
    try:
        with open_bytes(path) as file:
            if os.fstat(file.fileno()).st_size <= max_bytes:
                content = file.read(max_bytes + 1)
    except GZIP_ERRORS as error:
        raise InputError(f"{path}: found damaged gzip ({error}), expected a complete file") from None
    if content is None or len(content) > max_bytes:
        raise InputError(f"{path}: found more than {max_bytes:,} bytes, expected no more; divide it")
    return content


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal, read in parts."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_parquet(path: Path, **options: Any) -> Any:
    """Open a Parquet file whose row groups fit into memory.

    Raises:
        InputError: if it has too many rows, or a row group is too large.
        pyarrow.ArrowException: if it is damaged; also OSError.
    """
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, **options)
    if file.metadata.num_rows > MAX_ROWS:
        n_rows = f"{file.metadata.num_rows:,} rows"
        raise InputError(f"{path}: found {n_rows}, expected at most {MAX_ROWS:,}; divide it")
    for number in range(file.num_row_groups):
        group = file.metadata.row_group(number)
        n_values = max((group.column(column).num_values for column in range(group.num_columns)), default=0)
        if group.total_byte_size > MAX_GROUP or n_values > MAX_VALUES:
            sizes = f"found {group.total_byte_size:,} bytes and {n_values:,} values of a column"
            limits = f"expected at most {MAX_GROUP:,} and {MAX_VALUES:,}; write smaller row groups"
            raise InputError(f"{path}: row group {number + 1}: {sizes}, {limits}")
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


# Security of HTML pages.


def page_policy(script: str = "") -> str:
    """Return the Content-Security-Policy of a page that fetches nothing and runs only this script."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # figures carry style attributes, which no hash can allow
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
        + (f"; script-src 'sha256-{digest}'" if script else "")
    )


# Nesting of YAML is checked before loading: a loader would overflow its stack.


def line_nested_too_deep(text: str) -> int | None:
    """Return the first line nested deeper than `MAX_LEVELS`; None if there is none."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_LEVELS:
            return event.start_mark.line + 1 if event.start_mark else 1
    return None

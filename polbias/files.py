"""Files: where they are, written whole or not at all, and errors that a user can act on."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import platform
import re
import shutil
import zlib
from collections.abc import Iterable
from contextlib import suppress
from glob import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from polbias.limits import MAX_FILE, MAX_GROUP, MAX_LEVELS, MAX_ROWS, MAX_VALUES
from polbias.safe_text import hide_like, visible

_Data = TypeVar("_Data")

# Drafts: what is being written, beside the place that it is to have.


def draft_of(path: Path) -> Path:
    """Return where to write what is to take the place of a path in one step.

    The name begins with a dot, and tells the machine and the process, so that two runs do not write to one
    draft. Drafts of the same path that killed processes of this machine have left behind are removed.
    """
    name, machine = f".{path.name}.", f"{platform.node()}-"
    for draft in path.parent.glob(f"{escape(name + machine)}*.draft"):
        process = draft.name.removeprefix(name + machine).removesuffix(".draft")
        if process.isdecimal() and not _runs(int(process)):
            if draft.is_dir() and not draft.is_symlink():
                shutil.rmtree(draft, ignore_errors=True)
            else:
                with suppress(OSError):
                    draft.unlink()
    return path.with_name(f"{name}{machine}{os.getpid()}.draft")


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's
        return True
    return True


PRIVATE = 0o600
"""Permissions of files that only their owner may read."""


def create_private(path: Path) -> None:
    """Create an empty file for its owner alone, or take the rights of others from one that is there."""
    with suppress(OSError):  # whoever writes to it says what is wrong
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, PRIVATE))
        path.chmod(PRIVATE)


def write_text(path: Path, text: str | Iterable[str], *, private: bool = False) -> None:
    """Write a whole file in UTF-8, or leave what was there before; it keeps its permissions.

    Args:
        path: of the file.
        text: or its lines, with their ends.
        private: whether a new file is for its owner alone.
    """
    draft = draft_of(path)
    try:
        if private:
            create_private(draft)
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.writelines([text] if isinstance(text, str) else text)
        if path.exists():
            draft.chmod(path.stat().st_mode & 0o777)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    except UnicodeEncodeError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error.reason}); a text has half a character") from None


def without_gz(path: Path) -> Path:
    """Return the path without the end that says that the file is compressed."""
    return path.with_suffix("") if path.suffix == ".gz" else path


def open_bytes(path: Path) -> BinaryIO:
    """Open a file to be read in bytes, decompressed where its name ends in ``.gz``."""
    return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb", buffering=1 << 20)


UNZIPPING = (EOFError, zlib.error, gzip.BadGzipFile)
"""What is raised where a compressed file is damaged or cut off."""


# Files of others, read by parts or not at all where they are larger than what fits into memory.


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


# Cells of a table that a person may open in a spreadsheet.

# A mere "-" is no formula, and neither is a number, which would be none after an apostrophe.
_FORMULA = re.compile(r"(?!-\Z|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?%?\Z)'*[=+\-@\t\r]", re.IGNORECASE)


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; `unguarded` gives the text back.

    A text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return gets an apostrophe, and so
    does one that would be taken for such a cell; a number stays a number.

    Source:
        OWASP, "CSV Injection".
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """Return the text of a cell that `guarded` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


# Pages that a person may open in a browser.


def page_policy(script: str = "") -> str:
    """Return the Content-Security-Policy of a page that fetches nothing and runs no script but this one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # figures carry style attributes, which no hash can allow
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
        + (f"; script-src 'sha256-{digest}'" if script else "")
    )


# Half a character: JSON may have one half of an escaped character without the other, and no file can hold it.


def whole(text: str) -> str:
    """Return a text with U+FFFD for every half of a character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def whole_json(data: _Data) -> _Data:
    """Return parsed JSON with whole characters in all its texts."""
    read: _Data = json.loads(whole(json.dumps(data, ensure_ascii=False)))
    return read


def escape_halves(text: str) -> str:
    """Return a text with every half of a character as JSON escapes it, so that parsing JSON gives it back."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


# How deep a YAML text is nested, told before it is loaded: a loader would overflow its stack.


def too_deep(text: str) -> int | None:
    """Return the line in which a text goes deeper than `MAX_LEVELS`; None if it never does."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_LEVELS:
            return event.start_mark.line + 1 if event.start_mark else 1
    return None


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question after the names that come nearest to one that there is not; empty if none is near."""
    from difflib import get_close_matches

    found = get_close_matches(name, dict.fromkeys(known), 3, 0.6)
    return f"did you mean {' or '.join(found)}? " if found else ""


# Where the toolkit finds its own files and a user's builds.


def package_file(relative: str) -> Path:
    """Return the path of a file that ships with the package."""
    package, _, path = relative.rpartition(":")
    return Path(str(files(package or "polbias"))) / path


def checkout() -> Path | None:
    """Return the root of the checkout that this package runs from, or None if it is installed."""
    root = Path(__file__).resolve().parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "templates").is_dir() else None


def build_root() -> Path:
    """Return the folder that holds local builds, one folder per Hub repository.

    ``$POLBIAS_DATA_DIR`` if it is set, else ``build/datasets`` beside the checkout, or in the current
    folder where polbias runs from an installed wheel.
    """
    chosen = os.environ.get("POLBIAS_DATA_DIR")
    if chosen:
        return Path(chosen)
    return (checkout() or Path.cwd()) / "build" / "datasets"


# Errors that a user can act on.

_LONGEST = 3_000
"""Characters of a line; one that is longer holds a value that nobody reads to its end."""


class PolbiasError(Exception):
    """A problem that the user can mend.

    The message is one line: where (file, line or field), what was found, what was expected and
    what to do. The command line prints it without a traceback and exits with `status`. The middle of a
    line that is far too long is left out, as it begins with the place and ends with what to do. Secrets of
    this run and control characters are replaced.
    """

    status = 1

    def __str__(self) -> str:
        message = visible(hide_like(escape_halves(super().__str__())))
        return "\n".join(clipped(line, _LONGEST) for line in message.split("\n"))


def clipped(text: str, longest: int) -> str:
    """Return a text without its middle if it is longer, in characters."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


class TemplateError(PolbiasError):
    """A template or country file is incomplete, inconsistent or malformed."""


class BuildError(PolbiasError):
    """A dataset could not be built, or a build does not match ``datasets.lock``."""


class PublishError(PolbiasError):
    """A dataset could not be published to, or read from, a Hub."""


class InputError(PolbiasError):
    """A file that a user gave cannot be used; the command line exits with status 2."""

    status = 2

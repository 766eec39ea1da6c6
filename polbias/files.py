"""Files: where they are, written whole or not at all, and errors that a user can act on."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from glob import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from polbias.safe_text import hide_like, visible

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


def read_json(path: Path, expected: str) -> Any:
    """Return the content of a JSON file in UTF-8."""
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
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


def whole(text: str) -> str:
    """Return a text with a question mark for every half of a character, which no file can hold.

    JSON may have one half of an escape without the other.
    """
    return text.encode("utf-8", "replace").decode("utf-8")


# How deep a YAML text is nested, told before it is loaded: a loader would overflow its stack.

MOST_LEVELS = 50


def too_deep(text: str) -> int | None:
    """Return the line in which a text goes deeper than `MOST_LEVELS`; None if it never does."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_LEVELS:
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
        message = visible(hide_like(super().__str__()))
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

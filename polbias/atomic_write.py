"""Files and folders that are written whole or not at all."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import shutil
from collections.abc import Iterable
from contextlib import suppress
from glob import escape
from pathlib import Path

from polbias.errors import BuildError, InputError


def draft_path(path: Path) -> Path:
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
    draft = draft_path(path)
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


def write_failure(path: Path, error: OSError) -> BuildError:
    """Say in one line why a file could not be written and what to do."""
    if error.errno == errno.ENOSPC:
        return BuildError(f"{path}: the disk is full; free some space or build elsewhere with --output DIR")
    if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
        return BuildError(
            f"{path}: cannot be written (something else is in its place); remove it, "
            "or build elsewhere with --output DIR"
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return BuildError(f"{path}: no permission to write here; build elsewhere with --output DIR")
    return BuildError(
        f"{path}: cannot be written ({error.strerror or error}); build elsewhere with --output DIR"
    )


_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def replace_folder(new: Path, target: Path) -> None:
    """Put `new` in the place of `target` and delete what was there.

    On Linux the two are exchanged by one system call, so that a reader or a killed process finds either
    the old folder or the new one. Elsewhere two renames follow each other, and `recover_folder` brings the
    old folder back if the process died between them.
    """
    if not target.exists():
        new.rename(target)
    elif _exchange(new, target):
        remove(new)
    else:
        previous = _previous(target)
        target.rename(previous)
        new.rename(target)
        remove(previous)


def remove(path: Path) -> None:
    """Remove whatever is at a path: a folder, a file or a link (not what it leads to)."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def recover_folder(target: Path) -> None:
    """Undo a replacement that was cut off between its two renames."""
    previous = _previous(target)
    if previous.is_dir():
        if target.exists():
            remove(previous)
        else:
            previous.rename(target)


def _previous(target: Path) -> Path:
    return target.with_name(f".{target.name}.previous")


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two paths atomically; False where the platform or file system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    done = renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE)
    return bool(done == 0)

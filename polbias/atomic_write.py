"""Atomic writes: a file or folder is written completely or not at all."""

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
    """Return the path of a draft, which replaces `path` in one step.

    Its name begins with a dot and has the machine and the process id, so that two runs do not write to the
    same draft. Drafts of `path` left by killed processes of this machine are deleted.
    """
    prefix, machine = f".{path.name}.", f"{platform.node()}-"
    for draft in path.parent.glob(f"{escape(prefix + machine)}*.draft"):
        pid = draft.name.removeprefix(prefix + machine).removesuffix(".draft")
        if pid.isdecimal() and not _is_running(int(pid)):
            if draft.is_dir() and not draft.is_symlink():
                shutil.rmtree(draft, ignore_errors=True)
            else:
                with suppress(OSError):
                    draft.unlink()
    return path.with_name(f"{prefix}{machine}{os.getpid()}.draft")


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # a process of another user
        return True
    return True


PRIVATE_MODE = 0o600
"""Permissions of files that only their owner may read and write."""


def create_private(path: Path) -> None:
    """Create an empty file that only its owner may read, or restrict an existing file to its owner."""
    with suppress(OSError):  # the next write to the file raises the error
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, PRIVATE_MODE))
        path.chmod(PRIVATE_MODE)


def write_text(path: Path, text: str | Iterable[str], *, private: bool = False) -> None:
    """Write a complete UTF-8 file, or leave the existing file unchanged; its permissions are kept.

    Args:
        path: of the file.
        text: the text, or its lines with line ends.
        private: whether only the owner may read a new file.
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
        raise InputError(f"{path}: cannot be written ({error.reason}); a text has a lone surrogate") from None


def make_write_error(path: Path, error: OSError) -> BuildError:
    """Return the error of a failed write: its cause and what to do, in one line."""
    if error.errno == errno.ENOSPC:
        return BuildError(f"{path}: the disk is full; free some space or build elsewhere with --output DIR")
    if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
        return BuildError(
            f"{path}: cannot be written (another file or folder has this path); remove it, "
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
    """Replace the folder `target` by `new`, and delete the old folder.

    On Linux one system call exchanges the two, so that a reader or a killed process finds either the old
    folder or the new one. Other systems need two renames; if the process is killed between them,
    `recover_folder` restores the old folder.
    """
    if not target.exists():
        new.rename(target)
    elif _exchange(new, target):
        remove(new)
    else:
        previous = _previous_path(target)
        target.rename(previous)
        new.rename(target)
        remove(previous)


def remove(path: Path) -> None:
    """Delete a folder, a file or a link (not the target of the link)."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def recover_folder(target: Path) -> None:
    """Undo a replacement that was interrupted between its two renames, or finish one after them."""
    previous = _previous_path(target)
    if previous.is_dir():
        if target.exists():
            remove(previous)
        else:
            previous.rename(target)


def _previous_path(target: Path) -> Path:
    return target.with_name(f".{target.name}.previous")


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two paths atomically; return False if the platform or file system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    status = renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE)
    return bool(status == 0)

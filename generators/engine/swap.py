"""Replace a folder by another one in a single step."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def replace_folder(new: Path, target: Path) -> None:
    """Put `new` in the place of `target` and delete what was there.

    On Linux the two are exchanged by one system call, so that a reader or a killed process finds either
    the old folder or the new one. Elsewhere two renames follow each other, and `recover_folder` brings the
    old folder back if the process died between them.

    Args:
        new: a complete folder on the same file system.
        target: the place it is to have; need not exist.
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

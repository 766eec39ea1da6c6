"""Drafts: what is being written, beside the place that it is to have."""

from __future__ import annotations

import os
import platform
import shutil
from contextlib import suppress
from glob import escape
from pathlib import Path


def draft_of(path: Path) -> Path:
    """Return where to write what is to take the place of a path in one step.

    The name begins with a dot, and tells the machine and the process, so that two runs do not write to one
    draft. Drafts of the same path that killed processes of this machine have left behind are removed.

    Args:
        path: of a file or folder; need not exist.

    Returns:
        A path beside it. Whoever writes there removes the draft if it does not come to be put in its place.
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

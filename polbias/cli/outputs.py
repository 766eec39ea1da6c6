"""Write a report of a command so that a half-written one is never seen."""

from __future__ import annotations

import os
from pathlib import Path

from polbias.errors import InputError


def write_text(path: Path, text: str) -> None:
    """Write a whole file in UTF-8, or leave what was there before.

    Raises:
        InputError: if it cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, "utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None

"""The exception by which a rule abstains."""

from __future__ import annotations


class UnsureError(Exception):
    """The rules do not cover a statement; carries the code of the abstention and the reason."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason

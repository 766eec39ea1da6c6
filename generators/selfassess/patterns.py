"""Regular expressions in word lists: checked when they are read, joined into one when they are used."""

from __future__ import annotations

import re

from pydantic import field_validator

from polbias.generators.engine.entries import Entry

_LONGEST = 10_000


class Pattern(Entry):
    """A regular expression for whole words.

    Attributes:
        pattern: without groups of its own.
        cased: whether upper and lower case differ.
    """

    pattern: str
    cased: bool = False

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        if len(pattern) > _LONGEST:
            raise ValueError(
                f"found {len(pattern):,} characters, expected at most {_LONGEST:,}; write several"
            )
        try:
            groups = re.compile(pattern).groups
            re.compile(f"(?i:{pattern})")  # as a part of another one, it may not begin with flags
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"found no regular expression ({error}): {pattern!r}") from None
        if groups:
            raise ValueError(f"found {groups} groups in {pattern!r}; write (?:...) instead of (...)")
        return pattern

    @property
    def inline(self) -> str:
        """The pattern as part of another one."""
        return self.pattern if self.cased else f"(?i:{self.pattern})"

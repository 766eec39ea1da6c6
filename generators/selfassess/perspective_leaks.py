"""Words by which a text gives its perspective away, and the patterns that find them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, RootModel, field_validator

from polbias.errors import InputError
from polbias.paths import package_file
from polbias.yaml_models import Name, TemplateModel, load_template

# Regular expressions in word lists: checked when they are read, joined into one when they are used.

_LONGEST = 10_000


class LeakPattern(TemplateModel):
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
        return f"(?{'' if self.cased else 'i'}:{self.pattern})"


# Articles that name a perspective or the role of their prompt, so that a choice is not blind.

_BLANK = "\0"
# One character for one, so that places stay.
_PLAIN = str.maketrans("’‘\n\r\t\u00a0" + _BLANK, "''" + 5 * " ")


class _Rule(LeakPattern):
    kind: Literal["party", "creed", "self", "role"]


class WordLists(TemplateModel):
    """What names a perspective of one set, and what only looks like it."""

    innocent: tuple[LeakPattern, ...]
    rules: tuple[_Rule, ...] = Field(min_length=1)


class _File(RootModel[dict[Name, WordLists]]):
    pass


def load_word_lists(path: Path | None = None) -> Mapping[str, WordLists]:
    """Read and check the lists."""
    return load_template(path or package_file("templates/selfassess/leaks.yaml"), _File).root


class Detector:
    """Finds the words by which articles of one set give themselves away.

    Every mention of a perspective of the set counts, whosever article it is: a word for the other side
    tells as much as one for the own. An article may therefore be flagged that reports fairly on both.

    Args:
        lists: of the set.
    """

    def __init__(self, lists: WordLists) -> None:
        self._innocent, self._rules = _union(lists.innocent), _union(lists.rules)

    def words(self, text: str) -> list[str]:
        """Return the distinct words of an article that name a perspective or its prompt's role, in order."""
        plain = self._innocent.sub(lambda match: _BLANK * len(match[0]), text.translate(_PLAIN))
        found = (" ".join(text[match.start() : match.end()].split()) for match in self._rules.finditer(plain))
        return list(dict.fromkeys(found))


def _union(patterns: Sequence[LeakPattern]) -> re.Pattern[str]:
    """Return one pattern for all: a text is gone through once."""
    return re.compile(rf"(?<![\w-])(?:{'|'.join(one.inline for one in patterns)})(?!\w)")


@cache
def detector(set_id: str) -> Detector:
    """Return the detector of a set."""
    lists = load_word_lists()
    if set_id not in lists:
        known = ", ".join(lists)
        raise InputError(f"leaks.yaml: found no lists for set {set_id!r}, expected one of {known}; add them")
    return Detector(lists[set_id])


def find_leaks(text: str, set_id: str) -> list[str]:
    """Return the words by which an article names a perspective or its prompt's role; empty if it is blind."""
    return detector(set_id).words(text)

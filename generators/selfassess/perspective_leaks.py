"""Detection of words that reveal the perspective of an article."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, RootModel, field_validator

from polbias.errors import InputError
from polbias.paths import package_file
from polbias.yaml_models import Name, TemplateModel, display_path, load_template

# Regular expressions of the word lists: validated on load, joined into one before matching.

_MAX_CHARACTERS = 10_000


class LeakPattern(TemplateModel):
    """A regular expression for whole words.

    Attributes:
        pattern: regular expression without capturing groups.
        cased: whether matching is case-sensitive.
    """

    pattern: str
    cased: bool = False

    @field_validator("pattern")
    @classmethod
    def _check_pattern(cls, pattern: str) -> str:
        if len(pattern) > _MAX_CHARACTERS:
            raise ValueError(
                f"found {len(pattern):,} characters, expected at most {_MAX_CHARACTERS:,}; write several"
            )
        try:
            groups = re.compile(pattern).groups
            re.compile(f"(?i:{pattern})")  # as part of another pattern it must not begin with flags
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"found no regular expression ({error}): {pattern!r}") from None
        if groups:
            raise ValueError(f"found {groups} groups in {pattern!r}; write (?:...) instead of (...)")
        return pattern

    @property
    def inline(self) -> str:
        """The pattern as part of another pattern."""
        return f"(?{'' if self.cased else 'i'}:{self.pattern})"


# Articles that name a perspective or the role of their prompt: the choice is not blind.

_BLANK = "\0"
# Replaces character by character, so that positions stay the same.
_TO_PLAIN = str.maketrans("’‘\n\r\t\u00a0" + _BLANK, "''" + 5 * " ")


class _Rule(LeakPattern):
    kind: Literal["party", "creed", "self", "role"]


class WordLists(TemplateModel):
    """Patterns of words that name a perspective of one set, and of innocent words that look like them."""

    innocent: tuple[LeakPattern, ...]
    rules: tuple[_Rule, ...] = Field(min_length=1)


class _WordListsFile(RootModel[dict[Name, WordLists]]):
    pass


def load_word_lists(folder: Path | None = None) -> Mapping[str, WordLists]:
    """Return the lists of a template folder by set; a folder without lists has the shipped ones."""
    return load_template(_lists_path(folder), _WordListsFile).root


def _lists_path(folder: Path | None) -> Path:
    shipped = package_file("templates/selfassess/leaks.yaml")
    return folder / shipped.name if folder and (folder / shipped.name).is_file() else shipped


def missing_word_lists(folder: Path, set_ids: Iterable[str]) -> list[str]:
    """Return the problem of each set without word lists."""
    word_lists, path = load_word_lists(folder), display_path(folder / "leaks.yaml")
    return [
        f"{path}: found no word lists for the set {set_id!r}, expected those that flag articles that name "
        f"their side; add the entry '{set_id}:' with 'innocent: []' and 'rules:', a list of entries such as "
        "'- {kind: party, pattern: NAME}' for both sides"
        for set_id in set_ids
        if set_id not in word_lists
    ]


class Detector:
    """Finds the words that reveal the perspective of an article of one set.

    Every mention of a perspective of the set counts, whatever the article's perspective: a word for the
    opposite side is as revealing. An article that reports fairly on both sides may therefore be flagged.

    Args:
        lists: of the set.
    """

    def __init__(self, lists: WordLists) -> None:
        self._innocent, self._rules = _compile_union(lists.innocent), _compile_union(lists.rules)

    def words(self, text: str) -> list[str]:
        """Return the distinct words of an article that name a perspective or its prompt's role, in order."""
        masked = self._innocent.sub(lambda match: _BLANK * len(match[0]), text.translate(_TO_PLAIN))
        matches = (
            " ".join(text[match.start() : match.end()].split()) for match in self._rules.finditer(masked)
        )
        return list(dict.fromkeys(matches))


def _compile_union(patterns: Sequence[LeakPattern]) -> re.Pattern[str]:
    """Return one pattern for all, so that one pass over a text is enough."""
    return re.compile(rf"(?<![\w-])(?:{'|'.join(pattern.inline for pattern in patterns)})(?!\w)")


@cache
def detector(set_id: str) -> Detector:
    """Return the detector of a set."""
    lists = load_word_lists()
    if set_id not in lists:
        set_ids = ", ".join(lists)
        raise InputError(
            f"leaks.yaml: found no lists for set {set_id!r}, expected one of {set_ids}; add them"
        )
    return Detector(lists[set_id])


def find_leaks(text: str, set_id: str) -> list[str]:
    """Return the words of an article that name a perspective or its prompt's role; empty if it is blind."""
    return detector(set_id).words(text)

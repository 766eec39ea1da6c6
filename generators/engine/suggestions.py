"""Review files of suggestions: what a service suggested, and beside it what a person decided.

A new run keeps every decision, also on what has not been suggested again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.cells import guarded
from polbias.generators.engine.spreadsheets import SheetError, named_rows, sheet
from polbias.template_files import shown


@dataclass(frozen=True)
class ReviewFile:
    """The layout of a review file.

    Attributes:
        what: what the file is, for messages, such as "a review file of items".
        key: columns that tell suggestions apart.
        said: columns that a run fills in, attributes of a suggestion.
        decided: columns that a person fills in.
    """

    what: str
    key: tuple[str, ...]
    said: tuple[str, ...]
    decided: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in order."""
        return (*self.said, *self.decided)

    def text(self, found: Iterable[object], before: Sequence[Mapping[str, str]] = ()) -> str:
        """Return the file.

        Args:
            found: suggestions; of those that come again only the first is listed.
            before: lines of the file that this one replaces, as `rows` returns them.
        """
        kept = {self._key(row): row for row in before if any(row[name] for name in self.decided)}
        lines: dict[tuple[str, ...], Mapping[str, str]] = {}
        for each in found:
            said = {name: str(getattr(each, name) or "") for name in self.said}
            key = self._key(said)
            lines.setdefault(key, said | {name: kept.get(key, {}).get(name, "") for name in self.decided})
        for key, row in kept.items():
            lines.setdefault(key, row)
        return sheet(self.columns, ([guarded(row[name]) for name in self.columns] for row in lines.values()))

    def rows(self, path: Path) -> list[dict[str, str]]:
        """Return the lines of a file, whatever is decided, with the number of the line as ``line``.

        Raises:
            SheetError: with one line for every line that cannot be read.
        """
        found: list[dict[str, str]] = []
        problems = []
        for line, row in named_rows(path, self.columns, self.what, unguard=True):
            if isinstance(row, str):
                problems.append(f"{shown(path)}:{line}: {row}")
            else:
                found.append({"line": str(line), **row})
        if problems:
            raise SheetError(problems)
        return found

    def _key(self, row: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(row[name] for name in self.key)

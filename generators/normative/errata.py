"""Errata of the original, and which rows differ from it because of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import RootModel

from polbias.generators.engine.entries import Entry, Name, Text
from polbias.generators.engine.templates import load_template
from polbias.generators.normative.frames import Domain, Task


class _Applies(Entry):
    domain: tuple[Domain, ...] | None = None
    task: tuple[Task, ...] | None = None
    pattern: tuple[str, ...] | None = None
    prompt_style: tuple[str, ...] | None = None


class Erratum(Entry):
    """One error.

    Attributes:
        id: unique.
        where: in the paper or its data.
        found: what is wrong.
        corrected: what is done instead.
        applies: the rows that differ because of it.
    """

    id: Name
    where: Text
    found: Text
    corrected: Text
    applies: _Applies | Literal["none"]

    def concerns(self, domain: Domain, task: Task, pattern: str, prompt_style: str | None) -> bool:
        """Tell whether a row differs from the original because of this."""
        if self.applies == "none":
            return False
        row = {"domain": domain, "task": task, "pattern": pattern, "prompt_style": prompt_style}
        wanted = {name: getattr(self.applies, name) for name in row}
        return all(levels is None or row[name] in levels for name, levels in wanted.items())


class _Errata(RootModel[tuple[Erratum, ...]]):
    pass


def load_errata(folder: Path) -> Sequence[Erratum]:
    """Read the errata.

    Raises:
        TemplateError: naming file, line and field.
    """
    return load_template(folder / "errata.yaml", _Errata).root

"""What the engine has to be told about a kind of benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from polbias.generators.logic.audit.columns import Role
from polbias.generators.logic.audit.items import Item, Judgement


@dataclass(frozen=True)
class Layout:
    """How the files of a format look.

    Attributes:
        roles: of the columns; ``id``, ``gold`` and ``pattern`` among them.
        texts: the roles that hold an item's sentences.
        labels: spelling of a gold label to whether it says that the conclusion follows; the first spelling of
            each is the one in reports.
        repeated: groups of roles whose texts together make a duplicate; the first group counts that the file
            has columns for.
        cell: the role that a design balances within each pattern.
        uniform: whether a design also has all patterns equally often.
    """

    roles: Sequence[Role]
    texts: Sequence[str]
    labels: Mapping[str, bool]
    repeated: Sequence[Sequence[str]]
    cell: str
    uniform: bool = True

    def label(self, gold: bool) -> str:
        """Return the spelling of a gold label in reports."""
        return next(label for label, says in self.labels.items() if says is gold)


class Format(Protocol):
    """A kind of benchmark."""

    @property
    def name(self) -> str:
        """As on the command line."""

    @property
    def layout(self) -> Layout:
        """How its files look."""

    @property
    def exemplars(self) -> Sequence[Sequence[str]]:
        """Texts of the few-shot exemplars that its paper prints."""

    @property
    def meanings(self) -> Mapping[str, str]:
        """Its own codes of findings, each with what it means."""

    def judge(self, item: Item, neighbours: Sequence[Item]) -> Judgement:
        """Judge an item.

        Args:
            item: one with texts and a known label.
            neighbours: the items before and after it in the file, as far as there are any.
        """

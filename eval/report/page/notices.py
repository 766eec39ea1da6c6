"""Notices, serious ones first, each wording once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from polbias.eval.report.document import Notice


@dataclass(frozen=True)
class MergedNotice:
    """One or more notices that say the same of different places.

    Attributes:
        found: what is the matter.
        done: what was done about it.
        serious: whether figures are affected.
        where: the places, in order.
    """

    problem: str
    done: str
    serious: bool
    where: tuple[str, ...]


def merge_notices(notices: Iterable[Notice]) -> list[MergedNotice]:
    """Return notices with equal words as one, serious ones first."""
    locations: dict[tuple[bool, str, str], dict[str, None]] = {}
    for notice in notices:
        locations.setdefault((notice.serious, notice.problem, notice.action), {})[notice.where] = None
    ordered = sorted(locations, key=lambda key: not key[0])
    return [
        MergedNotice(problem, action, serious, tuple(locations[serious, problem, action]))
        for serious, problem, action in ordered
    ]

"""Merge notices with equal wording, serious ones first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from polbias.eval.report.document import Notice


@dataclass(frozen=True)
class MergedNotice:
    """One or more notices with equal wording.

    Attributes:
        problem: the problem.
        done: the action taken.
        serious: whether figures are affected.
        where: files, tasks or respondents, in order.
    """

    problem: str
    done: str
    serious: bool
    where: tuple[str, ...]


def merge_notices(notices: Iterable[Notice]) -> list[MergedNotice]:
    """Merge notices with equal wording, serious ones first."""
    locations: dict[tuple[bool, str, str], dict[str, None]] = {}
    for notice in notices:
        locations.setdefault((notice.serious, notice.problem, notice.action), {})[notice.where] = None
    ordered = sorted(locations, key=lambda key: not key[0])
    return [
        MergedNotice(problem, action, serious, tuple(locations[serious, problem, action]))
        for serious, problem, action in ordered
    ]

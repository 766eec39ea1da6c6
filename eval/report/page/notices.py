"""Notices, serious ones first, with the same words said once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from polbias.eval.report.document import Notice


@dataclass(frozen=True)
class Said:
    """One or more notices that say the same of different places.

    Attributes:
        found: what is the matter.
        done: what was done about it.
        serious: whether figures are affected.
        where: the places, in order.
    """

    found: str
    done: str
    serious: bool
    where: tuple[str, ...]


def said(notices: Iterable[Notice]) -> list[Said]:
    """Return notices with equal words as one, serious ones first.

    Args:
        notices: in any order; that of the first of each kind is kept.
    """
    places: dict[tuple[bool, str, str], dict[str, None]] = {}
    for notice in notices:
        places.setdefault((notice.serious, notice.found, notice.done), {})[notice.where] = None
    ordered = sorted(places, key=lambda key: not key[0])
    return [
        Said(found, done, serious, tuple(places[serious, found, done])) for serious, found, done in ordered
    ]

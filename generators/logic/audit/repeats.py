"""Which items of a file come again: 16 bytes an item, however large the file."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from polbias.generators.logic.audit.items import text_key


class Survey:
    """Collects what could be repeated; `finish` says what was.

    Only hashes are kept, 8 bytes for the text with its label and 8 for the id.
    """

    def __init__(self) -> None:
        self._texts = array("Q")
        self._ids = array("Q")

    def add(self, text: int, gold: bool, identifier: str | None) -> None:
        """Add an item.

        Args:
            text: 63-bit hash of its text.
            gold: its label.
            identifier: its id, if it has one.
        """
        self._texts.append(text << 1 | gold)
        if identifier is not None:
            self._ids.append(text_key((identifier,)))

    def finish(self) -> Repeats:
        """Return what is repeated; the collected hashes are given up."""
        ids = _sorted(self._ids)
        again = _again(ids, ids[1:] == ids[:-1])
        self._ids = array("Q")
        del ids
        labelled = _sorted(self._texts)
        different = labelled[1:] != labelled[:-1]
        labelled >>= 1
        same = labelled[1:] == labelled[:-1]
        texts = _again(labelled, same)
        conflicting = _again(labelled, same & different)
        self._texts = array("Q")
        return Repeats(texts, conflicting, again)


class Repeats:
    """What is repeated, to be asked item by item in the order of the file.

    Args:
        texts: hashes of texts that come more than once, in order.
        conflicting: those of them with both labels, in order.
        ids: hashes of ids that come more than once, in order.
    """

    def __init__(self, texts: Any, conflicting: Any, ids: Any) -> None:
        self._texts = texts
        self._conflicting = conflicting
        self._ids = ids
        self._text_lines = np.zeros(len(texts), np.uint32)
        self._id_lines = np.zeros(len(ids), np.uint32)

    def restart(self) -> None:
        """Begin with the first item again."""
        self._text_lines[:] = 0
        self._id_lines[:] = 0

    def text(self, text: int, line: int) -> int | None:
        """Return the line of the first item with the same text, unless this is the first one."""
        return _first(self._texts, self._text_lines, text, line)

    def identifier(self, identifier: str, line: int) -> int | None:
        """Return the line of the first item with the same id, unless this is the first one."""
        return _first(self._ids, self._id_lines, text_key((identifier,)), line)

    def conflicting(self, text: int) -> bool:
        """Tell whether the same text has both labels in the file."""
        return _place(self._conflicting, text) is not None


def _sorted(hashes: array[int]) -> Any:
    if not hashes:
        return np.empty(0, np.uint64)
    values = np.frombuffer(hashes, np.uint64)  # a view: sorting is in place
    values.sort()
    return values


def _again(values: Any, marked: Any) -> Any:
    """Return the values of which a later one is marked, each once; sorted, without sorting again."""
    found = values[1:][marked]
    first = np.ones(len(found), bool)
    first[1:] = found[1:] != found[:-1]
    return found[first]


def _place(values: Any, wanted: int) -> int | None:
    if not len(values):
        return None
    place = int(np.searchsorted(values, np.uint64(wanted)))
    return place if place < len(values) and int(values[place]) == wanted else None


def _first(values: Any, lines: Any, wanted: int, line: int) -> int | None:
    place = _place(values, wanted)
    if place is None:
        return None
    if not lines[place]:
        lines[place] = line
        return None
    return int(lines[place])

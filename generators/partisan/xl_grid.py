"""Values over a grid of factors, reduced to the factors that they depend on; texts cut at their marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from polbias.generators.engine import Factor, Join, Lookup
from polbias.generators.engine.family import STRING
from polbias.generators.engine.product import Product

Objects = NDArray[np.object_]


class Filler(NamedTuple):
    """What is put in the place of a mark: its kind, such as ``"name"``, and its values."""

    kind: str
    values: Lookup


Fillers = Mapping[str, Filler]
Cut = list[str | None]


class Grid:
    """The levels of those factors that grammar looks at.

    Args:
        levels: factor name to levels, of the whole product.
        over: the factors of the grid, slowest first.
    """

    def __init__(self, levels: Mapping[str, Sequence[Any]], over: Sequence[str]) -> None:
        self._sizes = {name: len(values) for name, values in levels.items()}
        self._levels = {name: levels[name] for name in over if name in levels}

    def values(self, make: Callable[..., Any]) -> Objects:
        """Return ``make(**levels)`` for every combination, one axis per factor."""
        names = tuple(self._levels)
        every = product(*self._levels.values())
        made = [make(**dict(zip(names, combination, strict=True))) for combination in every]
        return _objects(made).reshape([len(levels) for levels in self._levels.values()])

    def lookup(self, values: Objects, kind: Any = STRING) -> Lookup:
        """Return values over the factors that they depend on."""
        names, reduced = self._reduced(values)
        return Lookup(factors=names, values=pa.array(reduced.ravel().tolist(), kind))

    def join(self, texts: Objects, fillers: Fillers) -> Join:
        """Return texts in which every mark is replaced by its filler."""
        cuts = aligned([_cut(text, fillers) for text in texts.ravel()], fillers)
        parts: list[str | Lookup] = []
        for place, pieces in enumerate(zip(*cuts, strict=True)):
            column = _objects(pieces).reshape(texts.shape)
            parts.append(self._filled(column, fillers) if place % 2 else self.lookup(column))
        return Join(parts=tuple(parts))

    def _filled(self, marks: Objects, fillers: Fillers) -> Lookup:
        """Return the filler of the mark at every point; an empty text where there is no mark."""
        names, reduced = self._reduced(marks)
        used = {mark: fillers[mark].values for mark in dict.fromkeys(reduced.ravel()) if mark}
        factors = tuple(dict.fromkeys((*names, *(name for f in used.values() for name in f.factors))))
        at = np.indices([self._sizes[name] for name in factors], np.int32)
        chosen = np.empty(at.shape[1:], object)
        chosen[...] = reduced[tuple(at[: len(names)])]
        found = np.full(chosen.shape, "", object)
        for mark, filler in used.items():
            code = np.zeros(chosen.shape, np.int64)
            for name in filler.factors:
                code = code * self._sizes[name] + at[factors.index(name)]
            here = chosen == mark
            found[here] = _objects(filler.values.to_pylist())[code[here]]
        return Lookup(factors=factors, values=pa.array(found.ravel().tolist(), STRING))

    def _reduced(self, values: Objects) -> tuple[tuple[str, ...], Objects]:
        """Drop every factor along which the values never change."""
        names = list(self._levels)
        for axis in reversed(range(values.ndim)):
            first = values.take([0], axis)
            if bool(np.all(values == first)):
                values = first.squeeze(axis)
                del names[axis]
        return tuple(names), values


def flat(expression: Join, factors: Sequence[Factor]) -> Lookup:
    """Return one lookup for a join of lookups over few factors."""
    names = {name for part in expression.parts if isinstance(part, Lookup) for name in part.factors}
    space = Product([factor for factor in factors if factor.name in names])
    rows = space.flat(0, space.rows)
    values = [
        part.values.take(pa.array(space.codes(rows, part.factors))) if isinstance(part, Lookup) else part
        for part in expression.parts
    ]
    return Lookup(factors=tuple(space.sizes), values=pc.binary_join_element_wise(*values, ""))


def _objects(values: Sequence[Any]) -> Objects:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _cut(text: str | None, marks: Fillers) -> Cut:
    """Return text, mark, text, mark, ..., text; of no text nothing."""
    if text is None:
        return [None]
    found = re.split(f"([{''.join(marks)}])", text)
    return list(found)


def aligned(cuts: Sequence[Cut], fillers: Fillers) -> list[Cut]:
    """Bring marks of one kind into one column, whatever the order in which a text has them.

    Without this, one column would hold a name in one row and a comparison in another, and its lookup would be
    over the factors of both.
    """
    kinds = [[fillers[mark].kind for mark in cut[1::2] if mark] for cut in cuts]
    columns: list[str] = []
    for sequence in dict.fromkeys(map(tuple, kinds)):
        # A sequence that contains both, in order and with gaps.
        second = list(sequence)
        found: list[str] = []
        for _, a, b, c, d in SequenceMatcher(None, columns, second, autojunk=False).get_opcodes():
            found += columns[a:b]
            if columns[a:b] != second[c:d]:
                found += second[c:d]
        columns = found
    return [_spread(cut, own, columns) for cut, own in zip(cuts, kinds, strict=True)]


def _spread(cut: Cut, kinds: Sequence[str], columns: Sequence[str]) -> Cut:
    nothing = None if cut[0] is None else ""
    found, done = [cut[0]], 0
    for kind in columns:
        if done < len(kinds) and kinds[done] == kind:
            found += cut[2 * done + 1 : 2 * done + 3]
            done += 1
        else:
            found += [None, nothing]
    return found

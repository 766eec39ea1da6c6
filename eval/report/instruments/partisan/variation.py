"""Accuracy by how the argument is put, averaged over models (Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from polbias.eval.columns import Factor
from polbias.eval.partisan.analysis import Cell, weighted_interval
from polbias.eval.partisan.answers import SCOPES, Asked
from polbias.eval.report.document import Cell as Shown
from polbias.eval.report.document import Column, Estimate, Table, columns, table_of
from polbias.eval.report.instruments.partisan.layout import Mode, language_name, levels
from polbias.eval.report.instruments.partisan.wording import called

FRONT = ("method", "items", "language", "shots", "kind", "gold")


def variation_table(everyone: Sequence[Asked], mode: Mode) -> Table | None:
    """Return the accuracy of the respondents together, those of each method apart.

    Args:
        everyone: what each respondent was asked.
        mode: "corrected", or "paper", which leaves out answers without a verdict.

    Returns:
        The table, None if there are no answers.
    """
    rows: list[dict[str, Shown]] = []
    variations = levels(everyone, "variation")
    for method in sorted({each.method for each in everyone}):
        own = [each for each in everyone if each.method == method]
        for scope, language, shots, kind, gold in _lines(own):
            chosen = {"scope": scope, "language": language, "shots": shots, "kind": kind, "gold": gold}
            found: dict[str, Shown] = {
                name: _together(own, mode, {**chosen, "variation": name}) for name in variations
            }
            if any(each is not None for each in found.values()):
                front = (
                    *(called("method", method), called("items", scope), language_name(language)),
                    *(shots, called("kind", kind), called("gold", gold)),
                )
                rows.append({**dict(zip(FRONT, front, strict=True)), **found})
    shown = (
        *columns("method items language shots:count kind gold"),
        *(Column(name, "share", called("variation", name)) for name in variations),
    )
    return table_of("variation", shown, rows, mode) if rows else None


def _lines(own: Sequence[Asked]) -> Iterator[tuple[str, str, int, str, str]]:
    for scope in SCOPES:
        for language in levels(own, "language", scope=scope):
            shown = {"scope": scope, "language": language}
            kinds, golds = levels(own, "kind", **shown), sorted(levels(own, "gold", **shown), reverse=True)
            yield from (
                (scope, language, *each) for each in product(levels(own, "shots", **shown), kinds, golds)
            )


def _together(own: Sequence[Asked], mode: Mode, chosen: Mapping[str, Any]) -> Estimate | None:
    """The accuracy of several respondents, each with the same weight; None where none was asked."""
    cells = []
    for asked in own:
        mask = asked.where(**chosen) & asked.where(config=asked.pooled(chosen["scope"]))
        if mode == "paper":
            mask &= asked.rows.answered
        cells.append(Cell(asked, mask))
    cells = [cell for cell in cells if cell.n]
    if not cells:
        return None
    right = np.concatenate([cell.rows.label == cell.rows.gold for cell in cells])
    weights = np.concatenate([cell.weights / cell.n for cell in cells])
    low, value, high, clusters = weighted_interval(right, weights, _clusters(cells), (0.0, 1.0))
    n, refusals = sum(cell.n for cell in cells), sum(cell.refusals for cell in cells)
    unparsable, truncated = sum(cell.unparsable for cell in cells), sum(cell.truncated for cell in cells)
    if mode == "paper":
        return Estimate(value, n=n)
    return Estimate(value, low, high, n, clusters, refusals, unparsable, truncated)


def _clusters(cells: Sequence[Cell]) -> Factor:
    names: list[object] = []
    for cell in cells:
        factor = cell.rows.clusters
        names += [] if factor is None else [factor.levels[code] for code in factor.codes.tolist()]
    return Factor.of(names)

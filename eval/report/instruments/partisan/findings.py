"""The tested estimates: the bias of every sub-corpus, and of all of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from polbias.eval.partisan.analysis import Cell
from polbias.eval.partisan.answers import POLITICAL, SCOPES, Asked
from polbias.eval.report.document import Finding, Scores, with_gap
from polbias.eval.report.instruments.partisan.layout import config_name
from polbias.eval.report.instruments.partisan.wording import NAME, examples, say
from polbias.eval.report.numbers import known

MEASURES = {
    "political": "weighted_bias",
    "control": "control_bias",
    "printed": "printed_bias",
    "printed_control": "printed_control_bias",
}
"""Scope to the measure of its bias."""


def findings(asked: Asked, seed: int) -> Iterator[Finding]:
    """Yield the findings of a respondent: of each scope as a whole, then of its configs and shots.

    Args:
        asked: what it was asked.
        seed: of sign flips.
    """
    for scope in SCOPES:
        configs = asked.levels("config", scope=scope)
        if not configs:
            continue
        whole = Cell(asked, asked.where(config=asked.pooled(scope)))
        yield from with_gap(_finding(whole, scope, "", "", seed, headline=scope == POLITICAL))
        for config in configs:
            for shots in asked.levels("shots", config=config):
                about = say("about_cell", config=config_name(asked, config), shots=examples(shots))
                cell = Cell(asked, asked.where(config=config, shots=shots))
                yield _finding(cell, scope, f"{config}/{shots}", about, seed)


def _finding(cell: Cell, scope: str, key: str, about: str, seed: int, headline: bool = False) -> Finding:
    flip = cell.tested(seed)
    compared = cell.asked.method == "log-likelihood"
    return Finding(
        NAME,
        cell.asked.name,
        MEASURES[scope],
        key,
        about,
        cell.bias(p=known(flip.p_value)),
        headline=headline,
        smallest_p=flip.smallest_p,
        bounds=cell.bounds(),
        refusal_gap=None if compared else cell.refusal_gap(seed if headline else None),
        scores=_scores(cell) if cell.support.estimable else None,
    )


def _scores(cell: Cell) -> Scores:
    """Contributions by item; those of several answers to one add up, scaled so that the mean is the bias."""
    items, clusters = cell.asked.items, cell.rows.clusters
    present, first, item = np.unique(items.codes[cell.mask], return_index=True, return_inverse=True)
    sums = np.bincount(item, weights=cell.contributions, minlength=present.size).astype(np.float64)
    names = [] if clusters is None else [str(clusters.levels[code]) for code in clusters.codes[first]]
    return Scores([str(items.levels[code]) for code in present], sums * (present.size / cell.n), names)

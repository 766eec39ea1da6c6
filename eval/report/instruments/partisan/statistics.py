"""Tables of one line per test: all statistics of a scope, of a sub-corpus, of log-likelihoods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polbias.eval.partisan.analysis import Cell
from polbias.eval.partisan.answers import SCOPES, Asked
from polbias.eval.report.document import Cell as Shown
from polbias.eval.report.document import Table, columns
from polbias.eval.report.instruments.partisan.layout import Line, Mode, by_language, config_name, levels, long
from polbias.eval.report.instruments.partisan.wording import called, say
from polbias.eval.report.numbers import known
from polbias.eval.ztest import z_test

_CORRECTED = columns(
    "bias:points p:p smallest_p:p clusters:count bound_low:points bound_high:points refusal_gap:points "
    "unanswered_gap:points unweighted:points accuracy:share"
)
_PAPER = columns(
    "n:count discarded:count accuracy:share bias:points unweighted:points mean:number sd:number z:number p:p "
    "leaning"
)
_LIKELIHOOD = columns("probability_bias:points bias:points mass:share")


def tests_table(everyone: Sequence[Asked], mode: Mode, seed: int) -> Table | None:
    """Return the test of every model by language and over all (Table 10).

    Args:
        everyone: what each respondent was asked.
        mode: of the table.
        seed: of sign flips.
    """
    lines = []
    for scope in SCOPES:
        own = by_language(everyone, scope)
        lines += own
        if len(own) > 1:
            labels = {"items": called("items", scope), "language": say("all_languages")}
            lines.append(Line(labels, {"scope": scope}))
    return _statistics("tests", everyone, lines, mode, seed)


def cells_table(everyone: Sequence[Asked], mode: Mode, seed: int) -> Table | None:
    """Return all statistics of every sub-corpus: config and number of examples.

    Args:
        everyone: what each respondent was asked.
        mode: of the table.
        seed: of sign flips.
    """
    names = {config: config_name(one, config) for one in everyone for config in one.levels("config")}
    lines = [
        Line({"config": names[config], "shots": shots}, {"config": config, "shots": shots}, True)
        for scope in SCOPES
        for config in levels(everyone, "config", scope=scope)
        for shots in levels(everyone, "shots", config=config)
    ]
    return _statistics("cells", everyone, lines, mode, seed)


def _statistics(
    id: str, everyone: Sequence[Asked], lines: Sequence[Line], mode: Mode, seed: int
) -> Table | None:
    if mode == "paper":
        return long(id, everyone, lines, _PAPER, _as_printed, mode)
    return long(id, everyone, lines, _CORRECTED, lambda cell: _corrected(cell, seed), mode)


def _corrected(cell: Cell, seed: int) -> dict[str, Shown]:
    flip = cell.tested(seed)
    low, high = cell.bounds()
    bias = cell.bias(p=known(flip.p_value))
    return {
        "bias": bias,
        "p": bias.p,
        "smallest_p": flip.smallest_p,
        "clusters": flip.clusters,
        "bound_low": low,
        "bound_high": high,
        "refusal_gap": cell.refusal_gap(),
        "unanswered_gap": cell.unanswered_gap(),
        "unweighted": cell.unweighted(),
        "accuracy": cell.accuracy(),
    }


def _as_printed(cell: Cell) -> dict[str, Shown]:
    test = z_test(cell.rows)
    weighted, unweighted = cell.paper()
    return {
        "n": test.n,
        "discarded": cell.unanswered,
        "accuracy": cell.paper_accuracy(),
        "bias": weighted,
        "unweighted": unweighted,
        "mean": known(test.mean),
        "sd": known(test.sd),
        "z": known(test.z),
        "p": known(test.p_value),
        "leaning": called("leaning", test.leaning),
    }


def likelihood_table(everyone: Sequence[Asked]) -> Table | None:
    """Return what the probabilities of the two labels say, beyond which is the likelier.

    Args:
        everyone: what each respondent was asked; only log-likelihoods count.
    """
    own = [each for each in everyone if bool(np.isfinite(each.mass).any())]
    lines = [line for scope in SCOPES for line in by_language(own, scope)]
    return long("likelihood", own, lines, _LIKELIHOOD, _likelihood, "corrected")


def _likelihood(cell: Cell) -> dict[str, Shown]:
    return {"probability_bias": cell.probability_bias(), "bias": cell.bias(), "mass": cell.mass()}

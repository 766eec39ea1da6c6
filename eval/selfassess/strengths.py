"""Strengths of the perspectives, by Bradley and Terry's model as evalica fits it, without positions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from polbias.eval.selfassess.schema import SIDES, Judgements
from polbias.files import PolbiasError
from polbias.optional import advice

_TOLERANCE, _LIMIT = 1e-12, 10_000


def strengths(cell: Judgements) -> dict[str, Any]:
    """Return the strength of each side: how often it would be chosen if every side stood beside the others.

    A choice counts as a win over each of the articles that were left. Positions are ignored; the model of
    :func:`polbias.eval.selfassess.choice_model.choice_model` takes them in, and says the same where they do
    not matter.

    Args:
        cell: Judgements of one set, question, role and number of articles.

    Returns:
        ``left``, ``neutral`` (null in a choice of two), ``right``, which add up to 1; ``n`` choices; ``note``
        why there are none (a side that is always or never chosen has no finite strength).

    Raises:
        PolbiasError: If evalica is not installed.

    Source:
        Bradley and Terry (1952), as above; breaking a choice of several into its pairs keeps the estimate
        consistent: Azari Soufiani, Chen, Parkes and Xia, "Generalized method-of-moments for rank aggregation"
        (2013).
    """
    try:
        import evalica
    except ImportError:
        raise PolbiasError(f"evalica: not installed, but the analysis needs it; {advice('eval')}") from None
    ways = int(cell.ways[0])
    codes = (-1, 1) if ways == 2 else (-1, 0, 1)
    wins = {code: int(np.count_nonzero(cell.side == code)) for code in codes}
    found: dict[str, Any] = {"left": math.nan, "neutral": None if ways == 2 else math.nan, "right": math.nan}
    found |= {"n": sum(wins.values()), "note": ""}
    if not all(wins.values()):
        absent = ", ".join(SIDES[code + 1] for code in codes if not wins[code])
        return found | {"note": f"never chosen: {absent}"}
    pairs = [(one, two) for one in codes for two in codes if one != two]
    result = evalica.bradley_terry(
        [SIDES[one + 1] for one, _ in pairs],
        [SIDES[two + 1] for _, two in pairs],
        [evalica.Winner.X] * len(pairs),
        weights=[float(wins[one]) for one, _ in pairs],
        tolerance=_TOLERANCE,
        limit=_LIMIT,
    )
    scores = result.scores / result.scores.sum()
    return found | {SIDES[code + 1]: float(scores[SIDES[code + 1]]) for code in codes}

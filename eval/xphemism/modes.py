"""The four named analyses of Eq. 1: which rows, which labels, which errors.

| mode        | a row is            | shift from  | claims without a shift | axis term | errors      |
|-------------|---------------------|-------------|------------------------|-----------|-------------|
| `paper`     | an answer           | the data    | kept                   | yes       | plain       |
| `code`      | an answer           | the answers | dropped                | no        | plain       |
| `clustered` | an answer           | the data    | kept                   | yes       | CR1 by pair |
| `corrected` | a claim (k of runs) | the data    | kept                   | yes       | CR1 by pair |
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from polbias.eval.columns import Factor, OutcomesError
from polbias.eval.xphemism.regression import Design
from polbias.eval.xphemism.schema import ARMS, AXES, Records

Mode: TypeAlias = Literal["paper", "code", "clustered", "corrected"]
Axis: TypeAlias = Literal["both", "social", "economic"]

MODES: tuple[Mode, ...] = ("paper", "code", "clustered", "corrected")
DIMENSIONS: tuple[Axis, ...] = ("both", "social", "economic")
CLUSTERED = ("clustered", "corrected")
TERMS = ("axis", "judgmental_base", "judgmental_exchange", "shift")
"""The terms that are reported, in the order of Table 3; beside them there are the intercept, the gold label
and the mean verdict on the base claim."""


def shifted_on(records: Records, axis: Axis) -> Records:
    """Return the rows with a shifted word whose pair is on an axis; "both" is the social and the economic.

    Args:
        records: Answered pairs.
        axis: One of :data:`DIMENSIONS`.
    """
    mine = records.axis != 0 if axis == "both" else records.axis == AXES.index(axis)
    return records.select(mine & (records.arm == ARMS.index("shifted")))


def design(records: Records, axis: Axis, mode: Mode) -> Design:
    """Set up the regression of a mode for the rows of one model, prompt and language.

    In every mode the mean over the runs that have a verdict stands for the base claim; a claim that has none
    on its base or on its exchanged form is left out.

    Args:
        records: Answered pairs of one group.
        axis: Which pairs; "both" has a term for the axis, save in the mode "code".
        mode: One of :data:`MODES`.

    Returns:
        The regression.

    Raises:
        OutcomesError: If the mode is unknown.

    Source:
        Jakob et al. (2025), section 4.2, Eq. 1, and the script published with it.
    """
    if mode not in MODES:
        raise OutcomesError(f"mode: found {mode!r}, expected {' or '.join(MODES)}")
    rows = shifted_on(records, axis)
    kept = (rows.base_valid > 0) & (rows.exchange_valid > 0)
    if mode == "code":
        kept &= rows.shift_in_answers != 0
    rows = rows.select(kept)
    named = {
        "intercept": np.ones(rows.n),
        "gold": rows.gold,
        "base_truth": rows.base_truth,
        "judgmental_base": rows.judgmental_base,
        "judgmental_exchange": rows.judgmental_exchange,
        "shift": rows.shift_in_answers if mode == "code" else rows.shift,
    }
    if axis == "both" and mode != "code":
        named["axis"] = rows.axis == AXES.index("social")
    claims = Design(
        successes=rows.exchange[:, 1].astype(np.float64),
        trials=rows.exchange_valid.astype(np.float64),
        columns=np.column_stack([np.asarray(values, np.float64) for values in named.values()]),
        terms=tuple(named),
        clusters=rows.cluster,
    )
    return claims if mode == "corrected" else _exploded(claims)


def _exploded(claims: Design) -> Design:
    """One row per answer in place of one per claim."""
    sizes = claims.trials.astype(np.intp)
    index = np.repeat(np.arange(claims.n), sizes)
    order = np.arange(index.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return Design(
        successes=(order < claims.successes[index]).astype(np.float64),
        trials=np.ones(index.size),
        columns=claims.columns[index],
        terms=claims.terms,
        clusters=Factor(claims.clusters.codes[index], claims.clusters.levels),
    )

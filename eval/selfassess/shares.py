"""How often each side is chosen (Kennedy et al. 2025, Table 4), with every outcome in the denominator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from zlib import crc32

import numpy as np

from polbias.aliases import Booleans, Json
from polbias.eval.columns import Mode, OutcomesError
from polbias.eval.selfassess.estimates import POINTS, estimate, named
from polbias.eval.selfassess.schema import OUTCOMES, QUESTIONS, ROLES, SIDES, Judgements
from polbias.eval.support import Support, support

SEED = 2025
"""Seed of the order that the mode "paper" takes of each topic."""

_BOUNDS = (-1.0, 1.0)


def cells(judgements: Judgements) -> Iterator[tuple[Json, Judgements]]:
    """Yield the cells of the design that have judgements: set, question, role and number of articles."""
    for set_code, set_name in enumerate(judgements.set.levels):
        own = judgements.select(judgements.set.codes == set_code)
        for question, question_name in enumerate(QUESTIONS):
            for role, role_name in enumerate(ROLES):
                for ways in (2, 3):
                    mask = (own.question == question) & (own.role == role) & (own.ways == ways)
                    if mask.any():
                        names = {"set": set_name, "question": question_name, "role": role_name, "ways": ways}
                        yield names, own.select(mask)


def side_shares(cell: Judgements, test: bool = True, mode: Mode = "corrected") -> Json:
    """Return what became of the judgements of a cell.

    Args:
        cell: Judgements of one set, question, role and number of articles.
        test: Whether to make the sign flip of the bias; without it its p is NaN.
        mode: Of the judgements; in that of the paper nothing stands against an estimate.

    Returns:
        ``n``, ``clusters``; shares of left, right and neutral (null in a choice of two) with their intervals;
        shares of the other outcomes; ``bias``, right minus left in percentage points, with interval, error, p
        of the sign flip of whole topics and minimum detectable effect; ``worst_low`` and ``worst_high``, the
        bias if every answer without a choice had favoured the left, or the right; ``state``, why the bias is
        not estimated or has no interval, and at the ceiling ``limit``, the upper limit of the share of topics
        on which a side is chosen more often.
    """
    found: Json = {"n": cell.n, "clusters": int(np.unique(cell.item.codes).size)}
    three = bool((cell.ways == 3).any())
    for code, side in enumerate(SIDES, -1):
        if code or three:
            share = estimate(cell.answered & (cell.side == code), cell.item)
            found |= named(share, side, short=True)
        else:
            found |= {f"{side}{end}": None for end in ("", "_low", "_high")}
    for code, outcome in enumerate(OUTCOMES[1:], 1):
        found[outcome] = float(np.mean(cell.outcome == code)) if cell.n else None
    lean = cell.lean.astype(np.float64)
    bias = named(estimate(lean, cell.item, _BOUNDS, "flip" if test else ""), "bias", POINTS)
    carried = choice_support(cell)
    state = carried.state if mode == "corrected" else None
    if state:
        bias = {name: bias[name] if name == "bias" and carried.estimable else math.nan for name in bias}
    limit = carried.limit if state == "at the ceiling" else math.nan
    found |= {**bias, "state": state, "limit": limit}
    unanswered = float(np.mean(~cell.answered)) if cell.n else 0.0
    mean = float(lean.mean()) if cell.n else float("nan")
    return found | {
        "worst_low": POINTS * (mean - unanswered),
        "worst_high": POINTS * (mean + unanswered),
    }


def choice_support(rows: Judgements) -> Support:
    """What a bias among choices rests on.

    Every choice is between both sides, so that none can be answered on one side only. The labels are the
    places of the articles. A topic is discordant if its orders do not cancel out in some cell of the design.

    Args:
        rows: Judgements of one set.
    """
    keys = np.stack([rows.item.codes, rows.question, rows.role, rows.ways])
    pairs = np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1)
    return support(np.zeros(rows.n), rows.choice - 1, rows.item, pairs, rows.lean)


def in_mode(judgements: Judgements, mode: Mode, seed: int = SEED) -> Judgements:
    """Return the judgements that a mode considers.

    Args:
        judgements: Any.
        mode: "corrected": all of them; "paper": of each topic, role, question and number of articles the one
            order that the seed draws (articles are "randomly shuffled", section 4), if its answer is a choice
            (others are "skipped", section 5).
        seed: Of the drawn order.

    Raises:
        OutcomesError: If the mode is neither.
    """
    if mode == "corrected":
        return judgements
    if mode != "paper":
        raise OutcomesError(f"mode: found {mode!r}, expected 'corrected' or 'paper'")
    drawn = judgements.select(one_order(judgements, seed))
    return drawn.select(drawn.answered)


def one_order(judgements: Judgements, seed: int = SEED) -> Booleans:
    """Return which rows are in the order drawn for their topic.

    A draw depends on the seed and the name of the topic alone, whatever else is in the table; roles and
    questions share it, so that they are compared alike.

    Args:
        judgements: Any.
        seed: Of the draw.
    """
    unit = judgements.unit.codes
    ranked = np.lexsort((judgements.arrangement, unit))
    sizes = np.bincount(unit, minlength=len(judgements.unit.levels))
    starts = np.cumsum(sizes) - sizes
    first = ranked[starts]
    codes, three = judgements.item.codes[first].tolist(), (judgements.ways[first] == 3).tolist()
    names = [str(judgements.item.levels[code]) for code in codes]
    drawn = [_draw(name, seed)[way] for name, way in zip(names, three, strict=True)]
    places = (np.array(drawn) * sizes).astype(np.intp)
    mask = np.zeros(judgements.n, np.bool_)
    mask[ranked[starts + places]] = True
    return mask


@lru_cache(maxsize=1 << 14)
def _draw(topic: str, seed: int) -> tuple[float, float]:
    """Return two numbers in [0, 1) for a topic: for choices of two and of three."""
    two, three = np.random.default_rng([seed, crc32(topic.encode())]).random(2).tolist()
    return two, three

"""Shares of choices, comparisons between perspectives, and their estimates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Codes, Document, Floats, Indices, Json
from polbias.eval.answer_table import AnalysisMode, CodedColumn, check_mode
from polbias.eval.estimability import Estimability
from polbias.eval.selfassess.answered import POINTS, Compared, linearised
from polbias.eval.selfassess.schema import OUTCOMES, QUESTIONS, ROLES, SIDES, ChoiceAnswers
from polbias.eval.sign_flip import sign_flip
from polbias.eval.statistics import cluster_interval, contrast, t_test

# Means of judgements with their interval, test, and the smallest effect that could be seen.


@dataclass(frozen=True)
class TopicMean:
    """A mean over judgements, clustered by topic.

    Args:
        value: The mean; NaN without rows.
        se: Its cluster-robust standard error; NaN below two topics.
        low: Lower end of the 95% interval; NaN below two topics.
        high: Upper end.
        p: Two-sided p of the test that it is 0; NaN where there is none.
        detectable: Minimum detectable effect: what a t test at .05 would find with 80% power.
        n: Number of judgements.
        clusters: Number of topics.
    """

    value: float
    se: float
    low: float
    high: float
    p: float
    detectable: float
    n: int
    clusters: int


def estimate(
    values: ArrayLike,
    topics: CodedColumn,
    bounds: tuple[float, float] = (0.0, 1.0),
    test: Literal["flip", "t", ""] = "",
    weights: Floats | None = None,
) -> TopicMean:
    """Take a mean with a t interval over topics, as :func:`polbias.eval.statistics.cluster_interval` does.

    Rows without a weight are left out; without weights all count alike.
    """
    numbers = signed = np.asarray(values, np.float64)
    if weights is not None:
        used = weights > 0
        signed, topics = (weights * numbers)[used], topics.select(used)
        numbers = linearised(numbers[used], weights[used])
    found = cluster_interval(numbers, topics, bounds=bounds)
    p = detectable = math.nan
    if math.isfinite(found.standard_error):
        _, p, detectable = t_test(found.estimate, found.standard_error, found.degrees_of_freedom)
    if test == "flip":
        p = sign_flip(signed, topics).p_value
    ends = found.estimate, found.standard_error, found.low, found.high
    return TopicMean(*ends, p if test else math.nan, detectable, found.n, found.clusters)


def named(found: TopicMean, name: str, scale: float = 1.0, short: bool = False) -> Document:
    """Return an estimate as fields of a table."""
    ends = {"": found.value, "_low": found.low, "_high": found.high}
    fields = {f"{name}{end}": scale * value for end, value in ends.items()}
    if short:
        return fields
    return fields | {"se": scale * found.se, "p": found.p, "detectable": scale * found.detectable}


# How often each side is chosen (Kennedy et al. 2025, Table 4), with every outcome in the denominator, and the
# bias, which is among the answered judgements.

SEED = 2025
"""Seed of the order that the mode "paper" takes of each topic."""

_BOUNDS = (-1.0, 1.0)


def cells(judgements: ChoiceAnswers) -> Iterator[tuple[Json, ChoiceAnswers]]:
    """The cells of the design that have judgements: set, question, role and number of articles."""
    return judgements.parts("set", "question", "role", "n_alternatives")


def side_shares(cell: ChoiceAnswers, test: bool = True, mode: AnalysisMode = "corrected") -> Json:
    """Return what became of the judgements of a cell, and the bias among those that can be compared.

    Args:
        cell: the judgements.
        test: whether the sign flip is made.
        mode: "paper": all judgements that are given count alike.
    """
    compared = Compared(cell)
    found: Json = {"n": cell.n, "clusters": cell.item.distinct}
    three = bool((cell.n_alternatives == 3).any())
    for code, side in enumerate(SIDES, -1):
        if code or three:
            share = estimate(cell.answered & (cell.side == code), cell.item)
            found |= named(share, side, short=True)
        else:
            found |= {f"{side}{end}": None for end in ("", "_low", "_high")}
    for code, outcome in enumerate(OUTCOMES[1:], 1):
        found[outcome] = float(np.mean(cell.outcome == code)) if cell.n else None
    weights = compared.weights if mode == "corrected" else None
    bias = named(estimate(cell.lean, cell.item, _BOUNDS, "flip" if test else "", weights), "bias", POINTS)
    state, limit = None, math.nan
    if mode == "corrected":
        carried = compared.support
        state = carried.state
        if not carried.has_interval:
            bias = {name: bias[name] if name == "bias" and carried.estimable else math.nan for name in bias}
            limit = carried.limit if carried.estimable else math.nan
    found |= {**bias, "state": state, "limit": limit}
    low, high = compared.bounds
    return found | {"bound_low": POINTS * low, "bound_high": POINTS * high}


def choice_estimability(rows: ChoiceAnswers) -> Estimability:
    """What a bias among choices rests on; see :attr:`Compared.support`."""
    return Compared(rows).support


def in_mode(judgements: ChoiceAnswers, mode: AnalysisMode, seed: int = SEED) -> ChoiceAnswers:
    """Return the judgements that a mode considers."""
    check_mode(mode)
    if mode == "corrected":
        return judgements
    drawn = judgements.select(one_order(judgements, seed))
    return drawn.select(drawn.answered)


def one_order(judgements: ChoiceAnswers, seed: int = SEED) -> Booleans:
    """Return which rows are in the order drawn for their topic.

    A draw depends on the seed and the name of the topic alone, whatever else is in the table; roles and
    questions share it, so that they are compared alike.
    """
    unit = judgements.unit.codes
    ranked = np.lexsort((judgements.arrangement, unit))
    sizes = np.bincount(unit, minlength=len(judgements.unit.levels))
    starts = np.cumsum(sizes) - sizes
    first = ranked[starts]
    names, three = judgements.item.select(first).names, (judgements.n_alternatives[first] == 3).tolist()
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


# Comparisons within topics: biased user against biased agent (Fig. 2), preference against bias (Fig. 3).


def agreement(rows: ChoiceAnswers) -> Json:
    """Return how often both questions about the same articles in the same order get the same answer."""
    first, second = _paired(rows)
    one, two = rows.choice[first], rows.choice[second]
    found = estimate((one == two) & (one > 0), rows.item.select(first))
    return {
        **named(found, "agreement", short=True),
        "agreement_expected": _by_chance(rows.arrangement[first], one, two),
        "pairs": found.n,
    }


def _by_chance(order: Indices, one: Codes, two: Codes) -> float:
    """Share of equal choices if the two answers were independent within each order."""
    if not one.size:
        return float("nan")
    total = 0.0
    for each in np.unique(order):
        own = order == each
        shares = [np.bincount(chosen[own], minlength=4)[1:] / own.sum() for chosen in (one, two)]
        total += float(own.mean() * (shares[0] @ shares[1]))
    return total


def _paired(rows: ChoiceAnswers) -> tuple[Indices, Indices]:
    """Rows of the two questions about the same articles in the same order, the first of each."""
    keys = ((rows.item.codes * 2 + rows.role) * 2 + (rows.n_alternatives == 3)) * 64 + rows.arrangement
    parts = []
    for question in range(2):
        own = np.flatnonzero(rows.question == question)
        present, places = np.unique(keys[own], return_index=True)
        parts.append((present, own[places]))
    _, one, two = np.intersect1d(parts[0][0], parts[1][0], assume_unique=True, return_indices=True)
    return parts[0][1][one], parts[1][1][two]


def _gap(rows: ChoiceAnswers, which: Codes, names: tuple[str, ...], mode: AnalysisMode) -> Json | None:
    """Bias in both cells and its difference, over the topics that are compared in both."""
    if not _in_both(rows.item, which, np.ones(rows.n)).any():
        return None
    common = _in_both(rows.item, which, _weights(rows, mode))
    weights = _weights(rows.select(common), mode)
    used = weights > 0
    own, cell, weights = rows.select(common).select(used), which[common][used], weights[used]
    lean = own.lean.astype(np.float64)
    found: Json = {}
    values = []
    for code, name in enumerate(names):
        mask = cell == code
        each = estimate(lean[mask], own.item.select(mask), (-1.0, 1.0), weights=weights[mask])
        found |= named(each, name, POINTS, short=True)
        values.append(each.value)
        lean[mask] = linearised(lean[mask], weights[mask])
    gap = contrast(lean, CodedColumn(cell.astype(np.intp), names), own.item, [-1.0, 1.0])
    *_, detectable = t_test(gap.estimate, gap.standard_error, gap.degrees_of_freedom)
    return found | {
        "difference": POINTS * gap.estimate,
        "difference_low": POINTS * gap.low,
        "difference_high": POINTS * gap.high,
        "se": POINTS * gap.standard_error,
        "p": gap.p_value,
        "detectable": POINTS * detectable,
        "magnitude": POINTS * (abs(values[1]) - abs(values[0])),
        "n": own.n,
        "clusters": gap.clusters,
    }


def _in_both(topics: CodedColumn, which: Codes, weights: Floats) -> Booleans:
    """True for rows of topics that have a weight in both cells."""
    sums = np.bincount(2 * topics.codes + which, weights, 2 * len(topics.levels)).reshape(-1, 2)
    both: Booleans = np.all(sums > 0, axis=1)[topics.codes]
    return both


def _weights(rows: ChoiceAnswers, mode: AnalysisMode) -> Floats:
    """Weight of each judgement among those that a mode compares."""
    return Compared(rows).weights if mode == "corrected" else np.ones(rows.n)


def by_role(judgements: ChoiceAnswers, mode: AnalysisMode = "corrected") -> Iterator[Json]:
    """Compare the bias among articles of a biased agent with that among articles for a biased user.

    By set, question and number of articles, wherever there are topics with both.

    Source:
        Kennedy et al., section 6.1 and Figure 2.
    """
    for names, rows in judgements.parts("set", "question", "n_alternatives"):
        if found := _gap(rows, rows.role, ROLES, mode):
            yield names | found


def by_question(judgements: ChoiceAnswers, mode: AnalysisMode = "corrected") -> Iterator[Json]:
    """Compare which articles are preferred with which are called the least biased.

    By set, role and number of articles, wherever there are topics with both questions.

    Source:
        Kennedy et al., section 6.2 and Figure 3.
    """
    for names, rows in judgements.parts("set", "role", "n_alternatives"):
        if found := _gap(rows, rows.question, QUESTIONS, mode):
            yield names | found | agreement(rows)

"""Conditional logit for choices among articles, with terms for what they say and for where they stand.

All that the model knows of a judgement is the order of the sides, so judgements are counted by topic, order
and choice, and the likelihood is one of a few cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from polbias.aliases import Booleans, Floats
from polbias.eval.selfassess.estimates import LEVEL, t_test
from polbias.eval.selfassess.schema import Judgements
from polbias.eval.separation import support

_STEPS = 100
_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a choice model, as a log-odds ratio.

    Args:
        term: What is compared, such as "right over left" or "first over last".
        coef: Natural logarithm of the odds with which the one is chosen over the other; NaN where the choices
            do not determine it, or drive it to infinity.
        se: Its standard error, clustered by topic (CR1).
        low: Lower end of the 95% t interval with G - 1 degrees of freedom.
        high: Upper end.
        p: Two-sided p of the t test.
        n: Choices.
        clusters: Topics among them.
        note: Why there is no estimate; empty as a rule.
    """

    term: str
    coef: float
    se: float
    low: float
    high: float
    p: float
    n: int
    clusters: int
    note: str


@dataclass(frozen=True, slots=True)
class Design:
    """The cells of a choice model.

    Args:
        alternatives: Terms of the article at each position, by order, shape ``(orders, ways, k)``.
        counts: How often each position was chosen, by topic and order, shape ``(topics, orders, ways)``.
        names: Names of the terms, shape ``(k,)``.
    """

    alternatives: Floats
    counts: Floats
    names: tuple[str, ...]


def choice_model(cell: Judgements, position: bool = True) -> list[Term]:
    """Fit a choice model to a cell: with two articles it is Bradley and Terry's with a term for the position.

    The probability of an article is proportional to exp(side + position). Answers without a choice say
    nothing about what would have been chosen and are left out; see the bounds beside the shares.

    Args:
        cell: Judgements of one set, question, role and number of articles.
        position: Whether positions have terms.

    Returns:
        "right over left", with three articles also "left over neutral" and "right over neutral"; then "first
        over last" (and "second over last").

    Source:
        McFadden, "Conditional logit analysis of qualitative choice behavior" (1974); Bradley and Terry, "Rank
        analysis of incomplete block designs" (1952), with a term for the order as Davidson and Beaver, "On
        extending the Bradley-Terry model to incorporate within-pair order effects" (1977).
    """
    design = tabulate(cell.select(cell.answered), int(cell.ways[0]), position)
    n, clusters = int(design.counts.sum()), len(design.counts)
    found = fit(design)
    terms = []
    for name, weights in _contrasts(design.names):
        note = _note(weights, found, clusters, n)
        if note:
            terms.append(Term(name, *(math.nan,) * 5, n, clusters, note))
            continue
        value = float(weights @ found.coef)
        error = math.sqrt(max(float(weights @ found.covariance @ weights), 0.0))
        terms.append(_term(name, value, error, n, clusters))
    return terms


def tabulate(choices: Judgements, ways: int, position: bool = True) -> Design:
    """Count choices by topic and order.

    Args:
        choices: Judgements with a choice among ``ways`` articles.
        ways: 2 or 3.
        position: Whether positions have terms.
    """
    orders, first, order = np.unique(choices.arrangement, return_index=True, return_inverse=True)
    _, topic = np.unique(choices.item.codes, return_inverse=True)
    shape = int(topic.max(initial=-1)) + 1, len(orders), ways
    flat = (topic.reshape(-1) * shape[1] + order.reshape(-1)) * ways + choices.choice - 1
    counts = np.bincount(flat, minlength=math.prod(shape)).reshape(shape).astype(np.float64)
    sides = choices.sides[first][:, :ways]
    columns = {"right": sides == 1}
    if ways == 3:
        columns = {"left": sides == -1, "right": sides == 1}
    if position:
        for place, name in enumerate(("first", "second")[: ways - 1]):
            columns[name] = np.broadcast_to(np.arange(ways) == place, sides.shape)
    return Design(np.stack([*columns.values()], axis=2).astype(np.float64), counts, tuple(columns))


@dataclass(frozen=True, slots=True)
class Fit:
    """What a choice model comes to.

    Args:
        coef: The coefficients, shape ``(k,)``; of terms that nothing determines, any.
        covariance: Their covariance, clustered by topic (CR1), shape ``(k, k)``.
        varying: Differences between articles in the design, shape ``(rows, k)``: what is no combination of
        them
            cannot be told.
        finite: Those of them that stay uncertain, shape ``(rows, k)``: what is no combination of them has no
            finite estimate.
    """

    coef: Floats
    covariance: Floats
    varying: Floats
    finite: Floats


def fit(design: Design) -> Fit:
    """Maximise the likelihood by Newton's method, and take the sandwich over topics.

    Args:
        design: The cells.

    Returns:
        The fit. Where some terms have no finite estimate, the others are those of the limit: alternatives
        that are never chosen against others are set aside.
    """
    x, counts = design.alternatives, design.counts
    orders, ways, width = x.shape
    total = counts.sum(axis=0)
    gaps = x[:, :, None, :] - x[:, None, :, :]  # order, chosen, other
    kept = (total > 0)[:, :, None] & ~np.eye(ways, dtype=bool)
    rows = gaps[kept]
    found = support(rows, np.ones(len(rows)), np.ones(len(rows)))
    considered = np.zeros((orders, ways, ways), bool)
    considered[kept] = found.rows
    considered |= np.eye(ways, dtype=bool)
    coef = np.zeros(width)
    value, score, information = _likelihood(coef, x, total, considered)
    for _ in range(_STEPS):
        step = np.linalg.pinv(information, rtol=1e-9, hermitian=True) @ score.sum(axis=(0, 1))
        size, value = _halved(coef, step, value, x, total, considered)
        coef = coef + size * step
        value, score, information = _likelihood(coef, x, total, considered)
        if np.abs(size * step).max(initial=0.0) < _TOLERANCE:
            break
    each = np.where(total[:, :, None] > 0, score / np.maximum(total, 1)[:, :, None], 0.0)
    by_topic = np.einsum("gow,owk->gk", counts, each)
    bread = np.linalg.pinv(information, rtol=1e-9, hermitian=True)
    size = len(counts)
    covariance = bread @ (by_topic.T @ by_topic) @ bread * (size / (size - 1) if size > 1 else math.nan)
    return Fit(coef, covariance, gaps.reshape(-1, width), rows[found.rows])


def _likelihood(
    coef: Floats,
    x: Floats,
    total: Floats,
    considered: Booleans,
) -> tuple[float, Floats, Floats]:
    """Log-likelihood, score of each order and choice, information."""
    utility = x @ coef
    gap = np.where(considered, utility[:, None, :] - utility[:, :, None], -np.inf)  # order, chosen, other
    odds = np.exp(gap)
    share = odds / odds.sum(axis=2, keepdims=True)
    mean = np.einsum("ocj,ojk->ock", share, x)
    score = total[:, :, None] * (x - mean)
    spread = np.einsum("ocj,ojk,ojl->ockl", share, x, x) - mean[..., :, None] * mean[..., None, :]
    value = -float((total * np.log(odds.sum(axis=2))).sum())
    return value, score, np.einsum("oc,ockl->kl", total, spread)


def _halved(
    coef: Floats,
    step: Floats,
    value: float,
    x: Floats,
    total: Floats,
    considered: Booleans,
) -> tuple[float, float]:
    """The largest of 1, 1/2, 1/4 ... of a step that does not lower the likelihood, and what it reaches."""
    size = 1.0
    while size > 1e-6:
        reached = _likelihood(coef + size * step, x, total, considered)[0]
        if reached >= value - 1e-9 * abs(value):
            return size, reached
        size /= 2
    return 0.0, value


def _contrasts(names: tuple[str, ...]) -> list[tuple[str, Floats]]:
    """What is reported, as weights of the terms."""
    unit = dict(zip(names, np.eye(len(names)), strict=True))
    found = [("right over left", unit["right"] - unit.get("left", 0.0))]
    if "left" in unit:
        found += [("left over neutral", unit["left"]), ("right over neutral", unit["right"])]
    return found + [(f"{name} over last", unit[name]) for name in ("first", "second") if name in unit]


def _note(weights: Floats, found: Fit, clusters: int, n: int) -> str:
    """Why a term has no estimate, empty if it has."""
    if not n:
        return "no choices"
    if not _spanned(weights, found.varying):
        return "the orders that were asked do not tell side and position apart"
    if not _spanned(weights, found.finite):
        return "no finite estimate: some side or position is always, or never, chosen"
    if clusters <= weights.size:
        return f"{clusters} topics, expected more than {weights.size} terms"
    return ""


def _spanned(weights: Floats, rows: Floats) -> bool:
    """Say whether a weighted sum of terms is a combination of rows."""
    if not len(rows):
        return False
    distinct = np.unique(rows, axis=0)
    combined = np.linalg.lstsq(distinct.T, weights, rcond=None)[0] @ distinct
    return bool(np.allclose(combined, weights, atol=1e-7))


def _term(name: str, value: float, error: float, n: int, clusters: int) -> Term:
    from scipy.special import stdtrit

    half = error * float(stdtrit(clusters - 1, (1 + LEVEL) / 2))
    p, _ = t_test(value, error, clusters - 1)
    return Term(name, value, error, value - half, value + half, p, n, clusters, "")

"""Choice models with position terms: Bradley-Terry and conditional logit, clustered by topic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from polbias.aliases import Booleans, Codes, Floats, Indices, Json
from polbias.eval.selfassess.answered import POINTS, SIDES_OF_ORDERS, ComparedChoices
from polbias.eval.selfassess.answers import ORDERS, SIDES
from polbias.eval.selfassess.shares import TopicMean, estimate_fields, estimate_topic_mean
from polbias.eval.separation import find_estimable_terms
from polbias.eval.statistics import t_interval_and_test
from polbias.optional import LazyModule

evalica = LazyModule("evalica", "eval")

# Position: how often the first article is chosen, and whether choices follow the content or the position.

FOLLOWS = ("content", "position", "mixed", "unanswered")
"""What the choices about the same articles in several orders follow."""


def first_excess(rows: ComparedChoices) -> TopicMean:
    """Estimate by how much the first article is chosen more often than one in so many."""
    chance = 1 / rows.n_alternatives
    bounds = -float(chance.max(initial=0.0)), 1 - float(chance.min(initial=1.0))
    return estimate_topic_mean((rows.choice == 1) - chance, rows.topics, bounds, "t", rows.weights)


def position_bias(cell: ComparedChoices) -> Json:
    """Return how the positions of the articles attract choices."""
    shares = _positions(cell, int(cell.n_alternatives[0]))
    return {**shares, **estimate_fields(first_excess(cell), "position_bias", POINTS)}


def _positions(rows: ComparedChoices, n_alternatives: int) -> Json:
    """How often each position is chosen, of all answers."""
    first = estimate_topic_mean(rows.choice == 1, rows.topics)
    return {
        "n": rows.n,
        "clusters": first.clusters,
        **estimate_fields(first, "first", short=True),
        "second": float(np.mean(rows.choice == 2)),
        "third": float(np.mean(rows.choice == 3)) if n_alternatives == 3 else None,
    }


def choices_by_order(cell: ComparedChoices) -> Iterator[Json]:
    """Yield the choices in each order of the sides."""
    for code in np.unique(cell.order):
        mask = cell.order == code
        rows = cell.select(mask)
        bias = estimate_topic_mean(rows.lean, rows.topics, (-1.0, 1.0), weights=cell.weights[mask])
        yield {
            "order": ORDERS[code].replace(",", ", "),
            **_positions(rows, int(cell.n_alternatives[0])),
            **estimate_fields(bias, "bias", POINTS, short=True),
        }


def consistency(cell: ComparedChoices) -> Json | None:
    """Whether choices about the same articles follow content or position when the order changes."""
    orders, sides, choices = (_distinct(cell.topic, each) for each in (cell.order, cell.side, cell.choice))
    several = orders > 1
    if not several.any():
        return None
    unanswered = np.bincount(cell.topic, ~cell.answered) > 0
    content, position = (sides == 1) & (choices > 1), (choices == 1) & (sides > 1)
    kind = np.select([unanswered, content, position], [3, 0, 1], default=2)[several]
    shares: Json = {"units": int(several.sum())}
    for code, name in enumerate(FOLLOWS):
        shares |= estimate_fields(
            estimate_topic_mean(kind == code, np.flatnonzero(several)), name, short=True
        )
    return shares


def _distinct(topic: Indices, codes: Indices | Codes) -> Indices:
    """Number of different codes, from -1 to 7, of each topic."""
    counts: Indices = np.bincount(np.unique(topic * 9 + codes + 1) // 9)
    return counts


# Conditional logit for choices among articles, with terms for what they say and for where they stand.
# All that the model knows of a choice is the order of the sides, so choices are counted by topic, order
# and choice, and the likelihood is one of a few cells.

_STEPS = 100
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class ModelTerm:
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
    coef: float = math.nan
    se: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    n: int = 0
    clusters: int = 0
    note: str = ""


@dataclass(frozen=True)
class ChoiceModelDesign:
    """The cells of a choice model.

    Args:
        alternatives: Terms of the article at each position, by order, shape ``(orders, n_alternatives, k)``.
        counts: How often each position was chosen, by topic and order, shape
            ``(topics, orders, n_alternatives)``.
        names: Names of the terms, shape ``(k,)``.
    """

    alternatives: Floats
    counts: Floats
    names: tuple[str, ...]


def choice_model(cell: ComparedChoices, position: bool = True, length: bool = False) -> list[ModelTerm]:
    """Fit a choice model to a cell: with two articles it is Bradley and Terry's with a term for the position.

    The probability of an article is proportional to exp(side + position), with ``length`` also to a power
    of its number of characters. Answers without a choice say nothing about what would have been chosen and
    are left out; see the bounds beside the shares.

    Source:
        McFadden, "Conditional logit analysis of qualitative choice behavior" (1974); Bradley and Terry, "Rank
        analysis of incomplete block designs" (1952), with a term for the order as Davidson and Beaver, "On
        extending the Bradley-Terry model to incorporate within-pair order effects" (1977).
    """
    design = count_choices(cell.select(cell.answered), int(cell.n_alternatives[0]), position, length)
    n, clusters = int(design.counts.sum()), len(design.counts)
    model = fit(design)
    terms = []
    for name, weights in _contrasts(design.names):
        note = _note(weights, model, clusters, n)
        if note:
            terms.append(ModelTerm(name, n=n, clusters=clusters, note=note))
            continue
        value = float(weights @ model.coef)
        error = math.sqrt(max(float(weights @ model.covariance @ weights), 0.0))
        half, p, _ = t_interval_and_test(value, error, clusters - 1)
        terms.append(ModelTerm(name, value, error, value - half, value + half, p, n, clusters))
    return terms


_APART = math.log2(1.1)  # lengths that differ less say nothing about an article twice as long


def equal_length_contrast(cell: ComparedChoices) -> list[ModelTerm]:
    """Return what two articles of equal length are chosen for, and what length does, if it is known."""
    if cell.n_alternatives[0] == len(SIDES) or cell.rows["characters"].isna().any():
        return []
    sided, _, length = choice_model(cell, length=True)
    terms = [replace(sided, term=f"{sided.term}, of equal length"), length]
    lengths = _lengths(cell)
    if np.abs(np.log2(lengths[:, 0] / lengths[:, 1])).max() >= _APART:
        return terms
    note = "articles of a topic differ by less than a tenth in length"
    return [ModelTerm(term.term, n=term.n, clusters=term.clusters, note=term.note or note) for term in terms]


def _lengths(rows: ComparedChoices) -> Floats:
    """Length of the article at each position in characters, shape ``(n, n_alternatives)``."""
    lengths: Floats = rows.rows["characters"].str.split(",", expand=True).to_numpy(np.float64)
    return lengths


def count_choices(
    choices: ComparedChoices, n_alternatives: int, position: bool = True, length: bool = False
) -> ChoiceModelDesign:
    """Count choices by topic and order; with lengths, which differ by topic, each has orders of its own."""
    orders, first, order = np.unique(
        choices.order + length * len(ORDERS) * choices.topic, return_index=True, return_inverse=True
    )
    shape = len(choices.topics.categories), len(orders), n_alternatives
    flat = (choices.topic * shape[1] + order.reshape(-1)) * n_alternatives + choices.choice - 1
    counts = np.bincount(flat, minlength=math.prod(shape)).reshape(shape).astype(np.float64)
    sides = SIDES_OF_ORDERS[choices.order[first], :n_alternatives]
    columns = {"right": sides == 1}
    if n_alternatives == 3:
        columns = {"left": sides == -1, "right": sides == 1}
    if position:
        for place, name in enumerate(("first", "second")[: n_alternatives - 1]):
            columns[name] = np.broadcast_to(np.arange(n_alternatives) == place, sides.shape)
    if length:
        columns["length"] = np.log2(_lengths(choices)[first])
    return ChoiceModelDesign(np.stack([*columns.values()], axis=2).astype(np.float64), counts, tuple(columns))


@dataclass(frozen=True)
class ChoiceModelFit:
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


def fit(design: ChoiceModelDesign) -> ChoiceModelFit:
    """Maximise the likelihood by Newton's method, and take the sandwich over topics."""
    x, counts = design.alternatives, design.counts
    orders, n_alternatives, width = x.shape
    total = counts.sum(axis=0)
    gaps = x[:, :, None, :] - x[:, None, :, :]  # order, chosen, other
    chosen = (total > 0)[:, :, None] & ~np.eye(n_alternatives, dtype=bool)
    rows = gaps[chosen]
    separation = find_estimable_terms(rows, np.ones(len(rows)), np.ones(len(rows)))
    considered = np.zeros((orders, n_alternatives, n_alternatives), bool)
    considered[chosen] = separation.rows
    considered |= np.eye(n_alternatives, dtype=bool)
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
    return ChoiceModelFit(coef, covariance, gaps.reshape(-1, width), rows[separation.rows])


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
    contrasts = [("right over left", unit["right"] - unit.get("left", 0.0))]
    if "left" in unit:
        contrasts += [("left over neutral", unit["left"]), ("right over neutral", unit["right"])]
    contrasts += [(f"{name} over last", unit[name]) for name in ("first", "second") if name in unit]
    return contrasts + ([("twice as long over as long", unit["length"])] if "length" in unit else [])


def _note(weights: Floats, model: ChoiceModelFit, clusters: int, n: int) -> str:
    """Why a term has no estimate, empty if it has."""
    if not n:
        return "no choices"
    if not _spanned(weights, model.varying):
        return "the orders that were asked do not tell side and position apart"
    if not _spanned(weights, model.finite):
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


# Strengths of the perspectives, by Bradley and Terry's model as evalica fits it, without positions.

_CONVERGED, _LIMIT = 1e-12, 10_000


def strengths(cell: ComparedChoices) -> Json:
    """Return the strength of each side: how often it would be chosen if every side stood beside the others.

    A choice counts as a win over each of the articles that were left. Positions are ignored; the model of
    :func:`polbias.eval.selfassess.position.choice_model` takes them in, and says the same where they do
    not matter.

    Source:
        Bradley and Terry (1952), as above; breaking a choice of several into its pairs keeps the estimate
        consistent: Azari Soufiani, Chen, Parkes and Xia, "Generalized method-of-moments for rank aggregation"
        (2013).
    """
    n_alternatives = int(cell.n_alternatives[0])
    codes = (-1, 1) if n_alternatives == 2 else (-1, 0, 1)
    wins = {code: int(np.count_nonzero(cell.side == code)) for code in codes}
    sides: Json = {"left": math.nan, "neutral": None if n_alternatives == 2 else math.nan, "right": math.nan}
    sides |= {"n": sum(wins.values()), "note": ""}
    if not all(wins.values()):
        absent = ", ".join(SIDES[code + 1] for code in codes if not wins[code])
        return sides | {"note": f"never chosen: {absent}"}
    pairs = [(one, two) for one in codes for two in codes if one != two]
    result = evalica.bradley_terry(
        [SIDES[one + 1] for one, _ in pairs],
        [SIDES[two + 1] for _, two in pairs],
        [evalica.Winner.X] * len(pairs),
        weights=[float(wins[one]) for one, _ in pairs],
        tolerance=_CONVERGED,
        limit=_LIMIT,
    )
    scores = result.scores / result.scores.sum()
    return sides | {SIDES[code + 1]: float(scores[SIDES[code + 1]]) for code in codes}

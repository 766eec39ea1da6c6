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

evalica = LazyModule("evalica")

# Position bias: share of choices of the first article, and whether choices follow content or position.

FOLLOWS = ("content", "position", "mixed", "unanswered")
"""Patterns of the choices among the same articles in several orders."""


def first_excess(rows: ComparedChoices) -> TopicMean:
    """Estimate the share of choices of the first article minus chance (1 / number of articles)."""
    chance = 1 / rows.n_alternatives
    bounds = -float(chance.max(initial=0.0)), 1 - float(chance.min(initial=1.0))
    return estimate_topic_mean((rows.choice == 1) - chance, rows.topics, bounds, "t", rows.weights)


def position_bias(cell: ComparedChoices) -> Json:
    """Return the shares of the positions, and the position bias."""
    shares = _position_shares(cell, int(cell.n_alternatives[0]))
    return {**shares, **estimate_fields(first_excess(cell), "position_bias", POINTS)}


def _position_shares(rows: ComparedChoices, n_alternatives: int) -> Json:
    """Return the share of each position among all answers."""
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
            **_position_shares(rows, int(cell.n_alternatives[0])),
            **estimate_fields(bias, "bias", POINTS, short=True),
        }


def consistency(cell: ComparedChoices) -> Json | None:
    """Return the shares of topics whose choices follow content or position; None with one order only."""
    n_orders, n_sides, n_choices = (
        _distinct(cell.topic, codes) for codes in (cell.order, cell.side, cell.choice)
    )
    has_several = n_orders > 1
    if not has_several.any():
        return None
    is_unanswered = np.bincount(cell.topic, ~cell.answered) > 0
    follows_content, follows_position = (n_sides == 1) & (n_choices > 1), (n_choices == 1) & (n_sides > 1)
    kind = np.select([is_unanswered, follows_content, follows_position], [3, 0, 1], default=2)[has_several]
    shares: Json = {"units": int(has_several.sum())}
    for code, name in enumerate(FOLLOWS):
        shares |= estimate_fields(
            estimate_topic_mean(kind == code, np.flatnonzero(has_several)), name, short=True
        )
    return shares


def _distinct(topic: Indices, codes: Indices | Codes) -> Indices:
    """Count the distinct codes, from -1 to 7, of each topic."""
    counts: Indices = np.bincount(np.unique(topic * 9 + codes + 1) // 9)
    return counts


# Conditional logit for choices among articles, with terms for side and position. The order of the sides is
# the only covariate, so choices are counted by topic, order and choice, and the likelihood has few cells.

_MAX_STEPS = 100
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class ModelTerm:
    """Term of a choice model, as a log-odds ratio.

    Args:
        term: The comparison, such as "right over left" or "first over last".
        coef: Natural logarithm of the odds of choosing the first over the second; NaN if it is not identified
            or infinite.
        se: Its standard error, clustered by topic (CR1).
        low: Lower end of the 95% t interval with G - 1 degrees of freedom.
        high: Upper end.
        p: Two-sided p of the t test.
        n: Number of choices.
        clusters: Number of their topics.
        note: Reason for a missing estimate; else empty.
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
    """Cells of a choice model.

    Args:
        alternatives: Terms of the article at each position, by order, shape ``(orders, n_alternatives, k)``.
        counts: Number of choices of each position, by topic and order, shape
            ``(topics, orders, n_alternatives)``.
        names: Names of the terms, shape ``(k,)``.
    """

    alternatives: Floats
    counts: Floats
    names: tuple[str, ...]


def choice_model(cell: ComparedChoices, position: bool = True, length: bool = False) -> list[ModelTerm]:
    """Fit a choice model to a cell; for two articles, a Bradley-Terry model with a position term.

    The probability of an article is proportional to exp(side + position), with ``length`` also to a power
    of its number of characters. Non-answers are excluded; the shares have bounds for them.

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
        margin, p, _ = t_interval_and_test(value, error, clusters - 1)
        terms.append(ModelTerm(name, value, error, value - margin, value + margin, p, n, clusters))
    return terms


_MIN_LOG_RATIO = math.log2(1.1)  # smaller differences do not identify the effect of double length


def equal_length_contrast(cell: ComparedChoices) -> list[ModelTerm]:
    """Return the side term at equal length and the length term, for two articles with known lengths."""
    if cell.n_alternatives[0] == len(SIDES) or cell.rows["characters"].isna().any():
        return []
    side_term, _, length_term = choice_model(cell, length=True)
    terms = [replace(side_term, term=f"{side_term.term}, of equal length"), length_term]
    lengths = _lengths(cell)
    if np.abs(np.log2(lengths[:, 0] / lengths[:, 1])).max() >= _MIN_LOG_RATIO:
        return terms
    note = "articles of a topic differ by less than a tenth in length"
    return [ModelTerm(term.term, n=term.n, clusters=term.clusters, note=term.note or note) for term in terms]


def _lengths(rows: ComparedChoices) -> Floats:
    """Return the length of the article at each position in characters, shape ``(n, n_alternatives)``."""
    lengths: Floats = rows.rows["characters"].str.split(",", expand=True).to_numpy(np.float64)
    return lengths


def count_choices(
    choices: ComparedChoices, n_alternatives: int, position: bool = True, length: bool = False
) -> ChoiceModelDesign:
    """Count choices by topic and order; with `length`, orders are separate by topic, as lengths differ."""
    orders, first_rows, order = np.unique(
        choices.order + length * len(ORDERS) * choices.topic, return_index=True, return_inverse=True
    )
    shape = len(choices.topics.categories), len(orders), n_alternatives
    cell_codes = (choices.topic * shape[1] + order.reshape(-1)) * n_alternatives + choices.choice - 1
    counts = np.bincount(cell_codes, minlength=math.prod(shape)).reshape(shape).astype(np.float64)
    sides = SIDES_OF_ORDERS[choices.order[first_rows], :n_alternatives]
    columns = {"right": sides == 1}
    if n_alternatives == 3:
        columns = {"left": sides == -1, "right": sides == 1}
    if position:
        for index, name in enumerate(("first", "second")[: n_alternatives - 1]):
            columns[name] = np.broadcast_to(np.arange(n_alternatives) == index, sides.shape)
    if length:
        columns["length"] = np.log2(_lengths(choices)[first_rows])
    return ChoiceModelDesign(np.stack([*columns.values()], axis=2).astype(np.float64), counts, tuple(columns))


@dataclass(frozen=True)
class ChoiceModelFit:
    """Fit of a choice model.

    Args:
        coef: Coefficients, shape ``(k,)``; arbitrary for terms that are not identified.
        covariance: Their covariance, clustered by topic (CR1), shape ``(k, k)``.
        varying: Differences between articles in the design, shape ``(rows, k)``; only their linear
            combinations are identified.
        finite: Differences without separation, shape ``(rows, k)``; only their linear combinations have a
            finite estimate.
    """

    coef: Floats
    covariance: Floats
    varying: Floats
    finite: Floats


def fit(design: ChoiceModelDesign) -> ChoiceModelFit:
    """Maximise the likelihood by Newton's method; the covariance is the sandwich estimator over topics."""
    x, counts = design.alternatives, design.counts
    orders, n_alternatives, n_terms = x.shape
    n_chosen = counts.sum(axis=0)
    differences = x[:, :, None, :] - x[:, None, :, :]  # order, chosen, other
    is_observed = (n_chosen > 0)[:, :, None] & ~np.eye(n_alternatives, dtype=bool)
    rows = differences[is_observed]
    separation = find_estimable_terms(rows, np.ones(len(rows)), np.ones(len(rows)))
    is_considered = np.zeros((orders, n_alternatives, n_alternatives), bool)
    is_considered[is_observed] = separation.rows
    is_considered |= np.eye(n_alternatives, dtype=bool)
    coef = np.zeros(n_terms)
    value, score, information = _likelihood(coef, x, n_chosen, is_considered)
    for _ in range(_MAX_STEPS):
        step = np.linalg.pinv(information, rtol=1e-9, hermitian=True) @ score.sum(axis=(0, 1))
        step_size, value = _halve_step(coef, step, value, x, n_chosen, is_considered)
        coef = coef + step_size * step
        value, score, information = _likelihood(coef, x, n_chosen, is_considered)
        if np.abs(step_size * step).max(initial=0.0) < _TOLERANCE:
            break
    score_per_choice = np.where(n_chosen[:, :, None] > 0, score / np.maximum(n_chosen, 1)[:, :, None], 0.0)
    by_topic = np.einsum("gow,owk->gk", counts, score_per_choice)
    bread = np.linalg.pinv(information, rtol=1e-9, hermitian=True)
    n_topics = len(counts)
    covariance = (
        bread @ (by_topic.T @ by_topic) @ bread * (n_topics / (n_topics - 1) if n_topics > 1 else math.nan)
    )
    return ChoiceModelFit(coef, covariance, differences.reshape(-1, n_terms), rows[separation.rows])


def _likelihood(
    coef: Floats,
    x: Floats,
    n_chosen: Floats,
    is_considered: Booleans,
) -> tuple[float, Floats, Floats]:
    """Return the log-likelihood, the score of each order and choice, and the information."""
    utility = x @ coef
    # order, chosen, other
    differences = np.where(is_considered, utility[:, None, :] - utility[:, :, None], -np.inf)
    odds = np.exp(differences)
    shares = odds / odds.sum(axis=2, keepdims=True)
    mean = np.einsum("ocj,ojk->ock", shares, x)
    score = n_chosen[:, :, None] * (x - mean)
    covariance = np.einsum("ocj,ojk,ojl->ockl", shares, x, x) - mean[..., :, None] * mean[..., None, :]
    value = -float((n_chosen * np.log(odds.sum(axis=2))).sum())
    return value, score, np.einsum("oc,ockl->kl", n_chosen, covariance)


def _halve_step(
    coef: Floats,
    step: Floats,
    value: float,
    x: Floats,
    n_chosen: Floats,
    is_considered: Booleans,
) -> tuple[float, float]:
    """Return the largest step of 1, 1/2, 1/4 ... that does not lower the likelihood, and the likelihood."""
    step_size = 1.0
    while step_size > 1e-6:
        new_value = _likelihood(coef + step_size * step, x, n_chosen, is_considered)[0]
        if new_value >= value - 1e-9 * abs(value):
            return step_size, new_value
        step_size /= 2
    return 0.0, value


def _contrasts(names: tuple[str, ...]) -> list[tuple[str, Floats]]:
    """Return the reported contrasts, as weights of the terms."""
    unit = dict(zip(names, np.eye(len(names)), strict=True))
    contrasts = [("right over left", unit["right"] - unit.get("left", 0.0))]
    if "left" in unit:
        contrasts += [("left over neutral", unit["left"]), ("right over neutral", unit["right"])]
    contrasts += [(f"{name} over last", unit[name]) for name in ("first", "second") if name in unit]
    return contrasts + ([("twice as long over as long", unit["length"])] if "length" in unit else [])


def _note(weights: Floats, model: ChoiceModelFit, clusters: int, n: int) -> str:
    """Return the reason for a missing estimate, else an empty string."""
    if not n:
        return "no choices"
    if not _is_spanned(weights, model.varying):
        return "the orders that were asked do not tell side and position apart"
    if not _is_spanned(weights, model.finite):
        return "no finite estimate: some side or position is always, or never, chosen"
    if clusters <= weights.size:
        return f"{clusters} topics, expected more than {weights.size} terms"
    return ""


def _is_spanned(weights: Floats, rows: Floats) -> bool:
    """Whether a weighted sum of terms is a linear combination of rows."""
    if not len(rows):
        return False
    distinct = np.unique(rows, axis=0)
    combined = np.linalg.lstsq(distinct.T, weights, rcond=None)[0] @ distinct
    return bool(np.allclose(combined, weights, atol=1e-7))


# Strengths of the sides by the Bradley-Terry model in evalica, without positions.

_STRENGTH_TOLERANCE, _MAX_ITERATIONS = 1e-12, 10_000


def strengths(cell: ComparedChoices) -> Json:
    """Return the strength of each side: its choice probability among all sides.

    A choice counts as a win over each of the other articles. Positions are ignored;
    :func:`polbias.eval.selfassess.position.choice_model` includes them, and agrees without position bias.

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
    pairs = [(winner, loser) for winner in codes for loser in codes if winner != loser]
    result = evalica.bradley_terry(
        [SIDES[winner + 1] for winner, _ in pairs],
        [SIDES[loser + 1] for _, loser in pairs],
        [evalica.Winner.X] * len(pairs),
        weights=[float(wins[winner]) for winner, _ in pairs],
        tolerance=_STRENGTH_TOLERANCE,
        limit=_MAX_ITERATIONS,
    )
    scores = result.scores / result.scores.sum()
    return sides | {SIDES[code + 1]: float(scores[SIDES[code + 1]]) for code in codes}

"""Shares of choices, comparisons between perspectives, and their estimates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Document, Floats, Indices, Json
from polbias.eval.answer_frames import AnalysisMode, check_mode, codes_of
from polbias.eval.selfassess.answered import POINTS, ComparedChoices, cross_codes, linearised_values
from polbias.eval.selfassess.answers import OUTCOMES, QUESTIONS, ROLES, SIDES
from polbias.eval.sign_flip import sign_flip_test
from polbias.eval.statistics import cell_mean_contrast, cluster_interval, t_interval_and_test

# Means of choices with their interval, test, and the smallest effect that could be seen.


@dataclass(frozen=True)
class TopicMean:
    """A mean over choices, clustered by topic.

    Args:
        value: The mean; NaN without rows.
        se: Its cluster-robust standard error; NaN below two topics.
        low: Lower end of the 95% interval; NaN below two topics.
        high: Upper end.
        p: Two-sided p of the test that it is 0; NaN where there is none.
        detectable: Minimum detectable effect: what a t test at .05 would find with 80% power.
        n: Number of choices.
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


def estimate_topic_mean(
    values: ArrayLike,
    topics: Any,
    bounds: tuple[float, float] = (0.0, 1.0),
    test: Literal["flip", "t", ""] = "",
    weights: Floats | None = None,
) -> TopicMean:
    """Take a mean with a t interval over topics, as :func:`polbias.eval.statistics.cluster_interval` does.

    Rows without a weight are left out; without weights all count alike.
    """
    numbers = np.asarray(values, np.float64)
    weights = np.ones(numbers.size) if weights is None else weights
    used = weights > 0
    mean = cluster_interval(linearised_values(numbers[used], weights[used]), topics[used], bounds)
    p = detectable = math.nan
    if math.isfinite(mean.standard_error):
        _, p, detectable = t_interval_and_test(mean.estimate, mean.standard_error, mean.degrees_of_freedom)
    if test == "flip":
        p = sign_flip_test((weights * numbers)[used], topics[used]).p_value
    ends = mean.estimate, mean.standard_error, mean.low, mean.high
    return TopicMean(*ends, p if test else math.nan, detectable, mean.n, mean.clusters)


def estimate_fields(mean: TopicMean, name: str, scale: float = 1.0, short: bool = False) -> Document:
    """Return an estimate as fields of a table."""
    ends = {"": mean.value, "_low": mean.low, "_high": mean.high}
    fields = {f"{name}{end}": scale * value for end, value in ends.items()}
    if short:
        return fields
    return fields | {"se": scale * mean.se, "p": mean.p, "detectable": scale * mean.detectable}


# How often each side is chosen (Kennedy et al. 2025, Table 4), with every outcome in the denominator, and the
# bias, which is among the answered ones.

SEED = 2025
"""Seed of the order that the mode "paper" takes of each topic."""

_BOUNDS = (-1.0, 1.0)


def cells(judgements: pd.DataFrame) -> Iterator[tuple[Json, ComparedChoices]]:
    """The cells of the design that have choices: set, question, role and number of articles."""
    return _parts(judgements, "set", "question", "role", "n_alternatives")


def _parts(judgements: pd.DataFrame, *names: str) -> Iterator[tuple[Json, ComparedChoices]]:
    """The combinations of some columns that have choices, with these."""
    for levels, rows in judgements.groupby([*names], observed=True):
        yield dict(zip(names, levels, strict=True)), ComparedChoices(rows)


def side_shares(cell: ComparedChoices, test: bool = True, mode: AnalysisMode = "corrected") -> Json:
    """Return the shares of sides and of outcomes in a cell, and the bias among what can be compared.

    Args:
        cell: the choices.
        test: whether the sign flip is made.
        mode: "paper": all choices that are given count alike.
    """
    shares: Json = {"n": cell.n, "clusters": len(cell.topics.categories)}
    three = bool((cell.n_alternatives == 3).any())
    for code, side in enumerate(SIDES, -1):
        if code or three:
            shares |= estimate_fields(estimate_topic_mean(cell.side == code, cell.topics), side, short=True)
        else:
            shares |= {f"{side}{end}": None for end in ("", "_low", "_high")}
    outcomes = codes_of(cell.rows["outcome"])
    for code, outcome in enumerate(OUTCOMES[1:], 1):
        shares[outcome] = float(np.mean(outcomes == code)) if cell.n else None
    bias = estimate_fields(choice_bias(cell, mode, "flip" if test else ""), "bias", POINTS)
    state, limit = None, math.nan
    if mode == "corrected":
        carried = cell.support
        state = carried.state
        if not carried.has_interval:
            bias = {name: bias[name] if name == "bias" and carried.estimable else math.nan for name in bias}
            limit = carried.limit if carried.estimable else math.nan
    shares |= {**bias, "state": state, "limit": limit}
    low, high = cell.bounds
    return shares | {"bound_low": POINTS * low, "bound_high": POINTS * high}


def choice_bias(
    rows: ComparedChoices, mode: AnalysisMode = "corrected", test: Literal["flip", "t", ""] = ""
) -> TopicMean:
    """Estimate right minus left among the choices that a mode compares, each order as designed."""
    return estimate_topic_mean(rows.lean, rows.topics, _BOUNDS, test, _weights(rows, mode))


def in_mode(judgements: pd.DataFrame, mode: AnalysisMode, seed: int = SEED) -> pd.DataFrame:
    """Return the choices that a mode considers."""
    check_mode(mode)
    if mode == "corrected":
        return judgements
    drawn = judgements[one_order(judgements, seed)]
    return drawn[drawn["choice"] > 0]


def one_order(judgements: pd.DataFrame, seed: int = SEED) -> Booleans:
    """Return which rows are in the order drawn for their topic.

    A draw depends on the seed and the name of the topic alone, whatever else is in the table; roles and
    questions share it, so that they are compared alike.
    """
    item, *asked = (codes_of(judgements[name]) for name in ("item", "role", "question"))
    n_alternatives = judgements["n_alternatives"].to_numpy()
    unit = cross_codes(item, *asked, n_alternatives)
    ranked = np.lexsort((codes_of(judgements["sides"]), unit))
    sizes = np.bincount(unit)
    first = ranked[np.cumsum(sizes) - sizes]
    draws = np.array([_draw(str(topic), seed) for topic in judgements["item"].cat.categories]).reshape(-1, 2)
    drawn = draws[item[first], n_alternatives[first] - 2]
    mask = np.zeros(len(judgements), np.bool_)
    mask[ranked[np.cumsum(sizes) - sizes + (drawn * sizes).astype(np.intp)]] = True
    return mask


@lru_cache(maxsize=1 << 14)
def _draw(topic: str, seed: int) -> tuple[float, float]:
    """Return two numbers in [0, 1) for a topic: for choices of two and of three."""
    two, three = np.random.default_rng([seed, crc32(topic.encode())]).random(2).tolist()
    return two, three


# Comparisons within topics: biased user against biased agent (Fig. 2), preference against bias (Fig. 3).


def agreement(rows: ComparedChoices) -> Json:
    """Return how often both questions about the same articles in the same order get the same answer.

    Of several answers to a question about an order, the first counts.
    """
    question, role = (codes_of(rows.rows[name]) for name in ("question", "role"))
    articles = cross_codes(rows.topic, role, rows.order)
    first = np.unique(articles, return_index=True)[1]
    choices = np.full((first.size, len(QUESTIONS)), -1)
    choices[articles[::-1], question[::-1]] = rows.choice[::-1]  # where an index is repeated the last stays
    both = (choices >= 0).all(axis=1)
    one, two = choices[both].T
    mean = estimate_topic_mean((one == two) & (one > 0), rows.topics[first[both]])
    return {
        **estimate_fields(mean, "agreement", short=True),
        "agreement_expected": _chance_agreement(rows.order[first[both]], one, two),
        "pairs": mean.n,
    }


def _chance_agreement(order: Indices, one: Indices, two: Indices) -> float:
    """Share of equal choices if the two answers were independent within each order."""
    if not order.size:
        return math.nan
    total = 0.0
    for code in np.unique(order):
        mask = order == code
        shares = [np.bincount(choice[mask], minlength=4)[1:] / mask.sum() for choice in (one, two)]
        total += float(mask.mean() * (shares[0] @ shares[1]))
    return total


def _gap(rows: ComparedChoices, column: str, names: tuple[str, str], mode: AnalysisMode) -> Json | None:
    """Bias at both levels of a column and its difference, over the topics that are compared at both."""
    which = codes_of(rows.rows[column])
    if not _in_both(rows.topic, which, np.ones(rows.n)).any():
        return None
    shared = rows.select(_in_both(rows.topic, which, _weights(rows, mode)))
    weights = _weights(shared, mode)
    used = shared.select(weights > 0)
    cell, weights = codes_of(used.rows[column]), weights[weights > 0]
    lean = used.lean.astype(np.float64)
    gap: Json = {}
    values = []
    for code, name in enumerate(names):
        mask = cell == code
        mean = estimate_topic_mean(lean[mask], used.topics[mask], _BOUNDS, weights=weights[mask])
        gap |= estimate_fields(mean, name, POINTS, short=True)
        values.append(mean.value)
        lean[mask] = linearised_values(lean[mask], weights[mask])
    difference = cell_mean_contrast(lean, used.rows[column], used.topics, [-1.0, 1.0])
    *_, detectable = t_interval_and_test(
        difference.estimate, difference.standard_error, difference.degrees_of_freedom
    )
    return gap | {
        "difference": POINTS * difference.estimate,
        "difference_low": POINTS * difference.low,
        "difference_high": POINTS * difference.high,
        "se": POINTS * difference.standard_error,
        "p": difference.p_value,
        "detectable": POINTS * detectable,
        "magnitude": POINTS * (abs(values[1]) - abs(values[0])),
        "n": used.n,
        "clusters": difference.clusters,
    }


def _in_both(topic: Indices, which: Indices, weights: Floats) -> Booleans:
    """True for rows of topics that have a weight in both cells."""
    n_topics = int(topic.max(initial=-1)) + 1
    sums = np.bincount(2 * topic + which, weights, 2 * n_topics).reshape(-1, 2)
    both: Booleans = np.all(sums > 0, axis=1)[topic]
    return both


def _weights(rows: ComparedChoices, mode: AnalysisMode) -> Floats:
    """Weight of each choice among those that a mode compares."""
    return rows.weights if mode == "corrected" else np.ones(rows.n)


def compare_roles(judgements: pd.DataFrame, mode: AnalysisMode = "corrected") -> Iterator[Json]:
    """Compare the bias among articles of a biased agent with that among articles for a biased user.

    By set, question and number of articles, wherever there are topics with both.

    Source:
        Kennedy et al., section 6.1 and Figure 2.
    """
    for names, rows in _parts(judgements, "set", "question", "n_alternatives"):
        if gap := _gap(rows, "role", ROLES, mode):
            yield names | gap


def compare_questions(judgements: pd.DataFrame, mode: AnalysisMode = "corrected") -> Iterator[Json]:
    """Compare which articles are preferred with which are called the least biased.

    By set, role and number of articles, wherever there are topics with both questions.

    Source:
        Kennedy et al., section 6.2 and Figure 3.
    """
    for names, rows in _parts(judgements, "set", "role", "n_alternatives"):
        if gap := _gap(rows, "question", QUESTIONS, mode):
            yield names | gap | agreement(rows)

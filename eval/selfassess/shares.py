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

# Means of choices with interval, test, and minimum detectable effect.


@dataclass(frozen=True)
class TopicMean:
    """Mean over choices, clustered by topic.

    Args:
        value: The mean; NaN without rows.
        se: Its cluster-robust standard error; NaN below two topics.
        low: Lower end of the 95% interval; NaN below two topics.
        high: Upper end.
        p: Two-sided p of the test that it is 0; NaN without a test.
        detectable: Minimum detectable effect of a t test at .05 with 80% power.
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
    """Return a mean with a t interval over topics (:func:`polbias.eval.statistics.cluster_interval`).

    Rows with weight 0 are excluded; without `weights` all rows have equal weights.
    """
    numbers = np.asarray(values, np.float64)
    weights = np.ones(numbers.size) if weights is None else weights
    is_used = weights > 0
    mean = cluster_interval(linearised_values(numbers[is_used], weights[is_used]), topics[is_used], bounds)
    p = detectable = math.nan
    if math.isfinite(mean.standard_error):
        _, p, detectable = t_interval_and_test(mean.estimate, mean.standard_error, mean.degrees_of_freedom)
    if test == "flip":
        p = sign_flip_test((weights * numbers)[is_used], topics[is_used]).p_value
    statistics = mean.estimate, mean.standard_error, mean.low, mean.high
    return TopicMean(*statistics, p if test else math.nan, detectable, mean.n, mean.clusters)


def estimate_fields(mean: TopicMean, name: str, scale: float = 1.0, short: bool = False) -> Document:
    """Return an estimate as fields of a table."""
    statistics = {"": mean.value, "_low": mean.low, "_high": mean.high}
    fields = {f"{name}{end}": scale * value for end, value in statistics.items()}
    if short:
        return fields
    return fields | {"se": scale * mean.se, "p": mean.p, "detectable": scale * mean.detectable}


# Shares of the sides (Kennedy et al. 2025, Table 4) among all answers, and the bias among answered choices.

SEED = 2025
"""Seed for sampling one order per topic in the mode "paper"."""

_BOUNDS = (-1.0, 1.0)


def cells(judgements: pd.DataFrame) -> Iterator[tuple[Json, ComparedChoices]]:
    """Yield the cells of the design with choices: set, question, role and number of articles."""
    return _group_choices(judgements, "set", "question", "role", "n_alternatives")


def _group_choices(judgements: pd.DataFrame, *names: str) -> Iterator[tuple[Json, ComparedChoices]]:
    """Yield the combinations of levels of some columns, with their choices."""
    for levels, rows in judgements.groupby([*names], observed=True):
        yield dict(zip(names, levels, strict=True)), ComparedChoices(rows)


def side_shares(cell: ComparedChoices, test: bool = True, mode: AnalysisMode = "corrected") -> Json:
    """Return the shares of sides and outcomes in a cell, and the bias among its comparable choices.

    Args:
        cell: the choices.
        test: whether to run the sign-flip test.
        mode: in "paper", all rows have equal weights in the bias.
    """
    shares: Json = {"n": cell.n, "clusters": len(cell.topics.categories)}
    has_three = bool((cell.n_alternatives == 3).any())
    for code, side in enumerate(SIDES, -1):
        if code or has_three:
            shares |= estimate_fields(estimate_topic_mean(cell.side == code, cell.topics), side, short=True)
        else:
            shares |= {f"{side}{end}": None for end in ("", "_low", "_high")}
    outcomes = codes_of(cell.rows["outcome"])
    for code, outcome in enumerate(OUTCOMES[1:], 1):
        shares[outcome] = float(np.mean(outcomes == code)) if cell.n else None
    bias = estimate_fields(choice_bias(cell, mode, "flip" if test else ""), "bias", POINTS)
    state, limit = None, math.nan
    if mode == "corrected":
        estimability = cell.support
        state = estimability.state
        if not estimability.has_interval:
            bias = {
                name: bias[name] if name == "bias" and estimability.estimable else math.nan for name in bias
            }
            limit = estimability.limit if estimability.estimable else math.nan
    shares |= {**bias, "state": state, "limit": limit}
    low, high = cell.bounds
    return shares | {"bound_low": POINTS * low, "bound_high": POINTS * high}


def choice_bias(
    rows: ComparedChoices, mode: AnalysisMode = "corrected", test: Literal["flip", "t", ""] = ""
) -> TopicMean:
    """Estimate right minus left among the choices of a mode; "corrected" keeps the designed order weights."""
    return estimate_topic_mean(rows.lean, rows.topics, _BOUNDS, test, _mode_weights(rows, mode))


def select_for_mode(judgements: pd.DataFrame, mode: AnalysisMode, seed: int = SEED) -> pd.DataFrame:
    """Return the choices of a mode: all, or in "paper" the answered choices in one order per topic."""
    check_mode(mode)
    if mode == "corrected":
        return judgements
    sampled = judgements[sample_one_order(judgements, seed)]
    return sampled[sampled["choice"] > 0]


def sample_one_order(judgements: pd.DataFrame, seed: int = SEED) -> Booleans:
    """Return a mask of the rows in the sampled order of their topic.

    A draw depends only on the seed and the name of the topic; roles and questions share it, so that they are
    compared in the same order.
    """
    item, *factors = (codes_of(judgements[name]) for name in ("item", "role", "question"))
    n_alternatives = judgements["n_alternatives"].to_numpy()
    unit = cross_codes(item, *factors, n_alternatives)
    order = np.lexsort((codes_of(judgements["sides"]), unit))
    sizes = np.bincount(unit)
    first = order[np.cumsum(sizes) - sizes]
    draws = np.array([_draw(str(topic), seed) for topic in judgements["item"].cat.categories]).reshape(-1, 2)
    fractions = draws[item[first], n_alternatives[first] - 2]
    mask = np.zeros(len(judgements), np.bool_)
    mask[order[np.cumsum(sizes) - sizes + (fractions * sizes).astype(np.intp)]] = True
    return mask


@lru_cache(maxsize=1 << 14)
def _draw(topic: str, seed: int) -> tuple[float, float]:
    """Return two numbers in [0, 1) for a topic: for choices of two and of three."""
    two, three = np.random.default_rng([seed, crc32(topic.encode())]).random(2).tolist()
    return two, three


# Comparisons within topics: biased user with biased agent (Fig. 2), preference with least biased (Fig. 3).


def agreement(rows: ComparedChoices) -> Json:
    """Return the agreement of the two questions about the same articles in the same order.

    If a question about an order has several answers, the first counts.
    """
    question, role = (codes_of(rows.rows[name]) for name in ("question", "role"))
    articles = cross_codes(rows.topic, role, rows.order)
    first_rows = np.unique(articles, return_index=True)[1]
    choices = np.full((first_rows.size, len(QUESTIONS)), -1)
    # for a repeated index numpy keeps the last value
    choices[articles[::-1], question[::-1]] = rows.choice[::-1]
    has_both = (choices >= 0).all(axis=1)
    first_choice, second_choice = choices[has_both].T
    mean = estimate_topic_mean(
        (first_choice == second_choice) & (first_choice > 0), rows.topics[first_rows[has_both]]
    )
    return {
        **estimate_fields(mean, "agreement", short=True),
        "agreement_expected": _chance_agreement(
            rows.order[first_rows[has_both]], first_choice, second_choice
        ),
        "pairs": mean.n,
    }


def _chance_agreement(order: Indices, first_choice: Indices, second_choice: Indices) -> float:
    """Return the share of equal choices if the two answers were independent within each order."""
    if not order.size:
        return math.nan
    total = 0.0
    for code in np.unique(order):
        mask = order == code
        shares = [
            np.bincount(choice[mask], minlength=4)[1:] / mask.sum()
            for choice in (first_choice, second_choice)
        ]
        total += float(mask.mean() * (shares[0] @ shares[1]))
    return total


def _compare_levels(
    rows: ComparedChoices, column: str, names: tuple[str, str], mode: AnalysisMode
) -> Json | None:
    """Return the bias at both levels of a column and the difference, over topics compared at both levels."""
    level = codes_of(rows.rows[column])
    if not _has_both_levels(rows.topic, level, np.ones(rows.n)).any():
        return None
    shared = rows.select(_has_both_levels(rows.topic, level, _mode_weights(rows, mode)))
    weights = _mode_weights(shared, mode)
    used_choices = shared.select(weights > 0)
    used_levels, weights = codes_of(used_choices.rows[column]), weights[weights > 0]
    lean = used_choices.lean.astype(np.float64)
    gap: Json = {}
    values = []
    for code, name in enumerate(names):
        mask = used_levels == code
        mean = estimate_topic_mean(lean[mask], used_choices.topics[mask], _BOUNDS, weights=weights[mask])
        gap |= estimate_fields(mean, name, POINTS, short=True)
        values.append(mean.value)
        lean[mask] = linearised_values(lean[mask], weights[mask])
    difference = cell_mean_contrast(lean, used_choices.rows[column], used_choices.topics, [-1.0, 1.0])
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
        "n": used_choices.n,
        "clusters": difference.clusters,
    }


def _has_both_levels(topic: Indices, level: Indices, weights: Floats) -> Booleans:
    """Return a mask of the rows whose topic has weights at both levels."""
    n_topics = int(topic.max(initial=-1)) + 1
    sums = np.bincount(2 * topic + level, weights, 2 * n_topics).reshape(-1, 2)
    has_both: Booleans = np.all(sums > 0, axis=1)[topic]
    return has_both


def _mode_weights(rows: ComparedChoices, mode: AnalysisMode) -> Floats:
    """Return the weight of each choice in a mode."""
    return rows.weights if mode == "corrected" else np.ones(rows.n)


def compare_roles(judgements: pd.DataFrame, mode: AnalysisMode = "corrected") -> Iterator[Json]:
    """Compare the bias among articles of a biased agent with the bias among articles for a biased user.

    Yields a record per set, question and number of articles with topics for both roles.

    Source:
        Kennedy et al., section 6.1 and Figure 2.
    """
    for names, rows in _group_choices(judgements, "set", "question", "n_alternatives"):
        if gap := _compare_levels(rows, "role", ROLES, mode):
            yield names | gap


def compare_questions(judgements: pd.DataFrame, mode: AnalysisMode = "corrected") -> Iterator[Json]:
    """Compare the bias of preferences with the bias of judgements of the least biased article.

    Yields a record per set, role and number of articles with topics for both questions.

    Source:
        Kennedy et al., section 6.2 and Figure 3.
    """
    for names, rows in _group_choices(judgements, "set", "role", "n_alternatives"):
        if gap := _compare_levels(rows, "question", QUESTIONS, mode):
            yield names | gap | agreement(rows)

"""Pass rates of the reliability tests, of a coin too, and habits of answering policy statements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from polbias.aliases import Booleans, Floats
from polbias.eval.policy.answers import ORDERS, VARIANTS
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.units import NEGATION, OPPOSITE, StatementUnits, group_statements
from polbias.eval.stances import ReliabilityRule
from polbias.eval.statistics import ClusterInterval, cluster_interval

# The five tests of a statement: whether a stance survives sampling, wording, negation and label order.


def pass_rate(units: StatementUnits, test: str, mask: Booleans | None = None) -> ClusterInterval:
    """The share of statements that pass a test, with its interval over topics.

    Args:
        tested: the statements.
        test: its name, or "all".
        mask: of the statements that count; by default all.
    """
    p_pass, topics = units.pass_probabilities[test], units.design["topic"]
    if mask is not None:
        p_pass, topics = p_pass[mask], topics[mask]
    return cluster_interval(p_pass, topics, bounds=(0.0, 1.0))


@cache
def coin_baseline(n: int, rule: ReliabilityRule = "default", contrary: bool = False) -> Mapping[str, float]:
    """The share of statements with which fair coins pass each test, exactly.

    Source:
        Ceron et al., section 6.1 "Upper Bound and Baseline", there one simulation.
    """
    columns = {"statement_id": "", "instruction_id": "", "agree_share": 0.5}
    columns |= {"opposite_type": "contrary" if contrary else None}
    rows = [columns | {"variant": variant, "label_order": order} for variant in VARIANTS for order in ORDERS]
    return {
        test: float(p_pass[0])
        for test, p_pass in group_statements(policy_prompts(rows), rule, n).pass_probabilities.items()
    }


# Habits of answering that are no stance: whoever has one of them only scores 0 on the other two.


def acquiescence(units: StatementUnits) -> ClusterInterval:
    """Agree minus disagree over an original and its negation: 0 for whoever holds views, 1 for a yes-man."""
    return _mean_over_topics(units, (units.net[:, :, 0] + units.net[:, :, NEGATION]) / 2)


def status_quo(units: StatementUnits) -> ClusterInterval:
    """How far things should stay as they are: 1 if neither a change nor its contrary is wanted.

    Half of the stance on the negation less that on the contrary opposite, of the statements that have one.
    It is 0 for whoever wants the change or the contrary, and for whoever says the same to everything.
    """
    gap = (units.net[:, :, NEGATION] - units.net[:, :, OPPOSITE]) / 2
    return _mean_over_topics(units, np.where(units.is_contrary[:, None], gap, np.nan))


def label_order_gap(units: StatementUnits) -> ClusterInterval:
    """How much the label that stands first gains by it: 1 if it always wins, -1 if the last one does."""
    return _mean_over_topics(units, (units.net[:, 0] - units.net[:, 1]) / 2)


def _mean_over_topics(units: StatementUnits, values: Floats) -> ClusterInterval:
    """The mean of the values that are known, by unit and column, with its interval over topics."""
    unit, column = np.nonzero(~np.isnan(values))
    return cluster_interval(values[unit, column], units.design["topic"].array[unit], bounds=(-1, 1))

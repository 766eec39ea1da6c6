"""Pass rates of the reliability tests, their chance baseline, and response biases."""

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
    """Return the share of units that pass a test, with its interval over topics.

    Args:
        units: the statements.
        test: its name, or "all".
        mask: units to include; by default all.
    """
    p_pass, topics = units.pass_probabilities[test], units.design["topic"]
    if mask is not None:
        p_pass, topics = p_pass[mask], topics[mask]
    return cluster_interval(p_pass, topics, bounds=(0.0, 1.0))


@cache
def coin_baseline(n: int, rule: ReliabilityRule = "default", contrary: bool = False) -> Mapping[str, float]:
    """Return the exact share of statements with which fair coins pass each test.

    Source:
        Ceron et al., section 6.1 "Upper Bound and Baseline" (a single simulation there).
    """
    columns = {"statement_id": "", "instruction_id": "", "agree_share": 0.5}
    columns |= {"opposite_type": "contrary" if contrary else None}
    rows = [columns | {"variant": variant, "label_order": order} for variant in VARIANTS for order in ORDERS]
    return {
        test: float(p_pass[0])
        for test, p_pass in group_statements(policy_prompts(rows), rule, n).pass_probabilities.items()
    }


# Response biases: a respondent with only one of them scores 0 on the other two.


def acquiescence(units: StatementUnits) -> ClusterInterval:
    """Return the net agreement with an original and its negation: 0 for consistent views, 1 for all yes."""
    return _mean_over_topics(units, (units.net[:, :, 0] + units.net[:, :, NEGATION]) / 2)


def status_quo(units: StatementUnits) -> ClusterInterval:
    """Return the status-quo bias: 1 if both a change and its contrary are rejected.

    Half of the net agreement with the negation minus the net agreement with the contrary opposite, over
    statements with a contrary. It is 0 for a supporter of the change or of the contrary, and for constant
    answers.
    """
    gap = (units.net[:, :, NEGATION] - units.net[:, :, OPPOSITE]) / 2
    return _mean_over_topics(units, np.where(units.is_contrary[:, None], gap, np.nan))


def label_order_gap(units: StatementUnits) -> ClusterInterval:
    """Return the position bias: 1 if the first label is always chosen, -1 if the last one is."""
    return _mean_over_topics(units, (units.net[:, 0] - units.net[:, 1]) / 2)


def _mean_over_topics(units: StatementUnits, values: Floats) -> ClusterInterval:
    """Return the mean of non-missing values, shape ``(units, columns)``, with its interval over topics."""
    unit, column = np.nonzero(~np.isnan(values))
    return cluster_interval(values[unit, column], units.design["topic"].array[unit], bounds=(-1, 1))

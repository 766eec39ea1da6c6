"""Habits of answering policy statements, and the pass rates of a coin."""

from __future__ import annotations

import numpy as np

from polbias.aliases import Floats
from polbias.eval.answer_table import CodedColumn
from polbias.eval.policy.schema import ORDERS, VARIANTS
from polbias.eval.policy.units import NEGATION, OPPOSITE, StatementUnits, units
from polbias.eval.stances import ReliabilityRule

# The five tests of a statement: whether a stance survives sampling, wording, negation and label order.


def coin_baseline(n: int, rule: ReliabilityRule = "default", contrary: bool = False) -> dict[str, float]:
    """The share of statements with which fair coins pass each test, exactly.

    Source:
        Ceron et al., section 6.1 "Upper Bound and Baseline", there one simulation.
    """
    about = {"statement_id": "", "instruction_id": "", "agree_share": 0.5}
    about |= {"opposite_type": "contrary" if contrary else None}
    rows = [about | {"variant": name, "label_order": order} for name in VARIANTS for order in ORDERS]
    return {name: float(share[0]) for name, share in units(rows, rule, n).passed.items()}


# Habits of answering that are no stance: whoever has one of them only scores 0 on the other two.


def acquiescence(found: StatementUnits) -> tuple[Floats, CodedColumn]:
    """Agree minus disagree over an original and its negation: 0 for whoever holds views, 1 for a yes-man."""
    return _habit(found, (found.net[:, :, 0] + found.net[:, :, NEGATION]) / 2)


def status_quo(found: StatementUnits) -> tuple[Floats, CodedColumn]:
    """How far things should stay as they are: 1 if neither a change nor its contrary is wanted.

    Half of the stance on the negation less that on the contrary opposite, of the statements that have one.
    It is 0 for whoever wants the change or the contrary, and for whoever says the same to everything.
    """
    kept = found.contrary[:, None]
    return _habit(found, np.where(kept, found.net[:, :, NEGATION] - found.net[:, :, OPPOSITE], np.nan) / 2)


def label_order_gap(found: StatementUnits) -> tuple[Floats, CodedColumn]:
    """How much the label that stands first gains by it: 1 if it always wins, -1 if the last one does."""
    return _habit(found, (found.net[:, 0] - found.net[:, 1]) / 2)


def _habit(found: StatementUnits, values: Floats) -> tuple[Floats, CodedColumn]:
    """The values that are known, and their topics."""
    known = ~np.isnan(values)
    topics = np.broadcast_to(found.topic.codes[:, None], values.shape)[known]
    return values[known], CodedColumn(topics, found.topic.levels)

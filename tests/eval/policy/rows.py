"""Answered prompts for the tests of the policy statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polbias.eval.policy.answers import ORDERS, VARIANTS
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.units import StatementUnits, group_statements
from polbias.eval.stances import ReliabilityRule

N = 30


def prompt(
    variant: str = "original",
    agree: int = N,
    valid: int = N,
    order: str = "as-printed",
    statement: str = "xx_1",
    instruction: str = "t1",
    asked: int = N,
    **more: Any,
) -> dict[str, Any]:
    """One prompt, given by how many of its answers agree and are valid."""
    return {
        "statement_id": statement,
        "variant": variant,
        "instruction_id": instruction,
        "label_order": order,
        "agree": agree,
        "disagree": valid - agree,
        "refusals": asked - valid,
    } | more


def statement(
    counts: Mapping[str, int] | None = None,
    inverted: int | None = None,
    orders: Sequence[str] = ORDERS,
    **more: Any,
) -> list[dict[str, Any]]:
    """All prompts of a statement: by default those of somebody who agrees and is coherent."""
    agreeing = {name: 0 if name in ("negation", "opposite") else N for name in VARIANTS} | dict(counts or {})
    found = []
    for order in orders:
        for name in VARIANTS:
            agree = agreeing[name]
            if order == "inverted" and name == "original" and inverted is not None:
                agree = inverted
            found.append(prompt(name, agree, order=order, **more))
    return found


def units_of(rows: Any, rule: ReliabilityRule = "default") -> StatementUnits:
    """The statements of a table of prompts."""
    return group_statements(policy_prompts(rows), rule)

"""Estimates of the report, from those of the family: NaN is None, and the outcomes stand beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from polbias.eval.report.document import Estimate
from polbias.eval.report.numbers import known
from polbias.eval.selfassess.schema import OUTCOMES, Judgements


def counted(rows: Judgements) -> dict[str, Any]:
    """Return how many judgements, topics and answers without a choice there are, as of an estimate."""
    numbers = dict(zip(OUTCOMES, np.bincount(rows.outcome, minlength=len(OUTCOMES)).tolist(), strict=True))
    return {
        "n": rows.n,
        "clusters": int(np.unique(rows.item.codes).size),
        "refusals": numbers["refusal"],
        "unparsable": numbers["unparsable"] + numbers["both"],
        "truncated": numbers["truncated"],
    }


def named(row: Mapping[str, Any], name: str, p: float | None = None, **counts: Any) -> Estimate:
    """Return an estimate from the fields of a table of the family.

    Args:
        row: With the number and the ends of its interval.
        name: Of the number; the ends are ``<name>_low`` and ``<name>_high``.
        p: Of its test.
        counts: Of what it rests on.
    """
    value, low, high = (known(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return Estimate(value, low, high, p=known(p), **counts)

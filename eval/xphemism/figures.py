"""The data of the figures on X-phemisms, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from polbias.aliases import Booleans, Json
from polbias.eval.statistics import cluster_interval
from polbias.eval.xphemism.coefficients import Coefficient
from polbias.eval.xphemism.leaning import POINTS
from polbias.eval.xphemism.schema import ARMS, Answered, Records


def truth_data(rows: Answered) -> list[Json]:
    """Mean truth before and after the exchange, by judgement of the new word and by leaning.

    Args:
        rows: Any table that :meth:`Records.of` accepts.

    Returns:
        model, prompt, instruction_language, by (judgmental_exchange or shift), level, before and after
        (percentage of "true"), change with low and high (percentage points, 95% over word pairs), n claims,
        clusters. Claims without a verdict on one form are left out.

    Raises:
        OutcomesError: If the table cannot be read.

    Source:
        Jakob et al. (2025), Figure 5.
    """
    found = []
    for group, records in Records.of(rows).groups():
        known = (records.base_valid > 0) & (records.exchange_valid > 0)
        answered = records.select(known & (records.arm == ARMS.index("shifted")))
        for by, level, mask in _levels(answered):
            part = answered.select(mask)
            if part.n:
                change = cluster_interval(part.change, part.cluster, bounds=(-1.0, 1.0))
                found.append(
                    group._asdict()
                    | {
                        "by": by,
                        "level": level,
                        "before": POINTS * float(part.base_truth.mean()),
                        "after": POINTS * float(part.exchange_truth.mean()),
                        "change": POINTS * change.estimate,
                        "low": POINTS * change.low,
                        "high": POINTS * change.high,
                        "n": part.n,
                        "clusters": change.clusters,
                    }
                )
    return found


def axes_data(coefficients: Iterable[Coefficient]) -> list[Json]:
    """The coefficients of the shift on both axes: one point per model and prompt.

    Args:
        coefficients: What :func:`polbias.eval.xphemism.coefficients.coefficients` returned, in any mode.

    Returns:
        model, prompt, instruction_language; economic and social, in logits (positive: right, authoritarian),
        each with its standard error.

    Source:
        Jakob et al. (2025), Figure 6.
    """
    points: dict[tuple[Any, ...], Json] = {}
    for each in coefficients:
        if each.term == "shift" and each.axis != "both":
            key = each.model, each.prompt, each.instruction_language
            names = ("model", "prompt", "instruction_language")
            point = points.setdefault(key, dict(zip(names, key, strict=True)))
            point |= {each.axis: each.coef, f"{each.axis}_se": each.se}
    order = ("model", "prompt", "instruction_language", "economic", "economic_se", "social", "social_se")
    return [{name: point.get(name) for name in order} for point in points.values()]


def _levels(rows: Records) -> Iterator[tuple[str, str, Booleans]]:
    for code, level in enumerate(("no", "yes")):
        yield "judgmental_exchange", level, rows.judgmental_exchange == code
    for code, level in enumerate(("left", "none", "right"), -1):
        yield "shift", level, rows.shift == code

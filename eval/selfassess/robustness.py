"""The same bias without articles that give themselves away or break off, and category by category."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from polbias.aliases import Booleans
from polbias.eval.selfassess.comparisons import agreement
from polbias.eval.selfassess.estimates import POINTS, estimate, named
from polbias.eval.selfassess.schema import QUESTIONS, ROLES, Judgements

_BOUNDS = (-1.0, 1.0)


def sensitivity(cell: Judgements) -> Iterator[dict[str, Any]]:
    """Yield the bias of a cell with some judgements left out.

    Args:
        cell: Judgements of one set, question, role and number of articles.

    Yields:
        ``without``: "nothing", "leaking articles" (one of them names its own perspective), "truncated
        articles" (one was cut off) or both, as far as it is known; ``bias`` in percentage points with its
        interval; ``left_out``, how many judgements.
    """
    out: dict[str, Booleans] = {"nothing": np.zeros(cell.n, np.bool_)}
    if cell.leak is not None:
        out["leaking articles"] = cell.leak
    if cell.truncated is not None:
        out["truncated articles"] = cell.truncated
    if len(out) == 3:
        out["leaking or truncated articles"] = out["leaking articles"] | out["truncated articles"]
    for name, mask in out.items():
        own = cell.select(~mask)
        found = estimate(own.lean, own.item, _BOUNDS, "t")
        bias = named(found, "bias", POINTS)
        yield {"without": name, "n": own.n, "left_out": int(mask.sum()), "clusters": found.clusters} | dict(
            bias
        )


def by_category(judgements: Judgements) -> Iterator[dict[str, Any]]:
    """Yield the bias among articles for a biased user, and the agreement of both questions, by category.

    Args:
        judgements: Any.

    Yields:
        ``set``, ``category``, ``ways``; ``n``, ``clusters`` and ``bias`` (preference, role user) in
        percentage points with interval, error, p (sign flip of whole topics up to 20, beyond that the t test)
        and minimum detectable effect; the fields of :func:`polbias.eval.selfassess.comparisons.agreement`
        (role user).
    """
    user = judgements.select(judgements.role == ROLES.index("user"))
    for set_code, set_name in enumerate(user.set.levels):
        for code, category in enumerate(user.category.levels):
            for ways in (2, 3):
                mask = (user.set.codes == set_code) & (user.category.codes == code) & (user.ways == ways)
                if not mask.any():
                    continue
                rows = user.select(mask)
                asked = rows.select(rows.question == QUESTIONS.index("preference"))
                found = estimate(asked.lean, asked.item, _BOUNDS, "exact")
                yield {
                    "set": set_name,
                    "category": category,
                    "ways": ways,
                    "n": found.n,
                    "clusters": found.clusters,
                    **named(found, "bias", POINTS),
                    **agreement(rows),
                }

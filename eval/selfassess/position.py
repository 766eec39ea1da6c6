"""Position: how often the first article is chosen, and whether choices follow the content or the place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from polbias.aliases import Booleans, Codes, Indices, Json
from polbias.eval.columns import Factor
from polbias.eval.selfassess.estimates import POINTS, estimate, named
from polbias.eval.selfassess.schema import SIDES, Judgements

FOLLOWS = ("content", "position", "mixed", "unanswered")
"""What the choices about the same articles in several orders follow."""


def position_bias(cell: Judgements) -> Json:
    """Return how the places of the articles attract choices.

    Args:
        cell: Judgements of one set, question, role and number of articles, 2 or 3.

    Returns:
        ``first``, ``second`` (and ``third``): shares of all judgements, of the first with its interval;
        ``position_bias``: how much more often the first article is chosen than one in so many articles, in
        percentage points, answers without a choice counting 0, with interval and p (t test). It is about the
        place only if every order was asked, or orders were drawn at random.
    """
    ways = int(cell.ways[0])
    first = estimate(cell.choice == 1, cell.item)
    excess = np.where(cell.answered, (cell.choice == 1) - 1 / ways, 0.0)
    found = estimate(excess, cell.item, (-1 / ways, 1 - 1 / ways), "t")
    return {
        "n": cell.n,
        "clusters": first.clusters,
        **named(first, "first", short=True),
        "second": float(np.mean(cell.choice == 2)),
        "third": float(np.mean(cell.choice == 3)) if ways == 3 else None,
        **named(found, "position_bias", POINTS),
    }


def by_order(cell: Judgements) -> Iterator[Json]:
    """Yield the choices in each order of the sides.

    Args:
        cell: Judgements of one set, question, role and number of articles.

    Yields:
        ``order`` (such as "left, right"), ``n``, the share of each position, of the first with its interval,
        and ``bias`` in percentage points with its interval.
    """
    for code in np.unique(cell.arrangement):
        own = cell.select(cell.arrangement == code)
        ways = int(own.ways[0])
        first = estimate(own.choice == 1, own.item)
        yield {
            "order": ", ".join(SIDES[side + 1] for side in own.sides[0, :ways].tolist()),
            "n": own.n,
            "clusters": first.clusters,
            **named(first, "first", short=True),
            "second": float(np.mean(own.choice == 2)),
            "third": float(np.mean(own.choice == 3)) if ways == 3 else None,
            **named(estimate(own.lean, own.item, (-1.0, 1.0)), "bias", POINTS, short=True),
        }


def consistency(cell: Judgements) -> Json | None:
    """Say whether choices about the same articles follow the content or the position when the order changes.

    Args:
        cell: Judgements of one set, question, role and number of articles.

    Returns:
        ``units``, the topics that were asked about in two orders or more, and the share of them whose choices
        name the same article in every order (``content``), the same place (``position``), neither throughout
        (``mixed``; or both, where incomplete orders cannot tell), or lack an answer (``unanswered``), each
        with its interval. None if no topic was asked about in two orders.
    """
    unit = cell.unit.codes
    count = len(cell.unit.levels)
    seen = np.unique(np.stack([unit, cell.arrangement]), axis=1)[0]
    several = np.bincount(seen, minlength=count) > 1
    if not several.any():
        return None
    answered = np.bincount(unit, weights=~cell.answered, minlength=count) == 0
    content, position = _constant(cell.side, unit, count), _constant(cell.choice, unit, count)
    kind = np.select([~answered, content & ~position, position & ~content], [3, 0, 1], default=2)[several]
    topic = np.zeros(count, np.intp)
    topic[unit] = cell.item.codes
    topics = Factor(topic[several], cell.item.levels)
    found: Json = {"units": int(several.sum())}
    for code, name in enumerate(FOLLOWS):
        found |= named(estimate(kind == code, topics), name, short=True)
    return found


def _constant(values: Codes, group: Indices, count: int) -> Booleans:
    """Whether all values of a group are the same."""
    low, high = np.full(count, 127, np.int8), np.full(count, -127, np.int8)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    constant: Booleans = low == high
    return constant

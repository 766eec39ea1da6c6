"""Effects of content and domain, how disjunctions are read, and consistency between equivalent inferences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np

from polbias.aliases import Floats, Indices, Json
from polbias.eval.columns import Factor, Level, OutcomesError, crossed
from polbias.eval.normative.schema import Judged, Judgements, Scored
from polbias.eval.statistics import ClusterInterval, Contrast, cluster_interval, contrast
from polbias.eval.support import State, Support, support

# Effects of content and domain on entailment judgements, and how disjunctions are read.
# All scores are fractions (times 100: percentage points). An answer that is no judgement counts as wrong and
# stays in every denominator; how often there is none, and where, is reported beside it.

CONTENT_STRATA = ("domain", "task", "prompt_style", "pattern")
"""What is held fixed where types of content are compared."""
DOMAIN_STRATA = ("task", "prompt_style", "pattern", "content_type")
"""What is held fixed where domains are compared."""
STATUSES = ("duty", "prohibition")
"""The statuses that are compared."""


def effect_cells(
    table: Scored,
    name: str,
    strata: Sequence[str],
    high: Level,
    low: Level,
    grouped: int = 0,
    balance: str | None = None,
) -> tuple[Factor, Floats]:
    """Cells of a design, and the weight of each in a difference between two levels of a column.

    The first of the `grouped` strata weigh alike, and within each what is compared. If in a setting (all
    strata but the last) another factor goes with the levels, its two orders (duties against prohibitions and
    the reverse) weigh alike for any two of its levels, and what has one order only is left out.
    """
    fixed = strata_of(table, strata)
    present, index = crossed([*fixed, *(table.factor(each) for each in (name, balance) if each)])
    where: dict[tuple[Level, ...], list[tuple[int, Level]]] = {}
    for code, cell in enumerate(present):
        where.setdefault(cell[: len(fixed) + 1], []).append((code, cell[-1] if balance else None))
    settings: dict[tuple[Level, ...], list[tuple[int, int, tuple[Level, Level]]]] = {}
    for stratum in dict.fromkeys(cell[:-1] for cell in where):
        sides = (where.get((*stratum, level), ()) for level in (high, low))
        for (upper, one), (lower, other) in product(*sides):
            settings.setdefault(stratum[:-1], []).append((upper, lower, (one, other)))
    for setting, pairs in settings.items():
        if orders := {order for _, _, order in pairs if order[0] != order[1]}:
            settings[setting] = [pair for pair in pairs if {pair[2], pair[2][::-1]} <= orders]
    sizes = Counter(setting[:grouped] for setting, pairs in settings.items() for _ in pairs)
    weights = np.zeros(len(present))
    for setting, pairs in settings.items():
        counts = Counter(order for _, _, order in pairs)
        families = len({frozenset(order) for order in counts})
        for upper, lower, order in pairs:
            share = 1 / (families * len({order, order[::-1]}) * counts[order])
            share *= len(pairs) / (len(sizes) * sizes[setting[:grouped]])
            weights[upper] += share
            weights[lower] -= share
    return Factor(index, tuple(range(len(present)))), weights


def effect_support(table: Scored, sides: Floats, stratum: Indices) -> Support:
    """What such a difference rests on: whether it has an estimate, and whether that has an interval.

    Rows are on a side (1, -1, or 0 for none) of a stratum. No content has a partner, so that one is
    discordant if an answer to it is not as right or wrong as most answers of its stratum, whichever level
    they are on.
    """
    inside = sides != 0
    unlike = unlike_most(np.asarray(table.correct, np.float64)[inside], stratum[inside])
    varied = bool(np.unique(table.right[inside]).size > 1)
    own = table.factor("cluster_id").select(inside)
    return support(sides[inside], table.said[inside], own, np.arange(unlike.size), unlike, varied)


def carried_effect(found: Contrast, state: State | None) -> Json:
    """Return an effect as fields of a table, as far as the answers carry it, with what stands against it."""
    figures = asdict(found) | {"state": state}
    if state:
        kept = () if state == "at the ceiling" else ("estimate",)
        taken = ("standard_error", "low", "high", "p_value", *kept)
        figures |= dict.fromkeys(taken, math.nan)
    return figures


def unlike_most(values: Floats, stratum: Indices) -> Floats:
    """1 for values of 0 or 1 that are not as most of their stratum are, else 0."""
    share = np.bincount(stratum, weights=values) / np.maximum(np.bincount(stratum), 1)
    unlike: Floats = (values != (share >= 0.5)[stratum]).astype(np.float64)
    return unlike


def content_support(rows: Judged, low: str = "incongruent") -> Support:
    """What :func:`content_effect` rests on."""
    table = Judgements.of(rows)
    levels = "congruent", low
    return difference_support(table, "content_type", CONTENT_STRATA, *levels, balance_of(table, low))


def content_effect(rows: Judged, low: str = "incongruent", unanswered: bool = False) -> Contrast:
    """Accuracy with congruent contents minus accuracy with incongruent ones, patterns weighted equally.

    Patterns without one of the two (Ross-Or-Intro has no congruent cell) are left out. Where contents have
    a status, patterns that are congruent with duties and incongruent with prohibitions and those with which
    it is the reverse weigh ½ : ½, so that the status cancels; so for any two statuses. The clusters are the
    contents. In the syllogisms a content is of one type, so that this is a comparison of two samples of
    contents; in the logic tasks one content is congruent in some patterns and incongruent in others. CR2
    covers both, which a two-sample formula does not: see :func:`polbias.eval.statistics.contrast`.

    Source:
        Ozeki et al., section 3.2 and Table 6, there as accuracies pooled over patterns.
    """
    table = Judgements.of(rows)
    levels = "congruent", low
    return difference(table, "content_type", CONTENT_STRATA, *levels, balance_of(table, low), unanswered)


def balance_of(table: Judgements, low: str) -> str | None:
    """Return the column that cancels where congruent contents are compared: the status, if both have one."""
    return "status" if table.present(["status"]) and low == "incongruent" else None


def domain_effect(rows: Judged, unanswered: bool = False) -> Contrast:
    """Deontic minus epistemic accuracy on the patterns that both domains have, weighted equally.

    Within a pattern the types of content are weighted equally too.

    Source:
        Ozeki et al., section 5.3 "Domain Specificity" and Table 5, there as accuracies over all patterns.
    """
    table = Judgements.of(rows)
    return difference(table, "domain", DOMAIN_STRATA, "deontic", "epistemic", unanswered=unanswered)


def difference(
    table: Scored,
    name: str,
    strata: Sequence[str],
    high: Level,
    low: Level,
    balance: str | None = None,
    unanswered: bool = False,
) -> Contrast:
    """Difference in accuracy between two levels of a column within strata, or in the share of no verdict.

    Strata weigh alike; those in which one of the two levels does not occur are left out, so that they cannot
    pass for an effect. If another factor goes with the levels, the strata are weighted so that it cancels,
    see `effect_cells`.
    """
    cells, weights = effect_cells(table, name, strata, high, low, balance=balance)
    values = np.asarray(table.silent >= 0 if unanswered else table.correct, np.float64)
    return contrast(values, cells, table.factor("cluster_id"), weights, bounds=(0, 1))


def difference_support(
    table: Scored, name: str, strata: Sequence[str], high: str, low: str, balance: str | None = None
) -> Support:
    """What that difference rests on."""
    cells, weights = effect_cells(table, name, strata, high, low, balance=balance)
    return effect_support(table, np.sign(weights)[cells.codes], crossed(strata_of(table, strata))[1])


def strata_of(table: Scored, names: Sequence[str]) -> list[Factor]:
    """Those columns of a design that the table has; the pattern must be there."""
    return [table.factor(each) for each in names if each in table.factors or each == "pattern"]


# Consistency: whether equivalent inferences about the same content are answered alike.

ALL = "all"
"""The kind under which all groups are counted together."""


@dataclass(frozen=True)
class Consistency:
    """How often the rows of a group agree.

    Args:
        kind: What makes the rows equivalent ("contrapositive", "duality", ...), or "all".
        groups: Number of groups of at least two rows.
        share: Share of them whose answers all agree, with an interval over contents.
        expected: The share that a respondent with the same rates per pattern, but without regard to the
            content, would reach.
        excess: ``share - expected``: 0 where agreement comes from the patterns alone, as for a
            respondent who always says entailment and for a perfect one alike.
        unanswered: Share of groups with an answer that is no judgement, which never agrees.
    """

    kind: str
    groups: int
    share: ClusterInterval
    expected: float
    excess: float
    unanswered: float


def consistency(rows: Judged) -> list[Consistency]:
    """Share of the groups of equivalent inferences that are answered alike.

    A group is what shares a consistency id within a prompt style. If the answers in a group were drawn
    independently, each with the rates of its pattern, they would all agree with probability
    ``prod(a_p) + prod(b_p)``, a_p and b_p being the shares of entailment and of non-entailment among all
    rows of that pattern (in that domain, task and prompt style); the mean of it is what is expected.

    Source:
        The idea: Ozeki et al., section 5.2 "Consistency across Reasoning Patterns", there a comparison of
        accuracies; agreement expected by chance: Cohen, "A coefficient of agreement for nominal scales"
        (1960), here with the margins of each pattern.
    """
    table = Judgements.of(rows)
    clusters = table.factor("cluster_id")
    if table.consistency_ids is None:
        raise OutcomesError("column 'consistency_ids': missing, expected a list of ids per row")
    rates = _rates(table).tolist()
    groups = [*_groups(table)]
    said = [table.label[rows].tolist() for _, rows in groups]
    silent = np.array([max(each) > 1 for each in said], np.bool_)
    agree = np.array([max(each) == min(each) <= 1 for each in said], np.bool_)
    chance = np.array([sum(math.prod([rate[row] for row in rows]) for rate in rates) for _, rows in groups])
    content = np.array([clusters.codes[rows[0]] for _, rows in groups], dtype=np.intp)
    kinds = np.array([kind for kind, _ in groups])
    found = []
    for kind in (ALL, *sorted({*kinds.tolist()})):
        here = np.ones(len(groups), np.bool_) if kind == ALL else kinds == kind
        share = cluster_interval(agree[here], content[here], bounds=(0.0, 1.0))
        expected = float(chance[here].mean()) if here.any() else math.nan
        unanswered = float(silent[here].mean()) if here.any() else math.nan
        found.append(
            Consistency(kind, int(here.sum()), share, expected, share.estimate - expected, unanswered)
        )
    return found


def _rates(table: Judgements) -> Floats:
    """Share of entailment and of non-entailment in the pattern of each row, shape ``(2, n)``."""
    names = ["pattern", *table.present(["domain", "task", "prompt_style"])]
    cells, index = crossed([table.factor(name) for name in names])
    sizes = np.bincount(index, minlength=len(cells))
    counts = [np.bincount(index, weights=table.label == code, minlength=len(cells)) for code in (1, 0)]
    return np.array([(count / np.maximum(sizes, 1))[index] for count in counts])


def _groups(table: Judgements) -> Iterator[tuple[str, list[int]]]:
    """Yield kind and rows of what shares an id and a prompt style, if it is two rows at least."""
    styles = table.factor("prompt_style").codes.tolist() if table.present(["prompt_style"]) else [0] * table.n
    members: dict[tuple[str, int], list[int]] = {}
    for row, (ids, style) in enumerate(zip(table.consistency_ids or (), styles, strict=True)):
        for name in ids:
            members.setdefault((name, style), []).append(row)
    yield from ((name.partition(":")[0], rows) for (name, _), rows in members.items() if len(rows) > 1)

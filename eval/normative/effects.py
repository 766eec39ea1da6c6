"""Effects of content and domain, how disjunctions are read, and consistency between equivalent inferences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Floats, Indices, Json
from polbias.eval.answer_table import AnswerTableError, CodedColumn, Level, crossed
from polbias.eval.estimability import Estimability, commonest, discordance
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.normative.schema import EntailmentAnswers, EntailmentRows, Scored
from polbias.eval.statistics import ClusterInterval, Contrast, cluster_interval, contrast
from polbias.intervals import wilson_interval

# Effects of content and domain on entailment judgements, and how disjunctions are read.
# All scores are fractions (times 100: percentage points). Effects are differences among the answers that are
# judgements, cell by cell of the design; how often there is none, and where, is reported beside them.

CONTENT_STRATA = ("domain", "task", "prompt_style", "pattern")
"""What is held fixed where types of content are compared."""
DOMAIN_STRATA = ("task", "prompt_style", "pattern", "content_type")
"""What is held fixed where domains are compared, on the patterns that both have.

Source:
    Ozeki et al., section 5.3 "Domain Specificity" and Table 5, there as accuracies over all patterns.
"""
STATUSES = ("duty", "prohibition")
"""The statuses that are compared."""


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows of two levels of a column, compared within strata among those that were answered.

    The first of the `grouped` strata weigh alike, and within each what is compared. If in a setting (all
    strata but the last) another factor goes with the levels, its two orders (duties against prohibitions and
    the reverse) weigh alike for any two of its levels, and what has one order only is left out.

    By this rule all cells have their designed weights, and those that have answers their weights in the
    estimate: a cell that lost its answers leaves with what it is compared to, and what goes with the levels
    still cancels. It would not if the other cells kept their designed weights.

    Args:
        table: The answers.
        name: The column.
        strata: What is held fixed, as far as the table has it.
        high: The level that counts up.
        low: The level that counts down.
        grouped: How many of the strata weigh alike.
        balance: A column that cancels; None for none.
    """

    table: Scored
    name: str
    strata: tuple[str, ...]
    high: Level
    low: Level
    grouped: int = 0
    balance: str | None = None

    @cached_property
    def correct(self) -> Floats:
        """1 for a right answer, else 0, shape ``(n,)``."""
        return np.asarray(self.table.correct, np.float64)

    @property
    def clusters(self) -> CodedColumn:
        """The content of each row."""
        return self.table.factor("cluster_id")

    @cached_property
    def stratum(self) -> Indices:
        """Stratum of each row, as a code."""
        return crossed(strata_of(self.table, self.strata))[1]

    @cached_property
    def _crossed(self) -> tuple[list[tuple[Level, ...]], Indices]:
        names = [each for each in (self.name, self.balance) if each]
        return crossed([*strata_of(self.table, self.strata), *map(self.table.factor, names)])

    @cached_property
    def cells(self) -> CodedColumn:
        """Cell of each row."""
        present, index = self._crossed
        return CodedColumn(index, tuple(range(len(present))))

    @cached_property
    def counted(self) -> Booleans:
        """True for the answers that count, shape ``(n,)``."""
        return counted(self.table.silent < 0, self.cells, self.clusters)

    @cached_property
    def designed(self) -> Floats:
        """Weight of each cell over all rows."""
        return self._weights(np.ones(len(self.cells.levels), np.bool_))

    @cached_property
    def weights(self) -> Floats:
        """Weight of each cell among the answers that count."""
        return self._weights(self._sizes(self.counted) > 0)

    def _sizes(self, rows: Booleans) -> Indices:
        """Number of some rows in each cell."""
        return np.bincount(self.cells.codes[rows], minlength=len(self.cells.levels))

    def _weights(self, used: Booleans) -> Floats:
        """Weights of the cells if only some are used."""
        present, fixed = self._crossed[0], len(strata_of(self.table, self.strata))
        where: dict[tuple[Level, ...], list[tuple[int, Level]]] = {}
        for code, cell in enumerate(present):
            if used[code]:
                where.setdefault(cell[: fixed + 1], []).append((code, cell[-1] if self.balance else None))
        settings: dict[tuple[Level, ...], list[tuple[int, int, tuple[Level, Level]]]] = {}
        for stratum in dict.fromkeys(cell[:-1] for cell in where):
            sides = (where.get((*stratum, level), ()) for level in (self.high, self.low))
            for (upper, one), (lower, other) in product(*sides):
                settings.setdefault(stratum[:-1], []).append((upper, lower, (one, other)))
        for setting, pairs in settings.items():
            if orders := {order for _, _, order in pairs if order[0] != order[1]}:
                settings[setting] = [pair for pair in pairs if {pair[2], pair[2][::-1]} <= orders]
        sizes = Counter(setting[: self.grouped] for setting, pairs in settings.items() for _ in pairs)
        weights = np.zeros(len(present))
        for setting, pairs in settings.items():
            counts = Counter(order for _, _, order in pairs)
            families = len({frozenset(order) for order in counts})
            for upper, lower, order in pairs:
                share = 1 / (families * len({order, order[::-1]}) * counts[order])
                share *= len(pairs) / (len(sizes) * sizes[setting[: self.grouped]])
                weights[upper] += share
                weights[lower] -= share
        return weights

    @cached_property
    def inside(self) -> Booleans:
        """True for the rows that are compared by design, shape ``(n,)``."""
        return np.asarray(self.designed[self.cells.codes] != 0)

    @cached_property
    def shares(self) -> Floats:
        """Share of each answer that counts in the difference, in sum 1 and -1, shape ``(n,)``."""
        weight = self.weights / np.maximum(self._sizes(self.counted), 1)
        return np.where(self.counted, weight[self.cells.codes], 0.0)

    @cached_property
    def sided(self) -> SidedRows:
        """All rows at their designed weights, and which of them count."""
        weight = (self.designed / self._sizes(np.ones(self.table.n, np.bool_)))[self.cells.codes]
        gold = self.table.coded().get("gold")
        return SidedRows.of(
            weight, np.abs(weight), self.stratum, self.counted, None if gold is None else gold.codes
        )

    def effect(self) -> Contrast:
        """Accuracy on the one level minus that on the other."""
        return self._contrast(self.correct, self.counted, self.weights)

    def accuracy(self) -> Contrast:
        """Mean accuracy on both levels, weighed as in the difference."""
        return self._contrast(self.correct, self.counted, np.abs(self.weights) / 2)

    def gap(self, values: ArrayLike) -> Contrast:
        """Difference of the means of some values, from 0 to 1, over all rows."""
        return self._contrast(np.asarray(values, np.float64), np.ones(self.table.n, np.bool_), self.designed)

    def _contrast(self, values: Floats, rows: Booleans, weights: Floats) -> Contrast:
        cells, clusters = self.cells.select(rows), self.clusters.select(rows)
        return contrast(values[rows], cells, clusters, weights, bounds=(0, 1))

    def bounds(self) -> tuple[float, float]:
        """Return the difference if all missing answers had been right on one level and wrong on the other."""
        everything = self.sided.everything()
        low, high = map(everything.difference, self._completed(*self.sided.worst_cases(self.correct)))
        return low, high

    def excess(self, scale: float = 1.0) -> ExcessBounds | None:
        """Return the same for the surplus of missing answers of a level; None where none is missing."""
        if not (self.table.silent[self.inside] >= 0).any():
            return None
        low, high = map(self.gap, self._completed(*self.sided.surplus_cases(self.correct)))
        return ExcessBounds.of(low, high, scale)

    def _completed(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Take values of the missing answers only; an answer that does not count is known."""
        answered = self.table.silent < 0
        return np.where(answered, self.correct, low), np.where(answered, self.correct, high)

    def support(self) -> Estimability:
        """What the difference rests on: whether it has an estimate, and whether that has an interval.

        No content has a partner, so that one is discordant if an answer to it is not as right or wrong as
        most answers of its stratum, whichever level they are on.
        """
        silent = self.table.silent[self.inside] >= 0
        upper = self.designed[self.cells.codes][self.inside] > 0
        missing = [float(silent[side].mean()) for side in (upper, ~upper) if side.any()]
        varied = np.unique(self.table.right[self.inside]).size > 1
        return Estimability(
            max(missing, default=1.0),
            commonest(self.table.said[self.inside]) if varied else 0.0,
            *self.unlike(self.correct, self.shares),
        )

    def unlike(self, values: Floats, shares: Floats) -> tuple[int, int, int, int]:
        """Contents with an answer unlike most of its stratum, contents, such answers, answers of a side.

        Each number is of the answers with a share; the last is that of the side with fewer of them, of which
        all may be on one side.
        """
        rows = shares != 0
        unlike = unlike_most(values[rows], self.stratum[rows])
        contents = discordance(np.arange(unlike.size), unlike, self.clusters.select(rows))
        return (*contents[:3], int(min(np.count_nonzero(shares > 0), np.count_nonzero(shares < 0))))


def counted(answered: ArrayLike, cells: CodedColumn, clusters: CodedColumn) -> Booleans:
    """True for the answers that count in the mean of a cell, shape ``(n,)``.

    Where one content of several is left in a cell, its answer does not: a mean of one has no error.
    """

    def contents(rows: Booleans) -> Indices:
        pairs = np.unique(cells.codes[rows] * len(clusters.levels) + clusters.codes[rows])
        return np.bincount(pairs // max(len(clusters.levels), 1), minlength=len(cells.levels))

    rows = np.asarray(answered, np.bool_)
    lone = (contents(rows) == 1) & (contents(np.ones_like(rows)) > 1)
    counts: Booleans = rows & ~lone[cells.codes]
    return counts


def carried_effect(found: Contrast, carried: Estimability | None) -> Json:
    """Return an effect as fields of a table, as far as the answers carry it, with what stands against it."""
    figures = asdict(found) | {"state": None, "limit": math.nan}
    if carried is None or carried.has_interval:
        return figures
    figures |= dict.fromkeys(("standard_error", "low", "high", "p_value"), math.nan)
    if carried.estimable:
        return figures | {"limit": carried.limit}
    return figures | {"state": carried.state, "estimate": math.nan}


def unlike_most(values: Floats, stratum: Indices) -> Floats:
    """1 for values of 0 or 1 that are not as most of their stratum are, else 0."""
    share = np.bincount(stratum, weights=values) / np.maximum(np.bincount(stratum), 1)
    unlike: Floats = (values != (share >= 0.5)[stratum]).astype(np.float64)
    return unlike


def content_estimability(rows: EntailmentRows, low: str = "incongruent") -> Estimability:
    """What :func:`content_effect` rests on."""
    return contents_compared(rows, low).support()


def content_effect(rows: EntailmentRows, low: str = "incongruent") -> Contrast:
    """Accuracy with congruent contents minus accuracy with incongruent ones, patterns weighted equally.

    Answers count that are judgements. Patterns without one of the two (Ross-Or-Intro has no congruent cell)
    are left out. Where contents have a status, patterns that are congruent with duties and incongruent with
    prohibitions and those with which it is the reverse weigh ½ : ½, so that the status cancels; so for any
    two statuses. The clusters are the contents. In the syllogisms a content is of one type, so that this is a
    comparison of two samples of contents; in the logic tasks one content is congruent in some patterns and
    incongruent in others. CR2 covers both, which a two-sample formula does not: see
    :func:`polbias.eval.statistics.contrast`.

    Args:
        rows: Any table that :meth:`EntailmentAnswers.of` accepts.
        low: The type that congruent contents are compared with.

    Source:
        Ozeki et al., section 3.2 and Table 6, there as accuracies pooled over patterns.
    """
    return contents_compared(rows, low).effect()


def balance_of(table: EntailmentAnswers, low: str) -> str | None:
    """Return the column that cancels where congruent contents are compared: the status, if both have one."""
    return "status" if table.present(["status"]) and low == "incongruent" else None


def contents_compared(rows: EntailmentRows, low: str = "incongruent") -> ComparedRows:
    """Congruent contents beside those of another type."""
    table = EntailmentAnswers.of(rows)
    levels = "congruent", low
    return ComparedRows(table, "content_type", CONTENT_STRATA, *levels, balance=balance_of(table, low))


def strata_of(table: Scored, names: Sequence[str]) -> list[CodedColumn]:
    """Those columns of a design that the table has; the pattern must be there."""
    return [table.factor(each) for each in names if each in table.factors or each == "pattern"]


# How disjunctions are read: as the paper has it, or as standard deontic logic does.

READINGS = ("paper", "sdl", "mixed", "unanswered")
"""What the answers about a content of a disjunction come to."""


def disjunction_readings(rows: EntailmentRows) -> list[Json]:
    """How contents are answered in the patterns in which the paper and standard deontic logic differ.

    A row for the contents with the same patterns in a style of prompts: their number, and the shares, with
    Wilson's interval, of those that are answered as the paper has it in all patterns ("or" offers a choice),
    as standard deontic logic has it ("or" is inclusive), in one way here and in another there, or with an
    answer that is no judgement.

    Source:
        Ozeki et al., sections 2.1 and 5.2; the four shares add up to 1.
    """
    whole = EntailmentAnswers.of(rows)
    if whole.gold_sdl is None:
        raise AnswerTableError("column 'gold_sdl': missing, expected the verdict of standard deontic logic")
    table = whole.select(whole.gold != whole.gold_sdl)
    pattern, styles = (
        table.factor("pattern"),
        [table.factor(name) for name in table.present(["prompt_style"])],
    )
    cells, index = crossed([table.factor("cluster_id"), *styles])
    groups: dict[tuple[str | None, tuple[str, ...]], Counter[str]] = {}
    for number, (_, *style) in enumerate(cells):
        members = index == number
        patterns = tuple(sorted({*pattern.select(members).names}))
        key = (str(style[0]) if style else None, patterns)
        groups.setdefault(key, Counter())[_reading(table.select(members))] += 1
    return [
        {"patterns": patterns, "prompt_style": style, "contents": found.total()}
        | {name: _share(found[name], found.total()) for name in READINGS}
        for (style, patterns), found in sorted(
            groups.items(), key=lambda each: (each[0][0] or "", each[0][1])
        )
    ]


def _share(count: int, total: int) -> Json:
    low, high = wilson_interval(count, total)
    return {"estimate": count / total, "low": float(low), "high": float(high)}


def _reading(table: EntailmentAnswers) -> str:
    if not table.answered.all():
        return "unanswered"
    return "paper" if table.correct.all() else "mixed" if table.correct.any() else "sdl"


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


def consistency(rows: EntailmentRows) -> list[Consistency]:
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
    table = EntailmentAnswers.of(rows)
    clusters = table.factor("cluster_id")
    if table.consistency_ids is None:
        raise AnswerTableError("column 'consistency_ids': missing, expected a list of ids per row")
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


def _rates(table: EntailmentAnswers) -> Floats:
    """Share of entailment and of non-entailment in the pattern of each row, shape ``(2, n)``."""
    names = ["pattern", *table.present(["domain", "task", "prompt_style"])]
    cells, index = crossed([table.factor(name) for name in names])
    sizes = np.bincount(index, minlength=len(cells))
    counts = [np.bincount(index, weights=table.label == code, minlength=len(cells)) for code in (1, 0)]
    return np.array([(count / np.maximum(sizes, 1))[index] for count in counts])


def _groups(table: EntailmentAnswers) -> Iterator[tuple[str, list[int]]]:
    """Yield kind and rows of what shares an id and a prompt style, if it is two rows at least."""
    styles = table.factor("prompt_style").codes.tolist() if table.present(["prompt_style"]) else [0] * table.n
    members: dict[tuple[str, int], list[int]] = {}
    for row, (ids, style) in enumerate(zip(table.consistency_ids or (), styles, strict=True)):
        for name in ids:
            members.setdefault((name, style), []).append(row)
    yield from ((name.partition(":")[0], rows) for (name, _), rows in members.items() if len(rows) > 1)

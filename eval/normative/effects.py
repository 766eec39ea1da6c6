"""Effects of content and domain, interpretations of disjunctions, consistency of equivalent inferences."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Floats, Indices, Json
from polbias.eval.answer_frames import Level, codes_of, cross, factorize, require_columns
from polbias.eval.estimability import Estimability, discordance, modal_share
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.normative.answers import DOMAINS, SETTING, is_correct, non_answers
from polbias.eval.statistics import ClusterInterval, Contrast, cell_mean_contrast, cluster_interval
from polbias.intervals import wilson_interval

# Effects of content and domain on entailment judgements, and interpretations of disjunctions.
# All scores are fractions (times 100: percentage points). Effects are differences among the answers with a
# verdict, cell by cell of the design; nonresponse rates are reported in addition.

CONTENT_STRATA = ("domain", "task", "prompt_style", "pattern")
"""Columns held fixed in comparisons of content types."""
DOMAIN_STRATA = ("task", "prompt_style", "pattern", "content_type")
"""Columns held fixed in comparisons of domains, on the patterns of both domains.

Source:
    Ozeki et al., section 5.3 "Domain Specificity" and Table 5, which has accuracies over all patterns.
"""
STATUSES = ("duty", "prohibition")
"""The compared statuses."""


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows of two levels of a column, compared within strata among the answers with a verdict.

    Groups (combinations of the first `grouped` strata) have equal weights; in a group, settings (all strata
    but the last) weigh by their number of compared pairs of cells. If the `balance` factor is confounded with
    the levels in a setting, its two orders (duties against prohibitions and the reverse) have equal weights
    for any two of its levels, and pairs with one order only are excluded.

    The same rule gives the designed weights (all cells) and the weights in the estimate (cells with answers):
    a cell without answers is excluded together with its counterpart, so the balance factor still cancels. It
    would not cancel if the other cells kept their designed weights.

    Args:
        answers: Answers to entailment problems or to selection tasks.
        name: The compared column.
        strata: Columns held fixed; columns that the table lacks are ignored.
        high: The level with positive weights.
        low: The level with negative weights.
        grouped: Number of leading strata whose combinations have equal weights.
        balance: Column whose effect cancels; None for no such column.
    """

    answers: pd.DataFrame
    name: str
    strata: tuple[str, ...]
    high: Level
    low: Level
    grouped: int = 0
    balance: str | None = None

    @cached_property
    def label(self) -> Indices:
        """Label code of each answer, shape ``(n,)``."""
        return codes_of(self.answers["label"])

    @cached_property
    def gold(self) -> Indices:
        """Code of the gold label, shape ``(n,)``."""
        return codes_of(self.answers["gold"])

    @cached_property
    def correct(self) -> Floats:
        """1 for a right answer, else 0, shape ``(n,)``."""
        correct: Floats = (self.label == self.gold).astype(np.float64)
        return correct

    @cached_property
    def non_answers(self) -> Indices:
        """Index of each answer into NON_ANSWER_LABELS, -1 for a verdict, shape ``(n,)``."""
        return non_answers(self.answers)

    @cached_property
    def is_binary(self) -> bool:
        """Whether there are exactly two verdicts."""
        return len(self.answers["gold"].cat.categories) == 2

    @cached_property
    def item(self) -> Indices:
        """Item of each answer, the same in all repeats, shape ``(n,)``."""
        return codes_of(self.answers["id"]) if "id" in self.answers else np.arange(len(self.answers))

    @cached_property
    def clusters(self) -> pd.Categorical:
        """The content of each row."""
        require_columns(self.answers, ("cluster_id",))
        return self.answers["cluster_id"].array

    @cached_property
    def _strata(self) -> list[pd.Series]:
        require_columns(self.answers, {"pattern"} & {*self.strata})
        return [self.answers[name] for name in self.strata if name in self.answers]

    @cached_property
    def stratum(self) -> Indices:
        """Stratum code of each row, shape ``(n,)``."""
        cell_levels, cells = self._crossed_factors
        code_by_stratum: dict[tuple[Level, ...], int] = {}
        stratum_by_cell = [
            code_by_stratum.setdefault(cell[: len(self._strata)], len(code_by_stratum))
            for cell in cell_levels
        ]
        return np.array(stratum_by_cell, np.intp)[cells]

    @cached_property
    def _crossed_factors(self) -> tuple[list[tuple[Level, ...]], Indices]:
        names = [name for name in (self.name, self.balance) if name]
        require_columns(self.answers, names)
        return cross([*self._strata, *(self.answers[name] for name in names)])

    @property
    def cells(self) -> Indices:
        """Cell code of each row, shape ``(n,)``."""
        return self._crossed_factors[1]

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self._crossed_factors[0])

    @cached_property
    def is_counted(self) -> Booleans:
        """Whether each answer counts (:func:`countable_answers`), shape ``(n,)``."""
        return countable_answers(self.non_answers < 0, self.cells, codes_of(self.clusters))

    @cached_property
    def design_weights(self) -> Floats:
        """Weight of each cell over all rows."""
        return self._cell_weights(np.ones(self.n_cells, np.bool_))

    @cached_property
    def weights(self) -> Floats:
        """Weight of each cell among the answers that count."""
        return self._cell_weights(self._count_rows(self.is_counted) > 0)

    def _count_rows(self, rows: Booleans) -> Indices:
        """Count the selected rows in each cell."""
        return np.bincount(self.cells[rows], minlength=self.n_cells)

    def _cell_weights(self, is_used: Booleans) -> Floats:
        """Return the weights of the cells if only the used cells have answers."""
        cell_levels, n_strata = self._crossed_factors[0], len(self._strata)
        cells_by_level: dict[tuple[Level, ...], list[tuple[int, Level]]] = {}
        for cell, levels in enumerate(cell_levels):
            if is_used[cell]:
                balance_level = levels[-1] if self.balance else None
                cells_by_level.setdefault(levels[: n_strata + 1], []).append((cell, balance_level))
        pairs_by_setting: dict[tuple[Level, ...], list[tuple[int, int, tuple[Level, Level]]]] = {}
        for stratum in dict.fromkeys(stratum_level[:-1] for stratum_level in cells_by_level):
            highs, lows = (cells_by_level.get((*stratum, level), ()) for level in (self.high, self.low))
            for (high, high_level), (low, low_level) in product(highs, lows):
                pairs_by_setting.setdefault(stratum[:-1], []).append((high, low, (high_level, low_level)))
        for setting, pairs in pairs_by_setting.items():
            if orders := {order for _, _, order in pairs if order[0] != order[1]}:
                pairs_by_setting[setting] = [pair for pair in pairs if {pair[2], pair[2][::-1]} <= orders]
        n_pairs = Counter(
            setting[: self.grouped] for setting, pairs in pairs_by_setting.items() for _ in pairs
        )
        weights = np.zeros(len(cell_levels))
        for setting, pairs in pairs_by_setting.items():
            n_by_order = Counter(order for _, _, order in pairs)
            n_families = len({frozenset(order) for order in n_by_order})
            for high, low, order in pairs:
                weight = 1 / (n_families * len({order, order[::-1]}) * n_by_order[order])
                weight *= len(pairs) / (len(n_pairs) * n_pairs[setting[: self.grouped]])
                weights[high] += weight
                weights[low] -= weight
        return weights

    @cached_property
    def is_compared(self) -> Booleans:
        """Whether each row is compared by design, shape ``(n,)``."""
        return np.asarray(self.design_weights[self.cells] != 0)

    @cached_property
    def shares(self) -> Floats:
        """Weight of each answer in the difference, shape ``(n,)``; sums to 1 and -1 over the levels."""
        cell_weights = self.weights / np.maximum(self._count_rows(self.is_counted), 1)
        return np.where(self.is_counted, cell_weights[self.cells], 0.0)

    @cached_property
    def sided_rows(self) -> SidedRows:
        """All rows at their designed weights, with the mask of the answers that count."""
        row_weights = (self.design_weights / self._count_rows(np.ones(len(self.answers), np.bool_)))[
            self.cells
        ]
        gold = self.gold if self.is_binary else None
        return SidedRows.of(row_weights, np.abs(row_weights), self.stratum, self.is_counted, gold)

    def effect(self) -> Contrast:
        """Return the accuracy on the high level minus the accuracy on the low level."""
        return self._contrast(self.correct, self.is_counted, self.weights)

    def accuracy(self) -> Contrast:
        """Return the mean accuracy of both levels, at the weights of the difference."""
        return self._contrast(self.correct, self.is_counted, np.abs(self.weights) / 2)

    def gap(self, values: ArrayLike) -> Contrast:
        """Return the difference in the mean of values in [0, 1], over all rows."""
        return self._contrast(
            np.asarray(values, np.float64), np.ones(len(self.answers), np.bool_), self.design_weights
        )

    def _contrast(self, values: Floats, rows: Booleans, weights: Floats) -> Contrast:
        cells = pd.Categorical.from_codes(self.cells[rows], range(self.n_cells))
        return cell_mean_contrast(values[rows], cells, self.clusters[rows], weights, bounds=(0, 1))

    def bounds(self) -> tuple[float, float]:
        """Return the worst-case bounds: all non-answers right on one level and wrong on the other."""
        all_rows = self.sided_rows.fully_answered()
        low, high = map(all_rows.difference, self._fill_missing(*self.sided_rows.worst_cases(self.correct)))
        return low, high

    def excess(self, scale: float = 1.0) -> ExcessBounds | None:
        """Return the bounds for the surplus of non-answers of a level; None without non-answers."""
        if not (self.non_answers[self.is_compared] >= 0).any():
            return None
        low, high = map(self.gap, self._fill_missing(*self.sided_rows.surplus_cases(self.correct)))
        return ExcessBounds.of(low, high, scale)

    def _fill_missing(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Fill in non-answers only; an answer that does not count keeps its value."""
        answered = self.non_answers < 0
        return np.where(answered, self.correct, low), np.where(answered, self.correct, high)

    def support(self) -> Estimability:
        """Return the estimability of the difference: whether it has an estimate, and an interval.

        Contents have no counterpart. A content is discordant if an answer to it differs in correctness from
        most answers of its stratum, on either level.
        """
        is_missing = self.non_answers[self.is_compared] >= 0
        is_high = self.design_weights[self.cells][self.is_compared] > 0
        nonresponse_rates = [
            float(is_missing[on_level].mean()) for on_level in (is_high, ~is_high) if on_level.any()
        ]
        verdicts = np.where(is_missing, -1, self.label[self.is_compared])
        gold_varies = np.unique(self.gold[self.is_compared]).size > 1
        return Estimability(
            max(nonresponse_rates, default=1.0),
            modal_share(verdicts) if gold_varies else 0.0,
            *self.count_discordant(self.correct, self.shares),
        )

    def count_discordant(self, values: Floats, shares: Floats) -> tuple[int, int, int, int]:
        """Count discordant contents, contents, discordant items, and items on the smaller side.

        Only answers with a weight count. An item is discordant if the value of an answer is not the majority
        value of its stratum. The last count is for the side with fewer items: all discordant may be on it.
        """
        rows = shares != 0
        is_discordant = flag_minority_values(values[rows], self.stratum[rows])
        contents = discordance(self.item[rows], is_discordant, self.clusters[rows])
        return (*contents[:3], min(np.unique(self.item[side]).size for side in (shares > 0, shares < 0)))


def countable_answers(answered: Booleans, cells: Indices, contents: Indices) -> Booleans:
    """Return whether each answer counts in the mean of its cell, shape ``(n,)``.

    If only one of several contents in a cell is answered, its answers do not count: a mean over one cluster
    has no standard error.
    """
    n_cells, n_contents = (int(codes.max(initial=-1)) + 1 for codes in (cells, contents))

    def count_contents(rows: Booleans) -> Indices:
        pairs = np.unique(cells[rows] * n_contents + contents[rows])
        return np.bincount(pairs // max(n_contents, 1), minlength=n_cells)

    is_lone = (count_contents(answered) == 1) & (count_contents(np.ones_like(answered)) > 1)
    is_countable: Booleans = answered & ~is_lone[cells]
    return is_countable


def effect_record(effect: Contrast, estimability: Estimability | None) -> Json:
    """Return an effect as a table record, with NaN for the statistics that are not estimable.

    Without an interval, the record has the upper limit of the discordant share; without an estimate, the
    state.
    """
    record = asdict(effect) | {"state": None, "limit": math.nan}
    if estimability is None or estimability.has_interval:
        return record
    record |= dict.fromkeys(("standard_error", "low", "high", "p_value"), math.nan)
    if estimability.estimable:
        return record | {"limit": estimability.limit}
    return record | {"state": estimability.state, "estimate": math.nan}


def flag_minority_values(values: Floats, stratum: Indices) -> Floats:
    """Return 1 for each value (0 or 1) that is not the majority value of its stratum, else 0."""
    share = np.bincount(stratum, weights=values) / np.maximum(np.bincount(stratum), 1)
    is_minority: Floats = (values != (share >= 0.5)[stratum]).astype(np.float64)
    return is_minority


def compare_contents(answers: pd.DataFrame, low: str = "incongruent", grouped: int = 0) -> ComparedRows:
    """Compare the accuracy with congruent contents and with another type, patterns weighted equally.

    Only answers with a verdict count. Patterns without one of the two types (Ross-Or-Intro has no congruent
    cell) are excluded. If contents have a status, patterns that are congruent with duties and incongruent
    with prohibitions, and patterns with the reverse, weigh ½ : ½, so that the status cancels; so for any two
    statuses. The clusters are the contents. In the syllogisms a content has one type, so two samples of
    contents are compared; in the logic tasks a content is congruent in some patterns and incongruent in
    others. CR2 covers both cases, a two-sample formula does not: see
    :func:`polbias.eval.statistics.cell_mean_contrast`.

    Args:
        answers: Answers to entailment problems.
        low: The type that congruent contents are compared with.
        grouped: Number of leading strata whose combinations have equal weights.

    Source:
        Ozeki et al., section 3.2 and Table 6, which has accuracies pooled over patterns.
    """
    balance = "status" if "status" in answers and low == "incongruent" else None
    return ComparedRows(answers, "content_type", CONTENT_STRATA, "congruent", low, grouped, balance)


def compare_statuses(answers: pd.DataFrame, grouped: int = 0) -> ComparedRows:
    """Compare the accuracy with duties and with prohibitions; the content type cancels."""
    return ComparedRows(answers, "status", CONTENT_STRATA, *STATUSES, grouped, "content_type")


def compare_domains(answers: pd.DataFrame, grouped: int = 0) -> ComparedRows:
    """Compare the accuracy in deontic and in epistemic problems."""
    return ComparedRows(answers, "domain", DOMAIN_STRATA, *DOMAINS, grouped)


# Interpretations of disjunctions: by the paper, or by standard deontic logic.

READINGS = ("paper", "sdl", "mixed", "unanswered")
"""Outcomes of the answers about a content of a disjunction."""


def disjunction_readings(answers: pd.DataFrame) -> list[Json]:
    """Count the interpretations of "or" in the patterns whose gold labels differ by standard deontic logic.

    A row per prompt style and set of patterns: the number of contents with these patterns, and the shares,
    with Wilson's interval, of contents answered as in the paper in all patterns ("or" offers a choice), as in
    standard deontic logic in all ("or" is inclusive), partly as in each, or with a non-answer. The four
    shares sum to 1.

    Source:
        Ozeki et al., sections 2.1 and 5.2.
    """
    require_columns(answers, ("gold_sdl", "pattern", "cluster_id"))
    differing_rows = answers[(answers["gold"] != answers["gold_sdl"]).to_numpy()]
    if not len(differing_rows):
        return []
    styles, style_names = factorize(differing_rows.get("prompt_style", [None] * len(differing_rows)))
    frame = pd.DataFrame(
        {
            "content": codes_of(differing_rows["cluster_id"]),
            "style": styles,
            "pattern": differing_rows["pattern"].to_numpy(),
            "is_answered": non_answers(differing_rows) < 0,
            "is_correct": is_correct(differing_rows),
        }
    )
    by_content = frame.groupby(["content", "style"])
    is_answered, is_paper = by_content[["is_answered", "is_correct"]].min().to_numpy().T
    is_mixed = by_content["is_correct"].max().to_numpy()
    patterns = frame.drop_duplicates(["content", "style", "pattern"]).sort_values("pattern")
    contents = patterns.groupby(["content", "style"])["pattern"].agg(tuple).reset_index("style")
    reading = np.select([~is_answered, is_paper, is_mixed], ["unanswered", "paper", "mixed"], "sdl")
    counts = contents.assign(reading=reading).value_counts(["style", "pattern", "reading"])
    table = counts.unstack(fill_value=0).reindex(columns=READINGS, fill_value=0).sort_index()
    return [
        {"patterns": pattern_names, "prompt_style": style_names[style], "contents": sum(n_by_reading)}
        | {name: _share(n, sum(n_by_reading)) for name, n in zip(READINGS, n_by_reading, strict=True)}
        for (style, pattern_names), n_by_reading in zip(table.index, table.to_numpy().tolist(), strict=True)
    ]


def _share(count: int, total: int) -> Json:
    low, high = wilson_interval(count, total)
    return {"estimate": count / total, "low": float(low), "high": float(high)}


# Consistency: whether equivalent inferences about the same content have the same answer.

ALL = "all"
"""Kind of the row that counts all groups."""


@dataclass(frozen=True)
class Consistency:
    """Agreement within groups of equivalent inferences.

    Args:
        kind: Kind of equivalence ("contrapositive", "duality", ...), or "all".
        groups: Number of groups of at least two rows.
        share: Share of groups whose answers all agree, with an interval over contents.
        expected: Share that a respondent with the same rates per pattern, but blind to the content, would
            reach.
        excess: ``share - expected``: 0 if agreement comes from the patterns alone, as for a respondent
            who always answers entailment and for a perfect respondent.
        unanswered: Share of groups with a non-answer; such a group never agrees.
    """

    kind: str
    groups: int
    share: ClusterInterval
    expected: float
    excess: float
    unanswered: float


def group_equivalents(answers: pd.DataFrame) -> pd.DataFrame:
    """Group equivalent inferences: two or more rows with a common consistency id in a setting and a repeat.

    If the answers in a group were drawn independently, at the rates of their patterns, they would all agree
    with probability ``prod(a_p) + prod(b_p)``, where a_p and b_p are the shares of entailment and
    non-entailment among all rows of the pattern in the setting.

    Returns:
        A row per group: its setting, ``kind``, ``content`` (code), whether its answers all agree
        (``agrees``), whether it has a non-answer (``unanswered``), and the probability of agreement by chance
        (``expected``).

    Source:
        Agreement expected by chance: Cohen, "A coefficient of agreement for nominal scales" (1960), here with
        the margins of each pattern.
    """
    require_columns(answers, ("consistency_ids", "pattern", "cluster_id"))
    setting = [name for name in SETTING if name in answers]
    label, cells = codes_of(answers["label"]), cross([answers[name] for name in ("pattern", *setting)])[1]
    repeat = answers["repeat"].array if "repeat" in answers else np.zeros(len(answers), np.intp)
    rows = pd.DataFrame(
        {
            "id": answers["consistency_ids"].array,
            "repeat": repeat,
            "content": codes_of(answers["cluster_id"]),
            "label": label,
            "p_yes": pd.Series(label == 1).groupby(cells).transform("mean"),
            "p_no": pd.Series(label == 0).groupby(cells).transform("mean"),
        }
        | {name: answers[name].array for name in setting}
    )
    members = rows.assign(id=rows["id"].str.split(";")).explode("id")
    by_id = members[members["id"] != ""].groupby(
        ["id", "repeat", *setting], sort=False, observed=True, dropna=False
    )
    groups = by_id.agg(
        size=("label", "size"),
        content=("content", "first"),
        least=("label", "min"),
        most=("label", "max"),
        p_yes=("p_yes", "prod"),
        p_no=("p_no", "prod"),
    ).query("size > 1").reset_index()  # fmt: skip
    unanswered = groups["most"] > 1
    return groups[[*setting, "content"]].assign(
        kind=groups["id"].str.split(":").str[0],
        agrees=(groups["least"] == groups["most"]) & ~unanswered,
        unanswered=unanswered,
        expected=groups["p_yes"] + groups["p_no"],
    )


def consistency(groups: pd.DataFrame) -> list[Consistency]:
    """Return the consistency of the groups (:func:`group_equivalents`), over all kinds and by kind.

    Source:
        Idea: Ozeki et al., section 5.2 "Consistency across Reasoning Patterns", which compares accuracies.
    """
    kinds = {ALL: groups} | dict(iter(groups.groupby("kind")))
    return [_consistency(kind, rows) for kind, rows in kinds.items()]


def _consistency(kind: str, groups: pd.DataFrame) -> Consistency:
    share = cluster_interval(groups["agrees"], groups["content"], bounds=(0.0, 1.0))
    expected, unanswered = (
        float(groups[name].to_numpy().mean()) if len(groups) else math.nan
        for name in ("expected", "unanswered")
    )
    return Consistency(kind, len(groups), share, expected, share.estimate - expected, unanswered)

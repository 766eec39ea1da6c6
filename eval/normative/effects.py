"""Effects of content and domain, how disjunctions are read, and consistency between equivalent inferences."""

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
        answers: The answers, to entailment problems or to selection tasks.
        name: The column.
        strata: What is held fixed, as far as the table has it.
        high: The level that counts up.
        low: The level that counts down.
        grouped: How many of the strata weigh alike.
        balance: A column that cancels; None for none.
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
        """Code of the label of each answer, shape ``(n,)``."""
        return codes_of(self.answers["label"])

    @cached_property
    def gold(self) -> Indices:
        """Code of the right verdict, shape ``(n,)``."""
        return codes_of(self.answers["gold"])

    @cached_property
    def correct(self) -> Floats:
        """1 for a right answer, else 0, shape ``(n,)``."""
        correct: Floats = (self.label == self.gold).astype(np.float64)
        return correct

    @cached_property
    def non_answers(self) -> Indices:
        """Index into SILENT of each answer, -1 for a verdict, shape ``(n,)``."""
        return non_answers(self.answers)

    @cached_property
    def is_binary(self) -> bool:
        """Whether there are two verdicts only."""
        return len(self.answers["gold"].cat.categories) == 2

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
        """Stratum of each row, as a code, shape ``(n,)``."""
        present, cells = self._crossed
        codes: dict[tuple[Level, ...], int] = {}
        of_cell = [codes.setdefault(cell[: len(self._strata)], len(codes)) for cell in present]
        return np.array(of_cell, np.intp)[cells]

    @cached_property
    def _crossed(self) -> tuple[list[tuple[Level, ...]], Indices]:
        names = [name for name in (self.name, self.balance) if name]
        require_columns(self.answers, names)
        return cross([*self._strata, *(self.answers[name] for name in names)])

    @property
    def cells(self) -> Indices:
        """Cell of each row, as a code, shape ``(n,)``."""
        return self._crossed[1]

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self._crossed[0])

    @cached_property
    def is_counted(self) -> Booleans:
        """True for the answers that count, shape ``(n,)``."""
        return countable_answers(self.non_answers < 0, self.cells, codes_of(self.clusters))

    @cached_property
    def design_weights(self) -> Floats:
        """Weight of each cell over all rows."""
        return self._weights(np.ones(self.n_cells, np.bool_))

    @cached_property
    def weights(self) -> Floats:
        """Weight of each cell among the answers that count."""
        return self._weights(self._sizes(self.is_counted) > 0)

    def _sizes(self, rows: Booleans) -> Indices:
        """Number of some rows in each cell."""
        return np.bincount(self.cells[rows], minlength=self.n_cells)

    def _weights(self, used: Booleans) -> Floats:
        """Weights of the cells if only some are used."""
        present, n_strata = self._crossed[0], len(self._strata)
        sides: dict[tuple[Level, ...], list[tuple[int, Level]]] = {}
        for code, cell in enumerate(present):
            if used[code]:
                balanced = cell[-1] if self.balance else None
                sides.setdefault(cell[: n_strata + 1], []).append((code, balanced))
        settings: dict[tuple[Level, ...], list[tuple[int, int, tuple[Level, Level]]]] = {}
        for stratum in dict.fromkeys(side[:-1] for side in sides):
            highs, lows = (sides.get((*stratum, level), ()) for level in (self.high, self.low))
            for (high, high_level), (low, low_level) in product(highs, lows):
                settings.setdefault(stratum[:-1], []).append((high, low, (high_level, low_level)))
        for setting, pairs in settings.items():
            if orders := {order for _, _, order in pairs if order[0] != order[1]}:
                settings[setting] = [pair for pair in pairs if {pair[2], pair[2][::-1]} <= orders]
        sizes = Counter(setting[: self.grouped] for setting, pairs in settings.items() for _ in pairs)
        weights = np.zeros(len(present))
        for setting, pairs in settings.items():
            counts = Counter(order for _, _, order in pairs)
            families = len({frozenset(order) for order in counts})
            for high, low, order in pairs:
                share = 1 / (families * len({order, order[::-1]}) * counts[order])
                share *= len(pairs) / (len(sizes) * sizes[setting[: self.grouped]])
                weights[high] += share
                weights[low] -= share
        return weights

    @cached_property
    def inside(self) -> Booleans:
        """True for the rows that are compared by design, shape ``(n,)``."""
        return np.asarray(self.design_weights[self.cells] != 0)

    @cached_property
    def shares(self) -> Floats:
        """Share of each answer that counts in the difference, in sum 1 and -1, shape ``(n,)``."""
        weight = self.weights / np.maximum(self._sizes(self.is_counted), 1)
        return np.where(self.is_counted, weight[self.cells], 0.0)

    @cached_property
    def sided_rows(self) -> SidedRows:
        """All rows at their designed weights, and which of them count."""
        weight = (self.design_weights / self._sizes(np.ones(len(self.answers), np.bool_)))[self.cells]
        gold = self.gold if self.is_binary else None
        return SidedRows.of(weight, np.abs(weight), self.stratum, self.is_counted, gold)

    def effect(self) -> Contrast:
        """Accuracy on the one level minus that on the other."""
        return self._contrast(self.correct, self.is_counted, self.weights)

    def accuracy(self) -> Contrast:
        """Mean accuracy on both levels, weighed as in the difference."""
        return self._contrast(self.correct, self.is_counted, np.abs(self.weights) / 2)

    def gap(self, values: ArrayLike) -> Contrast:
        """Difference of the means of some values, from 0 to 1, over all rows."""
        return self._contrast(
            np.asarray(values, np.float64), np.ones(len(self.answers), np.bool_), self.design_weights
        )

    def _contrast(self, values: Floats, rows: Booleans, weights: Floats) -> Contrast:
        cells = pd.Categorical.from_codes(self.cells[rows], range(self.n_cells))
        return cell_mean_contrast(values[rows], cells, self.clusters[rows], weights, bounds=(0, 1))

    def bounds(self) -> tuple[float, float]:
        """Return the difference if all missing answers had been right on one level and wrong on the other."""
        everything = self.sided_rows.everything()
        low, high = map(everything.difference, self._completed(*self.sided_rows.worst_cases(self.correct)))
        return low, high

    def excess(self, scale: float = 1.0) -> ExcessBounds | None:
        """Return the same for the surplus of missing answers of a level; None where none is missing."""
        if not (self.non_answers[self.inside] >= 0).any():
            return None
        low, high = map(self.gap, self._completed(*self.sided_rows.surplus_cases(self.correct)))
        return ExcessBounds.of(low, high, scale)

    def _completed(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Take values of the missing answers only; an answer that does not count is known."""
        answered = self.non_answers < 0
        return np.where(answered, self.correct, low), np.where(answered, self.correct, high)

    def support(self) -> Estimability:
        """What the difference rests on: whether it has an estimate, and whether that has an interval.

        No content has a partner, so that one is discordant if an answer to it is not as right or wrong as
        most answers of its stratum, whichever level they are on.
        """
        is_missing = self.non_answers[self.inside] >= 0
        is_high = self.design_weights[self.cells][self.inside] > 0
        missing = [float(is_missing[side].mean()) for side in (is_high, ~is_high) if side.any()]
        verdicts = np.where(is_missing, -1, self.label[self.inside])
        varied = np.unique(self.gold[self.inside]).size > 1
        return Estimability(
            max(missing, default=1.0),
            modal_share(verdicts) if varied else 0.0,
            *self.unlike(self.correct, self.shares),
        )

    def unlike(self, values: Floats, shares: Floats) -> tuple[int, int, int, int]:
        """Contents with an answer unlike most of its stratum, contents, such answers, answers of a side.

        Each number is of the answers with a share; the last is that of the side with fewer of them, of which
        all may be on one side.
        """
        rows = shares != 0
        unlike = flag_minority_values(values[rows], self.stratum[rows])
        contents = discordance(np.arange(unlike.size), unlike, self.clusters[rows])
        return (*contents[:3], int(min(np.count_nonzero(shares > 0), np.count_nonzero(shares < 0))))


def countable_answers(answered: Booleans, cells: Indices, contents: Indices) -> Booleans:
    """True for the answers that count in the mean of a cell, shape ``(n,)``.

    Where one content of several is left in a cell, its answer does not: a mean of one has no error.
    """
    n_cells, n_contents = (int(codes.max(initial=-1)) + 1 for codes in (cells, contents))

    def contents_in(rows: Booleans) -> Indices:
        pairs = np.unique(cells[rows] * n_contents + contents[rows])
        return np.bincount(pairs // max(n_contents, 1), minlength=n_cells)

    is_lone = (contents_in(answered) == 1) & (contents_in(np.ones_like(answered)) > 1)
    counts: Booleans = answered & ~is_lone[cells]
    return counts


def effect_record(found: Contrast, carried: Estimability | None) -> Json:
    """Return an effect as fields of a table, as far as the answers carry it, with what stands against it."""
    figures = asdict(found) | {"state": None, "limit": math.nan}
    if carried is None or carried.has_interval:
        return figures
    figures |= dict.fromkeys(("standard_error", "low", "high", "p_value"), math.nan)
    if carried.estimable:
        return figures | {"limit": carried.limit}
    return figures | {"state": carried.state, "estimate": math.nan}


def flag_minority_values(values: Floats, stratum: Indices) -> Floats:
    """1 for values of 0 or 1 that are not as most of their stratum are, else 0."""
    share = np.bincount(stratum, weights=values) / np.maximum(np.bincount(stratum), 1)
    unlike: Floats = (values != (share >= 0.5)[stratum]).astype(np.float64)
    return unlike


def compare_contents(answers: pd.DataFrame, low: str = "incongruent", grouped: int = 0) -> ComparedRows:
    """Compare the accuracy with congruent contents and with others, patterns weighted equally.

    Answers count that are judgements. Patterns without one of the two (Ross-Or-Intro has no congruent cell)
    are left out. Where contents have a status, patterns that are congruent with duties and incongruent with
    prohibitions and those with which it is the reverse weigh ½ : ½, so that the status cancels; so for any
    two statuses. The clusters are the contents. In the syllogisms a content is of one type, so that this is a
    comparison of two samples of contents; in the logic tasks one content is congruent in some patterns and
    incongruent in others. CR2 covers both, which a two-sample formula does not: see
    :func:`polbias.eval.statistics.cell_mean_contrast`.

    Args:
        answers: to entailment problems.
        low: The type that congruent contents are compared with.
        grouped: How many of the strata weigh alike.

    Source:
        Ozeki et al., section 3.2 and Table 6, there as accuracies pooled over patterns.
    """
    balance = "status" if "status" in answers and low == "incongruent" else None
    return ComparedRows(answers, "content_type", CONTENT_STRATA, "congruent", low, grouped, balance)


def compare_statuses(answers: pd.DataFrame, grouped: int = 0) -> ComparedRows:
    """Compare the accuracy with duties and with prohibitions; the type of content cancels."""
    return ComparedRows(answers, "status", CONTENT_STRATA, *STATUSES, grouped, "content_type")


def compare_domains(answers: pd.DataFrame, grouped: int = 0) -> ComparedRows:
    """Compare the accuracy in deontic and in epistemic problems."""
    return ComparedRows(answers, "domain", DOMAIN_STRATA, *DOMAINS, grouped)


# How disjunctions are read: as the paper has it, or as standard deontic logic does.

READINGS = ("paper", "sdl", "mixed", "unanswered")
"""What the answers about a content of a disjunction come to."""


def disjunction_readings(answers: pd.DataFrame) -> list[Json]:
    """How contents are answered in the patterns in which the paper and standard deontic logic differ.

    A row for the contents with the same patterns in a style of prompts: their number, and the shares, with
    Wilson's interval, of those that are answered as the paper has it in all patterns ("or" offers a choice),
    as standard deontic logic has it ("or" is inclusive), in one way here and in another there, or with an
    answer that is no judgement.

    Source:
        Ozeki et al., sections 2.1 and 5.2; the four shares add up to 1.
    """
    require_columns(answers, ("gold_sdl", "pattern", "cluster_id"))
    differing = answers[(answers["gold"] != answers["gold_sdl"]).to_numpy()]
    if not len(differing):
        return []
    styles, style_names = factorize(differing.get("prompt_style", [None] * len(differing)))
    frame = pd.DataFrame(
        {
            "content": codes_of(differing["cluster_id"]),
            "style": styles,
            "pattern": differing["pattern"].to_numpy(),
            "is_answered": non_answers(differing) < 0,
            "is_correct": is_correct(differing),
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
        {"patterns": names, "prompt_style": style_names[style], "contents": sum(numbers)}
        | {name: _share(n, sum(numbers)) for name, n in zip(READINGS, numbers, strict=True)}
        for (style, names), numbers in zip(table.index, table.to_numpy().tolist(), strict=True)
    ]


def _share(count: int, total: int) -> Json:
    low, high = wilson_interval(count, total)
    return {"estimate": count / total, "low": float(low), "high": float(high)}


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


def group_equivalents(answers: pd.DataFrame) -> pd.DataFrame:
    """Group the equivalent inferences: those that share a consistency id in a setting, if they are several.

    If the answers in a group were drawn independently, each with the rates of its pattern, they would all
    agree with probability ``prod(a_p) + prod(b_p)``, a_p and b_p being the shares of entailment and of
    non-entailment among all rows of that pattern in the setting.

    Returns:
        A row per group: its setting, ``kind``, ``content`` (code), whether its answers all agree
        (``agrees``), whether one is no judgement (``unanswered``), and how probably they would
        (``expected``).

    Source:
        Agreement expected by chance: Cohen, "A coefficient of agreement for nominal scales" (1960), here with
        the margins of each pattern.
    """
    require_columns(answers, ("consistency_ids", "pattern", "cluster_id"))
    setting = [name for name in SETTING if name in answers]
    label, cells = codes_of(answers["label"]), cross([answers[name] for name in ("pattern", *setting)])[1]
    rows = pd.DataFrame(
        {
            "id": answers["consistency_ids"].array,
            "content": codes_of(answers["cluster_id"]),
            "label": label,
            "p_yes": pd.Series(label == 1).groupby(cells).transform("mean"),
            "p_no": pd.Series(label == 0).groupby(cells).transform("mean"),
        }
        | {name: answers[name].array for name in setting}
    )
    members = rows.assign(id=rows["id"].str.split(";")).explode("id")
    by_id = members[members["id"] != ""].groupby(["id", *setting], sort=False, observed=True, dropna=False)
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
    """Share of the groups (:func:`group_equivalents`) that are answered alike, of all kinds and of each.

    Source:
        The idea: Ozeki et al., section 5.2 "Consistency across Reasoning Patterns", there a comparison of
        accuracies.
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

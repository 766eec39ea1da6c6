"""A design, what is assumed of the answers, and the error that follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from polbias import registry
from polbias.aliases import Document
from polbias.errors import PolbiasError
from polbias.eval.data import read_columns
from polbias.eval.samples import SkippedLine

# A design, what is assumed of the answers, and the standard error that follows.


class PowerError(PolbiasError, ValueError):
    """A design or an assumption is impossible."""


@dataclass(frozen=True)
class PowerDesign:
    """How much is asked: answers within items within clusters, all of the same number.

    Args:
        clusters: Number of clusters, the unit that the interval takes for independent.
        items: Items per cluster, such as pairs of arguments or claims; a mean, so that it may be a fraction.
        answers: Answers per item: prompts, orders or samples; a mean too.
    """

    clusters: int
    items: float
    answers: float

    def __post_init__(self) -> None:
        if self.clusters < 2:
            raise PowerError(f"clusters: found {self.clusters}, expected at least 2 (an error needs two)")
        for name, value in (("items", self.items), ("answers", self.answers)):
            if not value > 0:
                raise PowerError(f"{name}: found {value:g}, expected more than 0")


@dataclass(frozen=True)
class Assumptions:
    """How answers vary, and how the effect is made of them.

    Args:
        variance: Variance of the contribution of one answer (of one pair where items are pairs), as a
            fraction squared: that of a binomial share, from the base rates.
        icc: Intra-cluster correlation: the share of it that lies between clusters.
        within_item_icc: Correlation of two answers to one item within its cluster; 1: to ask again adds
            nothing.
        scale: The effect is so many times the mean over clusters: 2 where two groups of half of the clusters
            each are compared, else 1.
        lost: Degrees of freedom of the interval are clusters minus this.
    """

    variance: float
    icc: float
    within_item_icc: float
    scale: float = 1.0
    df_lost: int = 1

    def __post_init__(self) -> None:
        if not (self.variance >= 0 and math.isfinite(self.variance)):
            raise PowerError(f"variance: found {self.variance:g}, expected at least 0")
        for name, value in (("icc", self.icc), ("within_item_icc", self.within_item_icc)):
            if not 0 <= value <= 1:
                raise PowerError(f"{name}: found {value:g}, expected a correlation from 0 to 1")

    @property
    def cluster_sd(self) -> float:
        """Standard deviation between clusters of the effect within a cluster, a fraction."""
        return self.scale * math.sqrt(self.variance * self.icc)

    def standard_error(self, design: PowerDesign) -> float:
        """Return the standard error of the effect.

        The variance of a cluster's mean is that between clusters plus that within, of which the part of the
        items falls with their number, and the part of the answers with the number of answers:
        ``variance * (icc + (1 - icc) / items * (within_item_icc + (1 - within_item_icc) / answers))``.

        Source:
            Three-level sampling: Kish, "Survey Sampling" (1965), chapter 5; for evaluations of language
            models: Miller, "Adding Error Bars to Evals" (2024).
        """
        answers = self.within_item_icc + (1 - self.within_item_icc) / design.answers
        share = self.icc + (1 - self.icc) / design.items * answers
        return self.scale * math.sqrt(self.variance * share / design.clusters)

    def degrees_of_freedom(self, design: PowerDesign) -> int:
        """Return those of the t interval."""
        left = design.clusters - self.df_lost
        if left < 1:
            raise PowerError(f"clusters: found {design.clusters}, expected at least {self.df_lost + 1}")
        return left


# The shipped designs of the instruments, and what is assumed of the answers to them.

_FILE = Path(__file__).with_name("instruments.yaml")


@dataclass(frozen=True)
class EffectContributions:
    """Contributions to one effect of one model.

    Args:
        name: The model and what of it was analysed.
        values: One value per answer, without what is fixed in the design.
        clusters: The cluster of each.
        items: The item of each.
    """

    name: str
    values: Any
    clusters: Sequence[Any]
    items: Sequence[Any]


@dataclass(frozen=True)
class InstrumentDesign:
    """The shipped design of an instrument with assumptions, each with its source.

    Args:
        name: Of the instrument.
        variance: That of the contribution of one answer, from the base rate and the share of unanswered ones.
        contributions: Reads them from folders of runs or sample files; receives what cannot be read.
        effect: What is detected; in percentage points where shown.
        cluster: What a cluster is.
        item: What an item is.
        answer: What the answers to an item differ in.
        answers: Answers per item.
        design_source: Where these numbers are from.
        test: What decides: "flip", the sign flip of clusters, with a t interval beside it; "t": the t test.
        scale: See :class:`Assumptions`.
        lost: See :class:`Assumptions`.
        base_rate: The base rate.
        base_rate_is: What it is the rate of.
        base_rate_source: Its source.
        unanswered: Share of answers that are none.
        unanswered_source: Its source.
        icc: Intra-cluster correlation.
        icc_source: Its source.
        within_item_icc: Correlation of answers to one item.
        within_item_icc_source: Its source.
        clusters: Number of clusters; None: counted in the data.
        items: Items per cluster; None: counted in the data, where an item is a pair of rows.
        dataset: Published dataset of the design, where clusters and items are counted in it.
        configs: Its configs that the design pools.
        fixed: Why there cannot be more clusters; empty if there can.
        samples_per_prompt: Answers sampled per prompt, of which a stance is made; 0 where none are.
        samples_per_prompt_source: Where that is from.
        pairs: Whether an item is two answers, and drops out where one of them is none.
        margin_correlation: Correlation of the log odds of the two answers to an item within a gold label,
            where the margin of the labels is a headline; None where it is none.
        margin_correlation_source: Where that is from.
    """

    name: str
    variance: Callable[[float, float], float]
    contributions: Callable[[Sequence[Path], list[SkippedLine]], Iterator[EffectContributions]]
    effect: str
    cluster: str
    item: str
    answer: str
    answers: float
    design_source: str
    test: Literal["flip", "t"]
    scale: float
    lost: int
    base_rate: float
    base_rate_is: str
    base_rate_source: str
    unanswered: float
    unanswered_source: str
    icc: float
    icc_source: str
    within_item_icc: float
    within_item_icc_source: str
    clusters: int | None = None
    items: float | None = None
    dataset: str = ""
    configs: Sequence[str] = ()
    fixed: str = ""
    samples_per_prompt: int = 0
    samples_per_prompt_source: str = ""
    pairs: bool = False
    margin_correlation: float | None = None
    margin_correlation_source: str = ""

    def __post_init__(self) -> None:
        if None in (self.clusters, self.items) and not (self.dataset and self.configs):
            raise PowerError(
                f"{self.name}: found no clusters and items, expected both, or a dataset and configs"
            )

    @property
    def design(self) -> PowerDesign:
        """The shipped design; pairs without an answer are no items (see :meth:`answered`)."""
        clusters, items = self.clusters, self.items
        if clusters is None or items is None:
            n_clusters, n_pairs = count_clusters(self.dataset, tuple(self.configs))
            clusters = n_clusters if clusters is None else clusters
            items = n_pairs / n_clusters if items is None else items
        return PowerDesign(clusters, items, self.answers)

    def assumptions(
        self,
        base_rate: float | None = None,
        unanswered: float | None = None,
        icc: float | None = None,
        within_item_icc: float | None = None,
    ) -> Assumptions:
        """Return what is assumed, with other values where they are given."""
        base = self.base_rate if base_rate is None else base_rate
        silent = self.unanswered if unanswered is None else unanswered
        for name, value in (("base_rate", base), ("unanswered", silent)):
            if not 0 <= value <= 1:
                raise PowerError(f"{name}: found {value:g}, expected a share from 0 to 1")
        variance = self.variance(base, silent)
        share = self.icc if icc is None else icc
        again = self.within_item_icc if within_item_icc is None else within_item_icc
        return Assumptions(variance, share, again, self.scale, self.lost)

    def drop_unanswered(self, design: PowerDesign, unanswered: float | None = None) -> PowerDesign:
        """Return a design without the items that drop out because one of their two answers is none."""
        if not self.pairs:
            return design
        silent = self.unanswered if unanswered is None else unanswered
        return PowerDesign(design.clusters, design.items * (1 - silent) ** 2, design.answers)


@cache
def count_clusters(dataset: str, configs: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of clusters and of pairs of rows in the published configs, pooled."""
    names = ("cluster_id", "pair_id")
    distinct: dict[str, set[str]] = {name: set() for name in names}
    for config in configs:
        table = read_columns(dataset, config, names)
        for name in names:
            distinct[name].update(table[name].unique().to_pylist())
    return len(distinct["cluster_id"]), len(distinct["pair_id"])


def instruments() -> Mapping[str, InstrumentDesign]:
    """Return the shipped designs by instrument."""
    return {
        name: registry.import_reference(each.power)
        for name, each in registry.instruments().items()
        if each.power
    }


@cache
def read_designs() -> Mapping[str, Document]:
    """Return the fields of :class:`InstrumentDesign` of our own instruments that are data."""
    import yaml

    read: Mapping[str, Document] = yaml.safe_load(_FILE.read_text("utf-8"))
    return read

"""Designs, assumptions about answers, and the resulting standard errors."""

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


class PowerError(PolbiasError, ValueError):
    """Impossible design or assumption."""


@dataclass(frozen=True)
class PowerDesign:
    """Balanced three-level design: answers within items within clusters.

    Args:
        clusters: Number of clusters, the units that the interval treats as independent.
        items: Mean number of items per cluster, such as pairs of arguments or claims; may be a fraction.
        answers: Mean number of answers per item: prompts, orders or samples.
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
    """Variance components of the answers, and the scale of the effect.

    Args:
        variance: Variance of the contribution of one answer (of one pair where items are pairs), as a
            fraction squared: the variance of a binomial share, from the base rates.
        icc: Intra-cluster correlation: share of the variance between clusters.
        within_item_icc: Correlation of two answers to one item within its cluster; with 1, repeated prompts
            add nothing.
        scale: Effect divided by the mean over clusters: 2 for a comparison of two groups with half of the
            clusters each, else 1.
        df_lost: Number of clusters minus the degrees of freedom of the interval.
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
        """Standard deviation of the effect between clusters, as a fraction."""
        return self.scale * math.sqrt(self.variance * self.icc)

    def standard_error(self, design: PowerDesign) -> float:
        """Return the standard error of the effect.

        The variance of a cluster mean is the variance between clusters, plus the variance of items divided by
        the number of items, plus the variance of answers divided by the number of answers:
        ``variance * (icc + (1 - icc) / items * (within_item_icc + (1 - within_item_icc) / answers))``.

        Source:
            Three-level sampling: Kish, "Survey Sampling" (1965), chapter 5; for evaluations of language
            models: Miller, "Adding Error Bars to Evals" (2024).
        """
        item_variance = self.within_item_icc + (1 - self.within_item_icc) / design.answers
        cluster_variance = self.icc + (1 - self.icc) / design.items * item_variance
        return self.scale * math.sqrt(self.variance * cluster_variance / design.clusters)

    def degrees_of_freedom(self, design: PowerDesign) -> int:
        """Return the degrees of freedom of the t interval."""
        df = design.clusters - self.df_lost
        if df < 1:
            raise PowerError(f"clusters: found {design.clusters}, expected at least {self.df_lost + 1}")
        return df


# The shipped designs of the instruments, with assumptions about their answers.

_FILE = Path(__file__).with_name("instruments.yaml")


@dataclass(frozen=True)
class EffectContributions:
    """Contributions to one effect of one model.

    Args:
        name: Model and effect.
        values: One value per answer, without the fixed factors of the design.
        clusters: Cluster of each answer.
        items: Item of each answer.
    """

    name: str
    values: Any
    clusters: Sequence[Any]
    items: Sequence[Any]


@dataclass(frozen=True)
class InstrumentDesign:
    """Shipped design of an instrument with assumptions, each with its source.

    Args:
        name: Name of the instrument.
        variance: Function from the base rate and the nonresponse rate to the variance of the contribution of
            one answer.
        contributions: Function that reads contributions from folders of runs or sample files; it appends
            unreadable lines to the given list.
        effect: Name of the effect; displayed in percentage points.
        cluster: Name of the clusters.
        item: Name of the items.
        answer: Factors that differ between the answers to an item.
        answers: Answers per item.
        design_source: Source of these numbers.
        test: Test of the headline: "flip", the sign-flip test over clusters (reported with a t interval), or
            "t", the t test.
        scale: See :class:`Assumptions`.
        lost: ``df_lost`` of :class:`Assumptions`.
        base_rate: Base rate.
        base_rate_is: Description of the base rate.
        base_rate_source: Source of the base rate.
        unanswered: Nonresponse rate.
        unanswered_source: Source of the nonresponse rate.
        icc: Intra-cluster correlation.
        icc_source: Source of the intra-cluster correlation.
        within_item_icc: Correlation of answers to one item.
        within_item_icc_source: Source of this correlation.
        clusters: Number of clusters; None to count them in the dataset.
        items: Items per cluster; None to count them in the dataset, where an item is a pair of rows.
        dataset: Published dataset in which clusters and items are counted.
        configs: Configs of the dataset that the design pools.
        fixed: Reason why there cannot be more clusters; empty if there can.
        samples_per_prompt: Samples per prompt from which a stance is estimated; 0 without sampling.
        samples_per_prompt_source: Source of this number.
        pairs: Whether an item is a pair of answers, which is dropped if either is a non-answer.
        margin_correlation: Correlation of the log odds of the two answers to an item within a gold label, if
            the margin of the labels is a headline, else None.
        margin_correlation_source: Source of this correlation.
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
        """Shipped design, before unanswered pairs are dropped (see :meth:`drop_unanswered`)."""
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
        """Return the assumptions, with the given values instead of the shipped ones."""
        rate = self.base_rate if base_rate is None else base_rate
        nonresponse = self.unanswered if unanswered is None else unanswered
        for name, value in (("base_rate", rate), ("unanswered", nonresponse)):
            if not 0 <= value <= 1:
                raise PowerError(f"{name}: found {value:g}, expected a share from 0 to 1")
        variance = self.variance(rate, nonresponse)
        cluster_icc = self.icc if icc is None else icc
        item_icc = self.within_item_icc if within_item_icc is None else within_item_icc
        return Assumptions(variance, cluster_icc, item_icc, self.scale, self.lost)

    def drop_unanswered(self, design: PowerDesign, unanswered: float | None = None) -> PowerDesign:
        """Return the design without the pairs in which one of the two answers is a non-answer."""
        if not self.pairs:
            return design
        nonresponse = self.unanswered if unanswered is None else unanswered
        return PowerDesign(design.clusters, design.items * (1 - nonresponse) ** 2, design.answers)


@cache
def count_clusters(dataset: str, configs: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of clusters and of row pairs in the pooled published configs."""
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
        name: registry.import_reference(instrument.power)
        for name, instrument in registry.instruments().items()
        if instrument.power
    }


@cache
def read_designs() -> Mapping[str, Document]:
    """Return the fields of :class:`InstrumentDesign` from ``instruments.yaml``, by instrument."""
    import yaml

    designs: Mapping[str, Document] = yaml.safe_load(_FILE.read_text("utf-8"))
    return designs

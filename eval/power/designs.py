"""A design, what is assumed of the answers, and the standard error that follows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from polbias.files import PolbiasError


class PowerError(PolbiasError, ValueError):
    """A design or an assumption is impossible."""


@dataclass(frozen=True, slots=True)
class Design:
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


@dataclass(frozen=True, slots=True)
class Assumptions:
    """How answers vary, and how the effect is made of them.

    Args:
        variance: Variance of the contribution of one answer (of one pair where items are pairs), as a
            fraction squared: that of a binomial share, from the base rates.
        icc: Intra-cluster correlation: the share of it that lies between clusters.
        repeat: Correlation of two answers to one item within its cluster; 1: to ask again adds nothing.
        scale: The effect is so many times the mean over clusters: 2 where two groups of half of the clusters
            each are compared, else 1.
        lost: Degrees of freedom of the interval are clusters minus this.
    """

    variance: float
    icc: float
    repeat: float
    scale: float = 1.0
    lost: int = 1

    def __post_init__(self) -> None:
        if not (self.variance >= 0 and math.isfinite(self.variance)):
            raise PowerError(f"variance: found {self.variance:g}, expected at least 0")
        for name, value in (("icc", self.icc), ("repeat", self.repeat)):
            if not 0 <= value <= 1:
                raise PowerError(f"{name}: found {value:g}, expected a correlation from 0 to 1")

    @property
    def cluster_sd(self) -> float:
        """Standard deviation between clusters of the effect within a cluster, a fraction."""
        return self.scale * math.sqrt(self.variance * self.icc)

    def standard_error(self, design: Design) -> float:
        """Return the standard error of the effect.

        The variance of a cluster's mean is that between clusters plus that within, of which the part of the
        items falls with their number, and the part of the answers with the number of answers:
        ``variance * (icc + (1 - icc) / items * (repeat + (1 - repeat) / answers))``.

        Args:
            design: The design; items may be infinite.

        Returns:
            A fraction.

        Source:
            Three-level sampling: Kish, "Survey Sampling" (1965), chapter 5; for evaluations of language
            models: Miller, "Adding Error Bars to Evals" (2024).
        """
        answers = self.repeat + (1 - self.repeat) / design.answers
        share = self.icc + (1 - self.icc) / design.items * answers
        return self.scale * math.sqrt(self.variance * share / design.clusters)

    def degrees_of_freedom(self, design: Design) -> int:
        """Return those of the t interval.

        Raises:
            PowerError: If none are left.
        """
        left = design.clusters - self.lost
        if left < 1:
            raise PowerError(f"clusters: found {design.clusters}, expected at least {self.lost + 1}")
        return left

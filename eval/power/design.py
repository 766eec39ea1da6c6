"""The shipped designs of the instruments, and what is assumed of the answers to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from polbias import registry
from polbias.eval.power.designs import Assumptions, Design, PowerError
from polbias.eval.runs import Problem

_FILE = Path(__file__).with_name("instruments.yaml")


@dataclass(frozen=True, slots=True)
class Values:
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


@dataclass(frozen=True, slots=True)
class Shipped:
    """The shipped design of an instrument with assumptions, each with its source.

    Args:
        name: Of the instrument.
        variance: That of the contribution of one answer, from the base rate and the share of unanswered ones.
        contributions: Reads them from folders of runs or sample files; receives what cannot be read.
        effect: What is detected; in percentage points where shown.
        cluster: What a cluster is.
        item: What an item is.
        answer: What the answers to an item differ in.
        clusters: Number of clusters.
        items: Items per cluster.
        answers: Answers per item.
        design_source: Where these numbers are from.
        test: What decides: "flip", the sign flip of clusters, with a t interval beside it; "t": the t test.
        scale: See :class:`Assumptions`.
        lost: See :class:`Assumptions`.
        rate: The base rate.
        rate_is: What it is the rate of.
        rate_source: Its source.
        unanswered: Share of answers that are none.
        unanswered_source: Its source.
        icc: Intra-cluster correlation.
        icc_source: Its source.
        repeat: Correlation of answers to one item.
        repeat_source: Its source.
        fixed: Why there cannot be more clusters; empty if there can.
        sampled: Answers sampled per prompt, of which a stance is made; 0 where none are.
        sampled_source: Where that is from.
        pairs: Whether an item is two answers, and drops out where one of them is none.
    """

    name: str
    variance: Callable[[float, float], float]
    contributions: Callable[[Sequence[Path], list[Problem]], Iterator[Values]]
    effect: str
    cluster: str
    item: str
    answer: str
    clusters: int
    items: float
    answers: float
    design_source: str
    test: Literal["flip", "t"]
    scale: float
    lost: int
    rate: float
    rate_is: str
    rate_source: str
    unanswered: float
    unanswered_source: str
    icc: float
    icc_source: str
    repeat: float
    repeat_source: str
    fixed: str = ""
    sampled: int = 0
    sampled_source: str = ""
    pairs: bool = False

    @property
    def design(self) -> Design:
        """The shipped design; pairs without an answer are no items (see :meth:`answered`)."""
        return Design(self.clusters, self.items, self.answers)

    def assumptions(
        self,
        rate: float | None = None,
        unanswered: float | None = None,
        icc: float | None = None,
        repeat: float | None = None,
        cluster_sd: float | None = None,
    ) -> Assumptions:
        """Return what is assumed, with other values where they are given.

        Args:
            rate: Base rate, a fraction.
            unanswered: Share of answers that are none, a fraction.
            icc: Intra-cluster correlation.
            repeat: Correlation of answers to one item.
            cluster_sd: Instead of icc: standard deviation of the effect between clusters, a fraction.

        Raises:
            PowerError: If a value is out of range, or both icc and cluster_sd are given.
        """
        base = self.rate if rate is None else rate
        silent = self.unanswered if unanswered is None else unanswered
        for name, value in (("rate", base), ("unanswered", silent)):
            if not 0 <= value <= 1:
                raise PowerError(f"{name}: found {value:g}, expected a share from 0 to 1")
        variance = self.variance(base, silent)
        share = self.icc if icc is None else icc
        if cluster_sd is not None:
            if icc is not None:
                raise PowerError("found both icc and cluster_sd, expected one: they say the same")
            share = self._share(cluster_sd, variance)
        again = self.repeat if repeat is None else repeat
        return Assumptions(variance, share, again, self.scale, self.lost)

    def answered(self, design: Design, unanswered: float | None = None) -> Design:
        """Return a design without the items that drop out because one of their two answers is none.

        Args:
            design: As asked.
            unanswered: Share of answers that are none.

        Raises:
            PowerError: If nothing is left.
        """
        if not self.pairs:
            return design
        silent = self.unanswered if unanswered is None else unanswered
        return Design(design.clusters, design.items * (1 - silent) ** 2, design.answers)

    def _share(self, cluster_sd: float, variance: float) -> float:
        most = self.scale * variance**0.5
        if not 0 <= cluster_sd <= most:
            raise PowerError(
                f"cluster_sd: found {100 * cluster_sd:g} points, expected from 0 to {100 * most:.1f}, the "
                "standard deviation of single answers that follows from the rate"
            )
        return (cluster_sd / most) ** 2 if most else 0.0


def instruments() -> Mapping[str, Shipped]:
    """Return the shipped designs by instrument."""
    return {name: registry.resolve(each.power) for name, each in registry.instruments().items()}


@cache
def read_designs() -> Mapping[str, Mapping[str, Any]]:
    """Return the fields of :class:`Shipped` of our own instruments that are data."""
    import yaml

    read: Mapping[str, Mapping[str, Any]] = yaml.safe_load(_FILE.read_text("utf-8"))
    return read

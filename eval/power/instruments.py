"""The shipped designs of the instruments, and what is assumed of the answers to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from polbias.eval.power.designs import Assumptions, Design, PowerError

_FILE = Path(__file__).with_name("instruments.yaml")

_VARIANCES: Mapping[str, Callable[[float, float], float]] = MappingProxyType(
    {
        # A pair contributes the error on the right minus that on the left, each 0 or 1 in size.
        "partisan": lambda accuracy, silent: 2 * _binomial((1 - accuracy) * (1 - silent)),
        "normative": lambda accuracy, silent: _binomial(accuracy * (1 - silent)),
        # -1, 0 or 1 with a mean of 0: the variance is the share that is not 0.
        "policy": lambda reliable, silent: reliable,
        "xphemism": lambda changed, silent: changed,
        "selfassess": lambda sided, silent: sided * (1 - silent),
    }
)


@dataclass(frozen=True, slots=True)
class Instrument:
    """A shipped design with assumptions, each with its source.

    Args:
        name: partisan, normative, policy, xphemism or selfassess.
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
    """

    name: str
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

    @property
    def design(self) -> Design:
        """The shipped design; claims without a verdict are no items (see :meth:`answered`)."""
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
        variance = _VARIANCES[self.name](base, silent)
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
        if self.name != "xphemism":
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


@cache
def instruments() -> Mapping[str, Instrument]:
    """Return the instruments by name."""
    import yaml

    read = yaml.safe_load(_FILE.read_text("utf-8"))
    return MappingProxyType({name: Instrument(name, **values) for name, values in read.items()})


def _binomial(share: float) -> float:
    return share * (1 - share)

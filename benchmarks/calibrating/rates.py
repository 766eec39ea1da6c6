"""Shares with their binomial intervals, and a design's line of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.calibrating.trials import Found
from benchmarks.calibration_designs import POINTS, truth
from polbias.eval.report.document import Finding
from polbias.eval.report.verdicts import LEVEL


@dataclass(frozen=True)
class Share:
    """A share of trials.

    Attributes:
        count: of trials with the outcome.
        n: of trials.
    """

    count: int
    n: int

    @property
    def value(self) -> float | None:
        """The share; None without trials."""
        return self.count / self.n if self.n else None

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the Clopper-Pearson interval.

        Args:
            level: of confidence.

        Source:
            Clopper and Pearson (1934).
        """
        from scipy.stats import binomtest

        if not self.n:
            return 0.0, 1.0
        found = binomtest(self.count, self.n).proportion_ci(level)
        return float(found.low), float(found.high)


@dataclass(frozen=True)
class Line:
    """What came of the models of a design.

    Attributes:
        instrument: its name.
        design: its name.
        models: how many.
        planted: bias in points.
        mean: of the headline estimates, in points; None if there are none.
        covered: headline intervals with the planted bias in them, among those that there are.
        covered_others: the same, over all other findings of which the truth is known.
        least_covered: the same of that finding among them that does worst.
        positive: headline tests with p below .05, among those that there are: false positives if nothing was
            planted, else power.
        positive_others: the same, over all other findings.
        most_positive: of that finding among them that has most.
    """

    instrument: str
    design: str
    models: int
    planted: float
    mean: float | None
    covered: Share
    covered_others: Share
    least_covered: Share
    positive: Share
    positive_others: Share
    most_positive: Share


def line(instrument: str, design: str, planted: float, models: Sequence[Found]) -> Line:
    """Return what came of the models of a design.

    Args:
        instrument: its name.
        design: its name.
        planted: bias, a fraction.
        models: the findings of each.
    """
    headlines = [
        finding for found in models for finding in found if finding.headline and not finding.of_refusals
    ]
    others: dict[tuple[str, str], list[Finding]] = {}
    for found in models:
        for finding in found:
            if not finding.headline:
                others.setdefault((finding.measure, finding.key), []).append(finding)
    values = [each.estimate.value for each in headlines if each.estimate.value is not None]
    covers = [_coverage(each, planted) for each in others.values()]
    positives = [_positive(each) for each in others.values()]
    return Line(
        instrument,
        design,
        len(models),
        POINTS * planted,
        sum(values) / len(values) if values else None,
        _coverage(headlines, planted),
        _sum(covers),
        min(covers, key=lambda each: 2.0 if each.value is None else each.value, default=Share(0, 0)),
        _positive(headlines),
        _sum(positives),
        max(positives, key=lambda each: each.value or 0.0, default=Share(0, 0)),
    )


def together(lines: Sequence[Line]) -> Line:
    """Return what came of all models of an instrument, so that chance weighs less.

    Args:
        lines: of its designs; positive tests are those of the designs without a bias.
    """
    unbiased = [each for each in lines if not each.planted]
    return Line(
        lines[0].instrument,
        "all of these",
        sum(each.models for each in lines),
        0.0,
        None,
        _sum([each.covered for each in lines]),
        _sum([each.covered_others for each in lines]),
        Share(0, 0),
        _sum([each.positive for each in unbiased]),
        _sum([each.positive_others for each in unbiased]),
        Share(0, 0),
    )


def _coverage(findings: Sequence[Finding], planted: float) -> Share:
    hits = []
    for finding in findings:
        low, high, wanted = finding.estimate.low, finding.estimate.high, truth(finding, planted)
        if low is not None and high is not None and wanted is not None:
            hits.append(low - 1e-9 <= wanted <= high + 1e-9)
    return Share(sum(hits), len(hits))


def _positive(findings: Sequence[Finding]) -> Share:
    known = [each.estimate.p for each in findings if each.estimate.p is not None]
    return Share(sum(p < LEVEL for p in known), len(known))


def _sum(shares: Sequence[Share]) -> Share:
    return Share(sum(each.count for each in shares), sum(each.n for each in shares))

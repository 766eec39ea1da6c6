"""Many tests: Holm within an instrument, Benjamini and Hochberg across the report.

Across the report half of the allowance for errors goes to the headlines and half to all other findings, so
that looking at every sub-corpus as well does not make the answer to the main question harder to establish.
Respondents whose bias was planted are adjusted among themselves: their certain discoveries would otherwise
make those among models cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from polbias.eval.contrasts import benjamini_hochberg, holm
from polbias.eval.report.document import Comparison, Finding, Section
from polbias.eval.report.numbers import known
from polbias.eval.report.verdicts import tested

_Tested = TypeVar("_Tested", Finding, Comparison)


def adjust_findings(sections: Sequence[Section], simulated: frozenset[str]) -> tuple[Section, ...]:
    """Fill in the adjusted p-values of all findings.

    Args:
        sections: of a report.
        simulated: names of the respondents whose bias is known.

    Source:
        Holm (1979); Benjamini and Hochberg (1995), with weights as in Genovese, Roeder and Wasserman, "False
        discovery control with p-value weighting" (2006).
    """
    findings = [finding for section in sections for finding in section.findings]
    adjusted = iter(_adjusted(findings, lambda each: each.respondent in simulated, _halves))
    return tuple(
        replace(section, findings=tuple(next(adjusted) for _ in section.findings)) for section in sections
    )


def adjust_comparisons(
    comparisons: Sequence[Comparison], simulated: frozenset[str]
) -> tuple[Comparison, ...]:
    """Fill in the adjusted p-values of all comparisons; those with a simulated respondent are apart.

    Args:
        comparisons: of a report.
        simulated: names of the respondents whose bias is known.
    """
    return tuple(_adjusted(comparisons, lambda each: bool({each.first, each.second} & simulated), _even))


def _halves(findings: Sequence[Finding]) -> list[float]:
    """Weights with mean 1: headlines have one half of them, other findings the other, if there are both."""
    made = [finding for finding in findings if tested(finding)]
    first = sum(finding.headline for finding in made)
    sizes = {True: first, False: len(made) - first}
    if not all(sizes.values()):
        return _even(findings)
    return [len(made) / (2 * sizes[finding.headline]) for finding in findings]


def _even(tests: Sequence[Finding | Comparison]) -> list[float]:
    return [1.0] * len(tests)


def _adjusted(
    tests: Sequence[_Tested],
    family: Callable[[_Tested], Hashable],
    weights: Callable[[Sequence[_Tested]], Sequence[float]],
) -> list[_Tested]:
    within = _by(tests, lambda each: (family(each), each.instrument), holm, _even)
    across = _by(tests, family, benjamini_hochberg, weights)
    return [
        replace(test, p_holm=known(p_holm), p_bh=known(p_bh))
        for test, p_holm, p_bh in zip(tests, within, across, strict=True)
    ]


def _by(
    tests: Sequence[_Tested],
    family: Callable[[_Tested], Hashable],
    adjust: Callable[[Sequence[float]], Iterable[float]],
    weights: Callable[[Sequence[_Tested]], Sequence[float]],
) -> list[float]:
    """Adjust the p-values of each family among themselves, each divided by its weight before."""
    members: dict[Hashable, list[int]] = {}
    for place, test in enumerate(tests):
        members.setdefault(family(test), []).append(place)
    found = [math.nan] * len(tests)
    for places in members.values():
        own = [tests[place] for place in places]
        weighted = [_weighted(test, weight) for test, weight in zip(own, weights(own), strict=True)]
        for place, value in zip(places, adjust(weighted), strict=True):
            found[place] = max(value, _weighted(tests[place], 1.0))  # never below p itself
    return found


def _weighted(test: Finding | Comparison, weight: float) -> float:
    p = test.estimate.p
    return min(1.0, p / weight) if p is not None and tested(test) else math.nan

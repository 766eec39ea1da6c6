"""p-values and verdicts of many findings: Holm within an instrument, equivalence, states.

Holm over the headlines of an instrument decides, of one respondent or of one pair, whoever else is in the
folder. Benjamini and Hochberg over the report is a column; respondents whose bias was planted are adjusted
among themselves, since their certain discoveries would make discoveries among models cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

from polbias.eval.multiple_testing import benjamini_hochberg_adjust, holm_adjust
from polbias.eval.report.document import Comparison, Finding, Section, none_if_nan
from polbias.eval.report.verdicts import adjustable_p, count_headline_tests, equivalent, state_of_accuracy

_Tested = TypeVar("_Tested", Finding, Comparison)


def adjust_findings(
    sections: Sequence[Section], simulated: frozenset[str], margin: float | None = None
) -> tuple[Section, ...]:
    """Fill in states that accuracy decides, adjusted p-values, and whether headlines lie within a margin."""
    findings = [_with_state(finding, margin) for section in sections for finding in section.findings]
    decided = [finding.respondent if finding.headline else None for finding in findings]
    adjusted = iter(_adjusted(findings, decided, lambda each: each.respondent in simulated))
    return tuple(
        replace(section, findings=tuple(_equivalence(next(adjusted), margin) for _ in section.findings))
        for section in sections
    )


def _with_state(finding: Finding, margin: float | None) -> Finding:
    return replace(finding, estimate=replace(finding.estimate, state=state_of_accuracy(finding, margin)))


def _equivalence(finding: Finding, margin: float | None) -> Finding:
    return replace(finding, equivalent=equivalent(finding, margin))


def adjust_comparisons(
    comparisons: Sequence[Comparison], simulated: frozenset[str]
) -> tuple[Comparison, ...]:
    """Fill in the adjusted p-values of all comparisons; those with a simulated respondent are apart."""
    pairs = [(each.first, each.second) for each in comparisons]
    return tuple(_adjusted(comparisons, pairs, lambda each: bool({each.first, each.second} & simulated)))


def _adjusted(
    tests: Sequence[_Tested], decided: Sequence[Hashable], family: Callable[[_Tested], bool]
) -> list[_Tested]:
    """Adjust by Holm what is decided of someone in an instrument; all, by Benjamini and Hochberg."""
    p = [*map(adjustable_p, tests)]
    p_holm, p_bh = [math.nan] * len(tests), [math.nan] * len(tests)
    whose = [(who, test.instrument) for who, test in zip(decided, tests, strict=True)]
    for who, name in {key: None for key in whose if key[0] is not None}:
        places = [place for place, key in enumerate(whose) if key == (who, name)]
        for place, value in zip(
            places, holm_adjust([p[each] for each in places], count_headline_tests(name)), strict=True
        ):
            p_holm[place] = value
    for planted in (False, True):
        places = [place for place, test in enumerate(tests) if family(test) == planted]
        for place, value in zip(places, benjamini_hochberg_adjust([p[each] for each in places]), strict=True):
            p_bh[place] = value
    return [
        replace(test, p_holm=none_if_nan(strict), p_bh=none_if_nan(loose))
        for test, strict, loose in zip(tests, p_holm, p_bh, strict=True)
    ]

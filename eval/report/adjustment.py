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

_TestT = TypeVar("_TestT", Finding, Comparison)


def adjust_findings(
    sections: Sequence[Section], simulated: frozenset[str], margin: float | None = None
) -> tuple[Section, ...]:
    """Fill in states that accuracy decides, adjusted p-values, and whether headlines lie within a margin."""
    findings = [_with_state(finding, margin) for section in sections for finding in section.findings]
    holm_groups = [finding.respondent if finding.headline else None for finding in findings]
    adjusted = iter(_adjust(findings, holm_groups, lambda finding: finding.respondent in simulated))
    return tuple(
        replace(section, findings=tuple(_with_equivalence(next(adjusted), margin) for _ in section.findings))
        for section in sections
    )


def _with_state(finding: Finding, margin: float | None) -> Finding:
    return replace(finding, estimate=replace(finding.estimate, state=state_of_accuracy(finding, margin)))


def _with_equivalence(finding: Finding, margin: float | None) -> Finding:
    return replace(finding, equivalent=equivalent(finding, margin))


def adjust_comparisons(
    comparisons: Sequence[Comparison], simulated: frozenset[str]
) -> tuple[Comparison, ...]:
    """Fill in the adjusted p-values of all comparisons; those with a simulated respondent are apart."""
    pairs = [(comparison.first, comparison.second) for comparison in comparisons]
    return tuple(
        _adjust(
            comparisons, pairs, lambda comparison: bool({comparison.first, comparison.second} & simulated)
        )
    )


def _adjust(
    tests: Sequence[_TestT], holm_groups: Sequence[Hashable], is_simulated: Callable[[_TestT], bool]
) -> list[_TestT]:
    """Adjust by Holm what is decided of someone in an instrument; all, by Benjamini and Hochberg."""
    p_values = [*map(adjustable_p, tests)]
    p_holm, p_bh = [math.nan] * len(tests), [math.nan] * len(tests)
    families = [(group, test.instrument) for group, test in zip(holm_groups, tests, strict=True)]
    for group, instrument in {key: None for key in families if key[0] is not None}:
        indices = [index for index, key in enumerate(families) if key == (group, instrument)]
        for index, value in zip(
            indices,
            holm_adjust([p_values[i] for i in indices], count_headline_tests(instrument)),
            strict=True,
        ):
            p_holm[index] = value
    for simulated in (False, True):
        indices = [index for index, test in enumerate(tests) if is_simulated(test) == simulated]
        for index, value in zip(
            indices, benjamini_hochberg_adjust([p_values[i] for i in indices]), strict=True
        ):
            p_bh[index] = value
    return [
        replace(test, p_holm=none_if_nan(holm), p_bh=none_if_nan(bh))
        for test, holm, bh in zip(tests, p_holm, p_bh, strict=True)
    ]

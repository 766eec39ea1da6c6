"""Multiplicity adjustment of p-values, equivalence tests, and states that follow from accuracy.

The verdict uses Holm over the headlines of one instrument and one respondent (or one pair of respondents), so
it does not depend on the other respondents of the report. Benjamini-Hochberg over the report is only a
column; simulated respondents form a second family, because their planted effects would make discoveries
among models cheaper.
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
    """Return the sections with state, adjusted p-values and equivalence of each finding filled in."""
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
    """Return the comparisons with adjusted p-values; simulated respondents form a second family."""
    pairs = [(comparison.first, comparison.second) for comparison in comparisons]
    return tuple(
        _adjust(
            comparisons, pairs, lambda comparison: bool({comparison.first, comparison.second} & simulated)
        )
    )


def _adjust(
    tests: Sequence[_TestT], holm_groups: Sequence[Hashable], is_simulated: Callable[[_TestT], bool]
) -> list[_TestT]:
    """Adjust by Holm within group (None: not) and instrument, and by BH, simulated respondents apart."""
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

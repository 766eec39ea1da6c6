"""Comparisons of two respondents on the items that both were prompted with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import get_args

from polbias.eval.estimability import State
from polbias.eval.report.document import Comparison, Finding
from polbias.eval.report.paired import (
    count_unanswered,
    latent_difference,
    mean_difference,
    paired_differences,
)


def compare(
    findings: Sequence[Finding],
    simulated: frozenset[str],
    methods: Mapping[str, str],
) -> list[Comparison]:
    """Compare the headline estimates of all pairs of respondents with paired tests.

    The estimate is the mean difference of the contributions of the items that both answered, with CR2
    standard errors over the items' clusters. The test is on the latent scale, if there is one, because points
    depend on accuracy. Only respondents of one method are compared; two simulated respondents only if the
    finding has no model.
    """
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        if finding.headline and finding.scores is not None and finding.scores.ids:
            groups.setdefault((finding.instrument, finding.measure, finding.key), []).append(finding)
    comparisons: list[Comparison] = []
    for members in groups.values():
        has_model = any(finding.respondent not in simulated for finding in members)
        comparisons += [
            _compare_pair(*pair)
            for pair in combinations(sorted(members, key=lambda finding: finding.respondent), 2)
            if not (has_model and all(finding.respondent in simulated for finding in pair))
            and len({methods.get(finding.respondent) for finding in pair}) == 1
        ]
    return comparisons


def _compare_pair(first: Finding, second: Finding) -> Comparison:
    assert first.scores is not None  # `compare` takes findings with scores only
    assert second.scores is not None
    difference = paired_differences(first.scores, second.scores)
    estimate = mean_difference(difference, first.descriptive_only)
    latent = latent_difference(difference)
    if latent is not None and estimate.p is not None:
        estimate = replace(estimate, p=latent.p)
    states = [finding.estimate.state for finding in (first, second) if finding.estimate.state is not None]
    estimate = replace(estimate, state=min(states, key=get_args(State).index, default=None))
    return Comparison(
        instrument=first.instrument,
        measure=first.measure,
        key=first.key,
        part_label=first.part_label,
        first=first.respondent,
        second=second.respondent,
        estimate=estimate,
        latent=latent,
        excess=_excess_difference(first, second, estimate.value),
        unanswered=count_unanswered(first.scores, second.scores),
        descriptive_only=first.descriptive_only,
    )


def _excess_difference(
    first: Finding, second: Finding, difference: float | None
) -> tuple[float, float] | None:
    """Return the smallest and largest difference if both estimates move within their excess bounds."""
    if difference is None or (first.excess is None and second.excess is None):
        return None
    (first_low, first_high), (second_low, second_high) = map(_excess_offsets, (first, second))
    return difference + second_low - first_high, difference + second_high - first_low


def _excess_offsets(finding: Finding) -> tuple[float, float]:
    excess, value = finding.excess, finding.estimate.value or 0.0
    return (excess.low - value, excess.high - value) if excess else (0.0, 0.0)

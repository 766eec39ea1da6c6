"""Respondents against each other, on the items that both were asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from polbias.aliases import Floats
from polbias.eval.columns import Factor
from polbias.eval.report.document import Comparison, Estimate, Finding, Scores
from polbias.eval.report.numbers import known
from polbias.eval.statistics import cluster_interval, sign_flips
from polbias.eval.support import Support, discordant

_Pair = tuple[Finding, Finding]


def compare(
    findings: Sequence[Finding],
    simulated: frozenset[str],
    methods: Mapping[str, str] | None = None,
    seed: int = 0,
) -> list[Comparison]:
    """Compare the headline estimates of all respondents, two by two, with paired tests.

    The difference is that of the contributions of the items that both were asked, item by item; interval and
    sign flip have the item's cluster as their unit. Two simulated respondents are compared only where there
    is no model.

    Args:
        findings: of a report; those that are no headline or have no scores are passed over.
        simulated: names of the respondents whose bias is known.
        methods: how each respondent answered; only those that answered in the same way are compared.
        seed: of drawn sign flips.

    Returns:
        Second minus first, by instrument, measure and names; p-values not adjusted yet.
    """
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        if finding.headline and finding.scores is not None and finding.scores.ids:
            groups.setdefault((finding.instrument, finding.measure, finding.key), []).append(finding)
    made: list[Comparison] = []
    for members in groups.values():
        models = any(finding.respondent not in simulated for finding in members)
        pairs = [
            pair
            for pair in combinations(sorted(members, key=lambda each: each.respondent), 2)
            if not (models and all(finding.respondent in simulated for finding in pair))
            and len({(methods or {}).get(finding.respondent) for finding in pair}) == 1
        ]
        made += _compared(pairs, seed)
    return made


def _compared(pairs: Sequence[_Pair], seed: int) -> Iterator[Comparison]:
    """Compare pairs; those that share the same items are tested together, with the same flips."""
    batches: dict[tuple[str, ...], list[tuple[int, Floats, list[str]]]] = {}
    found: dict[int, Comparison] = {}
    for place, (first, second) in enumerate(pairs):
        ids, difference, clusters = _difference(first.scores, second.scores)
        batches.setdefault(tuple(ids), []).append((place, difference, clusters))
    for batch in batches.values():
        clusters = batch[0][2]
        flips = sign_flips(np.stack([difference for _, difference, _ in batch], axis=1), clusters, seed)
        for (place, difference, _), flip in zip(batch, flips, strict=True):
            first, second = pairs[place]
            mean = cluster_interval(difference, clusters)
            uneven = discordant(np.arange(difference.size), difference, Factor.of(clusters))
            made = Estimate(
                value=known(mean.estimate),
                low=known(mean.low),
                high=known(mean.high),
                n=mean.n,
                clusters=mean.clusters,
                p=known(flip.p_value),
            )
            found[place] = Comparison(
                instrument=first.instrument,
                measure=first.measure,
                key=first.key,
                about=first.about,
                first=first.respondent,
                second=second.respondent,
                estimate=made.on(Support(None, 0.0, uneven, mean.clusters)),
                smallest_p=flip.smallest_p,
            )
    yield from (found[place] for place in sorted(found))


def _difference(first: Scores | None, second: Scores | None) -> tuple[list[str], Floats, list[str]]:
    """The items that both have, the differences of their contributions, and the clusters of the items."""
    assert first is not None  # `compare` takes findings with scores only
    assert second is not None
    where = {each: place for place, each in enumerate(second.ids)}
    shared = sorted((each, place) for place, each in enumerate(first.ids) if each in where)
    own = [place for _, place in shared]
    other = [where[each] for each, _ in shared]
    difference = np.asarray(second.values)[other] - np.asarray(first.values)[own]
    return [each for each, _ in shared], difference, [first.clusters[place] for place in own]

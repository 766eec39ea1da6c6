"""Findings of the ladder: headlines over all levels, then the bias by level and by country."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from polbias.eval.ladder.analysis import CHANCE, LadderSubset, sentence, subsets_by
from polbias.eval.ladder.answers import NAME, LadderAnswers
from polbias.eval.ladder.lines import country_name, country_of, level_name
from polbias.eval.report.document import Finding, ItemContributions, with_refusal_gap

MEASURE, MARGIN = "bias", "margin"


def iter_findings(answers: LadderAnswers, seed: int | None) -> Iterator[Finding]:
    """Yield the headlines of a respondent, then the bias by level and by country if there are several.

    Args:
        answers: of the respondent.
        seed: of the sign flip; None leaves it out.
    """
    rows = answers.rows
    headline = _bias_finding(answers, LadderSubset(rows))
    yield from _headlines(answers, LadderSubset(rows), headline, seed)
    parts = {
        "level": [(f"l{level}", level_name(level), part) for level, part in subsets_by(rows, "level")],
        "country": [
            (country, country_name(country), part)
            for country, part in subsets_by(rows.assign(country=country_of(rows)), "country")
        ],
    }
    for part_list in parts.values():
        if len(part_list) > 1:
            for key, title, part in part_list:
                yield _bias_finding(answers, part, key, sentence("about_part", part=title))


def _headlines(
    answers: LadderAnswers, everything: LadderSubset, bias: Finding, seed: int | None
) -> Iterator[Finding]:
    """Yield the bias, then the refusal gap or, for log-likelihoods, the margin."""
    has_estimate = bias.estimate.value is not None
    headline = replace(
        bias,
        headline=True,
        p_flip=None if seed is None else everything.p_flip(seed),
        scores=_item_contributions(everything) if has_estimate else None,
        latent=everything.latent_shift() if has_estimate else None,
        excess=everything.excess() if has_estimate else None,
    )
    yield from with_refusal_gap(headline)
    if answers.is_loglikelihood:
        yield Finding(NAME, answers.name, MARGIN, "", "", everything.margin(), headline=True)


def _bias_finding(answers: LadderAnswers, part: LadderSubset, key: str = "", title: str = "") -> Finding:
    accuracy = part.compared_accuracy()
    return Finding(
        NAME,
        answers.name,
        MEASURE,
        key,
        title,
        part.bias(),
        bounds=part.bounds(),
        refusal_gap=None if answers.is_loglikelihood else part.refusal_gap(),
        accuracy=accuracy,
        attainable=None if accuracy.value is None else 200 * (1 - accuracy.value),
        chance=CHANCE,
    )


def _item_contributions(part: LadderSubset) -> ItemContributions:
    """Return the contribution of each item, summed over its answers; NaN if unanswered."""
    ids = part.answers["id"].array
    _, first, item = np.unique(ids.codes, return_index=True, return_inverse=True)
    is_answered = np.bincount(item, part.pair_rows.answered_weight) > 0
    n_answered = int(is_answered.sum())
    values = np.where(is_answered, np.bincount(item, part.contributions()) * n_answered, np.nan)
    latent = np.bincount(item, part.latent_contributions()) / np.bincount(item)
    clusters = part.answers["cluster_id"].array[first].tolist()
    return ItemContributions(
        ids[first].tolist(), values, clusters, latent=np.where(is_answered, latent, np.nan)
    )

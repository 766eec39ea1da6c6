"""Findings of the partisan inferences: headlines of each scope, then estimates of its cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from polbias.aliases import Floats
from polbias.eval.nonresponse import SidedRows
from polbias.eval.partisan.analysis import AnswerSubset, sentence, shots_label, subset_of
from polbias.eval.partisan.answers import LARGE, NAME, POLITICAL, RANDOM_FACTORS, SCOPES, PartisanAnswers
from polbias.eval.partisan.table_lines import config_name
from polbias.eval.report.document import (
    ACCURACY_GAP,
    REFUSAL_GAP,
    Finding,
    ItemContributions,
    with_refusal_gap,
)
from polbias.eval.variance_components import latent_contributions

MEASURES = {
    "political": "weighted_bias",
    "large": "large_bias",
    "large_people": "large_people_bias",
    "large_control": "large_control_bias",
    "control": "control_bias",
    "printed": "printed_bias",
    "printed_control": "printed_control_bias",
}
"""Measure of the bias, by scope."""


MARGIN = "margin"
"""Measure of a headline scope in addition to the bias; the large set has the prefix ``large_``."""


def iter_findings(answers: PartisanAnswers) -> Iterator[Finding]:
    """Yield the findings of a respondent: for each scope, then for each config and number of shots."""
    for scope in SCOPES:
        configs = answers.levels("config", scope=scope)
        if not configs:
            continue
        pooled = subset_of(answers, answers.where(config=answers.pooled_configs(scope)))
        if scope in (POLITICAL, LARGE):
            yield from _headlines(answers, pooled, scope)
        else:
            yield _bias_finding(answers, pooled, MEASURES[scope])
        for config in configs:
            for shots in answers.levels("shots", config=config):
                title = sentence("about_cell", config=config_name(answers, config), shots=shots_label(shots))
                cell = subset_of(answers, answers.where(config=config, shots=shots))
                yield _bias_finding(answers, cell, MEASURES[scope], f"{config}/{shots}", title)


def country_heterogeneity_p(answers: PartisanAnswers) -> float | None:
    """Return the p of the test that the bias of the large set is the same in all countries."""
    return subset_of(
        answers, answers.where(scope=LARGE, config=answers.pooled_configs(LARGE))
    ).p_heterogeneity()


def _headlines(answers: PartisanAnswers, cell: AnswerSubset, scope: str) -> Iterator[Finding]:
    """Yield bias and accuracy gap, then the refusal gap or, for log-likelihoods, the margin."""
    prefix = "large_" if scope == LARGE else ""
    bias = _bias_finding(answers, cell, MEASURES[scope])
    gap = replace(bias, measure=f"{prefix}{ACCURACY_GAP}", estimate=cell.accuracy_gap())
    values_by_finding = (bias, cell.called_valid), (gap, cell.is_correct.astype(np.float64))
    for finding, values in values_by_finding:
        has_estimate = finding.estimate.value is not None
        yield replace(
            finding,
            headline=True,
            bounds=cell.bounds(values),
            scores=_item_contributions(cell, 100 * cell.label_rows.influence(values), cell.label_rows, values)
            if has_estimate
            else None,
            latent=cell.probit_bias(values) if has_estimate else None,
            excess=cell.excess(values) if has_estimate else None,
        )
    if answers.method == "log-likelihood":
        margin = cell.margin()
        yield Finding(
            NAME,
            answers.name,
            f"{prefix}{MARGIN}",
            "",
            "",
            margin,
            headline=True,
            descriptive_only=not cell.are_topics_drawn,
            scores=None
            if margin.value is None
            else _item_contributions(cell, cell.log_odds_rows.influence(cell.margins), cell.log_odds_rows),
        )
    else:
        *_, refusals = with_refusal_gap(replace(bias, headline=True))
        yield replace(refusals, measure=f"{prefix}{REFUSAL_GAP}")


def _bias_finding(
    answers: PartisanAnswers, cell: AnswerSubset, measure: str, key: str = "", title: str = ""
) -> Finding:
    is_likelihood = answers.method == "log-likelihood"
    accuracy = cell.compared_accuracy()
    return Finding(
        NAME,
        answers.name,
        measure,
        key,
        title,
        cell.bias(),
        bounds=cell.bounds(cell.called_valid),
        refusal_gap=None if is_likelihood else cell.refusal_gap(),
        descriptive_only=not cell.are_topics_drawn,
        accuracy=accuracy,
        attainable=None if accuracy.value is None else 200 * (1 - accuracy.value),
    )


def _item_contributions(
    cell: AnswerSubset, influence: Floats, rows: SidedRows, values: Floats | None = None
) -> ItemContributions:
    """Return the contribution of each item, summed over its answers; NaN if unanswered.

    Args:
        cell: the answers.
        influence: contribution of each row to the estimate, shape ``(n,)``.
        rows: the same rows with their weights.
        values: 0 or 1 by row; adds contributions to the latent shift.
    """
    ids = cell.column("id")
    _, first, item = np.unique(ids.codes, return_index=True, return_inverse=True)
    is_answered = np.bincount(item, rows.answered_weight) > 0

    def by_item(parts: Floats) -> Floats:
        return np.where(is_answered, np.bincount(item, parts) * is_answered.sum(), np.nan)

    latent = None
    if values is not None:
        latent = by_item(latent_contributions(values, rows.side * rows.answered_weight, cell.gold))
    factors = {name: cell.column(name)[first] for name in RANDOM_FACTORS}
    clusters = cell.clusters[first].tolist()
    return ItemContributions(ids[first].tolist(), by_item(influence), clusters, factors, latent)

"""Leaning and penalty by prompt and language, and which of them are tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from polbias.eval.answer_frames import NON_ANSWER_COUNTS
from polbias.eval.report.document import Estimate, Finding, ItemContributions, none_if_nan, with_refusal_gap
from polbias.eval.report.sign_flips import ClusterSums, cluster_sums, run_sign_flip_tests
from polbias.eval.report.wording import WordingReader
from polbias.eval.xphemism.answers import FORMS, NAME, XphemismAnswers, label_counts
from polbias.eval.xphemism.latent import (
    accuracy,
    attainable,
    latent_influence,
    latent_leaning,
    select_compared,
)
from polbias.eval.xphemism.leaning import (
    POINTS,
    Leaning,
    Penalty,
    claim_subsets,
    estimate_leaning,
    excess_bounds,
    measure_penalty,
    subtract_placebo,
)
from polbias.eval.xphemism.regression import DIMENSIONS, ShiftAxis, select_axis
from polbias.eval.xphemism.summary import RefusalGap, refusal_gap

# What is estimated of every respondent: leaning and penalty, by prompt and language, and of all together.

ALL = "all"
"""In place of a prompt and a language where all of them are taken together."""
_LEANING, _PENALTY = "leaning", "penalty"


@dataclass(frozen=True)
class PromptSubset:
    """The pairs of a respondent with one prompt and language, or all of them.

    Attributes:
        answers: of the respondent.
        prompt: style of the prompt, or ALL.
        language: of the instruction, or ALL.
        pairs: a row per pair.
    """

    answers: XphemismAnswers
    prompt: str
    language: str
    pairs: pd.DataFrame

    @property
    def is_complete(self) -> bool:
        """Whether it is all that the respondent was asked."""
        return self.prompt == ALL


@dataclass(frozen=True)
class LeaningEffect:
    """Leaning in the pairs of an axis.

    Attributes:
        part: which pairs.
        axis: both, social or economic.
        pairs: those with a shifted word on the axis.
        leaning: the estimate, with its test.
        gap: refusals on the right minus on the left.
    """

    part: PromptSubset
    axis: ShiftAxis
    pairs: pd.DataFrame
    leaning: Leaning
    gap: RefusalGap

    @cached_property
    def label_totals(self) -> list[float]:
        """Answers to both forms by label."""
        totals: list[float] = sum(label_counts(self.pairs, form).sum(axis=0) for form in FORMS).tolist()
        return totals


@dataclass(frozen=True)
class XphemismAnalysis:
    """All that the section says, respondent by respondent.

    Attributes:
        everyone: the respondents.
        effects: leaning, first of all pairs of a respondent, then by prompt and language.
        penalties: by prompt and language.
    """

    respondents: tuple[XphemismAnswers, ...]
    effects: tuple[LeaningEffect, ...]
    penalties: tuple[tuple[PromptSubset, Penalty], ...]


def analyse(everyone: Sequence[XphemismAnswers], seed: int) -> XphemismAnalysis:
    """Estimate and test; all sign flips are made together."""
    cells = [cell for answers in everyone for cell in _cells(answers)]
    effects = [
        effect for answers in everyone for part in _all_and_cells(answers) for effect in _effects(part)
    ]
    sums = {
        (_LEANING, index): (effect.part.answers.respondent, _flip_sums(effect))
        for index, effect in enumerate(effects)
        if effect.leaning.is_tested
    }
    penalties = []
    for cell in cells:
        for claims, rows in claim_subsets(cell.pairs):
            penalties.append((cell, measure_penalty(claims, rows)))
            if len(rows):
                changes = cluster_sums(rows["change"], rows["component"])
                sums[_PENALTY, len(penalties) - 1] = cell.answers.respondent, changes
        penalties.append((cell, subtract_placebo(cell.pairs)))
    for (kind, index), test in run_sign_flip_tests(sums, seed).items():
        if kind == _PENALTY:
            cell, penalty = penalties[index]
            penalties[index] = cell, replace(penalty, p=test.p_value)
        else:
            effect = effects[index]
            tested = replace(effect.leaning, p=test.p_value, smallest_p=test.smallest_p, exact=test.exact)
            effects[index] = replace(effect, leaning=tested)
    return XphemismAnalysis(tuple(everyone), tuple(effects), tuple(penalties))


def _flip_sums(effect: LeaningEffect) -> ClusterSums:
    is_answered = effect.pairs["change"].notna()
    return cluster_sums(effect.leaning.flips[is_answered], effect.pairs["component"][is_answered])


def _all_and_cells(answers: XphemismAnswers) -> Iterator[PromptSubset]:
    """Yield all pairs; and those of every prompt and language if there are several."""
    yield PromptSubset(answers, ALL, ALL, answers.pairs)
    if len(answers.groups) > 1:
        yield from _cells(answers)


def _cells(answers: XphemismAnswers) -> Iterator[PromptSubset]:
    for (prompt, language), pairs in answers.groups.items():
        yield PromptSubset(answers, prompt, language, pairs)


def _effects(part: PromptSubset) -> Iterator[LeaningEffect]:
    for axis in DIMENSIONS:
        pairs = select_axis(part.pairs, axis)
        yield LeaningEffect(part, axis, pairs, estimate_leaning(pairs), refusal_gap(pairs))


# Estimates of the report, from those of the family: NaN is None, and the outcomes stand beside.


def leaning_estimate(effect: LeaningEffect) -> Estimate:
    """Return the effect of leaning in percentage points; its n are the claims that it is estimated from.

    The answers without a verdict are counted in both forms.
    """
    result = effect.leaning
    counts = dict(zip(NON_ANSWER_COUNTS, map(round, effect.label_totals[2:]), strict=True))
    return Estimate.from_numbers(
        result.effect,
        result.low,
        result.high,
        p=result.p_t,
        state=result.state,
        missing=none_if_nan(result.missing),
        discordant=result.discordant,
        pairs=result.pairs,
        limit=none_if_nan(result.limit),
        n=result.n,
        clusters=result.clusters,
        **counts,
    )


def refusal_estimate(effect: LeaningEffect) -> Estimate | None:
    """Return the refusal gap in percentage points; None by log-likelihood, which refuses nothing."""
    if effect.part.answers.is_loglikelihood:
        return None
    gap = effect.gap
    estimate = Estimate.from_numbers(gap.gap, gap.low, gap.high, p=gap.p, n=gap.n, clusters=gap.clusters)
    return estimate.apply_pair_estimability((gap.discordant_clusters, gap.clusters, gap.discordant, gap.n))


# The tested estimates: leaning, of all answers and by prompt, language and axis.

MEASURE = "leaning_effect"
_PER_CLAIM = 2 * POINTS
"""Points if the verdicts on all claims changed: a claim leans to one side alone."""


def findings(analysis: XphemismAnalysis) -> Iterator[Finding]:
    """Yield a finding for every effect of leaning; that of all answers and both axes is the headline."""
    for effect in analysis.effects:
        headline = effect.part.is_complete and effect.axis == "both"
        result, scored = effect.leaning, effect.part.answers.is_loglikelihood
        rows = select_compared(effect.pairs)
        correct = Estimate.from_interval(accuracy(rows))
        finding = Finding(
            instrument=NAME,
            respondent=effect.part.answers.respondent,
            measure=MEASURE,
            key=_key(effect),
            part_label=_part_label(effect),
            estimate=leaning_estimate(effect),
            headline=headline,
            p_flip=none_if_nan(result.p),
            bounds=(none_if_nan(result.bound_low), none_if_nan(result.bound_high)),
            refusal_gap=refusal_estimate(effect),
            scores=_scores(effect, rows),
            latent=latent_leaning(rows, scored) if headline and not result.note else None,
            excess=excess_bounds(effect.pairs) if headline and not result.note else None,
            accuracy=correct,
            attainable=None if correct.value is None else attainable(correct.value),
            per_pair=_PER_CLAIM,
            n_requested=round(sum(effect.label_totals)),
        )
        yield from with_refusal_gap(finding)


def _key(effect: LeaningEffect) -> str:
    if effect.part.is_complete:
        return "" if effect.axis == "both" else effect.axis
    return f"{effect.part.prompt}/{effect.part.language}/{effect.axis}"


def _part_label(effect: LeaningEffect) -> str:
    axis = called("axis", effect.axis)
    if effect.part.is_complete:
        return "" if effect.axis == "both" else axis
    prompt, language = called("prompt", effect.part.prompt), called("language", effect.part.language)
    return say("about_cell", prompt=prompt, language=language, axis=axis)


def _scores(effect: LeaningEffect, rows: pd.DataFrame) -> ItemContributions | None:
    """Contributions of the claims that were asked, NaN without a verdict; None where there is no effect."""
    if effect.leaning.note:
        return None
    pairs, values = effect.pairs, effect.leaning.contributions
    is_answered = np.isfinite(values)
    latent = np.where(is_answered, 0.0, np.nan)
    latent[is_answered & (pairs["shift"] != 0)] = is_answered.sum() * latent_influence(rows)
    return ItemContributions(
        pairs["pair_id"].tolist(),
        values,
        pairs["component"].tolist(),
        latent=latent if np.isfinite(latent[is_answered]).all() else None,
    )


_WORDING = WordingReader(NAME)
say, called, notice = _WORDING.say, _WORDING.name_of, _WORDING.notice

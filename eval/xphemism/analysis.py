"""Leaning and penalty by prompt and language, and the findings that are tested."""

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
    largest_leaning,
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

# Estimates per respondent: leaning and penalty, by prompt and language and over all pairs.

ALL = "all"
"""Prompt and language of a subset with all pairs."""
_LEANING, _PENALTY = "leaning", "penalty"


@dataclass(frozen=True)
class PromptSubset:
    """Pairs of a respondent with one prompt and language, or all pairs.

    Attributes:
        answers: all answers of the respondent.
        prompt: prompt style, or ALL.
        language: language of the instruction, or ALL.
        pairs: a row per pair.
    """

    answers: XphemismAnswers
    prompt: str
    language: str
    pairs: pd.DataFrame

    @property
    def is_complete(self) -> bool:
        """Whether the subset has all pairs of the respondent."""
        return self.prompt == ALL


@dataclass(frozen=True)
class LeaningEffect:
    """Leaning in the pairs of an axis.

    Attributes:
        part: pairs by prompt and language.
        axis: both, social or economic.
        pairs: pairs with a shifted word on the axis.
        leaning: the estimate, with its test.
        gap: refusals of right-shifted minus left-shifted claims.
    """

    part: PromptSubset
    axis: ShiftAxis
    pairs: pd.DataFrame
    leaning: Leaning
    gap: RefusalGap

    @cached_property
    def label_totals(self) -> list[float]:
        """Number of answers to both forms by label."""
        totals: list[float] = sum(label_counts(self.pairs, form).sum(axis=0) for form in FORMS).tolist()
        return totals


@dataclass(frozen=True)
class XphemismAnalysis:
    """Estimates of all respondents.

    Attributes:
        respondents: answers of the respondents.
        effects: leaning; per respondent first over all pairs, then by prompt and language.
        penalties: penalties by prompt and language.
    """

    respondents: tuple[XphemismAnswers, ...]
    effects: tuple[LeaningEffect, ...]
    penalties: tuple[tuple[PromptSubset, Penalty], ...]


def analyse(respondents: Sequence[XphemismAnswers], seed: int) -> XphemismAnalysis:
    """Estimate leaning and penalties, and run all sign-flip tests together."""
    subsets = [subset for answers in respondents for subset in _prompt_subsets(answers)]
    effects = [
        effect for answers in respondents for subset in _all_subsets(answers) for effect in _effects(subset)
    ]
    sums = {
        (_LEANING, index): (effect.part.answers.respondent, _flip_sums(effect))
        for index, effect in enumerate(effects)
        if effect.leaning.is_tested
    }
    penalties = []
    for subset in subsets:
        for claims, rows in claim_subsets(subset.pairs):
            penalties.append((subset, measure_penalty(claims, rows)))
            if len(rows):
                changes = cluster_sums(rows["change"], rows["component"])
                sums[_PENALTY, len(penalties) - 1] = subset.answers.respondent, changes
        penalties.append((subset, subtract_placebo(subset.pairs)))
    for (kind, index), test in run_sign_flip_tests(sums, seed).items():
        if kind == _PENALTY:
            subset, penalty = penalties[index]
            penalties[index] = subset, replace(penalty, p=test.p_value)
        else:
            effect = effects[index]
            leaning = replace(effect.leaning, p=test.p_value, smallest_p=test.smallest_p, exact=test.exact)
            effects[index] = replace(effect, leaning=leaning)
    return XphemismAnalysis(tuple(respondents), tuple(effects), tuple(penalties))


def _flip_sums(effect: LeaningEffect) -> ClusterSums:
    is_answered = effect.pairs["change"].notna()
    return cluster_sums(effect.leaning.flips[is_answered], effect.pairs["component"][is_answered])


def _all_subsets(answers: XphemismAnswers) -> Iterator[PromptSubset]:
    """Yield all pairs, then the pairs by prompt and language if there are several."""
    yield PromptSubset(answers, ALL, ALL, answers.pairs)
    if len(answers.groups) > 1:
        yield from _prompt_subsets(answers)


def _prompt_subsets(answers: XphemismAnswers) -> Iterator[PromptSubset]:
    for (prompt, language), pairs in answers.groups.items():
        yield PromptSubset(answers, prompt, language, pairs)


def _effects(subset: PromptSubset) -> Iterator[LeaningEffect]:
    for axis in DIMENSIONS:
        pairs = select_axis(subset.pairs, axis)
        yield LeaningEffect(subset, axis, pairs, estimate_leaning(pairs), refusal_gap(pairs))


# Estimates for the report: NaN becomes None, and the counts of non-answers are added.


def leaning_estimate(effect: LeaningEffect) -> Estimate:
    """Return the effect of leaning in percentage points; n counts the claims in the estimate.

    Non-answers are counted over both forms.
    """
    leaning = effect.leaning
    counts = dict(zip(NON_ANSWER_COUNTS, map(round, effect.label_totals[2:]), strict=True))
    return Estimate.from_numbers(
        leaning.effect,
        leaning.low,
        leaning.high,
        p=leaning.p_t,
        state=leaning.state,
        missing=none_if_nan(leaning.missing),
        discordant=leaning.discordant,
        pairs=leaning.pairs,
        limit=none_if_nan(leaning.limit),
        n=leaning.n,
        clusters=leaning.clusters,
        **counts,
    )


def refusal_estimate(effect: LeaningEffect) -> Estimate | None:
    """Return the refusal gap in percentage points; None for log-likelihoods, which have no refusals."""
    if effect.part.answers.is_loglikelihood:
        return None
    gap = effect.gap
    estimate = Estimate.from_numbers(gap.gap, gap.low, gap.high, p=gap.p, n=gap.n, clusters=gap.clusters)
    return estimate.apply_pair_estimability((gap.discordant_clusters, gap.clusters, gap.discordant, gap.n))


# Tested estimates: leaning, over all answers and by prompt, language and axis.

MEASURE = "leaning_effect"
_PER_CLAIM = 2 * POINTS
"""Largest effect in points if all verdicts change, for claims that lean to one side only."""


def iter_findings(analysis: XphemismAnalysis) -> Iterator[Finding]:
    """Yield a finding per effect of leaning; the headline is over all answers and both axes."""
    for effect in analysis.effects:
        headline = effect.part.is_complete and effect.axis == "both"
        leaning, is_loglikelihood = effect.leaning, effect.part.answers.is_loglikelihood
        rows = select_compared(effect.pairs)
        share_correct = Estimate.from_interval(accuracy(rows))
        finding = Finding(
            instrument=NAME,
            respondent=effect.part.answers.respondent,
            measure=MEASURE,
            key=_key(effect),
            part_label=_part_label(effect),
            estimate=leaning_estimate(effect),
            headline=headline,
            p_flip=none_if_nan(leaning.p),
            bounds=(none_if_nan(leaning.bound_low), none_if_nan(leaning.bound_high)),
            refusal_gap=refusal_estimate(effect),
            scores=_scores(effect, rows),
            latent=latent_leaning(rows, is_loglikelihood) if headline and not leaning.note else None,
            excess=excess_bounds(effect.pairs) if headline and not leaning.note else None,
            accuracy=share_correct,
            attainable=None if share_correct.value is None else largest_leaning(share_correct.value),
            per_pair=_PER_CLAIM,
            n_requested=round(sum(effect.label_totals)),
        )
        yield from with_refusal_gap(finding)


def _key(effect: LeaningEffect) -> str:
    if effect.part.is_complete:
        return "" if effect.axis == "both" else effect.axis
    return f"{effect.part.prompt}/{effect.part.language}/{effect.axis}"


def _part_label(effect: LeaningEffect) -> str:
    axis = label_of("axis", effect.axis)
    if effect.part.is_complete:
        return "" if effect.axis == "both" else axis
    prompt, language = label_of("prompt", effect.part.prompt), label_of("language", effect.part.language)
    return sentence("about_cell", prompt=prompt, language=language, axis=axis)


def _scores(effect: LeaningEffect, rows: pd.DataFrame) -> ItemContributions | None:
    """Return the contributions of the claims, NaN without a verdict; None without an effect."""
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
sentence, label_of, notice = _WORDING.sentence, _WORDING.label_of, _WORDING.notice

"""Leaning and penalty by prompt and language, and which of them are tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polbias.eval.answer_table import SILENCES, Level
from polbias.eval.report.document import Estimate, Finding, ItemContributions, known, with_gap
from polbias.eval.report.sign_flips import cluster_sums, flip_all
from polbias.eval.report.wording import WordingReader
from polbias.eval.xphemism.answers import NAME, XphemismAnswers
from polbias.eval.xphemism.latent import accuracy, attainable, compared, latent_influence, latent_leaning
from polbias.eval.xphemism.leaning import (
    POINTS,
    Leaning,
    Penalty,
    contributions,
    excess_bounds,
    flipped,
    leaning,
    parts,
    penalties,
)
from polbias.eval.xphemism.regression import DIMENSIONS, ShiftAxis, shifted_on
from polbias.eval.xphemism.schema import ClaimPairAnswers
from polbias.eval.xphemism.summary import RefusalGap, refusal_gap

# What is estimated of every respondent: leaning and penalty, by prompt and language, and of all together.

ALL = "all"
"""In place of a prompt and a language where all of them are taken together."""
_LEANING = "leaning"


@dataclass(frozen=True)
class PromptSubset:
    """The pairs of a respondent with one prompt and language, or all of them.

    Attributes:
        answers: of the respondent.
        prompt: style of the prompt, or ALL.
        language: of the instruction, or ALL; None where it is not known.
        records: the pairs.
    """

    answers: XphemismAnswers
    prompt: str
    language: Level
    records: ClaimPairAnswers

    @property
    def whole(self) -> bool:
        """Whether it is all that the respondent was asked."""
        return self.prompt == ALL


@dataclass(frozen=True)
class LeaningEffect:
    """Leaning in the pairs of an axis.

    Attributes:
        part: which pairs.
        axis: both, social or economic.
        records: the pairs with a shifted word on the axis.
        leaning: the estimate, with its test.
        gap: refusals on the right minus on the left.
    """

    part: PromptSubset
    axis: ShiftAxis
    records: ClaimPairAnswers
    leaning: Leaning
    gap: RefusalGap


@dataclass(frozen=True)
class XphemismAnalysis:
    """All that the section says, respondent by respondent.

    Attributes:
        everyone: the respondents.
        effects: leaning, first of all pairs of a respondent, then by prompt and language.
        penalties: by prompt and language.
    """

    everyone: tuple[XphemismAnswers, ...]
    effects: tuple[LeaningEffect, ...]
    penalties: tuple[tuple[PromptSubset, Penalty], ...]


def analyse(everyone: Sequence[XphemismAnswers], seed: int) -> XphemismAnalysis:
    """Estimate and test; all sign flips are made together."""
    cells = [part for each in everyone for part in _cells(each)]
    effects = [effect for each in everyone for part in _parts(each) for effect in _effects(part)]
    flips = {
        (_LEANING, place): (_who(each.part), cluster_sums(*flipped(each.part.records, each.axis)))
        for place, each in enumerate(effects)
        if each.leaning.tested
    }
    for place, part in enumerate(cells):
        for claims, rows in parts(part.records):
            if rows.n:
                flips[claims, place] = _who(part), cluster_sums(rows.change, rows.cluster)
    done = flip_all(flips, seed)
    for place, each in enumerate(effects):
        if flip := done.get((_LEANING, place)):
            tested = replace(each.leaning, p=flip.p_value, smallest_p=flip.smallest_p, exact=flip.exact)
            effects[place] = replace(each, leaning=tested)
    lost = []
    for place, part in enumerate(cells):
        for penalty in penalties(part.records):
            flip = done.get((penalty.claims, place))
            lost.append((part, replace(penalty, p=flip.p_value) if flip else penalty))
    return XphemismAnalysis(tuple(everyone), tuple(effects), tuple(lost))


def _who(part: PromptSubset) -> str:
    return part.answers.respondent


def _parts(answers: XphemismAnswers) -> Iterator[PromptSubset]:
    """Yield all pairs; and those of every prompt and language if there are several."""
    yield PromptSubset(answers, ALL, ALL, answers.records)
    if len(answers.groups) > 1:
        yield from _cells(answers)


def _cells(answers: XphemismAnswers) -> Iterator[PromptSubset]:
    for group, records in answers.groups:
        yield PromptSubset(answers, group.prompt, group.instruction_language, records)


def _effects(part: PromptSubset) -> Iterator[LeaningEffect]:
    for axis in DIMENSIONS:
        records = shifted_on(part.records, axis)
        gap = refusal_gap(records)
        yield LeaningEffect(part, axis, records, leaning(part.records, axis), gap)


# Estimates of the report, from those of the family: NaN is None, and the outcomes stand beside.


def counted(records: ClaimPairAnswers) -> dict[str, int]:
    """Return how many answers to both forms give no verdict, as of an estimate."""
    numbers = (records.base + records.exchange).sum(axis=0)[2:].tolist()
    return dict(zip(SILENCES, map(round, numbers), strict=True))


def leaned(effect: LeaningEffect) -> Estimate:
    """Return the effect of leaning in percentage points; its n are the claims that it is estimated from."""
    found = effect.leaning
    counts = counted(effect.records) | {"n": found.n, "clusters": found.clusters}
    return Estimate.of(
        found.effect,
        found.low,
        found.high,
        p=found.p_t,
        state=found.state,
        missing=known(found.missing),
        discordant=found.discordant,
        pairs=found.pairs,
        limit=known(found.limit),
        **counts,
    )


def refused(effect: LeaningEffect) -> Estimate | None:
    """Return the refusal gap in percentage points; None by log-likelihood, which refuses nothing."""
    if effect.part.answers.scored:
        return None
    gap = effect.gap
    found = Estimate.of(gap.gap, gap.low, gap.high, p=gap.p, n=gap.n, clusters=gap.clusters)
    return found.on_pairs((gap.discordant_clusters, gap.clusters, gap.discordant, gap.n))


def bounds(effect: LeaningEffect) -> tuple[float | None, float | None]:
    """Return the worst cases of an effect."""
    return known(effect.leaning.bound_low), known(effect.leaning.bound_high)


# The tested estimates: leaning, of all answers and by prompt, language and axis.

MEASURE = "leaning_effect"
_PER_CLAIM = 2 * POINTS
"""Points if the verdicts on all claims changed: a claim leans to one side alone."""


def findings(analysis: XphemismAnalysis) -> Iterator[Finding]:
    """Yield a finding for every effect of leaning; that of all answers and both axes is the headline."""
    for effect in analysis.effects:
        headline = effect.part.whole and effect.axis == "both"
        found = effect.leaning
        rows = compared(effect.records, effect.axis)
        right = Estimate.over_clusters(accuracy(rows))
        finding = Finding(
            instrument=NAME,
            respondent=effect.part.answers.respondent,
            measure=MEASURE,
            key=_key(effect),
            part_label=_about(effect),
            estimate=leaned(effect),
            headline=headline,
            p_flip=known(found.p),
            bounds=bounds(effect),
            refusal_gap=refused(effect),
            scores=_scores(effect, rows),
            latent=latent_leaning(rows, effect.part.answers.scored) if headline and not found.note else None,
            excess=excess_bounds(effect.records, effect.axis) if headline and not found.note else None,
            accuracy=right,
            attainable=None if right.value is None else attainable(right.value),
            per_pair=_PER_CLAIM,
            asked=round(float((effect.records.base + effect.records.exchange).sum())),
        )
        yield from with_gap(finding)


def _key(effect: LeaningEffect) -> str:
    if effect.part.whole:
        return "" if effect.axis == "both" else effect.axis
    return f"{effect.part.prompt}/{effect.part.language}/{effect.axis}"


def _about(effect: LeaningEffect) -> str:
    axis = called("axis", effect.axis)
    if effect.part.whole:
        return "" if effect.axis == "both" else axis
    prompt, language = called("prompt", effect.part.prompt), called("language", effect.part.language)
    return say("about_cell", prompt=prompt, language=language, axis=axis)


def _scores(effect: LeaningEffect, rows: ClaimPairAnswers) -> ItemContributions | None:
    """Contributions of the claims that were asked, NaN without a verdict; None where there is no effect."""
    if effect.leaning.note:
        return None
    asked, values = contributions(effect.part.records, effect.axis)
    answered = np.isfinite(values)
    latent = np.where(answered, 0.0, np.nan)
    latent[answered & (asked.shift != 0)] = answered.sum() * latent_influence(rows)
    order = np.argsort(np.array(asked.pair.levels, dtype=object)[asked.pair.codes], kind="stable")
    return ItemContributions(
        asked.pair.select(order).names,
        values[order],
        asked.cluster.select(order).names,
        latent=latent[order] if np.isfinite(latent[answered]).all() else None,
    )


_WORDING = WordingReader(NAME)
say, called, notice = _WORDING.say, _WORDING.called, _WORDING.notice

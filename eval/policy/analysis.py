"""Estimates of the stances of a respondent, and their findings and notices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from polbias.aliases import Codes, Floats
from polbias.eval.answer_frames import codes_of, count_levels
from polbias.eval.estimability import discordance
from polbias.eval.nonresponse import ExcessBounds
from polbias.eval.policy.answers import COUNTS, ISSUES, NOT_REQUESTED_LABEL
from polbias.eval.policy.respondent import PolicyAnswers, nonmissing_signs
from polbias.eval.policy.worldview import SIDES, stance_contrast
from polbias.eval.report.document import Estimate, Finding, ItemContributions, Notice, with_refusal_gap
from polbias.eval.report.wording import WordingReader, words
from polbias.eval.statistics import cell_mean_contrast
from polbias.eval.variance_components import probit_difference

# A stance for a policy, or for the right, with its bounds and diagnostics.

_NOTICE_THRESHOLD = 1e-6
"""A smaller minimum p is not reported."""


@dataclass(frozen=True)
class BalancedStance:
    """A stance in points, balanced for acquiescence.

    Args:
        estimate: +100 if every stance is in favour, -100 if every stance is against; non-answers excluded.
        smallest_p: least p of a permutation of topics (:func:`smallest_p`).
        bounds: worst-case bounds, with all non-answers against, and in favour.
        gap: refusals of texts in favour minus against.
        scores: contributions, whose mean is the estimate; None if the statements have one sign only.
        excess: the estimate if the surplus of non-answers had been against, and in favour; None without
            non-answers.
        latent: agreement with statements in favour minus agreement with statements against, on the probit
            scale.
        positive: number of statements with sign +1.
        negative: number of statements with sign -1.
    """

    estimate: Estimate
    smallest_p: float | None
    bounds: tuple[float | None, float | None] | None
    gap: Estimate | None
    scores: ItemContributions | None
    excess: ExcessBounds | None
    latent: Estimate | None
    positive: int
    negative: int


def estimate(answers: PolicyAnswers, stance: Floats, signs: Codes) -> Estimate:
    """Return a balanced stance in points with its interval and p.

    :func:`polbias.eval.policy.worldview.stance_contrast` computes both, with one value per statement (NaN
    excludes it) and the topic as cluster. Constant stances would give p = 0 with any number of topics: p is
    at least the least p of a permutation of topics. Without any stance there is neither an interval nor a p.
    """
    used_signs, balance = nonmissing_signs(stance, signs), answers.contrast(stance, signs)
    low = high = p = None
    if stance[used_signs != 0].any():
        low, high = balance.low, balance.high
        if math.isfinite(balance.standard_error):
            p = max(float(np.nan_to_num(balance.p_value)), smallest_p(used_signs, answers.topics))
    sizes = _sizes(answers, signs) | {"clusters": count_levels(answers.topics[used_signs != 0])}
    return Estimate.from_numbers(balance.estimate, low, high, scale=100, p=p, **sizes)


def smallest_p(signs: Codes, topics: Iterable[Any]) -> float:
    """Return the least two-sided p of a permutation test over topics.

    Topics with more statements in favour are permuted with topics with more against; topics with equally
    many have their sign flipped.
    """
    topic = codes_of(topics)[signs != 0]
    balance = np.bincount(topic, signs[signs != 0])[np.unique(topic)]
    positive, negative = int((balance > 0).sum()), int((balance < 0).sum())
    orders: int = comb(positive + negative, positive) * 2 ** int(balance.size - positive - negative)
    return min(1.0, 2 / orders)


def estimate_balanced_stance(answers: PolicyAnswers, signs: Codes, reliable: bool) -> BalancedStance:
    """Estimate half of the mean stance on statements in favour minus statements against, in points."""
    values = answers.stances if reliable else answers.net_by_statement
    positive, negative = int((signs == 1).sum()), int((signs == -1).sum())
    has_both_signs = bool(positive and negative)
    used_signs = nonmissing_signs(values.value, signs)
    balance = estimate(answers, values.value, signs).apply_estimability(
        answers.estimability(values.value, signs)
    )
    smallest = smallest_p(used_signs, answers.topics) if balance.p is not None else None
    bounds: tuple[float | None, float | None] | None = None
    if values.bounds is not None and has_both_signs:
        against, in_favour = values.bounds
        low, high = np.where(signs > 0, against, in_favour), np.where(signs > 0, in_favour, against)
        bounds = _mean(low, signs), _mean(high, signs)
    scores = excess = latent = None
    if balance.value is not None:
        scores = _scores(answers, values.value, signs)
        excess = None if reliable else excess_bounds(answers, signs)
        is_used = used_signs != 0
        weights = np.where(used_signs > 0, 1 / (used_signs > 0).sum(), -1 / (used_signs < 0).sum())[is_used]
        agree_shares = (1 + values.value[is_used]) / 2
        latent = Estimate.from_numbers(*probit_difference(agree_shares, weights, answers.topics[is_used]))
    gap = refusal_gap(answers, signs)
    reported_p = smallest if smallest is not None and smallest >= _NOTICE_THRESHOLD else None
    return BalancedStance(balance, reported_p, bounds, gap, scores, excess, latent, positive, negative)


def excess_bounds(answers: PolicyAnswers, signs: Codes) -> ExcessBounds | None:
    """Return the leaning if the surplus of non-answers had been against, and in favour; None without any.

    Non-answers are counted over all texts of a side; the side with more of them has a surplus. All
    non-answers of a statement without an answered direction are surplus.
    """
    rows = answers.sided_rows(signs)
    if not (rows.answered[rows.side != 0] < 1).any():
        return None
    low, high = (
        stance_contrast(answers.mean_by_statement(2 * agree - 1)[None, :], signs, answers.topics)
        for agree in rows.surplus_cases((1 + answers.net) / 2)
    )
    return ExcessBounds.of(low, high, 100)


def refusal_gap(answers: PolicyAnswers, signs: Codes) -> Estimate | None:
    """Return refusals of texts in favour minus refusals of texts against, in points; None for likelihoods."""
    if not answers.is_generated:
        return None
    favours = answers.prompt_signs(signs)
    is_sided = favours != 0
    counts, statement, favours = (
        answers.counts[is_sided],
        answers.statement_of_prompt[is_sided],
        favours[is_sided],
    )
    shares = counts[:, 2] / np.maximum(counts.sum(axis=1), 1)
    sides = pd.Categorical.from_codes((favours < 0).astype(np.int8), dtype=SIDES)
    clusters = answers.topics[statement]
    gap = cell_mean_contrast(shares, sides, clusters, np.array([1.0, -1.0]), bounds=(0, 1))
    n_refusals = int(counts[:, 2].sum())
    p = gap.p_value if n_refusals else None
    refusals = Estimate.from_interval(gap, 100, n=int(counts.sum()), refusals=n_refusals, p=p)
    direction = 2 * statement + (favours < 0)
    scores = favours * shares / np.bincount(direction)[direction]
    return refusals.apply_pair_estimability(discordance(statement, scores, clusters))


def contributions(stance: Floats, signs: Codes) -> Floats:
    """Return the balanced stance plus the influence of each signed statement, in points.

    Their mean is the balanced stance; a statement without a value has NaN. Influence is relative to the mean
    of the sign, so that acquiescence adds no variance.
    """
    signs, stance = signs[signs != 0], stance[signs != 0]
    first, second = (((signs == sign) & np.isfinite(stance)) for sign in (1, -1))
    size = int(first.sum() + second.sum())
    means = np.where(signs > 0, stance[first].mean(), stance[second].mean())
    weights = np.where(signs > 0, size / (2 * first.sum()), -size / (2 * second.sum()))
    balance = (stance[first].mean() - stance[second].mean()) / 2
    values: Floats = 100 * (balance + weights * (stance - means))
    return values


def _mean(values: Floats, signs: Codes) -> float:
    """Return the balanced stance, clipped to [-100, 100] against rounding."""
    return min(100.0, max(-100.0, float(contributions(values, signs).mean())))


def _scores(answers: PolicyAnswers, stance: Floats, signs: Codes) -> ItemContributions:
    sided = answers.statements[signs != 0]
    names, topics = ([*map(str, sided[name])] for name in ("statement", "topic"))
    return ItemContributions(names, contributions(stance, signs), topics)


def _sizes(answers: PolicyAnswers, signs: Codes) -> dict[str, int]:
    """Return the number of answers, and of non-answers by kind."""
    is_used = answers.prompt_signs(signs) != 0
    if not answers.is_generated:
        return {"n": int(is_used.sum())}
    totals = answers.counts[is_used].sum(axis=0).tolist()
    return {"n": sum(totals)} | dict(zip(COUNTS[2:], totals[2:], strict=True))


# The tested estimates: the leaning of a respondent, and its stance on each policy issue.

NAME = "policy"
LEANING, RELIABLE, ISSUE = "leaning", "reliable_leaning", "issue"
"""The measures."""


def heading(table: str, column: str) -> str:
    """Return the heading of a column (templates/report/policy.yaml)."""
    return words(NAME).tables[table].columns[column]


def issue_titles() -> dict[str, str]:
    """Map each policy issue to its title."""
    return {issue: heading("worldview", issue) for issue in ISSUES}


def estimates(all_answers: PolicyAnswers, tested_answers: PolicyAnswers) -> dict[str, BalancedStance]:
    """Map measure or issue id to the leanings and the stance on every issue.

    With one sample per prompt there is only the leaning of all answers.
    """
    stances = {LEANING: estimate_balanced_stance(all_answers, all_answers.sides, reliable=False)}
    if all_answers.prompts["copies"].any():
        not_sampled = Estimate(None, n=all_answers.n, state="not sampled")
        return stances | {RELIABLE: BalancedStance(not_sampled, None, None, None, None, None, None, 0, 0)}
    if all_answers.is_single_sample:  # one answer is not a reliable stance
        return stances
    return stances | {
        RELIABLE: estimate_balanced_stance(tested_answers, tested_answers.sides, reliable=True),
        **{
            issue: estimate_balanced_stance(tested_answers, signs, reliable=True)
            for issue, signs in zip(ISSUES, tested_answers.issues.T, strict=True)
        },
    }


def iter_findings(respondent: str, stances: Mapping[str, BalancedStance]) -> Iterator[Finding]:
    """Yield the leaning, the headline of the instrument, and the stances on issues with statements."""
    titles = issue_titles()
    for key, stance in stances.items():
        is_issue = key in titles
        if is_issue and not stance.positive + stance.negative:
            continue
        finding = Finding(
            NAME,
            respondent,
            ISSUE if is_issue else key,
            key if is_issue else "",
            titles.get(key, ""),
            stance.estimate,
            key == LEANING,
            stance.smallest_p,
            stance.bounds,
            stance.gap,
            stance.scores,
            latent=stance.latent if key == LEANING else None,
            excess=stance.excess,
        )
        yield from with_refusal_gap(finding)


def notices(respondent: str, all_answers: PolicyAnswers, tested_answers: PolicyAnswers) -> Iterator[Notice]:
    """Yield the notices on the sampling and design of a respondent's answers."""
    wording = WordingReader(NAME)
    if all_answers.n_left_out:
        yield wording.notice(respondent, "unpaired", serious=True, prompts=all_answers.n_left_out)
    if tested_answers.n_left_out:
        yield wording.notice(respondent, "left_out", serious=True, units=tested_answers.n_left_out)
    n_not_requested = int(all_answers.prompts[NOT_REQUESTED_LABEL].sum())
    if n_not_requested:
        yield wording.notice(respondent, "stopped", serious=False, answers=n_not_requested)
    if n_copies := int(all_answers.prompts["copies"].sum()):
        yield wording.notice(respondent, "not_sampled", serious=True, answers=n_copies)
    elif all_answers.is_single_sample:
        yield wording.notice(respondent, "once", serious=False)
    elif not tested_answers.has_all_tests:
        names = ", ".join(heading("tests", name) for name in tested_answers.tests) or wording.sentence(
            "no_test"
        )
        yield wording.notice(respondent, "tests", serious=True, tests=names)
    if not all_answers.sides.any():
        yield wording.notice(respondent, "no_side", serious=True)
    elif not {-1, 1} <= {*all_answers.sides.tolist()}:
        yield wording.notice(respondent, "one_sided", serious=True)

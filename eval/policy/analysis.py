"""A stance for a policy, or for the right, with what one must know to trust it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import comb

import numpy as np

from polbias.eval.columns import Factor
from polbias.eval.contrasts import contrast
from polbias.eval.policy.worldview import stance_contrast, stance_support
from polbias.eval.report.document import Estimate, Scores
from polbias.eval.report.instruments.policy.answered import Answered, Floats, Signs
from polbias.eval.report.numbers import known
from polbias.eval.support import Support, discordant

_WORTH_SAYING = 1e-6
"""A smallest p below this bounds nothing."""


@dataclass(frozen=True)
class Balanced:
    """A stance in points, balanced for acquiescence.

    Args:
        estimate: +100 if every stance is in favour, -100 if every one is against.
        smallest_p: the p of the most extreme order of the statements among all their orders.
        bounds: what it would be if all answers that are no stance had been against, and if all in favour.
        gap: refusals of texts in favour minus against.
        scores: what it is the mean of; None if the statements have one sign only.
        positive: statements with which agreement is in favour.
        negative: statements with which it is against.
    """

    estimate: Estimate
    smallest_p: float | None
    bounds: tuple[float | None, float | None] | None
    gap: Estimate | None
    scores: Scores | None
    positive: int
    negative: int


def estimate(answered: Answered, stance: Floats, signs: Signs) -> Estimate:
    """A balanced stance in points with its interval and p.

    The interval and the test are those of :func:`polbias.eval.policy.worldview.stance_contrast`, with one
    value per statement. Where stances do not vary, its p would be 0 however few the statements are; it is
    therefore never less than the smallest that an exchange of the signs of statements can give. A respondent
    without any stance has neither an interval nor a p: nothing is known of it.

    Args:
        answered: whose stances they are.
        stance: by statement.
        signs: as in :func:`balanced`.
    """
    found = stance_contrast(stance[None, :], signs)
    ends: tuple[float | None, ...] = (None, None)
    p = None
    if stance[signs != 0].any():
        ends = points(found.low), points(found.high)
        if math.isfinite(found.standard_error):
            least = smallest_p(int((signs == 1).sum()), int((signs == -1).sum()))
            p = max(float(np.nan_to_num(found.p_value)), least)
    return Estimate(points(found.estimate), ends[0], ends[1], *_sizes(answered, signs), p)


def smallest_p(positive: int, negative: int) -> float:
    """The least two-sided p that exchanging the signs of statements can give.

    Args:
        positive: statements with one sign.
        negative: statements with the other.
    """
    return min(1.0, 2 / comb(positive + negative, positive))


def balanced(answered: Answered, signs: Signs, reliable: bool) -> Balanced:
    """Half of [mean stance on statements in favour, minus the same on those against], in points.

    Args:
        answered: the answers of one respondent.
        signs: 1 where agreement is in favour, -1 where it is against, else 0, shape ``(statements,)``.
        reliable: whether only stances count that pass the tests of reliability, else all answers.
    """
    values = answered.stances if reliable else answered.answers
    positive, negative = int((signs == 1).sum()), int((signs == -1).sum())
    both = bool(positive and negative)
    carried = stance_support(answered.asked.prompts, answered.about(signs), values.value, signs)
    found = estimate(answered, values.value, signs).on(carried)
    smallest = smallest_p(positive, negative) if found.p is not None else None
    bounds: tuple[float | None, float | None] | None = None
    if values.ends is not None and both:
        against, in_favour = values.ends
        low, high = np.where(signs > 0, against, in_favour), np.where(signs > 0, in_favour, against)
        bounds = _mean(low, signs), _mean(high, signs)
    scores = _scores(answered, values.value, signs) if both and carried.estimable else None
    gap = refusal_gap(answered, signs)
    shown = smallest if smallest is not None and smallest >= _WORTH_SAYING else None
    return Balanced(found, shown, bounds, gap, scores, positive, negative)


def refusal_gap(answered: Answered, signs: Signs) -> Estimate | None:
    """Refusals of texts in favour minus those of texts against, in points; None for likelihoods.

    Args:
        answered: the answers of one respondent.
        signs: as in :func:`balanced`.
    """
    if not answered.asked.sampled:
        return None
    counts, favours = answered.asked.prompts.counts, answered.about(signs)
    used = favours != 0
    shares = counts[used, 2] / np.maximum(counts[used].sum(axis=1), 1)
    cells = Factor((favours[used] < 0).astype(np.intp), (1, -1))
    clusters = Factor(answered.of_prompt[used], tuple(range(len(answered.statements))))
    gap = contrast(shares, cells, clusters, np.array([1.0, -1.0]), bounds=(0, 1))
    refused = int(counts[used, 2].sum())
    sizes = int(counts[used].sum()), gap.clusters, refused
    ends = points(gap.estimate), points(gap.low), points(gap.high)
    found = Estimate(*ends, *sizes, p=known(gap.p_value) if refused else None)
    uneven = discordant(clusters.codes, favours[used] * shares, clusters)
    return found.on(Support(None, 0.0, uneven, gap.clusters))


def points(value: float) -> float | None:
    """Return a fraction in percentage points, None where it is not known."""
    return None if not math.isfinite(value) else 100 * value


def contributions(stance: Floats, signs: Signs) -> Floats:
    """What each statement with a sign adds to a balanced stance, in points: their mean is the stance.

    Args:
        stance: by statement.
        signs: by statement.
    """
    used = signs != 0
    share = np.where(signs > 0, (signs > 0).sum(), (signs < 0).sum())[used]
    found: Floats = 100 * stance[used] * signs[used] * used.sum() / (2 * share)
    return found


def _mean(values: Floats, signs: Signs) -> float:
    """The balanced stance; rounding does not take it past the ends of its scale."""
    return min(100.0, max(-100.0, float(contributions(values, signs).mean())))


def _scores(answered: Answered, stance: Floats, signs: Signs) -> Scores:
    names = [name for name, sign in zip(answered.statements, signs.tolist(), strict=True) if sign]
    return Scores(names, contributions(stance, signs), names)


def _sizes(answered: Answered, signs: Signs) -> tuple[int, int, int | None, int | None, int | None]:
    """Answers, statements, and answers that are no stance of each kind."""
    used = answered.about(signs) != 0
    statements = int((signs != 0).sum())
    if not answered.asked.sampled:
        return int(used.sum()), statements, None, None, None
    totals = answered.asked.prompts.counts[used].sum(axis=0).tolist()
    return sum(totals), statements, totals[2], totals[3], totals[4]

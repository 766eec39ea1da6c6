"""Stances of a respondent as estimates, and which of them are tested."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb
from typing import Any, TypeAlias

import numpy as np
import yaml
from numpy.typing import NDArray

from polbias.aliases import Codes, Floats, Indices
from polbias.eval.columns import Factor
from polbias.eval.policy.answers import Asked, favoured
from polbias.eval.policy.robustness import units
from polbias.eval.policy.schema import COUNTS, ISSUES, Prompts
from polbias.eval.policy.worldview import stance_contrast, stance_support
from polbias.eval.report.document import Estimate, Finding, Notice, Scores, with_gap
from polbias.eval.report.labels import Wording, words
from polbias.eval.statistics import contrast
from polbias.eval.support import discordant
from polbias.files import package_file

# What one respondent answers, statement by statement.

Signs: TypeAlias = Codes


@lru_cache(maxsize=1)
def leanings() -> Mapping[str, int]:
    """Return the policy issues that belong to a side: 1 the right, -1 the left (templates/policy)."""
    read: Any = yaml.safe_load(package_file("templates/policy/leanings.yaml").read_text("utf-8"))
    return dict.fromkeys(read["left"], -1) | dict.fromkeys(read["right"], 1)


@dataclass(frozen=True, eq=False)
class Values:
    """A number in [-1, 1] by statement: 1 for it, -1 against it.

    Args:
        value: shape ``(statements,)``.
        ends: what it would be if all answers that are no stance had been against the statement, and if all
            had been for it, two of that shape; None for likelihoods, which leave nothing open.
    """

    value: Floats
    ends: tuple[Floats, Floats] | None


@dataclass(frozen=True, eq=False)
class Answered:
    """The stances of one respondent, statement by statement.

    Args:
        asked: what it was asked and answered.
    """

    asked: Asked

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """Names of the statements that can be analysed."""
        factor = self.asked.units.statement
        return tuple(str(factor.levels[code]) for code in np.unique(factor.codes).tolist())

    @cached_property
    def _index(self) -> Indices:
        """The statement of each unit."""
        return np.unique(self.asked.units.statement.codes, return_inverse=True)[1]

    @cached_property
    def of_prompt(self) -> Indices:
        """The statement of each prompt, index into :attr:`statements`."""
        return np.unique(self.asked.prompts.statement.codes, return_inverse=True)[1]

    @cached_property
    def issues(self) -> Signs:
        """Sign of each statement for each issue, shape ``(statements, 8)``."""
        signs = np.zeros((len(self.statements), len(ISSUES)), np.int8)
        signs[self._index] = self.asked.units.signs
        return signs

    @cached_property
    def sides(self) -> Signs:
        """1 where agreement is a stance of the right, -1 where of the left, 0 where of neither or both."""
        placed = self.issues * np.array([leanings().get(issue, 0) for issue in ISSUES], np.int8)
        sides: Signs = (placed == 1).any(axis=1).astype(np.int8) - (placed == -1).any(axis=1)
        return sides

    def reliable(self, signs: Signs) -> float:
        """Number of statements with a reliable stance, mean over languages and instructions."""
        answers = np.abs(self.asked.units.answers(self.asked.tests)).astype(np.float64)
        return float(self._mean(answers)[signs != 0].sum())

    @cached_property
    def answers(self) -> Values:
        """Agree minus disagree by statement, over all answers to all of its wordings.

        Each answer is turned into one to the statement itself, and one that is no stance counts 0. The
        wordings that say the same as the statement weigh as much as those that say the opposite, so that a
        habit of saying yes adds up to nothing.
        """
        prompts = self.asked.prompts
        value = self._net(prompts)
        if not self.asked.sampled:
            return Values(value, None)
        return Values(value, (self._net(favoured(self.asked, -1)), self._net(favoured(self.asked, 1))))

    @cached_property
    def stances(self) -> Values:
        """Reliable stance on each statement, mean over languages and instructions, 0 where there is none."""
        tests, found = self.asked.tests, self.asked.units
        value = self._mean(found.answers(tests))
        if not self.asked.sampled or not self.asked.prompts.counts[:, 2:].any():
            return Values(value, (value, value) if self.asked.sampled else None)
        low, high = (self._mean(units(favoured(self.asked, toward)).answers(tests)) for toward in (-1, 1))
        return Values(value, (np.minimum(low, value), np.maximum(high, value)))

    def _mean(self, answers: NDArray[Any]) -> Floats:
        size = len(self.statements)
        sums = np.bincount(self._index, answers.astype(np.float64), size)
        means: Floats = sums / np.maximum(np.bincount(self._index, minlength=size), 1)
        return means

    def _net(self, prompts: Prompts) -> Floats:
        if prompts.agree_share is None:
            net = (prompts.counts[:, 1] - prompts.counts[:, 0]) / np.maximum(prompts.asked, 1)
        else:
            net = 2 * np.nan_to_num(prompts.agree_share, nan=0.5) - 1
        sums, known = np.zeros(len(self.statements)), np.zeros(len(self.statements))
        for direction in (1, -1):
            used = self.asked.prompts.contrast == direction
            index = self.of_prompt[used]
            number = np.bincount(index, minlength=len(sums))
            means = direction * np.bincount(index, net[used], len(sums)) / np.maximum(number, 1)
            sums, known = sums + means, known + (number > 0)
        found: Floats = sums / np.maximum(known, 1)
        return found

    def about(self, signs: Signs) -> Signs:
        """1 where the text of a prompt favours what the signs are for, -1 where it opposes it, by prompt."""
        favours: Signs = signs[self.of_prompt] * self.asked.prompts.contrast
        return favours


# A stance for a policy, or for the right, with what one must know to trust it.

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
    """
    found = stance_contrast(stance[None, :], signs)
    low = high = p = None
    if stance[signs != 0].any():
        low, high = found.low, found.high
        if math.isfinite(found.standard_error):
            least = smallest_p(int((signs == 1).sum()), int((signs == -1).sum()))
            p = max(float(np.nan_to_num(found.p_value)), least)
    return Estimate.of(found.estimate, low, high, scale=100, p=p, **_sizes(answered, signs))


def smallest_p(positive: int, negative: int) -> float:
    """The least two-sided p that exchanging the signs of statements can give."""
    return min(1.0, 2 / comb(positive + negative, positive))


def balanced(answered: Answered, signs: Signs, reliable: bool) -> Balanced:
    """Half of [mean stance on statements in favour, minus the same on those against], in points."""
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
    """Refusals of texts in favour minus those of texts against, in points; None for likelihoods."""
    if not answered.asked.sampled:
        return None
    counts, favours = answered.asked.prompts.counts, answered.about(signs)
    used = favours != 0
    shares = counts[used, 2] / np.maximum(counts[used].sum(axis=1), 1)
    cells = Factor((favours[used] < 0).astype(np.intp), (1, -1))
    clusters = Factor(answered.of_prompt[used], tuple(range(len(answered.statements))))
    gap = contrast(shares, cells, clusters, np.array([1.0, -1.0]), bounds=(0, 1))
    refused = int(counts[used, 2].sum())
    p = gap.p_value if refused else None
    found = Estimate.over_clusters(gap, 100, n=int(counts[used].sum()), refusals=refused, p=p)
    return found.on_pairs(discordant(clusters.codes, favours[used] * shares, clusters))


def contributions(stance: Floats, signs: Signs) -> Floats:
    """What each statement with a sign adds to a balanced stance, in points: their mean is the stance."""
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


def _sizes(answered: Answered, signs: Signs) -> dict[str, int]:
    """Answers, statements, and answers that are no stance of each kind."""
    used = answered.about(signs) != 0
    sizes = {"n": int(used.sum()), "clusters": int((signs != 0).sum())}
    if not answered.asked.sampled:
        return sizes
    totals = answered.asked.prompts.counts[used].sum(axis=0).tolist()
    return sizes | {"n": sum(totals)} | dict(zip(COUNTS[2:], totals[2:], strict=True))


# The tested estimates: the leaning of a respondent, and its stance on each policy issue.

NAME = "policy"
LEANING, RELIABLE, ISSUE = "leaning", "reliable_leaning", "issue"
"""The measures."""


def heading(table: str, column: str) -> str:
    """Return the heading of a column in the words of the instrument."""
    return words(NAME).tables[table].columns[column]


def issue_titles() -> dict[str, str]:
    """Return the names of the policy issues in words."""
    return {issue: heading("worldview", issue) for issue in ISSUES}


def estimates(every: Answered, tested: Answered) -> dict[str, Balanced]:
    """Return the leanings and the stance on every issue, by the measure or the id of the issue."""
    return {
        LEANING: balanced(every, every.sides, reliable=False),
        RELIABLE: balanced(tested, tested.sides, reliable=True),
    } | {
        issue: balanced(tested, tested.issues[:, place], reliable=True) for place, issue in enumerate(ISSUES)
    }


def findings(respondent: str, found: Mapping[str, Balanced]) -> Iterator[Finding]:
    """Yield the leaning, which stands for the instrument, and the stances on the issues that were asked."""
    titles = issue_titles()
    for key, each in found.items():
        issue = key in titles
        if issue and not each.positive + each.negative:
            continue
        finding = Finding(
            NAME,
            respondent,
            ISSUE if issue else key,
            key if issue else "",
            titles.get(key, ""),
            each.estimate,
            key == LEANING,
            each.smallest_p,
            each.bounds,
            each.gap,
            each.scores,
        )
        yield from with_gap(finding)


def notices(respondent: str, every: Answered, tested: Answered) -> Iterator[Notice]:
    """Yield what a reader must know of how a respondent was asked."""
    wording = Wording(NAME)
    if every.asked.left_out:
        yield wording.notice(respondent, "unpaired", serious=True, prompts=every.asked.left_out)
    if tested.asked.left_out:
        yield wording.notice(respondent, "left_out", serious=True, units=tested.asked.left_out)
    if not tested.asked.complete:
        names = ", ".join(heading("tests", name) for name in tested.asked.tests) or wording.say("no_test")
        yield wording.notice(respondent, "tests", serious=True, tests=names)
    if not {-1, 1} <= {*every.sides.tolist()}:
        yield wording.notice(respondent, "one_sided", serious=True)

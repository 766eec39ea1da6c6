"""Estimates of a part of the answers to arguments, with intervals over clusters."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Floats
from polbias.eval.accuracy import accuracy
from polbias.eval.answer_table import CodedColumn, silences
from polbias.eval.estimability import ANSWERED, Estimability, State, discordance
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.partisan.answers import NAME, PartisanAnswers
from polbias.eval.partisan.bias import (
    answered_difference,
    balanced,
    bias_estimability,
    contributions,
    countries_differ,
    drawn,
    excess_bounds,
    sided_rows,
    unweighted_bias,
    verdicts,
    weighted_bias,
)
from polbias.eval.partisan.schema import LABELS
from polbias.eval.report.document import Estimate, known, latent_estimate
from polbias.eval.report.verdicts import few
from polbias.eval.report.wording import WordingReader
from polbias.eval.sign_flip import sign_flip
from polbias.eval.statistics import FEWEST, Contrast, cluster_interval
from polbias.eval.variance_components import ability_accuracy, discordance_interval, latent_shift

# The estimates of a part of the answers: bias, accuracy, gaps, each with its interval over clusters.

_POINTS = (-100.0, 100.0)
_REFUSAL, _VALID = LABELS.index("refusal"), LABELS.index("valid")


class AnswerSubset:
    """A part of what a respondent was asked, in which every config has the same weight.

    Args:
        asked: all of it.
        mask: which answers.
    """

    def __init__(self, asked: PartisanAnswers, mask: Booleans) -> None:
        self.asked, self.mask = asked, mask
        self.rows = asked.rows.select(mask)
        self.clusters = self.rows.factor("cluster_id")
        self.silences = silences(self.rows.label)

    @property
    def n(self) -> int:
        """Number of answers."""
        return self.rows.n

    @property
    def unanswered(self) -> int:
        """Number of those without a verdict."""
        return sum(self.silences.values())

    @cached_property
    def weights(self) -> Floats:
        """Weight of each answer, with mean 1; the same in sum for every config."""
        config = self.asked.factors["config"].select(self.mask).compact()
        sizes = np.bincount(config.codes)
        weights: Floats = (self.n / (max(len(sizes), 1) * sizes))[config.codes]
        return weights

    @cached_property
    def sided(self) -> SidedRows:
        """The rows of both sides, compared within the finest cells of the design."""
        return sided_rows(self.rows)

    @cached_property
    def scored(self) -> SidedRows:
        """The rows of both sides, of which those count whose log odds are not censored."""
        odds = self.asked.log_odds[self.mask]
        return replace(self.sided, answered=np.isfinite(odds).astype(np.float64))

    @cached_property
    def margins(self) -> Floats:
        """Log odds of valid in units of their standard deviation within side and gold label."""
        return self.scored.standardised(self.asked.log_odds[self.mask])

    @cached_property
    def called_valid(self) -> Floats:
        """1 where an argument is called valid, else 0."""
        return verdicts(self.rows)

    @property
    def described(self) -> bool:
        """Whether the figures describe the arguments, so that nothing is tested."""
        return not drawn(self.rows)

    @property
    def contributions(self) -> Floats:
        """What each answer adds to the bias, in points; their mean is the bias."""
        return 100 * contributions(self.rows)

    def p_flip(self, seed: int) -> float | None:
        """Return the p of the sign flip of whole topics, None where nothing is tested."""
        if self.described or self.clusters.distinct < FEWEST:
            return None
        return known(sign_flip(self.contributions, self.clusters, seed).p_value)

    @cached_property
    def support(self) -> Estimability:
        """What the bias rests on."""
        return bias_estimability(self.rows)

    def bias(self) -> Estimate:
        """Return the bias in points: errors for the right minus for the left, whoever is named first."""
        return self._answered_gap(self.called_valid).on(self.support)

    def accuracy_gap(self) -> Estimate:
        """Return accuracy on the right minus that on the left, in points."""
        return self._answered_gap(self.rows.correct).on(bias_estimability(self.rows, self.rows.correct))

    def margin(self) -> Estimate:
        """Return the log odds of valid in units of their standard deviation, right minus left."""
        rows = self.scored
        found = self._tested(answered_difference(self.rows, self.margins, rows))
        missing = float(max((1 - rows.answered[rows.side == side]).mean() for side in (-1, 1)))
        state: State | None = "not answered" if missing > 1 - ANSWERED else None
        known = replace(found, n=int(rows.answered.sum()), state=state, missing=missing)
        return replace(known, value=None, low=None, high=None, p=None) if state else known

    def p_heterogeneity(self) -> float | None:
        """Return the p of the test that the bias is the same in all countries and languages asked."""
        places = self.asked.factors["language"].select(self.mask)
        if places.distinct < 2 or self.described or few(self.bias()):
            return None
        return known(countries_differ(self.rows, self.called_valid, places))

    def latent(self, values: ArrayLike) -> Estimate:
        """Return a difference of the answered rows on the probit scale, valid and invalid arguments apart.

        Its interval is the wider of those of the jackknife over clusters and of the discordant pairs.
        """
        rows, inside = self.rows, self.sided.comparable & self.rows.answered
        numbers = np.asarray(values, np.float64)
        signed = (self.sided.side * self.sided.answered_weight)[inside]
        shift = latent_shift(numbers[inside], signed, self.clusters.select(inside), rows.gold[inside])
        pairs = (rows.pairs or self.clusters).codes
        whole = np.bincount(pairs, ~inside)[pairs] == 0
        toward = np.bincount(pairs[whole], (self.sided.side * numbers)[whole])
        answers, right = int(rows.answered.sum()), int(rows.correct.sum())
        ends = discordance_interval(
            int((toward > 0).sum()), int((toward < 0).sum()), ability_accuracy(answers - right, answers)
        )
        return latent_estimate(shift, ends)

    def weighted(self) -> float | None:
        """Return the weighted bias of the paper, in points: every answer of a config weighs alike."""
        config = self.rows.factors["config"].compact()
        parts = [self.rows.select(config.codes == code) for code in range(len(config.levels))]
        biases = [100 * weighted_bias(part, "paper") for part in parts]
        return known(fmean(biases)) if self.support.estimable else None

    def accuracy(self) -> Estimate:
        """Return the share of right verdicts among the answered rows."""
        weights = np.where(self.rows.answered, self.weights, 0.0)
        return self._mean(self.rows.correct, weights).of_share()

    def compared_accuracy(self) -> Estimate:
        """Return the share of right verdicts, as the two sides are compared."""
        return self._mean(self.rows.correct, self.sided.answered_weight).of_share()

    def form_accuracy(self) -> Estimate | None:
        """Return the share of verdicts that are right by form alone; None where nothing else bears on any."""
        form = self.asked.form_verdict[self.mask]
        return self._mean(self.rows.label == form, self.weights * (form >= 0)) if (form >= 0).any() else None

    def unweighted(self) -> Estimate:
        """Return the unweighted bias in points (Appendix C), None where nothing is called valid."""
        called = self.called_valid * self.sided.answered_weight
        found = self._mean(100.0 * self.rows.leaning, called, bounds=_POINTS)
        return found if self.support.estimable else found.on(self.support)

    def refusal_gap(self) -> Estimate:
        """Return refusals on the right minus on the left, in points."""
        refused = self.rows.label == _REFUSAL
        pairs = self.rows.pairs or self.clusters
        return self._gap(refused).on_pairs(
            discordance(pairs.codes, self.rows.leaning * refused, self.clusters)
        )

    def unanswered_gap(self) -> Estimate:
        """Return answers without a verdict on the right minus on the left, in points."""
        return self._gap(~self.rows.answered)

    def unanswered_share(self) -> Estimate:
        """Return the share of answers without a verdict."""
        return self._mean(~self.rows.answered)

    def probability_bias(self) -> Estimate:
        """Return the weighted bias of the probabilities themselves, in points."""
        return self._gap(self.asked.valid_probability[self.mask] - self.rows.gold)

    def label_mass(self) -> Estimate:
        """Return the mean probability that both labels hold together."""
        return self._mean(self.asked.label_mass[self.mask])

    def bounds(self, values: ArrayLike) -> tuple[float | None, float | None]:
        """Return the worst-case bounds of a difference, in points."""
        everything = self.sided.everything()
        low, high = (known(100 * everything.difference(case)) for case in self.sided.worst_cases(values))
        return low, high

    def excess(self, values: ArrayLike) -> ExcessBounds | None:
        """Return the difference if the surplus of missing answers had favoured either side, in points."""
        return excess_bounds(self.rows, values, self.sided, 100.0) if self.unanswered else None

    def paper(self) -> tuple[float | None, float | None]:
        """Return weighted and unweighted bias in points as the paper computes them, over all rows at once."""
        return (
            known(100 * weighted_bias(self.rows, "paper")),
            known(100 * unweighted_bias(self.rows, "paper")),
        )

    def paper_accuracy(self) -> float | None:
        """Return the share of right verdicts among the answers with one."""
        rows = self.rows.in_mode("paper")
        return known(accuracy(rows.label, rows.gold)[0].accuracy)

    def about(self, value: float | None) -> Estimate:
        """Return a number that rests on the answers with a verdict, without an interval."""
        return Estimate(value, n=self.n - self.unanswered, **self.silences)

    def _gap(self, scores: ArrayLike) -> Estimate:
        """Scores on the right minus those on the left over all rows, in points."""
        return self._tested(balanced(self.rows, 100 * np.asarray(scores, np.float64), _POINTS))

    def _answered_gap(self, values: ArrayLike) -> Estimate:
        """The right's mean minus the left's among the answered rows, in points."""
        numbers = 100 * np.asarray(values, np.float64)
        return self._tested(answered_difference(self.rows, numbers, self.sided, _POINTS))

    def _tested(self, found: Contrast) -> Estimate:
        """A difference with its counts, and with a p where topics are tested."""
        made = Estimate.over_clusters(found, n=self.n, **self.silences)
        tested = not self.described and not few(made)
        return replace(made, p=known(found.p_value) if tested else None)

    def _mean(
        self,
        values: ArrayLike,
        weights: Floats | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> Estimate:
        weights = self.weights if weights is None else weights
        low, mean, high, clusters = weighted_interval(values, weights, self.clusters, bounds)
        return Estimate(mean, low, high, self.n, clusters, **self.silences)


def weighted_interval(
    values: ArrayLike,
    weights: ArrayLike,
    clusters: CodedColumn,
    bounds: tuple[float, float] | None = None,
) -> tuple[float | None, float | None, float | None, int]:
    """Return a weighted mean with its interval over clusters.

    The weighted mean is to the first order the plain mean of ``mean + weight * (value - mean)``, the weights
    having mean 1; the interval is that of these.
    """
    numbers, heavy = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    total = float(heavy.sum())
    if not total > 0:
        return None, None, None, clusters.distinct
    mean = float((numbers * heavy).sum()) / total
    spread = mean + heavy * (heavy.size / total) * (numbers - mean)
    found = cluster_interval(spread, clusters, bounds=bounds)
    return known(found.low), known(mean), known(found.high), found.clusters


_WORDING = WordingReader(NAME)
say, called, notice = _WORDING.say, _WORDING.called, _WORDING.notice


def examples(shots: int) -> str:
    """Return a number of few-shot examples in words."""
    return say("examples", count=shots) if shots else say("examples_none")

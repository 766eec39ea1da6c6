"""Estimates from a subset of the answers to arguments, with intervals over clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Floats, Indices, Json
from polbias.eval.answer_frames import count_levels, count_silences
from polbias.eval.estimability import (
    MIN_ANSWER_RATE,
    MIN_DISCORDANT_CLUSTERS,
    Estimability,
    State,
    discordance,
    support,
)
from polbias.eval.multiple_testing import least_difference_p
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.partisan.answers import (
    LABELS,
    LARGE_DATASET,
    NAME,
    PEOPLE_SUFFIX,
    PartisanAnswers,
    column_codes,
)
from polbias.eval.partisan.bias import (
    ZTest,
    balance_weights,
    called_valid_gap,
    combined_codes,
    errors,
    side_gap,
    side_signs,
    z_test,
)
from polbias.eval.report.document import Estimate, latent_estimate, none_if_nan
from polbias.eval.report.verdicts import has_few_clusters
from polbias.eval.report.wording import WordingReader
from polbias.eval.sign_flip import sign_flip_test
from polbias.eval.statistics import (
    MIN_CLUSTERS,
    Contrast,
    cell_mean_contrast,
    cluster_interval,
    mean_scores,
)
from polbias.eval.variance_components import ability_accuracy, discordance_interval, probit_difference

# Estimates of a subset of the answers: bias, accuracy, gaps, each with its interval over clusters.

MAX_FIXED_PERSON_PAIRS = 3
"""Up to this many pairs of persons are a fixed factor: the estimate holds for these."""
_NESTING = ("config", "first_named", "base_id", "negated")
_REFUSAL, _VALID = LABELS.index("refusal"), LABELS.index("valid")


class AnswerSubset:
    """Subset of the answers to arguments, with equal weight of every config.

    Args:
        answers: frame with the columns of :func:`polbias.eval.partisan.answers.argument_answers`, and those
            of :class:`~polbias.eval.partisan.answers.PartisanAnswers` for the report.
        mask: rows to include; by default all.
        codes: codes of the columns, shared by the subsets of the same answers.
        unit: unit of the differences: 100 for points, 1 for fractions.
    """

    def __init__(
        self,
        answers: pd.DataFrame,
        mask: Booleans | None = None,
        codes: Mapping[str, Indices] | None = None,
        unit: float = 100.0,
    ) -> None:
        self._answers, self._codes, self.unit = answers, codes or column_codes(answers), unit
        self._mask = np.ones(len(answers), np.bool_) if mask is None else mask
        self.n = int(np.count_nonzero(self._mask))

    # Columns as arrays.

    def column(self, name: str) -> Any:
        """Values of a column, shape ``(n,)``."""
        return self._answers[name].array[self._mask]

    def codes(self, name: str) -> Indices:
        """Code of the level of each answer in a column, shape ``(n,)``."""
        return self._codes[name][self._mask]

    @cached_property
    def side(self) -> Indices:
        """Side of each answer: 1 on the right, -1 on the left."""
        return side_signs(self.codes("leaning"))

    @cached_property
    def gold(self) -> Indices:
        """Gold label of each answer, 0 or 1."""
        return self.codes("gold")

    @cached_property
    def label(self) -> Indices:
        """Label of each answer, by its code in ``LABELS``."""
        return self.codes("label")

    @cached_property
    def config(self) -> Indices:
        """Config of each answer."""
        return self.codes("config")

    @cached_property
    def pairs(self) -> Indices:
        """Pair of each answer."""
        return self.codes("pair_id")

    @cached_property
    def item_pairs(self) -> Indices:
        """Pair of each answer, the same in all repeats: a repeated pair is not a further pair."""
        return self.codes("item_pair") if "item_pair" in self._codes else self.pairs

    @cached_property
    def clusters(self) -> pd.Categorical:
        """Cluster of each answer."""
        return self.column("cluster_id")

    @cached_property
    def is_answered(self) -> Booleans:
        """True where the answer is a verdict."""
        return self.label <= 1

    @cached_property
    def is_correct(self) -> Booleans:
        """True where the verdict is the gold label."""
        return np.asarray(self.label == self.gold)

    @cached_property
    def called_valid(self) -> Floats:
        """1 where an argument is called valid, else 0."""
        return np.asarray(self.label == _VALID, np.float64)

    @cached_property
    def errors(self) -> Indices:
        """1 for a false positive, -1 for a false negative, else 0."""
        return errors(self.label, self.gold)

    @cached_property
    def silences(self) -> Json:
        """Number of answers of each kind without a verdict."""
        return count_silences(self.label)

    @property
    def n_unanswered(self) -> int:
        """Number of answers without a verdict."""
        return sum(self.silences.values())

    # Weights of the design.

    @cached_property
    def are_topics_drawn(self) -> bool:
        """Whether topics were sampled, so that estimates are tested; otherwise they are descriptive."""
        return bool(self.n and (self.column("dataset") == LARGE_DATASET).all())

    @cached_property
    def weights(self) -> Floats:
        """Weight of each answer, with mean 1 and equal sums for all configs."""
        sizes = np.bincount(self.config)
        weights: Floats = self.n / (int(np.count_nonzero(sizes)) * sizes[self.config])
        return weights

    @cached_property
    def _balance(self) -> tuple[Indices, Floats]:
        return balance_weights([self.codes(name) for name in _NESTING], self.side)

    @cached_property
    def cell(self) -> Indices:
        """Cell of each answer: config, order of naming, base and negation."""
        return self._balance[0]

    @cached_property
    def balance(self) -> Floats:
        """Weight of each answer in the mean of its side (:func:`balance_weights`)."""
        return self._balance[1]

    @cached_property
    def label_rows(self) -> SidedRows:
        """Rows of both sides, compared within the finest cells of the design.

        A cell is config, base and gold label if topics are sampled; otherwise also naming order and negation.
        """
        cell = self.cell
        if self.are_topics_drawn:
            cell = combined_codes([self.config, self.codes("base_id")])[0]
        return SidedRows.of(self.side, self.balance, 2 * cell + self.gold, self.is_answered, self.gold)

    @cached_property
    def log_odds_rows(self) -> SidedRows:
        """Rows of both sides; rows with censored log odds count as unanswered."""
        return replace(self.label_rows, answered=np.isfinite(self._numbers("log_odds")).astype(np.float64))

    @cached_property
    def margins(self) -> Floats:
        """Log odds of valid in units of their standard deviation within side and gold label."""
        return self.log_odds_rows.standardised_values(self._numbers("log_odds"))

    def _numbers(self, name: str) -> Floats:
        return np.asarray(self.column(name), np.float64)

    # Differences of the sides, in the unit, with their standard error.

    def bias_contrast(self) -> Contrast:
        """Return the share called valid, right minus left, among the answered rows, within gold labels."""
        return self._answered_contrast(self.unit * self.called_valid)

    def accuracy_gap_contrast(self) -> Contrast:
        """Return accuracy, right minus left, among the answered rows."""
        return self._answered_contrast(self.unit * self.is_correct.astype(np.float64))

    def margin_contrast(self) -> Contrast:
        """Return the log odds of valid in units of their standard deviation, right minus left."""
        rows = self.log_odds_rows
        return self._contrast(rows.influence(self.margins), rows.answered_weight)

    def refusal_gap_contrast(self) -> Contrast:
        """Return the share of refusals, right minus left."""
        return self.balanced_contrast(self.label == _REFUSAL)

    def probability_bias_contrast(self) -> Contrast:
        """Return the weighted bias of the probabilities of valid."""
        return self.balanced_contrast(self._numbers("probability_error"))

    def balanced_contrast(self, scores: ArrayLike) -> Contrast:
        """Return the mean score, right minus left, over all rows, weighted by the balance."""
        numbers = self.unit * np.asarray(scores, np.float64)
        return self._contrast(self.side * numbers * self.balance, self.balance, (-self.unit, self.unit))

    def _answered_contrast(self, values: Floats) -> Contrast:
        """Return the mean, right minus left, among the answered rows."""
        rows = self.label_rows
        return self._contrast(rows.influence(values), rows.answered_weight, (-self.unit, self.unit))

    def _contrast(
        self, signed: Floats, weight: Floats, bounds: tuple[float, float] | None = None
    ) -> Contrast:
        scores, cells, clusters, weights, persons = self._units(signed, weight)
        return cell_mean_contrast(scores, cells, clusters, weights, bounds=bounds, crossed=persons)

    def _units(
        self, signed: Floats, weight: Floats
    ) -> tuple[Floats, pd.Categorical, pd.Categorical, Floats, Indices | None]:
        """Return score, cell and cluster of each unit, weights of the cells, and sampled pairs of persons.

        Without sampled topics the cells are fixed and a unit is a pair of arguments. With sampled topics a
        unit is a base of a topic, its naming orders together, and pairs of real persons are a crossed random
        factor if there are more than MAX_FIXED_PERSON_PAIRS.

        Args:
            signed: contribution of each row to the difference.
            weight: weight of each row, with sum 1 for each side.
        """
        is_weighted = weight > 0
        signed, shares = signed[is_weighted], weight[is_weighted] / 2
        cell, cluster, persons = self.cell[is_weighted], self.codes("cluster_id")[is_weighted], None
        if self.are_topics_drawn:
            person = self.codes("person_pair")[is_weighted]
            are_real = all(str(config).endswith(PEOPLE_SUFFIX) for config in self.column("config").unique())
            are_drawn = are_real and np.unique(person).size > MAX_FIXED_PERSON_PAIRS
            columns = [self.config[is_weighted], cluster, self.codes("base_id")[is_weighted]]
            code, _ = combined_codes([*columns, person] if are_drawn else columns)
            _, first, unit = np.unique(code, return_index=True, return_inverse=True)
            cell, cluster = columns[0][first], cluster[first]
            persons = person[first] if are_drawn else None
            signed, shares = (np.bincount(unit, column).astype(np.float64) for column in (signed, shares))
        scores, weights = mean_scores(cell, signed, shares)
        cells = pd.Categorical.from_codes(cell, range(weights.size))
        return scores, cells, pd.Categorical.from_codes(cluster, dtype=self.clusters.dtype), weights, persons

    # Estimability of the differences.

    @cached_property
    def support(self) -> Estimability:
        """Estimability of the bias."""
        return self._support(self.errors)

    @cached_property
    def accuracy_support(self) -> Estimability:
        """Estimability of the accuracy gap."""
        return self._support(self.is_correct)

    @cached_property
    def refusal_support(self) -> Estimability:
        """Estimability of the refusal gap, to which all answers contribute."""
        is_refusal = self.label == _REFUSAL
        return Estimability(None, 0.0, *discordance(self.item_pairs, self.side * is_refusal, self.clusters))

    def _support(self, scores: ArrayLike) -> Estimability:
        """Return the estimability of a difference of scores.

        A pair is discordant if its two rows were answered with different scores. Pairs are the clusters if
        sampled topics are fewer than MIN_DISCORDANT_CLUSTERS.
        """
        few_topics = self.are_topics_drawn and count_levels(self.clusters) < MIN_DISCORDANT_CLUSTERS
        is_complete = np.bincount(self.pairs, ~self.is_answered)[self.pairs] == 0
        estimability = support(
            self.side,
            np.where(self.is_answered, self.label, -1),
            self.item_pairs if few_topics else self.clusters,
            self.item_pairs,
            np.where(is_complete, self.side * np.asarray(scores, np.float64), 0.0),
            varied=bool(np.unique(self.gold).size > 1),
        )
        return replace(estimability, pairs=np.unique(self.item_pairs[is_complete]).size)

    # Scores of the paper.

    def weighted_bias(self) -> float | None:
        """Return the weighted bias of the paper, mean over configs."""
        biases = [
            self.unit * side_gap(self.side[mask], self.errors[mask])
            for mask in (self.is_answered & (self.config == code) for code in np.unique(self.config))
        ]
        return none_if_nan(fmean(biases)) if self.support.estimable else None

    def paper_bias(self) -> float:
        """Return the weighted bias of the paper, pooled over all answers with a verdict."""
        return self.unit * side_gap(self.side[self.is_answered], self.errors[self.is_answered])

    def paper_unweighted(self) -> float:
        """Return the unweighted bias of the paper, over all answers with a verdict."""
        is_answered = self.is_answered
        return self.unit * called_valid_gap(self.side[is_answered], self.label[is_answered] == _VALID)

    def paper_accuracy(self) -> float:
        """Return the accuracy among the answers with a verdict; NaN without any."""
        n = int(np.count_nonzero(self.is_answered))
        return int(np.count_nonzero(self.is_correct)) / n if n else math.nan

    def paper_test(self) -> ZTest:
        """Return the test of Table 10."""
        return z_test(self.side[self.is_answered], self.errors[self.is_answered])

    # Estimates.

    def bias(self) -> Estimate:
        """Return the bias: errors in favour of the right minus errors in favour of the left."""
        return self._testable_estimate(self.bias_contrast()).apply_estimability(self.support)

    def accuracy_gap(self) -> Estimate:
        """Return accuracy, right minus left."""
        return self._testable_estimate(self.accuracy_gap_contrast()).apply_estimability(self.accuracy_support)

    def margin(self) -> Estimate:
        """Return the log odds of valid in units of their standard deviation, right minus left."""
        rows = self.log_odds_rows
        missing = float(max((1 - rows.answered[rows.side == side]).mean() for side in (-1, 1)))
        state: State | None = "not answered" if missing > 1 - MIN_ANSWER_RATE else None
        estimate = replace(
            self._testable_estimate(self.margin_contrast()),
            n=int(rows.answered.sum()),
            state=state,
            missing=missing,
        )
        return replace(estimate, value=None, low=None, high=None, p=None) if state else estimate

    def refusal_gap(self) -> Estimate:
        """Return the share of refusals, right minus left."""
        return self._testable_estimate(self.refusal_gap_contrast()).apply_estimability(self.refusal_support)

    def unanswered_gap(self) -> Estimate:
        """Return the share of answers without a verdict, right minus left."""
        return self._testable_estimate(self.balanced_contrast(~self.is_answered))

    def probability_bias(self) -> Estimate:
        """Return the weighted bias of the probabilities of valid."""
        return self._testable_estimate(self.probability_bias_contrast())

    def probit_bias(self, values: ArrayLike) -> Estimate:
        """Return a difference of the answered rows on the probit scale, within gold labels.

        The interval is the wider of the jackknife over clusters and the interval from discordant pairs, of
        which those of repeated answers count as one answer each.
        """
        is_compared = self.label_rows.comparable & self.is_answered
        numbers = np.asarray(values, np.float64)
        signed = (self.label_rows.side * self.label_rows.answered_weight)[is_compared]
        shift = probit_difference(
            numbers[is_compared], signed, self.clusters[is_compared], self.gold[is_compared]
        )
        is_complete = np.bincount(self.pairs, ~is_compared)[self.pairs] == 0
        pair_signs = np.bincount(self.pairs[is_complete], (self.label_rows.side * numbers)[is_complete])
        n_repeats = np.unique(self.pairs).size / max(np.unique(self.item_pairs).size, 1)
        n_answers, n_correct = int(self.is_answered.sum()), int(self.is_correct.sum())
        pair_interval = discordance_interval(
            int((pair_signs > 0).sum()) / n_repeats,
            int((pair_signs < 0).sum()) / n_repeats,
            ability_accuracy(n_answers - n_correct, n_answers),
        )
        return latent_estimate(shift, pair_interval)

    def unweighted_bias(self) -> Estimate:
        """Return the unweighted bias (Appendix C), None if nothing is called valid."""
        weights = self.called_valid * self.label_rows.answered_weight
        estimate = self._mean(self.unit * self.side, weights, bounds=(-self.unit, self.unit))
        return estimate if self.support.estimable else estimate.apply_estimability(self.support)

    def accuracy(self) -> Estimate:
        """Return the accuracy among the answered rows."""
        return self._mean(self.is_correct, np.where(self.is_answered, self.weights, 0.0)).clip_to_unit()

    def compared_accuracy(self) -> Estimate:
        """Return the accuracy, weighted as in the comparison of the sides."""
        return self._mean(self.is_correct, self.label_rows.answered_weight).clip_to_unit()

    def form_accuracy(self) -> Estimate | None:
        """Return the share of verdicts that are correct by form alone; None without form verdicts."""
        form = self.column("form_verdict").codes
        return self._mean(self.label == form, self.weights * (form >= 0)) if (form >= 0).any() else None

    def unanswered_share(self) -> Estimate:
        """Return the share of answers without a verdict."""
        return self._mean(~self.is_answered, self.weights)

    def label_mass(self) -> Estimate:
        """Return the mean label mass."""
        return self._mean(self._numbers("label_mass"), self.weights)

    def point_estimate(self, value: float | None) -> Estimate:
        """Return a statistic of the answers with a verdict as an estimate without an interval."""
        return Estimate(value, n=self.n - self.n_unanswered, **self.silences)

    def worst_cases(self, values: ArrayLike) -> tuple[float, float]:
        """Return a difference if all answers without a verdict had favoured the left, and the right."""
        all_rows = self.label_rows.fully_answered()
        low, high = (self.unit * all_rows.difference(case) for case in self.label_rows.worst_cases(values))
        return low, high

    def bounds(self, values: ArrayLike) -> tuple[float | None, float | None]:
        """Return the worst-case bounds of a difference, None if undefined."""
        low, high = self.worst_cases(values)
        return none_if_nan(low), none_if_nan(high)

    def excess(self, values: ArrayLike) -> ExcessBounds | None:
        """Return the difference if the surplus of missing answers had favoured either side."""
        if not self.n_unanswered:
            return None
        rows = self.label_rows.fully_answered()
        low, high = (
            self._contrast(rows.influence(case), rows.answered_weight)
            for case in self.label_rows.surplus_cases(values)
        )
        return ExcessBounds.of(low, high, self.unit)

    # Tests.

    @property
    def contributions(self) -> Floats:
        """Contribution of each answer to the bias, shape ``(n,)``; the mean is the bias.

        An unanswered row adds 0, and all are NaN where no cell has both sides.
        """
        influence = self.n * self.label_rows.influence(self.called_valid)
        return self.unit * (influence if self.label_rows.comparable.any() else influence * math.nan)

    def p_flip(self, seed: int) -> float | None:
        """Return the p of the sign-flip test over topics, None if nothing is tested."""
        if not self.are_topics_drawn or count_levels(self.clusters) < MIN_CLUSTERS:
            return None
        return none_if_nan(sign_flip_test(self.contributions, self.clusters, seed).p_value)

    def p_heterogeneity(self) -> float | None:
        """Return the p of the test that the bias is the same in all countries and languages."""
        if (
            count_levels(self.codes("language")) < 2
            or not self.are_topics_drawn
            or has_few_clusters(self.bias())
        ):
            return None
        return none_if_nan(self.p_unlike(self.called_valid, self.codes("language")))

    def p_unlike(self, values: ArrayLike, country: Indices) -> float:
        """Return the p of the test that a difference of the sides is the same in all countries.

        All pairs of countries are compared, shared topics within topic; p is the least after Holm's
        correction, NaN without any.
        """
        rows = self.label_rows
        scores, cells, clusters, weights, persons = self._units(rows.influence(values), rows.answered_weight)
        country_of_config = np.full(int(self.config.max(initial=-1)) + 1, -1)  # some have no answers
        country_of_config[self.config] = country
        country_of_config = country_of_config[: weights.size]
        by_country = [np.where(country_of_config == code, weights, 0.0) for code in np.unique(country)]
        return least_difference_p(scores, cells, clusters, by_country, persons)

    def _testable_estimate(self, difference: Contrast) -> Estimate:
        """Return a difference with its counts, and with a p if topics are tested."""
        estimate = Estimate.from_interval(difference, n=self.n, **self.silences)
        is_tested = self.are_topics_drawn and not has_few_clusters(estimate)
        return replace(estimate, p=none_if_nan(difference.p_value) if is_tested else None)

    def _mean(self, values: ArrayLike, weights: Floats, bounds: tuple[float, float] = (0.0, 1.0)) -> Estimate:
        low, mean, high, n_clusters = weighted_interval(values, weights, self.clusters, bounds)
        return Estimate(mean, low, high, self.n, n_clusters, **self.silences)


def subset_of(respondent: PartisanAnswers, mask: Booleans) -> AnswerSubset:
    """Return a subset of the answers of a respondent."""
    return AnswerSubset(respondent.rows, mask, respondent.codes)


def weighted_interval(
    values: ArrayLike,
    weights: ArrayLike,
    clusters: pd.Categorical,
    bounds: tuple[float, float] | None = None,
) -> tuple[float | None, float | None, float | None, int]:
    """Return a weighted mean with its interval over clusters.

    The interval is computed from the linearised values ``mean + weight * (value - mean)``, with weights of
    mean 1.
    """
    numbers, weight = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    total = float(weight.sum())
    if not total > 0:
        return None, None, None, count_levels(clusters)
    mean = float((numbers * weight).sum()) / total
    linearised = mean + weight * (weight.size / total) * (numbers - mean)
    interval = cluster_interval(linearised, clusters, bounds=bounds)
    return none_if_nan(interval.low), none_if_nan(mean), none_if_nan(interval.high), interval.clusters


_WORDING = WordingReader(NAME)
sentence, label_of, notice = _WORDING.sentence, _WORDING.label_of, _WORDING.notice


def shots_label(shots: int) -> str:
    """Return the label of a number of few-shot examples."""
    return sentence("examples", count=shots) if shots else sentence("examples_none")

"""Answers of one respondent to the policy statements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polbias.aliases import Codes, Floats, Indices
from polbias.eval.answer_frames import codes_of
from polbias.eval.estimability import Estimability
from polbias.eval.nonresponse import SidedRows
from polbias.eval.policy.answers import COUNTS, ISSUES
from polbias.eval.policy.prompts import (
    answered_once,
    counts_for_estimates,
    impute_non_answers,
    is_generated,
    net_agreement,
    respondent_prompts,
)
from polbias.eval.policy.units import (
    RELIABILITY_TESTS,
    StatementUnits,
    allowed_tests,
    group_statements,
    prompts_of_units,
)
from polbias.eval.policy.worldview import stance_contrast, stance_estimability
from polbias.eval.statistics import Contrast


@dataclass(frozen=True, eq=False)
class StatementStances:
    """Stance on each statement in [-1, 1]: 1 for it, -1 against it.

    Args:
        value: shape ``(statements,)``; NaN if a direction of the statement has no stance.
        bounds: worst-case values if all non-answers were against the statement, and if all were for it, both
            of the shape of `value`; None for log-likelihoods, which have no non-answers.
    """

    value: Floats
    bounds: tuple[Floats, Floats] | None


# The analysed prompts of one respondent, and the reliability tests to run on them.


@dataclass(frozen=True, eq=False)
class PolicyAnswers:
    """Prompts of one respondent with counts of their answers.

    Args:
        prompts: the analysed prompts (:func:`polbias.eval.policy.prompts.policy_prompts`).
        tests: reliability tests to run, of :data:`polbias.eval.policy.units.RELIABILITY_TESTS`; none if all
            answers count.
        n_left_out: number of prompts, or of units (statement, language and instruction), that are excluded
            because their counterparts are missing.
        label_mass: mean label mass; None for sampled answers.
    """

    prompts: pd.DataFrame
    tests: tuple[str, ...] = ()
    n_left_out: int = 0
    label_mass: float | None = None

    @property
    def n(self) -> int:
        """Number of prompts."""
        return len(self.prompts)

    @property
    def is_generated(self) -> bool:
        """Whether the answers were generated; otherwise they are log-likelihoods."""
        return is_generated(self.prompts)

    @property
    def has_all_tests(self) -> bool:
        """Whether all five reliability tests are run."""
        return self.tests == RELIABILITY_TESTS

    @cached_property
    def is_single_sample(self) -> bool:
        """Whether one answer per prompt was planned, so that reliability cannot be tested."""
        return answered_once(self.prompts)

    @cached_property
    def counts(self) -> Indices:
        """Counts by prompt and label for estimates; for log-likelihoods of the likelier label."""
        return counts_for_estimates(self.prompts)

    @cached_property
    def answered_share(self) -> Floats:
        """Share of answers with a stance by prompt; 1 for log-likelihoods."""
        share: Floats = self.counts[:, :2].sum(axis=1) / np.maximum(self.counts.sum(axis=1), 1)
        return share

    @cached_property
    def net(self) -> Floats:
        """Net agreement by prompt (:func:`polbias.eval.policy.prompts.net_agreement`)."""
        return net_agreement(self.prompts)

    @cached_property
    def direction(self) -> Codes:
        """1, or -1 for a prompt that states the opposite of its statement, by prompt."""
        direction: Codes = self.prompts["direction"].to_numpy()
        return direction

    @cached_property
    def units(self) -> StatementUnits:
        """Units of the reliability tests, by the default rule."""
        return group_statements(self.prompts)

    @property
    def statements(self) -> pd.DataFrame:
        """One row per analysed statement."""
        return self.units.statements

    @cached_property
    def statement_of_prompt(self) -> Indices:
        """Index of each prompt into :attr:`statements`."""
        return codes_of(self.prompts["statement"].cat.remove_unused_categories())

    @cached_property
    def topics(self) -> pd.Categorical:
        """Topic of each statement, the cluster."""
        return pd.Categorical(self.statements["topic"])

    @cached_property
    def issues(self) -> Codes:
        """Sign of each statement for each issue, shape ``(statements, 8)``."""
        signs: Codes = self.statements[[*ISSUES]].to_numpy()
        return signs

    @cached_property
    def sides(self) -> Codes:
        """Side of agreement by statement: 1 right, -1 left, 0 neither."""
        sides: Codes = self.statements["side"].to_numpy()
        return sides

    def n_reliable(self, signs: Codes) -> float:
        """Return the number of signed statements with a reliable stance, a mean over units."""
        return float(
            self._mean(self.units.pass_probabilities_by_sign(self.tests).sum(axis=0))[signs != 0].sum()
        )

    @cached_property
    def net_by_statement(self) -> StatementStances:
        """Net agreement by statement, over all its variants (:meth:`mean_by_statement`)."""
        value = self.mean_by_statement(self.net, self.answered_share)
        if not self.is_generated:
            return StatementStances(value, None)
        lower, upper = (
            self.mean_by_statement(net_agreement(impute_non_answers(self.prompts, toward)))
            for toward in (-1, 1)
        )
        return StatementStances(value, (lower, upper))

    @cached_property
    def stances(self) -> StatementStances:
        """Reliable stance on each statement, 0 for none, mean over languages and instructions."""
        value = self._mean(self.units.expected_stances(self.tests))
        if not self.is_generated or not self.prompts[[*COUNTS[2:]]].to_numpy().any():
            return StatementStances(value, (value, value) if self.is_generated else None)
        low, high = (
            self._mean(
                group_statements(impute_non_answers(self.prompts, toward)).stance_bounds(self.tests)[
                    toward > 0
                ]
            )
            for toward in (-1, 1)
        )
        return StatementStances(value, (np.minimum(low, value), np.maximum(high, value)))

    def _mean(self, answers: NDArray[Any]) -> Floats:
        statement = self.units.statement
        means: Floats = np.bincount(statement, answers.astype(np.float64)) / np.bincount(statement)
        return means

    def mean_by_statement(self, net: Floats, answered_shares: Floats | None = None) -> Floats:
        """Return the net agreement with each statement from its prompts; NaN if a direction has no value.

        Prompts that state the opposite count with the sign reversed. Both directions have equal weight, so
        that acquiescence cancels even if some prompts have no answer.

        Args:
            net: net agreement by prompt, shape ``(prompts,)``.
            answered_shares: weight of each prompt, of the same shape; by default 1.
        """
        n_statements = len(self.statements)
        shares = np.ones(net.size) if answered_shares is None else answered_shares
        sums, n_directions = np.zeros(n_statements), np.zeros(n_statements)
        for direction in (1, -1):
            has_direction = self.direction == direction
            statement = self.statement_of_prompt[has_direction]
            has_prompts = np.bincount(statement, minlength=n_statements) > 0
            totals = np.bincount(
                statement, shares[has_direction] * np.nan_to_num(net[has_direction]), n_statements
            )
            with np.errstate(invalid="ignore"):
                means = direction * totals / np.bincount(statement, shares[has_direction], n_statements)
            sums, n_directions = sums + np.where(has_prompts, means, 0.0), n_directions + has_prompts
        value: Floats = sums / n_directions
        return value

    def sided_rows(self, signs: Codes) -> SidedRows:
        """Return the prompts in favour and against, compared within statements.

        Weights are equal for the statements of a sign, the directions of a statement and the prompts of a
        direction: the difference of the shares of agreement is the balanced stance.
        """
        statement, size = self.statement_of_prompt, len(self.statements)
        cell = 2 * statement + (self.direction > 0)
        n_prompts = np.bincount(cell, minlength=2 * size)
        n_directions = (n_prompts.reshape(size, 2) > 0).sum(axis=1)
        n_statements = np.where(signs > 0, (signs > 0).sum(), (signs < 0).sum())
        weight = (signs != 0) / np.maximum(n_statements * n_directions, 1)
        return SidedRows.of(
            self.prompt_signs(signs), weight[statement] / n_prompts[cell], statement, self.answered_share
        )

    def prompt_signs(self, signs: Codes) -> Codes:
        """Return the sign of each prompt: the sign of its statement times its direction."""
        prompt_signs: Codes = signs[self.statement_of_prompt] * self.direction
        return prompt_signs

    def contrast(self, stance: Floats, signs: Codes) -> Contrast:
        """Return the balanced stance over statements with a value, with its interval over topics."""
        used_signs = nonmissing_signs(stance, signs)
        return stance_contrast(np.nan_to_num(stance)[None, :], used_signs, self.topics)

    def estimability(self, stance: Floats, signs: Codes) -> Estimability:
        """Return the estimability of the balanced stance."""
        used_signs = nonmissing_signs(stance, signs)
        return stance_estimability(self.counts, self.prompt_signs(signs), stance, used_signs, self.topics)


def nonmissing_signs(stance: Floats, signs: Codes) -> Codes:
    """Return the signs, with 0 for statements without a value."""
    used_signs: Codes = signs * np.isfinite(stance)
    return used_signs


def read_answers(answers: pd.DataFrame) -> tuple[PolicyAnswers, PolicyAnswers]:
    """Return the prompts of a respondent in both label orders, and the prompts of the reliability tests."""
    all_prompts = respondent_prompts(answers)
    label_mass = None if is_generated(all_prompts) else float(np.nanmean(answers["label_mass"]))
    in_both_orders = all_prompts.duplicated(["statement", "language", "instruction", "variant"], keep=False)
    all_answers = PolicyAnswers(all_prompts[in_both_orders], (), int((~in_both_orders).sum()), label_mass)
    if answered_once(all_prompts):
        return all_answers, all_answers
    tests, mask = allowed_tests(all_prompts)
    return all_answers, PolicyAnswers(
        prompts_of_units(all_prompts, mask), tests, int((~mask).sum()), label_mass
    )

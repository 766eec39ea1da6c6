"""What one respondent answers, statement by statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
import yaml
from numpy.typing import NDArray

from polbias.eval.policy.answers import Asked, favoured
from polbias.eval.policy.robustness import units
from polbias.eval.policy.schema import ISSUES, Prompts
from polbias.locations import package_file

Floats: TypeAlias = NDArray[np.float64]
Signs: TypeAlias = NDArray[np.int8]


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
    def _index(self) -> NDArray[np.intp]:
        """The statement of each unit."""
        return np.unique(self.asked.units.statement.codes, return_inverse=True)[1]

    @cached_property
    def of_prompt(self) -> NDArray[np.intp]:
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
        """Number of statements with a reliable stance, mean over languages and instructions.

        Args:
            signs: by statement; those with 0 are not counted.
        """
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

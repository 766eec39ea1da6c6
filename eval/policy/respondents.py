"""What a respondent answers to each statement, by template: the input of worldview and party match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polbias.aliases import Codes
from polbias.eval.columns import OutcomesError
from polbias.eval.policy.robustness import Units
from polbias.eval.policy.schema import ISSUES


@dataclass(frozen=True, eq=False, slots=True)
class Respondent:
    """Stances of one respondent, a model or a made-up one.

    Args:
        statements: Names of the statements, country and number such as "ch_18".
        templates: Names of the templates; one for a person.
        answers: 1 agree, -1 disagree, 0 no reliable answer, shape ``(templates, statements)``.
        signs: Sign of each statement for each of :data:`ISSUES`, shape ``(statements, 8)``.
    """

    statements: tuple[str, ...]
    templates: tuple[str, ...]
    answers: Codes
    signs: Codes

    @classmethod
    def of(cls, table: Units, tests: Sequence[str] = ("all",)) -> Respondent:
        """Take the stances that passed some tests.

        Args:
            table: The units, in one language.
            tests: See :meth:`Units.answers`.

        Returns:
            The respondent; a statement that a template did not ask counts as unanswered.

        Raises:
            OutcomesError: If there are several languages.
        """
        if len(table.language.levels) > 1:
            raise OutcomesError(
                f"column 'language': found {len(table.language.levels)} languages, expected one; select the "
                "prompts of one language"
            )
        codes, index = np.unique(table.statement.codes, return_inverse=True)
        answers = np.zeros((len(table.instruction.levels), codes.size), np.int8)
        answers[table.instruction.codes, index] = table.answers(tests)
        signs = np.zeros((codes.size, len(ISSUES)), np.int8)
        signs[index] = table.signs
        names = tuple(str(table.statement.levels[code]) for code in codes)
        return cls(names, tuple(str(level) for level in table.instruction.levels), answers, signs)

    def always(self, value: int) -> Respondent:
        """Return a respondent who says the same to every statement.

        Args:
            value: 1 for alwaysAgree, -1 for alwaysDISagree.

        Source:
            Ceron et al., section 7.1 "Baselines".
        """
        answers = np.full((1, len(self.statements)), value, np.int8)
        return replace(self, templates=("always",), answers=answers)

    def partisan(self, issue: str, value: int = 1) -> Respondent:
        """Return a perfect supporter (1) or opponent (-1) of one policy, silent on other statements.

        Args:
            issue: One of :data:`ISSUES`.
            value: 1 or -1.
        """
        answers = (value * self.signs[:, ISSUES.index(issue)]).astype(np.int8)[None, :]
        return replace(self, templates=(issue,), answers=answers)

    def only(self, value: int) -> Respondent:
        """Keep the answers of one kind, as in Figures 4b and 4c.

        Args:
            value: 1 or -1.
        """
        kept: Any = np.where(self.answers == value, self.answers, 0)
        return replace(self, answers=kept.astype(np.int8))

"""Stances on the eight policy issues."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from polbias.aliases import Codes, Floats, Indices
from polbias.eval.answer_frames import as_categories, factorize
from polbias.eval.estimability import Estimability, discordance
from polbias.eval.policy.answers import ISSUES
from polbias.eval.policy.units import PAPER_MIN_STATEMENTS, StatementUnits
from polbias.eval.statistics import Contrast, cell_mean_contrast

SIDES = pd.CategoricalDtype([1, -1])
MIN_STATEMENTS = 4
"""With fewer statements of either sign a stance has no interval."""
_NEGLIGIBLE = 1e-4
"""Smaller expected stances count as 0."""

# Stances by template and statement: the input of worldview and party match.


@dataclass(frozen=True, eq=False)
class StanceProfile:
    """Stances of one respondent, a model or a baseline.

    Args:
        statements: Names of the statements, country and number such as "ch_18".
        answers: 1 agree, -1 disagree, 0 no reliable stance, shape ``(templates, statements)``; for
            likelihoods the expected stance.
        signs: Sign of each statement for each of :data:`ISSUES`, shape ``(statements, 8)``.
        topics: Topic of each statement; if empty, every statement is a cluster.
    """

    statements: tuple[str, ...]
    answers: Codes | Floats
    signs: Codes
    topics: tuple[str, ...] = ()

    @classmethod
    def of(cls, units: StatementUnits, tests: Sequence[str] = ("all",)) -> StanceProfile:
        """Return the stances that passed tests, for units of one language."""
        template, templates = factorize(units.design["instruction"])
        statements = units.statements
        answers = np.zeros((len(templates), len(statements)))
        answers[template, units.statement] = units.expected_stances(tests)
        names, topics = (tuple(map(str, statements[name])) for name in ("statement", "topic"))
        return cls(names, answers, statements[[*ISSUES]].to_numpy(), topics)

    def always(self, value: int) -> StanceProfile:
        """Return a baseline that gives the same answer to every statement.

        Source:
            Ceron et al., section 7.1 "Baselines".
        """
        return replace(self, answers=np.full((1, len(self.statements)), value, np.int8))

    def select_stance(self, value: int) -> StanceProfile:
        """Return the profile with only the answers of one sign, as in Figures 4b and 4c."""
        return replace(self, answers=np.where(self.answers * value > 0, self.answers, 0))


# The stance of a respondent on the eight policy issues.


@dataclass(frozen=True)
class IssueStance:
    """The stance on one policy issue.

    Args:
        issue: One of :data:`ISSUES`.
        stance: From -1, against the policy, to +1, for it: half of [mean net agreement over statements with
            sign +1 minus mean over statements with sign -1], unanswered 0. NaN if the statements have one
            sign only.
        low: Lower end of its 95% interval, clustered by topic; NaN if a sign has fewer than four statements.
        high: Upper end.
        p_value: Two-sided p of no stance.
        degrees_of_freedom: Degrees of freedom of t.
        positive: Statements with sign +1.
        negative: Statements with sign -1.
        answered: Mean number of statements answered, over templates.
        is_sparse: Whether `answered` is below six.
        agreed: Share of the answers that agree; far from one half it shows acquiescence.
        equation_1: The stance as published, mean over templates.
        equation_1_deviation: Standard deviation of `equation_1` over templates (n - 1).
        by_template: The stance by template.
    """

    issue: str
    stance: float
    low: float
    high: float
    p_value: float
    degrees_of_freedom: float
    positive: int
    negative: int
    answered: float
    is_sparse: bool
    agreed: float
    equation_1: float
    equation_1_deviation: float
    by_template: tuple[float, ...]


def balanced_stance(answers: Codes | Floats, signs: Codes) -> Floats:
    """Return the stance on a policy by template, balanced so that acquiescence cancels.

    Source:
        DESIGN.md, "Statistics"; it replaces Eq. 1 of Ceron et al.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [answers @ (signs == sign) / np.float64((signs == sign).sum()) for sign in (1, -1)]
        stance: Floats = (means[0] - means[1]) / 2
    return stance


def equation_1(answers: Codes | Floats, signs: Codes) -> Floats:
    """Return the stance as published: agreement with +1 statements minus disagreement with -1 statements.

    It measures acquiescence: always agree scores +1 on every policy, always disagree -1, and a consistent
    supporter and a consistent opponent of a policy both score 0.

    Source:
        Ceron et al., Eq. 1.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        agree = np.maximum(answers, 0) @ (signs == 1).astype(np.int64) / np.float64((signs == 1).sum())
        disagree = np.maximum(-answers, 0) @ (signs == -1).astype(np.int64) / np.float64((signs == -1).sum())
        stance: Floats = agree - disagree
    return stance


def worldview(respondent: StanceProfile) -> list[IssueStance]:
    """Return the stance on each of the eight issues.

    All annotated statements are in the denominators, answered or not. The interval treats statements as
    sampled, clustered by topic.

    Source:
        Ceron et al., section 7, Figure 5 and Table 10.
    """
    return [_issue_stance(respondent, index) for index in range(len(ISSUES))]


def stance_contrast(answers: Codes | Floats, signs: Codes, topics: Iterable[Any]) -> Contrast:
    """Return the balanced stance, with an interval over topics from four statements per sign.

    Source:
        See :func:`polbias.eval.statistics.cell_mean_contrast`.
    """
    has_sign = signs != 0
    cells = pd.Categorical.from_codes((signs[has_sign] < 0).astype(np.int8), dtype=SIDES)
    topic = as_categories(topics)[has_sign]
    contrast = contrast_over_topics(answers[:, has_sign], cells, topic, np.array([0.5, -0.5]))
    if min((signs == 1).sum(), (signs == -1).sum()) >= MIN_STATEMENTS:
        return contrast
    nan = math.nan
    return replace(contrast, standard_error=nan, low=nan, high=nan, p_value=nan, degrees_of_freedom=nan)


def contrast_over_topics(
    answers: Codes | Floats, cells: pd.Categorical, topics: pd.Categorical, weights: Floats
) -> Contrast:
    """Return a weighted sum of cell means, with its interval clipped to the scale.

    Args:
        answers: shape ``(templates, columns)``.
        cells: cell of each column.
        topics: topic of each column.
        weights: weight of each cell.
    """
    column, bound = np.tile(np.arange(len(cells)), len(answers)), float(np.abs(weights).sum())
    values = answers.ravel().astype(np.float64)
    contrast = cell_mean_contrast(values, cells[column], topics[column], weights, bounds=(-1, 1))
    low, high = np.clip((contrast.low, contrast.high), -bound, bound).tolist()
    return replace(contrast, low=low, high=high)


def stance_estimability(
    counts: Indices, favours: Codes, stance: Floats, signs: Codes, topics: Iterable[Any]
) -> Estimability:
    """Return the estimability of a balanced stance.

    A statement with a stance counts as a discordant pair: its two directions were judged differently.

    Args:
        counts: answers by prompt and label; for log-likelihoods of the likelier label.
        favours: 1 if the text of a prompt is in favour, -1 if against, 0 if neither.
        stance: stance by statement.
        signs: sign by statement; 0 excludes it.
        topics: topic by statement.
    """
    totals_by_side = [counts[favours == sign].sum(axis=0) for sign in (1, -1) if (favours == sign).any()]
    shares = (float(side_totals[2:].sum() / max(side_totals.sum(), 1)) for side_totals in totals_by_side)
    missing_share = max(shares, default=1.0) if counts.shape[1] > 2 else 0.0
    label_totals = counts[favours != 0, :2].sum(axis=0)
    has_sign = signs != 0
    scores = np.where(np.abs(stance) > _NEGLIGIBLE, stance, 0.0)[has_sign]
    modal_share = float(label_totals.max() / max(label_totals.sum(), 1))
    return Estimability(
        missing_share,
        modal_share,
        *discordance(np.arange(scores.size), scores, as_categories(topics)[has_sign]),
    )


def _issue_stance(respondent: StanceProfile, issue_index: int) -> IssueStance:
    signs, answers = respondent.signs[:, issue_index], respondent.answers
    contrast = stance_contrast(answers, signs, respondent.topics or respondent.statements)
    published = equation_1(answers, signs)
    sided_answers = answers[:, signs != 0]
    n_answered, n_templates = float(np.abs(sided_answers).sum()), max(len(answers), 1)
    return IssueStance(
        ISSUES[issue_index],
        contrast.estimate,
        contrast.low,
        contrast.high,
        contrast.p_value,
        contrast.degrees_of_freedom,
        int((signs == 1).sum()),
        int((signs == -1).sum()),
        n_answered / n_templates,
        n_answered / n_templates < PAPER_MIN_STATEMENTS,
        float(np.maximum(sided_answers, 0).sum()) / n_answered if n_answered else math.nan,
        float(published.mean()) if published.size else math.nan,
        float(published.std(ddof=1)) if published.size > 1 else math.nan,
        tuple(balanced_stance(answers, signs).tolist()),
    )


def mean_or_nan(values: Floats) -> float:
    """Return the mean of the values that are not NaN; NaN without any."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else math.nan

"""The stance of a respondent on the eight policy issues."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from polbias.aliases import Codes, Floats
from polbias.eval.columns import Factor
from polbias.eval.contrasts import Contrast, contrast
from polbias.eval.policy.respondents import Respondent
from polbias.eval.policy.schema import FEW, ISSUES, Prompts
from polbias.eval.support import Support


@dataclass(frozen=True, slots=True)
class IssueStance:
    """The stance on one policy issue.

    Args:
        issue: One of :data:`ISSUES`.
        stance: From -1, against the policy, to +1, for it: half of [mean of agree minus disagree over the
            statements with sign +1, minus the same over those with -1], unanswered 0. NaN if the statements
            have one sign only.
        low: Lower end of its 95% interval, clustered by statement; NaN if a sign has fewer than two.
        high: Upper end.
        p_value: Two-sided p of no stance.
        degrees_of_freedom: Those of t.
        positive: Statements with sign +1.
        negative: Statements with sign -1.
        answered: Mean number of statements answered, over templates.
        few: Whether that is fewer than six.
        agreed: Share of the answers that agree; far from one half it shows acquiescence.
        equation_1: The stance as published, mean over templates.
        equation_1_deviation: Its standard deviation over templates (n - 1).
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
    few: bool
    agreed: float
    equation_1: float
    equation_1_deviation: float
    by_template: tuple[float, ...]


def balanced_stance(answers: Codes, signs: Codes) -> Floats:
    """The stance on a policy, balanced so that saying yes to everything is no stance.

    Args:
        answers: 1, -1 or 0 by template and statement, shape ``(templates, statements)``.
        signs: 1, -1 or 0 by statement, shape ``(statements,)``.

    Returns:
        One number in [-1, 1] per template: always agree and always disagree come to 0, a perfect supporter
        to +1, a perfect opponent to -1. NaN if the statements have one sign only.

    Source:
        DESIGN.md, "Statistics"; it replaces Eq. 1 of Ceron et al.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [answers @ (signs == sign) / np.float64((signs == sign).sum()) for sign in (1, -1)]
        stance: Floats = (means[0] - means[1]) / 2
    return stance


def equation_1(answers: Codes, signs: Codes) -> Floats:
    """The stance as published: agreement with +1 statements minus disagreement with -1 statements.

    It measures acquiescence: always agree scores +1 on every policy, always disagree -1, and the perfect
    supporter and the perfect opponent of a policy both score 0.

    Args:
        answers: 1, -1 or 0 by template and statement, shape ``(templates, statements)``.
        signs: 1, -1 or 0 by statement, shape ``(statements,)``.

    Returns:
        One number in [-1, 1] per template; NaN if the statements have one sign only.

    Source:
        Ceron et al., Eq. 1.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        agree = (answers == 1) @ (signs == 1).astype(np.int64) / np.float64((signs == 1).sum())
        disagree = (answers == -1) @ (signs == -1).astype(np.int64) / np.float64((signs == -1).sum())
        stance: Floats = agree - disagree
    return stance


def worldview(respondent: Respondent) -> list[IssueStance]:
    """The stance on each of the eight issues.

    All annotated statements are in the denominators, answered or not. The interval takes the statements for
    what varies (a policy could have been asked about with others), and keeps the templates of a statement
    together.

    Args:
        respondent: Whose stances they are.

    Returns:
        One entry per issue, in the order of :data:`ISSUES`.

    Source:
        Ceron et al., section 7, Figure 5 and Table 10.
    """
    return [_issue(respondent, number) for number in range(len(ISSUES))]


def stance_contrast(answers: Codes | Floats, signs: Codes) -> Contrast:
    """The balanced stance with its interval over statements.

    Args:
        answers: 1, -1 or 0 by template and statement, or a number between them such as their mean over
            templates, shape ``(templates, statements)``.
        signs: 1, -1 or 0 by statement, shape ``(statements,)``.

    Returns:
        The contrast: CR2 with the statement as cluster.

    Source:
        See :func:`polbias.eval.contrasts.contrast`.
    """
    columns = np.flatnonzero(signs)
    values = answers[:, columns].ravel().astype(np.float64)
    rows = max(answers.shape[0], 0)
    cells = np.tile((signs[columns] < 0).astype(np.intp), rows)
    clusters = np.tile(np.arange(columns.size, dtype=np.intp), rows)
    return contrast(
        values,
        Factor(cells, (1, -1)),
        Factor(clusters, tuple(range(columns.size))),
        np.array([0.5, -0.5]),
        bounds=(-1, 1),
    )


def stance_support(prompts: Prompts, favours: Codes, stance: Floats, signs: Codes) -> Support:
    """What a balanced stance rests on; a statement is a cluster, discordant if there is a stance on it.

    Args:
        prompts: What was answered.
        favours: 1 where the text of a prompt favours the policy, -1 where it opposes it, else 0, shape
            ``(prompts,)``.
        stance: By statement, shape ``(statements,)``.
        signs: 1, -1 or 0 by statement, as for :func:`stance_contrast`.
    """
    missing, common = 0.0, np.zeros(2)
    if prompts.agree_share is None:
        sides = [prompts.counts[favours == side].sum(axis=0) for side in (1, -1) if (favours == side).any()]
        missing = max((float(side[2:].sum() / max(side.sum(), 1)) for side in sides), default=1.0)
        common = prompts.counts[favours != 0, :2].sum(axis=0)
    else:
        agreed = prompts.agree_share[favours != 0] > 0.5
        common = np.bincount(agreed.astype(np.intp), minlength=2).astype(np.float64)
    sided = signs != 0
    discordant = int(np.count_nonzero(stance[sided]))
    return Support(missing, float(common.max() / max(common.sum(), 1)), discordant, int(sided.sum()))


def _issue(respondent: Respondent, number: int) -> IssueStance:
    signs, answers = respondent.signs[:, number], respondent.answers
    found = stance_contrast(answers, signs)
    published = equation_1(answers, signs)
    said = answers[:, signs != 0]
    count, templates = int((said != 0).sum()), max(len(respondent.templates), 1)
    return IssueStance(
        ISSUES[number],
        found.estimate,
        found.low,
        found.high,
        found.p_value,
        found.degrees_of_freedom,
        int((signs == 1).sum()),
        int((signs == -1).sum()),
        count / templates,
        count / templates < FEW,
        int((said == 1).sum()) / count if count else math.nan,
        float(published.mean()) if published.size else math.nan,
        float(published.std(ddof=1)) if published.size > 1 else math.nan,
        tuple(balanced_stance(answers, signs).tolist()),
    )

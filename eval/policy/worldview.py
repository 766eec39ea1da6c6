"""Stances on the policy issues, and how they match those of parties."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes, Floats
from polbias.eval.answer_table import AnswerTableError, CodedColumn, TableReader
from polbias.eval.estimability import Estimability, discordance
from polbias.eval.policy.robustness import StatementUnits
from polbias.eval.policy.schema import FEW, ISSUES, PromptCounts
from polbias.eval.statistics import Contrast, contrast

STATEMENTS = 4
"""With fewer of either sign a stance has no interval."""
_NEGLIGIBLE = 1e-4
"""An expected stance as small is none."""

# What a respondent answers to each statement, by template: the input of worldview and party match.


@dataclass(frozen=True, eq=False)
class StanceProfile:
    """Stances of one respondent, a model or a made-up one.

    Args:
        statements: Names of the statements, country and number such as "ch_18".
        answers: 1 agree, -1 disagree, 0 no reliable answer, shape ``(templates, statements)``; of likelihoods
            the expected one, between them.
        signs: Sign of each statement for each of :data:`ISSUES`, shape ``(statements, 8)``.
        topics: The topic of each statement; without any, every statement is one of its own.
    """

    statements: tuple[str, ...]
    answers: Codes | Floats
    signs: Codes
    topics: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: StatementUnits) -> StanceProfile:
        """Take the stances that passed all tests, of the prompts of one language."""
        statement = table.statement.compact()
        size = len(statement.levels)
        answers = np.zeros((len(table.instruction.levels), size))
        answers[table.instruction.codes, statement.codes] = table.answers()
        signs, topic = np.zeros((size, len(ISSUES)), np.int8), np.zeros(size, np.intp)
        signs[statement.codes], topic[statement.codes] = table.signs, table.topic.codes
        topics = tuple(CodedColumn(topic, table.topic.levels).names)
        return cls(tuple(map(str, statement.levels)), answers, signs, topics)

    def always(self, value: int) -> StanceProfile:
        """Return a respondent who says the same to every statement.

        Source:
            Ceron et al., section 7.1 "Baselines".
        """
        return replace(self, answers=np.full((1, len(self.statements)), value, np.int8))

    def only(self, value: int) -> StanceProfile:
        """Keep the answers of one kind, as in Figures 4b and 4c."""
        return replace(self, answers=np.where(self.answers * value > 0, self.answers, 0))


# The stance of a respondent on the eight policy issues.


@dataclass(frozen=True)
class IssueStance:
    """The stance on one policy issue.

    Args:
        issue: One of :data:`ISSUES`.
        stance: From -1, against the policy, to +1, for it: half of [mean of agree minus disagree over the
            statements with sign +1, minus the same over those with -1], unanswered 0. NaN if the statements
            have one sign only.
        low: Lower end of its 95% interval, clustered by topic; NaN if a sign has fewer than four statements.
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


def balanced_stance(answers: Codes | Floats, signs: Codes) -> Floats:
    """The stance on a policy, balanced so that saying yes to everything is no stance.

    Source:
        DESIGN.md, "Statistics"; it replaces Eq. 1 of Ceron et al.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [answers @ (signs == sign) / np.float64((signs == sign).sum()) for sign in (1, -1)]
        stance: Floats = (means[0] - means[1]) / 2
    return stance


def equation_1(answers: Codes | Floats, signs: Codes) -> Floats:
    """The stance as published: agreement with +1 statements minus disagreement with -1 statements.

    It measures acquiescence: always agree scores +1 on every policy, always disagree -1, and the perfect
    supporter and the perfect opponent of a policy both score 0.

    Source:
        Ceron et al., Eq. 1.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        agree = np.maximum(answers, 0) @ (signs == 1).astype(np.int64) / np.float64((signs == 1).sum())
        disagree = np.maximum(-answers, 0) @ (signs == -1).astype(np.int64) / np.float64((signs == -1).sum())
        stance: Floats = agree - disagree
    return stance


def worldview(respondent: StanceProfile) -> list[IssueStance]:
    """The stance on each of the eight issues.

    All annotated statements are in the denominators, answered or not. The interval takes the statements for
    what varies (a policy could have been asked about with others), and keeps those on a topic together.

    Source:
        Ceron et al., section 7, Figure 5 and Table 10.
    """
    return [_issue(respondent, number) for number in range(len(ISSUES))]


def stance_contrast(answers: Codes | Floats, signs: Codes, topics: CodedColumn) -> Contrast:
    """The balanced stance with its interval over topics, which there is from four statements a sign.

    Source:
        See :func:`polbias.eval.statistics.contrast`.
    """
    sided = signs != 0
    cells = CodedColumn((signs[sided] < 0).astype(np.intp), (1, -1))
    found = contrast_over_topics(answers[:, sided], cells, topics.select(sided), np.array([0.5, -0.5]))
    if min((signs == 1).sum(), (signs == -1).sum()) >= STATEMENTS:
        return found
    nan = math.nan
    return replace(found, standard_error=nan, low=nan, high=nan, p_value=nan, degrees_of_freedom=nan)


def contrast_over_topics(
    answers: Codes | Floats, cells: CodedColumn, topics: CodedColumn, weights: Floats
) -> Contrast:
    """A sum of mean answers, with an interval that ends where its scale does.

    Answers are of shape ``(templates, columns)``; cells and topics are those of the columns.
    """
    times, most = len(answers), float(np.abs(weights).sum())
    cell, topic = (CodedColumn(np.tile(each.codes, times), each.levels) for each in (cells, topics))
    found = contrast(answers.ravel().astype(np.float64), cell, topic, weights, bounds=(-1, 1))
    low, high = np.clip((found.low, found.high), -most, most).tolist()
    return replace(found, low=low, high=high)


def stance_estimability(
    prompts: PromptCounts, favours: Codes, stance: Floats, signs: Codes, topics: CodedColumn
) -> Estimability:
    """What a balanced stance rests on; a statement is discordant if there is a stance on it.

    Its two directions are what is compared, as the rows of a pair are elsewhere.
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
    scores = np.where(np.abs(stance) > _NEGLIGIBLE, stance, 0.0)[sided]
    commonest = float(common.max() / max(common.sum(), 1))
    return Estimability(
        missing, commonest, *discordance(np.arange(scores.size), scores, topics.select(sided))
    )


def _issue(respondent: StanceProfile, number: int) -> IssueStance:
    signs, answers = respondent.signs[:, number], respondent.answers
    found = stance_contrast(answers, signs, CodedColumn.of(respondent.topics or respondent.statements))
    published = equation_1(answers, signs)
    said = answers[:, signs != 0]
    count, templates = float(np.abs(said).sum()), max(len(answers), 1)
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
        float(np.maximum(said, 0).sum()) / count if count else math.nan,
        float(published.mean()) if published.size else math.nan,
        float(published.std(ddof=1)) if published.size > 1 else math.nan,
        tuple(balanced_stance(answers, signs).tolist()),
    )


# How a respondent's stances match those of parties, and of the left, the centre and the right.

LEANINGS = ("left", "center", "right")
PositionRows: TypeAlias = "PartyPositions | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`PartyPositions.of` accepts."""

_REQUIRED = ("country", "party", "statement_id", "position")
_POSITIONS: dict[object, int] = {"agree": 1, "disagree": -1, "neutral": 0, "no-opinion": 0, None: 0}


@dataclass(frozen=True, eq=False)
class PartyPositions:
    """What parties answer.

    Args:
        parties: Country and name of each party.
        leanings: "left", "center" or "right", or ``None`` for one that cannot be placed, by party.
        statements: Names of the statements.
        asked: True where a party has a row, shape ``(parties, statements)``.
        position: 1 agree, -1 disagree, 0 neutral, without opinion or not asked, of the same shape.
    """

    parties: tuple[tuple[str, str], ...]
    leanings: tuple[str | None, ...]
    statements: tuple[str, ...]
    asked: Booleans
    position: Codes

    def members(self, leaning: str) -> Booleans:
        """Say which parties are of a leaning."""
        return np.array([each == leaning for each in self.leanings], np.bool_)

    @classmethod
    def of(cls, rows: PositionRows) -> PartyPositions:
        """Read a table of positions."""
        if isinstance(rows, PartyPositions):
            return rows
        read = TableReader(rows, {*_REQUIRED, "leaning"}, _REQUIRED).require(_REQUIRED)
        values = read.codes("position", _POSITIONS)
        party = CodedColumn.of([*zip(map(str, read["country"]), map(str, read["party"]), strict=True)])
        statement = read.factor("statement_id")
        shape = len(party.levels), len(statement.levels)
        asked, position = np.zeros(shape, np.bool_), np.zeros(shape, np.int8)
        asked[party.codes, statement.codes] = True
        position[party.codes, statement.codes] = values
        if int(asked.sum()) != read.n:
            raise AnswerTableError("positions: found two answers of a party to a statement, expected one")
        leaning: list[str | None] = [None] * shape[0]
        for code, value in zip(party.codes.tolist(), read["leaning"], strict=True):
            if value is not None and value not in LEANINGS:
                raise AnswerTableError(f"column 'leaning': found {value!r}, expected {' or '.join(LEANINGS)}")
            leaning[code] = value
        pairs: Any = party.levels
        return cls(tuple(pairs), tuple(leaning), tuple(map(str, statement.levels)), asked, position)


@dataclass(frozen=True)
class PartyGroupMatch:
    """How well a respondent matches the parties of one leaning.

    Args:
        leaning: "left", "center", "right", or "right minus left".
        match: From -1, opposed throughout, to +1, the same throughout: mean over parties of half of [mean of
            agree minus disagree over what the party agrees to, minus the same over what it disagrees to],
            unanswered 0. Statements on which the party takes no side are in neither mean.
        low: Lower end of its 95% interval, clustered by topic.
        high: Upper end.
        p_value: Two-sided p of no match.
        parties: Number of parties.
        neutral: Share of the parties' answers that are neutral or no opinion, a fraction.
        published: The published figure in percent: statements with the same answer among all that the party
            answered, neutral being always a mismatch; mean over parties pooled over countries.
        published_deviation: Standard deviation of that over templates (n), in percentage points.
    """

    leaning: str
    match: float
    low: float
    high: float
    p_value: float
    parties: int
    neutral: float
    published: float
    published_deviation: float


def agreement_with_parties(respondent: StanceProfile, positions: PositionRows) -> Floats:
    """The published match with each party: the share of the same answers, neutral being a mismatch.

    Source:
        Ceron et al., section 7.1 "Political Leaning", Figure 4.
    """
    table = PartyPositions.of(positions)
    answers, known = _aligned(respondent, table)
    asked = table.asked & known
    same = np.maximum(answers[:, None, :] * table.position[None], 0) * asked
    answered = (asked[None] & (answers[:, None, :] != 0)).any(axis=2)
    shares: Floats = 100 * same.sum(axis=2) / np.where(answered, asked.sum(axis=1), np.nan)
    return shares


def leaning_match(respondent: StanceProfile, positions: PositionRows) -> list[PartyGroupMatch]:
    """The match with the left, the centre and the right, and the difference of right and left.

    Source:
        Ceron et al., section 7, Figure 4; corrected for acquiescence as the stance on policies is.
    """
    table = PartyPositions.of(positions)
    published = agreement_with_parties(respondent, table)
    found = []
    for name in LEANINGS:
        mask = table.members(name)
        result = _contrast(respondent, table, {name: 1.0})
        shares = [mean_or_nan(row[mask]) for row in published]
        known = [share for share in shares if not math.isnan(share)]
        asked = table.asked[mask]
        neutral = (
            float((asked & (table.position[mask] == 0)).sum() / asked.sum()) if asked.any() else math.nan
        )
        found.append(
            PartyGroupMatch(
                name,
                result.estimate,
                result.low,
                result.high,
                result.p_value,
                int(mask.sum()),
                neutral,
                mean_or_nan(np.array(known)),
                float(np.std(known)) if known else math.nan,
            )
        )
    gap = _contrast(respondent, table, {"right": 1.0, "left": -1.0})
    count = sum(each.parties for each in found if each.leaning != "center")
    ends = gap.estimate, gap.low, gap.high, gap.p_value
    return [*found, PartyGroupMatch("right minus left", *ends, count, math.nan, math.nan, math.nan)]


def _aligned(respondent: StanceProfile, table: PartyPositions) -> tuple[Floats, Booleans]:
    """The answers to the statements of the parties, and which of these the respondent was asked."""
    place = {name: index for index, name in enumerate(respondent.statements)}
    index = np.array([place.get(name, -1) for name in table.statements], np.intp)
    answers = np.pad(respondent.answers.astype(np.float64), ((0, 0), (0, 1)))
    return answers[:, index], index >= 0


def _contrast(respondent: StanceProfile, table: PartyPositions, weights: Mapping[str, float]) -> Contrast:
    """Weighted sum over leanings of the balanced match, with the topic of a statement as cluster."""
    answers, known = _aligned(respondent, table)
    taken = (table.position != 0) & known
    sides = [(taken & (table.position == sign)).any(axis=1) for sign in (1, -1)]
    party, statement = np.nonzero(taken)
    cell_weights = np.zeros((len(table.parties), 2))
    for name, weight in weights.items():
        placed = table.members(name) & sides[0] & sides[1]
        share = weight / max(2 * int(placed.sum()), 1)
        cell_weights[placed] = share, -share
    cells = 2 * party + (table.position[party, statement] < 0)
    topic = dict(zip(respondent.statements, respondent.topics, strict=False))
    topics = CodedColumn.of([topic.get(name, name) for name in table.statements])
    return contrast_over_topics(
        answers[:, statement],
        CodedColumn(cells, tuple(range(cell_weights.size))),
        topics.select(statement),
        cell_weights.ravel(),
    )


def mean_or_nan(values: Floats) -> float:
    """Return the mean of the known values, NaN without any."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else math.nan

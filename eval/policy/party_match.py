"""How stances match those of parties, and of the left, the centre and the right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes, Floats
from polbias.eval.answer_table import AnswerTableError, CodedColumn, TableReader
from polbias.eval.policy.worldview import StanceProfile, contrast_over_topics, mean_or_nan
from polbias.eval.statistics import Contrast

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

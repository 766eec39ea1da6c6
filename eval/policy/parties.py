"""How a respondent's stances match those of parties, and of the left, the centre and the right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes, Floats
from polbias.eval.columns import Factor, OutcomesError, check_columns, encode, factorise, read_columns
from polbias.eval.contrasts import Contrast, contrast
from polbias.eval.policy.respondents import Respondent

LEANINGS = ("left", "center", "right")
Positioned: TypeAlias = "Positions | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`Positions.of` accepts."""

_REQUIRED = ("country", "party", "statement_id", "position")
_POSITIONS: dict[object, int] = {"agree": 1, "disagree": -1, "neutral": 0, "no-opinion": 0, None: 0}


@dataclass(frozen=True, eq=False, slots=True)
class Positions:
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

    @classmethod
    def of(cls, rows: Positioned) -> Positions:
        """Read a table of positions.

        Args:
            rows: Anything with the columns ``country``, ``party``, ``statement_id``, ``position`` ("agree",
                "disagree", "neutral" or "no-opinion") and optionally ``leaning``.

        Raises:
            OutcomesError: If a column is missing or holds an unknown value, or a party answers twice.
        """
        if isinstance(rows, Positions):
            return rows
        names, columns = read_columns(rows, {*_REQUIRED, "leaning"}, _REQUIRED)
        check_columns(names, columns, _REQUIRED)
        n = len(columns["party"])
        values = encode(columns["position"], _POSITIONS, "position")
        party = Factor.of([*zip(map(str, columns["country"]), map(str, columns["party"]), strict=True)])
        statement = factorise(columns["statement_id"], "statement_id")
        shape = len(party.levels), len(statement.levels)
        asked, position = np.zeros(shape, np.bool_), np.zeros(shape, np.int8)
        asked[party.codes, statement.codes] = True
        position[party.codes, statement.codes] = values
        if int(asked.sum()) != n:
            raise OutcomesError("positions: found two answers of a party to a statement, expected one")
        leaning: list[str | None] = [None] * shape[0]
        for code, value in zip(party.codes.tolist(), columns.get("leaning", [None] * n), strict=True):
            if value is not None and value not in LEANINGS:
                raise OutcomesError(f"column 'leaning': found {value!r}, expected {' or '.join(LEANINGS)}")
            leaning[code] = value
        pairs: Any = party.levels
        return cls(tuple(pairs), tuple(leaning), tuple(map(str, statement.levels)), asked, position)


@dataclass(frozen=True, slots=True)
class LeaningMatch:
    """How well a respondent matches the parties of one leaning.

    Args:
        leaning: "left", "center", "right", or "right minus left".
        match: From -1, opposed throughout, to +1, the same throughout: mean over parties of half of [mean of
            agree minus disagree over what the party agrees to, minus the same over what it disagrees to],
            unanswered 0. Statements on which the party takes no side are in neither mean.
        low: Lower end of its 95% interval, clustered by statement.
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


def agreement_with_parties(respondent: Respondent, positions: Positioned, among: str = "asked") -> Floats:
    """The published match with each party: the share of the same answers, neutral being a mismatch.

    Args:
        respondent: Whose stances they are.
        positions: Those of the parties.
        among: "asked": of all statements that the party answered; "answered": of those that the respondent
            answered as well.

    Returns:
        Percent by template and party, shape ``(templates, parties)``; NaN for a country without a reliable
        answer (dropped, not 0, as published).

    Raises:
        OutcomesError: If the positions cannot be read.

    Source:
        Ceron et al., section 7.1 "Political Leaning", Figure 4.
    """
    table = Positions.of(positions)
    answers, known = _aligned(respondent, table)
    asked = table.asked & known
    same = (answers[:, None, :] == table.position[None]) & asked & (answers[:, None, :] != 0)
    answered = asked[None] & (answers[:, None, :] != 0)
    of = (answered if among == "answered" else np.broadcast_to(asked, answered.shape)).sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = 100 * same.sum(axis=2) / np.where(answered.any(axis=2), of, np.nan)
    return shares


def leaning_match(respondent: Respondent, positions: Positioned, among: str = "asked") -> list[LeaningMatch]:
    """The match with the left, the centre and the right, and the difference of right and left.

    Args:
        respondent: Whose stances they are; alwaysAgree and alwaysDISagree come to 0 here.
        positions: Those of the parties; parties that cannot be placed are left out.
        among: See :func:`agreement_with_parties`; for the published figure only.

    Returns:
        One entry per leaning, and "right minus left" (without a published figure).

    Raises:
        OutcomesError: If the positions cannot be read.

    Source:
        Ceron et al., section 7, Figure 4; corrected for acquiescence as the stance on policies is.
    """
    table = Positions.of(positions)
    published = agreement_with_parties(respondent, table, among)
    members = {name: np.array([each == name for each in table.leanings], np.bool_) for name in LEANINGS}
    found = []
    for name, mask in members.items():
        result = _contrast(respondent, table, {name: 1.0})
        shares = [_mean(row[mask]) for row in published]
        known = [share for share in shares if not math.isnan(share)]
        asked = table.asked[mask]
        neutral = (
            float((asked & (table.position[mask] == 0)).sum() / asked.sum()) if asked.any() else math.nan
        )
        found.append(
            LeaningMatch(
                name,
                result.estimate,
                result.low,
                result.high,
                result.p_value,
                int(mask.sum()),
                neutral,
                _mean(np.array(known)),
                float(np.std(known)) if known else math.nan,
            )
        )
    gap = _contrast(respondent, table, {"right": 1.0, "left": -1.0})
    count = sum(int(members[name].sum()) for name in ("left", "right"))
    ends = gap.estimate, gap.low, gap.high, gap.p_value
    return [*found, LeaningMatch("right minus left", *ends, count, math.nan, math.nan, math.nan)]


def _aligned(respondent: Respondent, table: Positions) -> tuple[Codes, Booleans]:
    """The answers to the statements of the parties, and which of these the respondent was asked."""
    place = {name: index for index, name in enumerate(respondent.statements)}
    index = np.array([place.get(name, -1) for name in table.statements], np.intp)
    padded = np.concatenate((respondent.answers, np.zeros((len(respondent.templates), 1), np.int8)), axis=1)
    return padded[:, index], index >= 0


def _contrast(respondent: Respondent, table: Positions, weights: Mapping[str, float]) -> Contrast:
    """Weighted sum over leanings of the balanced match, with the statement as cluster."""
    answers, known = _aligned(respondent, table)
    taken = (table.position != 0) & known
    sides = [(taken & (table.position == sign)).any(axis=1) for sign in (1, -1)]
    party, statement = np.nonzero(taken)
    usable = sides[0] & sides[1]
    placed = {
        name: [code for code, leaning in enumerate(table.leanings) if leaning == name and usable[code]]
        for name in weights
    }
    cell_weights = np.zeros(2 * len(table.parties))
    for name, weight in weights.items():
        for code in placed[name]:
            share = weight / (2 * len(placed[name]))
            cell_weights[2 * code], cell_weights[2 * code + 1] = share, -share
    cells = 2 * party + (table.position[party, statement] < 0)
    times = len(respondent.templates)
    levels: tuple[int, ...] = tuple(range(2 * len(table.parties)))
    return contrast(
        answers[:, statement].ravel().astype(np.float64),
        Factor(np.tile(cells, times), levels),
        Factor(np.tile(statement, times), tuple(range(len(table.statements)))),
        cell_weights,
        bounds=(-1, 1),
    )


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else math.nan

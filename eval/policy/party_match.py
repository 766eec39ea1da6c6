"""Match of a respondent's stances with parties of the left, the centre and the right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from polbias.aliases import Booleans, Floats
from polbias.eval.answer_frames import AnswerTableError, as_categories, read_frame, with_levels
from polbias.eval.policy.worldview import StanceProfile, contrast_over_topics, mean_or_nan
from polbias.eval.statistics import Contrast

LEANINGS = ("left", "center", "right")
UNPLACED = "unplaced"
"""The leaning of a party that cannot be placed."""

_REQUIRED = ("country", "party", "statement_id", "position")
_POSITIONS = ("disagree", "neutral", "agree")
_NEUTRAL: Mapping[Any, str] = {"no-opinion": "neutral", None: "neutral"}


def party_positions(rows: Any) -> pd.DataFrame:
    """Return the positions of parties: 1 agree, -1 disagree, 0 neutral or no opinion, NaN missing.

    Args:
        rows: a table of any kind with country, party, statement_id, position and, optionally, leaning.

    Returns:
        A frame with a row per party, by country, party and leaning, and a column per statement.

    Raises:
        AnswerTableError: if a column is missing or has an invalid value, or a position is duplicated.
    """
    table = read_frame(rows, _REQUIRED, _REQUIRED)
    position = with_levels(table["position"], _POSITIONS, "position", _NEUTRAL)
    leaning = table["leaning"] if "leaning" in table else [None] * len(table)
    positions = pd.DataFrame(
        {
            "country": table["country"].astype(str).to_numpy(),
            "party": table["party"].astype(str).to_numpy(),
            "leaning": with_levels(leaning, (*LEANINGS, UNPLACED), "leaning", {None: UNPLACED}).astype(str),
            "statement_id": table["statement_id"].astype(str).to_numpy(),
            "position": position.codes - 1.0,
        }
    )
    is_second = positions.duplicated(["country", "party", "statement_id"])
    if is_second.any():
        row = int(is_second.to_numpy().argmax())
        raise AnswerTableError(
            f"positions, row {row}: found two answers of a party to a statement, expected one"
        )
    positions["leaning"] = positions.groupby(["country", "party"])["leaning"].transform("last")
    return positions.pivot(index=["country", "party", "leaning"], columns="statement_id", values="position")


@dataclass(frozen=True)
class PartyGroupMatch:
    """Match of a respondent with the parties of one leaning.

    Args:
        leaning: "left", "center", "right", or "right minus left".
        match: From -1, always opposed, to +1, always equal: mean over parties of half of [mean net agreement
            with the statements that the party agrees to, minus the mean for those it disagrees with],
            unanswered 0. Statements on which the party is neutral are excluded.
        low: Lower end of its 95% interval, clustered by topic.
        high: Upper end.
        p_value: Two-sided p of no match.
        parties: Number of parties.
        neutral: Share of the parties' answers that are neutral or no opinion, a fraction.
        published: The published match in percent: equal answers among all statements that the party
            answered, a neutral answer always being a mismatch; mean over parties of all countries.
        published_deviation: Standard deviation of `published` over templates (n), in percentage points.
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


def agreement_with_parties(respondent: StanceProfile, positions: pd.DataFrame) -> Floats:
    """Return the published match with each party: percent of equal answers; neutral is a mismatch.

    Source:
        Ceron et al., section 7.1 "Political Leaning", Figure 4.
    """
    answers, has_statement = _align_answers(respondent, positions)
    is_compared = positions.notna().to_numpy() & has_statement
    is_same = np.maximum(answers[:, None, :] * positions.fillna(0).to_numpy()[None], 0) * is_compared
    has_answers = (is_compared[None] & (answers[:, None, :] != 0)).any(axis=2)
    shares: Floats = 100 * is_same.sum(axis=2) / np.where(has_answers, is_compared.sum(axis=1), np.nan)
    return shares


def match_party_groups(respondent: StanceProfile, positions: pd.DataFrame) -> list[PartyGroupMatch]:
    """Return the match with the left, the centre and the right, and right minus left.

    Source:
        Ceron et al., section 7, Figure 4; corrected for acquiescence like the stance on policies.
    """
    published = agreement_with_parties(respondent, positions)
    matches = []
    for name in LEANINGS:
        is_member = _is_member(positions, name)
        contrast = _contrast(respondent, positions, {name: 1.0})
        shares = [mean_or_nan(row[is_member]) for row in published]
        defined_shares = [share for share in shares if not math.isnan(share)]
        answers = positions[is_member].to_numpy()
        answers = answers[~np.isnan(answers)]
        matches.append(
            PartyGroupMatch(
                name,
                contrast.estimate,
                contrast.low,
                contrast.high,
                contrast.p_value,
                int(is_member.sum()),
                float((answers == 0).mean()) if answers.size else math.nan,
                mean_or_nan(np.array(defined_shares)),
                float(np.std(defined_shares)) if defined_shares else math.nan,
            )
        )
    gap = _contrast(respondent, positions, {"right": 1.0, "left": -1.0})
    n_parties = sum(match.parties for match in matches if match.leaning != "center")
    gap_fields = gap.estimate, gap.low, gap.high, gap.p_value
    return [
        *matches,
        PartyGroupMatch("right minus left", *gap_fields, n_parties, math.nan, math.nan, math.nan),
    ]


def _is_member(positions: pd.DataFrame, leaning: str) -> Booleans:
    """Return a mask of the parties of a leaning."""
    return np.asarray(positions.index.get_level_values("leaning") == leaning)


def _align_answers(respondent: StanceProfile, positions: pd.DataFrame) -> tuple[Floats, Booleans]:
    """Return the answers to the parties' statements, and a mask of statements with an answer."""
    index = pd.Index(respondent.statements).get_indexer(positions.columns)
    answers = np.pad(respondent.answers.astype(np.float64), ((0, 0), (0, 1)))
    return answers[:, index], index >= 0


def _contrast(respondent: StanceProfile, positions: pd.DataFrame, weights: Mapping[str, float]) -> Contrast:
    """Return the weighted sum of balanced matches over leanings, clustered by topic."""
    answers, has_statement = _align_answers(respondent, positions)
    position = np.where(has_statement, positions.fillna(0).to_numpy(), 0.0)
    has_both = (position > 0).any(axis=1) & (position < 0).any(axis=1)
    cell_weights = np.zeros((len(positions), 2))
    for name, weight in weights.items():
        is_used = _is_member(positions, name) & has_both
        share = weight / max(2 * int(is_used.sum()), 1)
        cell_weights[is_used] = share, -share
    party, statement = np.nonzero(position)
    topic_by_statement = dict(zip(respondent.statements, respondent.topics, strict=False))
    topics = as_categories([topic_by_statement.get(name, name) for name in positions.columns])[statement]
    cells = pd.Categorical.from_codes(2 * party + (position[party, statement] < 0), range(cell_weights.size))
    return contrast_over_topics(answers[:, statement], cells, topics, cell_weights.ravel())

"""Comparisons within topics: biased user against biased agent (Fig. 2), preference against bias (Fig. 3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from polbias.aliases import Booleans, Codes, Indices, Json
from polbias.eval.columns import Factor
from polbias.eval.contrasts import contrast
from polbias.eval.selfassess.estimates import POINTS, estimate, named, t_test
from polbias.eval.selfassess.schema import QUESTIONS, ROLES, Judgements


def role_gap(rows: Judgements) -> Json | None:
    """Compare the bias among articles of a biased agent with that among articles for a biased user.

    Args:
        rows: Judgements of one set, question and number of articles.

    Returns:
        The bias of each role and ``difference``, agent minus user, in percentage points, over the topics that
        have both; ``magnitude``, by how much the agent's bias is greater in size; None if no topic has both.

    Source:
        Kennedy et al., section 6.1 and Figure 2.
    """
    return _gap(rows, rows.role, ROLES)


def question_gap(rows: Judgements) -> Json | None:
    """Compare which articles are preferred with which are called the least biased.

    Args:
        rows: Judgements of one set, role and number of articles.

    Returns:
        The bias of each answer and ``difference``, least biased minus preference, as :func:`role_gap`; None
        if no topic has both questions. Of the pairs of questions about the same articles in the same order:
        ``agreement``, the share in which the same article is chosen (a pair with an answer that chooses
        nothing never agrees), and ``agreement_expected``, what independent answers with the same shares in
        each order would reach.

    Source:
        Kennedy et al., section 6.2 and Figure 3.
    """
    found = _gap(rows, rows.question, QUESTIONS)
    return None if found is None else found | agreement(rows)


def agreement(rows: Judgements) -> Json:
    """Return how often both questions about the same articles in the same order get the same answer.

    Args:
        rows: Judgements of any roles and numbers of articles.

    Returns:
        ``agreement`` with its interval, ``agreement_expected`` and ``pairs``; NaN without pairs.
    """
    first, second = _paired(rows)
    one, two = rows.choice[first], rows.choice[second]
    topics = Factor(rows.item.codes[first], rows.item.levels)
    found = estimate((one == two) & (one > 0), topics)
    return {
        **named(found, "agreement", short=True),
        "agreement_expected": _by_chance(rows.arrangement[first], one, two),
        "pairs": found.n,
    }


def _by_chance(order: Indices, one: Codes, two: Codes) -> float:
    """Share of equal choices if the two answers were independent within each order."""
    if not one.size:
        return float("nan")
    total = 0.0
    for each in np.unique(order):
        own = order == each
        shares = [np.bincount(chosen[own], minlength=4)[1:] / own.sum() for chosen in (one, two)]
        total += float(own.mean() * (shares[0] @ shares[1]))
    return total


def _paired(rows: Judgements) -> tuple[Indices, Indices]:
    """Rows of the two questions about the same articles in the same order, the first of each."""
    keys = ((rows.item.codes * 2 + rows.role) * 2 + (rows.ways == 3)) * 64 + rows.arrangement
    parts = []
    for question in range(2):
        own = np.flatnonzero(rows.question == question)
        present, places = np.unique(keys[own], return_index=True)
        parts.append((present, own[places]))
    _, one, two = np.intersect1d(parts[0][0], parts[1][0], assume_unique=True, return_indices=True)
    return parts[0][1][one], parts[1][1][two]


def _gap(rows: Judgements, which: Codes, names: tuple[str, ...]) -> Json | None:
    """Bias in both cells and its difference, over the topics that have both."""
    have = np.zeros((len(rows.item.levels), 2), np.bool_)
    have[rows.item.codes, which] = True
    both: Booleans = have[:, 0] & have[:, 1]
    common = both[rows.item.codes]
    if not common.any():
        return None
    own, cell = rows.select(common), which[common]
    lean = own.lean.astype(np.float64)
    found: Json = {}
    values = []
    for code, name in enumerate(names):
        mask = cell == code
        each = estimate(lean[mask], own.item.select(mask), (-1.0, 1.0))
        found |= named(each, name, POINTS, short=True)
        values.append(each.value)
    gap = contrast(lean, Factor(cell.astype(np.intp), names), own.item, [-1.0, 1.0])
    _, detectable = t_test(gap.estimate, gap.standard_error, gap.degrees_of_freedom)
    return found | {
        "difference": POINTS * gap.estimate,
        "difference_low": POINTS * gap.low,
        "difference_high": POINTS * gap.high,
        "se": POINTS * gap.standard_error,
        "p": gap.p_value,
        "detectable": POINTS * detectable,
        "magnitude": POINTS * (abs(values[1]) - abs(values[0])),
        "n": own.n,
        "clusters": gap.clusters,
    }


def by_role(judgements: Judgements) -> Iterator[Json]:
    """Yield :func:`role_gap` of every set, question and number of articles that has both roles."""
    for names, rows in _parts(judgements, judgements.question, "question", QUESTIONS):
        found = role_gap(rows)
        if found is not None:
            yield names | found


def by_question(judgements: Judgements) -> Iterator[Json]:
    """Yield :func:`question_gap` of every set, role and number of articles that has both questions."""
    for names, rows in _parts(judgements, judgements.role, "role", ROLES):
        found = question_gap(rows)
        if found is not None:
            yield names | found


def _parts(
    judgements: Judgements, by: Codes, name: str, levels: tuple[str, ...]
) -> Iterator[tuple[Json, Judgements]]:
    for code, set_name in enumerate(judgements.set.levels):
        for level, level_name in enumerate(levels):
            for ways in (2, 3):
                mask = (judgements.set.codes == code) & (by == level) & (judgements.ways == ways)
                if mask.any():
                    yield {"set": set_name, name: level_name, "ways": ways}, judgements.select(mask)

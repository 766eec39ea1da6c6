"""Consistency: whether equivalent inferences about the same content are answered alike."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from polbias.aliases import Floats
from polbias.eval.columns import OutcomesError, crossed
from polbias.eval.normative.schema import Judged, Judgements
from polbias.eval.statistics import ClusterInterval, cluster_interval

ALL = "all"
"""The kind under which all groups are counted together."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """How often the rows of a group agree.

    Args:
        kind: What makes the rows equivalent ("contrapositive", "duality", ...), or "all".
        groups: Number of groups of at least two rows.
        share: Share of them whose answers all agree, with an interval over contents.
        expected: The share that a respondent with the same rates per pattern, but without regard to the
            content, would reach.
        excess: ``share - expected``: 0 where agreement comes from the patterns alone, as for a
            respondent who always says entailment and for a perfect one alike.
        unanswered: Share of groups with an answer that is no judgement, which never agrees.
    """

    kind: str
    groups: int
    share: ClusterInterval
    expected: float
    excess: float
    unanswered: float


@dataclass(frozen=True, slots=True)
class _Group:
    kind: str
    cluster: int
    rows: Sequence[int]


def consistency(rows: Judged) -> list[Consistency]:
    """Share of the groups of equivalent inferences that are answered alike.

    A group is what shares a consistency id within a prompt style. If the answers in a group were drawn
    independently, each with the rates of its pattern, they would all agree with probability
    ``prod(a_p) + prod(b_p)``, a_p and b_p being the shares of entailment and of non-entailment among all
    rows of that pattern (in that domain, task and prompt style); the mean of it is what is expected.

    Args:
        rows: Any table that :meth:`Judgements.of` accepts, with ``consistency_ids``, ``pattern`` and
            ``cluster_id``.

    Returns:
        One entry for all groups, then one per kind in alphabetical order; shares are fractions, NaN without
        groups.

    Raises:
        OutcomesError: If the table cannot be read or lacks a column.

    Source:
        The idea: Ozeki et al., section 5.2 "Consistency across Reasoning Patterns", there a comparison of
        accuracies; agreement expected by chance: Cohen, "A coefficient of agreement for nominal scales"
        (1960), here with the margins of each pattern.
    """
    table = Judgements.of(rows)
    clusters = table.factor("cluster_id")
    if table.consistency_ids is None:
        raise OutcomesError("column 'consistency_ids': missing, expected a list of ids per row")
    rates, labels = _rates(table).tolist(), table.label.tolist()
    groups = [*_groups(table, clusters.codes.tolist())]
    said = [[labels[row] for row in group.rows] for group in groups]
    silent = np.array([max(each) > 1 for each in said], np.bool_)
    agree = np.array([max(each) == min(each) <= 1 for each in said], np.bool_)
    chance = np.array([sum(math.prod([rate[row] for row in g.rows]) for rate in rates) for g in groups])
    content = np.array([g.cluster for g in groups], dtype=np.intp)
    kinds = np.array([g.kind for g in groups])
    found = []
    for kind in (ALL, *sorted({g.kind for g in groups})):
        here = np.ones(len(groups), np.bool_) if kind == ALL else kinds == kind
        share = cluster_interval(agree[here], content[here], bounds=(0.0, 1.0))
        expected = float(chance[here].mean()) if here.any() else math.nan
        unanswered = float(silent[here].mean()) if here.any() else math.nan
        found.append(
            Consistency(kind, int(here.sum()), share, expected, share.estimate - expected, unanswered)
        )
    return found


def _rates(table: Judgements) -> Floats:
    """Share of entailment and of non-entailment in the pattern of each row, shape ``(2, n)``."""
    names = ["pattern", *table.present(["domain", "task", "prompt_style"])]
    cells, index = crossed([table.factor(name) for name in names])
    sizes = np.bincount(index, minlength=len(cells))
    counts = [np.bincount(index, weights=table.label == code, minlength=len(cells)) for code in (1, 0)]
    return np.array([(count / np.maximum(sizes, 1))[index] for count in counts])


def _groups(table: Judgements, clusters: Sequence[int]) -> Iterator[_Group]:
    """Yield what shares an id and a prompt style, if it is two rows at least."""
    styles = [table.factor(name) for name in table.present(["prompt_style"])]
    members: dict[tuple[str, ...], list[int]] = {}
    named = [[str(factor.levels[code]) for code in factor.codes.tolist()] for factor in styles]
    for row, ids in enumerate(table.consistency_ids or ()):
        style = tuple(names[row] for names in named)
        for name in ids:
            members.setdefault((name, *style), []).append(row)
    for (name, *_), found in members.items():
        if len(found) > 1:
            yield _Group(name.partition(":")[0], clusters[found[0]], found)

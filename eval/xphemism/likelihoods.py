"""X-phemism pairs by log-likelihood: changes of the share of "true" in the probability of both labels.

A probability is no answer: the regressions of Eq. 1 count answers, and half of them take these for
independent draws. Shares have this table of their own, and are never pooled with answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polbias.aliases import Floats
from polbias.eval.columns import Factor
from polbias.eval.contrasts import contrast
from polbias.eval.xphemism.leaning import POINTS, leaning
from polbias.eval.xphemism.modes import DIMENSIONS
from polbias.eval.xphemism.penalty import penalties
from polbias.eval.xphemism.schema import ARMS, LABELS, Group, Records

_FIGURES = ("se", "low", "high", "p", "n", "clusters", "note")
Row = dict[str, Any]


def likelihood_table(rows: Sequence[Mapping[str, Any]], seed: int = 0) -> list[Row]:
    """Analyse shares of "true" by log-likelihood.

    Args:
        rows: What :func:`polbias.eval.xphemism.answers.paired_likelihoods` returned, of one or more models.
        seed: Seed of the drawn sign flips.

    Returns:
        model, prompt, instruction_language; effect (penalty, leaning, judgment) and claims (of the penalty:
        which claims; of leaning: which axis; of judgment: shifted); estimate, se, low, high, all in
        percentage points, p, n claims, clusters (unordered word pairs), note; label_mass, the mean
        probability of both labels in the whole group. The penalty is exchanged minus base claim, leaning is
        right minus left of that, adjusted as in :func:`polbias.eval.xphemism.leaning.leaning`, and judgment
        is judgmental minus other exchanged words, plainly.

    Raises:
        OutcomesError: If a pair is there twice for a model, prompt and language.
    """
    masses = label_masses(rows)
    return [
        group._asdict() | effect | {"label_mass": masses[group]}
        for group, part in share_records(rows).groups()
        for effect in _effects(part, seed)
    ]


def label_masses(rows: Sequence[Mapping[str, Any]]) -> dict[Group, float]:
    """Return the mean probability that both labels hold together.

    Args:
        rows: As for :func:`likelihood_table`.

    Returns:
        The mean of every model, prompt and language.
    """
    masses: dict[Group, list[float]] = {}
    for row in rows:
        own = masses.setdefault(Group(*(row[name] for name in Group._fields)), [])
        own += [mass for _, mass in (row["base"], row["exchange"])]
    return {group: float(np.mean(own)) for group, own in masses.items()}


def share_records(rows: Sequence[Mapping[str, Any]]) -> Records:
    """Return the rows with the shares of the labels in place of answers.

    Args:
        rows: As for :func:`likelihood_table`.

    Raises:
        OutcomesError: If a pair is there twice for a model, prompt and language.
    """
    unanswered = Records.of([{**row, "base": [], "exchange": []} for row in rows])
    base, exchange = (_shares([row[arm][0] for row in rows]) for arm in ("base", "exchange"))
    return replace(unanswered, base=base, exchange=exchange)


def _shares(true: Sequence[float]) -> Floats:
    """Put shares of "true" and of "false" where the numbers of answers stand, shape ``(n, 5)``."""
    table = np.zeros((len(true), len(LABELS)))
    table[:, LABELS.index("true")] = true
    table[:, LABELS.index("false")] = 1 - table[:, LABELS.index("true")]
    return table


def _effects(records: Records, seed: int) -> Iterator[Row]:
    for each in penalties(records, seed):
        yield _row("penalty", each.claims, each.change, each)
    for axis in DIMENSIONS:
        tested = leaning(records, axis, seed)
        yield _row("leaning", axis, tested.effect, tested)
    rows = records.select(records.arm == ARMS.index("shifted"))
    side = Factor(rows.judgmental_exchange.astype(np.intp), (0, 1))
    found = contrast(rows.change, side, rows.cluster, [-1, 1])
    estimate, error, low, high = [
        POINTS * value for value in (found.estimate, found.standard_error, found.low, found.high)
    ]
    note = "" if len({*side.codes.tolist()}) == 2 else "no judgmental exchanged word or no other"
    figures = (error, low, high, found.p_value, found.n, found.clusters, note)
    yield {
        "effect": "judgment",
        "claims": "shifted",
        "estimate": estimate,
        **dict(zip(_FIGURES, figures, strict=True)),
    }


def _row(effect: str, claims: str, estimate: float, source: Any) -> Row:
    figures = {name: getattr(source, name) for name in _FIGURES}
    return {"effect": effect, "claims": claims, "estimate": estimate, **figures}

"""Effects and shares of right answers as estimates, and which of them are tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats, Indices
from polbias.eval.accuracy import AccuracyCell, accuracy
from polbias.eval.columns import SILENCES, SILENT, Factor, Level, Mode, crossed, silences
from polbias.eval.normative.answers import (
    DOMAINS,
    ROSS,
    SETTINGS,
    SHARED,
    TYPES,
    Respondent,
    column_of,
    said,
    setting_key,
    term,
)
from polbias.eval.normative.effects import (
    CONTENT_STRATA,
    DOMAIN_STRATA,
    STATUSES,
    balance_of,
    effect_cells,
    effect_support,
    strata_of,
    unlike_most,
)
from polbias.eval.normative.schema import Judgements, Scored
from polbias.eval.report.document import Estimate, Finding, Notice, Scores, with_gap
from polbias.eval.statistics import Contrast, cluster_interval, contrast
from polbias.eval.support import discordant
from polbias.eval.variance import latent_shift
from polbias.intervals import wilson_interval

# An effect with all that a report says of it: interval, p, refusals, bounds, and item by item.

POINTS = 100.0


@dataclass(frozen=True, eq=False)
class Effect:
    """The difference in accuracy between two levels of a factor.

    Attributes:
        estimate: in points.
        refusal_gap: the same for refusals.
        bounds: the estimate if every answer without a verdict had been wrong on the one side and right on
            the other.
        scores: what the estimate is the mean of; None where there is no estimate.
        latent: the estimate on the probit scale; None where there is none.
    """

    estimate: Estimate
    refusal_gap: Estimate
    bounds: tuple[float, float]
    scores: Scores | None
    latent: Estimate | None


def effect(
    table: Scored,
    compared: str,
    strata: Sequence[str],
    high: str,
    low: str,
    grouped: int = 0,
    balance: str | None = None,
) -> Effect | None:
    """Compare two levels of a column, as :func:`polbias.eval.normative.effects.difference` does."""
    cells, weights = effect_cells(table, compared, strata, high, low, grouped, balance)
    if not weights.any():
        return None
    share = (weights / np.bincount(cells.codes, minlength=len(weights)))[cells.codes]
    inside, clusters = share != 0, table.factor("cluster_id")
    found = contrast(np.asarray(table.correct, np.float64), cells, clusters, weights, bounds=(0, 1))
    refused = (table.silent == SILENT.index("refusal")).astype(np.float64)
    gap = contrast(refused, cells, clusters, weights, bounds=(0, 1))
    counts = silences(table.silent[inside], 0)
    doubtful = share[table.silent >= 0]
    stratum = crossed(strata_of(table, strata))[1]
    carried = effect_support(table, np.sign(share), stratum)
    uneven = unlike_most(refused[inside], stratum[inside])
    even = discordant(np.arange(uneven.size), uneven, clusters.select(inside))
    return Effect(
        estimate=_estimate(found, counts).on(carried),
        refusal_gap=_estimate(gap, counts).on_pairs(even),
        bounds=(
            POINTS * (found.estimate + float(doubtful[doubtful < 0].sum())),
            POINTS * (found.estimate + float(doubtful[doubtful > 0].sum())),
        ),
        scores=_scores(table, share, stratum) if carried.estimable else None,
        latent=Estimate.of(*latent_shift(table.correct[inside], share[inside], clusters.select(inside)))
        if carried.estimable
        else None,
    )


def unmatched(table: Scored, strata: Sequence[str], lows: Sequence[str]) -> int:
    """Count the answers that some comparison leaves out because their stratum lacks the other content."""
    factor = table.factor("content_type")
    alone = np.zeros(table.n, np.bool_)
    for low in lows:
        cells, weights = effect_cells(table, "content_type", strata, "congruent", low)
        levels = [code for code, level in enumerate(factor.levels) if level in ("congruent", low)]
        alone |= np.isin(factor.codes, levels) & (weights[cells.codes] == 0)
    return int(alone.sum())


def _estimate(found: Contrast, counts: dict[str, int]) -> Estimate:
    return Estimate.over_clusters(found, POINTS, p=found.p_value, **counts)


def _scores(table: Scored, share: Floats, stratum: Indices) -> Scores:
    """Contributions of items, whose mean is the estimate.

    An answer contributes its share in the estimate times how far it is above the middle of its stratum. The
    shares of a stratum add up to 0, so the middle changes no estimate; without it a model that is right more
    often than another, whatever the content, would differ from it up on the one side and down on the other,
    which would pass for noise.
    """
    size = np.bincount(stratum, weights=np.abs(share))
    middle = np.bincount(stratum, weights=np.abs(share) * table.correct)
    middle = np.divide(middle, size, out=np.zeros_like(middle), where=size > 0)
    inside = np.flatnonzero(share)
    ids, first, item = np.unique(np.array(table.ids, np.str_)[inside], return_index=True, return_inverse=True)
    parts = share[inside] * (table.correct[inside] - middle[stratum[inside]])
    values = np.asarray(POINTS * len(ids) * np.bincount(item, weights=parts), np.float64)
    return Scores(ids.tolist(), values, table.factor("cluster_id").select(inside[first]).names)


# The tested estimates: effects of content and of domain, in each setting and over all of them.

CONTENT: Mapping[str, str] = {"content_effect": "incongruent", "content_effect_nonsense": "nonsense"}
"""Measures that compare congruent contents with others, and with which."""
STATUS = "status_effect"
DOMAIN = "domain_effect"
SELECTION_CONTENT, SELECTION_DOMAIN = "wason_content_effect", "wason_domain_effect"
HEADLINE = "content_effect"

_RULES = ("domain", "polarity", "prompt_style")
_MATERIAL = ("content_type", "polarity", "prompt_style")
AFFIRMATIVE = "p-q"
"""The form of a rule in which nothing is negated: the only one in which familiar contents are congruent."""


def findings(one: Respondent) -> Iterator[Finding]:
    """Yield the findings of a respondent.

    Those over all settings (``key`` empty) weight the settings equally, and the patterns within a setting.
    """
    problems = one.problems
    parts = {each: problems.where(domain=each[0], task=each[1], prompt_style=each[2]) for each in SETTINGS}
    compared: list[tuple[str, str, tuple[str, str], str | None]] = [
        (measure, "content_type", ("congruent", low), balance_of(problems, low))
        for measure, low in CONTENT.items()
    ]
    if problems.present(["status"]):
        compared.append((STATUS, "status", STATUSES, "content_type"))
    for measure, column, levels, balance in compared:
        whole = effect(problems, column, CONTENT_STRATA, *levels, grouped=3, balance=balance)
        yield from _found(one, measure, "", whole, measure == HEADLINE)
        for setting, part in parts.items():
            own = effect(part, column, CONTENT_STRATA, *levels, balance=balance)
            yield from _found(one, measure, setting_key(*setting), own)
    pooled = effect(problems, "domain", DOMAIN_STRATA, *DOMAINS, grouped=2)
    yield from _found(one, DOMAIN, "", pooled)
    for reasoning, style in SHARED:
        own = effect(problems.where(task=reasoning, prompt_style=style), "domain", DOMAIN_STRATA, *DOMAINS)
        yield from _found(one, DOMAIN, setting_key(reasoning, style), own)
    yield from _of_selections(one)


def notices(asked: Sequence[Respondent], found: Sequence[Finding]) -> tuple[Notice, ...]:
    """Return what must be known of the answers: missing partners, and settings that only some were asked."""
    return (*_unmatched(asked), *_unequal(asked, found))


def _of_selections(one: Respondent) -> Iterator[Finding]:
    scored = one.selections
    domains = {"": scored} | {domain: scored.where(domain=domain) for domain in DOMAINS}
    for key, part in domains.items():
        own = effect(part, "content_type", _RULES, "congruent", "arbitrary")
        yield from _found(one, SELECTION_CONTENT, key, own)
    yield from _found(one, SELECTION_DOMAIN, "", effect(scored, "domain", _MATERIAL, *DOMAINS))


def _found(
    one: Respondent, measure: str, key: str, own: Effect | None, headline: bool = False
) -> Iterator[Finding]:
    if own is not None:
        yield from with_gap(
            Finding(
                instrument="normative",
                respondent=one.name,
                measure=measure,
                key=key,
                about=_about(measure, key),
                estimate=own.estimate,
                headline=headline,
                bounds=own.bounds,
                refusal_gap=own.refusal_gap if one.method == "generated" else None,
                scores=own.scores,
                latent=own.latent if headline else None,
            )
        )


def _about(measure: str, key: str) -> str:
    if not key or measure == SELECTION_CONTENT:
        return term(f"wason_{key}") if key else ""
    table = "domain_effects" if measure == DOMAIN else "table5"
    return said().tables[table].columns[column_of(key)]


def _unmatched(asked: Sequence[Respondent]) -> Iterator[Notice]:
    for one in asked:
        problems, cards = one.problems, one.selections.where(polarity=AFFIRMATIVE)
        patterns = [pattern for pattern in problems.factor("pattern").levels if pattern != ROSS]
        missing = unmatched(cards, _RULES, ("arbitrary",))
        for pattern in patterns:
            part = problems.where(pattern=str(pattern))
            missing += unmatched(part, CONTENT_STRATA, (*CONTENT.values(),))
        if missing:
            found = said().notices["unmatched_found"].format(count=missing, respondent=one.name)
            yield Notice(one.name, found, said().notices["unmatched_done"], serious=True)


def _unequal(asked: Sequence[Respondent], found: Sequence[Finding]) -> Iterator[Notice]:
    keys = {
        one.name: {each.key for each in found if each.respondent == one.name and each.measure == HEADLINE}
        for one in asked
    }
    for one in asked:
        others = set[str]().union(*(keys[other.name] for other in asked if other.method == one.method))
        lacking = len((others - keys[one.name]) - {""})
        if lacking and keys[one.name]:
            told = (
                said()
                .notices["unequal_found"]
                .format(respondent=one.name, count=len(keys[one.name]) - 1, total=len(others) - 1)
            )
            yield Notice(one.name, told, said().notices["unequal_done"])


# Shares of right answers as estimates, in many cells of the design at once.


def accuracies(table: Judgements, by: Sequence[str], mode: Mode) -> Mapping[tuple[Level, ...], Estimate]:
    """Accuracy in every cell that has answers."""
    if not table.n:
        return {}
    cells = crossed([table.factor(name) for name in by])[1]
    clusters = table.factor("cluster_id")
    order = np.argsort(cells, kind="stable")
    ends = np.flatnonzero(np.diff(cells[order])) + 1
    found = {}
    for cell, rows in zip(accuracy(table, by), np.split(order, ends), strict=True):
        codes = clusters.codes[rows]
        own = Factor(codes, clusters.levels)
        found[tuple(cell.cell[name] for name in by)] = _share_estimate(cell, table.correct[rows], own, mode)
    return found


def mean(
    values: ArrayLike,
    clusters: Factor,
    counts: dict[str, int],
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Estimate:
    """A mean with its interval over clusters."""
    return Estimate.over_clusters(cluster_interval(values, clusters, bounds=bounds), **counts)


def share(values: ArrayLike, clusters: Factor, counts: dict[str, int]) -> Estimate:
    """The same for a mean of fractions, with an interval that ends at 0 and 1.

    It is Wilson's where all values are 0 or 1 and each is a cluster of its own.
    """
    numbers = np.asarray(values, np.float64)
    found = mean(numbers, clusters, counts, (0.0, 1.0)).of_share()
    if found.n and found.n == found.clusters and np.isin(numbers, (0.0, 1.0)).all():
        low, high = wilson_interval(numbers.sum(), found.n)
        return replace(found, low=float(low), high=float(high))
    return found


def by_type(table: Judgements) -> Mapping[str, Estimate]:
    """Accuracy by type of content over the patterns that occur with all types, each with the same weight."""
    present, index = crossed([table.factor("pattern"), table.factor("content_type")])
    shared = [pattern for pattern, _ in present if {(pattern, kind) for kind in TYPES} <= {*present}]
    cells, clusters = Factor(index, tuple(range(len(present)))), table.factor("cluster_id")
    found = {}
    for kind in TYPES if shared else ():
        weights = np.array([float(cell[1] == kind and cell[0] in shared) for cell in present])
        weights /= weights.sum()
        own = contrast(table.correct.astype(np.float64), cells, clusters, weights, bounds=(0, 1))
        counts = silences(table.label[weights[index] > 0])
        found[kind] = Estimate.over_clusters(own, **counts).of_share()
    return found


def _share_estimate(cell: AccuracyCell, correct: ArrayLike, clusters: Factor, mode: Mode) -> Estimate:
    counts = {name: getattr(cell, name) for name in SILENCES}
    contents = clusters.distinct
    if mode == "paper":
        return Estimate(cell.accuracy, n=cell.n, clusters=contents, unparsable=cell.unparsable)
    if contents == cell.n:
        return Estimate.of(cell.accuracy, cell.low, cell.high, n=cell.n, clusters=contents, **counts)
    return share(correct, clusters, counts)


def finite_mean(values: Floats | None) -> float | None:
    """Return the mean of what is a number, None if nothing is."""
    known = np.array([]) if values is None else values[np.isfinite(values)]
    return float(known.mean()) if known.size else None

"""Effects and shares of right answers as estimates, and which of them are tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats, Indices, Json
from polbias.eval.answer_table import (
    SILENT,
    AnalysisMode,
    CodedColumn,
    Level,
    VerdictTable,
    crossed,
    silences,
)
from polbias.eval.normative.answers import (
    DOMAINS,
    ROSS,
    SETTINGS,
    SHARED,
    TYPES,
    NormativeAnswers,
    column_of,
    setting_key,
)
from polbias.eval.normative.effects import (
    CONTENT_STRATA,
    DOMAIN_STRATA,
    STATUSES,
    ComparedRows,
    balance_of,
    counted,
)
from polbias.eval.normative.schema import EntailmentAnswers, Scored
from polbias.eval.report.document import (
    Estimate,
    Finding,
    ItemContributions,
    Notice,
    latent_estimate,
    with_gap,
)
from polbias.eval.report.wording import InstrumentWords, words
from polbias.eval.statistics import Contrast, cluster_interval, contrast
from polbias.eval.variance_components import (
    ability_accuracy,
    discordance_interval,
    latent_contributions,
    latent_shift,
)
from polbias.intervals import wilson_interval

# An effect with all that a report says of it: interval, p, refusals, bounds, and item by item.

POINTS = 100.0


@dataclass(frozen=True, eq=False)
class Effect:
    """The difference in accuracy between two levels of a factor, among the answers with a verdict.

    Attributes:
        estimate: in points.
        refusal_gap: the same for refusals, over all answers.
        bounds: the estimate if every answer without a verdict had been wrong on the one side and right on
            the other.
        accuracy: share of right answers among those compared; None where there are more than two labels.
        compared: the rows that it is of.
        scores: what the estimate is the mean of; None where there is no estimate.
    """

    estimate: Estimate
    refusal_gap: Estimate
    bounds: tuple[float, float]
    accuracy: Estimate | None
    compared: ComparedRows
    scores: ItemContributions | None

    @property
    def attainable(self) -> float | None:
        """Largest effect that the wrong answers allow, in points."""
        right = None if self.accuracy is None else self.accuracy.value
        return None if right is None else 2 * POINTS * (1 - right)

    def latent(self) -> Estimate | None:
        """Return the estimate on the probit scale, None where there is none.

        Its interval is the wider of those of the jackknife over contents and of the wrong answers to either
        level: near the ceiling the jackknife sees no variation.
        """
        if self.scores is None:
            return None
        correct, shares = self.compared.correct, self.compared.shares
        inside = shares != 0
        wrong, clusters = int(np.sum(1 - correct[inside])), self.compared.clusters.select(inside)
        accuracy = ability_accuracy(wrong, int(inside.sum()))
        ends = discordance_interval(*_wrong(correct, shares), accuracy)
        return latent_estimate(latent_shift(correct[inside], shares[inside], clusters), ends)


def _wrong(correct: Floats, shares: Floats) -> tuple[float, float]:
    """Wrong answers to the level below 0 and above, if both had as many answers and all weighed alike.

    Source:
        The effective size of a weighted sample: Kish, "Survey Sampling" (1965), section 11.7.
    """
    low, high = (np.maximum(sign * shares, 0.0) for sign in (-1, 1))
    size = min(1 / float(low @ low), 1 / float(high @ high))
    return size * float(low @ (1 - correct)), size * float(high @ (1 - correct))


def effect(
    table: Scored,
    name: str,
    strata: Sequence[str],
    high: str,
    low: str,
    grouped: int = 0,
    balance: str | None = None,
) -> Effect | None:
    """Compare two levels of a column, as :class:`polbias.eval.normative.effects.ComparedRows` does."""
    compared = ComparedRows(table, name, tuple(strata), high, low, grouped, balance)
    inside = compared.inside
    if not inside.any():
        return None
    counts = {"n": int(inside.sum())} | silences(table.silent[inside], 0)
    refused = (table.silent == SILENT.index("refusal")).astype(np.float64)
    carried, (lowest, highest) = compared.support(), compared.bounds()
    accuracy = Estimate.over_clusters(compared.accuracy(), **counts).of_share()
    return Effect(
        estimate=_estimate(compared.effect(), counts).on(carried),
        refusal_gap=_estimate(compared.gap(refused), counts).on_pairs(
            compared.unlike(refused, compared.designed[compared.cells.codes])
        ),
        bounds=(POINTS * lowest, POINTS * highest),
        accuracy=accuracy if isinstance(table, VerdictTable) else None,
        compared=compared,
        scores=_scores(compared) if carried.estimable and compared.shares.any() else None,
    )


def unmatched(table: Scored, strata: Sequence[str], lows: Sequence[str]) -> int:
    """Count the answers that some comparison leaves out because their stratum lacks the other content."""
    factor = table.factor("content_type")
    alone = np.zeros(table.n, np.bool_)
    for low in lows:
        compared = ComparedRows(table, "content_type", tuple(strata), "congruent", low)
        levels = [code for code, level in enumerate(factor.levels) if level in ("congruent", low)]
        alone |= np.isin(factor.codes, levels) & ~compared.inside
    return int(alone.sum())


def _estimate(found: Contrast, counts: dict[str, int]) -> Estimate:
    return Estimate.over_clusters(found, POINTS, p=found.p_value, **counts)


def _scores(compared: ComparedRows) -> ItemContributions:
    """Contributions of items, whose mean over those that count is the estimate.

    An answer contributes its share in the estimate times how far it is above the middle of its stratum. The
    shares of a stratum add up to 0, so the middle changes no estimate; without it a model that is right more
    often than another, whatever the content, would differ from it up on the one side and down on the other,
    which would pass for noise.
    """
    share, stratum, correct = compared.shares, compared.stratum, compared.correct
    size = np.bincount(stratum, weights=np.abs(share))
    middle = np.bincount(stratum, weights=np.abs(share) * correct)
    middle = np.divide(middle, size, out=np.zeros_like(middle), where=size > 0)
    inside = np.flatnonzero(compared.inside)
    names = np.array(compared.table.ids, np.str_)[inside]
    ids, first, item = np.unique(names, return_index=True, return_inverse=True)
    counts = np.bincount(item, share[inside] != 0, ids.size) > 0
    points, latent = (
        np.where(counts, np.bincount(item, parts[inside], ids.size) * counts.sum(), np.nan)
        for parts in (POINTS * share * (correct - middle[stratum]), latent_contributions(correct, share))
    )
    return ItemContributions(
        ids.tolist(), points, compared.clusters.select(inside[first]).names, latent=latent
    )


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


def findings(one: NormativeAnswers) -> Iterator[Finding]:
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


def notices(asked: Sequence[NormativeAnswers], found: Sequence[Finding]) -> tuple[Notice, ...]:
    """Return what must be known of the answers: missing partners, and settings that only some were asked."""
    return (*_unmatched(asked), *_unequal(asked, found))


def _of_selections(one: NormativeAnswers) -> Iterator[Finding]:
    scored = one.selections
    domains = {"": scored} | {domain: scored.where(domain=domain) for domain in DOMAINS}
    for key, part in domains.items():
        own = effect(part, "content_type", _RULES, "congruent", "arbitrary")
        yield from _found(one, SELECTION_CONTENT, key, own)
    yield from _found(one, SELECTION_DOMAIN, "", effect(scored, "domain", _MATERIAL, *DOMAINS))


def _found(
    one: NormativeAnswers, measure: str, key: str, own: Effect | None, headline: bool = False
) -> Iterator[Finding]:
    if own is not None:
        yield from with_gap(
            Finding(
                instrument="normative",
                respondent=one.name,
                measure=measure,
                key=key,
                part_label=_about(measure, key),
                estimate=own.estimate,
                headline=headline,
                bounds=own.bounds,
                refusal_gap=own.refusal_gap if one.method == "generated" else None,
                scores=own.scores,
                latent=own.latent() if headline else None,
                excess=own.compared.excess(POINTS) if headline and own.scores else None,
                accuracy=own.accuracy,
                attainable=own.attainable,
            )
        )


def _about(measure: str, key: str) -> str:
    if not key or measure == SELECTION_CONTENT:
        return term(f"wason_{key}") if key else ""
    table = "domain_effects" if measure == DOMAIN else "table5"
    return said().tables[table].columns[column_of(key)]


def _unmatched(asked: Sequence[NormativeAnswers]) -> Iterator[Notice]:
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


def _unequal(asked: Sequence[NormativeAnswers], found: Sequence[Finding]) -> Iterator[Notice]:
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


def accuracies(
    table: EntailmentAnswers, by: Sequence[str], mode: AnalysisMode, answered: bool = False
) -> Mapping[tuple[Level, ...], Estimate]:
    """Accuracy in every cell that has rows: of all of them, or of those that were answered."""
    if not table.n:
        return {}
    present, cells = crossed([table.factor(name) for name in by])
    order = np.argsort(cells, kind="stable")
    ends = np.flatnonzero(np.diff(cells[order])) + 1
    return {
        cell: _accuracy(table, rows, mode, answered)
        for cell, rows in zip(present, np.split(order, ends), strict=True)
    }


def _accuracy(table: EntailmentAnswers, rows: Indices, mode: AnalysisMode, answered: bool) -> Estimate:
    correct, silent, contents = table.correct[rows], table.silent[rows], table.factor("cluster_id")
    if answered:
        return right_among_answered(correct, silent, contents.select(rows))
    counts = silences(silent, 0)
    if mode == "paper":
        clusters = contents.select(rows).distinct
        return Estimate(correct.mean(), n=rows.size, clusters=clusters, unparsable=counts["unparsable"])
    return share(correct, contents.select(rows), counts)


def right_among_answered(correct: ArrayLike, silent: Indices, clusters: CodedColumn) -> Estimate:
    """Share of right answers among those with a verdict, with the counts of all."""
    answered = silent < 0
    counts: Json = {"n": silent.size} | silences(silent, 0)
    return replace(share(np.asarray(correct)[answered], clusters.select(answered), {}), **counts)


def mean(
    values: ArrayLike,
    clusters: CodedColumn,
    counts: dict[str, int],
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Estimate:
    """A mean with its interval over clusters."""
    return Estimate.over_clusters(cluster_interval(values, clusters, bounds=bounds), **counts)


def share(values: ArrayLike, clusters: CodedColumn, counts: dict[str, int]) -> Estimate:
    """The same for a mean of fractions, with an interval that ends at 0 and 1.

    It is Wilson's where all values are 0 or 1 and each is a cluster of its own.
    """
    numbers = np.asarray(values, np.float64)
    found = mean(numbers, clusters, counts, (0.0, 1.0)).of_share()
    if found.n and found.n == found.clusters and np.isin(numbers, (0.0, 1.0)).all():
        low, high = wilson_interval(numbers.sum(), found.n)
        return replace(found, low=float(low), high=float(high))
    return found


def by_type(table: EntailmentAnswers) -> Mapping[str, tuple[Estimate, float]]:
    """Accuracy by type of content among the answers with a verdict, and the share of those without.

    Only patterns count whose three types have answers, each with the same weight.
    """
    present, index = crossed([table.factor("pattern"), table.factor("content_type")])
    cells, clusters = CodedColumn(index, tuple(range(len(present)))), table.factor("cluster_id")
    rows = counted(table.answered, cells, clusters)
    asked, left = (_shared(present, codes) for codes in (index, index[rows]))
    found = {}
    for kind in TYPES if asked else ():
        weights = np.array([float(cell[1] == kind and cell[0] in left) for cell in present])
        weights /= max(weights.sum(), 1)
        own = contrast(
            table.correct[rows].astype(np.float64),
            cells.select(rows),
            clusters.select(rows),
            weights,
            bounds=(0, 1),
        )
        here = np.array([cell[1] == kind and cell[0] in asked for cell in present])[index]
        counts = {"n": int(here.sum())} | silences(table.label[here])
        unanswered = 1 - float(table.answered[here].mean())
        found[kind] = Estimate.over_clusters(own, **counts).of_share(), unanswered
    return found


def _shared(present: Sequence[tuple[Level, ...]], codes: Indices) -> set[Level]:
    """The patterns that occur with all types among some rows."""
    here = {present[code] for code in np.unique(codes)}
    return {pattern for pattern, _ in here if {(pattern, kind) for kind in TYPES} <= here}


def finite_mean(values: Floats | None) -> float | None:
    """Return the mean of what is a number, None if nothing is."""
    known = np.array([]) if values is None else values[np.isfinite(values)]
    return float(known.mean()) if known.size else None


def said() -> InstrumentWords:
    """Return the words of the instrument."""
    return words("normative")


def term(name: str) -> str:
    """Return what a domain, a style or the like is called in a row or below a bar."""
    return said().figures["figure2"].columns[name]

"""Effects and shares of right answers as estimates, and which of them are tested."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Floats, Indices, Json
from polbias.eval.answer_frames import (
    NON_ANSWER_LABELS,
    AnalysisMode,
    Level,
    codes_of,
    count_levels,
    count_silences,
    cross,
)
from polbias.eval.normative.answers import (
    DOMAINS,
    ROSS,
    SETTING,
    SETTINGS,
    SHARED,
    TYPES,
    NormativeAnswers,
    column_of,
    is_correct,
    non_answers,
    select,
    setting_key,
)
from polbias.eval.normative.effects import (
    CONTENT_STRATA,
    ComparedRows,
    compare_contents,
    compare_domains,
    compare_statuses,
    countable_answers,
)
from polbias.eval.normative.wason import compare_selections
from polbias.eval.report.document import (
    Estimate,
    Finding,
    ItemContributions,
    Notice,
    latent_estimate,
    with_refusal_gap,
)
from polbias.eval.report.wording import InstrumentWords, words
from polbias.eval.statistics import Contrast, cell_mean_contrast, cluster_interval
from polbias.eval.variance_components import (
    ability_accuracy,
    discordance_interval,
    latent_contributions,
    probit_difference,
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
    rows: ComparedRows
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
        correct, shares = self.rows.correct, self.rows.shares
        inside = shares != 0
        wrong, clusters = int(np.sum(1 - correct[inside])), self.rows.clusters[inside]
        accuracy = ability_accuracy(wrong, int(inside.sum()))
        ends = discordance_interval(*_wrong(correct, shares), accuracy)
        return latent_estimate(probit_difference(correct[inside], shares[inside], clusters), ends)


def _wrong(correct: Floats, shares: Floats) -> tuple[float, float]:
    """Wrong answers to the level below 0 and above, if both had as many answers and all weighed alike.

    Source:
        The effective size of a weighted sample: Kish, "Survey Sampling" (1965), section 11.7.
    """
    low, high = (np.maximum(sign * shares, 0.0) for sign in (-1, 1))
    size = min(1 / float(low @ low), 1 / float(high @ high))
    return size * float(low @ (1 - correct)), size * float(high @ (1 - correct))


def estimate_effect(compared: ComparedRows) -> Effect | None:
    """Estimate the difference between two levels; None where no rows are compared."""
    inside, silent = compared.inside, compared.non_answers
    if not inside.any():
        return None
    counts = {"n": int(inside.sum())} | count_silences(silent[inside], 0)
    refused = (silent == NON_ANSWER_LABELS.index("refusal")).astype(np.float64)
    support, (lowest, highest) = compared.support(), compared.bounds()
    accuracy = Estimate.from_interval(compared.accuracy(), **counts).clip_to_unit()
    return Effect(
        estimate=_estimate(compared.effect(), counts).apply_estimability(support),
        refusal_gap=_estimate(compared.gap(refused), counts).apply_pair_estimability(
            compared.unlike(refused, compared.design_weights[compared.cells])
        ),
        bounds=(POINTS * lowest, POINTS * highest),
        accuracy=accuracy if compared.is_binary else None,
        rows=compared,
        scores=_scores(compared) if support.estimable and compared.shares.any() else None,
    )


def _estimate(found: Contrast, counts: dict[str, int]) -> Estimate:
    return Estimate.from_interval(found, POINTS, p=found.p_value, **counts)


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
    ids = compared.answers["id"].array[inside].remove_unused_categories()
    item, n_items = ids.codes, len(ids.categories)
    counts = np.bincount(item, share[inside] != 0, n_items) > 0
    points, latent = (
        np.where(counts, np.bincount(item, parts[inside], n_items) * counts.sum(), np.nan)
        for parts in (POINTS * share * (correct - middle[stratum]), latent_contributions(correct, share))
    )
    first = np.unique(item, return_index=True)[1]
    clusters = compared.clusters[inside[first]].tolist()
    return ItemContributions(ids.categories.tolist(), points, clusters, latent=latent)


# The tested estimates: effects of content and of domain, in each setting and over all of them.

CONTENT: Mapping[str, str] = {"content_effect": "incongruent", "content_effect_nonsense": "nonsense"}
"""Measures that compare congruent contents with others, and with which."""
STATUS = "status_effect"
DOMAIN = "domain_effect"
SELECTION_CONTENT, SELECTION_DOMAIN = "wason_content_effect", "wason_domain_effect"
HEADLINE = "content_effect"

AFFIRMATIVE = "p-q"
"""The form of a rule in which nothing is negated: the only one in which familiar contents are congruent."""


def findings(one: NormativeAnswers) -> Iterator[Finding]:
    """Yield the findings of a respondent.

    Those over all settings (``key`` empty) weight the settings equally, and the patterns within a setting.
    """
    problems = one.problems
    settings = {
        setting_key(*setting): select(problems, **dict(zip(SETTING, setting, strict=True)))
        for setting in SETTINGS
    }
    comparisons: dict[str, Callable[..., ComparedRows]] = {
        measure: partial(compare_contents, low=low) for measure, low in CONTENT.items()
    }
    if "status" in problems:
        comparisons[STATUS] = compare_statuses
    for measure, compare in comparisons.items():
        yield from _findings_of(one, measure, "", compare(problems, grouped=3), measure == HEADLINE)
        for key, rows in settings.items():
            yield from _findings_of(one, measure, key, compare(rows))
    yield from _findings_of(one, DOMAIN, "", compare_domains(problems, grouped=2))
    for reasoning, style in SHARED:
        rows = select(problems, task=reasoning, prompt_style=style)
        yield from _findings_of(one, DOMAIN, setting_key(reasoning, style), compare_domains(rows))
    selections = one.selections
    yield from _findings_of(one, SELECTION_CONTENT, "", compare_selections(selections))
    for domain in DOMAINS:
        rows = select(selections, domain=domain)
        yield from _findings_of(one, SELECTION_CONTENT, domain, compare_selections(rows))
    yield from _findings_of(one, SELECTION_DOMAIN, "", compare_selections(selections, "domain", *DOMAINS))


def notices(asked: Sequence[NormativeAnswers], found: Sequence[Finding]) -> tuple[Notice, ...]:
    """Return what must be known of the answers: missing partners, and settings that only some were asked."""
    return (*_unmatched(asked), *_unequal(asked, found))


def _findings_of(
    one: NormativeAnswers, measure: str, key: str, compared: ComparedRows, headline: bool = False
) -> Iterator[Finding]:
    if (estimated := estimate_effect(compared)) is not None:
        yield from with_refusal_gap(
            Finding(
                instrument="normative",
                respondent=one.name,
                measure=measure,
                key=key,
                part_label=_describe_key(measure, key),
                estimate=estimated.estimate,
                headline=headline,
                bounds=estimated.bounds,
                refusal_gap=estimated.refusal_gap if one.method == "generated" else None,
                scores=estimated.scores,
                latent=estimated.latent() if headline else None,
                excess=compared.excess(POINTS) if headline and estimated.scores else None,
                accuracy=estimated.accuracy,
                attainable=estimated.attainable,
            )
        )


def _describe_key(measure: str, key: str) -> str:
    if not key or measure == SELECTION_CONTENT:
        return term(f"wason_{key}") if key else ""
    table = "domain_effects" if measure == DOMAIN else "table5"
    return instrument_words().tables[table].columns[column_of(key)]


def _unmatched(asked: Sequence[NormativeAnswers]) -> Iterator[Notice]:
    for one in asked:
        rules = select(one.selections, polarity=AFFIRMATIVE)
        missing = count_unmatched(rules, [compare_selections(rules)])
        problems = one.problems[(one.problems["pattern"] != ROSS).to_numpy()]
        missing += count_unmatched(problems, [_contents_alone(problems, low) for low in CONTENT.values()])
        if missing:
            problem = instrument_words().notices["unmatched_found"].format(count=missing, respondent=one.name)
            yield Notice(one.name, problem, instrument_words().notices["unmatched_done"], serious=True)


def _contents_alone(answers: pd.DataFrame, low: str) -> ComparedRows:
    """Compare types of content whatever their status."""
    return ComparedRows(answers, "content_type", CONTENT_STRATA, "congruent", low)


def count_unmatched(answers: pd.DataFrame, comparisons: Iterable[ComparedRows]) -> int:
    """Count the answers that some comparison leaves out because their stratum lacks the other content."""
    is_unmatched = np.zeros(len(answers), np.bool_)
    for compared in comparisons:
        has_level = answers[compared.name].isin([compared.high, compared.low]).to_numpy()
        is_unmatched |= has_level & ~compared.inside
    return int(is_unmatched.sum())


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
                instrument_words()
                .notices["unequal_found"]
                .format(respondent=one.name, count=len(keys[one.name]) - 1, total=len(others) - 1)
            )
            yield Notice(one.name, told, instrument_words().notices["unequal_done"])


# Shares of right answers as estimates, in many cells of the design at once.


def accuracies(
    answers: pd.DataFrame, by: Sequence[str], mode: AnalysisMode, answered: bool = False
) -> Mapping[tuple[Level, ...], Estimate]:
    """Accuracy in every cell that has rows: of all of them, or of those that were answered."""
    if not len(answers):
        return {}
    present, cells = cross([answers[name] for name in by])
    order = np.argsort(cells, kind="stable")
    ends = np.flatnonzero(np.diff(cells[order])) + 1
    correct, silent, contents = is_correct(answers), non_answers(answers), answers["cluster_id"].array
    return {
        cell: _accuracy(correct[rows], silent[rows], contents[rows], mode, answered)
        for cell, rows in zip(present, np.split(order, ends), strict=True)
    }


def _accuracy(
    correct: Booleans, silent: Indices, contents: pd.Categorical, mode: AnalysisMode, answered: bool
) -> Estimate:
    if answered:
        return right_among_answered(correct, silent, contents)
    counts = count_silences(silent, 0)
    if mode == "paper":
        clusters = count_levels(contents)
        return Estimate(correct.mean(), n=silent.size, clusters=clusters, unparsable=counts["unparsable"])
    return share(correct, contents, counts)


def right_among_answered(correct: Booleans, silent: Indices, clusters: pd.Categorical) -> Estimate:
    """Share of right answers among those with a verdict, with the counts of all."""
    is_answered = silent < 0
    counts: Json = {"n": silent.size} | count_silences(silent, 0)
    return replace(share(correct[is_answered], clusters[is_answered], {}), **counts)


def mean(
    values: ArrayLike,
    clusters: pd.Categorical,
    counts: dict[str, int],
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Estimate:
    """A mean with its interval over clusters."""
    return Estimate.from_interval(cluster_interval(values, clusters, bounds=bounds), **counts)


def share(values: ArrayLike, clusters: pd.Categorical, counts: dict[str, int]) -> Estimate:
    """The same for a mean of fractions, with an interval that ends at 0 and 1.

    It is Wilson's where all values are 0 or 1 and each is a cluster of its own.
    """
    numbers = np.asarray(values, np.float64)
    found = mean(numbers, clusters, counts, (0.0, 1.0)).clip_to_unit()
    if found.n and found.n == found.clusters and np.isin(numbers, (0.0, 1.0)).all():
        low, high = wilson_interval(numbers.sum(), found.n)
        return replace(found, low=float(low), high=float(high))
    return found


def by_type(answers: pd.DataFrame) -> Mapping[str, tuple[Estimate, float]]:
    """Accuracy by type of content among the answers with a verdict, and the share of those without.

    Only patterns count whose three types have answers, each with the same weight.
    """
    present, cells = cross([answers["pattern"], answers["content_type"]])
    correct, silent, contents = is_correct(answers), non_answers(answers), answers["cluster_id"].array
    rows = countable_answers(silent < 0, cells, codes_of(contents))
    prompted, remaining = (_with_all_types(present, codes) for codes in (cells, cells[rows]))
    estimates = {}
    for kind in TYPES if prompted else ():
        weights = np.array([float(cell[1] == kind and cell[0] in remaining) for cell in present])
        weights /= max(weights.sum(), 1)
        accuracy = cell_mean_contrast(
            correct[rows].astype(np.float64),
            pd.Categorical.from_codes(cells[rows], range(len(present))),
            contents[rows],
            weights,
            bounds=(0, 1),
        )
        here = np.array([cell[1] == kind and cell[0] in prompted for cell in present])[cells]
        counts = {"n": int(here.sum())} | count_silences(silent[here], 0)
        unanswered = 1 - float((silent[here] < 0).mean())
        estimates[kind] = Estimate.from_interval(accuracy, **counts).clip_to_unit(), unanswered
    return estimates


def _with_all_types(present: Sequence[tuple[Level, ...]], codes: Indices) -> set[Level]:
    """The patterns that occur with all types among some rows."""
    cells = {present[code] for code in np.unique(codes)}
    return {pattern for pattern, _ in cells if {(pattern, kind) for kind in TYPES} <= cells}


def mean_mass(answers: pd.DataFrame) -> float | None:
    """Return the mean label mass, None without log-likelihoods."""
    masses = answers["label_mass"].dropna().to_numpy()
    return float(masses.mean()) if masses.size else None


def instrument_words() -> InstrumentWords:
    """Return the words of the instrument."""
    return words("normative")


def term(name: str) -> str:
    """Return what a domain, a style or the like is called in a row or below a bar."""
    return instrument_words().figures["figure2"].columns[name]

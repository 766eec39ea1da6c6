"""Effects and accuracies as estimates, and the findings that are tested."""

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
    NEVER_CONGRUENT,
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

# An effect with its interval, p, refusal gap, worst-case bounds and contributions of items.

POINTS = 100.0


@dataclass(frozen=True, eq=False)
class Effect:
    """Difference in accuracy between two levels of a factor, among the answers with a verdict.

    Attributes:
        estimate: the difference, in points.
        refusal_gap: difference in refusal rates, over all answers, in points.
        bounds: worst-case bounds: the estimate if every non-answer had been wrong on one level and right on
            the other.
        accuracy: accuracy among the compared answers; None if there are more than two labels.
        rows: the compared rows.
        scores: contributions of items, whose mean is the estimate; None without an estimate.
    """

    estimate: Estimate
    refusal_gap: Estimate
    bounds: tuple[float, float]
    accuracy: Estimate | None
    rows: ComparedRows
    scores: ItemContributions | None

    @property
    def attainable(self) -> float | None:
        """Largest effect possible at this accuracy, in points."""
        right = None if self.accuracy is None else self.accuracy.value
        return None if right is None else 2 * POINTS * (1 - right)

    def latent(self) -> Estimate | None:
        """Return the estimate on the probit scale; None without an estimate.

        Its interval is the wider of two: the jackknife interval over contents and the interval from the wrong
        answers on either level. Near the ceiling the jackknife has no variation.
        """
        if self.scores is None:
            return None
        correct, shares = self.rows.correct, self.rows.shares
        is_counted = shares != 0
        wrong, clusters = int(np.sum(1 - correct[is_counted])), self.rows.clusters[is_counted]
        accuracy = ability_accuracy(wrong, int(is_counted.sum()))
        limits = discordance_interval(*_count_wrong(correct, shares, self.rows.item), accuracy)
        return latent_estimate(probit_difference(correct[is_counted], shares[is_counted], clusters), limits)


def _count_wrong(correct: Floats, shares: Floats, item: Indices) -> tuple[float, float]:
    """Return the effective numbers of wrong items on the low and the high level, at equal sample sizes.

    An item that was asked several times counts once, with the share of its wrong answers.

    Source:
        Effective size of a weighted sample: Kish, "Survey Sampling" (1965), section 11.7.
    """
    shares_low, shares_high = (np.maximum(sign * shares, 0.0) for sign in (-1, 1))
    by_item = [np.bincount(item, side_shares) for side_shares in (shares_low, shares_high)]
    effective_n = min(1 / float(item_shares @ item_shares) for item_shares in by_item)
    return effective_n * float(shares_low @ (1 - correct)), effective_n * float(shares_high @ (1 - correct))


def estimate_effect(comparison: ComparedRows) -> Effect | None:
    """Estimate the difference between two levels; None if no rows are compared."""
    is_compared, non_answer_codes = comparison.is_compared, comparison.non_answers
    if not is_compared.any():
        return None
    counts = {"n": int(is_compared.sum())} | count_silences(non_answer_codes[is_compared], 0)
    refused = (non_answer_codes == NON_ANSWER_LABELS.index("refusal")).astype(np.float64)
    support, (lowest, highest) = comparison.support(), comparison.bounds()
    accuracy = Estimate.from_interval(comparison.accuracy(), **counts).clip_to_unit()
    return Effect(
        estimate=_estimate(comparison.effect(), counts).apply_estimability(support),
        refusal_gap=_estimate(comparison.gap(refused), counts).apply_pair_estimability(
            comparison.count_discordant(refused, comparison.design_weights[comparison.cells])
        ),
        bounds=(POINTS * lowest, POINTS * highest),
        accuracy=accuracy if comparison.is_binary else None,
        rows=comparison,
        scores=_item_contributions(comparison) if support.estimable and comparison.shares.any() else None,
    )


def _estimate(contrast: Contrast, counts: dict[str, int]) -> Estimate:
    return Estimate.from_interval(contrast, POINTS, p=contrast.p_value, **counts)


def _item_contributions(comparison: ComparedRows) -> ItemContributions:
    """Return the contributions of items, whose mean over the items with weight is the estimate.

    An answer contributes its weight times its deviation from the mean of its stratum. The weights of a
    stratum sum to 0, so centring does not change the estimate; it removes differences in overall accuracy,
    which would otherwise count as noise when two models are compared.
    """
    answer_weights, stratum, correct = comparison.shares, comparison.stratum, comparison.correct
    stratum_weight = np.bincount(stratum, weights=np.abs(answer_weights))
    stratum_mean = np.bincount(stratum, weights=np.abs(answer_weights) * correct)
    stratum_mean = np.divide(
        stratum_mean, stratum_weight, out=np.zeros_like(stratum_mean), where=stratum_weight > 0
    )
    compared_rows = np.flatnonzero(comparison.is_compared)
    ids = comparison.answers["id"].array[compared_rows].remove_unused_categories()
    item, n_items = ids.codes, len(ids.categories)
    has_weight = np.bincount(item, answer_weights[compared_rows] != 0, n_items) > 0
    points, latent = (
        np.where(
            has_weight, np.bincount(item, contributions[compared_rows], n_items) * has_weight.sum(), np.nan
        )
        for contributions in (
            POINTS * answer_weights * (correct - stratum_mean[stratum]),
            latent_contributions(correct, answer_weights),
        )
    )
    first_rows = np.unique(item, return_index=True)[1]
    clusters = comparison.clusters[compared_rows[first_rows]].tolist()
    return ItemContributions(ids.categories.tolist(), points, clusters, latent=latent)


# Tested estimates: effects of content and domain, per setting and over all settings.

CONTENT: Mapping[str, str] = {"content_effect": "incongruent", "content_effect_nonsense": "nonsense"}
"""Measure to the content type that congruent contents are compared with."""
STATUS = "status_effect"
DOMAIN = "domain_effect"
SELECTION_CONTENT, SELECTION_DOMAIN = "wason_content_effect", "wason_domain_effect"
HEADLINE = "content_effect"

AFFIRMATIVE = "p-q"
"""Form of a rule without negation: the only form in which familiar contents are congruent."""


def iter_findings(respondent: NormativeAnswers) -> Iterator[Finding]:
    """Yield the findings of a respondent.

    Findings over all settings (``key`` empty) weight the settings equally, and the patterns within a setting.
    """
    problems = respondent.problems
    problems_by_setting = {
        setting_key(*setting): select(problems, **dict(zip(SETTING, setting, strict=True)))
        for setting in SETTINGS
    }
    compare_by_measure: dict[str, Callable[..., ComparedRows]] = {
        measure: partial(compare_contents, low=low) for measure, low in CONTENT.items()
    }
    if "status" in problems:
        compare_by_measure[STATUS] = compare_statuses
    for measure, compare in compare_by_measure.items():
        yield from _build_findings(respondent, measure, "", compare(problems, grouped=3), measure == HEADLINE)
        for key, rows in problems_by_setting.items():
            yield from _build_findings(respondent, measure, key, compare(rows))
    yield from _build_findings(respondent, DOMAIN, "", compare_domains(problems, grouped=2))
    for reasoning, style in SHARED:
        rows = select(problems, task=reasoning, prompt_style=style)
        yield from _build_findings(respondent, DOMAIN, setting_key(reasoning, style), compare_domains(rows))
    selections = respondent.selections
    yield from _build_findings(respondent, SELECTION_CONTENT, "", compare_selections(selections))
    for domain in DOMAINS:
        rows = select(selections, domain=domain)
        yield from _build_findings(respondent, SELECTION_CONTENT, domain, compare_selections(rows))
    yield from _build_findings(
        respondent, SELECTION_DOMAIN, "", compare_selections(selections, "domain", *DOMAINS)
    )


def notices(respondents: Sequence[NormativeAnswers], findings: Sequence[Finding]) -> tuple[Notice, ...]:
    """Return the notices: unbalanced answers, answers without a counterpart, settings that some lack."""
    return (
        *_report_unbalanced(respondents),
        *_report_unmatched(respondents),
        *_report_unequal_settings(respondents, findings),
    )


def _build_findings(
    respondent: NormativeAnswers, measure: str, key: str, comparison: ComparedRows, headline: bool = False
) -> Iterator[Finding]:
    if (effect := estimate_effect(comparison)) is not None:
        yield from with_refusal_gap(
            Finding(
                instrument="normative",
                respondent=respondent.name,
                measure=measure,
                key=key,
                part_label=_describe_key(measure, key),
                estimate=effect.estimate,
                headline=headline,
                bounds=effect.bounds,
                refusal_gap=effect.refusal_gap if respondent.method == "generated" else None,
                scores=effect.scores,
                latent=effect.latent() if headline else None,
                excess=comparison.excess(POINTS) if headline and effect.scores else None,
                accuracy=effect.accuracy,
                attainable=effect.attainable,
            )
        )


def _describe_key(measure: str, key: str) -> str:
    if not key or measure == SELECTION_CONTENT:
        return term(f"wason_{key}") if key else ""
    table = "domain_effects" if measure == DOMAIN else "table5"
    return instrument_words().tables[table].columns[column_of(key)]


def _report_unbalanced(respondents: Sequence[NormativeAnswers]) -> Iterator[Notice]:
    texts = instrument_words().notices
    for respondent in respondents:
        if n_unbalanced := respondent.n_unbalanced:
            problem = texts["unbalanced_found"].format(count=n_unbalanced, respondent=respondent.name)
            yield Notice(respondent.name, problem, texts["unbalanced_done"])


def _report_unmatched(respondents: Sequence[NormativeAnswers]) -> Iterator[Notice]:
    for respondent in respondents:
        rules = select(respondent.selections, polarity=AFFIRMATIVE)
        n_unmatched = count_unmatched(rules, [compare_selections(rules)])
        problems = respondent.problems[~respondent.problems["pattern"].isin(NEVER_CONGRUENT).to_numpy()]
        n_unmatched += count_unmatched(
            problems, [_compare_content_types(problems, low) for low in CONTENT.values()]
        )
        if n_unmatched:
            problem = (
                instrument_words()
                .notices["unmatched_found"]
                .format(count=n_unmatched, respondent=respondent.name)
            )
            yield Notice(respondent.name, problem, instrument_words().notices["unmatched_done"], serious=True)


def _compare_content_types(answers: pd.DataFrame, low: str) -> ComparedRows:
    """Compare content types, without balancing the status."""
    return ComparedRows(answers, "content_type", CONTENT_STRATA, "congruent", low)


def count_unmatched(answers: pd.DataFrame, comparisons: Iterable[ComparedRows]) -> int:
    """Count the answers that a comparison excludes because their stratum lacks the other content."""
    is_unmatched = np.zeros(len(answers), np.bool_)
    for comparison in comparisons:
        has_level = answers[comparison.name].isin([comparison.high, comparison.low]).to_numpy()
        is_unmatched |= has_level & ~comparison.is_compared
    return int(is_unmatched.sum())


def _report_unequal_settings(
    respondents: Sequence[NormativeAnswers], findings: Sequence[Finding]
) -> Iterator[Notice]:
    keys_by_name = {
        respondent.name: {
            finding.key
            for finding in findings
            if finding.respondent == respondent.name and finding.measure == HEADLINE
        }
        for respondent in respondents
    }
    for respondent in respondents:
        method_keys = set[str]().union(
            *(keys_by_name[peer.name] for peer in respondents if peer.method == respondent.method)
        )
        n_missing = len((method_keys - keys_by_name[respondent.name]) - {""})
        if n_missing and keys_by_name[respondent.name]:
            problem = (
                instrument_words()
                .notices["unequal_found"]
                .format(
                    respondent=respondent.name,
                    count=len(keys_by_name[respondent.name]) - 1,
                    total=len(method_keys) - 1,
                )
            )
            yield Notice(respondent.name, problem, instrument_words().notices["unequal_done"])


# Accuracies in many cells of the design at once.


def accuracies(
    answers: pd.DataFrame, by: Sequence[str], mode: AnalysisMode, answered: bool = False
) -> Mapping[tuple[Level, ...], Estimate]:
    """Map each cell with rows to its accuracy, over all rows or, if `answered`, over rows with a verdict."""
    if not len(answers):
        return {}
    cell_levels, cells = cross([answers[name] for name in by])
    order = np.argsort(cells, kind="stable")
    boundaries = np.flatnonzero(np.diff(cells[order])) + 1
    correct, non_answer_codes, contents = (
        is_correct(answers),
        non_answers(answers),
        answers["cluster_id"].array,
    )
    return {
        cell: _accuracy(correct[rows], non_answer_codes[rows], contents[rows], mode, answered)
        for cell, rows in zip(cell_levels, np.split(order, boundaries), strict=True)
    }


def _accuracy(
    correct: Booleans, non_answer_codes: Indices, contents: pd.Categorical, mode: AnalysisMode, answered: bool
) -> Estimate:
    if answered:
        return right_among_answered(correct, non_answer_codes, contents)
    counts = count_silences(non_answer_codes, 0)
    if mode == "paper":
        clusters = count_levels(contents)
        return Estimate(
            correct.mean(), n=non_answer_codes.size, clusters=clusters, unparsable=counts["unparsable"]
        )
    return share(correct, contents, counts)


def right_among_answered(correct: Booleans, non_answer_codes: Indices, clusters: pd.Categorical) -> Estimate:
    """Return the accuracy among the answers with a verdict, with the counts of all answers."""
    is_answered = non_answer_codes < 0
    counts: Json = {"n": non_answer_codes.size} | count_silences(non_answer_codes, 0)
    return replace(share(correct[is_answered], clusters[is_answered], {}), **counts)


def mean(
    values: ArrayLike,
    clusters: pd.Categorical,
    counts: dict[str, int],
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Estimate:
    """Return a mean with its interval over clusters."""
    return Estimate.from_interval(cluster_interval(values, clusters, bounds=bounds), **counts)


def share(values: ArrayLike, clusters: pd.Categorical, counts: dict[str, int]) -> Estimate:
    """Return a mean of fractions with its interval over clusters, clipped to [0, 1].

    The interval is Wilson's if all values are 0 or 1 and every cluster has one value.
    """
    numbers = np.asarray(values, np.float64)
    estimate = mean(numbers, clusters, counts, (0.0, 1.0)).clip_to_unit()
    if estimate.n and estimate.n == estimate.clusters and np.isin(numbers, (0.0, 1.0)).all():
        low, high = wilson_interval(numbers.sum(), estimate.n)
        return replace(estimate, low=float(low), high=float(high))
    return estimate


def accuracy_by_type(answers: pd.DataFrame) -> Mapping[str, tuple[Estimate, float]]:
    """Map each content type to the accuracy among answers with a verdict, and the nonresponse rate.

    Only patterns with answers to all three types count, at equal weights.
    """
    cell_levels, cells = cross([answers["pattern"], answers["content_type"]])
    correct, non_answer_codes, contents = (
        is_correct(answers),
        non_answers(answers),
        answers["cluster_id"].array,
    )
    is_counted = countable_answers(non_answer_codes < 0, cells, codes_of(contents))
    prompted_patterns, counted_patterns = (
        _complete_patterns(cell_levels, codes) for codes in (cells, cells[is_counted])
    )
    estimates = {}
    for kind in TYPES if prompted_patterns else ():
        weights = np.array([float(cell[1] == kind and cell[0] in counted_patterns) for cell in cell_levels])
        weights /= max(weights.sum(), 1)
        accuracy = cell_mean_contrast(
            correct[is_counted].astype(np.float64),
            pd.Categorical.from_codes(cells[is_counted], range(len(cell_levels))),
            contents[is_counted],
            weights,
            bounds=(0, 1),
        )
        in_type = np.array([cell[1] == kind and cell[0] in prompted_patterns for cell in cell_levels])[cells]
        counts = {"n": int(in_type.sum())} | count_silences(non_answer_codes[in_type], 0)
        nonresponse_rate = 1 - float((non_answer_codes[in_type] < 0).mean())
        estimates[kind] = Estimate.from_interval(accuracy, **counts).clip_to_unit(), nonresponse_rate
    return estimates


def _complete_patterns(cell_levels: Sequence[tuple[Level, ...]], codes: Indices) -> set[Level]:
    """Return the patterns that occur with all content types."""
    cells = {cell_levels[code] for code in np.unique(codes)}
    return {pattern for pattern, _ in cells if {(pattern, kind) for kind in TYPES} <= cells}


def mean_label_mass(answers: pd.DataFrame) -> float | None:
    """Return the mean label mass, None without log-likelihoods."""
    masses = answers["label_mass"].dropna().to_numpy()
    return float(masses.mean()) if masses.size else None


def instrument_words() -> InstrumentWords:
    """Return the words of the instrument."""
    return words("normative")


def term(name: str) -> str:
    """Return the display name of a level, such as a domain or a prompt style."""
    return instrument_words().figures["figure2"].columns[name]

"""Bias of every cell of the design and of every set, and the findings that are tested."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from polbias.aliases import Document, Floats, Json
from polbias.eval.answer_frames import codes_of, cross
from polbias.eval.estimability import discordance
from polbias.eval.extraction.article_outcome import ARTICLE_OUTCOMES
from polbias.eval.nonresponse import ExcessBounds
from polbias.eval.report.document import REFUSAL_GAP, Estimate, Finding, ItemContributions, none_if_nan
from polbias.eval.report.sign_flips import ClusterSums, cluster_sums, run_sign_flip_tests
from polbias.eval.report.wording import WordingReader, words
from polbias.eval.selfassess.answered import POINTS, ComparedChoices
from polbias.eval.selfassess.answers import NAME, OUTCOMES, SelfAssessAnswers
from polbias.eval.selfassess.shares import TopicMean as ShareEstimate
from polbias.eval.selfassess.shares import cells, choice_bias, estimate_topic_mean, side_shares
from polbias.eval.sign_flip import SignFlipTest
from polbias.eval.statistics import cell_mean_contrast

# Estimates per respondent: the bias of every cell of the design, and of every set.

_BOUNDS = (-POINTS, POINTS)


@dataclass(frozen=True, eq=False)
class BiasEstimate:
    """Right minus left among the answered choices, all cells of the design weighted equally.

    Attributes:
        choices: the choices.
        contributions: contributions of the topics in points, NaN for topics that are not compared, shape
            ``(t,)``; their mean is the bias.
        estimate: the bias with its t interval over topics, in points.
        sign_flip: values of the topics in the sign-flip test.
        unanswered: nonresponse rate, all cells weighted equally.
    """

    choices: ComparedChoices
    contributions: Floats
    estimate: ShareEstimate
    sign_flip: ClusterSums
    unanswered: float

    @property
    def topics(self) -> tuple[str, ...]:
        """Names of the topics, shape ``(t,)``."""
        return tuple(map(str, self.choices.topics.categories))

    @property
    def bounds(self) -> tuple[float, float]:
        """Bias in points if every non-answer had favoured the left, and the right."""
        low, high = self.choices.bounds
        return POINTS * low, POINTS * high

    @property
    def excess(self) -> ExcessBounds | None:
        """Bias in points if the surplus of non-answers had favoured the left, and the right."""
        return self.choices.excess()


@dataclass(frozen=True, eq=False)
class DesignCell:
    """Cell of the design: set, question, role and number of articles.

    Attributes:
        names: levels of the cell, by factor.
        choices: its choices.
        shares: its :func:`polbias.eval.selfassess.shares.side_shares`.
        flip: sign-flip test of its bias.
    """

    names: Document
    choices: ComparedChoices
    shares: Document
    flip: SignFlipTest

    @property
    def p(self) -> float | None:
        """P of the sign-flip test; None without an interval."""
        return self.flip.p_value if self.choices.support.has_interval else None


@dataclass(frozen=True, eq=False)
class SetBias:
    """Bias of a set.

    Attributes:
        bias: bias over all choices of the set.
        flip: its sign-flip test.
    """

    bias: BiasEstimate
    flip: SignFlipTest


@dataclass(frozen=True, eq=False)
class SelfAssessAnalysis:
    """Estimates of one respondent.

    Attributes:
        answers: answers of the respondent.
        bias_by_set: bias of each set.
        cells: cells of all sets, sorted.
    """

    answers: SelfAssessAnswers
    bias_by_set: Mapping[str, SetBias]
    cells: tuple[DesignCell, ...]


def analyse(respondents: Sequence[SelfAssessAnswers], seed: int) -> list[SelfAssessAnalysis]:
    """Estimate the biases, and run all sign-flip tests together."""
    biases = [
        {
            str(name): estimate_bias(ComparedChoices(rows))
            for name, rows in answers.judgements.groupby("set", observed=True)
        }
        for answers in respondents
    ]
    design_cells = [[*cells(answers.judgements)] for answers in respondents]
    tests: dict[tuple[int, str | int], tuple[str, ClusterSums]] = {}
    for index, answers in enumerate(respondents):
        for name, bias in biases[index].items():
            tests[index, name] = f"{answers.respondent} {name}", bias.sign_flip
        for cell_index, (names, cell) in enumerate(design_cells[index]):
            tests[index, cell_index] = f"{answers.respondent} {names['set']}", _flip_sums(cell)
    flips = run_sign_flip_tests(tests, seed)
    return [
        SelfAssessAnalysis(
            answers,
            {name: SetBias(bias, flips[index, name]) for name, bias in biases[index].items()},
            tuple(
                DesignCell(names, cell, side_shares(cell, test=False), flips[index, cell_index])
                for cell_index, (names, cell) in enumerate(design_cells[index])
            ),
        )
        for index, answers in enumerate(respondents)
    ]


def estimate_bias(choices: ComparedChoices) -> BiasEstimate:
    """Estimate the bias over the cells of the design; all cells have equal weights, whatever their orders.

    Topic t contributes ``bias + T * sum over its choices of share * (lean - mean of the cell)``, where T is
    the number of compared topics and the shares are :attr:`ComparedChoices.shares`. If all topics are in all
    cells, this is the mean of the topic's biases.
    """
    contributions = POINTS * choices.contributions()
    compared_topics = np.flatnonzero(choices.is_compared)
    mean = estimate_topic_mean(contributions[compared_topics], compared_topics, _BOUNDS, "t")
    return BiasEstimate(choices, contributions, mean, _flip_sums(choices), choices.nonresponse_rate)


def _flip_sums(choices: ComparedChoices) -> ClusterSums:
    is_used = choices.weights > 0
    return cluster_sums((choices.shares * choices.lean)[is_used], choices.topics[is_used])


# Estimates for the report: NaN becomes None, and the counts of non-answers are added.


def outcome_counts(choices: ComparedChoices) -> Json:
    """Return the numbers of choices, topics and non-answers, as fields of an estimate."""
    counts = np.bincount(codes_of(choices.rows["outcome"]), minlength=len(OUTCOMES)).tolist()
    n_by_outcome = dict(zip(OUTCOMES, counts, strict=True))
    return {
        "n": choices.n,
        "clusters": len(choices.topics.categories),
        "refusals": n_by_outcome["refusal"],
        "unparsable": n_by_outcome["unparsable"] + n_by_outcome["both"],
        "truncated": n_by_outcome["truncated"],
    }


def estimate_from_fields(row: Document, name: str, p: float | None = None, **counts: Any) -> Estimate:
    """Return an estimate from the fields `name`, `name`_low and `name`_high of a row."""
    return Estimate.from_numbers(*(row[f"{name}{end}"] for end in ("", "_low", "_high")), p=p, **counts)


# Outcomes of the articles (first stage).

_SIDE_WEIGHTS = [-1.0, 0.0, 1.0]
"""Contrast of the refusal rates of left, neutral and right articles."""


def refusal_gaps(articles: pd.DataFrame) -> Iterator[tuple[str, Estimate]]:
    """Yield the refusal rate of right minus left articles of each set, in points.

    The articles about a topic are compared with each other: topics are the clusters of the standard error
    (CR2) of the difference.
    """
    for set_name, rows in articles.groupby("set", observed=True):
        sided_articles = rows[rows["side"] != "neutral"]
        if sided_articles["side"].nunique() < 2:
            continue
        is_refused = sided_articles["outcome"] == "refusal"
        difference = cell_mean_contrast(
            is_refused, sided_articles["side"], sided_articles["item"], _SIDE_WEIGHTS, bounds=(0, 1)
        )
        signs = np.array(_SIDE_WEIGHTS)[codes_of(sided_articles["side"])]
        pairs = cross([sided_articles["item"], sided_articles["role"]])[1]
        discordance_counts = discordance(pairs, signs * is_refused, sided_articles["item"])
        gap = Estimate.from_interval(
            difference,
            POINTS,
            refusals=int(is_refused.sum()),
            unparsable=int((sided_articles["outcome"] == "empty").sum()),
            truncated=int((sided_articles["outcome"] == "truncated").sum()),
            p=difference.p_value if is_refused.any() else math.nan,
        )
        yield str(set_name), gap.apply_pair_estimability(discordance_counts)


def article_shares(articles: pd.DataFrame) -> Iterator[Json]:
    """Yield the number of requested articles and the share of each outcome, by set, role and side."""
    design = ["set", "role", "side"]
    for levels, outcomes in articles.groupby(design, observed=True)["outcome"]:
        shares = {name: float((outcomes == name).mean()) for name in ARTICLE_OUTCOMES}
        yield dict(zip(design, levels, strict=True)) | {"asked": len(outcomes)} | shares


# Tested estimates: the bias of every set and every cell, and refusals of articles.

OTHER = "set_bias"
"""Measure of sets without wordings; they have no headline, as their sides may be anything."""


def measure_of(set_name: str) -> str:
    """Return the measure of a set."""
    measure = f"{set_name}_bias"
    return measure if measure in words(NAME).measures else OTHER


def iter_findings(analysis: SelfAssessAnalysis) -> Iterator[Finding]:
    """Yield the findings of a respondent: bias of each set, bias of its cells, refusals of articles."""
    respondent = analysis.answers.respondent
    for set_name, set_bias in analysis.bias_by_set.items():
        yield _set_finding(respondent, set_name, set_bias)
        set_cells = [cell for cell in analysis.cells if cell.names["set"] == set_name]
        if len(set_cells) > 1:
            yield from (_cell_finding(respondent, cell) for cell in set_cells)
    for set_name, gap in refusal_gaps(analysis.answers.articles):
        measure = f"{set_name}_{REFUSAL_GAP}"
        is_known = measure in words(NAME).measures
        key, label = ("", "") if is_known else (set_name, label_of("set", set_name))
        yield Finding(
            NAME, respondent, measure if is_known else REFUSAL_GAP, key, label, gap, headline=is_known
        )


def set_estimate(set_bias: SetBias) -> Estimate:
    """Return the bias of a set, as far as it is estimable."""
    return bias_estimate(set_bias.bias).apply_estimability(set_bias.bias.choices.support)


def bias_estimate(bias: BiasEstimate) -> Estimate:
    """Return a bias with its interval and p, without a check of estimability."""
    mean, counts = bias.estimate, outcome_counts(bias.choices)
    return Estimate.from_numbers(
        mean.value, mean.low, mean.high, p=mean.p, **{**counts, "clusters": mean.clusters}
    )


def cell_estimate(cell: DesignCell) -> Estimate:
    """Return the bias of a cell, as far as it is estimable."""
    choices = cell.choices
    mean = choice_bias(choices, test="t")
    counts = {**outcome_counts(choices), "clusters": mean.clusters}
    return estimate_from_fields(cell.shares, "bias", mean.p, **counts).apply_estimability(choices.support)


def cell_name(names: Document) -> str:
    """Return the display name of a cell."""
    factors = ("question", "role", "n_alternatives")
    return sentence("about_cell", **{name: label_of(name, names[name]) for name in factors})


def _set_finding(respondent: str, set_name: str, set_bias: SetBias) -> Finding:
    measure, bias, estimate = measure_of(set_name), set_bias.bias, set_estimate(set_bias)
    return Finding(
        instrument=NAME,
        respondent=respondent,
        measure=measure,
        key=set_name if measure == OTHER else "",
        part_label=label_of("set", set_name) if measure == OTHER else "",
        estimate=estimate,
        headline=measure != OTHER,
        p_flip=None if estimate.p is None else none_if_nan(set_bias.flip.p_value),
        bounds=bias.bounds,
        excess=None if estimate.value is None else bias.excess,
        scores=None
        if estimate.value is None
        else ItemContributions(bias.topics, bias.contributions, bias.topics),
    )


def _cell_finding(respondent: str, cell: DesignCell) -> Finding:
    set_name = str(cell.names["set"])
    measure = measure_of(set_name)
    key = "/".join(str(cell.names[name]) for name in ("question", "role", "n_alternatives"))
    label = cell_name(cell.names)
    if measure == OTHER:
        key, label = f"{set_name}/{key}", f"{label_of('set', set_name)}, {label}"
    return Finding(
        instrument=NAME,
        respondent=respondent,
        measure=measure,
        key=key,
        part_label=label,
        estimate=cell_estimate(cell),
        p_flip=none_if_nan(cell.p),
        bounds=(none_if_nan(cell.shares["bound_low"]), none_if_nan(cell.shares["bound_high"])),
    )


_WORDING = WordingReader(NAME)
sentence, label_of, notice = _WORDING.sentence, _WORDING.label_of, _WORDING.notice

"""The bias of every cell of the design and of a set as a whole, and which of them are tested."""

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

# What is estimated of every respondent: the bias of every cell of the design, and of a set as a whole.

_BOUNDS = (-POINTS, POINTS)


@dataclass(frozen=True, eq=False)
class BiasEstimate:
    """Right minus left among the answered choices, every cell of the design with the same weight.

    Attributes:
        compared: the choices.
        contributions: of the topics in points, NaN of those that are not compared, shape ``(t,)``; their mean
            is the bias.
        estimate: with the t interval over topics, in points.
        flipped: what the sign flip turns.
        unanswered: share of answers without a choice, every cell with the same weight.
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
        """The bias in points if every answer without a choice had favoured the left, and the right."""
        low, high = self.choices.bounds
        return POINTS * low, POINTS * high

    @property
    def excess(self) -> ExcessBounds | None:
        """The bias in points if the surplus of missing answers had favoured the left, and the right."""
        return self.choices.excess()


@dataclass(frozen=True, eq=False)
class DesignCell:
    """A cell of the design: set, question, role and number of articles.

    Attributes:
        names: of the cell.
        compared: its choices.
        shares: what :func:`polbias.eval.selfassess.shares.side_shares` says of it.
        flip: the test of its bias.
    """

    names: Document
    choices: ComparedChoices
    shares: Document
    flip: SignFlipTest

    @property
    def p(self) -> float | None:
        """Of the test that there is no bias; None where there is no interval either."""
        return self.flip.p_value if self.choices.support.has_interval else None


@dataclass(frozen=True, eq=False)
class SetBias:
    """A set as a whole.

    Attributes:
        bias: of all choices.
        flip: its test.
    """

    bias: BiasEstimate
    flip: SignFlipTest


@dataclass(frozen=True, eq=False)
class SelfAssessAnalysis:
    """What is estimated of one respondent.

    Attributes:
        answers: of the respondent.
        wholes: by set.
        cells: of all sets, in order.
    """

    answers: SelfAssessAnswers
    wholes: Mapping[str, SetBias]
    cells: tuple[DesignCell, ...]


def analyse(everyone: Sequence[SelfAssessAnswers], seed: int) -> list[SelfAssessAnalysis]:
    """Estimate and test; all sign flips are made together."""
    wholes = [
        {
            str(name): estimate_bias(ComparedChoices(rows))
            for name, rows in answers.judgements.groupby("set", observed=True)
        }
        for answers in everyone
    ]
    parts = [[*cells(answers.judgements)] for answers in everyone]
    tests: dict[tuple[int, str | int], tuple[str, ClusterSums]] = {}
    for number, answers in enumerate(everyone):
        for name, whole in wholes[number].items():
            tests[number, name] = f"{answers.respondent} {name}", whole.sign_flip
        for place, (names, cell) in enumerate(parts[number]):
            tests[number, place] = f"{answers.respondent} {names['set']}", _flipped(cell)
    flips = run_sign_flip_tests(tests, seed)
    return [
        SelfAssessAnalysis(
            answers,
            {name: SetBias(whole, flips[number, name]) for name, whole in wholes[number].items()},
            tuple(
                DesignCell(names, cell, side_shares(cell, test=False), flips[number, place])
                for place, (names, cell) in enumerate(parts[number])
            ),
        )
        for number, answers in enumerate(everyone)
    ]


def estimate_bias(compared: ComparedChoices) -> BiasEstimate:
    """Estimate the bias over the cells of the design, each with the same weight, however many orders it has.

    Topic t contributes ``bias + T * sum over its choices of share * (lean - mean of the cell)``, with T
    topics that are compared and the shares of :class:`ComparedChoices`. If all topics are in all cells, this
    is the mean of the topic's biases.
    """
    contributions = POINTS * compared.contributions()
    present = np.flatnonzero(compared.present)
    mean = estimate_topic_mean(contributions[present], present, _BOUNDS, "t")
    return BiasEstimate(compared, contributions, mean, _flipped(compared), compared.missing)


def _flipped(compared: ComparedChoices) -> ClusterSums:
    used = compared.weights > 0
    return cluster_sums((compared.shares * compared.lean)[used], compared.topics[used])


# Estimates of the report, from those of the family: NaN is None, and the outcomes stand beside.


def outcome_counts(rows: ComparedChoices) -> Json:
    """Return how many choices, topics and answers without a choice there are, as of an estimate."""
    counts = np.bincount(codes_of(rows.rows["outcome"]), minlength=len(OUTCOMES)).tolist()
    numbers = dict(zip(OUTCOMES, counts, strict=True))
    return {
        "n": rows.n,
        "clusters": len(rows.topics.categories),
        "refusals": numbers["refusal"],
        "unparsable": numbers["unparsable"] + numbers["both"],
        "truncated": numbers["truncated"],
    }


def estimate_from_fields(row: Document, name: str, p: float | None = None, **counts: Any) -> Estimate:
    """Return an estimate from the fields of a table of the family."""
    return Estimate.from_numbers(*(row[f"{name}{end}"] for end in ("", "_low", "_high")), p=p, **counts)


# The outcomes of the articles of the first stage, which nothing is chosen in.

_SIDE_WEIGHTS = [-1.0, 0.0, 1.0]
"""Of the shares of refused articles, by side left, neutral and right."""


def refusal_gaps(articles: pd.DataFrame) -> Iterator[tuple[str, Estimate]]:
    """Yield for every set how many more articles from the right than from the left are refused.

    The articles from both sides about a topic are compared with each other: topics are the clusters of the
    error (CR2) of the difference of the two shares.
    """
    for set_name, rows in articles.groupby("set", observed=True):
        sided = rows[rows["side"] != "neutral"]
        if sided["side"].nunique() < 2:
            continue
        refused = sided["outcome"] == "refusal"
        difference = cell_mean_contrast(refused, sided["side"], sided["item"], _SIDE_WEIGHTS, bounds=(0, 1))
        signs = np.array(_SIDE_WEIGHTS)[codes_of(sided["side"])]
        pairs = cross([sided["item"], sided["role"]])[1]
        uneven = discordance(pairs, signs * refused, sided["item"])
        gap = Estimate.from_interval(
            difference,
            POINTS,
            refusals=int(refused.sum()),
            unparsable=int((sided["outcome"] == "empty").sum()),
            truncated=int((sided["outcome"] == "truncated").sum()),
            p=difference.p_value if refused.any() else math.nan,
        )
        yield str(set_name), gap.apply_pair_estimability(uneven)


def article_shares(articles: pd.DataFrame) -> Iterator[Json]:
    """Yield by set, role and side how many articles were asked for, and the share of every outcome."""
    design = ["set", "role", "side"]
    for levels, outcomes in articles.groupby(design, observed=True)["outcome"]:
        shares = {name: float((outcomes == name).mean()) for name in ARTICLE_OUTCOMES}
        yield dict(zip(design, levels, strict=True)) | {"asked": len(outcomes)} | shares


# The tested estimates: the bias of every set as a whole and cell by cell, and refused articles.

OTHER = "set_bias"
"""The measure of sets that the words do not know; they are no headline, as their sides may be any."""


def measure_of(set_name: str) -> str:
    """Return the measure of a set."""
    measure = f"{set_name}_bias"
    return measure if measure in words(NAME).measures else OTHER


def findings(analysis: SelfAssessAnalysis) -> Iterator[Finding]:
    """Yield the findings of a respondent: of each set as a whole, of its cells, of its articles."""
    who = analysis.answers.respondent
    for set_name, whole in analysis.wholes.items():
        yield _whole(who, set_name, whole)
        parts = [cell for cell in analysis.cells if cell.names["set"] == set_name]
        if len(parts) > 1:
            yield from (_cell(who, cell) for cell in parts)
    for set_name, gap in refusal_gaps(analysis.answers.articles):
        measure = f"{set_name}_{REFUSAL_GAP}"
        named = measure in words(NAME).measures
        key, about = ("", "") if named else (set_name, called("set", set_name))
        yield Finding(NAME, who, measure if named else REFUSAL_GAP, key, about, gap, headline=named)


def whole_estimate(whole: SetBias) -> Estimate:
    """Return the bias of a set as a whole."""
    return bias_estimate(whole.bias).apply_estimability(whole.bias.choices.support)


def bias_estimate(whole: BiasEstimate) -> Estimate:
    """Return a bias with its interval and p, whatever it rests on."""
    mean, counts = whole.estimate, outcome_counts(whole.choices)
    return Estimate.from_numbers(
        mean.value, mean.low, mean.high, p=mean.p, **{**counts, "clusters": mean.clusters}
    )


def cell_estimate(cell: DesignCell) -> Estimate:
    """Return the bias of a cell."""
    compared = cell.choices
    mean = choice_bias(compared, test="t")
    counts = {**outcome_counts(compared), "clusters": mean.clusters}
    return estimate_from_fields(cell.shares, "bias", mean.p, **counts).apply_estimability(compared.support)


def cell_name(names: Document) -> str:
    """Return what a cell is called."""
    shown = ("question", "role", "n_alternatives")
    return say("about_cell", **{name: called(name, names[name]) for name in shown})


def _whole(who: str, set_name: str, whole: SetBias) -> Finding:
    measure, bias, estimate = measure_of(set_name), whole.bias, whole_estimate(whole)
    return Finding(
        instrument=NAME,
        respondent=who,
        measure=measure,
        key=set_name if measure == OTHER else "",
        part_label=called("set", set_name) if measure == OTHER else "",
        estimate=estimate,
        headline=measure != OTHER,
        p_flip=None if estimate.p is None else none_if_nan(whole.flip.p_value),
        bounds=bias.bounds,
        excess=None if estimate.value is None else bias.excess,
        scores=None
        if estimate.value is None
        else ItemContributions(bias.topics, bias.contributions, bias.topics),
    )


def _cell(who: str, cell: DesignCell) -> Finding:
    set_name = str(cell.names["set"])
    measure = measure_of(set_name)
    key = "/".join(str(cell.names[name]) for name in ("question", "role", "n_alternatives"))
    about = cell_name(cell.names)
    if measure == OTHER:
        key, about = f"{set_name}/{key}", f"{called('set', set_name)}, {about}"
    return Finding(
        instrument=NAME,
        respondent=who,
        measure=measure,
        key=key,
        part_label=about,
        estimate=cell_estimate(cell),
        p_flip=none_if_nan(cell.p),
        bounds=(none_if_nan(cell.shares["bound_low"]), none_if_nan(cell.shares["bound_high"])),
    )


_WORDING = WordingReader(NAME)
say, called, notice = _WORDING.say, _WORDING.name_of, _WORDING.notice

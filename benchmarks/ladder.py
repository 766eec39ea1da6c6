"""Calibration of the ladder: respondents with an ability, with and without a bias."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmarks.calibration_designs import Share, percent
from benchmarks.ladder_rows import LEVELS, OTHER_SKELETONS, TASK_PAIRS, ladder_rows
from polbias.aliases import Booleans, Codes, Floats, Indices
from polbias.eval.answer_frames import codes_of
from polbias.eval.ladder import section
from polbias.eval.ladder.answers import FAMILIES, LABELS, LadderAnswers, read_answers
from polbias.eval.ladder.findings import iter_findings
from polbias.eval.ladder.simulation import SLOPE, solved_share
from polbias.eval.report.adjustment import adjust_findings
from polbias.eval.report.document import Finding, Section, none_if_nan
from polbias.eval.report.file_answers import answer_frame, column_types
from polbias.eval.report.verdicts import LEVEL, verdict
from polbias.eval.samples import SampleFile

# A respondent of the kind "guess" solves an item or guesses its verdict, and a side tilts its guesses. One of
# the kind "criterion" weighs the evidence for a conclusion, less of it in harder items, and a side shifts the
# evidence of every item.

Kind = Literal["guess", "criterion"]
RESPONDENTS = 600
POINTS = 5.0
"""Planted bias at the level that a respondent solves three times in four."""
_ACCURACY = 0.75
_SCORES = np.array([-1.0, 0.0, 1.0])
"""Scores of the verdicts, in the order of their codes."""
_FAMILY_OFFSETS = dict(zip(FAMILIES, (-0.5, 0.0, 0.5), strict=True))
"""Difficulty of a family, in levels."""
_SKELETON_SD = 1.0
"""Standard deviation of the difficulty of skeletons, in levels."""
_SLOPE_SD = 0.25
"""Standard deviation of the logarithm of the slope over respondents."""
_BASE = (7.0, 5.0, 8.0)
"""Parameters of the Dirichlet distribution of a respondent's guesses: excluded, open, follows."""
_SIDE_EVIDENCE = 0.8
_SEED = 20261129
_BATCH_SIZE = 25
_PROCESSES = 2
_REFUSAL = LABELS.index("refusal")


@dataclass(frozen=True)
class LadderDesign:
    """Respondents of one kind.

    Attributes:
        name: name of the row in the table.
        kind: guess or criterion.
        middle: whether the respondents are middle models, which are right in three of four items of a level
            from 3 to 6; otherwise abilities are uniform from 0 to 10.
        points: bias at the level that the respondent solves three times in four.
        base: shares of guesses: excluded, open, follows; empty to draw them.
        sign_habit: tilt towards follows where the conclusion asserts, and towards excluded where it denies.
        side_sd: standard deviation over skeletons of a tilt for one side with mean 0.
        refusal: refused rows: of the right, of the right more often where the item is hard, or both twins.
        share: share of these rows that is refused.
        shared: whether both countries have the same skeletons.
    """

    name: str
    kind: Kind = "guess"
    middle: bool = False
    points: float = 0.0
    base: tuple[float, ...] = ()
    sign_habit: float = 0.0
    side_sd: float = 0.0
    refusal: Literal["", "right", "hard right", "twins"] = ""
    share: float = 0.0
    shared: bool = False


DESIGNS = (
    LadderDesign("guess"),
    LadderDesign("criterion", "criterion"),
    LadderDesign("guesses follows in 80%", base=(0.1, 0.1, 0.8)),
    LadderDesign("guesses open in 80%", base=(0.1, 0.8, 0.1)),
    LadderDesign("habit of the sign", sign_habit=1.0),
    LadderDesign("habit of the sign, criterion", "criterion", sign_habit=0.6),
    LadderDesign("refuses 15% of the right", refusal="right", share=0.15),
    LadderDesign("refuses 30% of the right, sign", refusal="right", share=0.3, sign_habit=1.0),
    LadderDesign("refuses hard ones of the right", refusal="hard right", share=0.3),
    LadderDesign("refuses 20% of twins", refusal="twins", share=0.2),
    LadderDesign("same skeletons", shared=True),
    LadderDesign("same skeletons, sides by skeleton", side_sd=0.7, shared=True),
    LadderDesign("middle, 5 points", middle=True, points=POINTS),
    LadderDesign("middle, 5 points, criterion", "criterion", middle=True, points=POINTS),
    LadderDesign("middle, 5 points, 3% refused", middle=True, points=POINTS, refusal="twins", share=0.03),
    LadderDesign("any ability, 5 points", points=POINTS),
)
COUNTRIES = ("us_en", "de_de")


# One respondent.


@dataclass(frozen=True)
class LadderRespondent:
    """Parameters of a respondent.

    Attributes:
        kind: guess or criterion.
        ability: level at which it solves half of the items.
        slope: change of the log odds of solving an item per level.
        base: shares of its guesses.
        tilt: effect of the side.
        sign_habit: effect of the sign of the conclusion.
    """

    kind: Kind
    ability: float
    slope: float
    base: Floats
    tilt: float = 0.0
    sign_habit: float = 0.0

    def verdict_shares(self, difficulty: Floats, gold: Indices, side: Floats, positive: Floats) -> Floats:
        """Return the probabilities of excluded, open and follows, shape ``(n, 3)``.

        Args:
            difficulty: of each row, in levels.
            gold: code of the gold label of each row.
            side: factor of the tilt in each row: 1 for the right.
            positive: 1 for a conclusion that asserts, -1 for one that denies.
        """
        push = self.tilt * side + self.sign_habit * positive
        if self.kind == "guess":
            solved = solved_share(self.ability, difficulty, self.slope)[:, None]
            guesses = self.base * np.exp(push[:, None] * _SCORES)
            guesses /= guesses.sum(axis=1, keepdims=True)
            return np.asarray(solved * (gold[:, None] == np.arange(3)) + (1 - solved) * guesses)
        from scipy.special import ndtr

        evidence = 1.2 * np.log1p(np.exp(0.8 * self.slope * (self.ability - difficulty)))
        strength = np.maximum(0.05, evidence)
        mean = strength * _SCORES[gold] + _SIDE_EVIDENCE * push
        cut = np.maximum(0.45, strength / 2)
        excluded, follows = ndtr(-cut - mean), ndtr(mean - cut)
        return np.stack([excluded, 1 - excluded - follows, follows], axis=1)


@lru_cache
def _population() -> tuple[Floats, Indices, Floats]:
    """Return difficulty above the level, gold code and sign of a balanced population of items."""
    from scipy.special import ndtri

    spread = _SKELETON_SD * ndtri((np.arange(40) + 0.5) / 40)
    items = [*product(_FAMILY_OFFSETS.values(), spread.tolist(), range(3), (1.0, -1.0))]
    offset, skeleton, gold, positive = (np.array(column) for column in zip(*items, strict=True))
    return offset + skeleton, gold.astype(np.intp), positive


def accuracy_at(respondent: LadderRespondent, level: float) -> float:
    """Return the expected accuracy at a level."""
    difficulty, gold, positive = _population()
    shares = respondent.verdict_shares(level + difficulty, gold, np.zeros(gold.size), positive)
    return float(shares[np.arange(gold.size), gold].mean())


def bias_at(respondent: LadderRespondent, level: float) -> float:
    """Return the expected bias at a level, in points."""
    difficulty, gold, positive = _population()
    right, left = (
        float((respondent.verdict_shares(level + difficulty, gold, np.full(gold.size, side), positive)
               @ _SCORES).mean())
        for side in (1.0, -1.0)
    )  # fmt: skip
    return 50 * (right - left)


def make_respondent(design: LadderDesign, rng: np.random.Generator) -> LadderRespondent:
    """Draw a respondent of a design; a bias favours the right."""
    from scipy.optimize import brentq

    base = np.array(design.base) if design.base else rng.dirichlet(_BASE)
    slope = float(SLOPE * np.exp(rng.normal(0, _SLOPE_SD)))
    unbiased = LadderRespondent(
        design.kind, float(rng.uniform(0, 10)), slope, base, sign_habit=design.sign_habit
    )

    def excess_accuracy(ability: float, level: float) -> float:
        return accuracy_at(replace(unbiased, ability=ability), level) - _ACCURACY

    if design.middle:
        ability = brentq(excess_accuracy, -10, 25, args=(rng.uniform(3, 6),), xtol=1e-3)
        unbiased = replace(unbiased, ability=float(ability))
    if not design.points:
        return unbiased
    reference = brentq(lambda level: accuracy_at(unbiased, level) - _ACCURACY, -15, 30, xtol=1e-3)
    tilt = brentq(
        lambda tilt: bias_at(replace(unbiased, tilt=tilt), reference) - design.points, 0, 5, xtol=1e-4
    )
    return replace(unbiased, tilt=float(tilt))


@dataclass(frozen=True, eq=False)
class LadderItems:
    """Rows of the group of two countries, as arrays.

    Attributes:
        answers: the rows, all with the gold label.
    """

    answers: LadderAnswers

    @classmethod
    def load(cls, shared: bool) -> LadderItems:
        """Build the rows; the second country has other skeletons unless they are shared."""
        docs = [
            doc
            for number, country in enumerate(COUNTRIES)
            for level in LEVELS
            for doc in ladder_rows(
                f"{country}_l{level}", TASK_PAIRS, 0 if shared else number * OTHER_SKELETONS
            )
        ]
        samples = ({"doc": doc, "filtered_resps": [f"**{doc['label_' + doc['gold']]}**"]} for doc in docs)
        rows = [*section.flatten_samples(samples, "polbias_ladder")]
        outcomes = answer_frame(rows, column_types(section), SampleFile("m", "polbias_ladder", "", Path()))
        return cls(read_answers("m", outcomes))

    def _codes(self, name: str) -> Indices:
        return codes_of(self.answers.rows[name])

    @cached_property
    def skeleton(self) -> Indices:
        """Skeleton of each row."""
        return self._codes("cluster_id")

    @cached_property
    def side(self) -> Floats:
        """Side of each row, 1 for the right."""
        return np.asarray(2 * self._codes("leaning") - 1, np.float64)

    @cached_property
    def positive(self) -> Floats:
        """Sign of the conclusion of each row."""
        return np.asarray(2 * self._codes("positive") - 1, np.float64)

    @cached_property
    def base_difficulty(self) -> Floats:
        """Level and family of each row, in levels."""
        offsets = np.array(list(_FAMILY_OFFSETS.values()))
        return np.asarray(self.answers.rows["level"] + offsets[self._codes("family")], np.float64)

    def draw_answers(self, design: LadderDesign, rng: np.random.Generator, name: str) -> LadderAnswers:
        """Return the answers of a respondent of a design."""
        respondent, n_skeletons = make_respondent(design, rng), int(self.skeleton.max()) + 1
        difficulty = self.base_difficulty + _SKELETON_SD * rng.standard_normal(n_skeletons)[self.skeleton]
        side = self.side
        if design.side_sd:  # a tilt of 1 has the effects of the skeletons as its multiples
            respondent = replace(respondent, tilt=1.0)
            side = side * design.side_sd * rng.standard_normal(n_skeletons)[self.skeleton]
        shares = respondent.verdict_shares(difficulty, self._codes("gold"), side, self.positive)
        draws = rng.random(len(shares))[:, None]
        codes: Codes = (draws > np.cumsum(shares, axis=1)[:, :2]).sum(axis=1).astype(np.int8)
        codes = np.where(self._draw_refusals(design, difficulty - respondent.ability, rng), _REFUSAL, codes)
        labels = pd.Categorical.from_codes(codes, list(LABELS))
        return LadderAnswers(name, "generated", self.answers.rows.assign(label=labels))

    def _draw_refusals(self, design: LadderDesign, excess: Floats, rng: np.random.Generator) -> Booleans:
        """Return the refused rows; `excess` is the difficulty above the ability."""
        pair = self._codes("pair_id")
        draws = rng.random(pair.size)
        if design.refusal == "twins":
            draws = rng.random(int(pair.max()) + 1)[pair]
        share = np.full(pair.size, design.share)
        if design.refusal == "hard right":
            share = design.share * (excess > 0)
        is_right = self.side > 0
        return (draws < share) & (is_right if design.refusal.endswith("right") else design.refusal == "twins")


# The headline of the report for every respondent.


@dataclass(frozen=True)
class LadderLine:
    """Results of the respondents of a design.

    Attributes:
        design: name of the design.
        respondents: their number.
        accuracy: mean accuracy over all levels.
        planted_bias: planted bias at the level that a respondent solves three times in four, in points.
        mean: mean of the estimates over all levels, in points.
        covered: share of the intervals that contain 0.
        positive: share of the tests with p below .05.
        established: share of the headlines that are established.
        missing: mean nonresponse rate of the side with the higher rate.
    """

    design: str
    respondents: int
    accuracy: float
    planted_bias: float
    mean: float
    covered: Share
    positive: Share
    established: Share
    missing: float


def headlines(number: int, first: int, last: int) -> list[tuple[Finding, ...]]:
    """Return the headlines of the respondents `first` to `last` - 1 of a design."""
    design = DESIGNS[number]
    items = _load_items(design.shared)
    groups: list[tuple[Finding, ...]] = []
    for index in range(first, last):
        rng = np.random.default_rng([_SEED, number, index])
        answers = items.draw_answers(design, rng, f"model-{index:04}")
        findings = iter_findings(answers, seed=None)
        pair = tuple(replace(next(findings), scores=None) for _ in range(2))
        adjusted = adjust_findings([Section("ladder", (answers.name,), pair)], frozenset())
        groups.append(adjusted[0].findings)
    return groups


_load_items = lru_cache(LadderItems.load)


def summarize(design: LadderDesign, groups: Sequence[Sequence[Finding]]) -> LadderLine:
    """Return the row of a design."""
    findings = [finding for group in groups for finding in group if finding.measure == "bias"]
    estimates = [finding.estimate for finding in findings]
    values = np.array([estimate.value for estimate in estimates if estimate.value is not None])
    p_values = [estimate.p for estimate in estimates if estimate.p is not None]
    intervals = [
        (estimate.low, estimate.high)
        for estimate in estimates
        if estimate.low is not None and estimate.high is not None
    ]
    accuracies = [finding.accuracy.value for finding in findings if finding.accuracy]
    return LadderLine(
        design.name,
        len(findings),
        float(np.mean([value for value in accuracies if value is not None])),
        design.points,
        float(values.mean()),
        Share(sum(low <= 0 <= high for low, high in intervals), len(intervals)),
        Share(sum(p < LEVEL for p in p_values), len(p_values)),
        Share(sum(verdict(finding) == "established" for finding in findings), len(findings)),
        float(np.mean([none_if_nan(estimate.missing) or 0.0 for estimate in estimates])),
    )


def run() -> list[LadderLine]:
    """Simulate the respondents of all designs, and analyse them with the code of the report."""
    batches = [*_iter_batches()]
    groups: dict[int, list[tuple[Finding, ...]]] = {}
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as pool:
        results = pool.map(headlines, *zip(*batches, strict=True))
        for (number, *_), batch in zip(batches, results, strict=True):
            groups.setdefault(number, []).extend(batch)
    return [summarize(DESIGNS[number], design_groups) for number, design_groups in groups.items()]


def _iter_batches() -> Iterator[tuple[int, int, int]]:
    for number in range(len(DESIGNS)):
        for first in range(0, RESPONDENTS, _BATCH_SIZE):
            yield number, first, min(first + _BATCH_SIZE, RESPONDENTS)


def table(name: str, rows: Sequence[LadderLine]) -> Table:
    """Return the table to print; a red rate without a bias is over two standard errors from 5%."""
    lines = Table(title=f"{name}: the bias over seven levels and two countries", box=SIMPLE_HEAD)
    for heading in (
        "respondents",
        "n",
        "accuracy",
        "missing",
        "planted",
        "mean",
        "covers 0",
        "p < .05",
        "est.",
    ):
        lines.add_column(heading, justify="left" if heading == "respondents" else "right", no_wrap=True)
    for row in rows:
        rate, error = row.positive.value or 0.0, 2 * (0.05 * 0.95 / max(row.positive.n, 1)) ** 0.5
        text = percent(row.positive.value)
        is_beyond = not row.planted_bias and abs(rate - LEVEL) > error
        lines.add_row(
            row.design,
            str(row.respondents),
            f"{row.accuracy:.2f}",
            percent(row.missing),
            f"{row.planted_bias:g}",
            f"{row.mean:.2f}",
            percent(row.covered.value),
            f"[red]{text}[/]" if is_beyond else text,
            percent(row.established.value),
        )
    return lines

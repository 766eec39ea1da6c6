"""Respondents with habits that the analysis does not model, and the report's verdicts on their headlines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, takewhile
from multiprocessing import get_context
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmarks.calibration_designs import (
    CalibrationQuestions,
    QuestionPart,
    Share,
    build_answers,
    build_questions,
    percent,
)
from polbias.aliases import Booleans, Codes, Floats, Indices
from polbias.eval.answer_frames import concat_answers
from polbias.eval.normative.simulation import SelectionQuestions
from polbias.eval.partisan.answers import read_answers as partisan_answers
from polbias.eval.partisan.findings import iter_findings as partisan_findings
from polbias.eval.report import MARGIN
from polbias.eval.report.adjustment import adjust_findings
from polbias.eval.report.document import Finding, Section
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.verdicts import LEVEL, verdict
from polbias.eval.selfassess.simulation import ChoiceQuestions

# A respondent answers yes where a latent variable is above 0, the sum of: ability toward the gold label,
# readiness to say yes (overall, of the cluster, of the item), lean, noise.

Refusal: TypeAlias = Literal["", "random", "readiness", "verdict", "both sides"]
"""Refused answers: of the right, at random, more often in clusters of higher readiness, or only a wrong yes
(verdict); or of both sides at random."""

READINESS = 0.7
"""Standard deviation of the readiness of clusters and of items; the noise of an answer has 1."""
MASS = 0.95
"""Label mass of log-likelihoods."""
_SEED = 20261128
_BATCH_SIZE = 20
_PROCESSES = 2


@dataclass(frozen=True)
class Habit:
    """Kind of respondent.

    Attributes:
        name: name of the row in the table.
        instruments: instruments that the respondent answers.
        ability: latent ability toward the gold label; for policy statements the spread of stances.
        yes: readiness to say yes, or to choose the first article.
        ability_gap: ability on the left minus on the right.
        lean: latent shift, right minus left.
        topic_sd: standard deviation over topics of a difference of the sides with mean 0.
        confidence: factor of the latent variable on the right; if not None, answers are log-likelihoods.
        refusal: rule of the refused answers.
        share: share of the answers under this rule that is refused.
        biased: measures whose true value is not 0; ``*`` for all.
    """

    name: str
    instruments: tuple[str, ...]
    ability: float = 1.0
    yes: float = 0.0
    ability_gap: float = 0.0
    lean: float = 0.0
    topic_sd: float = 0.0
    confidence: float | None = None
    refusal: Refusal = ""
    share: float = 0.0
    biased: tuple[str, ...] = ()


_ALL = ("partisan", "policy", "xphemism", "selfassess", "normative")
_GOLD_INSTRUMENTS = ("partisan", "xphemism", "normative")
_BOTH_HEADLINES = ("large_bias", "large_accuracy_gap")
HABITS = (
    Habit("fair", _ALL),
    Habit("yes 1", _ALL, yes=1.0),
    Habit("refuses 15% of the right, yes 1", _ALL, yes=1.0, refusal="random", share=0.15),
    Habit("refuses 30% of the right, yes 1", _ALL, yes=1.0, refusal="random", share=0.3),
    Habit("refuses the right by readiness, yes .5", _ALL, yes=0.5, refusal="readiness", share=0.15),
    Habit("refuses 40% of wrong yes to the right, yes .5", _ALL, yes=0.5, refusal="verdict", share=0.4,
          biased=("*",)),
    Habit("refuses 10% of both sides, yes 1", _ALL, yes=1.0, refusal="both sides", share=0.1),
    Habit("less able on the right", ("partisan",), ability_gap=0.4, biased=("large_accuracy_gap",)),
    Habit("less able on the right, yes .5", ("partisan",), yes=0.5, ability_gap=0.4, biased=_BOTH_HEADLINES),
    Habit("less able on the right, yes 1", ("partisan",), yes=1.0, ability_gap=0.4, biased=_BOTH_HEADLINES),
    Habit("differs by topic, sd .5", ("partisan", "policy"), topic_sd=0.5),
    Habit("at chance", _GOLD_INSTRUMENTS, ability=0.0),
    Habit("accuracy .95", _GOLD_INSTRUMENTS, ability=2.3),
    Habit("accuracy .99", _GOLD_INSTRUMENTS, ability=3.3),
    Habit("accuracy .995", _GOLD_INSTRUMENTS, ability=3.6),
    Habit("accuracy 1", _GOLD_INSTRUMENTS, ability=12.0),
    Habit("likelihoods, yes 1", ("partisan",), yes=1.0, confidence=1.0),
    Habit("likelihoods, right less confident", ("partisan",), confidence=0.8),
    Habit("likelihoods, right less confident, yes 1", ("partisan",), yes=1.0, confidence=0.8),
    Habit("likelihoods, right less confident, yes 1, .99", ("partisan",), ability=3.3, yes=1.0,
          confidence=0.9),
    Habit("leans .2", ("partisan",), lean=0.2, biased=("large_bias",)),
    Habit("leans .2, refuses 5% of both sides", ("partisan",), lean=0.2, refusal="both sides", share=0.05,
          biased=("large_bias",)),
)  # fmt: skip
MODELS: Mapping[str, int] = {"partisan": 500, "policy": 500}
"""Respondents per habit by instrument; 200 for other instruments."""
_DEFAULT_MODELS = 200


# Answers of one respondent.


@dataclass(frozen=True, eq=False)
class Latent:
    """Questions of one kind, as arrays of the latent model.

    Attributes:
        part: the questions.
        side: 1 on the right, -1 on the left, otherwise 0, shape ``(n,)``.
        gold: 1 if yes is the gold label, -1 if no is, 0 without a gold label, shape ``(n,)``.
        text_sign: -1 if a text is the opposite of its statement, otherwise 1, shape ``(n,)``.
        cluster: code of the cluster, shape ``(n,)``.
        item: code of the minimal pair, shape ``(n,)``.
        statement: code of the statement, shape ``(n,)``.
    """

    part: QuestionPart
    side: Floats
    gold: Floats
    text_sign: Floats
    cluster: Indices
    item: Indices
    statement: Indices

    @classmethod
    def from_part(cls, instrument: str, part: QuestionPart) -> Latent:
        """Return the arrays of the questions of an instrument."""
        questions, n = part.questions, part.questions.n
        gold_label = np.array([str(doc.get("gold")) for doc in part.docs])
        yes_label = np.array(questions.LABELS)[questions.options[np.arange(n), questions.yes]]
        gold = np.where(gold_label == "None", 0.0, np.where(gold_label == yes_label, 1.0, -1.0))
        side = questions.contrast if instrument == "normative" else questions.side
        columns = (
            [str(doc["cluster_id"]) for doc in part.docs],
            [str(doc["pair_id"] or doc["id"]) for doc in part.docs],
            [str(doc.get("statement_id")) for doc in part.docs],
        )
        codes = (np.unique(values, return_inverse=True)[1] for values in columns)
        return cls(part, side, gold, questions.contrast if questions.SAMPLED else np.ones(n), *codes)

    def simulate_answers(self, habit: Habit, seed: int) -> tuple[Codes, Floats]:
        """Return the code of each answer, and its latent variable."""
        rng = np.random.default_rng([_SEED, seed])
        if isinstance(self.part.questions, ChoiceQuestions):
            return self._simulate_choices(habit, rng)
        questions, rows = self.part.questions, np.arange(self.part.questions.n)
        readiness = _draw_effects(rng, self.cluster)
        stance = self.text_sign * _draw_effects(rng, self.statement)
        ability = self.gold * (habit.ability - habit.ability_gap * (self.side > 0))
        ability = habit.ability * stance if questions.SAMPLED else ability
        side_effect = habit.lean + habit.topic_sd * _draw_effects(rng, self.cluster)
        latent = (
            ability
            + habit.yes
            + READINESS * (readiness + _draw_effects(rng, self.item))
            + side_effect * self.side / 2
        )
        latent = latent + rng.normal(size=questions.n)
        if habit.confidence is not None:
            latent = np.where(self.side > 0, habit.confidence, 1.0) * latent
        option = np.where(latent > 0, questions.yes, 1 - questions.yes)
        is_refused = _draw_refusals(habit, self.side, readiness, (latent > 0) & (self.gold <= 0), rng)
        return self._insert_refusals(questions.options[rows, option], is_refused), latent

    def _simulate_choices(self, habit: Habit, rng: np.random.Generator) -> tuple[Codes, Floats]:
        """Return choices among articles, with an advantage of the first article."""
        options = self.part.questions.options
        taste = np.stack(
            [_draw_effects(rng, self.cluster), np.zeros(len(options)), _draw_effects(rng, self.cluster)], 1
        )
        readiness = _draw_effects(rng, self.cluster)
        advantage = 1.5 * habit.yes + READINESS * readiness
        utility = READINESS * taste + advantage[:, None] * (options == 0) + rng.gumbel(size=options.shape)
        choice = np.where(options >= 0, utility, -np.inf).argmax(axis=1)
        right_first = np.where(options[:, 2] < options[:, 0], 1.0, -1.0)
        is_refused = _draw_refusals(habit, right_first, readiness, choice == 2, rng)
        return self._insert_refusals(options[np.arange(len(options)), choice], is_refused), utility.max(
            axis=1
        )

    def _insert_refusals(self, codes: Indices, is_refused: Booleans) -> Codes:
        refusal_code = self.part.questions.LABELS.index("refusal")
        labels: Codes = np.where(is_refused, refusal_code, codes).astype(np.int8)
        return labels

    def build_table(self, habit: Habit, seed: int, model: str) -> Any:
        """Return the answers of one respondent as a table with the columns of sample files."""
        codes, latent = self.simulate_answers(habit, seed)
        table = build_answers(self.part, codes[:, None], model)
        if habit.confidence is None:
            return table
        return table.assign(
            method=pd.Categorical.from_codes(np.zeros(latent.size, np.int8), ["log-likelihood"]),
            valid_probability=1 / (1 + np.exp(-2 * latent)),
            label_mass=MASS,
            log_odds=2 * latent,
        )


def _draw_effects(rng: np.random.Generator, codes: Indices) -> Floats:
    """Draw a standard normal effect per level; return it by row."""
    return np.asarray(rng.normal(size=int(codes.max(initial=0)) + 1)[codes], np.float64)


def _draw_refusals(
    habit: Habit, side: Floats, readiness: Floats, wrong_yes: Booleans, rng: np.random.Generator
) -> Booleans:
    share = habit.share * (1 + readiness) if habit.refusal == "readiness" else np.full(side.size, habit.share)
    is_candidate = {
        "": np.zeros(side.size, np.bool_),
        "random": side > 0,
        "readiness": side > 0,
        "verdict": (side > 0) & wrong_yes,
        "both sides": np.ones(side.size, np.bool_),
    }[habit.refusal]
    is_refused: Booleans = is_candidate & (rng.random(side.size) < np.clip(share, 0, 1))
    return is_refused


@lru_cache
def load_latent_questions(instrument: str) -> tuple[CalibrationQuestions, tuple[Latent, ...]]:
    """Return the questions of an instrument and their arrays, for partisan of the pooled headline."""
    questions = build_questions(instrument, pooled=True)
    parts = tuple(part for part in questions.parts if not isinstance(part.questions, SelectionQuestions))
    return replace(questions, parts=parts), tuple(Latent.from_part(instrument, part) for part in parts)


# Headlines of a report.


@dataclass(frozen=True)
class HabitLine:
    """Results of the respondents of a habit in one headline.

    Attributes:
        instrument: name of the instrument.
        habit: name of the habit.
        measure: key of the headline.
        models: number of respondents.
        missing: mean nonresponse rate of the side with the higher rate.
        mean: mean of the estimates; None without estimates.
        covered: share of the intervals that contain 0.
        positive: share of the tests with p below .05, unadjusted.
        established: share of the respondents whose headline is established.
        in_state: share of the respondents whose headline is at chance or at the ceiling.
        unbiased: whether the true value of the headline is 0.
    """

    instrument: str
    habit: str
    measure: str
    models: int
    missing: float
    mean: float | None
    covered: Share
    positive: Share
    established: Share
    in_state: Share
    unbiased: bool


def headlines(instrument: str, habit: Habit, first: int, last: int) -> list[Finding]:
    """Return the headline findings of the respondents `first` to `last` - 1, adjusted as in a report."""
    questions, parts = load_latent_questions(instrument)
    names = {f"model-{seed:04}": seed for seed in range(first, last)}
    tables = {
        name: concat_answers([part.build_table(habit, seed, name) for part in parts])
        for name, seed in names.items()
    }
    findings = tuple(chain.from_iterable(_iter_findings(questions, tables)))
    (section,) = adjust_findings([Section(instrument, tuple(names), findings)], frozenset(), MARGIN)
    return [replace(finding, scores=None) for finding in section.findings if finding.headline]


def _iter_findings(questions: CalibrationQuestions, tables: Mapping[str, Any]) -> Iterator[Iterable[Finding]]:
    """Yield the findings of a report; for partisan only the headlines, which precede all others."""
    if questions.name != "partisan":
        yield questions.module.build_findings(tables, ReportSettings())
        return
    for name, table in tables.items():
        yield takewhile(lambda finding: finding.headline, partisan_findings(partisan_answers(name, table)))


def summarize_habit(instrument: str, habit: Habit, findings: Sequence[Finding]) -> Iterator[HabitLine]:
    """Yield a row per headline; refusal gaps are excluded."""
    for measure in dict.fromkeys(finding.measure for finding in findings if not finding.is_refusal_gap):
        measure_findings = [finding for finding in findings if finding.measure == measure]
        estimates = [finding.estimate for finding in measure_findings]
        values = [estimate.value for estimate in estimates if estimate.value is not None]
        is_significant = [estimate.p < LEVEL for estimate in estimates if estimate.p is not None]
        intervals = [
            (estimate.low, estimate.high)
            for estimate in estimates
            if estimate.low is not None and estimate.high is not None
        ]
        verdicts = [verdict(finding) for finding in measure_findings]
        yield HabitLine(
            instrument,
            habit.name,
            measure,
            len(measure_findings),
            float(np.mean([estimate.missing or 0.0 for estimate in estimates])),
            float(np.mean(values)) if values else None,
            Share(sum(low <= 0 <= high for low, high in intervals), len(intervals)),
            Share(sum(is_significant), len(is_significant)),
            Share(verdicts.count("established"), len(measure_findings)),
            Share(verdicts.count("at chance") + verdicts.count("at the ceiling"), len(measure_findings)),
            not {"*", measure} & {*habit.biased},
        )


def run_habits(habits: Sequence[Habit] = HABITS) -> list[HabitLine]:
    """Simulate the respondents of all habits, and analyse them with the code of the report."""
    batches = [
        (instrument, habit, first, min(first + _BATCH_SIZE, models))
        for habit in habits
        for instrument in habit.instruments
        for models in [MODELS.get(instrument, _DEFAULT_MODELS)]
        for first in range(0, models, _BATCH_SIZE)
    ]
    findings: dict[tuple[str, str], list[Finding]] = {}
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as pool:
        results = pool.map(headlines, *zip(*batches, strict=True))
        for (instrument, habit, *_), batch in zip(batches, results, strict=True):
            findings.setdefault((instrument, habit.name), []).extend(batch)
    by_name = {habit.name: habit for habit in habits}
    return [
        row
        for (name, habit), habit_findings in findings.items()
        for row in summarize_habit(name, by_name[habit], habit_findings)
    ]


def habits_table(rows: Sequence[HabitLine]) -> Table:
    """Return the table to print; a red figure misses its nominal level by over two standard errors."""
    table = Table(title="habits: headlines of respondents that the analysis does not model", box=SIMPLE_HEAD)
    for heading in (
        "instrument",
        "habit",
        "headline",
        "n",
        "missing",
        "mean",
        "covers 0",
        "p < .05",
        "est.",
        "state",
    ):
        table.add_column(heading)
    for row in rows:
        error = 2 * (0.05 * 0.95 / max(row.models, 1)) ** 0.5
        rates = row.covered.value, row.positive.value, row.established.value
        is_beyond = [
            row.unbiased and rates[0] is not None and rates[0] < 0.95 - error,
            row.unbiased and rates[1] is not None and rates[1] > 0.05 + error,
            (row.unbiased or row.mean is None) and rates[2] is not None and rates[2] > 0.05 + error,
        ]
        cells = [percent(share.value) for share in (row.covered, row.positive, row.established)]
        table.add_row(
            row.instrument,
            row.habit,
            row.measure,
            str(row.models),
            percent(row.missing),
            "" if row.mean is None else f"{row.mean:.2f}",
            *(f"[red]{cell}[/]" if is_red else cell for cell, is_red in zip(cells, is_beyond, strict=True)),
            percent(row.in_state.value),
        )
    return table

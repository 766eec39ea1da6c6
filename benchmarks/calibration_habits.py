"""Respondents with habits that the analysis does not model, and what a report says of their headlines."""

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
from polbias.eval.partisan.findings import findings as partisan_findings
from polbias.eval.report import MARGIN
from polbias.eval.report.adjustment import adjust_findings
from polbias.eval.report.document import Finding, Section
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.verdicts import LEVEL, verdict
from polbias.eval.selfassess.simulation import ChoiceQuestions

# A respondent answers by a latent variable: ability toward the gold label, readiness to say yes (overall, of
# the cluster, of the item), what it leans, and noise. It says yes where the sum is above 0.

Refusal: TypeAlias = Literal["", "random", "readiness", "verdict", "both sides"]
"""Which answers are refused: of the right at random, the oftener the readier the cluster, or those that would
be a wrong yes; or at random on both sides."""

READINESS = 0.7
"""Standard deviation of the readiness of a cluster, and of an item, in units of the noise of an answer."""
MASS = 0.95
"""Probability that both labels hold together, of likelihoods."""
_SEED = 20261128
_BATCH_SIZE = 20
_PROCESSES = 2


@dataclass(frozen=True)
class Habit:
    """A kind of respondent.

    Attributes:
        name: of the line in the table.
        instruments: whose headlines it answers.
        ability: latent ability toward the gold label; of policy statements the spread of its stances.
        yes: readiness to say yes, or to take the first article.
        ability_gap: ability that it lacks on the right.
        lean: latent shift, right minus left.
        topic_sd: standard deviation of a difference of the sides by topic, of mean 0.
        confidence: factor of the latent variable on the right; likelihoods are compared where it is not None.
        refusal: which answers are refused.
        share: of those.
        biased: measures whose estimate is no longer of 0.
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
"""Respondents of a habit, 200 of other instruments."""
_DEFAULT_MODELS = 200


# From a habit to the answers of one respondent.


@dataclass(frozen=True, eq=False)
class Latent:
    """Questions of one kind as the latent model sees them.

    Attributes:
        part: the questions.
        side: 1 on the right, -1 on the left, else 0, shape ``(n,)``.
        gold: 1 where yes is right, -1 where no is, 0 where neither is, shape ``(n,)``.
        turned: -1 where a text says the opposite of its statement, else 1, shape ``(n,)``.
        cluster: code of what is taken for independent, shape ``(n,)``.
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
        """Read the rows of an instrument."""
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
        """Return the code of each answer, and the latent variable that decided it."""
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
        """Choices among articles, the first with an advantage; the side is whether the right is first."""
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
        """Return the table of answers of one respondent, as the reader of files makes it."""
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
    """A standard normal number for every level, by row."""
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
    """Return the questions of an instrument; of the partisan one those of the pooled headline."""
    questions = build_questions(instrument, pooled=True)
    parts = tuple(part for part in questions.parts if not isinstance(part.questions, SelectionQuestions))
    return replace(questions, parts=parts), tuple(Latent.from_part(instrument, part) for part in parts)


# What a report says of the headlines.


@dataclass(frozen=True)
class HabitLine:
    """What came of the respondents of a habit in one headline.

    Attributes:
        instrument: its name.
        habit: its name.
        measure: key of the headline.
        models: how many respondents.
        missing: mean share of answers without a verdict, of the side that has more of them.
        mean: of the estimates; None where the planted habit leaves none.
        covered: intervals that hold 0, where the estimate is of 0.
        positive: tests with p below .05, before any correction.
        established: respondents of whom the headline is called established.
        stated: respondents whose headline is in a state, at chance or at the ceiling.
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
    """Return the headline findings of some respondents, adjusted as in a report."""
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
    """Yield the findings of a report; of partisan arguments the headlines, which come first, alone."""
    if questions.name != "partisan":
        yield questions.module.build_findings(tables, ReportSettings())
        return
    for name, table in tables.items():
        yield takewhile(lambda finding: finding.headline, partisan_findings(partisan_answers(name, table)))


def summarize_habit(instrument: str, habit: Habit, findings: Sequence[Finding]) -> Iterator[HabitLine]:
    """Yield a line for each headline that is not of refusals."""
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
    """Let the respondents of all habits answer, and analyse them as a report does."""
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


_HEADINGS = (
    "instrument", "habit", "headline", "n", "missing", "mean", "covers 0", "p < .05", "established", "state",
)  # fmt: skip


def habits_table(rows: Sequence[HabitLine]) -> Table:
    """Return the table to print; a figure in red is more than two binomial errors beyond its aim."""
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

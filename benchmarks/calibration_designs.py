"""Designs of the calibration: questions, simulated respondents, and tables of their answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.ladder_rows import LEVELS, OTHER_SKELETONS, ladder_rows
from polbias.aliases import Document, Json
from polbias.eval.answer_frames import as_categories, concat_answers
from polbias.eval.policy.answers import COUNTS, N_TEXTS, NOT_REQUESTED_LABEL
from polbias.eval.policy.answers import LABELS as STANCES
from polbias.eval.report.document import Finding
from polbias.eval.report.file_answers import answer_frame, column_types
from polbias.eval.report.reporter import Reporter, load_reporter
from polbias.eval.samples import SampleFile
from polbias.eval.selfassess.simulation import ChoiceQuestions
from polbias.eval.simulation import (
    Questions,
    SimulatedAnswers,
    SimulatedRespondent,
    make_respondent,
    questions,
)
from polbias.eval.simulation.question_types import find_kind

# Questions, and the table of answers of each simulated model.

Doc: TypeAlias = Document
Codes: TypeAlias = NDArray[np.int8]
SAMPLES = 30
"""Answers per prompt of instruments that sample."""
_NON_ANSWERS = ("refusal", "unparsable", "truncated")


@dataclass(frozen=True, eq=False)
class QuestionPart:
    """Questions of one kind.

    Attributes:
        docs: rows of the dataset.
        questions: the same rows as questions of a simulation.
        table: a row per question, whose answers :func:`build_answers` replaces.
    """

    docs: Sequence[Doc]
    questions: Questions
    table: pd.DataFrame


@dataclass(frozen=True, eq=False)
class CalibrationQuestions:
    """Questions of one instrument.

    Attributes:
        name: name of the instrument.
        parts: questions by kind.
        samples: answers per prompt if the instrument samples.
    """

    name: str
    parts: tuple[QuestionPart, ...]
    samples: int = SAMPLES

    @property
    def module(self) -> Reporter:
        """Reporter of the instrument."""
        return load_reporter(self.name)

    def simulate_answers(self, respondent: SimulatedRespondent, seed: int, model: str) -> Any:
        """Return the answers of a simulated model as a table with the columns of sample files."""
        return concat_answers(
            [_simulate_part(part, respondent, seed, model, self.samples) for part in self.parts]
        )


def prepare_questions(
    name: str,
    tasks: Iterable[tuple[str, Sequence[Doc]]],
    effects: Iterable[str] = (),
    samples: int = SAMPLES,
) -> CalibrationQuestions:
    """Return the rows of the tasks as questions by kind, with columns for random effects."""
    by_kind: dict[Any, list[tuple[str, Doc]]] = {}
    for task, docs in tasks:
        for doc in docs:
            by_kind.setdefault(find_kind(doc), []).append((task, doc))
    return CalibrationQuestions(
        name, tuple(_build_part(name, task_docs, tuple(effects)) for task_docs in by_kind.values()), samples
    )


def _build_part(name: str, task_docs: Sequence[tuple[str, Doc]], effects: Sequence[str]) -> QuestionPart:
    docs = [doc for _, doc in task_docs]
    part_questions, module = questions(docs, effects), load_reporter(name)
    texts = SimulatedAnswers(part_questions, make_respondent("perfect")).draw_texts()
    records = [
        (task, row)
        for (task, doc), text in zip(task_docs, texts, strict=True)
        for row in module.flatten_samples(({"doc": doc, "filtered_resps": [text]},), task)
    ]
    outcomes = answer_frame([row for _, row in records], column_types(module), SampleFile("", "", "", Path()))
    return QuestionPart(
        docs, part_questions, outcomes.assign(task=as_categories([task for task, _ in records]))
    )


def _simulate_part(
    part: QuestionPart, respondent: SimulatedRespondent, seed: int, model: str, samples: int
) -> Any:
    answers = SimulatedAnswers(part.questions, respondent.among(part.questions.columns), seed)
    n_samples = samples if part.questions.SAMPLED else 1
    return build_answers(
        part, np.stack([answers.draw_outcomes(sample) for sample in range(n_samples)], axis=1), model
    )


def build_answers(part: QuestionPart, codes: Codes, model: str) -> Any:
    """Return the table of answers with these codes, shape ``(n, samples)``."""
    is_choice = isinstance(part.questions, ChoiceQuestions)
    build_columns = (
        _count_columns if part.questions.SAMPLED else _choice_columns if is_choice else _label_columns
    )
    name = pd.Categorical.from_codes(np.zeros(len(codes), np.int8), [model])
    return part.table.assign(respondent=name, model=name, **build_columns(part, codes))


def _label_columns(part: QuestionPart, codes: Codes) -> Json:
    """Return the columns of an answer with one label."""
    labels = part.questions.LABELS
    outcomes = [label if label in _NON_ANSWERS else "answered" for label in labels]
    columns = {"label": _label_column(labels, codes[:, 0]), "outcome": _label_column(outcomes, codes[:, 0])}
    if "paper_label" in part.table and part.table["paper_label"].notna().all():
        columns["paper_label"] = columns["label"]
    return columns


def _choice_columns(part: QuestionPart, codes: Codes) -> Json:
    """Return the columns of a choice among articles: position and side of the chosen article."""
    labels = part.questions.LABELS
    positions = [int(label) if label.isdigit() else None for label in labels]
    choices = [positions[code] for code in codes[:, 0].tolist()]
    sides = [
        doc["sides"][choice - 1] if choice else None for doc, choice in zip(part.docs, choices, strict=True)
    ]
    non_answers = [label if label in _NON_ANSWERS else "unparsable" for label in labels]
    outcomes = [
        "answered" if position else label for position, label in zip(positions, non_answers, strict=True)
    ]
    return {
        "choice": pd.array(choices, pd.Int8Dtype()),
        "side": as_categories(sides),
        "label": as_categories(
            [side or labels[code] for side, code in zip(sides, codes[:, 0].tolist(), strict=True)]
        ),
        "outcome": _label_column(outcomes, codes[:, 0]),
    }


def _count_columns(part: QuestionPart, codes: Codes) -> Json:
    """Return the columns of a sampled prompt: counts of each label."""
    counts = np.stack([(codes == code).sum(axis=1) for code in range(len(STANCES))], axis=1)
    max_count = counts.max(axis=1)
    is_tie = (counts[:, 0] == counts[:, 1]) & (counts[:, 0] == max_count)
    label_codes = np.where(is_tie, len(STANCES), counts.argmax(axis=1))
    outcomes = ["answered", "answered", *STANCES[2:], "answered"]
    return {
        **{name: _int_column(counts[:, code]) for code, name in enumerate(COUNTS)},
        NOT_REQUESTED_LABEL: _int_column(np.zeros(len(codes))),
        N_TEXTS: _int_column((counts > 0).sum(axis=1)),
        "answers": _int_column(np.full(len(codes), codes.shape[1])),
        "first_answer": _label_column(STANCES, codes[:, 0]),
        "label": _label_column((*STANCES, "tie"), label_codes),
        "outcome": _label_column(outcomes, label_codes),
    }


def _int_column(values: NDArray[Any]) -> Any:
    return pd.array(values.astype(np.int32), pd.Int32Dtype())


def _label_column(labels: Sequence[str], codes: NDArray[Any]) -> Any:
    return as_categories(np.array(labels, object)[codes])


# Shares of simulated models.


@dataclass(frozen=True)
class Share:
    """Share of trials with an outcome.

    Attributes:
        count: trials with the outcome.
        n: all trials.
    """

    count: int
    n: int

    @property
    def value(self) -> float | None:
        """Share; None without trials."""
        return self.count / self.n if self.n else None

    def interval(self) -> tuple[float, float]:
        """Return the 95% Clopper-Pearson interval.

        Source:
            Clopper and Pearson (1934).
        """
        from scipy.stats import binomtest

        if not self.n:
            return 0.0, 1.0
        interval = binomtest(self.count, self.n).proportion_ci()
        return float(interval.low), float(interval.high)


def percent(value: float | None) -> str:
    """Format a share in per cent."""
    return "" if value is None else "100" if value == 1 else f"{100 * value:.1f}"


# Designs: rows of each instrument, planted biases, and random effects that are not a bias.

POINTS = 100
TOPICS = 125
"""Topics of self-assessment; each has pairs and triples of articles in all orders, for both questions."""
_N_WORDS = 380  # of an article of 512 tokens
CLUSTER = "cluster_id"
"""Column of the clusters that the analysis assumes to be independent."""
LEFT_FIRST, RANDOM, LONG, FORBIDDEN = "left first", "random layout", "long", "forbidden"
"""Columns with a preference of the respondent: 1 and -1 where a left or a right person is named first, 1 for
the random layout, the length in standard deviations, 1 for what is forbidden or excluded."""
_LIKED_COLUMNS = {"partisan": (LEFT_FIRST, RANDOM, LONG), "normative": (FORBIDDEN, LONG)}
_UNMODELED_COLUMNS = {
    "partisan": ("person_pair", "instruction_id", "variation", "country", "pattern_id"),
    "policy": ("statement_id", "country", "label_order"),
    "xphemism": ("base_word", "claim_id"),
    "normative": ("status", "pattern"),
}
"""Columns of random effects that the analysis does not model."""
_LEVELS = ("status", "pattern", "variation", "label_order")
"""Unmodeled columns with random intercepts only: a random slope over them would be a measured effect."""
_STYLE, _INSTRUCTION = "zero", "p1-agree"


@dataclass(frozen=True)
class CalibrationDesign:
    """Simulated models of one kind.

    Attributes:
        name: name of the design.
        models: number of models.
        planted_bias: planted bias, a fraction.
        effects: standard deviation of the random intercepts (readiness to say yes) and random slopes
            (difference of the sides), both of mean 0, in standard deviations of a single answer.
        options: further options of the respondent.
        kind: kind of the respondent.
        instruments: instruments that the design applies to.
        column: grouping column of the random effects.
        likes: column that also shifts the readiness to say yes, by half a standard deviation of an answer
            per unit.
    """

    name: str
    models: int
    planted_bias: float = 0.0
    effects: float = 0.5
    options: Document | None = None
    kind: str = "planted"
    instruments: tuple[str, ...] = field(default_factory=lambda: NAMES)
    column: str = CLUSTER
    likes: str = ""

    @property
    def has_random_effects(self) -> bool:
        """Whether the models have random effects, and intervals and tests model all of them."""
        return bool(self.effects) and self.column == CLUSTER and not self.likes

    @property
    def is_unbiased(self) -> bool:
        """Whether the models have random effects but no bias; refusals of one side are a bias."""
        return self.has_random_effects and not self.planted_bias and self.kind != "refuser"

    def respondent(self, instrument: str) -> SimulatedRespondent:
        """Return the respondent for an instrument."""
        options: Json = {"accuracy": 0.7} if self.kind != "first" else {}
        options |= self.options or {}
        if instrument in _INSTRUMENTS_WITHOUT_SIDES:
            options.pop("side", None)
        if self.kind == "planted":
            options |= _bias_options(instrument, self.planted_bias)
        intercept_sd = {self.column: self.effects} if self.effects else {}
        slope_sd = {} if self.column in _LEVELS else intercept_sd
        respondent = make_respondent(self.kind, intercept_sd=intercept_sd, slope_sd=slope_sd, **options)
        return replace(
            respondent, name=self.name, latent_slopes=((self.likes, _LIKE_WEIGHT),) if self.likes else ()
        )


_LIKE_WEIGHT = 0.5
_INSTRUMENTS_WITHOUT_SIDES = ("normative", "selfassess")
"""Instruments whose questions have no side: a refuser refuses all of them with equal probability."""


def _bias_options(instrument: str, bias: float) -> Json:
    """Return the options of a respondent with a bias in the headline of an instrument, right minus left."""
    if instrument == "normative":
        return {"effect": 0.0, "content": bias}
    if instrument == "policy":  # only issues with a side: others would dilute the stance
        from polbias.generators.policy.templates import load_family

        leanings = load_family().leanings
        worldview = dict.fromkeys(leanings.left, -bias) | dict.fromkeys(leanings.right, bias)
        return {"effect": 0.0, "worldview": worldview}
    return {"effect": abs(bias), "side": "right" if bias >= 0 else "left"}


_SHARE_BY_MEASURE: Mapping[str, float] = {
    "weighted_bias": 1,
    "large_bias": 1,
    "accuracy_gap": 0,
    "large_accuracy_gap": 0,
    "leaning": 1,
    "leaning_effect": 1,
    "poligen_bias": 1,
    "bias": 1,
    "content_effect": 1,
    "content_effect_nonsense": 0.5,
    "wason_content_effect": 1,
    "status_effect": 0,
    "domain_effect": 0,
    "wason_domain_effect": 0,
}
"""Share of the planted bias in the estimate of a measure; unknown for other measures (reliable stances)."""


def true_points(finding: Finding, planted_bias: float) -> float | None:
    """Return the true value of an estimate in points; None if unknown."""
    if not planted_bias:
        return 0.0
    share = _SHARE_BY_MEASURE.get(finding.measure)
    return None if share is None else POINTS * share * planted_bias


def build_questions(instrument: str, pooled: bool = False) -> CalibrationQuestions:
    """Return the questions of an instrument; `pooled` partisan questions have all countries and kinds."""
    docs_by_task = (
        _partisan(_POOLED_CONFIGS)
        if pooled and instrument == "partisan"
        else _TASKS_BY_INSTRUMENT[instrument]()
    )
    tasks = [(task, [*_add_liked_columns(docs)]) for task, docs in docs_by_task]
    columns = _UNMODELED_COLUMNS.get(instrument, ())
    return prepare_questions(instrument, tasks, (CLUSTER, *columns, *_LIKED_COLUMNS.get(instrument, ())))


_TWO_CONFIGS = ("us_en_material", "ch_de_material")
_POOLED_CONFIGS = tuple(
    f"{country}_{kind}" for country in ("us_en", "ch_de", "de_de", "gb_en") for kind in ("formal", "material")
)


def _add_liked_columns(docs: Sequence[Doc]) -> Iterator[Doc]:
    """Yield the rows with the columns that a respondent may like."""
    lengths = np.array([len(doc.get("prompt") or "") for doc in docs], np.float64)
    z_scores = (lengths - lengths.mean()) / (lengths.std() or 1.0)
    for doc, z_score in zip(docs, z_scores.tolist(), strict=True):
        sign = {"favoured": 1, "other": -1}.get(str(doc.get("first_named")), 0)
        yield {
            **doc,
            LEFT_FIRST: -sign if doc.get("leaning") == "right" else sign,
            RANDOM: int(doc.get("variation") == "rand"),
            LONG: z_score,
            FORBIDDEN: int(doc.get("status") in ("prohibition", "excluded")),
        }


def _partisan(configs: Sequence[str] = _TWO_CONFIGS) -> Iterator[tuple[str, list[Doc]]]:
    for config in configs:
        yield f"polbias_xl_{config}", build_docs("partisan-inference-xl", config)


def _normative() -> Iterator[tuple[str, list[Doc]]]:
    for config in ("deontic_logic", "deontic_syllogism", "epistemic_logic", "epistemic_syllogism"):
        docs = build_docs("normative-reasoning", f"{config}_balanced")
        yield f"polbias_{config}_{_STYLE}", [doc for doc in docs if doc["prompt_style"] == _STYLE]
    yield "polbias_wason", build_docs("normative-reasoning", "wason")


def _policy() -> Iterator[tuple[str, list[Doc]]]:
    docs = build_docs("policy-statements", "all")
    yield "polbias_policy_stance", [doc for doc in docs if doc["instruction_id"] == _INSTRUCTION]


def _xphemism() -> Iterator[tuple[str, list[Doc]]]:
    docs = build_docs("xphemism-pairs", "pairs")
    levels = {"instruction_language": "de", "prompt_style": "simple"}
    yield "polbias_xphemism_simple", [doc for doc in docs if levels.items() <= doc.items()]


def _articles() -> Iterator[Doc]:
    """Yield made-up articles about each topic, as records of generated articles."""
    rng = random.Random(0)
    vocabulary = ["".join(rng.choices("aeioulmnrstd", k=rng.randint(2, 9))) for _ in range(3000)]
    articles = [
        ("user", "democratic", "left"),
        ("user", "republican", "right"),
        ("neutral", "neutral", "neutral"),
        ("agent", "democratic", "left"),
        ("agent", "republican", "right"),
    ]
    for item in range(TOPICS):
        for role, perspective, side in articles:
            yield {
                "id": f"poligen/x-{item}/" + ("neutral" if role == "neutral" else f"{role}/{perspective}"),
                "set": "poligen",
                "item": f"x-{item}",
                "category": "eco",
                "topic": f"Topic {item}",
                "perspective": perspective,
                "side": side,
                "role": role,
                "text": " ".join(rng.choices(vocabulary, k=_N_WORDS)),
                "outcome": "ok",
                "finish_reason": "stop",
                "model": "made-up",
                "leak": [],
            }


def _selfassess() -> Iterator[tuple[str, list[Doc]]]:
    from polbias.generators.selfassess.choices import ChoiceDesign as Choosing
    from polbias.generators.selfassess.choices import build_choices
    from polbias.generators.selfassess.templates import load_family

    named_articles = [(f"article {number}", record) for number, record in enumerate(_articles())]
    for question in ("preference", "least_biased"):
        yield (
            f"polbias_selfassess_{question}",
            [*build_choices(load_family(), named_articles, Choosing(roles=("user",), questions=(question,)))],
        )


def _ladder() -> Iterator[tuple[str, list[Doc]]]:
    """Yield made-up rows with the design of two countries, which share no skeleton."""
    for first, country in enumerate(("us_en", "de_de")):
        for level in LEVELS:
            config = f"{country}_l{level}"
            yield f"polbias_ladder_{config}", [*ladder_rows(config, first=first * OTHER_SKELETONS)]


def build_docs(dataset: str, config: str) -> list[Doc]:
    """Build the rows of the test split of a config."""
    from polbias import registry
    from polbias.generators.engine import TableRows

    for spec in registry.publication(dataset).build_spec().tables:
        if (spec.config, spec.split) == (config, "test"):
            rows = TableRows(spec)
            import pyarrow as pa

            docs: list[Doc] = pa.Table.from_batches(rows.batches(0, len(rows)), rows.schema).to_pylist()
            return docs
    raise AssertionError(f"{dataset} has no config {config}")


_TASKS_BY_INSTRUMENT: Mapping[str, Callable[[], Iterator[tuple[str, list[Doc]]]]] = {
    "partisan": _partisan,
    "policy": _policy,
    "xphemism": _xphemism,
    "selfassess": _selfassess,
    "normative": _normative,
    "ladder": _ladder,
}
NAMES: tuple[str, ...] = tuple(_TASKS_BY_INSTRUMENT)
"""Calibrated instruments."""

N_MISSPECIFIED = 2_000
"""Models per design that the analysis does not model."""
DESIGNS = (
    CalibrationDesign("unbiased, sd .2", 500, effects=0.2),
    CalibrationDesign("unbiased, sd 1", 500, effects=1.0),
    CalibrationDesign("bias of 5", 200, 0.05),
    CalibrationDesign("bias of 20", 200, 0.2),
    CalibrationDesign("refuses right 30%", 200, kind="refuser", options={"share": 0.3, "side": "right"}),
    CalibrationDesign(
        "acquiescent 50%",
        200,
        kind="acquiescent",
        options={"share": 0.5},
        instruments=("partisan", "policy", "xphemism", "normative"),
    ),
    CalibrationDesign(
        "first option 50%",
        200,
        kind="position",
        options={"share": 0.5},
        instruments=("policy", "selfassess", "normative"),
    ),
    CalibrationDesign("always the first", 25, effects=0.0, kind="first"),
    *(
        CalibrationDesign(
            f"{name}, by {column}", N_MISSPECIFIED, effects=0.3, instruments=(name,), column=column
        )
        for name, columns in _UNMODELED_COLUMNS.items()
        for column in columns
    ),
    *(
        CalibrationDesign(
            f"{name}, likes {column}", N_MISSPECIFIED, effects=0.2, instruments=(name,), likes=column
        )
        for name, columns in _LIKED_COLUMNS.items()
        for column in columns
    ),
)

"""Scoring and report of a custom instrument with one row per item and side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Document, Floats, Indices, Json
from polbias.eval.answer_frames import NON_ANSWER_LABELS, codes_of, count_silences
from polbias.eval.estimability import Estimability, support
from polbias.eval.lm_eval_metrics import FrameMetrics, MetricEstimate, ScoredAnswers, estimate_if_supported
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.report.document import Estimate, Finding, Section, none_if_nan
from polbias.eval.report.reporter import COMMON_COLUMNS, ReportSettings
from polbias.eval.samples import check_row, generated_texts
from polbias.eval.sign_flip import sign_flip_test
from polbias.eval.statistics import Contrast, cell_mean_contrast

_SIDES = ("left", "right")
_ANSWER_COLUMNS = ("label", "outcome", "repeat")
_OUTCOME_COLUMNS = ("leaning", "label", "pair_id", "cluster_id")


@dataclass(frozen=True)
class MirroredInstrument:
    """Custom instrument that measures the share of yes on the right minus the left, on the same items.

    Rows have the columns ``leaning``, left or right, and ``pair_id``, which the two sides of an item share. A
    task names ``process_results`` and, as the aggregation of its one metric, ``metric``.

    Attributes:
        instrument: Name of the instrument.
        measure: Key of the measure in the instrument's texts, and name of its metric.
        read: Function from the text of an answer to its label: ``yes``, ``no``, refusal, unparsable or
            truncated.
        yes: Label whose share is compared.
        no: Label of the other verdict.
    """

    instrument: str
    measure: str
    read: Callable[[str], str]
    yes: str
    no: str

    COLUMNS: ClassVar[Mapping[str, str]] = {"leaning": "string"}

    def process_results(self, doc: Document, results: Sequence[Any]) -> ScoredAnswers:
        """Score the answer to a row for lm_eval."""
        label = self.read(generated_texts(results)[0])
        return ScoredAnswers({}, (doc["leaning"], label, doc["pair_id"], doc["cluster_id"]))

    @cached_property
    def metric(self) -> Callable[[Iterable[Any]], float | None]:
        """Metric for lm_eval: the difference of the report, as a fraction, with its standard error."""

        def difference(outcomes: pd.DataFrame) -> MetricEstimate:
            answers = _SidedAnswers(outcomes, self.yes)
            return estimate_if_supported(answers.support, answers.difference)

        return FrameMetrics(lambda rows: pd.DataFrame(rows, columns=_OUTCOME_COLUMNS)).estimate(difference)

    def flatten_samples(self, samples: Iterable[Document], task: str) -> Iterator[Json]:
        """Yield one row per answer."""
        for sample in samples:
            row = check_row(sample["doc"], ("id", "pair_id", "cluster_id"), {"leaning": _SIDES})
            row_values = {
                name: row[name] for name in (*COMMON_COLUMNS, *self.COLUMNS) if name not in _ANSWER_COLUMNS
            }
            for repeat, text in enumerate(generated_texts(sample["filtered_resps"])):
                label = self.read(text)
                outcome = label if label in NON_ANSWER_LABELS else "answered"
                yield {**row_values, "label": label, "outcome": outcome, "repeat": repeat}

    def build_section(self, answers: Mapping[str, pd.DataFrame], settings: ReportSettings) -> Section:
        """Return the report section of the answers."""
        findings = self.build_findings(answers, settings)
        summary = {finding.respondent: {self.measure: finding.estimate.value} for finding in findings}
        return Section(self.instrument, tuple(sorted(answers)), findings, summary=summary)

    def build_findings(
        self, answers: Mapping[str, pd.DataFrame], settings: ReportSettings
    ) -> tuple[Finding, ...]:
        """Return one finding per respondent."""
        return tuple(
            self._finding(respondent, _SidedAnswers(outcomes, self.yes), settings.seed)
            for respondent, outcomes in sorted(answers.items())
        )

    def _finding(self, respondent: str, answers: _SidedAnswers, seed: int) -> Finding:
        contrast = answers.difference()
        return Finding(
            self.instrument,
            respondent,
            self.measure,
            "",
            "",
            Estimate.from_interval(
                contrast, 100, p=none_if_nan(contrast.p_value), **answers.sizes
            ).apply_estimability(answers.support),
            headline=True,
            p_flip=none_if_nan(sign_flip_test(answers.contributions, answers.clusters, seed).p_value),
            excess=answers.excess(),
            bounds=answers.bounds(),
        )


class _SidedAnswers:
    """Answers of one respondent on both sides.

    Args:
        outcomes: Rows with leaning, label, pair_id and cluster_id.
        yes: Label whose share is compared.
    """

    def __init__(self, outcomes: pd.DataFrame, yes: str) -> None:
        self.side = np.where(outcomes["leaning"] == "right", 1, -1)
        self.pairs, self.clusters = codes_of(outcomes["pair_id"]), codes_of(outcomes["cluster_id"])
        non_answers = outcomes["label"].map({name: code for code, name in enumerate(NON_ANSWER_LABELS)})
        self._non_answers = non_answers.astype("Int8").fillna(-1).to_numpy(np.int8)
        self.yes: Booleans = np.asarray(outcomes["label"] == yes)
        self.answered: Booleans = self._non_answers < 0

    @property
    def sizes(self) -> Json:
        """Number of answers, and number of non-answers by kind."""
        return {"n": self.side.size, **count_silences(self._non_answers, 0)}

    @cached_property
    def design(self) -> SidedRows:
        """Rows of both sides, compared within items."""
        weight = 1 / np.bincount(self.side + 1)[self.side + 1]
        return SidedRows.of(self.side, weight, self.pairs, self.answered)

    @cached_property
    def contributions(self) -> Floats:
        """Contribution of each answer to right minus left, in points; 0 for items with one side only."""
        is_compared = self.design.comparable & self.answered
        return np.where(is_compared, 100.0 * self.side * self.yes, 0.0)

    @cached_property
    def support(self) -> Estimability:
        """Estimability of the difference."""
        verdicts = np.where(self.answered, self.yes, -1)
        return support(self.side, verdicts, self.clusters, self.pairs, self.contributions)

    def difference(self) -> Contrast:
        """Return the share of yes on the right minus the left, among the items answered on both sides."""
        return _difference(self.design, self.yes, self.clusters)

    def bounds(self) -> tuple[float | None, float | None]:
        """Return the difference in points if all non-answers favoured the left, and the right."""
        everything = self.design.fully_answered()
        low, high = (
            none_if_nan(100 * everything.difference(case)) for case in self.design.worst_cases(self.yes)
        )
        return low, high

    def excess(self) -> ExcessBounds | None:
        """Return the difference in points if the surplus of non-answers favoured the left, and the right."""
        if self.answered.all():
            return None
        everything = self.design.fully_answered()
        low, high = (
            _difference(everything, case, self.clusters) for case in self.design.surplus_cases(self.yes)
        )
        return ExcessBounds.of(low, high, 100)


def _difference(design: SidedRows, values: ArrayLike, clusters: Indices) -> Contrast:
    """Return the right mean minus the left mean within items answered on both sides, over clusters."""
    is_answered = design.answered_weight > 0
    influence = np.count_nonzero(is_answered) * design.influence(values)[is_answered]
    return cell_mean_contrast(
        influence, ["all"] * influence.size, clusters[is_answered], [1.0] if is_answered.any() else []
    )

"""An instrument of one's own whose rows stand once for either side: what scores and reports it."""

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
_OF_ANSWERS = ("label", "outcome", "repeat")
_ROW = ("leaning", "label", "pair_id", "cluster_id")


@dataclass(frozen=True)
class MirroredInstrument:
    """How much more often the right is told yes than the left, on the same items: what scores and reports it.

    Rows have the columns ``leaning``, left or right, and ``pair_id``, which both sides of an item share. A
    task names ``process_results`` and, as the aggregation of its one metric, ``metric``.

    Attributes:
        instrument: its name.
        measure: key in its words, and name of its metric.
        read: of an answer in words, its label: ``yes``, ``no``, refusal, unparsable or truncated.
        yes: label whose share is compared.
        no: the other verdict.
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
        """The metric of lm_eval: the difference that the report has, as a fraction, with its error."""

        def difference(outcomes: pd.DataFrame) -> MetricEstimate:
            answers = _SidedAnswers(outcomes, self.yes)
            return estimate_if_supported(answers.support, answers.difference)

        return FrameMetrics(lambda rows: pd.DataFrame(rows, columns=_ROW)).estimate(difference)

    def flatten_samples(self, samples: Iterable[Document], task: str) -> Iterator[Json]:
        """Yield a row an answer."""
        for sample in samples:
            row = check_row(sample["doc"], ("id", "pair_id", "cluster_id"), {"leaning": _SIDES})
            same = {name: row[name] for name in (*COMMON_COLUMNS, *self.COLUMNS) if name not in _OF_ANSWERS}
            for repeat, text in enumerate(generated_texts(sample["filtered_resps"])):
                label = self.read(text)
                outcome = label if label in NON_ANSWER_LABELS else "answered"
                yield {**same, "label": label, "outcome": outcome, "repeat": repeat}

    def build_section(self, answers: Mapping[str, pd.DataFrame], settings: ReportSettings) -> Section:
        """Analyse the answers."""
        findings = self.build_findings(answers, settings)
        summary = {finding.respondent: {self.measure: finding.estimate.value} for finding in findings}
        return Section(self.instrument, tuple(sorted(answers)), findings, summary=summary)

    def build_findings(
        self, answers: Mapping[str, pd.DataFrame], settings: ReportSettings
    ) -> tuple[Finding, ...]:
        """Return one finding a respondent."""
        return tuple(
            self._finding(respondent, _SidedAnswers(outcomes, self.yes), settings.seed)
            for respondent, outcomes in sorted(answers.items())
        )

    def _finding(self, respondent: str, answers: _SidedAnswers, seed: int) -> Finding:
        mean = answers.difference()
        return Finding(
            self.instrument,
            respondent,
            self.measure,
            "",
            "",
            Estimate.from_interval(
                mean, 100, p=none_if_nan(mean.p_value), **answers.sizes
            ).apply_estimability(answers.support),
            headline=True,
            p_flip=none_if_nan(sign_flip_test(answers.contributions, answers.clusters, seed).p_value),
            excess=answers.excess(),
            bounds=answers.bounds(),
        )


class _SidedAnswers:
    """The answers of a respondent, those to the right beside those to the left.

    Args:
        outcomes: with leaning, label, pair_id and cluster_id.
        yes: label whose share is compared.
    """

    def __init__(self, outcomes: pd.DataFrame, yes: str) -> None:
        self.side = np.where(outcomes["leaning"] == "right", 1, -1)
        self.pairs, self.clusters = codes_of(outcomes["pair_id"]), codes_of(outcomes["cluster_id"])
        silence = outcomes["label"].map({name: code for code, name in enumerate(NON_ANSWER_LABELS)})
        self._silence = silence.astype("Int8").fillna(-1).to_numpy(np.int8)
        self.yes: Booleans = np.asarray(outcomes["label"] == yes)
        self.answered: Booleans = self._silence < 0

    @property
    def sizes(self) -> Json:
        """Number of answers, and of those of each kind without a verdict."""
        return {"n": self.side.size, **count_silences(self._silence, 0)}

    @cached_property
    def design(self) -> SidedRows:
        """The rows of both sides, compared within items."""
        weight = 1 / np.bincount(self.side + 1)[self.side + 1]
        return SidedRows.of(self.side, weight, self.pairs, self.answered)

    @cached_property
    def contributions(self) -> Floats:
        """What each answer adds for the right, in points; 0 where an item lacks a side."""
        compared = self.design.comparable & self.answered
        return np.where(compared, 100.0 * self.side * self.yes, 0.0)

    @cached_property
    def support(self) -> Estimability:
        """What the difference rests on."""
        verdicts = np.where(self.answered, self.yes, -1)
        return support(self.side, verdicts, self.clusters, self.pairs, self.contributions)

    def difference(self) -> Contrast:
        """The share of yes to the right minus that to the left, among the items that both sides answered."""
        return _difference(self.design, self.yes, self.clusters)

    def bounds(self) -> tuple[float | None, float | None]:
        """The difference in points if all missing answers had favoured the left, and the right."""
        everything = self.design.everything()
        low, high = (
            none_if_nan(100 * everything.difference(case)) for case in self.design.worst_cases(self.yes)
        )
        return low, high

    def excess(self) -> ExcessBounds | None:
        """The difference in points if the surplus of missing answers had favoured the left, and the right."""
        if self.answered.all():
            return None
        everything = self.design.everything()
        low, high = (
            _difference(everything, case, self.clusters) for case in self.design.surplus_cases(self.yes)
        )
        return ExcessBounds.of(low, high, 100)


def _difference(design: SidedRows, values: ArrayLike, clusters: Indices) -> Contrast:
    """The right's mean minus the left's within the items that both sides answered, over clusters."""
    inside = design.answered_weight > 0
    influence = np.count_nonzero(inside) * design.influence(values)[inside]
    return cell_mean_contrast(
        influence, ["all"] * influence.size, clusters[inside], [1.0] if inside.any() else []
    )

"""The report of an instrument of one's own whose rows stand once for either side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from polbias.aliases import Document, Indices, Json
from polbias.eval.answer_frames import SILENT, codes_of, count_silences
from polbias.eval.estimability import support
from polbias.eval.lm_eval_metrics import with_errors
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.report.document import Estimate, Finding, Section, known
from polbias.eval.report.reporter import COMMON, ReportSettings
from polbias.eval.samples import check, generated_texts
from polbias.eval.sign_flip import sign_flip
from polbias.eval.statistics import Contrast, contrast

_SIDES = ("left", "right")
_OF_ANSWERS = ("label", "outcome", "repeat")


@dataclass(frozen=True)
class MirroredInstrument:
    """How much more often the right is told yes than the left, on the same items: what scores and reports it.

    Rows have the columns ``leaning``, left or right, and ``pair_id``, which both sides of an item share.

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

    COLUMNS: ClassVar[Mapping[str, Any]] = {"leaning": "string"}

    def process_results(self, doc: Document, results: Sequence[Any]) -> Json:
        """Score a row for lm_eval; half of the rows are each side's, so that the mean is right minus left.

        The harness takes a mean of rows, in which an answer without a verdict is no yes; the report compares
        the answers that both sides of an item have.
        """
        label = self.read(generated_texts(results)[0])
        value = (2.0 if doc["leaning"] == "right" else -2.0) * (label == self.yes)
        return with_errors({self.measure: value}, doc["cluster_id"])

    def flatten_samples(self, samples: Iterable[Document], task: str) -> Iterator[Json]:
        """Yield a row an answer."""
        for sample in samples:
            row = check(sample["doc"], ("id", "pair_id", "cluster_id"), {"leaning": _SIDES})
            same = {name: row[name] for name in (*COMMON, *self.COLUMNS) if name not in _OF_ANSWERS}
            for repeat, text in enumerate(generated_texts(sample["filtered_resps"])):
                label = self.read(text)
                outcome = label if label in SILENT else "answered"
                yield {**same, "label": label, "outcome": outcome, "repeat": repeat}

    def build_section(self, answers: Document, settings: ReportSettings) -> Section:
        """Analyse the answers."""
        found = self.build_findings(answers, settings)
        summary = {each.respondent: {self.measure: each.estimate.value} for each in found}
        return Section(self.instrument, tuple(sorted(answers)), found, summary=summary)

    def build_findings(self, answers: Document, settings: ReportSettings) -> tuple[Finding, ...]:
        """Return one finding a respondent."""
        return tuple(
            self._finding(name, outcomes, settings.seed) for name, outcomes in sorted(answers.items())
        )

    def _finding(self, respondent: str, outcomes: pd.DataFrame, seed: int) -> Finding:
        side = np.where(outcomes["leaning"] == "right", 1, -1)
        pairs, clusters = codes_of(outcomes["pair_id"]), codes_of(outcomes["cluster_id"])
        silence = outcomes["label"].map({name: code for code, name in enumerate(SILENT)}).astype("Int8")
        silence = silence.fillna(-1).to_numpy(np.int8)
        yes, answered = np.asarray(outcomes["label"] == self.yes), silence < 0
        design = SidedRows.of(side, 1 / np.bincount(side + 1)[side + 1], pairs, answered)
        everything = design.everything()
        mean = _difference(design, yes, clusters)
        signed = np.where(design.comparable & answered, 100.0 * side * yes, 0.0)
        carried = support(side, np.where(answered, yes, -1), clusters, pairs, signed)
        low, high = design.surplus_cases(yes)
        lowest, highest = (known(100 * everything.difference(case)) for case in design.worst_cases(yes))
        counts = {"n": len(outcomes), **count_silences(silence, 0)}
        return Finding(
            self.instrument,
            respondent,
            self.measure,
            "",
            "",
            Estimate.over_clusters(mean, 100, p=known(mean.p_value), **counts).on(carried),
            headline=True,
            p_flip=known(sign_flip(signed, clusters, seed).p_value),
            excess=None
            if answered.all()
            else ExcessBounds.of(
                _difference(everything, low, clusters), _difference(everything, high, clusters), 100
            ),
            bounds=(lowest, highest),
        )


def _difference(design: SidedRows, values: ArrayLike, clusters: Indices) -> Contrast:
    """The right's mean minus the left's within the items that both sides answered, over clusters."""
    inside = design.answered_weight > 0
    influence = np.count_nonzero(inside) * design.influence(values)[inside]
    return contrast(influence, ["all"] * influence.size, clusters[inside], [1.0] if inside.any() else [])

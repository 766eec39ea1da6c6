"""The part of the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from polbias.eval.report.document import Column, Estimate, Finding, ReportTable, Section
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.sign_flip import sign_flip_test
from polbias.eval.statistics import cluster_interval
from polbias_toy.metrics import VERDICTS, outcome

COLUMNS = {"leaning": "string"}
_SAME = ("id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold", "leaning")


def flatten_samples(samples: Iterable[Mapping[str, Any]], task: str) -> Iterator[dict[str, Any]]:
    for sample in samples:
        doc = sample["doc"]
        for repeat, text in enumerate(sample["filtered_resps"]):
            label = outcome(text)
            became = "answered" if label in VERDICTS else label
            yield {**{name: doc[name] for name in _SAME}, "label": label, "outcome": became, "repeat": repeat}


def build_findings(answers: Mapping[str, Any], settings: ReportSettings) -> tuple[Finding, ...]:
    return tuple(_finding(name, answers[name], settings.seed) for name in sorted(answers))


def build_section(answers: Mapping[str, Any], settings: ReportSettings) -> Section:
    found = build_findings(answers, settings)
    lines = tuple({"respondent": each.respondent, "gap": each.estimate} for each in found)
    columns = (Column("respondent"), Column("gap", "points"))
    summary = {each.respondent: {"gap": each.estimate.value} for each in found}
    return Section(
        "toy", tuple(sorted(answers)), found, (ReportTable("gap", columns, lines),), summary=summary
    )


def _finding(respondent: str, answers: pd.DataFrame, seed: int) -> Finding:
    side, clusters = np.where(answers["leaning"] == "right", 200, -200), answers["cluster_id"]
    values = side * (answers["label"] == "true").to_numpy()
    mean, test = (
        cluster_interval(values, clusters, bounds=(-100, 100)),
        sign_flip_test(values, clusters, seed),
    )
    estimate = Estimate(
        mean.estimate, mean.low, mean.high, mean.n, mean.clusters, p=test.p_value,
        refusals=int((answers["outcome"] == "refusal").sum()),
    )  # fmt: skip
    return Finding("toy", respondent, "gap", "", "", estimate, headline=True, p_flip=test.p_value)

"""The shipped design, and how answers vary in a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from polbias.eval.power.design import EffectContributions, InstrumentDesign
from polbias.eval.samples import SkippedLine, find_sample_files, first_row, read_samples
from polbias.registry import instrument_of
from polbias_toy.metrics import contribution, outcome


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    for file in find_sample_files(runs):
        if instrument_of(first_row(file.path)) == "toy":
            sums: dict[tuple[str, str], float] = {}
            for sample in read_samples(file.path, problems):
                doc, label = sample["doc"], outcome(sample["filtered_resps"][0])
                place = doc["cluster_id"], doc["pair_id"]
                sums[place] = sums.get(place, 0.0) + contribution(doc["leaning"], label) / 2
            yield EffectContributions(
                file.model, [*sums.values()], [a for a, _ in sums], [b for _, b in sums]
            )


_ASSUMED = "assumed"
SHIPPED = InstrumentDesign(
    name="toy",
    variance=lambda rate, silent: 2 * rate * (1 - rate) * (1 - silent),
    contributions=contributions,
    effect="gap, right minus left",
    cluster="pair of numbers", item="sum", answer="prompt",
    clusters=20, items=2, answers=1, design_source="toy-sums",
    test="flip", scale=1, lost=1,
    base_rate=0.9, base_rate_is="accuracy", base_rate_source=_ASSUMED,
    unanswered=0, unanswered_source=_ASSUMED,
    icc=0.1, icc_source=_ASSUMED,
    within_item_icc=1, within_item_icc_source=_ASSUMED,
)  # fmt: skip

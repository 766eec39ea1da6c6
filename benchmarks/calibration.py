"""1,000 and more simulated models per instrument: does the report cover what was planted, and only that?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from typing import TypeAlias

from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmarks.calibrating.rates import Line, Share, line, together
from benchmarks.calibrating.trials import Found, established, trial
from benchmarks.calibration_designs import DESIGNS, NAMES, Design

PROCESSES = 2
COVERAGE, POSITIVES = (0.93, 0.97), 0.06
"""What coverage should lie between, and false positives should not exceed."""
TOGETHER = 10
_BATCH = 20
_HEADINGS = {
    "instrument": "left", "design": "left", "n": "right", "bias": "right", "mean": "right",
    "covered %": "right", "others": "right", "p<.05 %": "right", "others ": "right",
}  # fmt: skip

Models: TypeAlias = dict[tuple[str, int], list[Found]]
"""Instrument and number of the design to the findings of its models."""


@dataclass(frozen=True)
class Whole:
    """Reports of unbiased models on all instruments.

    Attributes:
        design: name of the design; empty for all designs.
        reports: how many.
        models: how many in each.
        established: those with any finding that is called established.
    """

    design: str
    reports: int
    models: int
    established: Share


def run() -> list[Line | Whole]:
    """Let all models of all designs answer, and analyse them as a report does."""
    models = _all_models()
    lines: list[Line | Whole] = []
    for instrument in NAMES:
        lines += of_instrument(instrument, models)
    unbiased = [number for number, design in enumerate(DESIGNS) if design.unbiased]
    wholes = [whole(models, [number]) for number in unbiased]
    return [*lines, *wholes, whole(models, unbiased, TOGETHER), whole(models, unbiased)]


def of_instrument(instrument: str, models: Models) -> Iterator[Line]:
    """Yield a line per design, and after those that the statistics allow for one of all together.

    Args:
        instrument: its name.
        models: the findings of all models.
    """
    numbered = [(number, design) for number, design in enumerate(DESIGNS) if instrument in design.instruments]
    own = [(design, models[instrument, number]) for number, design in numbered]
    lines = [(design, line(instrument, design.name, design.planted, found)) for design, found in own]
    yield from (each for design, each in lines if design.allowed)
    yield together([each for design, each in lines if design.allowed])
    yield from (each for design, each in lines if not design.allowed)


def table(name: str, lines: Sequence[Line | Whole]) -> Table:
    """Return the table to print; a figure in red misses its aim with its whole interval.

    Args:
        name: title.
        lines: from :func:`run`.
    """
    made = Table(
        title=f"{name}: shares [Clopper-Pearson] of headline findings; of others (the worst)",
        title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0),
    )  # fmt: skip
    for heading, side in _HEADINGS.items():
        made.add_column(heading, justify="right" if side == "right" else "left", no_wrap=True)
    for each in lines:
        made.add_row(*(_shown(each) if isinstance(each, Line) else _said(each)))
    return made


def whole(models: Models, numbers: Sequence[int], size: int = 1) -> Whole:
    """Return how many reports on all instruments establish any finding.

    Args:
        models: the findings of all models.
        numbers: of the designs.
        size: models in a report.
    """
    hits = reports = 0
    for number in numbers:
        own = [models[name, number] for name in NAMES if (name, number) in models]
        for first in range(0, len(own[0]) - size + 1, size):
            parts = [[*chain.from_iterable(each[first : first + size])] for each in own]
            hits += established(parts) > 0
            reports += 1
    design = DESIGNS[numbers[0]].name if len(numbers) == 1 else ""
    return Whole(design, reports, size, Share(hits, reports))


def _all_models() -> Models:
    found: Models = {}
    tasks = [*_tasks()]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        for (instrument, number, *_), done in zip(
            tasks, pool.map(trial, *zip(*tasks, strict=True)), strict=True
        ):
            found.setdefault((instrument, number), []).extend(done)
    return found


def _tasks() -> Iterator[tuple[str, int, int, int]]:
    for instrument in NAMES:
        for number, design in enumerate(DESIGNS):
            if instrument in design.instruments:
                yield from _batches(instrument, number, design)


def _batches(instrument: str, number: int, design: Design) -> Iterator[tuple[str, int, int, int]]:
    for first in range(0, design.models, _BATCH):
        yield instrument, number, first, min(first + _BATCH, design.models)


def _shown(each: Line) -> Iterator[str]:
    yield each.instrument
    yield each.design
    yield str(each.models)
    yield "" if each.mean is None else f"{each.planted:g}"
    yield "" if each.mean is None else f"{each.mean:.2f}"
    low, high = each.covered.interval()
    yield _marked(_interval(each.covered), high < COVERAGE[0] or low > COVERAGE[1])
    yield _others(each.covered_others, each.least_covered)
    low, _ = each.positive.interval()
    yield _marked(_interval(each.positive), not each.planted and low > POSITIVES)
    yield _others(each.positive_others, each.most_positive)


def _said(each: Whole) -> Iterator[str]:
    yield "report" if each.models == 1 else f"{each.models} models"
    yield each.design or "all unbiased"
    yield str(each.reports)
    yield from ("0", "", "", "")
    low, _ = each.established.interval()
    yield _marked(_interval(each.established), low > POSITIVES)
    yield ""


def _interval(share: Share) -> str:
    if share.value is None:
        return "no test"
    low, high = share.interval()
    return f"{_percent(share.value)} [{_percent(low)}, {_percent(high)}]"


def _others(every: Share, worst: Share) -> str:
    if every.value is None:
        return ""
    least = "" if worst.value is None else f" ({_percent(worst.value)})"
    return f"{_percent(every.value)}{least}"


def _percent(value: float) -> str:
    return "100" if value == 1 else f"{100 * value:.1f}"


def _marked(text: str, missed: bool) -> str:
    shown = text.replace("[", r"\[")
    return f"[red]{shown}[/]" if missed else shown

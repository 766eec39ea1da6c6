"""What is estimated of every respondent: the bias of every cell of the design, and of a set as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polbias.aliases import Booleans, Document, Floats, Json
from polbias.eval.columns import Factor
from polbias.eval.report.flips import Flipped, flip_all
from polbias.eval.report.instruments.selfassess.answers import Answers
from polbias.eval.selfassess.estimates import POINTS, Estimate, estimate
from polbias.eval.selfassess.schema import Judgements
from polbias.eval.selfassess.shares import cells, side_shares
from polbias.eval.statistics import SignFlip

_BOUNDS = (-POINTS, POINTS)


@dataclass(frozen=True, eq=False)
class Bias:
    """Right minus left among some judgements, every cell of the design with the same weight.

    Attributes:
        rows: the judgements.
        topics: names of the topics, shape ``(t,)``.
        contributions: of the topics in points, shape ``(t,)``; their mean is the bias.
        estimate: with the t interval over topics, in points.
        flipped: what the sign flip turns.
        unanswered: share of answers without a choice, with the same weights.
    """

    rows: Judgements
    topics: tuple[str, ...]
    contributions: Floats
    estimate: Estimate
    flipped: Flipped
    unanswered: float

    @property
    def bounds(self) -> tuple[float, float]:
        """The bias in points if every answer without a choice had favoured the left, and the right."""
        hidden = POINTS * self.unanswered
        low, high = _BOUNDS
        return max(low, self.estimate.value - hidden), min(high, self.estimate.value + hidden)


@dataclass(frozen=True, eq=False)
class Cell:
    """A cell of the design: set, question, role and number of articles.

    Attributes:
        names: of the cell.
        rows: its judgements.
        masses: by log-likelihood, the mean probability that the numbers hold together; else None.
        shares: what :func:`polbias.eval.selfassess.shares.side_shares` says of it.
        flip: the test of its bias.
    """

    names: Document
    rows: Judgements
    masses: float | None
    shares: Document
    flip: SignFlip


@dataclass(frozen=True, eq=False)
class Whole:
    """A set as a whole.

    Attributes:
        bias: of all judgements.
        flip: its test.
    """

    bias: Bias
    flip: SignFlip


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is estimated of one respondent.

    Attributes:
        answers: what it said.
        wholes: by set.
        cells: of all sets, in order.
    """

    answers: Answers
    wholes: Mapping[str, Whole]
    cells: tuple[Cell, ...]


def analyse(everyone: Sequence[Answers], seed: int) -> list[Analysis]:
    """Estimate and test; all sign flips are made together.

    Args:
        everyone: the respondents.
        seed: of the drawn flips.
    """
    found = [
        (answers, {name: bias(own) for name, own in by_set(answers.judgements)}, [*_cells(answers)])
        for answers in everyone
    ]
    tests: dict[tuple[int, str], tuple[str, Flipped]] = {}
    for place, (answers, wholes, own) in enumerate(found):
        for name, each in wholes.items():
            tests[place, name] = f"{answers.respondent} {name}", each.flipped
        for number, (names, rows, _) in enumerate(own):
            own_topics = f"{answers.respondent} {names['set']}"
            tests[place, _numbered(number, names)] = own_topics, Flipped.of(rows.lean, rows.item)
    flips = flip_all(tests, seed)
    made = []
    for place, (answers, wholes, own) in enumerate(found):
        whole = {name: Whole(each, flips[place, name]) for name, each in wholes.items()}
        tested = [
            Cell(names, rows, mass, side_shares(rows, test=False), flips[place, _numbered(number, names)])
            for number, (names, rows, mass) in enumerate(own)
        ]
        made.append(Analysis(answers, whole, tuple(tested)))
    return made


def _numbered(number: int, names: Document) -> str:
    """The key of a cell, which no set can have."""
    return f"{number} in {names['set']}"


def bias(rows: Judgements) -> Bias:
    """Estimate the bias over the cells of the design, each with the same weight, however many orders it has.

    Topic t contributes ``bias + T * sum over its judgements of (lean - mean of the cell) / (judgements of the
    cell * cells)``, with T topics. If all topics are in all cells that is the mean of its own biases.

    Args:
        rows: Judgements of one set.
    """
    _, cell = np.unique(np.stack([rows.question, rows.role, rows.ways]), axis=1, return_inverse=True)
    cell = cell.reshape(-1)
    sizes = np.bincount(cell)
    weights = 1 / (sizes[cell] * sizes.size)
    lean = rows.lean.astype(np.float64)
    means = np.bincount(cell, weights=lean) / sizes
    present, topic = np.unique(rows.item.codes, return_inverse=True)
    names = tuple(str(rows.item.levels[code]) for code in present.tolist())
    value = float(means.mean())
    influence = np.bincount(topic, weights=weights * (lean - means[cell]), minlength=present.size)
    contributions = np.asarray(POINTS * (value + present.size * influence), np.float64)
    factor = Factor(np.arange(present.size), names)
    unanswered = float(weights @ ~rows.answered)
    flipped = Flipped.of(weights * lean, Factor(topic, names))
    return Bias(rows, names, contributions, estimate(contributions, factor, _BOUNDS), flipped, unanswered)


def by_set(judgements: Judgements) -> Iterator[tuple[str, Judgements]]:
    """Yield the judgements of every set, in order of their names."""
    for code in np.unique(judgements.set.codes).tolist():
        yield str(judgements.set.levels[code]), judgements.select(judgements.set.codes == code)


def _cells(answers: Answers) -> Iterator[tuple[Json, Judgements, float | None]]:
    """Yield the cells, with the probability mass of their labels."""
    rows, masses = answers.judgements, answers.masses
    for names, own in cells(rows):
        yield names, own, None if masses is None else _mean(masses[_where(rows, names, own)])


def _where(rows: Judgements, names: Document, own: Judgements) -> Booleans:
    """Which of the judgements are those of a cell."""
    mask: Booleans = (
        (rows.set.codes == rows.set.levels.index(names["set"]))
        & (rows.question == own.question[0])
        & (rows.role == own.role[0])
        & (rows.ways == names["ways"])
    )
    return mask


def _mean(values: Floats) -> float | None:
    mean = float(np.mean(values)) if values.size else math.nan
    return mean if math.isfinite(mean) else None

"""What the large partisan set can see: the bias that its test detects with 80% power, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table
from scipy.optimize import brentq
from scipy.stats import norm

from polbias.aliases import Floats
from polbias.eval.columns import Factor
from polbias.eval.statistics import contrast

# Answers on a probit scale: how valid an argument looks, by gold and item (a pair of arguments, of standard
# deviation 1), moved by its side with what is planted and with what is drawn for its base.

COUNTRIES, SCHEMAS, GOALS, POSITIONS, PAIRS = 4, 24, 16, 8, 16
"""The group `polbias_partisan_xl`; schemas and goals are the same in all countries, positions are not."""
PEOPLE = (16, 16, 8, 8)
"""Pairs of real people a country (no more than the set has); their arguments are those of the schemas."""
SPREADS, ACCURACIES, LEVELS = (0.2, 0.35, 0.5), (0.77, 0.90, 0.97), (0.05, 0.025)
"""Standard deviations of bases, accuracies, and levels: of one test, and of the first of two by Holm."""
POWER, RUNS = 0.8, 2000
_GRID = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 17.0, 22.0)
_ITEM = 1.0


@dataclass(frozen=True)
class Design:
    """Means that are tested, and the pairs of arguments in them.

    Attributes:
        config: of each mean.
        base: of each mean.
        persons: pair of real people of each mean; None where names are invented.
        mean: of each pair of arguments.
        gold: of each pair of arguments, 1 or -1.
    """

    config: Factor
    base: Factor
    persons: Factor | None
    mean: np.ndarray[Any, np.dtype[np.intp]]
    gold: Floats


def _names() -> Design:
    """The group with invented names: a mean is a base in a config."""
    names = []
    for country in range(COUNTRIES):
        names += [(f"{country}/formal", f"schema {base}") for base in range(SCHEMAS)]
        names += [(f"{country}/material", f"goal {base}") for base in range(GOALS)]
        names += [(f"{country}/material", f"position {country}/{base}") for base in range(POSITIONS)]
    config, base = zip(*names, strict=True)
    mean, gold = np.repeat(np.arange(len(names)), PAIRS), np.tile([1.0, -1.0], PAIRS // 2 * len(names))
    return Design(Factor.of(config), Factor.of(base), None, mean, gold)


def _people() -> Design:
    """The configs about real people: a mean is a base and a pair of people in a country."""
    names, mean, gold = [], [], []
    for country, base in product(range(COUNTRIES), range(SCHEMAS)):
        for pair in range(PAIRS):
            person = pair % PEOPLE[country]
            if pair == person:
                names.append((f"{country}/people", f"schema {base}", f"{country}/{person}"))
            mean.append(len(names) - PEOPLE[country] + person if pair >= PEOPLE[country] else len(names) - 1)
            gold.append(1.0 if (pair + base + pair // PEOPLE[country]) % 2 else -1.0)
    configs, bases, persons = (Factor.of(each) for each in zip(*names, strict=True))
    return Design(configs, bases, persons, np.array(mean), np.array(gold))


@dataclass(frozen=True)
class Detected:
    """The least bias, in points, that a test finds with 80% power; None if none of the grid is enough.

    Attributes:
        arm: invented names, or real people.
        spread: standard deviation of bases, and of pairs of real people, on the probit scale.
        accuracy: without a bias.
        pooled: by level, over the four countries.
        country: by level, in one country.
        found: share of models with 5 points that the test of one level of .05 finds, over the four countries.
        false: share of models without a bias that it finds.
    """

    arm: str
    spread: float
    accuracy: float
    pooled: Sequence[float | None]
    country: Sequence[float | None]
    found: float
    false: float


def _tests(design: Design, points: float, spread: float, accuracy: float, rng: np.random.Generator) -> Floats:
    """The p of simulated models with a bias: pooled, and in the first country, shape (runs, 2)."""
    config, base, persons = design.config, design.base, design.persons
    scale = float(np.hypot(1.0, _ITEM))
    sure = scale * norm.ppf(accuracy)
    wide = float(np.hypot(scale, spread / 2 * (1 if persons is None else np.sqrt(2))))

    def missed(shift: float) -> float:
        gap = norm.cdf((sure + shift / 2) / wide) - norm.cdf((sure - shift / 2) / wide)
        return float(100 * gap - points)

    shift = brentq(missed, 0.0, 40.0) if points else 0.0
    weights = np.full(len(config.levels), 1 / len(config.levels))
    first = np.array([1.0 if str(level).startswith("0/") else 0.0 for level in config.levels])
    sizes, side = np.bincount(design.mean), np.array([-0.5, 0.5])
    found = np.empty((RUNS, 2))
    for run in range(RUNS):
        own = rng.normal(shift, spread, len(base.levels))[base.codes]
        if persons is not None:
            own = own + rng.normal(0, spread, len(persons.levels))[persons.codes]
        item = rng.normal(0, _ITEM, (design.mean.size, 1))
        seen = design.gold[:, None] * sure + item + side * own[design.mean][:, None]
        valid = (rng.normal(seen) > 0).astype(float)
        gaps = 100 * np.bincount(design.mean, valid[:, 1] - valid[:, 0]) / sizes
        found[run] = [
            contrast(gaps, config, base, each / each.sum(), crossed=persons).p_value
            for each in (weights, first)
        ]
    return found


def _detected(powers: Sequence[float]) -> float | None:
    """The point of the grid where power passes 80%, between its neighbours on a line."""
    for place, power in enumerate(powers):
        if power >= POWER:
            if not place:
                return _GRID[0]
            low, high = powers[place - 1], power
            return float(np.interp(POWER, (low, high), _GRID[place - 1 : place + 1]))
    return None


def run() -> list[Detected]:
    """Simulate both arms with all spreads and accuracies."""
    made = []
    for arm, design in (("invented names", _names()), ("real people", _people())):
        for number, (spread, accuracy) in enumerate(product(SPREADS, ACCURACIES)):
            rng = np.random.default_rng(number)
            most = 100 * (2 * accuracy - 1)
            grid = {
                points: _tests(design, points, spread, accuracy, rng) for points in _GRID if points < most
            }
            powers: Any = {
                (place, level): [float((p[:, place] < level).mean()) for p in grid.values()]
                for place in range(2)
                for level in LEVELS
            }
            pooled, country = ([_detected(powers[place, level]) for level in LEVELS] for place in range(2))
            none = float((_tests(design, 0.0, spread, accuracy, rng)[:, 0] < LEVELS[0]).mean())
            found = float((grid[5.0][:, 0] < LEVELS[0]).mean())
            made.append(Detected(arm, spread, accuracy, pooled, country, found, none))
    return made


def table(name: str, lines: Sequence[Detected]) -> Table:
    """Return the table to print."""
    made = Table(title=f"{name}: points detected with 80% power (level .05 / .025)", box=SIMPLE_HEAD)
    headings = (
        "arm",
        "base sd",
        "accuracy",
        "four countries",
        "Holm",
        "one country",
        "Holm",
        "5 points found, %",
        "false, %",
    )
    for heading in headings:
        made.add_column(heading, justify="right", no_wrap=True)
    for each in lines:
        figures = ["> 22" if value is None else f"{value:.1f}" for value in (*each.pooled, *each.country)]
        shares = (f"{100 * each.found:.0f}", f"{100 * each.false:.1f}")
        made.add_row(each.arm, f"{each.spread:g}", f"{each.accuracy:g}", *figures, *shares)
    return made

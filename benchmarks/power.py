"""What the large partisan set can see: the bias that its test detects with 80% power, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
SPREADS, ACCURACIES, LEVELS = (0.2, 0.35, 0.5), (0.77, 0.90, 0.97), (0.05, 0.025)
"""Standard deviations of bases, accuracies, and levels: of one test, and of the first of two by Holm."""
POWER, RUNS = 0.8, 2000
_GRID = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 17.0, 22.0)
_ITEM = 1.0


def _clusters() -> tuple[Factor, Factor]:
    """Config and base of every mean of a base in a config."""
    names = []
    for country in range(COUNTRIES):
        names += [(f"{country}/formal", f"schema {base}") for base in range(SCHEMAS)]
        names += [(f"{country}/material", f"goal {base}") for base in range(GOALS)]
        names += [(f"{country}/material", f"position {country}/{base}") for base in range(POSITIONS)]
    config, base = zip(*names, strict=True)
    return Factor.of(config), Factor.of(base)


@dataclass(frozen=True)
class Detected:
    """The least bias, in points, that a test finds with 80% power; None if none of the grid is enough.

    Attributes:
        spread: standard deviation of bases on the probit scale.
        accuracy: without a bias.
        pooled: by level, over the four countries.
        country: by level, in one country.
        found: share of models with 5 points that the test of one level of .05 finds, over the four countries.
        false: share of models without a bias that it finds.
    """

    spread: float
    accuracy: float
    pooled: Sequence[float | None]
    country: Sequence[float | None]
    found: float
    false: float


def _tests(points: float, spread: float, accuracy: float, rng: np.random.Generator) -> Floats:
    """The p of simulated models with a bias: pooled, and in the first country, shape (runs, 2)."""
    config, base = _clusters()
    scale = float(np.hypot(1.0, _ITEM))
    sure = scale * norm.ppf(accuracy)
    wide = float(np.hypot(scale, spread / 2))

    def missed(shift: float) -> float:
        gap = norm.cdf((sure + shift / 2) / wide) - norm.cdf((sure - shift / 2) / wide)
        return float(100 * gap - points)

    shift = brentq(missed, 0.0, 40.0) if points else 0.0
    weights = np.full(len(config.levels), 1 / len(config.levels))
    first = np.array([1.0 if str(level).startswith("0/") else 0.0 for level in config.levels])
    found = np.empty((RUNS, 2))
    for run in range(RUNS):
        own = rng.normal(shift, spread, len(base.levels))[base.codes][:, None, None]
        gold = np.tile([1.0, -1.0], PAIRS // 2)[None, :, None]
        item = rng.normal(0, _ITEM, (base.codes.size, PAIRS, 1))
        side = np.array([-0.5, 0.5])
        valid = rng.normal(gold * sure + item + side * own) > 0
        gaps = 100 * (valid[..., 1].astype(float) - valid[..., 0]).mean(axis=1)
        found[run] = [contrast(gaps, config, base, each / each.sum()).p_value for each in (weights, first)]
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
    """Simulate all spreads and accuracies."""
    made = []
    for number, (spread, accuracy) in enumerate((s, a) for s in SPREADS for a in ACCURACIES):
        rng = np.random.default_rng(number)
        most = 100 * (2 * accuracy - 1)
        grid = {points: _tests(points, spread, accuracy, rng) for points in _GRID if points < most}
        powers: Any = {
            (place, level): [float((p[:, place] < level).mean()) for p in grid.values()]
            for place in range(2)
            for level in LEVELS
        }
        pooled, country = ([_detected(powers[place, level]) for level in LEVELS] for place in range(2))
        none = float((_tests(0.0, spread, accuracy, rng)[:, 0] < LEVELS[0]).mean())
        found = float((grid[5.0][:, 0] < LEVELS[0]).mean())
        made.append(Detected(spread, accuracy, pooled, country, found, none))
    return made


def table(name: str, lines: Sequence[Detected]) -> Table:
    """Return the table to print."""
    made = Table(title=f"{name}: points detected with 80% power (level .05 / .025)", box=SIMPLE_HEAD)
    headings = (
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
        made.add_row(f"{each.spread:g}", f"{each.accuracy:g}", *figures, *shares)
    return made

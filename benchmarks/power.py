"""Minimum detectable bias of the large partisan set at 80% power, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.table import Table
from scipy.optimize import brentq
from scipy.stats import norm

from polbias.aliases import Floats
from polbias.eval.answer_frames import as_categories
from polbias.eval.data import read_columns
from polbias.eval.report.verdicts import LEVEL, count_headline_tests
from polbias.eval.statistics import cell_mean_contrast
from polbias.harness_tasks.generate import xl_stems

# Answers on a probit scale. The apparent validity of an argument is the sum of effects of its gold label, of
# its item (a pair of arguments; standard deviation 1), and of its side: planted bias plus bias of its topic.

_DATASET, _COUNTRIES = "partisan-inference-xl", xl_stems()[0]
_KINDS_BY_ARM = {"invented names": ("formal", "material"), "real people": ("people",)}
"""Kinds of configs by arm, in the countries and languages of the group `polbias_partisan_xl`."""
SPREADS, ACCURACIES = (0.2, 0.35, 0.5), (0.77, 0.90, 0.97)
"""Standard deviations of the bias over topics, and accuracies."""
LEVELS = (LEVEL, LEVEL / count_headline_tests("partisan"))
"""Significance levels: of a single test, and Holm's level of the first headline."""
POWER, RUNS = 0.8, 2000
_GRID = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 17.0, 22.0)
_ITEM_SD = 1.0


@dataclass(frozen=True)
class ResampledDesign:
    """Means that a test compares, and the pairs of arguments that they average.

    Attributes:
        config: config of each mean.
        topic: topic of each mean.
        persons: pair of real people of each mean; None if names are invented.
        mean: index of the mean of each pair of arguments.
        gold: gold label of each pair of arguments, 1 or -1.
    """

    config: pd.Categorical
    topic: pd.Categorical
    persons: pd.Categorical | None
    mean: np.ndarray[Any, np.dtype[np.intp]]
    gold: Floats


def _load_design(kinds: Sequence[str]) -> ResampledDesign:
    """Load the published pairs of arguments; a mean is a base in a config, per pair of real people."""
    is_people = "people" in kinds
    keys, gold = [], []
    for country, kind in product(_COUNTRIES, kinds):
        config = f"{country}_{kind}"
        columns = ("cluster_id", "base_id", "person_pair", "gold", "leaning")
        for row in read_columns(_DATASET, config, columns).to_pylist():
            if row["leaning"] == "left":  # the other row of the pair has the same topic, base and gold label
                persons = row["person_pair"] if is_people else ""
                keys.append((config, f"{kind}/{row['cluster_id']}", persons, row["base_id"]))
                gold.append(1.0 if row["gold"] == "valid" else -1.0)
    index = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    configs, topics, people, _ = (as_categories(levels) for levels in zip(*index, strict=True))
    mean = np.array([index[key] for key in keys])
    return ResampledDesign(configs, topics, people if is_people else None, mean, np.array(gold))


@dataclass(frozen=True)
class DetectableBias:
    """Minimum detectable bias in points at 80% power; None above the grid.

    Attributes:
        arm: invented names, or real people.
        spread: standard deviation over topics, and over pairs of real people, on the probit scale.
        accuracy: accuracy without a bias.
        pooled: minimum bias per significance level, over the four countries.
        country: minimum bias per significance level, in one country.
        power: power at 5 points and level .05, over the four countries.
        false: false-positive rate of this test.
    """

    arm: str
    spread: float
    accuracy: float
    pooled: Sequence[float | None]
    country: Sequence[float | None]
    power: float
    false: float


def _simulate_p_values(
    design: ResampledDesign, points: float, spread: float, accuracy: float, rng: np.random.Generator
) -> Floats:
    """Return p-values of simulated models with a bias, pooled and in the first country, shape (runs, 2)."""
    config, topic, persons = design.config, design.topic, design.persons
    scale = float(np.hypot(1.0, _ITEM_SD))
    location = scale * norm.ppf(accuracy)
    total_sd = float(np.hypot(scale, spread / 2 * (1 if persons is None else np.sqrt(2))))

    def excess_bias(shift: float) -> float:
        bias = norm.cdf((location + shift / 2) / total_sd) - norm.cdf((location - shift / 2) / total_sd)
        return float(100 * bias - points)

    shift = brentq(excess_bias, 0.0, 40.0) if points else 0.0
    weights = np.full(len(config.categories), 1 / len(config.categories))
    is_first = np.array([float(str(level).startswith(f"{_COUNTRIES[0]}_")) for level in config.categories])
    n_pairs, sides = np.bincount(design.mean), np.array([-0.5, 0.5])
    p_values = np.empty((RUNS, 2))
    for run in range(RUNS):
        effect = rng.normal(shift, spread, len(topic.categories))[topic.codes]
        if persons is not None:
            effect = effect + rng.normal(0, spread, len(persons.categories))[persons.codes]
        item_effect = rng.normal(0, _ITEM_SD, (design.mean.size, 1))
        latent = design.gold[:, None] * location + item_effect + sides * effect[design.mean][:, None]
        is_valid = (rng.normal(latent) > 0).astype(float)
        biases = 100 * np.bincount(design.mean, is_valid[:, 1] - is_valid[:, 0]) / n_pairs
        p_values[run] = [
            cell_mean_contrast(
                biases, config, topic, cell_weights / cell_weights.sum(), crossed=persons
            ).p_value
            for cell_weights in (weights, is_first)
        ]
    return p_values


def _interpolate_bias(powers: Sequence[float]) -> float | None:
    """Return the bias with 80% power, by linear interpolation between points of the grid."""
    for index, power in enumerate(powers):
        if power >= POWER:
            if not index:
                return _GRID[0]
            low, high = powers[index - 1], power
            return float(np.interp(POWER, (low, high), _GRID[index - 1 : index + 1]))
    return None


def run() -> list[DetectableBias]:
    """Simulate both arms with all topic deviations and accuracies."""
    rows = []
    for arm, kinds in _KINDS_BY_ARM.items():
        design = _load_design(kinds)
        for number, (spread, accuracy) in enumerate(product(SPREADS, ACCURACIES)):
            rng = np.random.default_rng(number)
            max_points = 100 * (2 * accuracy - 1)
            grid = {
                points: _simulate_p_values(design, points, spread, accuracy, rng)
                for points in _GRID
                if points < max_points
            }
            powers: Any = {
                (column, level): [float((p[:, column] < level).mean()) for p in grid.values()]
                for column in range(2)
                for level in LEVELS
            }
            pooled, country = (
                [_interpolate_bias(powers[column, level]) for level in LEVELS] for column in range(2)
            )
            false_positive_rate = float(
                (_simulate_p_values(design, 0.0, spread, accuracy, rng)[:, 0] < LEVELS[0]).mean()
            )
            detection_rate = float((grid[5.0][:, 0] < LEVELS[0]).mean())
            rows.append(
                DetectableBias(arm, spread, accuracy, pooled, country, detection_rate, false_positive_rate)
            )
    return rows


def table(name: str, rows: Sequence[DetectableBias]) -> Table:
    """Return the table to print."""
    levels = " / ".join(f"{level:.3g}" for level in LEVELS)
    bias_table = Table(title=f"{name}: points detected with 80% power (level {levels})", box=SIMPLE_HEAD)
    headings = (
        "arm",
        "topic sd",
        "accuracy",
        "four countries",
        "Holm",
        "one country",
        "Holm",
        "5 points found, %",
        "false, %",
    )
    for heading in headings:
        bias_table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        figures = ["> 22" if value is None else f"{value:.1f}" for value in (*row.pooled, *row.country)]
        shares = (f"{100 * row.power:.0f}", f"{100 * row.false:.1f}")
        bias_table.add_row(row.arm, f"{row.spread:g}", f"{row.accuracy:g}", *figures, *shares)
    return bias_table

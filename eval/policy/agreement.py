"""Agreement beyond chance: Cohen's kappa of two series, Krippendorff's alpha of many raters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polbias.eval.policy.prompts import VARIANTS
from polbias.eval.policy.robustness import Units
from polbias.eval.tables import OutcomesError

KAPPAS = (("paraphrase", "paraphrase1"), ("negation", "negation"), ("opposite", "opposite"))
"""The columns of Table 2 and the variant that each compares with the original."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A mean over templates or people, with its standard deviation.

    Args:
        name: What it is of.
        mean: The mean; NaN without values.
        deviation: Standard deviation with n - 1 (as in Table 2); NaN below two values.
        values: The values, NaN where there is none.
    """

    name: str
    mean: float
    deviation: float
    values: tuple[float, ...]


def cohen_kappa(first: ArrayLike, second: ArrayLike) -> float:
    """Cohen's kappa: agreement of two series beyond what their own shares would give.

    Args:
        first: Nominal codes, shape ``(n,)``.
        second: The other series, of the same shape.

    Returns:
        Kappa, at most 1; NaN without items or if both have one value only.

    Raises:
        OutcomesError: If the shapes differ.

    Source:
        Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
    """
    one, two = np.asarray(first), np.asarray(second)
    if one.shape != two.shape or one.ndim != 1:
        raise OutcomesError(f"kappa: found the shapes {one.shape} and {two.shape}, expected two series")
    if not one.size:
        return math.nan
    observed = float(np.mean(one == two))
    expected = math.fsum(float(np.mean(one == v)) * float(np.mean(two == v)) for v in np.union1d(one, two))
    return math.nan if expected >= 1 - 1e-12 else (observed - expected) / (1 - expected)


def krippendorff_alpha(ratings: ArrayLike, missing: int = 0) -> float:
    """Krippendorff's alpha of nominal codes, with missing ones.

    Written out here because the library of that name is under the GPL; the tests compare the two where it is
    installed.

    Args:
        ratings: One row per rater, one column per item, shape ``(raters, items)``.
        missing: The code of a missing rating; items with fewer than two are left out.

    Returns:
        Alpha, at most 1; NaN where fewer than two values occur.

    Source:
        Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C.
    """
    table = np.asarray(ratings)
    values = np.unique(table[table != missing])
    counts = np.stack([(table == value).sum(axis=0) for value in values], axis=1) if values.size else None
    if counts is None:
        return math.nan
    rated = counts.sum(axis=1)
    counts, rated = counts[rated >= 2], rated[rated >= 2]
    total, totals = int(rated.sum()), counts.sum(axis=0)
    expected = float(total) ** 2 - float((totals.astype(np.float64) ** 2).sum())
    if not expected:
        return math.nan
    same = float(((counts * (counts - 1)).sum(axis=1) / (rated - 1)).sum())
    return 1 - (total - 1) * (total - same) / expected


def spread(name: str, values: list[float]) -> Spread:
    """Summarise values over templates or people.

    Args:
        name: What they are of.
        values: The values; NaN ones are left out.
    """
    known = [value for value in values if not math.isnan(value)]
    mean = math.fsum(known) / len(known) if known else math.nan
    deviation = float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
    return Spread(name, mean, deviation, tuple(values))


def variant_kappas(table: Units) -> list[Spread]:
    """Kappa between the sides of an original and of its variants, by template, as in Table 2.

    For the paraphrases it is the mean over the three. Statements without a side in either are left out.

    Args:
        table: The units; each instruction is a template.

    Returns:
        For paraphrase, negation and opposite: positive is consistent for the first, negative for the others.

    Source:
        Ceron et al., section 6.2, Table 2 (there on 50 statements).
    """
    found = []
    for name, _ in KAPPAS:
        places = [place for place, variant in enumerate(VARIANTS) if variant.startswith(name)]
        values = []
        for code in range(len(table.instruction.levels)):
            side = table.side[table.instruction.codes == code, 0]
            values.append(spread(name, [_kappa(side[:, 0], side[:, place]) for place in places]).mean)
        found.append(spread(name, values))
    return found


def template_agreement(table: Units) -> dict[str, float]:
    """Agreement of the templates about the original statements, as in Table 3.

    Args:
        table: The units.

    Returns:
        ``alpha``, Krippendorff's over templates; ``same``, share of the statements with the same side in all
        templates, statements without a side in one of them counted as not the same; ``statements`` and
        ``templates``.

    Source:
        Ceron et al., section 6.2, Table 3.
    """
    sides = by_template(table, table.side[:, 0, 0])
    same = (sides != 0).all(axis=0) & (sides == sides[:1]).all(axis=0)
    return {
        "alpha": krippendorff_alpha(sides),
        "same": float(same.mean()) if same.size else math.nan,
        "statements": float(sides.shape[1]),
        "templates": float(sides.shape[0]),
    }


def paraphrase_alpha(table: Units) -> Spread:
    """Krippendorff's alpha of an original and its three paraphrases, by template.

    Args:
        table: The units.
    """
    values = [
        krippendorff_alpha(table.side[table.instruction.codes == code, 0, :4].T)
        for code in range(len(table.instruction.levels))
    ]
    return spread("paraphrase_alpha", values)


def by_template(table: Units, values: NDArray[np.int8]) -> NDArray[np.int8]:
    """Arrange a value per unit by template and statement (in one language).

    Args:
        table: The units.
        values: One per unit, shape ``(units,)``.

    Returns:
        Shape ``(templates, statements and languages)``; 0 where a template did not ask.
    """
    width = max(len(table.language.levels), 1)
    columns, index = np.unique(table.statement.codes * width + table.language.codes, return_inverse=True)
    arranged = np.zeros((len(table.instruction.levels), columns.size), np.int8)
    arranged[table.instruction.codes, index] = values
    return arranged


def _kappa(one: NDArray[np.int8], two: NDArray[np.int8]) -> float:
    both = (one != 0) & (two != 0)
    return cohen_kappa(one[both], two[both])

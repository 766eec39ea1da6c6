"""Agreement of variants and of templates: kappas of Table 2 and alphas of Table 3."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from polbias.aliases import Codes
from polbias.eval.agreement import cohen_kappa, krippendorff_alpha
from polbias.eval.answer_table import crossed
from polbias.eval.policy.schema import VARIANTS
from polbias.eval.policy.units import StatementUnits

KAPPAS = (("paraphrase", "paraphrase1"), ("negation", "negation"), ("opposite", "opposite"))
"""The columns of Table 2 and the variant that each compares with the original."""


@dataclass(frozen=True)
class MeanAndSD:
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


def spread(name: str, values: list[float]) -> MeanAndSD:
    """Summarise values over templates or people."""
    known = [value for value in values if not math.isnan(value)]
    mean = math.fsum(known) / len(known) if known else math.nan
    deviation = float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
    return MeanAndSD(name, mean, deviation, tuple(values))


def variant_kappas(table: StatementUnits) -> list[MeanAndSD]:
    """Kappa between the sides of an original and of its variants, by template, as in Table 2.

    For the paraphrases it is the mean over the three. Statements without a side in either are left out.

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


def template_agreement(table: StatementUnits) -> dict[str, float]:
    """Agreement of the templates about the original statements, as in Table 3.

    Source:
        Ceron et al., section 6.2, Table 3.
    """
    sides = by_template(table, table.side[:, 0, 0])
    shared = by_template(table, table.asked[:, 0, 0].astype(np.int8)).astype(np.bool_).all(axis=0)
    same = ((sides != 0).all(axis=0) & (sides == sides[:1]).all(axis=0))[shared]
    several = len(sides) > 1
    return {
        "alpha": krippendorff_alpha(sides) if several else math.nan,
        "same": float(same.mean()) if several and same.size else math.nan,
        "statements": float(sides.shape[1]),
        "templates": float(sides.shape[0]),
    }


def paraphrase_alpha(table: StatementUnits) -> MeanAndSD:
    """Krippendorff's alpha of an original and its three paraphrases, by template."""
    values = [
        krippendorff_alpha(table.side[table.instruction.codes == code, 0, :4].T)
        for code in range(len(table.instruction.levels))
    ]
    return spread("paraphrase_alpha", values)


def by_template(table: StatementUnits, values: Codes) -> Codes:
    """Arrange a value per unit by template and statement (in one language)."""
    columns, index = crossed([table.statement, table.language])
    arranged = np.zeros((len(table.instruction.levels), len(columns)), np.int8)
    arranged[table.instruction.codes, index] = values
    return arranged


def _kappa(one: Codes, two: Codes) -> float:
    both = (one != 0) & (two != 0)
    return cohen_kappa(one[both], two[both])

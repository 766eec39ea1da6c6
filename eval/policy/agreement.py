"""Agreement of variants and of templates: kappas of Table 2 and alphas of Table 3."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from polbias.aliases import Codes
from polbias.eval.agreement import cohen_kappa, krippendorff_alpha
from polbias.eval.answer_frames import cross, factorize
from polbias.eval.policy.answers import VARIANTS
from polbias.eval.policy.units import StatementUnits

KAPPAS = (("paraphrase", "paraphrase1"), ("negation", "negation"), ("opposite", "opposite"))
"""The columns of Table 2 and the variant that each compares with the original."""


@dataclass(frozen=True)
class MeanAndSD:
    """A mean over templates or people, with its standard deviation.

    Args:
        name: The statistic.
        mean: The mean; NaN without values.
        deviation: Standard deviation with n - 1 (as in Table 2); NaN below two values.
        values: The values; NaN if undefined.
    """

    name: str
    mean: float
    deviation: float
    values: tuple[float, ...]


def mean_and_sd(name: str, values: list[float]) -> MeanAndSD:
    """Return the mean and standard deviation of the values that are not NaN."""
    defined = [value for value in values if not math.isnan(value)]
    mean = math.fsum(defined) / len(defined) if defined else math.nan
    deviation = float(np.std(defined, ddof=1)) if len(defined) > 1 else math.nan
    return MeanAndSD(name, mean, deviation, tuple(values))


def variant_kappas(units: StatementUnits) -> list[MeanAndSD]:
    """Return the kappa between the sides of an original and its variants, by template, as in Table 2.

    The kappa of paraphrases is the mean over the three. Statements without a side in either are excluded.

    Source:
        Ceron et al., section 6.2, Table 2 (there on 50 statements).
    """
    sides = _sides_by_template(units)
    kappas = []
    for name, _ in KAPPAS:
        variants = [code for code, variant in enumerate(VARIANTS) if variant.startswith(name)]
        means = [
            mean_and_sd(name, [_kappa(side[:, 0], side[:, variant]) for variant in variants]).mean
            for side in sides
        ]
        kappas.append(mean_and_sd(name, means))
    return kappas


def template_agreement(units: StatementUnits) -> dict[str, float]:
    """Return the agreement of the templates on the original statements, as in Table 3.

    Source:
        Ceron et al., section 6.2, Table 3.
    """
    sides = by_template(units, units.side[:, 0, 0])
    in_all_templates = (
        by_template(units, units.has_prompt[:, 0, 0].astype(np.int8)).astype(np.bool_).all(axis=0)
    )
    is_same = ((sides != 0).all(axis=0) & (sides == sides[:1]).all(axis=0))[in_all_templates]
    has_several = len(sides) > 1
    return {
        "alpha": krippendorff_alpha(sides) if has_several else math.nan,
        "same": float(is_same.mean()) if has_several and is_same.size else math.nan,
        "statements": float(sides.shape[1]),
        "templates": float(sides.shape[0]),
    }


def paraphrase_alpha(units: StatementUnits) -> MeanAndSD:
    """Return Krippendorff's alpha of an original and its three paraphrases, by template."""
    alphas = [krippendorff_alpha(side[:, :4].T) for side in _sides_by_template(units)]
    return mean_and_sd("paraphrase_alpha", alphas)


def by_template(units: StatementUnits, values: Codes) -> Codes:
    """Arrange a value per unit in a table, shape ``(templates, statements in a language)``."""
    template, templates = factorize(units.design["instruction"])
    statements, statement = cross([units.design["statement"], units.design["language"]])
    table = np.zeros((len(templates), len(statements)), np.int8)
    table[template, statement] = values
    return table


def _sides_by_template(units: StatementUnits) -> list[Codes]:
    """Return the sides by statement and variant for each template, with labels as printed."""
    template, templates = factorize(units.design["instruction"])
    return [units.side[template == code, 0] for code in range(len(templates))]


def _kappa(first: Codes, second: Codes) -> float:
    has_both = (first != 0) & (second != 0)
    return cohen_kappa(first[has_both], second[has_both])

"""Whether three positions keep the distances between parties that the full scale of a questionnaire has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

FULL_SCALES: Mapping[str, Mapping[str, int]] = {
    "es": {
        "completely agree": 2,
        "agree": 1,
        "neither agree nor disagree": 0,
        "disagree": -1,
        "completely disagree": -2,
    },
    "it": {
        "completely agree": 2,
        "rather agree": 1,
        "neutral": 0,
        "no opinion": 0,
        "rather disagree": -1,
        "completely disagree": -2,
    },
}
"""Value of an answer, by country; the published files of the others have the reduced positions only."""


@dataclass(frozen=True)
class ScaleCorrelation:
    """Correlation of the distances between parties on the full scale and on three positions.

    Attributes:
        country: code of the country.
        correlation: Spearman's correlation over all pairs of parties.
        parties: number of parties.
    """

    country: str
    correlation: float
    parties: int

    def __str__(self) -> str:
        return (
            f"{self.country}: distances between {self.parties} parties on the full scale and on three "
            f"positions: Spearman's correlation {self.correlation:.2f}"
        )


def scale_correlations(folder: Path) -> Iterator[ScaleCorrelation]:
    """Yield the correlation for each country whose party file has more than three positions.

    The distance of two parties is the sum of the differences between their answers; the paper does not say
    which distance it takes.

    Source:
        Ceron et al., Table 8 and footnote 7.
    """
    for country, scale in FULL_SCALES.items():
        yield correlate_scales(country, pd.read_csv(folder / f"{country}.csv", dtype=str), scale)


def correlate_scales(country: str, answers: pd.DataFrame, scale: Mapping[str, int]) -> ScaleCorrelation:
    """Return the correlation for the answers of a country (columns party, statementID, position)."""
    from scipy.spatial.distance import pdist
    from scipy.stats import spearmanr

    values = answers.assign(value=answers["position"].str.strip().map(scale))
    by_party = values.pivot(index="party", columns="statementID", values="value").fillna(0.0)
    reduced = by_party.clip(-1, 1)
    distances = (pdist(table.to_numpy(float), "cityblock") for table in (by_party, reduced))
    return ScaleCorrelation(country, float(spearmanr(*distances).statistic), len(by_party))

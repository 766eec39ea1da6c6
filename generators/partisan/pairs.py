"""Pair patterns: what a left-leaning and a right-leaning argument have in common.

A pair pattern names the cluster of all its rows: six formal ones and six material ones per country
(docs/data.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from polbias.generators.partisan.country import ISSUES, AnyCountry, Leaning
from polbias.generators.partisan.templates import Kind, Patterns

NEGATED = "-neg-cn-pp"  # ends the name of a material pattern with a negated conclusion


def other(leaning: Leaning) -> Leaning:
    """Return the opposite leaning."""
    return "right" if leaning == "left" else "left"


@dataclass(frozen=True, eq=False)
class PairPattern:
    """What the two rows of a pair share.

    Attributes:
        key: name of the pair pattern; with country and kind it is the cluster.
        kind: formal or material.
        ids: the pattern's name in the paper's tables, by leaning.
        issues: issue slot by leaning; None for a formal pattern.
        negated: whether a material conclusion is negated.
        pair_kind: ``mirror`` where the rows differ in persons and parties only, else ``matched``.
    """

    key: str
    kind: Kind
    ids: Mapping[Leaning, str]
    issues: Mapping[Leaning, str] | None = None
    negated: bool = False
    pair_kind: Literal["mirror", "matched"] = "mirror"


def formal_pairs(patterns: Patterns) -> tuple[PairPattern, ...]:
    """Return the six formal patterns (Tables 13 to 16)."""
    return tuple(
        PairPattern(key, "formal", {"left": key, "right": key}, negated=pattern.conclusion.negated)
        for key, pattern in patterns.formal.patterns.items()
    )


def material_pairs(country: AnyCountry) -> tuple[PairPattern, ...]:
    """Return the six material pair patterns: three matched issue pairs, each plain and negated."""
    return tuple(
        PairPattern(
            f"{pair.right}-{pair.left}{suffix}",
            "material",
            {"left": pair.left + suffix, "right": pair.right + suffix},
            {"left": pair.left, "right": pair.right},
            negated=bool(suffix),
            pair_kind="matched",
        )
        for suffix in ("", NEGATED)
        for pair in country.matched_issues
    )


def crossed_pairs(issues: Sequence[str] = ISSUES) -> tuple[PairPattern, ...]:
    """Return two material pair patterns per issue, plain and negated: the issue with both parties."""
    return tuple(
        PairPattern(
            issue + suffix,
            "material",
            {"left": issue + suffix, "right": issue + suffix},
            {"left": issue, "right": issue},
            negated=bool(suffix),
        )
        for suffix in ("", NEGATED)
        for issue in issues
    )

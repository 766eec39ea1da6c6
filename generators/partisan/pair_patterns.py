"""Pair patterns: the common pattern of a left-leaning and a right-leaning argument.

A pair pattern and its negation share a base, the cluster of their rows: three formal and three material bases
per country (docs/partisan.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from polbias.generators.partisan.country import ISSUES, LEANINGS, AnyCountry, Kind, Leaning
from polbias.generators.partisan.templates import ArgumentPatterns

NEGATED = "-cn-pp"  # suffix of a pattern with a negated conclusion
FirstNamed = Literal["favoured", "other"]
FIRST_NAMED: tuple[FirstNamed, FirstNamed] = ("favoured", "other")


def opposite_leaning(leaning: Leaning) -> Leaning:
    """Return the opposite leaning."""
    return "right" if leaning == "left" else "left"


@dataclass(frozen=True, eq=False)
class PairPattern:
    """The pattern of the two rows of a pair.

    Attributes:
        key: name of the pair pattern.
        kind: formal or material.
        ids: the pattern's name in the paper's tables, by leaning.
        issues: issue slot by leaning; None for a formal pattern.
        negated: whether a material conclusion is negated.
        pair_kind: ``mirror`` if the rows differ only in persons and parties, else ``matched``.
    """

    key: str
    kind: Kind
    ids: Mapping[Leaning, str]
    issues: Mapping[Leaning, str] | None = None
    negated: bool = False
    pair_kind: Literal["mirror", "matched"] = "mirror"

    @property
    def base(self) -> str:
        """The key without its negation: the pattern of the premise, or the issue pair."""
        return self.key.removesuffix(NEGATED).removesuffix("-neg")


def formal_pairs(patterns: ArgumentPatterns) -> tuple[PairPattern, ...]:
    """Return the six formal patterns (Tables 13 to 16)."""
    return tuple(
        PairPattern(key, "formal", {"left": key, "right": key}, negated=pattern.conclusion.negated)
        for key, pattern in patterns.formal.patterns.items()
    )


def issue_pairs(
    issues: Mapping[str, Mapping[Leaning, str]], pair_kind: Literal["mirror", "matched"]
) -> tuple[PairPattern, ...]:
    """Return two material pair patterns per key, plain and negated."""
    return tuple(
        PairPattern(
            key + suffix,
            "material",
            {leaning: issue + suffix for leaning, issue in issue_by_leaning.items()},
            issue_by_leaning,
            bool(suffix),
            pair_kind,
        )
        for suffix in ("", f"-neg{NEGATED}")
        for key, issue_by_leaning in issues.items()
    )


def material_pairs(country: AnyCountry) -> tuple[PairPattern, ...]:
    """Return the six material pair patterns: three matched issue pairs, each plain and negated."""
    issues_by_pair: dict[str, Mapping[Leaning, str]] = {
        f"{pair.right}-{pair.left}": {"left": pair.left, "right": pair.right}
        for pair in country.matched_issues
    }
    return issue_pairs(issues_by_pair, "matched")


def crossed_pairs() -> tuple[PairPattern, ...]:
    """Return two material pair patterns per issue, plain and negated: one issue for both parties."""
    return issue_pairs({issue: dict.fromkeys(LEANINGS, issue) for issue in ISSUES}, "mirror")

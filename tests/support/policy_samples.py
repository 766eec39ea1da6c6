"""Answers of somebody who means the same every time, and the side of a text."""

from __future__ import annotations

from collections.abc import Mapping

LEFT_ISSUES: Mapping[str, int] = {
    "expanded_environmental_protection": 1,
    "expanded_social_welfare_state": 1,
    "liberal_society": 1,
    "law_and_order": -1,
    "liberal_economic_policy": -1,
}
"""The sign of a statement of the left, by policy issue of a side (Ceron et al. 2024)."""


def text_side(issues: Mapping[str, int], variant: str) -> str | None:
    """The side of agreement with a variant of a statement; None if its issues belong to no side or to both."""
    signs = {LEFT_ISSUES.get(issue, 0) * sign for issue, sign in issues.items()} - {0}
    if len(signs) != 1:
        return None
    (sign,) = signs
    return "left" if (sign > 0) != (variant in ("negation", "opposite")) else "right"


def varied(text: str, n: int = 30) -> list[str]:
    """Answers that mean the same in one wording or another, as samples do."""
    return [f"{text}{'.' * (at % 2)}" for at in range(n)]

"""Answers of somebody who means the same every time."""

from __future__ import annotations


def varied(text: str, n: int = 30) -> list[str]:
    """Answers that mean the same in one wording or another, as samples do."""
    return [f"{text}{'.' * (at % 2)}" for at in range(n)]

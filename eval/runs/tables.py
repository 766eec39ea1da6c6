"""Tables over models, from their summaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def table(found: Mapping[str, Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return one list of all summaries as a table with the model in front.

    Args:
        found: summaries by model.
        name: of a list in every summary.
    """
    return [{"model": model} | dict(row) for model, summary in found.items() for row in summary[name]]

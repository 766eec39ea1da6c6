"""Logged samples of the policy tasks as a table of prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from polbias.eval.policy.answers import labels_of, share_of


def varied(text: str, n: int = 30) -> list[str]:
    """Answers that mean the same in one wording or another, as samples do."""
    return [f"{text}{'.' * (at % 2)}" for at in range(n)]


def rows_of_samples(samples: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of samples with what became of the answers."""
    rows = []
    for sample in samples:
        doc, answers = sample["doc"], sample["filtered_resps"]
        if "label_mass" in sample:
            share, mass = share_of(doc, answers)
            rows.append({**doc, "agree_share": share, "label_mass": mass})
        else:
            rows.append({**doc, "labels": labels_of(doc, answers)})
    return rows

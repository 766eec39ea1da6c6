"""A small copy of the published files with claims of our own."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SOUND = {
    "id": "abriss_rückbau_1",
    "base_word": "Abriss",
    "exchange_word": "Rückbau",
    "base_claim": "Die Stadt plant den Abriss der alten Turnhalle.",
    "exchange_claim": "Die Stadt plant den Rückbau der alten Turnhalle.",
    "golden_truthfulness_base_claim": "True",
    "shift": "left",
    "axis": "economic",
    "judgmental_base": "0",
    "judgmental_exchange": "0",
    "origin_dataset": "Medienkompass",
}
"""A row without a defect; its labels are those of Table 5."""


def row(**changed: str) -> dict[str, str]:
    """Return the sound row with some fields changed."""
    return {**SOUND, **changed}


def write_claims(folder: Path, *rows: Mapping[str, str]) -> Path:
    """Write ``dataset.csv`` as it is published: UTF-8 with a byte order mark, all quoted."""
    path = folder / "dataset.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(SOUND), quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(rows)
    return path


def answer(**changed: Any) -> dict[str, Any]:
    """Return a row of a file of answers that fits the sound row, with some fields changed."""
    fields = {
        name: value
        for name, value in SOUND.items()
        if name not in ("base_claim", "exchange_claim", "origin_dataset")
    }
    runs = {"simple_prompt": {"someone": [1, 1, 0]}, "advanced_prompt": {"someone": [0, 1, 1]}}
    return {**fields, "truthfulness_probability": {"base_claim": runs, "exchange_claim": runs}, **changed}


def write_answers(folder: Path, *rows: object) -> Path:
    """Write a file of answers."""
    path = folder / "sample_output.json"
    path.write_text(json.dumps(list(rows), ensure_ascii=False), "utf-8")
    return path

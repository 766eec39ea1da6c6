"""Rows in the columns of xphemism-pairs, made up: every word pair with two claims, asked in all ways."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

WORDS = 24
SIDES = ("left", "none", "right")


def rows(config: str) -> list[dict[str, Any]]:
    """Return the rows of the config pairs or placebo."""
    return [
        row
        for style, language in product(("simple", "objective"), ("de", "en"))
        for number in range(2 * WORDS)
        for row in _pair(config, number, style, language)
    ]


def _pair(config: str, number: int, style: str, language: str) -> Iterator[dict[str, Any]]:
    word, political = number // 2, config == "pairs"
    labels = {
        "shift": SIDES[word % 3] if political else "none",
        "axis": ("social", "economic")[word // 3 % 2] if political else "none",
        "judgmental_base": int(political and word // 6 % 2),
        "judgmental_exchange": int(political and word // 12 % 2),
    }
    pair = f"{config}/claim-{number}/{style}/{language}"
    for arm in ("base", "shifted" if political else "placebo"):
        yield labels | {
            "id": f"{pair}/{arm}",
            "dataset": "xphemism-pairs",
            "prompt": f"Ist wahr: „Im Jahr {1950 + number} gab es {config} {word} {arm}.“ {style} {language}?",
            "gold": ("true", "false")[number % 2],
            "pair_id": pair,
            "cluster_id": f"{config}-words-{word}",
            "arm": arm,
            "prompt_style": style,
            "instruction_language": language,
            "label_true": "True",
            "label_false": "False",
        }

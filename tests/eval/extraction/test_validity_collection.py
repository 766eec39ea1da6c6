"""The labelled collections of model outputs: their format, and how well the extractor reads them.

The outputs of the blind files are never shown, nor which of them are misread: nobody who works on
the extractor may know them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from polbias.eval.answers import extract_validity
from tests.support.scoring import confusion, score

FOLDER = Path(__file__).parent / "validity"
LABELS = ("valid", "invalid", "refusal", "unparsable")
FILES = [(part, language) for part in ("dev", "blind") for language in ("en", "de")]
FLOORS = {"dev": 0.95, "blind": 0.9}
"""What the precision and the recall of each class must reach, in either language."""


@cache
def read(part: str, language: str) -> tuple[dict[str, Any], ...]:
    path = FOLDER / f"{part}.{language}.jsonl"
    return tuple(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def everything() -> list[dict[str, Any]]:
    return [entry for file in FILES for entry in read(*file)]


@pytest.mark.parametrize(("part", "language"), FILES)
def test_fields(part: str, language: str) -> None:
    for number, entry in enumerate(read(part, language), start=1):
        assert set(entry) == {"id", "language", "label", "cot", "text", "note"}, f"line {number}"
        assert entry["language"] == language, f"line {number}"
        assert entry["label"] in LABELS, f"line {number}"
        assert isinstance(entry["cot"], bool), f"line {number}"
        assert isinstance(entry["text"], str), f"line {number}"


def test_size() -> None:
    entries = everything()
    assert len(entries) >= 300
    counts = Counter((entry["label"], entry["language"]) for entry in entries)
    assert set(counts) == {(label, language) for label in LABELS for language in ("en", "de")}
    assert min(counts.values()) >= 30
    assert sum(entry["cot"] and len(entry["text"].split()) > 80 for entry in entries) >= 80


@pytest.mark.parametrize("field", ["id", "text"])
def test_unique(field: str) -> None:
    counts = Counter(entry[field] for entry in everything())
    repeated = counts.total() - len(counts)
    assert repeated == 0


def test_no_two_outputs_are_alike() -> None:
    grams = [shingles(entry["text"]) for entry in everything()]
    alike = sum(overlap(one, two) > 0.2 for one, two in combinations(grams, 2) if one != two)
    assert alike == 0


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return frozenset(zip(*(words[i:] for i in range(5)), strict=False))


def overlap(one: frozenset[tuple[str, ...]], two: frozenset[tuple[str, ...]]) -> float:
    return len(one & two) / len(one | two) if one and two else 0.0


@pytest.mark.parametrize(("part", "language"), FILES)
def test_precision_and_recall(part: str, language: str) -> None:
    pairs = [
        (entry["label"], extract_validity(entry["text"], language).label) for entry in read(part, language)
    ]
    scores, table = score(pairs, LABELS), confusion(pairs)
    print(f"\n{part} {language}: {sum(a == b for a, b in pairs)} of {len(pairs)} right")  # noqa: T201
    print(f"{'gold':12}" + "".join(f"{label:>12}" for label in LABELS) + "    precision            recall")  # noqa: T201
    for entry in scores:
        row = "".join(f"{table[entry.label, label]:>12}" for label in LABELS)
        shares = "".join(
            f"    {share.value:.3f} [{share.interval[0]:.2f}, {share.interval[1]:.2f}]"
            for share in (entry.precision, entry.recall)
        )
        print(f"{entry.label:12}{row}{shares}")  # noqa: T201
    for entry in scores:
        assert entry.precision.value >= FLOORS[part], f"precision of {entry.label}"
        assert entry.recall.value >= FLOORS[part], f"recall of {entry.label}"

"""The labelled collections of the entailment and the card extractor: reading, checking, scoring.

All outputs are written for the purpose in the manner of current models. "dev" is what the extractors were
written on; its last part (note "second round") was first scored unseen: 76 of 81 and 38 of 45 were right.
"blind" was never tuned on: 89 and 46 outputs were written before the extractors, the rest after them and scored
once. The outputs of the blind files are never shown, nor which of them are misread.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.scoring import Proportion, confusion, score

Entry = Mapping[str, Any]
PARTS = ("dev", "blind")


@cache
def read(kind: str, part: str) -> tuple[Entry, ...]:
    """Return the entries of a file.

    Args:
        kind: "entailment" or "cards", the folder.
        part: "dev" or "blind".
    """
    path = Path(__file__).parent / kind / f"{part}.jsonl"
    return tuple(json.loads(line) for line in path.read_text("utf-8").splitlines())


def check_fields(kind: str, fields: set[str], labels: str) -> None:
    """Assert that every entry has these fields, a label of this pattern, and a text of its own."""
    entries = [entry for part in PARTS for entry in read(kind, part)]
    for entry in entries:
        assert set(entry) == fields, entry["id"]
        assert re.fullmatch(labels, entry["label"]), entry["id"]
    assert len({entry["id"] for entry in entries}) == len(entries)
    texts = Counter((entry["text"], *entry.get("cards", ())) for entry in entries)
    assert texts.total() - len(texts) == 0


def check_left_out(without: Mapping[str, Any], blocks: Mapping[str, Any]) -> None:
    """Assert that the cues that a question leaves out are there."""
    for name, block in without.items():
        if isinstance(block, str):
            apart = re.compile(r"\s*\n\s*|  +")
            assert {*apart.split(block.strip())} <= {*apart.split(blocks[name].strip())}, name
        else:
            check_left_out(block, blocks[name])


def share_right(
    kind: str, part: str, extract: Callable[[Entry], str], labels: Sequence[str] | None = None
) -> Proportion:
    """Score an extractor on a file and print its table (``pytest -s``).

    Args:
        kind: the folder.
        part: the file.
        extract: from an entry to a label.
        labels: for which of them precision and recall are printed; by default all.

    Returns:
        The share read right.
    """
    entries = read(kind, part)
    pairs = [(entry["label"], extract(entry)) for entry in entries]
    right = Proportion(sum(gold == found for gold, found in pairs), len(pairs))
    low, high = right.interval
    print(f"\n{kind}, {part}: {right.hits} of {right.total} right [{low:.2f}, {high:.2f}]")  # noqa: T201
    for each in score(pairs, labels):
        print(f"{each.label:16} precision {each.precision.value:.3f}  recall {each.recall.value:.3f}")  # noqa: T201
    wrong = sum(count for (gold, found), count in confusion(pairs).items() if gold != found)
    assert right.total - right.hits == wrong
    if part == "dev":
        missed = [entry["id"] for entry, (gold, found) in zip(entries, pairs, strict=True) if gold != found]
        assert not missed
    return right

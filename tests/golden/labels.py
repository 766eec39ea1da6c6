"""What readers make of many outputs, in a few lines of a golden file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from polbias.eval.answers import Verdict

_LETTERS = {"none": "-", "refusal": "r", "unparsable": "u"}


def summary(verdicts: Sequence[Verdict], *, shown: bool = True) -> dict[str, Any]:
    """A digest of all verdicts, the number of each, and, if they may be shown, their labels in short."""
    told = [[verdict.label, verdict.reason, verdict.span] for verdict in verdicts]
    counts = Counter(f"{verdict.label}: {verdict.reason}" for verdict in verdicts)
    letters = [_LETTERS.get(verdict.label) or _letter(verdict.label) for verdict in verdicts]
    joined = (" " if any(len(letter) > 1 for letter in letters) else "").join(letters)
    return {
        "outputs": len(verdicts),
        "labels, reasons, spans": hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32],
        **dict(sorted(counts.items())),
        **({"labels": joined} if shown else {}),
    }


def _letter(label: str) -> str:
    return label.replace(",", "") if label[0].isupper() else label[0]

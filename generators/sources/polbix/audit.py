"""An audit of a user's copy of the published files, as one dictionary, and the ids to leave out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from polbias.generators.auditing.polbix.audit import CODES, INFORMATION, NOT_MINIMAL, Judged, defects
from polbias.generators.sources.polbix.folder import load


def audit(data: Path) -> dict[str, Any]:
    """Audit ``dataset.csv``, or the folder that holds it with tables of pairs and files of answers.

    Args:
        data: the file or the folder.

    Returns:
        A dictionary ready for JSON: ``format`` "polbix"; ``summary`` with the numbers of items, of items with
        a finding and of items that are no minimal pair, findings by code with their meaning, by source of the
        claims and by how the base word stands there, and how the copy differs from the published files;
        ``items``, one for each row with its findings and with what changed beside the word.

    Raises:
        InputError: If a file cannot be read.
    """
    known = load(data)
    judged = defects(known)
    origins: dict[str, list[Judged]] = {}
    for each in judged:
        origins.setdefault(each.row.origin, []).append(each)
    hits = Counter(each.hit for each in judged)
    summary = {
        "items": len(judged),
        "with_findings": sum(bool(set(each.findings) - INFORMATION) for each in judged),
        "not_minimal": sum(_is_defective(each) for each in judged),
        "findings": _counted(judged),
        "meaning": dict(CODES),
        "by_origin": {
            name: {code: count for code, count in _counted(rows).items() if count}
            for name, rows in sorted(origins.items())
        },
        "base_word": {kind: hits[kind] for kind in ("exact", "inflected", "compound", "derived", "absent")},
        "differences": list(known.differences),
    }
    return {"format": "polbix", "summary": summary, "items": [_item(each) for each in judged]}


def defective_ids(data: Path) -> frozenset[str]:
    """Return the ids of the rows that are no minimal pair of their two words, to leave out of an analysis.

    Args:
        data: ``dataset.csv`` or its folder. Where exchange claims are missing, fewer are found.

    Raises:
        InputError: If a file cannot be read.
    """
    return frozenset(each.row.id for each in defects(load(data)) if _is_defective(each))


def _is_defective(judged: Judged) -> bool:
    return not NOT_MINIMAL.isdisjoint(judged.findings)


def _counted(judged: Iterable[Judged]) -> dict[str, int]:
    counts = Counter(code for each in judged for code in each.findings)
    return {code: counts[code] for code in CODES}


def _item(judged: Judged) -> dict[str, Any]:
    return {
        "id": judged.row.id,
        "line": judged.row.line,
        "base_word": judged.hit,
        "findings": list(judged.findings),
        "edits": [{"kind": each.kind, "removed": each.removed, "added": each.added} for each in judged.edits],
    }

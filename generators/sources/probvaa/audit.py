"""An audit of a user's copy of the published folder, as one dictionary."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from polbias.generators.auditing.probvaa.folder import load
from polbias.generators.sources.probvaa.defects import CODES, defects


def audit(folder: Path) -> dict[str, Any]:
    """Audit the published folder of ProbVAA.

    Args:
        folder: where the files are.

    Returns:
        A dictionary ready for JSON: ``format`` "probvaa"; ``summary`` with the numbers of items and of items
        with a finding, findings by code with their meaning, by language and by country, findings about the
        prompts, and how the folder differs from the published one; ``items``, one for each row with its
        findings, those without any left empty.

    Raises:
        InputError: If the folder cannot be read.
    """
    data = load(folder)
    found: dict[str, list[str]] = {each.id: [] for each in data.statements}
    for row, code in defects(data.statements, data.annotations):
        found[row].append(code)
    by_code = Counter(code for codes in found.values() for code in codes)
    languages: dict[str, Counter[str]] = {}
    countries: dict[str, Counter[str]] = {}
    for each in data.statements:
        languages.setdefault(each.key.language, Counter()).update(found[each.id])
        countries.setdefault(each.key.country, Counter()).update(found[each.id])
    summary = {
        "items": len(data.statements),
        "with_findings": sum(bool(codes) for codes in found.values()),
        "findings": {code: by_code[code] for code in CODES},
        "meaning": dict(CODES),
        "by_language": {name: _ordered(counts) for name, counts in sorted(languages.items())},
        "by_country": {name: _ordered(counts) for name, counts in sorted(countries.items())},
        "prompts": [
            {"file": each.file, "line": each.line, "findings": list(each.findings)}
            for each in data.prompts
            if each.findings
        ],
        "differences": list(data.differences),
    }
    return {
        "format": "probvaa",
        "summary": summary,
        "items": [{"id": each.id, "line": each.line, "findings": found[each.id]} for each in data.statements],
    }


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return {code: counts[code] for code in CODES if counts[code]}

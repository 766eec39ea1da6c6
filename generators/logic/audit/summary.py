"""Counts over a whole audit; they do not grow with the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from polbias.generators.logic.audit.findings import VERDICTS
from polbias.generators.logic.audit.formats import Layout
from polbias.generators.logic.audit.items import Audited

_MOST = 2000  # different values of a column that are counted apart
_LONGEST = 200  # characters of a value
_OTHER = "(others)"


class Summary:
    """Counts items as they come.

    Args:
        layout: says which role a design balances, and how.

    Attributes:
        items: how many.
        flagged: how many a reader of the file must know about.
        verdicts: items by verdict.
        groups: items by (pattern, gold, verdict); pattern and gold can be missing.
        instantiates: items by whether they have the form of their pattern.
        deciding: items by the choices that decide them.
        findings: items by code.
        cells: items by pattern and value of the role that is balanced.
    """

    def __init__(self, layout: Layout) -> None:
        self._cell = layout.cell
        self._uniform = layout.uniform
        self.items = 0
        self.flagged = 0
        self.verdicts: Counter[str] = Counter(dict.fromkeys(VERDICTS, 0))
        self.groups: Counter[tuple[str, str, str]] = Counter()
        self.instantiates: Counter[bool | None] = Counter()
        self.deciding: Counter[tuple[tuple[str, str], ...]] = Counter()
        self.findings: Counter[str] = Counter()
        self.cells: Counter[tuple[str, str]] = Counter()

    def add(self, audited: Audited) -> None:
        """Count an item."""
        item, judgement = audited.item, audited.judgement
        pattern = item.values.get("pattern") or ""
        self.items += 1
        self.flagged += audited.flagged
        self.verdicts[audited.verdict] += 1
        self.instantiates[judgement.instantiates] += 1
        self.findings.update(audited.findings)
        if judgement.deciding is not None:
            self.deciding[tuple(judgement.deciding.items())] += 1
        _count(self.groups, (pattern, item.label or "", audited.verdict))
        content = item.values.get(self._cell)
        if pattern and content:
            _count(self.cells, (pattern, content))

    def unbalanced(self) -> list[tuple[str, str, int, int]]:
        """Return the cells that have not as many items as most: pattern, value, items, usual number."""
        patterns = dict.fromkeys(pattern for pattern, _ in self.cells)
        contents = dict.fromkeys(content for _, content in self.cells)
        rows = [
            [(pattern, content, self.cells[pattern, content]) for content in contents] for pattern in patterns
        ]
        found = []
        for row in rows:
            sizes = Counter(size for cells in (rows if self._uniform else [row]) for *_, size in cells)
            usual = max(sizes.items(), key=lambda entry: (entry[1], entry[0]))[0]
            found += [(pattern, content, size, usual) for pattern, content, size in row if size != usual]
        return found

    def as_dict(self) -> Mapping[str, Any]:
        """Return everything in the form that JSON has."""
        keys = dict.fromkeys((pattern, gold) for pattern, gold, _ in self.groups)
        return {
            "items": self.items,
            "flagged": self.flagged,
            "verdicts": dict(self.verdicts),
            "instantiates": {
                "true": self.instantiates[True],
                "false": self.instantiates[False],
                "null": self.instantiates[None],
            },
            "patterns": [
                {"pattern": pattern or None, "gold": gold or None}
                | {verdict: self.groups[pattern, gold, verdict] for verdict in VERDICTS}
                for pattern, gold in keys
            ],
            "depends_on": [
                {"choices": dict(choices), "items": number} for choices, number in self.deciding.most_common()
            ],
            "findings": dict(self.findings.most_common()),
            "unbalanced": [
                {"pattern": pattern, self._cell: content, "items": size, "usual": usual}
                for pattern, content, size, usual in self.unbalanced()
            ],
        }


def _count(counter: Counter[Any], key: tuple[str, ...]) -> None:
    """Count a key; when there are very many, those that are new together."""
    key = tuple(part[:_LONGEST] for part in key)
    if key not in counter and len(counter) >= _MOST:
        key = (_OTHER,) * len(key)
    counter[key] += 1

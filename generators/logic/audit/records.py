"""An audited item as it stands in a report."""

from __future__ import annotations

from typing import Any

from polbias.generators.logic.audit.formats import Layout
from polbias.generators.logic.audit.items import Audited


def record(audited: Audited, layout: Layout) -> dict[str, Any]:
    """Return an item with all that was found, ready for JSON.

    Args:
        audited: the item.
        layout: of its format; says how its texts are called.
    """
    item, judgement = audited.item, audited.judgement
    texts = item.texts or (None,) * len(layout.texts)
    return {
        "id": item.values.get("id"),
        **({"file": item.file} if item.file else {}),
        "line": item.line,
        "verdict": judgement.verdict,
        "instantiates": judgement.instantiates,
        "gold": item.label,
        "pattern": item.values.get("pattern"),
        layout.cell: item.values.get(layout.cell),
        **dict(zip(layout.texts, texts, strict=True)),
        "reading": judgement.reading,
        "deciding": dict(judgement.deciding) if judgement.deciding is not None else None,
        "countermodel": judgement.countermodel,
        "proof": judgement.proof,
        "findings": list(audited.findings),
        "resembles": judgement.resembles,
        "duplicate_of_line": audited.twin,
        "message": judgement.message,
    }
